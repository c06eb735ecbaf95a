"""Turns grids into table drafts: text with its glyph runs, rows, columns with headers, periods and units."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from vectorless_web.engine.documents.node import Cell, Column, NodeKind, Row, Table
from vectorless_web.engine.parsing.drafts import Draft, TextBuilder
from vectorless_web.engine.parsing.lines import Vocabulary
from vectorless_web.engine.parsing.tables.cells import CellSpan, is_number
from vectorless_web.engine.parsing.tables.grid import Grid, GridRow
from vectorless_web.engine.parsing.tables.headers import Edge, RowPaths, header_text, lay_levels
from vectorless_web.engine.parsing.terms import any_of
from vectorless_web.engine.text.dates import MONTH_PATTERN

_SCALE = any_of("scale")
_UNITS = re.compile(
    rf"\(?(?:[^()|.]{{0,60}}\b)?(?:in|of)\s+{_SCALE}\b(?:[^()|.]|\([^()]*\)){{0,120}}\)?"
    rf"|\(\s*\$?\s*(?:U\.?S\.? )?(?:dollars? )?{_SCALE}\b[^()]{{0,80}}\)|\([^()]{{0,40}}[’']000s?[^()]{{0,40}}\)"
    rf"|^{_SCALE}\b[^.]{{0,80}}$",
    re.IGNORECASE,
)
_UNITS_HINT = re.compile(rf"{_SCALE}|000", re.IGNORECASE)
"""What every units line holds: few texts do, and to look for the whole pattern costs ten times as much."""
_WHOLE_UNITS = re.compile(
    rf"^\(?(?:(?:all )?(?:{any_of('amounts')}|[$€£¥])?[^()|.]{{0,40}}"
    rf"\b(?:in|of)\s+{_SCALE}\b[^|.]{{0,120}}|unaudited|{_SCALE})\)?(?:\s*\(unaudited\))?$",
    re.IGNORECASE,
)
_SHARE_BESIDE = re.compile(r"(?<=\d)\s+\([^()]*%\)$")
"""A share that a figure is followed by: "224 (50%)"."""
_QUANTILE = re.compile(r"(?:^|/ )\d{1,2}(?:\.\d+)?%$")
"""A share that is a column's name: "75%" beside "Mean"."""
_SEVERAL = 3
"""Columns with that of the labels from which a scale below a name holds for its column alone."""
_OFF_MIDDLE = 10.0
"""Points by which the middle of a title may stand beside the middle of its table."""
_FEW_ROWS, _SOME_ROWS = 3, 8
"""Rows that are too few to tell columns by what is in them, and those of a piece that begins without a label."""
_ITEM = re.compile(r"^\(?\d{1,2}[.)]$")
"""The number of an item in a list."""
_FEW_FIGURES = 0.1
"""Share of the cells that are figures, below which a table is one of words."""
_READABLE = re.compile(
    r"^[(\[\"'“‘]?(?:[^\W\d_]+(?:[-–’'/.&][^\W\d_]+)*|[A-Za-z\d][A-Za-z\d./–-]*|[#%&$€£±<>≤≥=+–—-])[.,;:)\]\"'’”%*]*$"
)
"""A word, a code or a sign as it is printed."""
_NAMES = re.compile(r"[^\W\d_]{2}|(?:19|20)\d\d")
"""What a column's name has: a word, or a year."""
_READ_HEADERS, _READ_CELLS = 0.7, 0.8
"""Shares of the words of headers, and of cells, that are such in a table of a scan."""
_CENTRAL = 0.15
"""Share of the columns' width by which a scale may stand beside their middle and hold for all."""
_FORM = re.compile(r"^(?:10-[KQ]|8-K|6-K|20-F|40-F|S-\d{1,2}|F-\d|DEF ?14A|14A|X)(?:/A)?\*?$")
"""The forms by which papers are filed, and the cross for a paper filed herewith."""
_FIGURE = re.compile(r"\d")
_SIGNER = re.compile(rf"\b{any_of('signer')}\b", re.I)
_YEAR = re.compile(r"(?<![\d.,$])(?:19|20)\d\d(?![\d,]|\.\d)")
_CODED = re.compile(r"\b(?:(?P<before>[1-4])Q|Q(?P<after>[1-4])|FY)\s?[’']?(?P<year>(?:20)?\d\d)\b")
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\.?\s+)?{MONTH_PATTERN}(?:\s+\d{{1,2}}(?!\d)|(?=,?\s+(?:19|20)\d\d))(?:,?\s+(?:19|20)\d\d)?",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(r"(?<![\d./-])[0-3]?\d([./-])[0-3]?\d\1(?:19|20)\d\d(?!\d)")
_SPAN = re.compile(
    rf"\b(?:{any_of('count')}|\d{{1,2}})\s+{any_of('counted')}\b|\bQ[1-4]\b|\b(?:fiscal\s+)?{any_of('period')}\s+ended\b",
    re.IGNORECASE,
)


