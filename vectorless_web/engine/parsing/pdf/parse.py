"""Compiles a PDF into drafts: pages, running lines, tables, bookmarks, headings and paragraphs, in reading order."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.drafts import Draft
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.lines import Layout, Line, Page, Vocabulary, survey
from vectorless_web.engine.parsing.outline.contents import Contents, letters_of, read_contents
from vectorless_web.engine.parsing.outline.heading import Heading, bare_heading, heading_of, keep_supported
from vectorless_web.engine.parsing.outline.headings import (
    Headings,
    assign_levels,
    find_empty,
    find_missing_numbers,
    mark_bare,
)
from vectorless_web.engine.parsing.patterns import PLAIN, STATEMENT, form_of, is_signatures
from vectorless_web.engine.parsing.pdf.drafter import ContentsLines, Drafter, Furniture, Item, lines_draft
from vectorless_web.engine.parsing.pdf.figures import choose_figures, may_hold_pictures, place_figures
from vectorless_web.engine.parsing.pdf.text import read_pages
from vectorless_web.engine.parsing.scans.pages import (
    PageReading,
    Progress,
    ScannedPages,
    add_late_pages,
    find_scans,
    read_scans,
)
from vectorless_web.engine.parsing.tables.regions import (
    PERIOD,
    UNITS_LINE,
    LineRole,
    LineRow,
    classify,
    find_regions,
    find_text_tables,
    is_listing,
)
from vectorless_web.engine.parsing.tables.ruled import RuledTable, find_ruled
from vectorless_web.engine.parsing.terms import any_of

_LEAST, _MOST, _LEAST_PAGES = 5, 20_000, 3
"""Bookmarks that are an outline, at least and at most (more are an index), and pages they must point at."""
_CUT_AT, _CUT_SHARE = 30, 3
"""Characters from which titles are cut, not short, when one of so many has the length of the longest: a program made a
bookmark of each paragraph. Of 115 filings, reports and protocols one is so; in no other do three share that length."""
_DEPTH = 12
"""Levels of bookmarks that are read; also ends cycles in damaged files."""


_FEWEST_LETTERS, _LONGER, _MORE_LETTERS = 8, 1.4, 4
"""A printed line and a bookmark of different letters are the same heading when one holds the other, the shorter has at
least so many letters, and the longer at most so many times as many and a few more (a number before the title)."""
_MOST_PARTS = 6
"""Lines and headings over which the title of a bookmark may be printed."""
_NUMBER_BEFORE = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){0,4})\.?\s+\S")
"""The number of a printed title, which its bookmark may lack and the text refers by."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a PDF's outline; level and page index from 0."""

    title: str
    page: int
    level: int


def read_bookmarks(document: pdfium.PdfDocument) -> list[Bookmark]:
    """The usable bookmarks in their order; none if they are too few to be an outline, or beginnings of paragraphs."""
    found: list[Bookmark] = []
    lengths: list[int] = []
    for entry in document.get_toc(max_depth=_DEPTH):
        target = entry.get_dest()
        page = target.get_index() if target else None
        title = " ".join(entry.get_title().split())
        if title and page is not None and 0 <= page < len(document):
            found.append(Bookmark(title, page, entry.level))
            lengths.append(len(entry.get_title()))
        if len(found) >= _MOST:
            break
    enough = len(found) >= _LEAST and len({bookmark.page for bookmark in found}) >= _LEAST_PAGES
    longest = max(lengths, default=0)
    are_cut = longest >= _CUT_AT and lengths.count(longest) * _CUT_SHARE >= len(lengths)
    return found if enough and not are_cut else []


def place_bookmarks(items: Sequence[Item], bookmarks: Sequence[Bookmark]) -> list[Item]:
    """Add each bookmark as a heading: an existing heading, the line with its words, or a heading without text."""
    by_page: dict[int, list[Bookmark]] = defaultdict(list)
    for bookmark in bookmarks:
        by_page[bookmark.page].append(bookmark)
    placed: list[Item] = []
    for page, own in itertools.groupby(items, page_of):
        placed.extend(_place(list(own), by_page.pop(page, [])))
    return placed


