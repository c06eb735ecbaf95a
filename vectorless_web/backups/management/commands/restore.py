"""`manage.py restore PLACE`: a backup put into an empty site, or tried in a temporary place."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError, find_backup
from vectorless_web.backups.places import open_place
from vectorless_web.backups.restoring import rehearse_restore, restore_backup


class Command(BaseCommand):
    help = "Check the newest backup in a folder, or one by its name, and restore it into this site, which is empty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", metavar="PLACE", help="A folder, or an object store: s3://bucket/folder.")
        parser.add_argument("--at", default="", metavar="NAME", help="The backup of this name, such as its time.")
        parser.add_argument(
            "--drill",
            action="store_true",
            help="Restore into a temporary place, compare rows and checksums with the manifest, and remove it again.",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with open_place(options["place"]) as (path, kept):
                backup = find_backup(path, options["at"])
                if options["drill"]:
                    manifest, untried = rehearse_restore(backup, kept=kept)
                else:
                    manifest, untried = restore_backup(backup, kept=kept, say=self.stderr.write), ""
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        rows, done = sum(manifest.database.rows.values()), "could be restored" if options["drill"] else "is restored"
        self.stdout.write(f"{backup.name} {done}: {rows} rows and {len(manifest.files)} files.")
        if untried:
            raise CommandError(untried)