def table_draft(grid: Grid, *, title: str, units: str, vocabulary: Vocabulary, columns: Sequence[Column] = ()) -> Draft:
    """The draft of a table whose caption (if any) is `title`; `units` are what is above it.

    `columns` are those of the table that it carries on, for one without a header of its own.
    """
    builder, rows = TextBuilder(vocabulary=vocabulary), []
    paths, particulars = RowPaths(), _says_particulars(grid.rows)
    for grid_row in grid.rows:
        rows.append(_write_row(builder, grid_row, paths, vocabulary, particulars=particulars))
    draft = builder.draft(NodeKind.TABLE, grid.rows[0].page, title=title)
    table = Table(tuple(columns) or tuple(_columns(grid)), tuple(rows))
    draft.table = with_units(table, units=_units_in(grid) or units)
    return draft


def lists_papers(table: Table) -> bool:
    """Whether a table is a list of filed papers: most rows name a form (10-K, S-8) and no header names the columns."""
    levels = [level for column in table.columns[1:] for level in column.path]
    names = [level for level in levels if not _FORM.match(level) and any(map(str.isalpha, level))]
    filed = sum(any(_FORM.match(cell.text.strip()) for cell in row.cells) for row in table.rows)
    return len(names) <= 1 and 2 * filed > len(table.rows)


def is_signed(table: Table) -> bool:
    """Whether rows are signatures ("/s/ ...") and no header says what is beside them."""
    signed = sum(any(cell.text.lstrip().casefold().startswith("/s/") for cell in row.cells) for row in table.rows)
    named = any(_SIGNER.search(level) for column in table.columns for level in column.path)
    return 3 * signed >= len(table.rows) and not named


def is_nameless(table: Table) -> bool:
    """Whether no header names the columns of a small table, so that nobody can tell what its figures mean.

    They are a piece of a table whose headers stand elsewhere, and are kept as text. Where the first row has no label
    either they may be more; words in several columns without names are no relation at all.
    """
    first = table.rows[0]
    labelled = bool(first.label) or any(_YEAR.search(cell.text) for cell in first.cells)
    if any(column.path for column in table.columns[1:]):
        return False
    if len(table.columns) > _SEVERAL and _are_bare_words(table):
        return True
    if len(table.rows) > (_FEW_ROWS if labelled else _SOME_ROWS):
        return False
    figures = [cell for row in table.rows for cell in row.cells[1:] if _FIGURE.search(cell.text)]
    return len(table.columns) > _SEVERAL and len(figures) >= _SEVERAL


def _are_bare_words(table: Table) -> bool:
    """Whether nearly all cells are words and no label ends in a colon: lists side by side, and no table."""
    said = [cell.text.strip() for row in table.rows for cell in row.cells[1:] if cell.length]
    if any(text.endswith(":") for text in (*said, *(row.label for row in table.rows))):
        return False
    return _FEW_FIGURES * len(said) > sum(is_number(text) and not _ITEM.match(text) for text in said)


def is_misread(table: Table) -> bool:
    """Whether a table of a scan, as a machine read it, lacks names of columns, or holds much that is no word.

    Strokes of drawings and lines are taken for letters then, and cells for those of another column.
    """
    heads = [column.path for column in table.columns[1:]]
    particulars = len(heads) == 1 and all(row.label.endswith(":") for row in table.body)
    if not particulars and (not all(heads) or len(set(heads)) < len(heads)):
        return True
    words = [word for path in heads for level in path for word in level.split()]
    return (
        not all(_NAMES.search(path[-1]) for path in heads if path)
        or _count_readable(words) < _READ_HEADERS * len(words)
        or _count_readable(said := [word for row in table.body for cell in row.cells for word in cell.text.split()])
        < _READ_CELLS * len(said)
    )


def _count_readable(words: Sequence[str]) -> int:
    return sum(bool(_READABLE.match(word)) or is_number(word) for word in words)


def find_units(text: str) -> str:
    """The units line in a text ("Dollars in millions, except per share data"), or ""."""
    match = _UNITS.search(text) if _UNITS_HINT.search(text) else None
    return " ".join(match.group().split()).strip(" ():") if match else ""


