"""`manage.py export_workspace SLUG FILE`: one workspace as one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.backups.folder import BackupError
from vectorless_web.backups.workspace_file import export_workspace
from vectorless_web.workspaces.models import Workspace


class Command(BaseCommand):
    help = "Write a workspace's uploads, folders, settings, lexicon and runs into a new ZIP file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="The workspace's name in addresses.")
        parser.add_argument("file", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["slug"], deleted_at=None).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['slug']}”.")
        try:
            with options["file"].open("xb") as target:
                counts = export_workspace(actor=None, workspace=workspace, target=target)
        except FileExistsError as error:
            raise CommandError(f"{options['file']} is there already. Choose another name.") from error
        except (BackupError, OSError) as error:
            options["file"].unlink(missing_ok=True)
            raise CommandError(str(error)) from error
        for name in counts.missing:
            self.stderr.write(f"Warning: the upload of {name} is missing from storage; the file is without it.")
        self.stdout.write(f"{options['file']}: {counts.documents} documents, {counts.runs} runs.")
