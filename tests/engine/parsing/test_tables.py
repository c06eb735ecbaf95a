"""Tables as relations: what each cell's row, column, unit, period and footnotes are, in every format."""

import time
from decimal import Decimal

import pytest

from tests.engine.parsing.conftest import uncovered
from tests.support.paper import Text, pdf, prose
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import table_from_json, table_to_json
from vectorless_web.engine.tables.cells import CellReading, read_cell
from vectorless_web.engine.tables.view import ColumnKind, TableView, tables_of


def views(document: CompiledDocument) -> list[TableView]:
    """All tables of a document."""
    return list(tables_of(document.tree, range(1, len(document.tree))))


def read(view: TableView, label: str, place: int) -> CellReading:
    """What is understood of a cell in the first row with that label."""
    return read_cell(view, next(row for row in view.table.body if row.label == label), place)


def laid(rows: list[tuple[float, list[tuple[float, str]]]]) -> bytes:
    """A page of prose and below it rows of cells, each (baseline, [(left edge, words)])."""
    cells = [Text(left, top, words, 9) for top, row in rows for left, words in row]
    return pdf([[*prose(72, 90, 6), *cells]])


def figures(top: float, label: str, *cells: str, edges: tuple[float, ...] = (300, 380, 460, 540)) -> tuple:
    """A row of figures whose last characters stand at the edges."""
    return top, [(72, label), *((right - 5 * len(cell), cell) for right, cell in zip(edges, cells, strict=False))]


def test_a_percent_sign_far_from_a_year_begins_another_column(compiled):
    rows = [
        (200, [(72, "Three Months Ended June 30,"), (280, "2023"), (360, "2022"), (440, "%")]),
        (211, [(430, "Change")]),
        figures(224, "Day tickets", "410", "398", "3 %"),
        figures(236, "Season tickets", "77", "70", "10 %"),
        figures(248, "Group tickets", "12", "14", "(14) %"),
    ]
    [view] = views(compiled(laid(rows)))
    assert [period.year for period in view.periods[1:3]] == [2023, 2022]
    assert [period.months for period in view.periods[1:3]] == [3, 3]
    assert view.kinds[3] is ColumnKind.CHANGE


LOST_SPANS = """<table><thead>
<tr><th></th><th></th><th>Years Ended 31 March</th><th></th><th>Change</th><th></th></tr>
<tr><th>(EUR in thousands)</th><th>2024</th><th>2023</th><th>2022</th><th>2024 over 2023</th><th></th></tr>
</thead><tbody>
<tr><td>Vans</td><td>1,204</td><td>1,150</td><td>1,011</td><td>54</td><td>4.7%</td></tr>
<tr><td>Lorries</td><td>880</td><td>910</td><td>870</td><td>(30)</td><td>(3.3)%</td></tr>
</tbody></table>"""


def test_a_header_that_lost_its_span_reaches_the_blanks_beside_it(compiled):
    [view] = views(compiled(f"<html><body><p>Fleet</p>{LOST_SPANS}</body></html>", "fleet.html"))
    assert [column.path[0] for column in view.table.columns[1:]] == ["Years Ended 31 March"] * 3 + ["Change"] * 2
    cell = read(view, "Lorries", 3)
    assert (cell.period.words, cell.scale, cell.currency) == ("year ended 31 March 2022", 1000, "EUR")
    assert read(view, "Vans", 5).unit == "%"


def test_a_specification_sheet_loses_no_row_to_a_header(compiled):
    sheet = "<table><tr><td>Model</td><td>KX-2</td></tr><tr><td>Weight</td><td>4.5 kg</td></tr>"
    sheet += "<tr><td>Voltage</td><td>230 V</td></tr></table>"
    [view] = views(compiled(f"<html><body><h1>Drill</h1>{sheet}</body></html>", "drill.html"))
    assert [row.label for row in view.table.body] == ["Model", "Weight", "Voltage"]
    assert read(view, "Weight", 1).unit == "kg"


