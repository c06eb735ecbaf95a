"""`manage.py import_workspace FILE --owner NAME`: a new workspace from the file of another."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError
from vectorless_web.backups.workspace_file import import_workspace


class Command(BaseCommand):
    help = "Make a new workspace from a file of `export_workspace`; its documents are read anew by the workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, metavar="NAME", help="The user name of who will own it.")

    def handle(self, *_args: Any, **options: Any) -> None:
        owner = get_user_model().objects.filter(username=options["owner"], is_active=True).first()
        if owner is None:
            raise CommandError(f"There is no active account “{options['owner']}”.")
        try:
            with options["file"].open("rb") as source:
                workspace, counts = import_workspace(actor=owner, source=source)
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"“{workspace.name}” is at /w/{workspace.slug}/: {counts.documents} documents to be read.")
