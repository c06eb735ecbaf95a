"""Compiles a file into the bytes of an artefact: sniff, parse, outline, numbered tree, card, index, report."""

import gc
import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TypedDict, Unpack

import numpy as np

from vectorless_web.engine.documents.artefact import ArtefactParts, write_artefact
from vectorless_web.engine.documents.card import Card, PageInfo, TreeReport, TypedFields
from vectorless_web.engine.documents.node import Node, NodeKind, Reference
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.index.segment import build_segment
from vectorless_web.engine.llm.model import HeuristicEstimator
from vectorless_web.engine.parsing.cards.card import make_card
from vectorless_web.engine.parsing.cards.fields import typed_fields
from vectorless_web.engine.parsing.cards.titles import choose_title
from vectorless_web.engine.parsing.corrections import Correction, apply_corrections
from vectorless_web.engine.parsing.drafts import DIVIDED, SOFT_HYPHEN, Draft, find_leaders, runs_pages
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.figures import PictureShelf
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.markup.delimited import claims_delimited, read_delimited
from vectorless_web.engine.parsing.markup.html import bound_page, claims_html, html_text, html_title
from vectorless_web.engine.parsing.markup.json_data import claims_json, read_json
from vectorless_web.engine.parsing.markup.mail import claims_mail, read_mail
from vectorless_web.engine.parsing.markup.markdown import markdown_text
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS, DocumentText, cut_pages
from vectorless_web.engine.parsing.markup.plaintext import text_blocks
from vectorless_web.engine.parsing.markup.restructured import claims_restructured, read_restructured
from vectorless_web.engine.parsing.markup.rich_text import claims_rich_text, read_rich_text
from vectorless_web.engine.parsing.packed.book import read_book
from vectorless_web.engine.parsing.packed.enclosed import read_archive
from vectorless_web.engine.parsing.packed.slides import read_slides
from vectorless_web.engine.parsing.pdf.parse import compile_pdf, outline_pages
from vectorless_web.engine.parsing.scans.pages import NO_SCANS, PageReading, Progress, ScannedPages, read_scans
from vectorless_web.engine.parsing.scans.pictures import read_picture
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser, Recogniser
from vectorless_web.engine.parsing.sheets.older import read_older_workbook
from vectorless_web.engine.parsing.sheets.opendocument import read_spreadsheet
from vectorless_web.engine.parsing.sheets.workbook import read_workbook
from vectorless_web.engine.parsing.sniff import (
    DOCX,
    EPUB,
    HTML,
    JSON,
    MAIL,
    MARKDOWN,
    ODS,
    ODT,
    PDF,
    PICTURES,
    PPTX,
    RST,
    RTF,
    TEXT,
    XLS,
    XLSX,
    ZIP,
    decode,
    sniff,
    text_type,
)
from vectorless_web.engine.parsing.terms import any_of
from vectorless_web.engine.parsing.word.opendocument import read_text_document
from vectorless_web.engine.parsing.word.parse import read_docx

_ESTIMATOR = HeuristicEstimator()


@dataclass(slots=True)
class _OpenNode:
    """A node whose subtree is not complete yet."""

    draft: Draft
    key: int
    parent: int
    depth: int
    children: list[int] = field(default_factory=list)


def assemble(drafts: Sequence[Draft], *, last_page: int) -> list[Node]:
    """Nodes in pre-order under an untitled root; a section holds what follows up to the next of its level or above."""
    root = _OpenNode(Draft(NodeKind.DOCUMENT, "", (), 0), 0, -1, 0)
    opened = _nest_drafts(root, drafts)
    nodes: list[Node | None] = [None] * len(opened)
    for place in reversed(opened):  # children stand behind their parents
        nodes[place.key] = _close(place, nodes)
    made = [node for node in nodes if node is not None]
    made[0] = replace(made[0], page_start=0, page_end=last_page)  # the root spans pages without text too
    return made


def _nest_drafts(root: _OpenNode, drafts: Sequence[Draft]) -> list[_OpenNode]:
    opened, stack = [root], [root]
    for key, draft in enumerate(drafts, start=1):
        if draft.kind is NodeKind.SECTION:
            while len(stack) > 1 and stack[-1].draft.level >= draft.level:
                stack.pop()
        place = _OpenNode(draft, key, stack[-1].key, len(stack))
        stack[-1].children.append(key)
        opened.append(place)
        if draft.kind is NodeKind.SECTION:
            stack.append(place)
    return opened


