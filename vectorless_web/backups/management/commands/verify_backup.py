"""`manage.py verify_backup PLACE`: every checksum, and the database copy opened."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError, find_backup, list_backups
from vectorless_web.backups.places import open_place
from vectorless_web.backups.restoring import check_backup


class Command(BaseCommand):
    help = "Check the newest backup in a folder, one by its name, or all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", metavar="PLACE", help="A folder, or an object store: s3://bucket/folder.")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--at", default="", metavar="NAME", help="The backup of this name, such as its time.")
        which.add_argument("--all", action="store_true", help="Every backup in the folder.")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with open_place(options["place"]) as (path, kept):
                backups = list_backups(path) if options["all"] else []
                for backup in backups or [find_backup(path, options["at"])]:
                    manifest = check_backup(backup, kept=kept)
                    self.stdout.write(f"{backup.name} is whole: {len(manifest.files)} files and the database.")
                    for name in (*manifest.missing, *manifest.altered):
                        self.stderr.write(f"Warning: {name} was missing or altered at the site already.")
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
