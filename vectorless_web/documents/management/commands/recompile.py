"""`manage.py recompile`: reads documents again that another version of the program compiled, or that are damaged."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from vectorless_web.documents import services


class Command(BaseCommand):
    help = (
        "Queue every document that another version of this program compiled. The sweep does so by itself, a few at a "
        "time; this queues all of them at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--status", action="store_true", help="Only tell how compiled files stand; queue nothing.")
        which.add_argument(
            "--scans", action="store_true", help="Queue documents with scanned pages, as after a change of languages."
        )
        which.add_argument(
            "--titles", action="store_true", help="Call documents as this program reads them; renamed ones stay."
        )
        which.add_argument("--check", action="store_true", help="Open every compiled file; queue what is damaged.")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["status"]:
            self._tell()
        elif options["scans"]:
            self.stdout.write(f"Queued {services.queue_scanned()} with scanned pages to be read again.")
        elif options["titles"]:
            self._renew_titles()
        elif options["check"]:
            bad = services.check_artefacts()
            self.stdout.write(f"{bad} cannot be read" + (" and are queued to be read again." if bad else "."))
        else:
            self.stdout.write(f"Queued {services.queue_outdated()} to be read again.")

    def _renew_titles(self) -> None:
        count = 0
        for row in services.renew_titles():
            count += 1
            self.stdout.write(f"  {row.pk} {row.before} -> {row.title}")
        self.stdout.write(f"{count} documents have another title; those that people named are as they were.")

    def _tell(self) -> None:
        counts = services.repair_counts()
        self.stdout.write(
            f"{counts.current} current, {counts.outdated} made by another version; "
            f"{counts.waiting} being read again, {counts.failed} could not be."
        )
        for version in services.failed_repairs():
            self.stdout.write(f"  {version.document_id} {version}: {version.error_message} ({version.error_code})")