def page_of(item: Item) -> int:
    """The page on which an item starts."""
    if isinstance(item, list):
        return item[0].line.page
    if isinstance(item, RuledTable):
        return item.rows[0].line.page
    if isinstance(item, Line | Heading):
        return item.page
    return item.line.page if isinstance(item, Furniture) else item.lines[0].page


def _place(items: list[Item], bookmarks: Sequence[Bookmark]) -> list[Item]:
    first = next((number for number, item in enumerate(items) if not isinstance(item, Furniture)), len(items))
    for bookmark in bookmarks:
        place = _find(items, letters_of(bookmark.title))
        if place is None:
            items.insert(first, bare_heading(bookmark.title, bookmark.page, bookmark.level))
            first += 1
            continue
        item = items[place.start]
        heading = item if isinstance(item, Heading) and place.stop == place.start + 1 else _join(items[place])
        number = _NUMBER_BEFORE.match(heading.title)
        is_left_out = number and letters_of(heading.title) == letters_of(number[1] + bookmark.title)
        heading.title = f"{number[1]} {bookmark.title}" if number and is_left_out else bookmark.title
        heading.bookmark = bookmark.level
        items[place] = [heading]
        first = max(first, place.start + 1)
    return items


def _join(items: Sequence[Item]) -> Heading:
    """One heading of the lines and headings that print it."""
    printed = [
        item.lines if isinstance(item, Heading) else [item] for item in items if isinstance(item, Line | Heading)
    ]
    return heading_of(list(itertools.chain.from_iterable(printed)))


def _find(items: Sequence[Item], letters: str) -> slice | None:
    """The items that print a title with these letters, after a number or none; else one heading or line like it."""
    printed = [_read_letters(item) if isinstance(item, Line | Heading) else "" for item in items]
    whole = re.compile(rf"(?:[a-z]?\d*){re.escape(letters)}")
    kinds = [number for kind in (Heading, Line) for number, item in enumerate(items) if isinstance(item, kind)]
    for start in kinds:
        joined = ""
        for stop, own in enumerate(printed[start : start + _MOST_PARTS], start=start + 1):
            joined += own
            if not own or len(joined) > len(letters) + _MORE_LETTERS:
                break
            if whole.fullmatch(joined):
                return slice(start, stop)
    alike = next((number for number in kinds if _is_like(printed[number], letters)), None)
    return None if alike is None else slice(alike, alike + 1)


def _read_letters(item: Heading | Line) -> str:
    if isinstance(item, Line):
        return letters_of(item.text)
    return "" if item.bookmark is not None else letters_of("".join(line.text for line in item.lines))


def _is_like(printed: str, letters: str) -> bool:
    shorter, longer = sorted((printed, letters), key=len)
    return (
        len(shorter) >= _FEWEST_LETTERS and shorter in longer and len(longer) <= _LONGER * len(shorter) + _MORE_LETTERS
    )


