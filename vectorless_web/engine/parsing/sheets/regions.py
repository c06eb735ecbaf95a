"""What is on a sheet: tables parted by empty rows, the titles above them, notes below them, lines of text."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.tables.cells import is_number
from vectorless_web.engine.parsing.tables.spans import MOST_ACROSS, MOST_CELLS, SpanCell, guess_headers, lay_out

FILLED_CELLS = 1_000_000
"""Filled cells of a workbook that are read; a person looks through a few thousand."""
_LONGEST_TITLE = 200
"""Characters of the lines above a table that become its title."""
_NOTE = 40
"""Characters from which a lone text below a table is a note and no row without figures."""
_WIDEST_GAP = 100_000
"""Hidden rows in a row that are looked at."""
_NEAR = 2
"""Rows from a line to the table that it may name, and from one table to the next that it may head: one is empty."""
_DATE = re.compile(
    r"(?:\d{1,2}[./-]\d{1,2}[./-])?(?:19|20)?\d\d$|(?:19|20)\d\d[-/]\d{1,2}(?:[-/]\d{1,2})?$|\d{1,2}[. ]+\w+ \d{4}$"
)
"""A year or a day by which a column may be named."""
_LOOKED_AT = 50
"""Rows by which a table's header is told."""
_LABELS = 0.6
"""Share of texts in a column from which it holds labels: then a table may begin with it."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell as shown, and whether all of its text is bold."""

    text: str
    strong: bool = False


@dataclass(slots=True)
class Sheet:
    """The filled cells of a sheet by row and column, counted from 0; (columns, rows) that merged ones span."""

    name: str
    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    unseen: set[int] = field(default_factory=set)
    """Hidden rows that hold something: what is above and below one is not parted by it."""


