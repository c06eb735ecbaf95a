"""What a reader sees of a page: its picture or text, the quotes lit on it, the citations' flags, and its tables."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from vectorless_web.documents.drawing.client import (
    BOXES_SECONDS,
    NO_PICTURE,
    RenderUnavailable,
    ask,
    image_path,
    is_up,
    label_picture,
)
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.rendering.text import PagePicture, TextMark, lay_out_page, picture_of, segments
from vectorless_web.documents.selectors import section_path
from vectorless_web.documents.storage.cache import touch
from vectorless_web.documents.storage.files import open_version, size_of
from vectorless_web.engine.documents.card import PageInfo
from vectorless_web.engine.documents.node import GlyphSpan, Row
from vectorless_web.engine.parsing.sniff import PDF, PICTURES
from vectorless_web.engine.tables.view import ColumnKind, Footnote, TableView, tables_of

DRAWN_WIDTH = 816.0
"""The page width for which the template draws a flag of 28 x 23."""
FLAG_WIDTH, FLAG_HEIGHT = 28.0, 23.0
"""Points of a flag on a page of DRAWN_WIDTH."""
INSET = 22.0
"""Points from the edge of a page of DRAWN_WIDTH to a flag."""
OVERHANG = 14.0
"""How far a flag may hang over the edge beside text that begins there."""
GAP = 3.0
"""Points between a flag and the text it points at."""


BoxRow = Sequence[float]


@dataclass(frozen=True)
class PlacedHighlight:
    """A quote as one page lights it: `boxes` are [x, y, width, height] in points from the top left."""

    marker: int
    id: str
    on: bool
    boxes: Sequence[BoxRow]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag: its top left corner in points, and the scale at which it is drawn."""

    marker: int
    x: float
    y: float
    scale: float
    on: bool


def place_flags(marked: Sequence[PlacedHighlight], width: float, height: float) -> tuple[Flag, ...]:
    """Place one flag for each citation, level with its first line: left if there is room, else right,
    else lower or higher.

    A citation without boxes gets no flag. Flags never overlap. One beside text that begins at the edge
    of the page hangs over it by half, so that it covers no word.
    """
    scale = round(width / DRAWN_WIDTH, 3)
    flags: list[Flag] = []
    for mark in sorted((mark for mark in marked if mark.boxes), key=lambda mark: (_find_top(mark), mark.marker)):
        flags.append(_free_place(mark, flags, width, height, scale))
    return tuple(flags)


def _free_place(mark: PlacedHighlight, flags: Sequence[Flag], width: float, height: float, scale: float) -> Flag:
    text_at = min(box[0] for box in mark.boxes) - (FLAG_WIDTH + GAP) * scale
    x_left, x_right = max(min(INSET * scale, text_at), -OVERHANG * scale), width - (INSET + FLAG_WIDTH) * scale
    levels = list(_levels(mark, height, scale))
    for y in levels:
        for x in (x_left, x_right):
            if not any(_overlap(flag, x, y, scale) for flag in flags):
                return Flag(mark.marker, round(x, 1), round(y, 1), scale, mark.on)
    return Flag(mark.marker, round(x_left, 1), round(levels[0], 1), scale, mark.on)


def _levels(mark: PlacedHighlight, height: float, scale: float) -> Iterator[float]:
    """Tops that a flag may have on the page: level with the first line, then lower and higher by turns."""
    first = min(mark.boxes, key=lambda box: (box[1], box[0]))
    lowest = max(height - FLAG_HEIGHT * scale, 0.0)
    level = min(max(first[1] + first[3] / 2 - FLAG_HEIGHT * scale / 2, 0.0), lowest)
    step = FLAG_HEIGHT * scale / 2
    yield level
    for number in range(1, int(height / step) + 1):
        yield from (y for y in (level + number * step, level - number * step) if 0 <= y <= lowest)


def _find_top(mark: PlacedHighlight) -> float:
    return min(box[1] for box in mark.boxes)


def _overlap(flag: Flag, x: float, y: float, scale: float) -> bool:
    return abs(flag.x - x) < FLAG_WIDTH * scale and abs(flag.y - y) < (FLAG_HEIGHT + 1) * scale


__all__ = ["Highlight", "RenderUnavailable", "boxes", "figure_image", "page_image", "page_view", "whole_page"]

