"""`manage.py compile FILE...`: reads files as an upload would be read, and prints what was found."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from vectorless_web.documents.compiling.process import CompileFailed, Finished, Order, compile_folder, run_child
from vectorless_web.documents.rendering.tree_report import OUTLINE_SOURCES, count
from vectorless_web.engine.documents.artefact import CompiledDocument, open_artefact

INDENT = "  "


class Command(BaseCommand):
    help = "Compile files without storing anything and print their tree reports."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument("--json", action="store_true", help="Print one JSON object a line, one line a file.")
        parser.add_argument("--ignore-bookmarks", action="store_true", help="Find the outline in the pages alone.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Compile each file; exit 2 when one of them cannot be read, after all were tried."""
        failed = 0
        for path in options["files"]:
            try:
                self.stdout.write(
                    _describe_file(path, as_json=options["json"], ignore_bookmarks=options["ignore_bookmarks"])
                )
            except CompileFailed as failure:
                failed += 1
                self.stderr.write(f"{path}: {failure.message} ({failure.code})")
        if failed:
            raise CommandError(f"{failed} of {len(options['files'])} files could not be read.", returncode=2)


@contextmanager
def compiled(path: Path, *, ignore_bookmarks: bool = False) -> Iterator[tuple[CompiledDocument, Finished]]:
    """Context with a file as an upload would be read, and what reading it took; CompileFailed when it cannot be."""
    if not path.is_file():
        raise CompileFailed("There is no such file.", code="no_such_file", retryable=False)
    with compile_folder() as folder:
        target = folder / "artefact"
        order = Order(path.resolve(), path.name, target, ignore_bookmarks=ignore_bookmarks)
        finished = [news for news in run_child(order) if isinstance(news, Finished)][-1]
        yield open_artefact(target), finished


def _describe_file(path: Path, *, as_json: bool, ignore_bookmarks: bool) -> str:
    """What is to be printed about one file."""
    with compiled(path, ignore_bookmarks=ignore_bookmarks) as (document, finished):
        facts = _facts(path.name, document, finished)
    return json.dumps(facts, ensure_ascii=False) if as_json else _report(facts)


def _facts(name: str, document: CompiledDocument, finished: Finished) -> dict[str, Any]:
    report, tree = document.report, document.tree
    headings = (tree.node(key) for key in tree.sections())
    return {
        "document": name,
        "pages": report.pages,
        "outline_source": report.outline_source,
        "coverage": report.coverage,
        "sections": report.sections,
        "leaves": report.leaves,
        "tables": report.tables,
        "seconds": finished.seconds,
        "peak_mb": finished.peak_mb,
        "warnings": list(report.warnings),
        "outline": [{"level": n.depth - 1, "title": n.title, "page_index": n.page_start} for n in headings],
    }


def _report(facts: dict[str, Any]) -> str:
    source = OUTLINE_SOURCES.get(facts["outline_source"], facts["outline_source"])
    head = [
        f"{facts['document']}: {count(facts['pages'], 'page')}, "
        f"read in {facts['seconds']} s with {facts['peak_mb']:.0f} MB",
        f"{INDENT}outline from {source}: {count(facts['sections'], 'section')}, {count(facts['tables'], 'table')}, "
        f"{count(facts['leaves'], 'leaf', 'leaves')}; {facts['coverage']:.2%} of the characters kept",
        *(f"{INDENT}remark: {warning}" for warning in facts["warnings"]),
    ]
    lines = (f"{INDENT * (h['level'] + 2)}{h['title']}  p. {h['page_index'] + 1}" for h in facts["outline"])
    return "\n".join([*head, *lines])
