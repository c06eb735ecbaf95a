"""What may be done to runs: ask, work on, stop, recover."""

from vectorless_web.runs.services.aftermath import delete_run, give_feedback
from vectorless_web.runs.services.asking import ask_again, start_run
from vectorless_web.runs.services.call_log import CallLog
from vectorless_web.runs.services.executing import Engine, Reasoner, claim_run, execute_run, fail_run, limits_of
from vectorless_web.runs.services.leases import Lease, LeaseLost
from vectorless_web.runs.services.purse import RunPurse
from vectorless_web.runs.services.recovering import recover_runs
from vectorless_web.runs.services.stopping import cancel_run
from vectorless_web.runs.services.threads import may_rename, rename_thread

__all__ = [
    "CallLog",
    "Engine",
    "Lease",
    "LeaseLost",
    "Reasoner",
    "RunPurse",
    "ask_again",
    "cancel_run",
    "claim_run",
    "delete_run",
    "execute_run",
    "fail_run",
    "give_feedback",
    "limits_of",
    "may_rename",
    "recover_runs",
    "rename_thread",
    "start_run",
]
