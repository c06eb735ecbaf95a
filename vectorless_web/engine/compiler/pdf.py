"""Compiles a PDF into drafts: pages, running lines, tables, headings and paragraphs, in reading order."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from vectorless_web.engine.compiler.alignment import find_text_tables
from vectorless_web.engine.compiler.bookmarks import Bookmark, place_bookmarks, read_bookmarks
from vectorless_web.engine.compiler.contents import Contents, letters_of, read_contents
from vectorless_web.engine.compiler.drafter import ContentsLines, Drafter, Furniture, Item
from vectorless_web.engine.compiler.drafts import Draft
from vectorless_web.engine.compiler.heading import Heading, keep_supported
from vectorless_web.engine.compiler.headings import Headings
from vectorless_web.engine.compiler.layout import Layout, survey
from vectorless_web.engine.compiler.levels import assign_levels
from vectorless_web.engine.compiler.limits import CompileLimits
from vectorless_web.engine.compiler.lines import Page
from vectorless_web.engine.compiler.mending import Vocabulary
from vectorless_web.engine.compiler.patterns import PLAIN, STATEMENT, form_of, is_signatures
from vectorless_web.engine.compiler.pdf_text import read_pages
from vectorless_web.engine.compiler.regions import Row, classify, find_regions
from vectorless_web.engine.compiler.running import mark_running
from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument

Progress = Callable[[str, int, int], None]
_PAGE_GROUP = 5
_COUNT_ZERO, _ANY_PAGE = re.compile(rb"/Count\s+0\b"), re.compile(rb"/Type\s*/Page(?!s)")
_MIN_LISTED = 5
_CONTINUED = re.compile(r"\bcont(?:inued|[’'.]?d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutlinedPDF:
    """Pages and drafts of a PDF, the source of its outline, and the title its metadata gives."""

    pages: Sequence[Page]
    drafts: Sequence[Draft]
    source: str
    title: str


def compile_pdf(path: Path, *, ignore_bookmarks: bool, tell: Progress, limits: CompileLimits) -> OutlinedPDF:
    """Parse and outline a PDF. UnreadableDocument: `encrypted_pdf`, `damaged_pdf`, `no_pages`, `too_many_pages`."""
    document = open_pdf(path)
    try:
        _check_pages(len(document), limits)
        pages = _read(document, tell)
        bookmarks = [] if ignore_bookmarks else read_bookmarks(document)
        title = str(document.get_metadata_dict().get("Title") or "")
    finally:
        document.close()
    drafts, source = outline_pages(pages, bookmarks)
    return OutlinedPDF(pages, drafts, source, title)


def open_pdf(path: Path) -> pdfium.PdfDocument:
    """An open PDF, or a plain reason why it cannot be opened."""
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise _unopened(path.read_bytes(), error.err_code) from error


def _unopened(data: bytes, code: int | None) -> UnreadableDocument:
    """Why a PDF cannot be opened. PDFium's code may be left over from an earlier file: the bytes must bear it out."""
    if code == pdfium_c.FPDF_ERR_PASSWORD and b"/Encrypt" in data:
        return UnreadableDocument(
            "This PDF is encrypted and needs a password. Remove the password and upload it again.",
            code="encrypted_pdf",
        )
    if _COUNT_ZERO.search(data) and not _ANY_PAGE.search(data):
        return _no_pages()
    return UnreadableDocument(
        "This PDF is damaged or cut short. Download or export it again and upload the new copy.", code="damaged_pdf"
    )


def _no_pages() -> UnreadableDocument:
    return UnreadableDocument("This PDF has no pages. Export it again and upload the new copy.", code="no_pages")


def _check_pages(count: int, limits: CompileLimits) -> None:
    if count == 0:
        raise _no_pages()
    if count > limits.pages:
        raise UnreadableDocument(
            f"This PDF has {count:,} pages; at most {limits.pages:,} can be read. Split it into smaller files.",
            code="too_many_pages",
        )


def _read(document: pdfium.PdfDocument, tell: Progress) -> list[Page]:
    pages: list[Page] = []
    tell("parsing", 0, len(document))
    for page in read_pages(document):
        pages.append(page)
        tell("parsing", len(pages), len(document))
    return pages


