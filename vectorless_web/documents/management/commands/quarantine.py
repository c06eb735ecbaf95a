"""`manage.py quarantine`: what the sweep moved aside, put back or removed for good."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.documents.services.keeping import installation, quarantine


class Command(BaseCommand):
    help = "Show, restore or remove stored files that no row of the database names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--list", action="store_true", help="What is in quarantine, and how files and database stand.")
        act.add_argument("--restore", nargs="+", metavar="NAME", help='Put files back, by either name, or "all".')
        act.add_argument("--empty", action="store_true", help="Remove for good what is in quarantine.")
        act.add_argument("--collect", action="store_true", help="Move all files of before yesterday without a row.")
        act.add_argument("--accept", action="store_true", help="Declare that database and files belong together.")
        parser.add_argument("--older-than", type=int, default=0, metavar="DAYS", help="With --empty: spare newer ones.")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["restore"]:
            self._restore(options["restore"])
        elif options["empty"]:
            count = quarantine.empty_quarantine(older_than_days=options["older_than"])
            self.stdout.write(f"{count} files removed for good.")
        elif options["collect"]:
            self._collect()
        elif options["accept"]:
            row = installation.accept_files()
            self.stdout.write(f"This database and the files in storage are now {row}.")
        else:
            self._list()

    def _list(self) -> None:
        standing = installation.files_standing()
        self.stdout.write(standing.message or "Database and files agree.")
        files = quarantine.quarantined_files()
        for file in files:
            self.stdout.write(f"{file.day}  {file.bytes:>12,}  {file.name}")
        self.stdout.write(f"{len(files)} files in quarantine, {sum(file.bytes for file in files):,} bytes.")
        unnamed = quarantine.unnamed_files()
        if unnamed:
            self.stdout.write(f"{len(unnamed)} more stored files have no row, such as {unnamed[0]}.")

    def _restore(self, names: Sequence[str]) -> None:
        files = quarantine.quarantined_files()
        wanted = files if list(names) == ["all"] else [f for f in files if f.name in names or f.original in names]
        unknown = set(names) - {"all"} - {f.name for f in wanted} - {f.original for f in wanted}
        if unknown:
            raise CommandError(f"Not in quarantine: {', '.join(sorted(unknown))}. --list shows what is.")
        taken = quarantine.restore_quarantined(wanted)
        for name in taken:
            self.stderr.write(f"{name} stays in quarantine: its place is taken.")
        self.stdout.write(f"{len(wanted) - len(taken)} files restored.")

    def _collect(self) -> None:
        standing = installation.reconcile_mark()
        if not standing.agrees:
            raise CommandError(standing.message)
        self.stdout.write(f"{quarantine.collect_orphans()} files moved to quarantine.")