_EDGE_LINES = 4
"""Lines at the top and at the bottom of a page that may be running headers and footers."""
_TOP, _BOTTOM = 0.14, 0.86
"""Shares of the page's height above and below which they stand."""
_STEP = 8.0
"""Points by which their distance from the page's edge is counted, so that small shifts between pages do not matter."""
_NUMBERS_LOOKED_AT = 6
"""Numbers in such a line among which the one that counts pages is looked for."""
_NUMBER = re.compile(rf"^\W*(?:{any_of('page')}\s*)?([A-Z]-)?(\d{{1,4}})(?:\s*{any_of('pages_of')}\s*\d+)?\W*$", re.I)
_ROMAN = re.compile(r"^\W*[ivxl]{1,7}\W*$")
_DIGITS = re.compile(r"\d+")
_PAGE_AT_END = re.compile(r"(?<=[^\W\d])\s+\d{1,4}$")
_MIN_REPEATS = 3
"""Pages on which a line must stand to be a running one: two may agree by chance."""
_OUTERMOST_SHARE, _OUTERMOST_LEAST, _APART = 0.08, 2, 0.4
"""For the outermost lines at any height: the share of pages on which one must stand, the lines a page must have more
of, and the gap that must part it from the rest, in heights of the line."""
_COLUMNS = re.compile(rf"^\W*(?:in )?{any_of('scale')}\b|\b(?:19|20)\d\d\s+(?:19|20)\d\d\b")
"""What names columns: their units, or years side by side."""
_LATE, _NEXT_LATE, _MOST_LATE = 12.0, 3.0, 20
"""Ems: a line that stands higher than the line before it by the first may be out of order, and so may lines that follow
it within the second. The last is the number of such lines that are looked at on a page."""
_LONGEST_RUNNING = 75
"""Characters of a line from which it is text rather than a part of the header that differs on every page."""
_FEW_PAGES = 3
"""Below so many pages one number at an edge is enough to be a page number."""
_LINKS_BACK = re.compile(any_of("links_back"))


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A line at an edge of a page: which, whether at the top, its distance from that edge in steps, and its text."""

    page: int
    number: int
    is_top: bool
    step: int
    text: str

    @property
    def place(self) -> tuple[int, int]:
        """(page index, line number)."""
        return self.page, self.number


def mark_running(pages: Sequence[Page]) -> set[tuple[int, int]]:
    """(page index, line number) of every running line."""
    edges = [sighting for page in pages for sighting in _edge_lines(page)]
    found = _find_repeated_lines(edges, _MIN_REPEATS)
    found -= {place for page in pages for place in _stand_below_text(page, found)}
    least = max(_MIN_REPEATS, round(_OUTERMOST_SHARE * len(pages)))
    found |= _find_repeated_lines([sighting for page in pages for sighting in _find_outermost(page, found)], least)
    return (found - _first_titles(pages, found)) | _page_numbers(edges, len(pages))


def _edge_lines(page: Page) -> Iterator[_Sighting]:
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].top)
    for number in order[:_EDGE_LINES]:
        line = page.lines[number]
        if line.bottom < page.height * _TOP:
            yield _Sighting(page.index, number, True, round(line.top / _STEP), _fold_text(line.text))
    for number in order[-_EDGE_LINES:]:
        line = page.lines[number]
        if line.top > page.height * _BOTTOM:
            step = round((page.height - line.bottom) / _STEP)
            yield _Sighting(page.index, number, False, step, _fold_text(line.text))


def _stand_below_text(page: Page, found: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Repeated lines at the top of a page that stand below text: they are headers of long tables."""
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].top)
    has_text = False
    for number in order[:_EDGE_LINES]:
        if (page.index, number) not in found:
            has_text = has_text or len(page.lines[number].text) > _LONGEST_RUNNING
        elif has_text and page.lines[number].bottom < page.height * _TOP:
            yield page.index, number


def _find_outermost(page: Page, found: set[tuple[int, int]]) -> Iterator[_Sighting]:
    """The first line and the last two lines that a gap parts from the rest, at any height of the page."""
    numbers = [number for number in range(len(page.lines)) if (page.index, number) not in found]
    order = sorted(numbers, key=lambda number: page.lines[number].top)
    if len(order) <= _OUTERMOST_LEAST:
        return
    for position, neighbour, is_top in ((0, 1, True), (-1, -2, False), (-2, -3, False)):
        line, beside = page.lines[order[position]], page.lines[order[neighbour]]
        gap = beside.top - line.bottom if is_top else line.top - beside.bottom
        if gap > _APART * line.height:
            yield _Sighting(page.index, order[position], is_top, 0, _fold_text(line.text))


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())


def _mask_digits(text: str) -> str:
    """A text without its digits; "Exhibit 31" and "Note 7" keep them, for they are titles that differ by them.

    They lose a page's number behind them: "4.2. Moorings 335".
    """
    label = form_of(text).label
    if not label:
        return _DIGITS.sub("#", text)
    without = _PAGE_AT_END.sub("", text)
    return f"{without} #" if without != text and form_of(without).label == label else text