def _close(place: _OpenNode, nodes: Sequence[Node | None]) -> Node:
    draft = place.draft
    children = [node for node in (nodes[key] for key in place.children) if node is not None]
    first, last = runs_pages(draft.runs, draft.page)
    return Node(
        key=place.key,
        parent=place.parent,
        subtree_end=children[-1].subtree_end if children else place.key + 1,
        depth=place.depth,
        kind=draft.kind,
        title=draft.title,
        text=draft.text,
        page_start=min([first, *(child.page_start for child in children)]),
        page_end=max([last, *(child.page_end for child in children)]),
        token_count=_ESTIMATOR.estimate(draft.text) + sum(child.token_count for child in children),
        content_hash=_hash(draft, children),
        label=draft.label,
        runs=draft.runs,
        table=draft.table,
    )


def _hash(draft: Draft, children: Sequence[Node]) -> str:
    """A hash of the content alone, so that an unmoved or moved node of another version has the same one."""
    parts = [draft.kind.value, draft.title, " ".join(draft.text.split()), *(child.content_hash for child in children)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


_MENTION = re.compile(r"\b([^\W\d_]{3,}?)s?\s+(\d{1,3}[A-Z]?(?:\.\d{1,3}){0,4}|[IVX]{1,5}|[A-Z])\b", re.IGNORECASE)
"""A word and a number or letter; it is a mention when a node carries both as its label."""
_NUMBERED_NAME = re.compile(any_of("note", "section", "chapter"))


def find_references(nodes: Sequence[Node]) -> list[Reference]:
    """Links from leaves to the nodes they name; a node does not link to the section it is in."""
    targets = _targets(nodes)
    found: list[Reference] = []
    for node in nodes:
        if node.is_leaf and node.kind is not NodeKind.RUNNING:
            found.extend(_links(node, nodes, targets))
    return found


def _targets(nodes: Sequence[Node]) -> dict[str, list[int]]:
    targets: dict[str, list[int]] = {}
    for node in nodes:
        if node.label:
            targets.setdefault(node.label.casefold(), []).append(node.key)
    return targets


def _links(node: Node, nodes: Sequence[Node], targets: dict[str, list[int]]) -> Iterator[Reference]:
    seen: set[int] = set()
    for match in _MENTION.finditer(node.text):
        label = f"{match[1]} {match[2]}".casefold()
        keys = targets.get(label, ()) or _find_numbered_targets(match, targets)
        target = _choose_target(keys, node, nodes)
        if target is None or target in seen or nodes[target].key <= node.key < nodes[target].subtree_end:
            continue
        seen.add(target)
        yield Reference(node.key, match.start(), match.end() - match.start(), target)


def _find_numbered_targets(match: re.Match[str], targets: dict[str, list[int]]) -> Sequence[int]:
    """Targets labelled by their number alone: "Note 7" may stand as "7. Leases"."""
    return targets.get(match[2].casefold(), ()) if _NUMBERED_NAME.fullmatch(match[1].casefold()) else ()


_MUCH_CONTENT = 200
"""Tokens from which a target counts as having content; more do not make it likelier to be meant."""


def _choose_target(keys: Sequence[int], node: Node, nodes: Sequence[Node]) -> int | None:
    """The target with the most content; of equals the one nearest to the mention."""
    return max(keys, key=lambda key: (min(nodes[key].token_count, _MUCH_CONTENT), -abs(key - node.key)), default=None)


@dataclass(frozen=True, slots=True)
class LimitedOutline:
    """Drafts with at most so many headings; `remark` is a sentence that says what became of the others, or ""."""

    drafts: Sequence[Draft]
    remark: str = ""


def limit_outline(drafts: Sequence[Draft], most: int) -> LimitedOutline:
    """Keep the headings of the upper levels, as many levels as have `most` headings together.

    Where the uppermost level alone has more, its first `most` are kept. All others become
    paragraphs; those that stand next to each other are joined, up to the size of a page.
    """
    levels = Counter(draft.level for draft in drafts if draft.kind is NodeKind.SECTION)
    found = levels.total()
    if found <= most:
        return LimitedOutline(drafts)
    kept = _kept_levels(levels, most)
    limited, headings = [], 0
    for draft in drafts:
        is_heading = draft.kind is NodeKind.SECTION
        stays = is_heading and draft.level in kept and headings < most
        headings += stays
        if stays or not is_heading:
            limited.append(draft)
        else:
            _add_as_text(limited, draft)
    shown = f"its first {len(kept)} levels" if len(kept) > 1 else "its first level"
    if levels[min(kept)] > most:
        shown = f"the first {headings:,}"
    remark = f"This document has {found:,} headings; the outline shows {shown}. The others are kept as text."
    return LimitedOutline(limited, remark)


def _kept_levels(levels: Counter[int], most: int) -> set[int]:
    kept: set[int] = set()
    total = 0
    for level in sorted(levels):
        total += levels[level]
        if kept and total > most:
            break
        kept.add(level)
    return kept


class _Joined(Draft):
    """A paragraph made of headings beyond the limit; the next such heading is added to it."""


def _add_as_text(limited: list[Draft], draft: Draft) -> None:
    if not draft.text:
        return  # a bookmark's name, which is not printed
    before = limited[-1] if limited else None
    if isinstance(before, _Joined) and before.page == draft.page and len(before.text) < PAGE_CHARACTERS:
        shift = len(before.text) + 1
        before.text += "\n" + draft.text
        before.runs += tuple(replace(run, offset=run.offset + shift) for run in draft.runs)
    else:
        limited.append(_Joined(NodeKind.PARAGRAPH, draft.text, draft.runs, draft.page))


@dataclass(frozen=True, slots=True)
class TextFormat:
    """One text format: `claims(text, name)` says whether a file has it, `read(text)` takes it apart."""

    media_type: str
    claims: Callable[[str, str], bool]
    read: Callable[[str], DocumentText]


def _is_markdown(text: str, name: str) -> bool:
    return text_type(text, name=name) == MARKDOWN


def _is_text(text: str, name: str) -> bool:
    return True


def _read_markdown(text: str) -> DocumentText:
    shelf = PictureShelf()
    return DocumentText(*markdown_text(text, shelf), remarks=shelf.tell())


def _read_text(text: str) -> DocumentText:
    return DocumentText(text, text_blocks(text))


def _read_page(source: str) -> DocumentText:
    page, shelf = bound_page(source), PictureShelf()
    fences = Fences()
    text, blocks = html_text(page.source, shelf, fences)
    return DocumentText(text, blocks, html_title(page.source), [*page.remarks, *shelf.tell(), *fences.tell()])


FORMATS = (
    TextFormat(RTF, claims_rich_text, read_rich_text),
    TextFormat(MAIL, claims_mail, read_mail),
    TextFormat(HTML, claims_html, _read_page),
    TextFormat(JSON, claims_json, read_json),
    TextFormat(TEXT, claims_delimited, read_delimited),
    TextFormat(RST, claims_restructured, read_restructured),
    TextFormat(MARKDOWN, _is_markdown, _read_markdown),
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


_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
"""Whether each character up to the last white space is one; the last entry stands for all beyond."""


_MARKS_OF_DIVISION = [ord(mark) for mark in DIVIDED]


def coverage(texts: Sequence[str], drafts: Iterable[Draft]) -> tuple[float, list[int]]:
    """Share (0..1) of the pages' characters that stand in exactly one draft, and the pages that miss some.

    White space, leaders and the marks of divided words do not count.
    """
    counts = [np.zeros(len(text), dtype=np.uint8) for text in texts]
    for draft in drafts:
        for run in draft.runs:
            counts[run.page_index][run.char_index : run.char_index + run.length] += 1
    total = covered = 0
    faulty: list[int] = []
    for index, text in enumerate(texts):
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        printed = ~_IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)] & ~np.isin(codes, _MARKS_OF_DIVISION)
        for match in find_leaders(text):
            printed[match.start() : match.end()] = False
        once = int((counts[index][printed] == 1).sum())
        total += int(printed.sum())
        covered += once
        if once < printed.sum():
            faulty.append(index)
    return (covered / total if total else 1.0), faulty


