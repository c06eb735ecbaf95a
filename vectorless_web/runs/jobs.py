"""The job that works on one run: an id in, wiring, one service."""

import logging
import threading
from contextlib import suppress

from channels.layers import get_channel_layer
from django.db import DatabaseError

from vectorless_web import wiring
from vectorless_web.engine.errors import EngineError
from vectorless_web.runs import selectors, services
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.selectors import OFFLINE, lexicon_of, model_chosen
from vectorless_web.workspaces.storage import SecretUnreadable

logger = logging.getLogger(__name__)

INTERNAL = "Something went wrong inside the program. What was found is kept; the log has the details. Try again."
UNREADABLE = (
    "The key of this workspace's model was stored under another encryption key and cannot be read. "
    "An owner can type it again, or switch the model off, in the settings under Models."
)


def execute_run(run_id: int) -> None:
    """Claim the run and work on it; a second delivery of the job exits quietly.

    Whatever goes wrong here is written to the run: nobody may be left waiting for it.
    """
    lease = services.claim_run(run_id)
    if lease is None:
        return
    stop = threading.Event()
    try:
        run, log = selectors.run_to_execute(run_id), services.CallLog(lease)
        answerer = run.settings.get("answerer", "")
        calls = wiring.Calls(
            stored=log.stored,
            keep=log,
            purse=services.RunPurse(run),
            limits=services.limits_of(run),
            lexicon=lexicon_of(run.workspace),
            expand=run.settings.get("expand", True),
            offline=answerer == OFFLINE,
            stopping=stop.is_set,
        )
        engine = wiring.engine_for(model_chosen(run.workspace, answerer), calls)
        services.execute_run(lease, engine=engine, stop=stop)
    except SecretUnreadable:
        services.fail_run(lease, code="secret_unreadable", message=UNREADABLE, retryable=False)
    except EngineError as error:
        services.fail_run(lease, code=error.code, message=error.message, retryable=error.retryable)
    except Exception:
        logger.exception("run %d failed", run_id)
        services.fail_run(lease, code="internal_error", message=INTERNAL, retryable=True)
        raise


def warm_up() -> None:
    """Called once in the worker before it forks: what a job would otherwise import or load by itself.

    No connection outlives it: the worker closes those of the database, the channel
    layer opens its own in the job.
    """
    wiring.warm_up()
    get_channel_layer()
    with suppress(DatabaseError, Run.DoesNotExist):
        selectors.run_to_execute(0)
