"""Writes the tree report of a compiled document, with a plain verdict."""

from collections import Counter
from collections.abc import Sequence

from vectorless_web.engine.compiler.lines import Page
from vectorless_web.engine.document.node import Node, NodeKind
from vectorless_web.engine.document.report import TreeReport, unread_pages


def make_report(
    nodes: Sequence[Node], pages: Sequence[Page], *, coverage: float, outline_source: str, remarks: Sequence[str] = ()
) -> TreeReport:
    """The report; warnings and verdict are whole sentences for the document's owner.

    `remarks` of the parser come after the warnings about pages and outline.
    """
    kinds = Counter(node.kind for node in nodes)
    children = Counter(node.parent for node in nodes if node.kind is not NodeKind.RUNNING)
    empty = tuple(page.index for page in pages if not page.text.strip())
    warnings = (*_warnings(len(pages), empty, coverage, outline_source), *remarks)
    return TreeReport(
        pages=len(pages),
        sections=kinds[NodeKind.SECTION],
        leaves=sum(
            count
            for kind, count in kinds.items()
            if kind not in (NodeKind.SECTION, NodeKind.DOCUMENT, NodeKind.RUNNING)
        ),
        tables=kinds[NodeKind.TABLE],
        depth=max((node.depth for node in nodes if node.kind is NodeKind.SECTION), default=0),
        widest=max(children.values(), default=0),
        coverage=round(coverage, 6),
        outline_source=outline_source,
        empty_pages=empty,
        warnings=warnings,
        verdict=_verdict(outline_source, warnings, kinds[NodeKind.SECTION]),
    )


def _warnings(pages: int, empty: Sequence[int], coverage: float, source: str) -> list[str]:
    found = []
    if empty and len(empty) == pages:
        found.append("No page has a text layer: this is a scan. Run text recognition (OCR) on it and upload it again.")
    elif unread_pages(empty, pages):
        found.append(f"{len(empty)} of {pages} pages have no text; they may be pictures and would need OCR.")
    if coverage < 1:
        found.append(f"{100 * (1 - coverage):.2f} % of the characters could not be placed in the outline.")
    if source == "pages" and len(empty) < pages:
        found.append("No headings were found; the document is divided by pages instead.")
    return found


def _verdict(source: str, warnings: Sequence[str], sections: int) -> str:
    origin = {
        "bookmarks": "from the document's bookmarks",
        "contents": "from the printed table of contents and the headings",
        "headings": "from the headings in the text",
    }.get(source)
    if origin is None:
        return warnings[0] if warnings else "The document is divided by pages."
    count = "one section" if sections == 1 else f"{sections} sections"
    return f"The outline has {count}, taken {origin}." + (" Some points need attention." if warnings else "")
