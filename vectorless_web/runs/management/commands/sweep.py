"""`manage.py sweep`: recovers what a crash or an outage left unfinished."""

import logging
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections
from django.utils.module_loading import import_string
from redis.exceptions import RedisError

from vectorless_web.documents import services as documents
from vectorless_web.infra.queues import control
from vectorless_web.infra.web.health import record_heartbeat
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.services import queue_mail
from vectorless_web.runs import services as runs
from vectorless_web.workspaces.site import forget_values, is_read_only

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 3.0
"""Seconds between two passes: what a crash left behind is taken up within them. Half of it doubles the queries of an
idle site."""
TIDY_SECONDS = 3600.0
"""Stored files without a row are looked for this often: it lists the whole storage. What an older copy of the
database cannot know is told by counts that go up as often."""


class Command(BaseCommand):
    help = "Requeue runs and uploads whose worker died, and remove what is older than it is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--loop", action="store_true", help="Go on until stopped.")

    def handle(self, *_args: Any, **options: Any) -> None:
        tidied_at = time.monotonic()
        repairs = REPAIRS + tuple(import_string(path) for path in settings.SWEEPING)
        tidying = TIDYING + tuple(import_string(path) for path in settings.TIDYING)
        sweep(repairs + tidying)
        while options["loop"]:
            time.sleep(PAUSE_SECONDS)
            close_old_connections()
            tidy = time.monotonic() - tidied_at > TIDY_SECONDS
            sweep(repairs + tidying if tidy else repairs)
            tidied_at = time.monotonic() if tidy else tidied_at


Act = Callable[[], int]
REPAIRS: tuple[Act, ...] = (
    control.give_back_dropped_jobs,
    documents.watch_files,
    runs.recover_runs,
    runs.recover_replays,
    documents.requeue_lost_versions,
    documents.requeue_repairs,
    documents.ArtefactPatrol().queue_bad_artefacts,
    documents.compact_overdue,
    documents.purge_deleted,
    documents.resume_embedding,
    documents.resume_summaries,
    queue_mail,
)
TIDYING: tuple[Act, ...] = (
    documents.refresh_rows,
    documents.quarantine_orphans,
    documents.empty_overdue,
    documents.clear_stale_folders,
    documents.clear_partial_uploads,
    documents.forget_purged_copies,
)


def sweep(acts: Sequence[Act] = REPAIRS) -> None:
    """One pass. An outage is left to the next pass, and so is a Problem: a person, or another machine's sweep, removed
    the same row first. A read-only site is let be."""
    try:
        if follow_read_only():
            record_heartbeat("sweep")
            return
    except (DatabaseTrouble, RedisError) as error:
        logger.warning("read-only mode waits for the next pass: %s", error)
    for act in acts:
        record_heartbeat("sweep")
        try:
            count = act()
        except (DatabaseTrouble, RedisError, OSError, Problem) as error:
            logger.warning("%s waits for the next pass: %s", act.__name__, error)
            continue
        if count:
            logger.info("%s: %d", act.__name__, count)


def follow_read_only() -> bool:
    """Hold the queues or let them go on as the plan says now, also after Redis lost its keys; whether it is on."""
    forget_values()
    on = is_read_only()
    control.hold_queues(on)
    return on