SCALES = (1.0, 1.6, 2.4)
"""Pixels a point in which a page may be asked for."""
SCALE = 1.6
"""Pixels a point in which a page is shown unless asked otherwise: sharp on an ordinary screen at full width."""

FRAME_SHARE = 0.01
"""Share of a page's shorter side by which the frame around a whole page is within its edges."""

SpanRow = GlyphSpan | Sequence[int]


@dataclass(frozen=True)
class Highlight:
    """A quote to light: `boxes` rows are [page_index, x, y, width, height] in points from the top left,
    `spans` rows [page_index, char_index, length]. Rows of other pages are left aside.
    """

    marker: int
    boxes: Sequence[BoxRow] = ()
    spans: Sequence[SpanRow] = ()
    on: bool = False
    id: str = ""
    """The element's id on the page; "hit-<marker>" unless given."""
    whole: bool = False
    """Whether it stands for the whole page, which is framed and not lit."""


def has_pages(version: DocumentVersion) -> bool:
    """Whether the version has drawn pages; all other formats have only their words."""
    return version.mime in (PDF, *PICTURES)


def boxes(version: DocumentVersion, spans: Iterable[SpanRow], *, seconds: float = BOXES_SECONDS) -> list[list[float]]:
    """One box a printed line, [page_index, x, y, width, height] in points from the top left; [] for a text document.

    RenderUnavailable when the render server does not answer within `seconds`.
    """
    rows = [span_row(span) for span in spans]
    if not rows or not has_pages(version):
        return []
    recognised = open_version(version).recognised if version.recognised_pages else None
    if recognised is None:
        return _ask_boxes(version, rows, seconds)
    # Text recognition knows where its words stand; of the others only the file does.
    read = [GlyphSpan(*row) for row in rows if row[0] in recognised.pages]
    own = [
        [word.page_index, word.left, word.top, word.right - word.left, word.bottom - word.top]
        for word in recognised.boxes(read)
    ]
    others = [row for row in rows if row[0] not in recognised.pages]
    return own + (_ask_boxes(version, others, seconds) if others else [])


def _ask_boxes(version: DocumentVersion, rows: Sequence[tuple[int, int, int]], seconds: float) -> list[list[float]]:
    request = {"op": "boxes", "file": version.file.name, "sha256": version.sha256, "spans": rows}
    found: list[list[float]] = ask(request, seconds)["boxes"]
    return found


def whole_page(page_index: int, page: PageInfo) -> list[list[float]]:
    """The box of a whole page, a little within its edges, in the form of `boxes`."""
    edge = FRAME_SHARE * min(page.width, page.height)
    return [[page_index, edge, edge, page.width - 2 * edge, page.height - 2 * edge]]


def page_image(
    version: DocumentVersion, page_index: int, scale: float = SCALE, *, label: str = "", box: Sequence[float] = ()
) -> Path:
    """The path of a page's picture (JPEG), from the cache or drawn now; RenderUnavailable when it cannot be.

    `label` is written across it; `box` is the part that is wanted, in points, () for all of it.
    """
    if not has_pages(version):
        raise RenderUnavailable(NO_PICTURE, "Only PDF files and pictures have pages that can be drawn.")
    path = _cached_image(version, page_index, scale, label, box)
    if touch(path):
        return path
    request = {"op": "page", "file": version.file.name, "sha256": version.sha256, "label": label, "box": list(box)}
    return Path(ask({**request, "page_index": page_index, "scale": scale})["path"])


FIGURE_SCALE = 2.4
"""Pixels a point in which a figure is cut out of its page: it is shown larger than on the page."""


def figure_image(version: DocumentVersion, key: int, *, label: str = "") -> bytes:
    """The picture of a figure as JPEG: kept in the compiled file, or cut out of its page by the render child.

    `label` is written across it. RenderUnavailable when there is no such figure, or its page cannot be drawn.
    """
    document = open_version(version)
    picture = document.pictures.get(key)
    if picture is None:
        raise RenderUnavailable(NO_PICTURE, "This document has no such figure.")
    if picture.box is None:
        return label_picture(picture.data, label) if label else picture.data
    page_index = document.tree.node(key).page_start
    return page_image(version, page_index, FIGURE_SCALE, label=label, box=picture.box).read_bytes()


