"""`manage.py restore DIR`: a backup put into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError, find_backup
from vectorless_web.backups.restoring import restore_backup


class Command(BaseCommand):
    help = "Check the newest backup in a folder, or one by its name, and restore it into this site, which is empty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--at", default="", metavar="NAME", help="The backup of this name, such as its time.")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            backup = find_backup(options["folder"], options["at"])
            manifest = restore_backup(backup, say=self.stderr.write)
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        rows = sum(manifest.database.rows.values())
        self.stdout.write(f"{backup} is restored: {rows} rows and {len(manifest.files)} files.")