def test_groups_within_groups_are_told_apart(compiled):
    rows = ["Assets", "Current assets:", "Cash 10 11", "Stock 5 6", "Total current assets 15 17", "Other assets:"]
    rows += ["Land 70 71", "Total assets 85 88"]
    cells = "".join(
        f"<tr>{''.join(f'<td>{part}</td>' for part in [row.rstrip(' 0123456789'), *row.split()[-2:]][:3])}</tr>"
        if row[-1].isdigit()
        else f"<tr><td>{row}</td><td></td><td></td></tr>"
        for row in rows
    )
    page = f"<html><body><table><tr><th></th><th>2023</th><th>2022</th></tr>{cells}</table></body></html>"
    [view] = views(compiled(page, "balance.html"))
    assert read(view, "Stock", 1).row_path == ("Assets", "Current assets:", "Stock")
    assert read(view, "Land", 2).row_path == ("Assets", "Other assets:", "Land")


@pytest.mark.parametrize(
    "header,unit,scale",
    [
        ("Price (EUR)", "EUR", 1),
        ("2023 €m", "EUR", 1_000_000),
        ("Dose (mg/kg)", "mg/kg", 1),
        ("Revenue in USD million", "USD", 1_000_000),
        ("Loss/(gain)", "", 1),
        ("Trips (a)", "", 1),
        ("Share %", "%", 1),
    ],
)
def test_a_header_gives_its_column_a_unit(compiled, header, unit, scale):
    [view] = views(compiled(f"# List\n\n| Item | {header} |\n|---|---|\n| Alpha | 12 |\n| Beta | 14 |\n", "list.md"))
    cell = read(view, "Beta", 1)
    assert (cell.unit, cell.scale) == (unit, Decimal(scale))


def test_rows_that_name_periods_give_them_to_their_cells(compiled):
    page = "# Rain\n\n| Quarter | Oslo (mm) | Bergen (mm) |\n|---|---|---|\n"
    page += "| Year ended 31 December 2022 | | |\n| First quarter | 120 | 480 |\n| Second quarter | 90 | 300 |\n"
    [view] = views(compiled(page, "rain.md"))
    assert read(view, "Second quarter", 2).period.words == "Q2 2022"
    assert read(view, "Second quarter", 2).unit == "mm"


def test_notes_columns_are_no_figures(compiled):
    page = (
        "# Costs\n\n| | Note | 2023 | 2022 |\n|---|---|---|---|\n| Fuel | 4 | 120 | 130 |\n| Wages | 5 | 300 | 290 |\n"
    )
    [view] = views(compiled(page, "costs.md"))
    assert view.kinds == (ColumnKind.LABEL, ColumnKind.NOTE, ColumnKind.FIGURES, ColumnKind.FIGURES)


CSV = 'Item;Town;Price (EUR);Stock 2023\n"Nut; hex";Oslo;0.30;10\nBolt;Bergen;1.20;4\nWasher;Oslo;0.05;7\n'


def test_a_csv_file_is_one_relation(compiled):
    document = compiled(CSV, "stock.csv")
    [view] = views(document)
    assert [row.label for row in view.table.body] == ["Nut; hex", "Bolt", "Washer"]
    assert read(view, "Nut; hex", 2).unit == "EUR"
    assert view.periods[3].year == 2023
    assert not uncovered(document)


def test_prose_with_commas_is_no_table(compiled):
    assert not views(compiled("We met, talked, and left.\nThen, later, we ate.\nTired, full, we slept.\n", "diary.txt"))


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_hundred_thousand_rows_are_read_in_parts_and_none_is_lost(compiled):
    started = time.process_time()
    found = views(compiled("id,name,2023\n" + "".join(f"{n},part {n},{3 * n}\n" for n in range(100_000)), "big.csv"))
    assert time.process_time() - started < 40
    parts = found[7].parts
    assert sum(len(view.table.body) for view in parts) == 100_000
    assert {view.table.columns for view in parts} == {found[0].table.columns}


def test_five_hundred_columns_are_read(compiled):
    header = ",".join(f"c{number}" for number in range(500))
    document = compiled(header + "\n" + "\n".join(",".join(["7"] * 500) for _ in range(4)), "wide.csv")
    assert len(views(document)[0].table.columns) == 500
    assert not uncovered(document)


