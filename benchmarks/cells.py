"""Makes workbooks and decks of the shapes people keep figures in, draws cells, and judges each by what was written.

    python benchmarks/cells.py --seed 7 --cells 200 [--show]

Thirteen workbooks and as many decks are made anew for every seed: other names, figures, years, units, headers of one or
two levels, merged cells, groups, totals, notes, two tables on a sheet, periods as rows, units in rows of
their own, losses, charts. Of all their cells so many
are drawn. A cell is right when a table holds its value as it is shown, under every word of its row and its column, with
its unit and scale; no judgement is left to the program under test. `--show` prints what is wrong.
"""

import argparse
import io
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.tables.cells import CellReading, read_cell
from vectorless_web.engine.tables.view import tables_of

_PLACES = ("Bergen", "Oslo", "Riga", "Gdynia", "Aarhus", "Turku", "Kiel", "Malmo", "Tallinn", "Visby")
_THINGS = ("Cargo handled", "Berth fees", "Pilotage", "Crane hire", "Warehouse rent", "Ferry tickets", "Fuel", "Wages")
_GROUPS = ("Northern ports", "Southern ports", "Inland terminals")
_UNITS = (
    ("EUR million", "EUR", 6),
    ("USD thousand", "USD", 3),
    ("in thousands of pounds", "GBP", 3),
    ("SEK", "SEK", 0),
)
_MEASURED = ("tonnes", "hours", "EUR", "%")
"""What a column of units says: it is asked for as a unit and not as a header."""


@dataclass(frozen=True)
class Wanted:
    """What a reader sees of a cell: its text, every word over and before it, its unit ("" for none) and scale."""

    file: str
    shown: str
    row: tuple[str, ...]
    column: tuple[str, ...]
    unit: str = ""
    scale: int = 0


@dataclass
class Grid:
    """A table as it is laid out: header rows with the columns each cell spans; rows of labels, values and formats."""

    title: Sequence[str]
    headers: Sequence[Sequence[tuple[str, int]]]
    rows: Sequence[tuple[tuple[str, ...], Sequence[tuple[Any, str]]]]
    note: str = ""
    units: Callable[[int, tuple[str, ...]], tuple[str, int]] = field(default=lambda place, row: ("", 0))

    def columns(self) -> list[tuple[str, ...]]:
        """The words over each column, outermost first."""
        levels = [[text for text, span in header for _ in range(span)] for header in self.headers]
        return [tuple(dict.fromkeys(filter(None, own))) for own in zip(*levels, strict=True)]

    def wanted(self, file: str) -> Iterator[Wanted]:
        """The cells with figures or dates."""
        labels = len(self.rows[0][0])
        columns = self.columns()
        for row, values in self.rows:
            for place, (value, code) in enumerate(values):
                if value is not None:
                    unit, scale = self.units(place, row)
                    words = tuple(word.strip() for word in row if word and word not in _MEASURED)
                    yield Wanted(file, show(value, code), words, columns[labels + place], unit, scale)


def show(value: Any, code: str) -> str:
    """A value as a spreadsheet program shows it in one of the formats used here."""
    if value is None or isinstance(value, str):
        return value or ""
    if code == "0.0%":
        return f"{100 * value:.1f}%"
    if value < 0:
        return f"({-value:,.0f})"
    sign = {"$": "$", "€": "€"}.get(code[:1], "")
    return f"{sign}{value:,.2f}" if code.endswith("0.00") else f"{value:,.0f}"


def amount(draw: random.Random) -> tuple[Any, str]:
    return draw.randint(1_000, 98_000), "#,##0"


def share(draw: random.Random) -> tuple[Any, str]:
    return draw.randint(10, 900) / 1000, "0.0%"


def years(draw: random.Random, count: int) -> list[str]:
    last = draw.randint(2017, 2025)
    return [str(last - number) for number in range(count)]


def by_year(draw: random.Random) -> Grid:
    words, unit, scale = draw.choice(_UNITS)
    names = draw.sample(_THINGS, 5)
    rows = [((name,), [amount(draw) for _ in range(3)]) for name in names] + [(("Total",), [amount(draw)] * 3)]
    heads = [[("", 1), *((year, 1) for year in years(draw, 3))]]
    return Grid((f"Income of the port, {words}",), heads, rows, units=lambda place, row: (unit, scale))