def make_report(
    nodes: Sequence[Node],
    pages: Sequence[Page],
    *,
    coverage: float,
    outline_source: str,
    remarks: Sequence[str] = (),
    scans: ScannedPages = NO_SCANS,
) -> TreeReport:
    """The report; warnings and verdict are whole sentences for the document's owner.

    `remarks` of the parser come after the warnings about pages and outline; the one on pages that were not read is
    the first of all.
    """
    kinds = Counter(node.kind for node in nodes)
    children = Counter(node.parent for node in nodes if node.kind is not NodeKind.RUNNING)
    empty = tuple(page.index for page in pages if not page.text.strip())
    report = TreeReport(
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
        recognised=scans.recognised,
        pictured=scans.unread,
        because=scans.because,
        lacking=scans.lacking,
        late=scans.late,
    )
    warnings = (*_warnings(report), *remarks)
    return replace(report, warnings=warnings, verdict=_verdict(outline_source, warnings, report.sections))


def _warnings(report: TreeReport) -> list[str]:
    found = []
    unread, pages = len(report.unread_pages), report.pages
    if report.late:
        found.append(_tell_late(report))
    elif unread:
        which = f"{unread} of {pages} pages {'is a picture' if unread == 1 else 'are pictures'} whose text was not read"
        found.append(f"{which}: {report.because}.")
    elif pages and len(report.empty_pages) == pages:
        found.append("No page has text" + ("; text recognition (OCR) found none." if report.recognised else "."))
    if report.coverage < 1:
        found.append(f"{100 * (1 - report.coverage):.2f} % of the characters could not be placed in the outline.")
    if report.outline_source == "pages" and len(report.empty_pages) < pages:
        found.append("No headings were found; the document is divided by pages instead.")
    return found