def test_a_header_that_is_repeated_on_the_next_page_is_no_row(compiled):
    def page(first: int) -> list[Text]:
        header = [Text(280, 60, "2023", 9), Text(360, 60, "2022", 9)]
        rows = [figures(74 + 12 * n, f"Line {first + n}", str(100 + n), str(200 + n)) for n in range(50)]
        return [*header, *(Text(left, top, words, 9) for top, row in rows for left, words in row)]

    found = views(compiled(pdf([[*prose(72, 30, 1), *page(0)[:2]], page(0), page(50), page(100), page(150)][1:])))
    assert [view.table.part for view in found] == list(range(len(found)))
    body = [row.label for part in found[0].parts for row in part.table.body]
    assert body == [f"Line {number}" for number in range(200)]
    assert {period.year for view in found for period in view.periods[1:]} == {2023, 2022}


def test_tables_of_earlier_programs_can_be_read():
    raw = b'[[["","",""],["Year ended May 31 / 2023","2023",""]],[["Rent",[[0,4],[5,2]],0,7,0,false,[]]],"","income"]'
    table = table_from_json(raw, "Rent\t12\n")
    assert table.columns[1].path == ("Year ended May 31", "2023")
    assert (table.part, table.rows[0].cells[1].text) == (0, "12")
    assert table_from_json(table_to_json(table), "Rent\t12\n") == table


CLUB = """# Club

Income for the year ended 30 June 2024 ($ in thousands, except per member)

| | FY2024 | FY2023 |
|---|---|---|
| Fees | 412 | 398 |
| Income per member ($) | 41.20 | 39.80 |
| Number of members | 913 | 887 |
| 4.5% bonds | 20 | 25 |

Heating in MWh.

| House | 2024 | Unit price (EUR) |
|---|---|---|
| North | 120 | 0.20 |
"""


@pytest.mark.parametrize(
    "label,place,unit,scale",
    [
        ("Fees", 1, "USD", 1000),
        ("Income per member ($)", 1, "USD", 1),
        ("Number of members", 1, "", 1),
        ("4.5% bonds", 2, "USD", 1000),
        ("North", 1, "MWh", 1),
        ("North", 2, "EUR", 1),
    ],
)
def test_a_units_line_reaches_the_figures_it_means(compiled, label, place, unit, scale):
    found = views(compiled(CLUB, "club.md"))
    view = next(view for view in found if any(row.label == label for row in view.table.body))
    cell = read(view, label, place)
    assert (cell.unit, cell.scale) == (unit, Decimal(scale))


def test_tables_set_side_by_side_have_labels_of_their_own(compiled):
    page = "| Pin | Signal | Pin | Signal |\n|---|---|---|---|\n| 1 | SDA | 5 | GND |\n| 2 | SCL | 6 | VCC |\n"
    [view] = views(compiled(f"# Plug\n\n{page}", "plug.md"))
    row = view.table.body[0]
    assert [read_cell(view, row, place).row_path for place in (1, 3)] == [("1",), ("5",)]


def table_page(rows: str, before: str = "", heading: str = "Report") -> str:
    return f"<html><body><h2>{heading}</h2><p>{before}</p><table>{rows}</table></body></html>"


def cells(*texts: str) -> str:
    return "<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>"


def test_units_are_read_from_a_long_lead_in_and_from_the_section(compiled):
    rows = cells("", "2023", "2022") + cells("Mooring", "1,100", "1,050") + cells("Storage", "320", "300")
    lead = "The harbour keeps accounts of each quay and each basin, and the board reads them twice a year. " * 3
    [view] = views(compiled(table_page(rows, f"{lead}Income was (in thousands of Canadian dollars):"), "a.html"))
    cell = read(view, "Storage", 1)
    assert (cell.unit, cell.scale) == ("CAD", 1000)
    [view] = views(compiled(table_page(rows, lead, "NOTES (in millions, except headcount)"), "b.html"))
    assert read(view, "Storage", 1).scale == 1_000_000


