"""What may be done to runs: ask, work on, stop, recover."""

from vectorless_web.runs.services.asking import (
    ask_again,
    delete_run,
    give_feedback,
    may_rename,
    rename_thread,
    start_run,
)
from vectorless_web.runs.services.executing import Engine, Reasoner, claim_run, execute_run, fail_run, limits_of
from vectorless_web.runs.services.inputs import inputs_of, kept_late, load_kept_lexicon, program_digest
from vectorless_web.runs.services.leases import RunLease, cancel_run, hand_back_run, recover_runs, stop_run
from vectorless_web.runs.services.recording import CallLog, RunCostBudget, stored_calls
from vectorless_web.runs.services.replaying import (
    Found,
    is_waited_for,
    keep_verdict,
    recover_replays,
    replay,
    start_replay,
)
from vectorless_web.runs.services.standing import (
    add_comment,
    keep_private,
    remove_comment,
    set_favourite,
    share_with_members,
    share_with_workspace,
    verify_run,
    withdraw_verification,
)

__all__ = [
    "CallLog",
    "Engine",
    "Found",
    "Reasoner",
    "RunCostBudget",
    "RunLease",
    "add_comment",
    "ask_again",
    "cancel_run",
    "claim_run",
    "delete_run",
    "execute_run",
    "fail_run",
    "give_feedback",
    "hand_back_run",
    "inputs_of",
    "is_waited_for",
    "keep_private",
    "keep_verdict",
    "kept_late",
    "limits_of",
    "load_kept_lexicon",
    "may_rename",
    "program_digest",
    "recover_replays",
    "recover_runs",
    "remove_comment",
    "rename_thread",
    "replay",
    "set_favourite",
    "share_with_members",
    "share_with_workspace",
    "start_replay",
    "start_run",
    "stop_run",
    "stored_calls",
    "verify_run",
    "withdraw_verification",
]