def _tell_late(report: TreeReport) -> str:
    first, texts = min(report.unread_pages), {*report.empty_pages, *report.unread_pages}
    read_on = any(page not in texts for page in range(first, report.pages))
    what = "Text of pages that are pictures" if read_on else "Text"
    how_far = f"up to page {first:,} of {report.pages:,}" if first else f"on none of {report.pages:,} pages"
    return f"{what} was read {how_far}: {report.because}."


def _verdict(source: str, warnings: Sequence[str], sections: int) -> str:
    origin = {
        "bookmarks": "from the document's bookmarks",
        "contents": "from the printed table of contents and the headings",
        "headings": "from the headings in the text",
        "sheets": "from the sheets of the workbook",
        "slides": "from the slides",
    }.get(source)
    if origin is None:
        return warnings[0] if warnings else "The document is divided by pages."
    count = "one section" if sections == 1 else f"{sections} sections"
    return f"The outline has {count}, taken {origin}." + (" Some points need attention." if warnings else "")


PACKAGES = {
    DOCX: read_docx,
    XLSX: read_workbook,
    XLS: read_older_workbook,
    PPTX: read_slides,
    ODS: read_spreadsheet,
    ODT: read_text_document,
    ZIP: read_archive,
    EPUB: read_book,
}
"""The readers of files that are archives of several parts, by what a file is."""
DIVISIONS = {XLSX: "sheets", XLS: "sheets", ODS: "sheets", PPTX: "slides"}
"""What the sections of a file are, by what it is, where they are no headings."""
_HEAD_BYTES = 8192
"""Bytes of a file by which its kind is told."""
_TAIL_BYTES = 65_557
"""Bytes at its end, where an Office document lists its parts; a ZIP's end record and comment have at most so many."""
_FIRST_PAGES, _TITLE_PAGES = 3, 12
"""Pages at the beginning that are searched for names, years and kinds of document; and for how a title is spelled."""
_USUAL_LIMITS = CompileLimits()
_NO_RECOGNISER = NoRecogniser()


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
    scans: ScannedPages = NO_SCANS
    shown_title: str = ""


class OutlineWishes(TypedDict, total=False):
    """How the outline is to be made: without the file's bookmarks, with corrections made by hand, in their order."""

    ignore_bookmarks: bool
    corrections: Sequence[Correction]