def _find_repeated_lines(sightings: Sequence[_Sighting], least: int) -> set[tuple[int, int]]:
    """Lines seen on enough pages at the same height with the same text, page numbers aside."""
    groups: dict[tuple[bool, str], list[_Sighting]] = defaultdict(list)
    for sighting in sightings:
        if _can_run(sighting.text):
            groups[sighting.is_top, _mask_digits(sighting.text)].append(sighting)
    found: set[tuple[int, int]] = set()
    for group in groups.values():
        for alike in _same_text(group):
            found |= _same_height(alike, least)
    return found


def _same_text(group: Sequence[_Sighting]) -> Iterable[Sequence[_Sighting]]:
    """The whole group if one of its numbers counts the pages; else its members grouped by their exact text."""
    if len({sighting.text for sighting in group}) == 1 or _counts_pages(group):
        return [group]
    exact: dict[str, list[_Sighting]] = defaultdict(list)
    for sighting in group:
        exact[sighting.text].append(sighting)
    return exact.values()


def _counts_pages(group: Sequence[_Sighting]) -> bool:
    """Whether one of the numbers rises with the page index on most pages."""
    shifts = Counter(
        (position, int(digits) - sighting.page)
        for sighting in group
        for position, digits in enumerate(_DIGITS.findall(sighting.text)[:_NUMBERS_LOOKED_AT])
    )
    return bool(shifts) and shifts.most_common(1)[0][1] > len(group) / 2


def _same_height(group: Sequence[_Sighting], least: int) -> set[tuple[int, int]]:
    pages: dict[int, set[int]] = defaultdict(set)
    for sighting in group:
        for near in (-1, 0, 1):
            pages[sighting.step + near].add(sighting.page)
    return {sighting.place for sighting in group if len(pages[sighting.step]) >= least}


