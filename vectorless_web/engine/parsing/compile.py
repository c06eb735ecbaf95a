"""Compiles a file into the bytes of an artefact: sniff, parse, outline, card, index, report."""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vectorless_web.engine.documents.artefact import ArtefactParts, write_artefact
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.page import PageInfo, TreeReport, unread_pages
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.index.segment import build_segment
from vectorless_web.engine.parsing.assemble import assemble, find_references, limit_outline
from vectorless_web.engine.parsing.card import choose_title, make_card, typed_fields
from vectorless_web.engine.parsing.corrections import Correction, apply_corrections
from vectorless_web.engine.parsing.drafts import SOFT_HYPHEN, Draft
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.markup.delimited import claims_delimited, read_delimited
from vectorless_web.engine.parsing.markup.html import bound_page, claims_html, html_text, html_title
from vectorless_web.engine.parsing.markup.markdown import markdown_text
from vectorless_web.engine.parsing.markup.pages import TextBlock, cut_pages
from vectorless_web.engine.parsing.markup.plaintext import text_blocks
from vectorless_web.engine.parsing.pdf.parse import compile_pdf
from vectorless_web.engine.parsing.sniff import DOCX, HTML, MARKDOWN, PDF, TEXT, decode, sniff, text_type
from vectorless_web.engine.parsing.word.parse import read_docx

Read = tuple[str, Sequence[TextBlock]]
"""The readable text, and the blocks that hold every character of it that is not white space."""


Bounded = tuple[str, Sequence[str]]
"""A text that can be read in time by its length, and sentences about what was left out of it for that."""


def _leave_unbounded(text: str) -> Bounded:
    return text, ()


def _find_no_title(text: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """One text format: `claims(text, name)` says whether a file has it, `read(text)` gives its text and blocks."""

    media_type: str
    claims: Callable[[str, str], bool]
    read: Callable[[str], Read]
    title: Callable[[str], str] = _find_no_title
    """The title that a text carries apart from what it shows, or ""."""
    bound: Callable[[str], Bounded] = _leave_unbounded
    """What a text is made into before it is read and its title looked for."""


def _is_markdown(text: str, name: str) -> bool:
    return text_type(text, name=name) == MARKDOWN


def _is_text(text: str, name: str) -> bool:
    return True


def _read_text(text: str) -> Read:
    return text, text_blocks(text)


def _bounded_page(source: str) -> Bounded:
    page = bound_page(source)
    return page.source, page.remarks


FORMATS = (
    TextFormat(HTML, claims_html, html_text, html_title, _bounded_page),
    TextFormat(TEXT, claims_delimited, read_delimited),
    TextFormat(MARKDOWN, _is_markdown, markdown_text),
    TextFormat(TEXT, _is_text, _read_text),
)
"""Asked in this order; the last takes whatever is left."""


def format_of(text: str, *, name: str, formats: Sequence[TextFormat] = FORMATS) -> TextFormat:
    """The first format that claims a text."""
    return next(known for known in formats if known.claims(text, name))


FIELDS = ("title", "path", "text", "table")


def index_rows(nodes: Sequence[Node]) -> Iterator[tuple[int, dict[str, str]]]:
    """(key, {field: text}) of all nodes but the root and running lines."""
    for node in nodes[1:]:
        if node.kind is NodeKind.RUNNING:
            continue
        row = {"title": node.title, "path": " ".join(_path(node, nodes))}
        if node.kind is not NodeKind.SECTION:
            row["text"] = node.text.replace(SOFT_HYPHEN, "")
        if node.table is not None:
            headers = [column.header for column in node.table.columns]
            row["table"] = "\n".join([*headers, node.table.units, *(line.label for line in node.table.rows)])
        yield node.key, row


def _path(node: Node, nodes: Sequence[Node]) -> list[str]:
    titles: list[str] = []
    parent = node.parent
    while parent > 0:
        titles.append(nodes[parent].title)
        parent = nodes[parent].parent
    return titles[::-1]


_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype="<u4")


