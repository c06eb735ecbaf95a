"""`manage.py export_markdown FILE...`: files as the program reads them, as Markdown with page marks."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.management.commands.compile import compiled
from vectorless_web.documents.rendering.markdown import write_document


class Command(BaseCommand):
    help = "Print files as Markdown, as they are read: what expected answers can be checked against."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print each file; exit 2 at the first that cannot be read."""
        for path in options["files"]:
            try:
                with compiled(path) as (document, _finished):
                    self.stdout.write(write_document(document))
            except CompileFailed as failure:
                raise CommandError(f"{path}: {failure.message}", returncode=2) from failure