def list_figures(version: DocumentVersion, page_index: int) -> list[PagePicture]:
    """The figures that begin on a page (from 0), in reading order."""
    document = open_version(version)
    nodes = (document.tree.node(key) for key in document.pictures)
    return [
        picture_of(document, node, partial(_figure_url, version)) for node in nodes if node.page_start == page_index
    ]


def _figure_url(version: DocumentVersion, key: int) -> str:
    return _address(version, "figure", number=version.number, key=key)


def _address(version: DocumentVersion, name: str, query: Mapping[str, str] | None = None, **place: int) -> str:
    """An address of the version's document, by its name in `documents.urls`."""
    document = version.document
    address = reverse(f"documents:{name}", kwargs={"slug": document.workspace.slug, "pk": document.pk, **place})
    return f"{address}?{urlencode(query)}" if query else address


def page_view(
    version: DocumentVersion,
    page_index: int,
    highlights: Iterable[Highlight] = (),
    *,
    view: str = "page",
    finds: Iterable[SpanRow] = (),
) -> dict[str, Any]:
    """The context `sheet` of `documents/_page.html`: one page with the highlights that lie on it.

    `view` is "page" (picture) or "text"; `finds` are the places of words looked for. `version`
    comes with its document and workspace. While pages cannot be drawn, their text is shown.
    IndexError for a page that does not exist.
    """
    page = open_version(version).pages[page_index]
    shown = _picture if view != "text" and _can_draw(version, page_index) else _render_page_text
    if view != "text" and not has_pages(version):
        shown = _lay_out
    return {
        **_place_of(version, page_index),
        "width": round(page.width, 2),
        "height": round(page.height, 2),
        "image_url": "",
        "words_url": "",
        "text_segments": [],
        "blocks": [],
        "hits": [],
        "flags": (),
        "figures": [],
        "finds": [],
        "recognised": _tell_recognised(version, page_index),
        "alt": f"Page {page_index + 1} of {version.document.title}{'' if page.characters else ', without text'}",
        "problem": "",
        **shown(version, page_index, list(highlights), list(finds)),
    }


@dataclass(frozen=True, slots=True)
class UnsureWord:
    """A word that text recognition may have misread: what it read, percent of sureness, where it is underlined."""

    text: str
    confidence: int
    left: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class RecognisedSheet:
    """What is told of a page that text recognition has read: how many words, and those that it was unsure of."""

    words: int
    unsure: tuple[UnsureWord, ...]


def _tell_recognised(version: DocumentVersion, page_index: int) -> RecognisedSheet | None:
    """None for a page with text of its own."""
    if not version.recognised_pages:
        return None
    document = open_version(version)
    words, text = document.recognised.on_page(page_index), document.page_text(page_index)
    if not words:
        return None
    said = ((word, text[word.start : word.start + word.length]) for word in words if word.is_unsure)
    unsure = tuple(
        UnsureWord(own, word.confidence, round(word.left, 2), round(word.right, 2), round(word.bottom, 2))
        for word, own in said
        if any(map(str.isalnum, own))
    )
    return RecognisedSheet(len(words), unsure)


def unreadable_sentence(version: DocumentVersion) -> str:
    """Why a version whose compiled file is damaged cannot be shown at the moment, and what becomes of it."""
    if version.is_broken and version.repair_after is None:
        return version.error_message
    if version.is_broken:
        return f"{version.error_message} It is tried again by itself until then."
    return (
        "The compiled file of this document is missing or damaged. The document is being read again from its "
        "original file and is back when that is done. Answers that quote it keep their quotes."
    )


def page_url(version: DocumentVersion, page_index: int, **query: str) -> str:
    """The reader's address of a page, pages in it from 1."""
    return _address(version, "detail", {"page": str(page_index + 1), **_version_query(version), **query})


def node_url(version: DocumentVersion, page_index: int, key: int) -> str:
    """The reader's address of a page where node `key` is read: with its table, as understood, opened if it is one."""
    tree = open_version(version).tree
    if key not in tree or tree.node(key).table is None:
        return page_url(version, page_index)
    return page_url(version, page_index, table=str(key)) + f"#table-{key}"


def fragment_url(version: DocumentVersion, page_index: int) -> str:
    """The address of a page's fragment; "" for a page that does not exist."""
    if not 0 <= page_index < version.pages:
        return ""
    return _address(version, "page", _version_query(version), page=page_index + 1)


def _version_query(version: DocumentVersion) -> dict[str, str]:
    current = version.document.current_version_id == version.pk
    return {} if current else {"version": str(version.number)}