def coverage(texts: Sequence[str], drafts: Iterable[Draft]) -> tuple[float, list[int]]:
    """Share (0..1) of the pages' non-space characters that stand in exactly one draft, and the pages that miss some."""
    counts = [np.zeros(len(text), dtype=np.uint8) for text in texts]
    for draft in drafts:
        for run in draft.runs:
            counts[run.page_index][run.char_index : run.char_index + run.length] += 1
    total = covered = 0
    faulty: list[int] = []
    for index, text in enumerate(texts):
        printed = ~np.isin(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4"), _SPACES)
        once = int((counts[index][printed] == 1).sum())
        total += int(printed.sum())
        covered += once
        if once < printed.sum():
            faulty.append(index)
    return (covered / total if total else 1.0), faulty


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


Progress = Callable[[str, int, int], None]
_HEAD_BYTES = 8192
"""Bytes of a file by which its kind is told."""
_FIRST_PAGES = 3
"""Pages at the beginning that are searched for names, years and kinds of document."""
_USUAL_LIMITS = CompileLimits()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of a parser: pages, drafts in reading order, the source of the outline, and the title the file stores.

    `remarks` are sentences for the document's owner about what was left out or read in another way.
    """

    media_type: str
    pages: Sequence[Page]
    drafts: Sequence[Draft]
    outline_source: str
    title: str = ""
    remarks: Sequence[str] = ()


def _ignore_progress(stage: str, done: int, total: int) -> None:
    """Progress nobody listens to."""


def compile_file(
    path: Path,
    *,
    name: str,
    ignore_bookmarks: bool = False,
    progress: Progress | None = None,
    limits: CompileLimits = _USUAL_LIMITS,
    corrections: Sequence[Correction] = (),
) -> bytes:
    """The artefact of a file. `progress(stage, done, total)`: stages parsing, outlining, indexing.

    `corrections` of the outline, made by hand, are applied in their order.
    Raises UnreadableDocument, with a stable code and a plain sentence, if the file cannot be compiled.
    """
    tell = progress or _ignore_progress
    digest = _digest(path, limits)
    with _pause_collection():
        parsed = _parse(path, name, ignore_bookmarks, tell, limits)
        # Before the corrections, whose keys are those of an outline that was limited.
        limited = limit_outline(parsed.drafts, limits.sections)
        remarks = (*parsed.remarks, limited.remark) if limited.remark else parsed.remarks
        parsed = replace(parsed, drafts=apply_corrections(limited.drafts, corrections), remarks=remarks)
        artefact = _finish(parsed, name=name, sha256=digest, tell=tell)
    _check_size(len(artefact), path.stat().st_size, limits)
    return artefact


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Without cyclic garbage collection: compiling makes no cycles, and looking for them costs a tenth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _check_size(size: int, read: int, limits: CompileLimits) -> None:
    """Refuse an artefact that is out of proportion to its file, or beyond what is kept of any."""
    most = min(limits.artefact, max(limits.artefact_floor, limits.artefact_ratio * read))
    if size > most:
        raise UnreadableDocument(
            f"Reading this file makes {size / 1048576:,.0f} MB of index out of {_megabytes(read)}; at most"
            f" {most / 1048576:,.0f} MB can be kept for it. Split it into smaller files.",
            code="artefact_too_large",
        )


def _megabytes(size: int) -> str:
    return f"{size / 1048576:,.0f} MB" if size >= 1048576 else f"{size / 1024:,.0f} KB"


def _digest(path: Path, limits: CompileLimits) -> str:
    size = path.stat().st_size
    if size > limits.bytes:
        raise UnreadableDocument(
            f"This file has {size / 1048576:.0f} MB; at most {limits.bytes / 1048576:.0f} MB can be read."
            " Split it into smaller files.",
            code="too_large",
        )
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parse(path: Path, name: str, ignore_bookmarks: bool, tell: Progress, limits: CompileLimits) -> Parsed:
    with path.open("rb") as file:
        kind = sniff(file.read(_HEAD_BYTES), name=name)
    if kind == PDF:
        outlined = compile_pdf(path, ignore_bookmarks=ignore_bookmarks, tell=tell, limits=limits)
        return Parsed(PDF, outlined.pages, outlined.drafts, outlined.source, outlined.title)
    tell("parsing", 0, 1)
    if kind == DOCX:
        read = read_docx(path, limits=limits)
        return _cut_into_pages(DOCX, read.text, read.blocks, read.title, tell)
    text = decode(path.read_bytes())
    if len(text) > limits.characters:
        raise UnreadableDocument("This text is too long to be read. Split it into smaller files.", code="too_large")
    known = format_of(text, name=name)
    text, remarks = known.bound(text)
    return replace(_cut_into_pages(known.media_type, *known.read(text), known.title(text), tell), remarks=remarks)


def _cut_into_pages(media_type: str, text: str, blocks: Sequence[TextBlock], title: str, tell: Progress) -> Parsed:
    if not blocks:
        raise UnreadableDocument("This file is empty. Choose a file that has content.", code="empty_file")
    tell("parsing", 1, 1)
    pages, drafts = cut_pages(text, blocks)
    source = "headings" if any(block.kind is NodeKind.SECTION for block in blocks) else "pages"
    return Parsed(media_type, pages, drafts, source, title)


def _finish(parsed: Parsed, *, name: str, sha256: str, tell: Progress) -> bytes:
    pages, drafts = parsed.pages, list(parsed.drafts)
    tell("outlining", 0, len(pages))
    share, _ = coverage([page.text for page in pages], drafts)
    nodes = assemble(drafts, last_page=len(pages) - 1)
    title = choose_title(metadata=parsed.title, nodes=nodes, name=name)
    nodes[0] = replace(nodes[0], title=title)
    tell("outlining", len(pages), len(pages))
    tell("indexing", 0, len(nodes))
    fields = typed_fields(name=name, title=title, texts=[page.text for page in pages[:_FIRST_PAGES]])
    parts = ArtefactParts(
        title=title,
        media_type=parsed.media_type,
        sha256=sha256,
        nodes=nodes,
        references=find_references(nodes),
        pages=[PageInfo(*page.shown, len(page.text)) for page in pages],
        page_texts=[page.text for page in pages],
        card=make_card(title, nodes, fields),
        report=make_report(nodes, pages, coverage=share, outline_source=parsed.outline_source, remarks=parsed.remarks),
        segment=build_segment(index_rows(nodes), fields=FIELDS),
    )
    artefact = write_artefact(parts)
    tell("indexing", len(nodes), len(nodes))
    return artefact
