"""Compiles a file into the bytes of an artefact: sniff, parse, outline, card, index."""

import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vectorless_web.engine.compiler.assemble import assemble
from vectorless_web.engine.compiler.card import choose_title, make_card
from vectorless_web.engine.compiler.corrections import Correction, corrected
from vectorless_web.engine.compiler.coverage import coverage
from vectorless_web.engine.compiler.decoding import decode
from vectorless_web.engine.compiler.docx import read_docx
from vectorless_web.engine.compiler.drafts import Draft
from vectorless_web.engine.compiler.fields import typed_fields
from vectorless_web.engine.compiler.formats import format_of
from vectorless_web.engine.compiler.limits import CompileLimits
from vectorless_web.engine.compiler.lines import Page
from vectorless_web.engine.compiler.outline_limit import limit_outline
from vectorless_web.engine.compiler.pdf import compile_pdf
from vectorless_web.engine.compiler.references import find_references
from vectorless_web.engine.compiler.report import make_report
from vectorless_web.engine.compiler.rows import FIELDS, index_rows
from vectorless_web.engine.compiler.sniff import DOCX, PDF, sniff
from vectorless_web.engine.compiler.textual import TextBlock, cut_pages
from vectorless_web.engine.document.artefact import ArtefactParts, write_artefact
from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.document.page import PageInfo
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.index.segment import build_segment

Progress = Callable[[str, int, int], None]
_HEAD_BYTES = 8192
_FIRST_PAGES = 3
_USUAL_LIMITS = CompileLimits()


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser hands over: pages, drafts in reading order, where the outline came from, and a title if stored.

    `remarks` are sentences for the document's owner about what was left out or read in another way.
    """

    media_type: str
    pages: Sequence[Page]
    drafts: Sequence[Draft]
    outline_source: str
    title: str = ""
    remarks: Sequence[str] = ()


def _silent(stage: str, done: int, total: int) -> None:
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
    UnreadableDocument with a stable code and a plain sentence if the file cannot be compiled.
    """
    tell = progress or _silent
    digest = _digest(path, limits)
    with _uncollected():
        parsed = _parse(path, name, ignore_bookmarks, tell, limits)
        # Before the corrections, whose keys are those of an outline that was limited.
        limited = limit_outline(parsed.drafts, limits.sections)
        remarks = (*parsed.remarks, limited.remark) if limited.remark else parsed.remarks
        parsed = replace(parsed, drafts=corrected(limited.drafts, corrections), remarks=remarks)
        artefact = _finish(parsed, name=name, sha256=digest, tell=tell)
    _check_size(len(artefact), path.stat().st_size, limits)
    return artefact


@contextmanager
def _uncollected() -> Iterator[None]:
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
        return _paged(DOCX, read.text, read.blocks, read.title, tell)
    text = decode(path.read_bytes())
    if len(text) > limits.characters:
        raise UnreadableDocument("This text is too long to be read. Split it into smaller files.", code="too_large")
    known = format_of(text, name=name)
    text, remarks = known.bound(text)
    return replace(_paged(known.media_type, *known.read(text), known.title(text), tell), remarks=remarks)


def _paged(media_type: str, text: str, blocks: Sequence[TextBlock], title: str, tell: Progress) -> Parsed:
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