class CellCount:
    """Counts the filled cells of a workbook and refuses more than can be read."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, text: str) -> str:
        """The visible text of a cell; a cell with text is counted."""
        said = text.strip()
        if not said.isprintable() or "  " in said:
            said = "\n".join(" ".join(line.split()) for line in remove_invisible(said).splitlines()).strip()
        self.count += bool(said)
        if self.count > FILLED_CELLS:
            raise UnreadableDocument(
                f"This workbook has more than {FILLED_CELLS:,} filled cells.",
                remedy="Split it into smaller files.",
                code="too_large",
            )
        return said


def write_sheets(sheets: Sequence[Sheet], title: str, remarks: Iterable[str]) -> DocumentText:
    """A text with each sheet as a section; one that is empty is none. UnreadableDocument (`no_text`) if all are."""
    writer = BlockWriter()
    for sheet in sheets:
        if sheet.rows:
            writer.write(NodeKind.SECTION, sheet.name, level=1)
            above: Above = _NOTHING
            for region in _find_regions(sheet):
                above = _write_region(writer, region, above)
    if not writer.blocks:
        raise UnreadableDocument(
            "This workbook has no filled cell on a sheet that is shown; charts and pictures hold no words to quote.",
            remedy="Fill cells, or show the sheet that has them.",
            code="no_text",
        )
    return writer.finish(title, remarks, shown_title=_find_shown_title(writer))


_LONGEST_NAME = 100
"""Characters of a line that names a workbook."""
_TELLS_MORE = re.compile(
    r"[.:;]\s*$|^\W*(?:as (?:of|at)|state of|all|amounts?|figures?|in|source|note)\b|(?<!\d)\d{1,2}[./]\d", re.I
)
"""A line above a table that says when or in what units it is, and no name."""


def _find_shown_title(writer: BlockWriter) -> str:
    """The line of words at the top of the first sheet, above its table, that says what the workbook is, or "".

    Where other sheets have such lines, too, it says what the first sheet is.
    """
    kinds = [block.kind for block in writer.blocks]
    titled = (NodeKind.SECTION, NodeKind.PARAGRAPH)
    if NodeKind.TABLE not in kinds[:4] or tuple(kinds[:2]) != titled or list(pairwise(kinds)).count(titled) > 1:
        return ""
    first = writer.blocks[1]
    said = " ".join(writer.text[first.start : first.end].split())
    words = [word for word in said.split() if any(map(str.isalpha, word))]
    return said if len(words) > 1 and len(said) <= _LONGEST_NAME and not _TELLS_MORE.search(said) else ""


_EMPTY = SpanCell("")


@dataclass(frozen=True, slots=True)
class Above:
    """Titles or header rows above a region, with their columns and last row."""

    last: int = -_WIDEST_GAP
    columns: Sequence[int] = ()
    lines: Sequence[str] = ()
    headers: Sequence[Sequence[SpanCell]] = ()
    title: str = ""


_NOTHING = Above()
RegionRow = tuple[int, Mapping[int, SheetCell], Mapping[int, tuple[int, int]]]
"""(number, cells by column, (columns, rows) spanned by column)."""
Region = Sequence[RegionRow]
"""Rows that follow each other."""


def _find_regions(sheet: Sheet) -> Iterator[Region]:
    """Stretches of rows without an empty one between them, left before right where two tables stand side by side."""
    rows: list[RegionRow] = []
    reach, last = 0, -2
    for number in sorted(sheet.rows):
        if rows and any(between not in sheet.unseen for between in _rows_between(max(last, reach), number)):
            yield from _part_columns(rows)
            rows = []
        spans = {
            column: sheet.spans[number, column] for column in sheet.rows[number] if (number, column) in sheet.spans
        }
        rows.append((number, sheet.rows[number], spans))
        last, reach = number, max(reach, *(number + down - 1 for _, down in spans.values()), 0)
    if rows:
        yield from _part_columns(rows)


def _rows_between(last: int, number: int) -> range:
    return range(last + 1, min(number, last + _WIDEST_GAP))


def _part_columns(region: Region) -> Iterator[Region]:
    """The tables of a stretch of rows that stand side by side, parted by an empty column before one of labels."""
    columns = sorted({column for _, cells, _ in region for column in cells})
    reaches: Counter[int] = Counter()
    for _, _, spans in region:
        for column, (across, _) in spans.items():
            reaches[column] = max(reaches[column], column + across)
    cuts, reach = [], 0
    for before, place in pairwise(columns):
        reach = max(reach, reaches[before])
        if place > max(before + 1, reach) and _begins_table(region, columns, place):
            cuts.append(place)
    bounds = [columns[0], *cuts, columns[-1] + 1]
    for first, end in pairwise(bounds):
        part = [
            (number, {c: cell for c, cell in cells.items() if first <= c < end}, spans)
            for number, cells, spans in region
        ]
        kept = [row for row in part if row[1]]
        if kept:
            yield kept


def _begins_table(region: Region, columns: Sequence[int], place: int) -> bool:
    texts = [cells[place].text for _, cells, _ in region if place in cells]
    labels = sum(not any(sign.isdigit() for sign in text) for text in texts)
    return len(texts) > 2 and labels >= _LABELS * len(texts) and place + 1 in columns


def _write_region(writer: BlockWriter, region: Region, above: Above) -> Above:
    columns = sorted({column for _, cells, _ in region for column in cells})
    near = region[0][0] - above.last <= _NEAR
    if len(columns) == 1:
        lines = [cells[columns[0]].text for _, cells, _ in region]
        for line in lines:
            writer.write_paragraph(line)
        return Above(region[-1][0], columns, lines)
    rows = list(region)
    last = rows[-1][0]
    titles = _take_titles(rows, columns)
    notes = _take_notes(rows, columns)
    for title in titles:
        writer.write_paragraph(title)
    named = titles or (list(above.lines) if near and above.columns == columns[:1] else [])
    said = " | ".join(named)[:_LONGEST_TITLE]
    goes_on = near and not titles and set(columns) <= set(above.columns) and bool(above.headers)
    headers: Sequence[Sequence[SpanCell]] = ()
    if goes_on and not _count_headers([_lay_row(row, columns) for row in rows[:_LOOKED_AT]]):
        columns, headers, said = list(above.columns), above.headers, above.title
    if rows:
        headers = _write_rows(writer, rows, columns, title=said, over=headers)
    for note in notes:
        writer.write_paragraph(note)
    return Above(last, columns, (), headers, said)


def _take_titles(rows: list[RegionRow], columns: Sequence[int]) -> list[str]:
    """Cut off the titles above a table: rows with a single text, at the left or over all columns."""
    taken = []
    while len(rows) > 1 and len(rows[0][1]) == 1:
        _, cells, spans = rows[0]
        ((column, cell),) = cells.items()
        across = spans.get(column, (1, 1))[0]
        if column != columns[0] or 1 < across < len(columns):
            break
        taken.append(cell.text)
        rows.pop(0)
    return taken


def _take_notes(rows: list[RegionRow], columns: Sequence[int]) -> list[str]:
    taken: list[str] = []
    while len(rows) > 1 and set(rows[-1][1]) == {columns[0]} and len(rows[-1][1][columns[0]].text) >= _NOTE:
        taken.insert(0, rows.pop()[1][columns[0]].text)
    return taken


def _write_rows(
    writer: BlockWriter, rows: Region, columns: Sequence[int], *, title: str, over: Sequence[Sequence[SpanCell]]
) -> Sequence[Sequence[SpanCell]]:
    """Write rows as a table, one too large for a grid in stretches; cells far apart are written row by row.

    `over` are the header rows of a table that these rows carry on. What comes back are those of this table, if known.
    """
    if len(columns) > MOST_CELLS // max(len(rows), 1) and len(columns) * len(rows) > 4 * sum(
        len(row[1]) for row in rows
    ):
        for _, cells, _ in rows:
            writer.write_paragraph("\t".join(cells[column].text for column in sorted(cells)))
        return ()
    made = [*over, *_lay_rows(rows, columns)]
    headers = len(over) or _count_headers(made)
    most = max(MOST_CELLS // len(columns) - headers, 1)
    for number, start in enumerate(range(headers, len(made), most)):
        stretch = [*made[:headers], *made[start : start + most]]
        writer.write_table(stretch, headers=headers, title=title, continued=number > 0 or bool(over))
    # Header rows with merged cells are told by the grid alone.
    grid = None if headers else lay_out(made[:_LOOKED_AT])
    return made[: grid.headers if grid is not None else headers]


def _lay_rows(rows: Region, columns: Sequence[int]) -> list[list[SpanCell]]:
    laid, reaches = [], dict[int, int]()
    for row in rows:
        number, _, spans = row
        covered = {column for column, end in reaches.items() if end >= number}
        laid.append(_lay_row(row, columns, covered))
        for column, (across, down) in spans.items():
            if down > 1:
                reaches |= dict.fromkeys(range(column, column + min(across, MOST_ACROSS)), number + down - 1)
    return laid


def _lay_row(row: RegionRow, columns: Sequence[int], hanging: Collection[int] = ()) -> list[SpanCell]:
    """A row's cells in the columns of the table, without those that a cell to the left covers.

    `hanging` are columns that a cell above covers.
    """
    _, cells, spans = row
    if not spans and not hanging:
        found = (cells.get(column) for column in columns)
        return [SpanCell(cell.text, strong=cell.strong) if cell else _EMPTY for cell in found]
    laid: list[SpanCell] = []
    covered = -1
    for column in columns:
        if column <= covered or (column in hanging and column not in cells):
            continue
        cell = cells.get(column)
        across, down = spans.get(column, (1, 1)) if cell else (1, 1)
        reach = bisect_left(columns, column + across) - bisect_left(columns, column) if across > 1 else 1
        covered = column + across - 1
        laid.append(
            SpanCell(cell.text if cell else "", min(reach, MOST_ACROSS), down, strong=bool(cell and cell.strong))
        )
    return laid


def _count_headers(rows: Sequence[Sequence[SpanCell]]) -> int:
    """Leading rows that name columns: by what they hold, or a first row of different names; 0 leaves it to the grid."""
    if any(cell.across > 1 or cell.down > 1 for row in rows[:2] for cell in row):
        return 0
    texts = [[cell.text for cell in row] for row in rows]
    width = max(map(len, texts))
    even = [[*row, *[""] * (width - len(row))] for row in texts[:_LOOKED_AT]]
    return guess_headers(even) or int(_names_all(even))


def _names_all(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names every column, each by another word, and none by a figure; two columns are a list."""
    first = rows[0]
    named = len(rows) > 1 and len(first) > 2 and all(first) and len(set(first)) == len(first)
    if not named or first[0][:1].isdigit():
        return False
    figures = [place for place, text in enumerate(first) if text[:1].isdigit()]
    return all(_DATE.match(first[place]) and _has_other_figures(rows[1:], place) for place in figures)


def _has_other_figures(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether figures that are no dates stand in a column: then a date over them is a period, and no entry."""
    below = [row[place] for row in rows if row[place]]
    return any(is_number(text) for text in below) and not any(_DATE.match(text) for text in below)