def with_units(table: Table, *, units: str = "", statement: str = "") -> Table:
    """A table with its units and kind of statement set, and the unit of each column."""
    units = units or table.units
    columns = tuple(
        column if number == 0 else replace(column, unit=_unit(table, number, units))
        for number, column in enumerate(table.columns)
    )
    return replace(table, columns=columns, units=units, statement=statement or table.statement)


def _unit(table: Table, number: int, units: str) -> str:
    figures = [row.cells[number].text for row in table.body if row.cells[number].length]
    percents = sum("%" in _SHARE_BESIDE.sub("", figure) for figure in figures)
    header = _QUANTILE.sub("", table.columns[number].header.casefold())
    if "%" in header or "percent" in header or (figures and 2 * percents > len(figures)):
        return "%"
    return units


def _says_particulars(rows: Sequence[GridRow]) -> bool:
    """Whether most rows are "Name: value". A row without a value heads no group in such a table."""
    named = [row for row in rows if row.cells[0] and row.cells[0][-1].text.rstrip().endswith(":")]
    return len(named) > 1 and 2 * sum(any(row.cells[1:]) for row in named) > len(rows)


def _write_row(
    builder: TextBuilder, row: GridRow, paths: RowPaths, vocabulary: Vocabulary, *, particulars: bool
) -> Row:
    offset = builder.length
    cells: list[Cell] = []
    last = max((number for number, spans in enumerate(row.cells) if spans), default=0)
    for number, spans in enumerate(row.cells):
        if 0 < number <= last:
            builder.append_unplaced("\t")
        cells.append(_write_cell(builder, spans))
    length = builder.length - offset
    builder.append_unplaced("\n")
    label = vocabulary.mend(" ".join((cells[0].text if row.path is None else row.label).split()))
    path = row.path
    if path is None:
        filled = any(row.cells[1:]) or (particulars and label.endswith(":"))
        path = () if row.is_header else paths.enter(label, row.left, has_figures=filled)
    return Row(label, tuple(cells), offset, length, row.page, row.is_header, path)


def _write_cell(builder: TextBuilder, spans: Sequence[CellSpan]) -> Cell:
    offset, begun = builder.length, len(builder.parts)
    for number, span in enumerate(spans):
        if number and builder.divided_at is None:
            builder.append_unplaced(" ")
        builder.raw(span.page, span.start, span.text)
    text = "".join(builder.parts[begun:])
    return Cell(text, offset, len(text))


def _columns(grid: Grid) -> list[Column]:
    if grid.columns:
        levels = [tuple(map(header_text, own)) for own in grid.columns]
        return [
            Column(" / ".join(own), period_of(own) if place else "", levels=own) for place, own in enumerate(levels)
        ]
    leading = list(itertools.takewhile(lambda row: row.is_header, grid.rows))
    labels = [_join_spans(row.cells[0]) for row in leading if row.cells[0]]
    over = [[span for spans in row.cells[1:] for span in spans] for row in leading]
    titles = [number for number, row in enumerate(leading) if _titles_all(row, over[number], grid)]
    apart = [_scales_one_column(leading, number, grid.edges) for number in range(len(leading))]
    told = [(spans, own) for number, (spans, own) in enumerate(zip(over, apart, strict=True)) if number not in titles]
    said = [spans for spans, own in told if spans and (own or not _says_units(spans))]
    levels = lay_levels(said, grid.edges, _find_percents(grid))
    # A period printed at the left margin heads all columns.
    period = [
        header_text(_join_spans(row.cells[0]))
        for row, spans in zip(leading, over, strict=True)
        if row.cells[0] and not spans and _heads_all(_join_spans(row.cells[0]))
    ]
    period += [header_text(over[number][0].text) for number in titles]
    columns = [Column(" / ".join(dict.fromkeys(map(header_text, labels))))]
    for own in levels:
        is_dated = any(map(_YEAR.search, own))
        path = tuple(dict.fromkeys((*(map(_without_year, period) if is_dated else period), *own)))
        columns.append(Column(" / ".join(path), period_of(path), levels=path))
    return columns


def _without_year(period: str) -> str:
    """A period over columns that say their years: "For the year ended 31 March 2025" heads "2024", too."""
    return _YEAR.sub("", period).strip(" ,") if len(_YEAR.findall(period)) == 1 else period