def _place_of(version: DocumentVersion, page_index: int) -> dict[str, Any]:
    return {
        "version": version.pk,
        "document_title": version.document.title,
        "crumbs": [section.title for section in section_path(version, page_index)],
        "page": page_index + 1,
        "page_count": version.pages,
        "url": page_url(version, page_index),
        "previous_url": fragment_url(version, page_index - 1),
        "next_url": fragment_url(version, page_index + 1),
    }


def _cached_image(
    version: DocumentVersion, page_index: int, scale: float, label: str = "", box: Sequence[float] = ()
) -> Path:
    return image_path(Path(settings.CACHE_ROOT) / "pages", version.sha256, page_index, scale, label, box)


def _can_draw(version: DocumentVersion, page_index: int) -> bool:
    if not has_pages(version):
        return False
    return touch(_cached_image(version, page_index, SCALE)) or (
        size_of(version.file.name or "") is not None and is_up()
    )


def _picture(
    version: DocumentVersion, page_index: int, highlights: list[Highlight], finds: list[SpanRow]
) -> dict[str, Any]:
    """The page as drawn, with boxes; the page's words instead when boxes are wanted and cannot be had."""
    page = open_version(version).pages[page_index]
    try:
        hits = [
            hit for hit in (_place_highlight(version, page_index, highlight) for highlight in highlights) if hit.boxes
        ]
        found = _rows_on(page_index, boxes(version, [span for span in finds if span_row(span)[0] == page_index]))
    except RenderUnavailable:
        return _render_page_text(version, page_index, highlights, finds)
    marked = [replace(hit, boxes=_find_flag_boxes(hit)) for hit in hits]
    return {
        "image_url": _address(version, "page_image", number=version.number, page=page_index + 1),
        "words_url": _address(version, "page_words", number=version.number, page=page_index + 1),
        "hits": hits,
        "flags": place_flags(marked, page.width, page.height),
        "finds": found,
    }


def _find_flag_boxes(hit: PlacedHighlight) -> Sequence[BoxRow]:
    """The boxes beside which a flag is placed; for a whole page one that puts it into the upper left corner."""
    if not hit.whole:
        return hit.boxes
    return [(x + width / 4, y, width / 2, 2 * y + FLAG_HEIGHT * width / DRAWN_WIDTH) for x, y, width, _ in hit.boxes]


def _place_highlight(version: DocumentVersion, page_index: int, highlight: Highlight) -> PlacedHighlight:
    rows = highlight.boxes or boxes(version, highlight.spans)
    own = highlight.id or f"hit-{highlight.marker}"
    return PlacedHighlight(highlight.marker, own, highlight.on, _rows_on(page_index, rows), highlight.whole)


def _rows_on(page_index: int, rows: Iterable[BoxRow]) -> list[BoxRow]:
    return [list(row[1:]) for row in rows if int(row[0]) == page_index]


def _render_page_text(
    version: DocumentVersion, page_index: int, highlights: list[Highlight], finds: list[SpanRow]
) -> dict[str, Any]:
    """The page as text, cut where highlights and finds begin and end."""
    marks = _place_marks(page_index, highlights, finds)
    shown = segments(open_version(version).page_text(page_index), marks)
    return {"text_segments": shown, "figures": list_figures(version, page_index)}


def _lay_out(
    version: DocumentVersion, page_index: int, highlights: list[Highlight], finds: list[SpanRow]
) -> dict[str, Any]:
    """The page of a file without printed pages as headings, paragraphs, lists and tables."""
    marks = _place_marks(page_index, highlights, finds)
    return {"blocks": lay_out_page(open_version(version), page_index, marks, partial(_figure_url, version))}


def _place_marks(page_index: int, highlights: list[Highlight], finds: list[SpanRow]) -> list[TextMark]:
    marks = [
        TextMark(start, start + length, highlight.marker, highlight.on)
        for highlight in highlights
        for page, start, length in map(span_row, highlight.spans)
        if page == page_index
    ]
    looked_for = [span_row(span) for span in finds]
    return marks + [TextMark(start, start + length) for page, start, length in looked_for if page == page_index]


def span_row(span: SpanRow) -> tuple[int, int, int]:
    """A span as (page_index, char_index, length)."""
    if isinstance(span, GlyphSpan):
        return span.page_index, span.char_index, span.length
    page_index, char_index, length = span
    return page_index, char_index, length


