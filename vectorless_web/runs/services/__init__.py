"""What may be done to runs: ask, work on, stop, recover."""

from vectorless_web.runs.services.asking import (
    ask_again,
    delete_run,
    give_feedback,
    is_private_anyway,
    may_rename,
    purge_removed_runs,
    rename_thread,
    restore_run,
    start_background_run,
    start_run,
)
from vectorless_web.runs.services.executing import (
    Engine,
    Reasoner,
    claim_run,
    execute_run,
    fail_run,
    limits_of,
    note_last_calls,
    settings_of,
)
from vectorless_web.runs.services.leases import RunLease, cancel_run, hand_back_run, recover_runs, stop_run
from vectorless_web.runs.services.recording import (
    CallLog,
    RunCostBudget,
    inputs_of,
    kept_late,
    load_kept_lexicon,
    program_digest,
    stored_calls,
)
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
    remove_comment,
    set_favourite,
    set_private,
    share_with_members,
    verify_run,
    withdraw_verification,
)