@pytest.mark.slow
def test_a_long_list_of_cells_is_one_run_a_page_and_keeps_every_character(compiled):
    lines = ["No,Quay,Berth,Fee", *(f"{n},Quay {n % 7},Berth {n % 31},{n}.50" for n in range(20_000))]
    document = compiled("\n".join(lines), "berths.csv")
    found = views(document)
    assert sum(len(view.table.body) for view in found) == 20_000
    assert {view.table.columns[1].path for view in found} == {("Quay",)}
    assert all(len(view.node.runs) == 1 for view in found)
    assert document.report.coverage == 1.0


def scanned(rows: list[tuple[float, list[tuple[float, str]]]]) -> bytes:
    """The same page as its scan is read by a machine: nothing of its text is painted."""
    cells = [(left, top, words) for top, row in rows for left, words in row]
    lines = [(line.x, line.y, line.words) for line in prose(72, 90, 6)]
    return pdf([[Text(left, top, words, 9, painted=False) for left, top, words in (*lines, *cells)]])


TIDES = [
    (200, [(72, "Gauge"), (282, "High water"), (362, "Low water")]),
    figures(214, "Northern quay", "4.12", "0.85"),
    figures(226, "Southern quay", "3.98", "0.91"),
    figures(238, "Outer mole", "4.40", "0.77"),
]


def test_a_scan_keeps_a_table_whose_columns_have_names(compiled):
    [view] = views(compiled(scanned(TIDES)))
    assert read(view, "Southern quay", 2).column_path == ("Low water",)


@pytest.mark.parametrize(
    "rows",
    [
        TIDES[1:],
        [(200, [(72, "Gauge"), (290, '"~ i'), (370, "|-_ w")]), *TIDES[1:]],
        [TIDES[0], *(figures(top, words, "4.12", "~-=", "0.85") for top, words in ((214, "~ _,, -="), (226, "|~ ==")))],
    ],
    ids=["no names", "strokes for names", "strokes for words"],
)
def test_strokes_that_a_machine_took_for_letters_make_no_table(compiled, rows):
    document = compiled(scanned(rows))
    assert not views(document)
    assert not uncovered(document)


def test_a_listing_of_a_program_is_no_table(compiled):
    rows = [("10 20 40", "60"), ("20 40 50", "60"), ("31 42 50", "61")]
    cells = [
        Text(left, 200 + 12 * n, words, 9, font="typed")
        for n, row in enumerate(rows)
        for left, words in ((72, f"read {n}"), (300, row[0]), (460, row[1]))
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *cells]]))
    assert not views(document)
    assert not uncovered(document)


def test_a_file_written_in_a_typewriters_letters_keeps_its_tables(compiled):
    lines = [Text(line.x, line.y, line.words, 9, font="typed") for line in prose(72, 90, 6)]
    cells = [Text(left, top, words, 9, font="typed") for top, row in TIDES for left, words in row]
    assert len(views(compiled(pdf([[*lines, *cells]])))) == 1


def test_a_sentence_with_a_wide_space_before_the_next_heads_no_figures(compiled):
    first = "The depths are kept as a file of plain numbers."
    rows = [(200, [(72, first), (296, "The soundings are listed one below the other here.")]), (214, [])]
    found = views(compiled(laid([*rows, figures(226, "", "1280", "720", "9")])))
    assert not found


def test_a_table_carried_on_without_some_columns_keeps_their_places(compiled):
    head = [(40, [(72, "Paper"), (180, "Form"), (280, "Number"), (380, "Filed on"), (480, "Enclosed")])]
    first = [
        (54 + 14 * n, [(72, f"Deed {n}"), (180, "10-Q"), (286, f"3.{n}"), (380, f"May {n}, 2015")]) for n in range(1, 6)
    ]
    second = [
        (54 + 14 * n, [(72, f"Plan {n}"), (180, "8-K"), (286, f"4.{n}"), (380, f"June {n}, 2016")]) for n in range(1, 5)
    ]
    pages = [[Text(left, top, words, 9) for top, row in rows for left, words in row] for rows in (head + first, second)]
    found = views(compiled(pdf(pages)))
    assert {tuple(column.header for column in view.table.columns) for view in found} == {
        ("Paper", "Form", "Number", "Filed on", "Enclosed")
    }