_WORD = re.compile(r"\S+")
_MOST_WORDS = 5_000
"""Words of a page that can be selected; a dense page has 1,500."""
_SAME_LINE = 0.5
"""Share of the lower of two words' heights by which they overlap when they stand on one line."""
_WIDE_GAP = 1.0
"""Heights of a line between two words from which they are stretched apart: cells of a row, not words of a sentence."""
_BASELINE = 0.8
"""Share of a line's height above the line that its letters stand on."""
_BREAKS = {ord("\x02"): "-", ord("\ufffe"): "-", ord("\ufeff"): None, 0: None}
"""What PDFium gives for a hyphen at the end of a line, and what shows nothing."""


@dataclass(frozen=True, slots=True)
class WordRun:
    """Words that follow each other closely, and where they stand: left edge and width in points."""

    text: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class WordLine:
    """A printed line of a page: its baseline from the top and its height in points."""

    baseline: float
    size: float
    runs: tuple[WordRun, ...]


def page_words(version: DocumentVersion, page_index: int) -> list[WordLine]:
    """The words of a drawn page where they are printed, to be selected over its picture; [] for other documents.

    RenderUnavailable when the render server does not answer.
    """
    if not has_pages(version):
        return []
    text = open_version(version).page_text(page_index)
    lines: list[WordLine] = []
    places = [(match.start(), match.end()) for match in islice(_WORD.finditer(text), _MOST_WORDS)]
    if not places:
        return []
    spans = [(page_index, start, end - start) for start, end in places]
    found = _find_word_boxes(version, spans)
    words = [
        (text.count("\n", 0, start), text[start:end].translate(_BREAKS), box)
        for (start, end), box in zip(places, found, strict=True)
        if box
    ]
    for _, group in groupby(words, key=lambda word: word[0]):
        lines.extend(_set_lines([(said, box) for _, said, box in group if said]))
    return lines


def _find_word_boxes(version: DocumentVersion, spans: Sequence[tuple[int, int, int]]) -> list[list[float] | None]:
    recognised = open_version(version).recognised if version.recognised_pages else None
    if recognised is not None and spans[0][0] in recognised.pages:
        return [_enclose(list(recognised.boxes([GlyphSpan(*span)]))) for span in spans]
    request = {"op": "words", "file": version.file.name, "sha256": version.sha256, "spans": spans}
    found: list[list[float] | None] = ask(request, BOXES_SECONDS)["boxes"]
    return found


def _enclose(words: Sequence[Any]) -> list[float] | None:
    """One box [x, y, width, height] around the words that text recognition found; None around none."""
    if not words:
        return None
    left, top = min(word.left for word in words), min(word.top for word in words)
    right, bottom = max(word.right for word in words), max(word.bottom for word in words)
    return [left, top, right - left, bottom - top]


def _set_lines(words: Sequence[tuple[str, Sequence[float]]]) -> Iterator[WordLine]:
    """The printed lines of words that follow each other in the text; columns and wrapped lines part them."""
    line: list[tuple[str, Sequence[float]]] = []
    for said, box in words:
        if line and not _on_one_line(line[-1][1], box):
            yield _set_line(line)
            line = []
        line.append((said, box))
    if line:
        yield _set_line(line)


def _on_one_line(before: Sequence[float], box: Sequence[float]) -> bool:
    shared = min(before[1] + before[3], box[1] + box[3]) - max(before[1], box[1])
    return box[0] >= before[0] and shared >= _SAME_LINE * min(before[3], box[3])


def _set_line(words: Sequence[tuple[str, Sequence[float]]]) -> WordLine:
    top, bottom = min(box[1] for _, box in words), max(box[1] + box[3] for _, box in words)
    size = max(bottom - top, 1.0)
    runs: list[WordRun] = []
    for said, (x, _, width, _) in words:
        if runs and x - runs[-1].x - runs[-1].width < _WIDE_GAP * size:
            before = runs.pop()
            runs.append(WordRun(f"{before.text} {said}", before.x, round(x + width - before.x, 1)))
        else:
            runs.append(WordRun(said, round(x, 1), round(width, 1)))
    return WordLine(round(top + _BASELINE * size, 1), round(size, 1), tuple(runs))