def _find_percents(grid: Grid) -> list[int]:
    """The figure columns whose first figure has a % sign; their other figures need none."""
    columns = ([row.cells[place] for row in grid.rows if not row.is_header] for place in range(1, len(grid.edges) + 1))
    first = (next((spans for spans in cells if spans and _FIGURE.search(_join_spans(spans))), []) for cells in columns)
    return [place for place, spans in enumerate(first) if _join_spans(spans).rstrip(" )").endswith("%")]


def _titles_all(row: GridRow, spans: Sequence[CellSpan], grid: Grid) -> bool:
    """Whether the only words of a line name a period and stand over the middle of the whole table, labels included."""
    if len(spans) != 1 or row.cells[0] or not _is_dated(spans[0].text):
        return False
    first, last = grid.edges[0][0], grid.edges[-1][1]
    left, right = min((own.left for own in grid.rows if own.cells[0]), default=first), last
    middle = (spans[0].left + spans[0].right) / 2
    beside = abs(middle - (left + right) / 2)
    return beside < _OFF_MIDDLE and beside < abs(middle - (first + last) / 2) and spans[0].left < first


def _heads_all(label: str) -> bool:
    return bool(_SPAN.search(label)) and not find_units(label)


def _says_units(spans: Sequence[CellSpan]) -> bool:
    """Whether a line of the header says the units of the whole table, or that it is unaudited, and nothing else."""
    text = " ".join(span.text for span in spans).strip()
    return len(spans) == 1 and bool(_WHOLE_UNITS.match(text))


def _is_central(cells: Sequence[Sequence[CellSpan]], edges: Sequence[Edge]) -> bool:
    span = next(spans[0] for spans in cells[1:] if spans)
    left, right = edges[0][0], edges[-1][1]
    return abs(span.left + span.right - left - right) < 2 * _CENTRAL * (right - left)


def _scales_one_column(rows: Sequence[GridRow], number: int, edges: Sequence[Edge]) -> bool:
    """Whether a line of a header states the scale of single columns: beside names, or below the name of one column.

    "Price   (in millions)" scales one column; below years, or above all names, a scale holds for the whole table.
    """
    told = [(place, _join_spans(spans)) for place, spans in enumerate(rows[number].cells) if place and spans]
    scales = [place for place, text in told if find_units(text) and "except" not in text]
    others = [text for place, text in told if place not in scales]
    names = [
        [_join_spans(row.cells[place]) for row in rows[:number] if row.cells[place]]
        + [text for own, text in told if own == place and not _WHOLE_UNITS.match(text.strip())]
        for place in scales
    ]
    if not scales or any(map(_is_dated, [text for _, text in told] + [text for own in names for text in own])):
        return False
    named = all(names)
    alone = len(told) == 1 and len(rows[number].cells) > _SEVERAL and not _is_central(rows[number].cells, edges)
    return named and (alone or any(not find_units(text) for text in others))


def _is_dated(text: str) -> bool:
    return bool(_YEAR.search(text) or _SPAN.search(text) or _DATE.search(text))


def _join_spans(spans: Sequence[CellSpan]) -> str:
    return " ".join(" ".join(span.text.split()) for span in spans)


def period_of(parts: Sequence[str]) -> str:
    """The period a column header names: its span or date, and its year."""
    header = " ".join(parts)
    if parts and _CODED.fullmatch(parts[-1].strip()):
        return _coded_period(parts[-1])  # "2Q24" below the date on which it was foreseen
    years = _YEAR.findall(header)
    numeric = _NUMERIC_DATE.search(header)
    if not years and not numeric:
        return _coded_period(header)
    span, date = _SPAN.search(header), numeric or _DATE.search(header)
    words = [span.group() if span else "", date.group() if date else ""]
    if not numeric and not _YEAR.search(" ".join(words)):
        words.append(years[-1])
    return " ".join(word for word in words if word)


def _coded_period(header: str) -> str:
    """ "2Q23", "Q2 '23" and "FY23" written out."""
    match = _CODED.search(header)
    if not match:
        return ""
    quarter = match["before"] or match["after"] or ""
    year = match["year"] if len(match["year"]) == len("2023") else f"20{match['year']}"
    return f"Q{quarter} {year}" if quarter else year


def _units_in(grid: Grid) -> str:
    rows = grid.rows[:8]
    for number, row in enumerate(rows):
        if not row.is_header and any(row.cells[1:]):
            break
        for spans in row.cells[: 1 if _scales_one_column(rows, number, grid.edges) else None]:
            units = find_units(_join_spans(spans)) if spans else ""
            if units:
                return units
    return ""
