"""`manage.py sweep`: puts right what a crash or an outage left behind."""

import logging
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections
from redis.exceptions import RedisError

from vectorless_web.documents import services as documents
from vectorless_web.runs import services as runs

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 3.0


class Command(BaseCommand):
    help = "Requeue runs and uploads whose worker died, and purge what was deleted 30 days ago."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--loop", action="store_true", help="Go on until stopped.")

    def handle(self, *_args: Any, **options: Any) -> None:
        sweep()
        while options["loop"]:
            time.sleep(PAUSE_SECONDS)
            close_old_connections()
            sweep()


def sweep() -> None:
    """One pass; an outage of the database or Redis is left to the next pass."""
    for act in (runs.recover_runs, documents.requeue_lost_versions, documents.purge_deleted):
        try:
            count = act()
        except (DatabaseError, RedisError, OSError) as error:
            logger.warning("%s waits for the next pass: %s", act.__name__, error)
            continue
        if count:
            logger.info("%s: %d", act.__name__, count)