ROWS, COLUMNS, TABLES = 60, 40, 20
"""Rows and columns of a table shown at a time, and tables of one page: what a browser lays out at once."""
FIGURE_KINDS = (ColumnKind.FIGURES, ColumnKind.CHANGE)
"""Kinds of columns whose cells are figures."""


@dataclass(frozen=True, slots=True)
class ShownHeader:
    """A header cell over `across` columns.

    `understood` is the period that was read from it, on the lowest level alone and where the header does not say it.
    """

    text: str
    across: int = 1
    understood: str = ""
    is_figures: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row's label and cells (text, whether its column holds figures); `depth` counts the groups it is in.

    A group's own row has no cells.
    """

    label: str
    cells: tuple[tuple[str, bool], ...]
    depth: int
    path: str


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of the page, of whose rows those from `first` to `last` (from 1) are shown.

    `earlier_url` and `later_url` lead to the rows before and after these; "" where there are none. `url` leads to the
    table by itself.
    """

    key: int
    name: str
    understood: str
    headers: tuple[tuple[ShownHeader, ...], ...]
    width: int
    rows: tuple[ShownRow, ...]
    footnotes: tuple[Footnote, ...]
    first: int
    last: int
    total: int
    columns_left_out: int
    earlier_url: str
    later_url: str
    url: str


def page_tables(
    version: DocumentVersion, page_index: int, *, key: int | None = None, first: int | None = None
) -> list[ShownTable]:
    """The tables with rows on a page (from 0), in reading order; of table `key` the rows from `first` on (from 1)."""
    document = open_version(version)
    views = islice(tables_of(document.tree, document.on_page(page_index)), TABLES)
    return [_show_table(version, page_index, view, first if view.node.key == key else None) for view in views]


def _show_table(version: DocumentVersion, page_index: int, view: TableView, first: int | None) -> ShownTable:
    body = view.table.body
    on_page = next((number for number, row in enumerate(body) if row.page_index == page_index), 0)
    start = min(max(0, first - 1) if first else on_page, max(len(body) - 1, 0))
    end = min(start + ROWS, len(body))
    figures = [kind in FIGURE_KINDS for kind in view.kinds]

    def make_url(row: int) -> str:
        return page_url(version, page_index, table=str(view.node.key), row=str(row + 1)) + f"#table-{view.node.key}"

    return ShownTable(
        key=view.node.key,
        name=view.name,
        understood=view.describe(),
        headers=tuple(_show_headers(view)),
        width=min(len(view.table.columns), COLUMNS),
        rows=tuple(_show_row(row, figures) for row in body[start:end]),
        footnotes=view.footnotes,
        first=start + 1,
        last=end,
        total=len(body),
        columns_left_out=max(0, len(view.table.columns) - COLUMNS),
        earlier_url=make_url(max(0, start - ROWS)) if start else "",
        later_url=make_url(end) if end < len(body) else "",
        url=_address(version, "table", _version_query(version), key=view.node.key),
    )


def _show_headers(view: TableView) -> Iterator[tuple[ShownHeader, ...]]:
    """The header rows from top to bottom; on all but the lowest, neighbours of one name share a cell."""
    paths = [column.path for column in view.table.columns[:COLUMNS]]
    depth = max(map(len, paths), default=0)
    padded = [("",) * (depth - len(path)) + path for path in paths]
    for level in range(depth - 1):
        groups = groupby(padded, key=lambda path: path[: level + 1])
        yield tuple(ShownHeader(upper[-1], len(list(group))) for upper, group in groups)
    if depth:
        yield tuple(_show_lowest_header(view, place, path) for place, path in enumerate(padded))


def _show_lowest_header(view: TableView, place: int, path: Sequence[str]) -> ShownHeader:
    period, kind = view.periods[place], view.kinds[place]
    told = period.words if place and not period.is_change else ""
    if _keep_letters(told) in _keep_letters("".join(path)):
        told = ""
    return ShownHeader(path[-1], 1, told, kind in FIGURE_KINDS)


def _keep_letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _show_row(row: Row, figures: Sequence[bool]) -> ShownRow:
    cells = tuple(
        (cell.text, is_figures) for cell, is_figures in zip(row.cells[1:COLUMNS], figures[1:COLUMNS], strict=False)
    )
    label = row.label or (row.cells[0].text if row.cells else "")
    return ShownRow(label, cells if any(text for text, _ in cells) else (), len(row.path), " › ".join(row.path))