def _ignore_progress(stage: str, done: int, total: int) -> None:
    """Progress nobody listens to."""


def compile_file(
    path: Path,
    *,
    name: str,
    progress: Progress | None = None,
    limits: CompileLimits = _USUAL_LIMITS,
    recogniser: Recogniser = _NO_RECOGNISER,
    clock: Callable[[], float] = time.monotonic,
    **outline: Unpack[OutlineWishes],
) -> bytes:
    """The artefact of a file. `progress(stage, done, total)`: stages parsing, scanning, outlining, indexing.

    `recogniser` reads pages that are pictures; without one they are told to be unread. `clock` counts the seconds for
    which pages are read.
    Raises UnreadableDocument, with a stable code and a plain sentence, if the file cannot be compiled.
    """
    tell, fences = progress or _ignore_progress, Fences()
    reading = PageReading(tell, limits, recogniser, fences, clock, clock() + limits.seconds)
    digest = _digest(path, limits)
    with _pause_collection(), _refuse_recursion():
        parsed = _Parser(path, name, reading).parse(outline.get("ignore_bookmarks", False))
        # Before the corrections, whose keys are those of an outline that was limited.
        limited = limit_outline(parsed.drafts, limits.sections)
        remarks = (*parsed.remarks, limited.remark) if limited.remark else parsed.remarks
        drafts = apply_corrections(limited.drafts, outline.get("corrections", ()))
        parsed = replace(parsed, drafts=drafts, remarks=remarks)
        artefact = _finish(parsed, name=name, sha256=digest, tell=tell, fences=fences)
    _check_size(len(artefact), path.stat().st_size, limits)
    return artefact


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Pause cyclic garbage collection: compiling makes no cycles, and the search for them takes a tenth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _refuse_recursion() -> Iterator[None]:
    """Refuse a file whose parts are nested too deeply or in a circle, in place of a crash."""
    try:
        yield
    except RecursionError as error:
        raise UnreadableDocument(
            "The parts of this file are nested too deeply, or refer to each other in a circle, so it was not read.",
            remedy="Open it in the program it comes from, save it as PDF and upload that.",
            code="nested_too_deeply",
        ) from error


def _check_size(size: int, read: int, limits: CompileLimits) -> None:
    most = min(limits.artefact, max(limits.artefact_floor, limits.artefact_ratio * read))
    if size > most:
        raise UnreadableDocument(
            f"Reading this file makes {size / 1048576:,.0f} MB of index out of {_megabytes(read)}; at most "
            f"{most / 1048576:,.0f} MB can be kept for it.",
            remedy="Split it into smaller files.",
            code="artefact_too_large",
        )


def _megabytes(size: int) -> str:
    return f"{size / 1048576:,.0f} MB" if size >= 1048576 else f"{size / 1024:,.0f} KB"


def _digest(path: Path, limits: CompileLimits) -> str:
    size = path.stat().st_size
    if size > limits.bytes:
        raise UnreadableDocument(
            f"This file has {size / 1048576:.0f} MB; at most {limits.bytes / 1048576:.0f} MB can be read.",
            remedy="Split it into smaller files.",
            code="too_large",
        )
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _Parser:
    path: Path
    name: str
    reading: PageReading

    def parse(self, ignore_bookmarks: bool) -> Parsed:
        kind = _sniff_file(self.path, self.name)
        if kind == PDF:
            return self._parse_pdf(ignore_bookmarks)
        self.reading.tell("parsing", 0, 1)
        if kind in PICTURES:
            return self._parse_picture(kind)
        if kind in PACKAGES:
            return self._cut_into_pages(kind, PACKAGES[kind](self.path, limits=self.reading.limits))
        return self._parse_text()

    def _parse_pdf(self, ignore_bookmarks: bool) -> Parsed:
        outlined = compile_pdf(self.path, ignore_bookmarks=ignore_bookmarks, reading=self.reading)
        return Parsed(
            PDF, outlined.pages, outlined.drafts, outlined.source, outlined.title, outlined.remarks, outlined.scans
        )

    def _parse_picture(self, kind: str) -> Parsed:
        picture = read_picture(self.path, limits=self.reading.limits)
        self.reading.tell("parsing", 1, 1)
        read = read_scans(picture.scans, self.reading)
        pages = [read.pages.get(page.index, page) for page in picture.pages]
        drafts, source = outline_pages(pages, (), self.reading.fences, self.reading.tell)
        return Parsed(kind, pages, drafts, source, remarks=picture.remarks, scans=read.told)

    def _parse_text(self) -> Parsed:
        text = decode(self.path.read_bytes())
        self._check_length(text)
        known = format_of(text, name=self.name)
        return self._cut_into_pages(known.media_type, known.read(text))

    def _check_length(self, text: str) -> None:
        if len(text) > self.reading.limits.characters:
            raise UnreadableDocument(
                "This text is too long to be read.", remedy="Split it into smaller files.", code="too_large"
            )

    def _cut_into_pages(self, media_type: str, read: DocumentText) -> Parsed:
        self._check_length(read.text)
        if not any(block.has_text for block in read.blocks):
            raise UnreadableDocument("This file is empty.", remedy="Choose a file that has content.", code="empty_file")
        self.reading.tell("parsing", 1, 1)
        self.reading.tell("outlining", 0, 1)
        pages, drafts = cut_pages(read.text, read.blocks, read.starts, self.reading.fences)
        is_outlined = any(block.kind is NodeKind.SECTION for block in read.blocks)
        source = DIVISIONS.get(media_type, "headings") if is_outlined else "pages"
        return Parsed(media_type, pages, drafts, source, read.title, read.remarks, shown_title=read.shown_title)


