"""`manage.py export_markdown FILE...`: files as the program reads them, as Markdown with page marks."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.documents.compiling.process import CompileFailed, Order, compile_folder, run_child
from vectorless_web.documents.rendering.markdown import write_document
from vectorless_web.engine.documents.artefact import open_artefact


class Command(BaseCommand):
    help = "Print files as Markdown, as they are read: what expected answers can be checked against."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print each file; exit 2 at the first that cannot be read."""
        for path in options["files"]:
            try:
                self.stdout.write(_read_file(path))
            except CompileFailed as failure:
                raise CommandError(f"{path}: {failure.message}", returncode=2) from failure


def _read_file(path: Path) -> str:
    if not path.is_file():
        raise CompileFailed("There is no such file.", code="no_such_file", retryable=False)
    with compile_folder() as folder:
        target = folder / "artefact"
        list(run_child(Order(path.resolve(), path.name, target)))
        return write_document(open_artefact(target))