def two_levels(draw: random.Random) -> Grid:
    words, unit, scale = draw.choice(_UNITS)
    over = draw.sample(_PLACES, 2)
    span = years(draw, 2)
    heads = [[("", 1), (over[0], 2), (over[1], 2)], [("", 1), *((year, 1) for _ in over for year in span)]]
    rows = [((name,), [amount(draw) for _ in range(4)]) for name in draw.sample(_THINGS, 5)]
    return Grid(("Two ports compared", f"({words})"), heads, rows, units=lambda place, row: (unit, scale))


def mixed_formats(draw: random.Random) -> Grid:
    heads = [[("Port", 1), ("Fee", 1), ("Share of calls", 1), ("Ships", 1)]]
    rows = [
        ((name,), [(draw.randint(100, 9000) / 4, "$#,##0.00"), share(draw), amount(draw)])
        for name in draw.sample(_PLACES, 6)
    ]
    return Grid(("Fees and calls",), heads, rows, units=lambda place, row: (("USD", 0), ("%", 0), ("", 0))[place])


def with_dates(draw: random.Random) -> Grid:
    heads = [[("Contract", 1), ("Signed", 1), ("Ends", 1), ("Rent (EUR)", 1)]]
    rows = []
    for name in draw.sample(_PLACES, 6):
        dates = [f"{draw.randint(2018, 2027)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(2)]
        rows.append(((f"Quay lease {name}",), [(dates[0], ""), (dates[1], ""), amount(draw)]))
    return Grid(("Leases",), heads, rows, units=lambda place, row: ("EUR", 0) if place == 2 else ("", 0))


def units_in_headers(draw: random.Random) -> Grid:
    heads = [[("Year", 1), ("Revenue (USD million)", 1), ("Cargo (tonnes)", 1), ("Margin", 1)]]
    rows = [((year,), [amount(draw), amount(draw), share(draw)]) for year in years(draw, 6)]
    units = (("USD", 6), ("tonnes", 0), ("%", 0))
    return Grid(("The port by year",), heads, rows, units=lambda place, row: units[place])


def unit_column(draw: random.Random) -> Grid:
    names = draw.sample(_THINGS, 4)
    named = dict(zip(names, _MEASURED, strict=True))
    heads = [[("Measure", 1), ("Unit", 1), *((year, 1) for year in years(draw, 2))]]
    rows = [((name, named[name]), [amount(draw), amount(draw)]) for name in names]
    return Grid(("Key measures",), heads, rows, units=lambda place, row: (named[row[0]], 0))


def groups(draw: random.Random) -> Grid:
    """The first column is merged over the rows of a group; each group ends with its total."""
    words, unit, scale = draw.choice(_UNITS)
    heads = [[("Region", 1), ("Port", 1), *((year, 1) for year in years(draw, 2))]]
    rows = []
    for group, at in zip(draw.sample(_GROUPS, 2), (0, 3), strict=True):
        for name in (*draw.sample(_PLACES, 8)[at : at + 3], "Subtotal"):
            rows.append(((group, name), [amount(draw), amount(draw)]))
    return Grid((f"Income by region, {words}",), heads, rows, units=lambda place, row: (unit, scale))


def noted(draw: random.Random) -> Grid:
    grid = by_year(draw)
    grid.note = "Figures are unaudited; the harbour office keeps the books."
    return grid


def quarters(draw: random.Random) -> Grid:
    words, unit, scale = draw.choice(_UNITS)
    year = years(draw, 1)[0]
    heads = [[("", 1), (year, 4)], [("", 1), ("Q1", 1), ("Q2", 1), ("Q3", 1), ("Q4", 1)]]
    rows = [((name,), [amount(draw) for _ in range(4)]) for name in draw.sample(_THINGS, 4)]
    return Grid((f"Quarterly income ({words})",), heads, rows, units=lambda place, row: (unit, scale))


def change(draw: random.Random) -> Grid:
    now, before = years(draw, 2)
    heads = [[("EUR thousand", 1), (now, 1), (before, 1), ("Change", 1)]]
    rows = [((name,), [amount(draw), amount(draw), share(draw)]) for name in draw.sample(_THINGS, 5)]
    return Grid(("Costs",), heads, rows, units=lambda place, row: ("%", 0) if place == 2 else ("EUR", 3))


def units_row(draw: random.Random) -> Grid:
    """A header level of its own says the unit of each column."""
    heads = [
        [("Port", 1), ("Income", 1), ("Cargo", 1), ("Growth", 1)],
        [("", 1), ("EUR m", 1), ("tonnes", 1), ("%", 1)],
    ]
    rows = [((name,), [amount(draw), amount(draw), (draw.randint(1, 90), "0")]) for name in draw.sample(_PLACES, 5)]
    units = (("EUR", 6), ("tonnes", 0), ("%", 0))
    return Grid(("Ports compared",), heads, rows, units=lambda place, row: units[place])


def losses(draw: random.Random) -> Grid:
    """Amounts below nothing stand in brackets."""
    words, unit, scale = draw.choice(_UNITS)
    heads = [[("", 1), *((f"FY{year}", 1) for year in years(draw, 3))]]
    code = "#,##0;(#,##0)"
    rows = [((name,), [(draw.randint(-9000, 9000), code) for _ in range(3)]) for name in draw.sample(_THINGS, 5)]
    return Grid((f"Result of the port ({words})",), heads, rows, units=lambda place, row: (unit, scale))


def sections(draw: random.Random) -> Grid:
    """Rows that only name the rows below them, whose labels are indented."""
    words, unit, scale = draw.choice(_UNITS)
    heads = [[("", 1), *((year, 1) for year in years(draw, 2))]]
    rows: list[tuple[tuple[str, ...], Sequence[tuple[Any, str]]]] = []
    names = draw.sample(_THINGS, 6)
    for group, own in (("Income", names[:3]), ("Expenses", names[3:])):
        rows.append(((group,), [(None, ""), (None, "")]))
        rows += [((f"    {name}",), [amount(draw), amount(draw)]) for name in own]
        rows.append(((f"Total {group.lower()}",), [amount(draw), amount(draw)]))
    return Grid((f"Budget, {words}",), heads, rows, units=lambda place, row: (unit, scale))


SHAPES = (
    by_year,
    two_levels,
    mixed_formats,
    with_dates,
    units_in_headers,
    unit_column,
    groups,
    noted,
    quarters,
    change,
    units_row,
    losses,
    sections,
)


def write_workbook(grids: Sequence[Grid], path: Path, *, beside: bool) -> None:
    """Tables below each other, or beside each other with an empty column between."""
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Figures")
    top, left = 0, 0
    for grid in grids:
        width = len(grid.columns())
        end = write_grid(book, sheet, grid, top, left)
        top, left = (0, left + width + 1) if beside else (end + 2, 0)
    book.close()


def write_grid(book: Any, sheet: Any, grid: Grid, top: int, left: int) -> int:
    """The row behind the last one written; the first column of a group is merged over its rows."""
    strong = book.add_format({"bold": True})
    row = top
    for line in grid.title:
        sheet.write_string(row, left, line, strong)
        row += 1
    for header in grid.headers:
        place = left
        for text, span in header:
            _write_span(sheet, (row, place, row, place + span - 1), text, strong)
            place += span
        row += 1
    for group in dict.fromkeys(label[0] for label, _ in grid.rows if label[0] in _GROUPS):
        own = [row + number for number, (label, _) in enumerate(grid.rows) if label[0] == group]
        _write_span(sheet, (own[0], left, own[-1], left), group, None)
    for label, values in grid.rows:
        said = [("" if text in _GROUPS else text, "") for text in label]
        for place, value in enumerate([*said, *values], start=left):
            _write_value(book, sheet, (row, place), value)
        row += 1
    if grid.note:
        sheet.write_string(row + 1, left, grid.note)
        row += 2
    return row


def _write_span(sheet: Any, span: tuple[int, int, int, int], text: str, look: Any) -> None:
    if span[:2] != span[2:]:
        sheet.merge_range(*span, text, look)
    elif text:
        sheet.write_string(*span[:2], text, look)


def _write_value(book: Any, sheet: Any, place: tuple[int, int], value: tuple[Any, str]) -> None:
    said, code = value
    if said is not None and not isinstance(said, str):
        sheet.write_number(*place, said, book.add_format({"num_format": code}))
    elif said:
        sheet.write_string(*place, said)


def write_deck(grid: Grid, path: Path, *, chart: bool) -> None:
    """One slide: the title, and the table, or a chart of it."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = " ".join(grid.title)
    if chart:
        data = CategoryChartData(number_format=grid.rows[0][1][0][1])
        data.categories = [row[0] for row, _ in grid.rows]
        for place, column in enumerate(grid.columns()[1:]):
            data.add_series(" ".join(column), [values[place][0] for _, values in grid.rows])
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(8), Inches(4), data)
    else:
        _write_slide_table(slide, grid)
    if grid.note:
        box = slide.shapes.add_textbox(Inches(1), Inches(6.6), Inches(8), Inches(0.5))
        box.text_frame.text = grid.note
    deck.save(str(path))


def _write_slide_table(slide: Any, grid: Grid) -> None:
    heads, width = len(grid.headers), len(grid.columns())
    shape = slide.shapes.add_table(heads + len(grid.rows), width, Inches(1), Inches(1.8), Inches(8), Inches(4))
    for number, header in enumerate(grid.headers):
        place = 0
        for text, span in header:
            shape.table.cell(number, place).text = text
            if span > 1:
                shape.table.cell(number, place).merge(shape.table.cell(number, place + span - 1))
            place += span
    for number, (label, values) in enumerate(grid.rows, start=heads):
        for place, text in enumerate((*label, *(show(*value) for value in values))):
            shape.table.cell(number, place).text = text


def make_files(folder: Path, draw: random.Random) -> list[Wanted]:
    """A workbook and a deck of each shape in a folder; all their cells."""
    wanted: list[Wanted] = []
    for number, shape in enumerate(SHAPES):
        grids = [shape(draw)]
        if number in (0, 4):
            grids.append(SHAPES[number + 1](draw))
        path = folder / f"{number}-{shape.__name__}.xlsx"
        write_workbook(grids, path, beside=number == 4)
        wanted += [cell for grid in grids for cell in grid.wanted(path.name)]
        grid = shape(draw)
        chart = shape is by_year
        path = folder / f"{number}-{shape.__name__}.pptx"
        write_deck(grid, path, chart=chart)
        wanted += grid.wanted(path.name)
    return wanted


def judge(cell: Wanted, readings: Sequence[tuple[str, CellReading]]) -> tuple[bool, bool, bool, str]:
    """Whether its value, its headers and its unit are right, and the nearest reading in words."""
    same = [reading for text, reading in readings if text == cell.shown]
    headed = [own for own in same if _holds(own.row_path, cell.row) and _holds(own.column_path, cell.column)]
    right = [
        reading
        for reading in headed
        if (reading.unit or reading.currency or "") == cell.unit and reading.scale == Decimal(10) ** cell.scale
    ]
    near = (right or headed or same or [None])[0]
    said = f"{near.row_path} {near.column_path} {near.unit!r} {near.currency!r} x{near.scale}" if near else "nothing"
    return bool(same), bool(headed), bool(right), said


def _holds(path: Sequence[str], words: Sequence[str]) -> bool:
    said = " ".join(path).casefold()
    return all(word.casefold() in said for word in words)


def read_cells(path: Path) -> list[tuple[str, CellReading]]:
    """Each cell of a file's tables as text with what is understood of it."""
    document = CompiledDocument(compile_file(path, name=path.name))
    views = tables_of(document.tree, range(1, len(document.tree)))
    return [
        (cell.text, read_cell(view, row, place))
        for view in views
        for row in view.table.body
        for place, cell in enumerate(row.cells)
        if cell.text
    ]


def main() -> None:
    """Print the shares of value, header and unit that are right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        wanted = make_files(Path(folder), draw)
        drawn = draw.sample(wanted, min(arguments.cells, len(wanted)))
        read = {name: read_cells(Path(folder) / name) for name in sorted({cell.file for cell in drawn})}
    verdicts = [(cell, judge(cell, read[cell.file])) for cell in drawn]
    out = io.StringIO()
    for kind in ("xlsx", "pptx"):
        own = [verdict for cell, verdict in verdicts if cell.file.endswith(kind)]
        rates = (sum(verdict[part] for verdict in own) / max(len(own), 1) for part in range(3))
        out.write(f"{kind}: {len(own)} cells; value {{:.3f}}, header {{:.3f}}, unit {{:.3f}}\n".format(*rates))
    whole = sum(verdict[2] for _, verdict in verdicts) / max(len(verdicts), 1)
    out.write(f"all three right: {whole:.3f} of {len(verdicts)}\n")
    if arguments.show:
        for cell, (_, _, right, said) in verdicts:
            if not right:
                out.write(f"  {cell.file} {cell.shown} {cell.row} {cell.column} {cell.unit} e{cell.scale} <- {said}\n")
    sys.stdout.write(out.getvalue())


if __name__ == "__main__":
    main()
