"""RQ's worker with work-horses that end with it, and the settings of garbage collection before a fork."""

import gc
import logging
import os
import signal
import threading
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections
from django.utils.module_loading import import_string
from rq import Worker
from rq.job import Job
from rq.queue import Queue

from vectorless_web.infra.site.forking import die_with_parent, name_process

logger = logging.getLogger(__name__)


class StoppableWorker(Worker):
    """A worker that, told to stop, lets its job finish for VECTORLESS_STOP_SECONDS and then hands it back.

    A job that is handed back was killed, as in a crash: what it stored under its lease stands, and
    the next worker goes on from there.
    """

    _overdue = False

    def procline(self, message: str) -> None:
        """Leave the name as it is: RQ's own would hide which program this is."""

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run the job in the work-horse, which the kernel ends as soon as its worker ends."""
        die_with_parent(signal.SIGKILL)
        if os.getppid() == 1:  # The worker ended before this could be asked for.
            os._exit(1)
        name_process(f"job {job.id}")
        super().main_work_horse(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        """Called when the worker is told to stop: the job under way gets its last seconds."""
        if self.horse_pid:
            timer = threading.Timer(settings.STOP_SECONDS, self._end_overdue)
            timer.daemon = True
            timer.start()

    def monitor_work_horse(self, job: Job, queue: Queue) -> None:
        """Wait for the work-horse; hand its job back if it had to be killed."""
        super().monitor_work_horse(job, queue)
        if self._overdue:
            hand_back(job)

    def _end_overdue(self) -> None:
        if self.horse_pid:
            self._overdue = True
            self.kill_horse()


def hand_back(job: Job) -> None:
    """Let another worker take the job's work at once. What cannot be handed back waits for the end of its lease."""
    path = settings.WORKER_HAND_BACK.get(job.func_name or "")
    if path is None:
        return
    give: Any = import_string(path)
    try:
        give(job.id, *job.args)
    except DatabaseError as error:
        logger.warning("job %s waits for the end of its lease: %s", job.id, error)
    finally:
        connections.close_all()


COLLECTING = (20_000, 20, 20)
"""Objects made between collections: a run makes some ten thousand that stay to its end, and 700 looks at them often."""


def freeze_memory() -> None:
    """Keep what is loaded now out of all collections, so that forks share its pages, and collect more seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