def test_an_index_of_prices_takes_no_scale_from_other_tables(compiled):
    money = [figures(200 + 12 * n, f"Boat {n}", "$ 1,120", "985") for n in range(3)]
    tables = []
    for k in range(4):
        tables.append([(190, [(72, "(in millions)"), (290, "2023"), (370, "2022")]), *money] if k else [])
    prices = [(190, [(290, "12/14"), (370, "12/15")])]
    prices += [figures(204 + 12 * n, f"Share {n}", "$ 100.00", "194.07") for n in range(3)]
    pages = [
        [*prose(72, 90, 6), *[Text(left, top, words, 9) for top, row in rows for left, words in row]]
        for rows in [*tables[1:], prices]
    ]
    found = views(compiled(pdf(pages)))
    assert [found[0].scale, found[-1].scale] == [1_000_000, 1]
    assert [column.header for column in found[-1].table.columns[1:]] == ["12/14", "12/15"]


def columns(view) -> list[tuple[str, ...]]:
    """The paths of the columns of figures."""
    return [column.path for column in view.table.columns[1:]]


def test_a_table_of_other_years_on_the_next_page_carries_nothing_on(compiled):
    def page(top: float, year: int) -> list[Text]:
        names = ("Bonds of towns", "Bonds of states", "Notes", "Shares", "Funds")
        cells = [(300, top, f"December 31, {year}"), (290, top + 12, "Cost"), (390, top + 12, "Value")]
        for number, name in enumerate(names):
            own = top + 26 + 14 * number
            cells += [(72, own, name), (290, own, f"{year - 1900 + 7 * number}"), (390, own, f"{year - 1800 + number}")]
        return [Text(left, line, words, 9) for left, line, words in cells]

    first, second = views(compiled(pdf([[*prose(72, 90, 6), *page(400, 2016)], page(90, 2017)])))
    assert [view.periods[1].year for view in (first, second)] == [2016, 2017]


def test_a_name_repeated_at_the_top_of_pages_heads_its_column(compiled):
    def page(title: str) -> list[Text]:
        cells = [(72, 40, title), (433, 62, "% Change"), (433, 72, f"of {title}"), (332, 72, "2022")]
        for number, label in enumerate(("Harbour dues", "Rents", "Fuel")):
            top = 88 + 14 * number
            cells += [(72, top, f"{label} {title}"), (335, top, f"{24 + number}"), (440, top, f"{9 + number} %")]
        return [*(Text(left, top, words, 9) for left, top, words in cells), *prose(72, 300, 6)]

    titles = ("North", "South", "East", "West")
    found = views(compiled(pdf([page(title) for title in titles])))
    assert [columns(view)[-1] for view in found] == [(f"% Change of {title}",) for title in titles]


def test_a_header_printed_after_the_notes_heads_its_columns(compiled):
    edges = (322, 382, 452, 512)
    rows = [
        (213, [(72, "(in millions)"), (302, "2021"), (362, "2020"), (432, "2021"), (492, "2020")]),
        figures(226, "Dues", "410", "380", "1,620", "1,544", edges=edges),
        figures(238, "Rents", "22", "18", "90", "81", edges=edges),
    ]
    written = [Text(left, top, words, 9) for top, row in rows for left, words in row]
    late = [Text(left, 200, words, 9) for left, words in [(308, "Fourth Quarter"), (440, "Full Year Ended")]]
    document = compiled(pdf([[*prose(72, 90, 6), *written, *prose(72, 400, 6), *late]]))
    [view] = views(document)
    assert [column.path[0] for column in view.table.columns[1:]] == ["Fourth Quarter"] * 2 + ["Full Year Ended"] * 2
    assert not uncovered(document)


def at_top(n: int, *, text: str) -> list[Text]:
    """A page that begins with a text of its own and goes on with a header that other pages have too."""
    header = [
        (64, [(250, "Open waters"), (350, "Docks")]),
        (75, [(230, "2021"), (280, "2020"), (330, "2021"), (380, "2020")]),
    ]
    rows = [figures(88 + 12 * k, f"Quay {n}{k}", "14", "19", "72", "35", edges=(250, 300, 350, 400)) for k in range(4)]
    return [Text(left, top, words, 9) for top, row in [(50, [(72, text)]), *header, *rows] for left, words in row]


