"""`manage.py backup DIR`: the database and all stored files, consistent while the site runs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError, read_manifest
from vectorless_web.backups.making import make_backup
from vectorless_web.backups.places import hold_backups, open_place
from vectorless_web.workspaces.services import record


class Command(BaseCommand):
    help = "Write a backup into a folder of backups; bytes that an earlier one has are not copied again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", metavar="PLACE", help="A folder, or an object store: s3://bucket/folder.")
        parser.add_argument("--keep", type=int, default=0, metavar="N", help="Remove all but the newest N backups.")
        parser.add_argument("--with-secret", action="store_true", help="Include var/secret_key, readable by you only.")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["keep"] < 0:
            raise CommandError("--keep needs a number of 1 or more.")
        try:
            with hold_backups(), open_place(options["place"]) as (path, kept):
                keep, with_secret = options["keep"], options["with_secret"]
                backup = make_backup(path, kept=kept, say=self.stderr.write, keep=keep, with_secret=with_secret)
                manifest = read_manifest(backup)
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        name = f"{options['place'].rstrip('/')}/{backup.name}"
        size = sum(file.bytes for file in manifest.files) + manifest.database.bytes
        record(actor=None, verb="backup.made", name=name, details={"bytes": size, "files": len(manifest.files)})
        self.stdout.write(f"{name}: {len(manifest.files)} files and the database, {size:,} bytes.")
        if not manifest.secret_key:
            self.stdout.write(
                "Secrets are not in it. Keep SECRET_KEY (or var/secret_key) and VECTORLESS_ENCRYPTION_KEY elsewhere: "
                "without them the stored keys of model providers cannot be read."
            )