def _sniff_file(path: Path, name: str) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
        return sniff(head, name=name, tail=file.read())


def _is_in_sheets(parsed: Parsed, nodes: Sequence[Node]) -> bool:
    """Whether a file has several sheets: the name of the first is none of the whole."""
    return parsed.outline_source == "sheets" and sum(node.parent == 0 and node.key > 0 for node in nodes) > 1


def _finish(parsed: Parsed, *, name: str, sha256: str, tell: Progress, fences: Fences) -> bytes:
    pages, drafts = parsed.pages, list(parsed.drafts)
    share, _ = coverage([page.text for page in pages], drafts)
    nodes = assemble(drafts, last_page=len(pages) - 1)
    is_outlined = parsed.outline_source != "pages"
    title = fences.read(
        "the title",
        -1,
        lambda: choose_title(
            metadata=parsed.title,
            nodes=nodes if is_outlined and not _is_in_sheets(parsed, nodes) else (),
            name=name,
            pages=pages[:_TITLE_PAGES],
            shown=parsed.shown_title,
            is_own=parsed.media_type != PDF,
        ),
        PurePath(name).stem,
    )
    nodes[0] = replace(nodes[0], title=title)
    tell("outlining", len(pages), len(pages))
    quarter = len(nodes) // 4
    tell("indexing", 0, len(nodes))
    texts = [page.text for page in pages]
    head = texts[:_FIRST_PAGES]
    fields = fences.read("names and years", -1, lambda: typed_fields(name=name, title=title, texts=head), TypedFields())
    plain = Card(title, "", fields=fields)
    card = fences.read("parts of the card", -1, lambda: make_card(title, nodes, fields, is_outlined=is_outlined), plain)
    tell("indexing", quarter, len(nodes))
    references = fences.read("references", -1, lambda: find_references(nodes), list[Reference]())
    tell("indexing", 2 * quarter, len(nodes))
    segment = build_segment(index_rows(nodes), fields=FIELDS)
    tell("indexing", 3 * quarter, len(nodes))
    parts = ArtefactParts(
        title=title,
        media_type=parsed.media_type,
        sha256=sha256,
        nodes=nodes,
        references=references,
        pages=[PageInfo(*page.shown, len(page.text)) for page in pages],
        page_texts=texts,
        card=card,
        report=make_report(
            nodes,
            pages,
            coverage=share,
            outline_source=parsed.outline_source,
            remarks=(*parsed.remarks, *fences.tell()),
            scans=parsed.scans,
        ),
        segment=segment,
        words=parsed.scans.words,
        pictures={key: draft.picture for key, draft in enumerate(drafts, start=1) if draft.picture is not None},
    )
    artefact = write_artefact(parts)
    tell("indexing", len(nodes), len(nodes))
    return artefact