def _first_titles(pages: Sequence[Page], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The first occurrence of each running title of a part, item or statement: that line is its heading."""
    first: dict[str, tuple[int, int]] = {}
    for page in pages:
        for number, line in enumerate(page.lines):
            if (page.index, number) in found and form_of(line.text).family <= STATEMENT:
                first.setdefault(_mask_digits(_fold_text(line.text)), (page.index, number))
    return {place for text, place in first.items() if not _LINKS_BACK.fullmatch(text)}


def _can_run(text: str) -> bool:
    """Whether repeated text can be a running header: it is no figure, period, unit or change."""
    if PERIOD.match(text) or UNITS_LINE.match(text) or text.startswith("%") or _COLUMNS.search(text):
        return False
    return any(character.isalpha() for character in text) or bool(_NUMBER.match(text))


def _page_numbers(edges: Sequence[_Sighting], count: int) -> set[tuple[int, int]]:
    shifts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    romans: list[tuple[int, int]] = []
    for sighting in edges:
        match = _NUMBER.match(sighting.text)
        if match:
            shifts[int(match[2]) - sighting.page].append(sighting.place)
        elif _ROMAN.match(sighting.text):
            romans.append(sighting.place)
    usual = {place for places in shifts.values() if len(places) > 1 or count < _FEW_PAGES for place in places}
    return usual | set(romans)


_Thing = TypeVar("_Thing")
_PASSES = 3
_PAGE_GROUP = 5
"""Pages of one section when a document has no outline: ten pages known give .85 of questions their page among the first
five by words alone, thirty .61; fewer pages make the outline long."""
_COUNT_ZERO, _ANY_PAGE = re.compile(rb"/Count\s+0\b"), re.compile(rb"/Type\s*/Page(?!s)")
_MIN_LISTED = 5
"""Headings that the printed contents name, at least, for the outline to be called theirs."""
_CONTINUED = re.compile(rf"\b{any_of('continued')}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutlinedPDF:
    """Pages and drafts of a PDF, the source of its outline, the title its metadata gives, and its scanned pages.

    `remarks` are sentences on what was left out.
    """

    pages: Sequence[Page]
    drafts: Sequence[Draft]
    source: str
    title: str
    scans: ScannedPages
    remarks: Sequence[str] = ()


def compile_pdf(path: Path, *, ignore_bookmarks: bool, reading: PageReading) -> OutlinedPDF:
    """Parse and outline a PDF; pages that are pictures of text are recognised.

    Pages for which no time is left are empty.
    Raises UnreadableDocument: `encrypted_pdf`, `damaged_pdf`, `no_pages`, `too_many_pages`.
    """
    document, fences = open_pdf(path), reading.fences
    try:
        _check_pages(len(document), reading.limits)
        pages = _read_all_pages(document, reading, pictures=may_hold_pictures(path))
        scans = find_scans(document, pages, pixels=reading.limits.pixels // 2)
        read = read_scans(scans, reading)
        told = add_late_pages(read.told, range(len(pages), len(document)), reading)
        pages = [read.pages.get(page.index, page) for page in pages]
        pages += [Page(index, *size, "", size) for index, size in _measure_pages(document, len(pages))]
        bookmarks = (
            [] if ignore_bookmarks else fences.read("bookmarks", -1, lambda: read_bookmarks(document), list[Bookmark]())
        )
        title = str(document.get_metadata_dict().get("Title") or "")
        remarks = list(_tell_left_out(document))
    finally:
        document.close()
    drafts, source = outline_pages(pages, bookmarks, fences, reading.tell)
    scanned = {scan.index for scan in scans}
    drafts = fences.read("figures", -1, lambda: place_figures(drafts, pages, choose_figures(pages, scanned)), drafts)
    return OutlinedPDF(pages, drafts, source, title, told, remarks)


def _tell_left_out(document: pdfium.PdfDocument) -> Iterator[str]:
    attached = document.count_attachments()
    if attached > 0:
        files, them = ("file was", "it") if attached == 1 else ("files were", "them")
        yield f"{attached:,} attached {files} not read; upload {them} as well."
    if pdfium_c.FPDFDoc_GetJavaScriptActionCount(document) > 0:
        yield "This PDF holds scripts; they were left out and not run."


def open_pdf(path: Path) -> pdfium.PdfDocument:
    """Open a PDF. Raises UnreadableDocument (`encrypted_pdf`, `damaged_pdf`) with a plain reason."""
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise _explain_open_failure(path.read_bytes(), error.err_code) from error


def _explain_open_failure(data: bytes, code: int | None) -> UnreadableDocument:
    """Why a PDF cannot be opened. PDFium may report the code of an earlier file, so the bytes are checked as well."""
    if code == pdfium_c.FPDF_ERR_PASSWORD and b"/Encrypt" in data:
        return UnreadableDocument(
            "This PDF is encrypted and needs a password.",
            remedy="Remove the password and upload it again.",
            code="encrypted_pdf",
        )
    if _COUNT_ZERO.search(data) and not _ANY_PAGE.search(data):
        return _no_pages()
    return UnreadableDocument(
        "This PDF is damaged or cut short.",
        remedy="Download or export it again and upload the new copy.",
        code="damaged_pdf",
    )


def _no_pages() -> UnreadableDocument:
    return UnreadableDocument(
        "This PDF has no pages.", remedy="Export it again and upload the new copy.", code="no_pages"
    )


def _check_pages(count: int, limits: CompileLimits) -> None:
    if count == 0:
        raise _no_pages()
    if count > limits.pages:
        raise UnreadableDocument(
            f"This PDF has {count:,} pages; at most {limits.pages:,} can be read.",
            remedy="Split it into smaller files.",
            code="too_many_pages",
        )


def _read_all_pages(document: pdfium.PdfDocument, reading: PageReading, *, pictures: bool) -> list[Page]:
    pages: list[Page] = []
    reading.tell("parsing", 0, len(document))
    for page in read_pages(document, reading.fences, pictures=pictures):
        pages.append(page)
        reading.tell("parsing", len(pages), len(document))
        if reading.is_over:
            break
    return pages


def _measure_pages(document: pdfium.PdfDocument, first: int) -> Iterator[tuple[int, tuple[float, float]]]:
    for index in range(first, len(document)):
        yield index, document.get_page_size(index)


def outline_pages(
    pages: Sequence[Page], bookmarks: Sequence[Bookmark], fences: Fences, tell: Progress
) -> tuple[list[Draft], str]:
    """Drafts in reading order, and the source of the outline; groups of plain pages where outlining fails."""
    tell("outlining", 0, len(pages))
    plain = "headings and tables of the whole document"
    outlined = fences.read(plain, -1, lambda: _outline_pages(pages, bookmarks, fences, tell), None)
    if outlined is not None:
        return outlined
    drafts = [lines_draft(page.lines, NodeKind.PARAGRAPH) for page in pages if page.lines]
    return _by_page_groups(drafts), "pages"


@dataclass(frozen=True, slots=True)
class _OutlineProgress:
    """Tells how far the three passes of an outline are, in pages: each pass is a third of them."""

    tell: Progress
    pages: int

    def follow(self, things: Sequence[_Thing], done: int) -> Iterator[_Thing]:
        """The things of one pass, `done` passes after the first, each told when it has been dealt with."""
        for number, thing in enumerate(things, start=1):
            yield thing
            self.tell("outlining", round(self.pages * (done + number / len(things)) / _PASSES), self.pages)


def _outline_pages(
    pages: Sequence[Page], bookmarks: Sequence[Bookmark], fences: Fences, tell: Progress
) -> tuple[list[Draft], str]:
    running: set[tuple[int, int]] = fences.read("running headers", -1, lambda: mark_running(pages), set())
    layout = survey(pages, running)
    track = _OutlineProgress(tell, len(pages))
    rows = {page.index: _classify_body_lines(page, running) for page in track.follow(pages, 0)}
    contents = fences.read("the printed contents", -1, lambda: read_contents(rows, pages), Contents())
    parser = _PageParser(layout, contents, fences)
    items: list[Item] = []
    for page in track.follow(pages, 1):
        items.extend(Furniture(line) for number, line in enumerate(page.lines) if (page.index, number) in running)
        items.extend(parser.items(page, rows[page.index]))
    items = _complete_numbers(_without_continued(_drop_unsupported_headings(items)))
    if bookmarks:
        items = place_bookmarks(items, bookmarks)
    headings = [item for item in items if isinstance(item, Heading)]
    vocabulary = Vocabulary(page.text for page in pages)
    for heading in headings:
        heading.title = vocabulary.mend(heading.title)
        heading.form = form_of(heading.title)
    mark_bare([item for item in items if not isinstance(item, Furniture)])
    assign_levels(headings)
    items = _drop_empty_headings(items, headings, pages)
    scanned = {page.index for page in pages if page.is_scanned}
    drafts = Drafter(layout, vocabulary, fences, scanned).draft(track.follow(items, 2))
    if not headings:
        return _by_page_groups(drafts), "pages"
    if bookmarks:
        return drafts, "bookmarks"
    return drafts, "contents" if len(contents.listed) >= _MIN_LISTED else "headings"


def _classify_body_lines(page: Page, running: set[tuple[int, int]]) -> list[LineRow]:
    numbered = enumerate(page.lines)
    rows = [classify(number, page, line) for number, line in numbered if (page.index, number) not in running]
    return _put_headers_back(rows)


def _put_headers_back(rows: list[LineRow]) -> list[LineRow]:
    """The lines with those headers right above their rows that the file prints after everything else on the page."""
    late: list[LineRow] = []
    for before, row in itertools.pairwise(rows):
        jumped = before.line.top - row.line.bottom > _LATE * row.line.style.size
        goes_on = late[-1:] == [before] and 0 <= row.line.top - before.line.top < _NEXT_LATE * row.line.style.size
        if row.role is not LineRole.DATA and len(row.line.text) <= _LONGEST_RUNNING and (jumped or goes_on):
            late.append(row)
    for row in sorted(late[:_MOST_LATE], key=lambda row: -row.line.top):
        line = row.line
        if any(own is not row and own.line.top < line.bottom and line.top < own.line.bottom for own in rows):
            continue  # beside others, as columns of a page are
        under = min((own for own in rows if own.line.top >= line.bottom), key=lambda own: own.line.top, default=None)
        near = (
            under is not None and under.line.top - line.bottom < line.style.size and len(under.cells) > len(row.cells)
        )
        if under is not None and near and line.left < under.line.right and under.line.left < line.right:
            rows.remove(row)
            rows.insert(rows.index(under), row)
    return rows


def _drop_unsupported_headings(items: Sequence[Item]) -> list[Item]:
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


def _drop_empty_headings(items: Sequence[Item], headings: Sequence[Heading], pages: Sequence[Page]) -> list[Item]:
    """Make lines of headings that head nothing; on a page with pictures they may head one."""
    empty = {id(heading) for heading in find_empty(headings) if not pages[heading.page].pictures}
    kept: list[Item] = []
    for item in items:
        kept.extend(item.lines if isinstance(item, Heading) and id(item) in empty else [item])
    return kept


def _complete_numbers(items: Sequence[Item]) -> list[Item]:
    headings = [item for item in items if isinstance(item, Heading)]
    missing = find_missing_numbers(headings, [item for item in items if isinstance(item, Line)])
    return [heading_of([item]) if isinstance(item, Line) and id(item) in missing else item for item in items]


def _without_continued(items: Sequence[Item]) -> list[Item]:
    """Make running lines of repeated titles with "(continued)": their section goes on."""
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
    def __init__(self, layout: Layout, contents: Contents, fences: Fences) -> None:
        self._layout, self._contents, self._fences = layout, contents, fences
        self._finder = Headings(layout, contents.listed)

    def items(self, page: Page, rows: Sequence[LineRow]) -> Iterator[Item]:
        """Items in reading order."""
        first, last = self._contents.pages.get(page.index, (len(rows), -1))
        if last < 0:
            yield from self._content(page, rows)
            return
        yield from self._content(page, rows[:first])
        yield ContentsLines([row.line for row in rows[first : last + 1]])
        yield from self._content(page, rows[last + 1 :])

    def _content(self, page: Page, rows: Sequence[LineRow]) -> Iterator[Item]:
        tables = self._fences.read(
            "tables with drawn lines", page.index, lambda: find_ruled(page, rows), list[RuledTable]()
        )
        begins = {table.rows[0].number: table for table in tables}
        drawn = {row.number for table in tables for row in table.rows}
        open_rows: list[LineRow] = []
        for row in rows:
            if row.number in begins:
                yield from self._read_without_rules(page, open_rows)
                yield begins[row.number]
                open_rows = []
            elif row.number not in drawn:
                open_rows.append(row)
        yield from self._read_without_rules(page, open_rows)

    def _read_without_rules(self, page: Page, rows: Sequence[LineRow]) -> Iterator[Item]:
        regions = self._fences.read("tables", page.index, lambda: self._find_tables(rows), list[tuple[int, int]]())
        position = 0
        for start, end in [*regions, (len(rows), len(rows))]:
            yield from self._read_text(page, rows[position:start])
            if start < end:
                yield list(rows[start:end])
            position = end

    def _find_tables(self, rows: Sequence[LineRow]) -> list[tuple[int, int]]:
        figures = find_regions(rows, self._layout)
        found = sorted([*figures, *find_text_tables(rows, figures)])
        return [(start, end) for start, end in found if not is_listing(rows[start:end], self._layout)]

    def _read_text(self, page: Page, rows: Sequence[LineRow]) -> Sequence[Item]:
        lines = [row.line for row in rows]
        return self._fences.read("headings", page.index, lambda: list(_open_items(page, rows, self._finder)), lines)


def _open_items(page: Page, rows: Sequence[LineRow], finder: Headings) -> Iterator[Item]:
    lines = [row.line for row in rows]
    position = 0
    while position < len(lines):
        heading = finder.find(page, lines, position) if _one_title(rows[position]) else None
        yield heading or lines[position]
        if heading and heading.rest:
            yield heading.rest
        position += len(heading.lines) if heading else 1


def _one_title(row: LineRow) -> bool:
    """Whether a line is one text or a number with its title ("Item 7.", a gap, a title), and no row of cells."""
    if len(row.cells) == 1:
        return True
    family = form_of(row.line.text).family
    return len(row.cells) == 2 and (family == STATEMENT or (len(row.cells[0].text) < 16 and family < PLAIN))


def _by_page_groups(drafts: Sequence[Draft]) -> list[Draft]:
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
