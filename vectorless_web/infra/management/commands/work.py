"""`manage.py work QUEUE`: a worker that imports its jobs before it forks."""

import importlib
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections

from vectorless_web.infra.queues import jobs


def preload(queue: str) -> None:
    """Import and load what the queue's jobs need, and leave no connection open: forks follow."""
    for name in settings.WORKER_PRELOAD[queue]:
        module = importlib.import_module(name)
        if hasattr(module, "warm_up"):
            module.warm_up()
    connections.close_all()
    jobs.freeze_memory()


class Command(BaseCommand):
    help = "Work on the jobs of one queue: runs or documents."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", choices=sorted(settings.RQ_QUEUES))
        parser.add_argument("--burst", action="store_true", help="End when the queue is empty.")

    def handle(self, *_args: Any, **options: Any) -> None:
        queue = options["queue"]
        preload(queue)
        jobs.work(queue, burst=options["burst"])
