"""`manage.py work QUEUE`: a worker that imports its jobs before it forks."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.module_loading import import_string

from vectorless_web.infra.queues import jobs


class Command(BaseCommand):
    help = "Work on the jobs of one queue: runs, documents, long, background or backups."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", choices=sorted(settings.RQ_QUEUES))
        parser.add_argument("--burst", action="store_true", help="End when the queue is empty.")

    def handle(self, *_args: Any, **options: Any) -> None:
        queue = options["queue"]
        jobs.preload(queue)
        for name in settings.WORKER_BEGIN.get(queue, ()):
            import_string(name)()
        jobs.work(queue, burst=options["burst"])