def test_headers_of_tables_below_text_are_no_running_lines(compiled):
    text = "The moorings let in basin {} are told by the kind of water they stand in, as follows for two years:"
    pages = [[*at_top(n, text=text.format("ABCDE"[n])), *prose(72, 200, 8)] for n in range(5)]
    found = views(compiled(pdf(pages)))
    assert len(found) == 5
    assert all(view.table.columns[1].path == ("Open waters", "2021") for view in found)


def test_years_side_by_side_on_every_page_are_no_running_line(compiled):
    pages = [[*at_top(n, text="Let moorings"), *prose(72, 200, 8)] for n in range(5)]
    found = views(compiled(pdf(pages)))
    assert all(view.table.columns[1].path[-1] == "2021" for view in found)


def test_headers_of_several_lines_printed_after_the_page_stand_over_their_columns(compiled):
    rows = [(230, "Ferries", "12", "14"), (242, "Barges", "31", "28"), (254, "Tugs", "7", "9")]
    body = [Text(left, top, cell, 9) for top, *cells in rows for left, cell in zip((72, 320, 420), cells, strict=True)]
    late = [Text(340, 204, "SECOND QUARTER", 9), Text(318, 217, "2023", 9), Text(418, 217, "2022", 9)]
    (view,) = views(compiled(pdf([[*prose(72, 90, 6), *body, *prose(72, 400, 6), *late]])))
    assert columns(view) == [("SECOND QUARTER", "2023"), ("SECOND QUARTER", "2022")]


def test_the_heading_of_all_notes_says_the_units_of_their_tables(compiled):
    rows = cells("", "2023", "2022") + cells("Mooring", "$ 1,100", "$ 1,050") + cells("Storage", "320", "300")
    page = table_page(rows, "The table sums up what was paid.", "NOTE 16 - Pay")
    page = page.replace("<body>", "<body><h2>NOTES TO FINANCIAL STATEMENTS (in thousands, except for shares)</h2>")
    [view] = views(compiled(page, "notes.html"))
    assert read(view, "Storage", 1).scale == 1000


def test_a_running_line_hides_no_units_and_no_date_above(compiled):
    foot = [Text(72, 60, "Harbour of Bergen", 9)]
    page = [
        *foot,
        Text(72, 112, "Pay of the crew as on March 31, 2003 (in Rs.)", 9),
        *(Text(x, top, words, 9) for x, top, words in ((290, 140, "Wages"), (370, 140, "Extras"))),
        *(Text(x, top, words, 9) for x, top, words in ((72, 154, "Mate"), (280, 154, "6,000"), (370, 154, "1,200"))),
        *(Text(x, top, words, 9) for x, top, words in ((72, 166, "Cook"), (280, 166, "5,000"), (370, 166, "1,100"))),
    ]
    document = compiled(pdf([[*foot, *prose(72, 90, 6)], [*foot, *prose(72, 90, 6)], page]))
    [view] = views(document)
    assert read(view, "Cook", 1).unit == "INR"


def test_a_title_over_the_first_rows_is_no_level_of_the_marked_header(compiled):
    head = "<tr><th></th><th>2019</th><th>2018</th></tr><tr><th></th><th>What was earned:</th><th></th></tr>"
    rows = cells("Fares", "39", "38") + cells("", "What was owned:", "") + cells("Boats", "27", "57")
    [view] = views(compiled(table_page(f"<thead>{head}</thead>{rows}"), "titles.html"))
    assert read(view, "Boats", 2).column_path == ("2018",)


def test_the_day_of_a_header_that_is_printed_again_is_no_header(compiled):
    rows = cells("", "", "Years Ended May 31,", "31,").replace("td>", "th>") + cells("", "2021", "2020", "2019")
    rows += cells("Dues", "$ 4", "3", "2")
    [view] = views(compiled(table_page(rows + cells("Rents", "5", "4", "3")), "days.html"))
    assert columns(view) == [("Years Ended May 31,", year) for year in ("2021", "2020", "2019")]