def outline_pages(pages: Sequence[Page], bookmarks: Sequence[Bookmark] = ()) -> tuple[list[Draft], str]:
    """Drafts in reading order, and the source of the outline."""
    running = mark_running(pages)
    layout = survey(pages, running)
    rows = {page.index: _standing(page, running) for page in pages}
    contents = read_contents(rows, pages)
    parser = _PageParser(layout, contents)
    items: list[Item] = []
    for page in pages:
        items.extend(Furniture(line) for number, line in enumerate(page.lines) if (page.index, number) in running)
        items.extend(parser.items(page, rows[page.index]))
    items = _without_continued(_supported(items))
    if bookmarks:
        items = place_bookmarks(items, bookmarks)
    headings = [item for item in items if isinstance(item, Heading)]
    vocabulary = Vocabulary(page.text for page in pages)
    for heading in headings:
        heading.title = vocabulary.mend(heading.title)
        heading.form = form_of(heading.title)
    assign_levels(headings)
    drafts = Drafter(layout, vocabulary).draft(items)
    if not headings:
        return _by_page_groups(drafts), "pages"
    if bookmarks:
        return drafts, "bookmarks"
    return drafts, "contents" if len(contents.listed) >= _MIN_LISTED else "headings"


def _standing(page: Page, running: set[tuple[int, int]]) -> list[Row]:
    numbered = enumerate(page.lines)
    return [classify(number, page, line) for number, line in numbered if (page.index, number) not in running]


def _supported(items: Sequence[Item]) -> list[Item]:
    """Turn headings that nothing else supports back into lines."""
    kept = keep_supported([item for item in items if isinstance(item, Heading)])
    found: list[Item] = []
    signed_page = -1
    for item in items:
        if isinstance(item, Heading) and is_signatures(item.title):
            signed_page = item.page
        # Names and offices under signatures are set like titles, and are none.
        signer = isinstance(item, Heading) and item.page == signed_page and item.form.family == PLAIN
        if isinstance(item, Heading) and (signer or id(item) not in kept):
            found.extend(item.lines)
        else:
            found.append(item)
    return found


def _without_continued(items: Sequence[Item]) -> list[Item]:
    """Titles repeated with "(continued)" are running lines: what they head goes on."""
    seen: set[str] = set()
    found: list[Item] = []
    for item in items:
        if not isinstance(item, Heading):
            found.append(item)
            continue
        letters = letters_of(item.title)
        if letters in seen and _CONTINUED.search(" ".join(line.text for line in item.lines)):
            found.extend(Furniture(line) for line in item.lines)
        else:
            seen.add(letters)
            found.append(item)
    return found


class _PageParser:
    """Divides the standing lines of a page into headings, tables, contents lines and text."""

    def __init__(self, layout: Layout, contents: Contents) -> None:
        self._layout, self._contents = layout, contents
        self._finder = Headings(layout, contents.listed)

    def items(self, page: Page, rows: Sequence[Row]) -> Iterator[Item]:
        """Items in reading order."""
        first, last = self._contents.pages.get(page.index, (len(rows), -1))
        if last < 0:
            yield from self._content(page, rows)
            return
        yield from self._content(page, rows[:first])
        yield ContentsLines([row.line for row in rows[first : last + 1]])
        yield from self._content(page, rows[last + 1 :])

    def _content(self, page: Page, rows: Sequence[Row]) -> Iterator[Item]:
        figures = find_regions(rows, self._layout)
        regions = sorted([*figures, *find_text_tables(rows, figures)])
        position = 0
        for start, end in [*regions, (len(rows), len(rows))]:
            yield from _open_items(page, rows[position:start], self._finder)
            if start < end:
                yield list(rows[start:end])
            position = end


def _open_items(page: Page, rows: Sequence[Row], finder: Headings) -> Iterator[Item]:
    lines = [row.line for row in rows]
    position = 0
    while position < len(lines):
        heading = finder.find(page, lines, position) if _one_title(rows[position]) else None
        yield heading or lines[position]
        if heading and heading.rest:
            yield heading.rest
        position += len(heading.lines) if heading else 1


def _one_title(row: Row) -> bool:
    """Whether a line is one text, or a number or name with its title ("Item 7." and a gap), not cells of columns."""
    if len(row.cells) == 1:
        return True
    family = form_of(row.line.text).family
    return len(row.cells) == 2 and (family == STATEMENT or (len(row.cells[0].text) < 16 and family < PLAIN))


def _by_page_groups(drafts: Sequence[Draft]) -> list[Draft]:
    """Without headings: a section for each five pages, said to be such."""
    grouped: list[Draft] = []
    group = -1
    last = max((draft.page for draft in drafts), default=0)
    for draft in drafts:
        if draft.page // _PAGE_GROUP > group:
            group = draft.page // _PAGE_GROUP
            first = group * _PAGE_GROUP
            title = f"Pages {first + 1} to {min(first + _PAGE_GROUP, last + 1)}"
            grouped.append(Draft(NodeKind.SECTION, "", (), first, title, 0))
        grouped.append(draft)
    return grouped
