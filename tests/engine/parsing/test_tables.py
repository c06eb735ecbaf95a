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


QUARTERS = laid(
    [
        (200, [(292, "Three Months Ended"), (452, "Nine Months Ended")]),
        (212, [(300, "September 30,"), (464, "September 30,")]),
        (224, [(280, "2023"), (360, "2022"), (440, "2023"), (520, "2022")]),
        (236, [(340, "(in thousands)")]),
        figures(250, "Ferry fares", "4,120", "3,985", "12,400", "11,870"),
        figures(262, "Harbour dues", "88", "91", "260", "(12)"),
        figures(274, "Total income", "4,208", "4,076", "12,660", "11,858"),
    ]
)


def test_a_spanning_header_with_a_duration_reaches_all_its_columns(compiled):
    [view] = views(compiled(QUARTERS))
    assert [period.words for period in view.periods[1:]] == [
        "three months ended 30 September 2023",
        "three months ended 30 September 2022",
        "nine months ended 30 September 2023",
        "nine months ended 30 September 2022",
    ]
    assert [period.months for period in view.periods[1:]] == [3, 3, 9, 9]
    cell = read(view, "Harbour dues", 4)
    assert (cell.scale, cell.column_path[-1]) == (1000, "2022")


WRAPPED = laid(
    [
        (200, [(285, "Quoted")]),
        (211, [(283, "Prices in"), (364, "Other"), (440, "Unobserved")]),
        (222, [(285, "Markets"), (364, "Inputs"), (447, "Inputs"), (530, "Total")]),
        figures(236, "Bonds", "10", "20", "30", "60"),
        figures(248, "Shares", "11", "21", "31", "63"),
        figures(260, "Funds", "12", "22", "32", "66"),
    ]
)


def test_a_wrapped_header_stays_over_its_own_column(compiled):
    [view] = views(compiled(WRAPPED))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Quoted Prices in Markets",),
        ("Other Inputs",),
        ("Unobserved Inputs",),
        ("Total",),
    ]


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


def test_a_figure_with_a_footnote_mark_is_a_figure_of_the_first_row(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022")]),
        (214, [(72, "Rented quays"), (270, "$ 8,399 (a)"), (355, "$ 7,782")]),
        (226, [(72, "Owned quays"), (270, "   8,756 (a)"), (355, "  8,183")]),
        (238, [(72, "Total quays"), (270, "  17,155"), (355, " 15,965")]),
        (258, [(72, "(a) Without the quay that is being rebuilt.")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path for column in view.table.columns[1:]] == [("2023",), ("2022",)]
    assert [note.text for note in read(view, "Owned quays", 1).footnotes] == ["Without the quay that is being rebuilt."]


def test_groups_end_with_their_totals(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022")]),
        (214, [(72, "Boats")]),
        figures(226, "Ferries", "10", "11"),
        figures(238, "Tugs", "20", "21"),
        figures(250, "Total boats", "30", "32"),
        figures(262, "Staff", "40", "41"),
    ]
    [view] = views(compiled(laid(rows)))
    assert [read(view, label, 1).row_path for label in ("Tugs", "Total boats", "Staff")] == [
        ("Boats", "Tugs"),
        ("Boats", "Total boats"),
        ("Staff",),
    ]


def test_tables_under_each_other_have_their_own_headers(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022")]),
        figures(212, "Ferries", "10", "11"),
        figures(224, "Tugs", "20", "21"),
        (236, [(72, "By harbour:")]),
        (248, [(270, "June 30, 2021"), (350, "June 30, 2020"), (430, "June 30, 2019")]),
        figures(260, "Bergen", "1", "2", "3"),
        figures(272, "Oslo", "4", "5", "6"),
    ]
    first, second = views(compiled(laid(rows)))
    assert [period.year for period in first.periods[1:]] == [2023, 2022]
    assert [period.year for period in second.periods[1:]] == [2021, 2020, 2019]


def test_a_table_carried_on_without_a_header_keeps_it(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022")]),
        figures(212, "Ferries", "10", "11"),
        figures(224, "Tugs", "20", "21"),
        (250, [(72, "The same without the ferries that were sold during the year and those that were rented out:")]),
        figures(276, "Ferries", "9", "10"),
        figures(288, "Tugs", "19", "20"),
    ]
    found = views(compiled(laid(rows)))
    assert [period.year for view in found for period in view.periods[1:]] == [2023, 2022, 2023, 2022]


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


LEASE = """# Lease

## Particulars

Landlord: Fjord Homes AS
Tenant: Ada Berg
Rent: NOK 14,500 a month
Deposit: ________

The tenant shall note: no smoking is allowed in the flat or on the stairs of the building.

## Signatures

By: /s/ Ada Berg
Title: Tenant
"""


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


def test_a_cell_that_reaches_over_two_columns_does_not_join_them(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022"), (440, "2021")]),
        *(figures(214 + 12 * n, f"Boat {n}", "10", "20", "30") for n in range(4)),
        (262, [(72, "Sold"), (280, "111,222,333,444,555,666")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert len(view.table.columns) == 4
    assert [cell.text for cell in view.table.body[0].cells] == ["Boat 0", "10", "20", "30"]


def test_lines_of_names_and_values_side_by_side_are_no_header(compiled):
    sheet = [("Location:", "Bergen", "Report number:", "KX-75"), ("Vessel:", "MV Aurora", "Damage:", "slight")]
    sheet += [("Crew:", "4 none", "Flag:", "Norway"), ("Length:", "41", "Width:", "9")]
    rows = [(200 + 14 * n, list(zip((72, 160, 300, 420), cells, strict=True))) for n, cells in enumerate(sheet)]
    [view] = views(compiled(laid(rows)))
    assert [row.label for row in view.table.body] == ["Location:", "Vessel:", "Crew:", "Length:"]


PAIRS = laid(
    [
        (200, [(345, "2022"), (505, "2021")]),
        (212, [(290, "Berths"), (370, "Fees"), (450, "Berths"), (530, "Fees")]),
        figures(226, "North quay", "14", "1,440", "12", "1,205"),
        figures(238, "South quay", "9", "870", "8", "790"),
        figures(250, "Inner basin", "3", "310", "3", "300"),
    ]
)


def test_years_set_flush_over_pairs_of_columns_head_both(compiled):
    [view] = views(compiled(PAIRS))
    paths = [column.path for column in view.table.columns[1:]]
    assert paths == [("2022", "Berths"), ("2022", "Fees"), ("2021", "Berths"), ("2021", "Fees")]


LEVELS = laid(
    [
        (200, [(300, "Ferries"), (520, "Buses")]),
        (212, [(265, "Day"), (375, "Night")]),
        (224, [(232, "2023"), (287, "2022"), (342, "2023"), (397, "2022"), (497, "2023"), (552, "2022")]),
        figures(238, "Passengers", "811", "790", "92", "88", "640", "655", edges=(250, 305, 360, 415, 515, 570)),
        figures(250, "Vehicles", "120", "118", "30", "28", "14", "15", edges=(250, 305, 360, 415, 515, 570)),
        figures(262, "Parcels", "45", "41", "12", "13", "9", "8", edges=(250, 305, 360, 415, 515, 570)),
    ]
)


def test_headers_over_pairs_of_years_part_no_pair(compiled):
    [view] = views(compiled(LEVELS))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Ferries", "Day", "2023"),
        ("Ferries", "Day", "2022"),
        ("Ferries", "Night", "2023"),
        ("Ferries", "Night", "2022"),
        ("Buses", "2023"),
        ("Buses", "2022"),
    ]


CLOSE_NAMES = laid(
    [
        (200, [(288, "Rowing Sailing"), (366, "Diving")]),
        figures(214, "Members", "54", "61", "38", edges=(300, 345, 390)),
        figures(226, "Boats", "12", "20", "4", edges=(300, 345, 390)),
        figures(238, "Races", "9", "14", "2", edges=(300, 345, 390)),
    ]
)


def test_names_of_columns_that_stand_close_are_parted(compiled):
    [view] = views(compiled(CLOSE_NAMES))
    assert [column.path for column in view.table.columns[1:]] == [("Rowing",), ("Sailing",), ("Diving",)]


INDENTED = pdf(
    [
        [
            *prose(72, 90, 6),
            *[
                Text(left, top, words, 9)
                for top, row in [
                    (212, [(290, "2023"), (370, "2022")]),
                    (226, [(72, "Harbour income")]),
                    (238, [(84, "Mooring"), (285, "1,100"), (365, "1,050")]),
                    (250, [(84, "Storage"), (290, "320"), (370, "300")]),
                    (262, [(72, "Grants"), (290, "410"), (370, "400")]),
                    (274, [(72, "Loss on exchange:")]),
                    (286, [(84, "Realised"), (290, "(12)"), (370, "(10)")]),
                    (298, [(72, "Total income"), (285, "1,818"), (365, "1,740")]),
                ]
                for left, words in row
            ],
        ]
    ]
)


def test_a_row_that_is_indented_no_more_leaves_its_group(compiled):
    [view] = views(compiled(INDENTED))
    assert {row.label: row.path for row in view.table.body} == {
        "Harbour income": (),
        "Mooring": ("Harbour income",),
        "Storage": ("Harbour income",),
        "Grants": (),
        "Loss on exchange:": (),
        "Realised": ("Loss on exchange:",),
        "Total income": (),
    }


CHART = laid(
    [
        (200, [(110, "29"), (170, "24"), (230, "25"), (290, "21"), (350, "23")]),
        (224, [(118, "26"), (178, "21"), (238, "18"), (298, "13")]),
        (248, [(105, "07"), (165, "08"), (225, "09"), (285, "10"), (345, "11")]),
    ]
)
STRETCHED = laid(  # words of letters that are all 5 points wide, 10 points apart
    [
        (200, [(72, "hooded"), (112, "364"), (137, "hound"), (172, "1241"), (202, "dune")]),
        (212, [(72, "bonded"), (112, "an"), (132, "2018"), (162, "nude"), (192, "1104")]),
    ]
)
LEADERS = laid(
    [
        (200 + 12 * number, [(72, f"{title} {'. ' * 40}"), (520, page)])
        for number, (title, page) in enumerate([("The harbour", "4"), ("The quays", "9"), ("The ferries", "15")])
    ]
)
TICKED = laid(
    [
        (200 + 12 * number, [(72, "\xa7"), (100, words)])
        for number, words in enumerate(["Bring a life vest of your size.", "Wear shoes.", "Sign the list on the pier."])
    ]
)


@pytest.mark.parametrize("page", [CHART, STRETCHED, LEADERS, TICKED], ids=["chart", "stretched", "contents", "bullets"])
def test_charts_prose_contents_and_bullets_are_no_tables(compiled, page):
    document = compiled(page)
    assert views(document) == []
    assert not uncovered(document)


FORM = laid(
    [
        (200, [(72, "Vessel:"), (180, "Havfrue"), (300, "Flag:"), (420, "Norway")]),
        (214, [(72, "Built:"), (180, "Bergen yard"), (300, "Engines:"), (420, "2")]),
        (228, [(72, "Length:"), (180, "24 m"), (300, "Gross weight:"), (420, "85 t")]),
        (242, [(72, "Radio:"), (300, "Call sign:"), (420, "LK 402")]),
    ]
)


def test_a_form_of_two_particulars_a_row_keeps_name_and_value_together(compiled):
    [view] = views(compiled(FORM))
    row = next(row for row in view.table.body if row.label == "Length:")
    assert [cell.text for cell in row.cells] == ["Length:", "24 m", "Gross weight:", "85 t"]
    assert read_cell(view, row, 3).row_path == ("Gross weight:",)
    assert read_cell(view, row, 1).row_path == ("Length:",)


def test_tables_set_side_by_side_have_labels_of_their_own(compiled):
    page = "| Pin | Signal | Pin | Signal |\n|---|---|---|---|\n| 1 | SDA | 5 | GND |\n| 2 | SCL | 6 | VCC |\n"
    [view] = views(compiled(f"# Plug\n\n{page}", "plug.md"))
    row = view.table.body[0]
    assert [read_cell(view, row, place).row_path for place in (1, 3)] == [("1",), ("5",)]


def table_page(rows: str, before: str = "", heading: str = "Report") -> str:
    return f"<html><body><h2>{heading}</h2><p>{before}</p><table>{rows}</table></body></html>"


def cells(*texts: str) -> str:
    return "<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>"


def test_a_header_row_with_a_name_for_the_labels_stands_under_a_wider_one(compiled):
    rows = [("", "", "Due by period", ""), ("Obligation", "Total", "Within a year", "Later")]
    body = [("Loans", "90", "30", "60"), ("Leases", "12", "4", "8")]
    [view] = views(compiled(table_page("".join(cells(*row) for row in [*rows, *body])), "due.html"))
    assert [column.path[-1] for column in view.table.columns] == ["Obligation", "Total", "Within a year", "Later"]
    assert [row.label for row in view.table.body] == ["Loans", "Leases"]


def test_units_are_read_from_a_long_lead_in_and_from_the_section(compiled):
    rows = cells("", "2023", "2022") + cells("Mooring", "1,100", "1,050") + cells("Storage", "320", "300")
    lead = "The harbour keeps accounts of each quay and each basin, and the board reads them twice a year. " * 3
    [view] = views(compiled(table_page(rows, f"{lead}Income was (in thousands of Canadian dollars):"), "a.html"))
    cell = read(view, "Storage", 1)
    assert (cell.unit, cell.scale) == ("CAD", 1000)
    [view] = views(compiled(table_page(rows, lead, "NOTES (in millions, except headcount)"), "b.html"))
    assert read(view, "Storage", 1).scale == 1_000_000


def test_what_scales_shares_alone_scales_no_money(compiled):
    rows = cells("", "2023", "2022") + cells("Surplus", "$ 90", "$ 80") + cells("Shares outstanding", "4,100", "4,000")
    [view] = views(compiled(table_page(rows, "Per share (shares in thousands, except per share data):"), "s.html"))
    assert (read(view, "Surplus", 1).scale, read(view, "Shares outstanding", 1).scale) == (1, 1000)


def test_the_signs_of_one_column_say_nothing_of_another(compiled):
    rows = cells("", "Rooms", "Price") + cells("Lodge", "14", "$ 120") + cells("Cabin", "3", "$ 90")
    [view] = views(compiled(table_page(rows), "rooms.html"))
    assert [read(view, "Lodge", place).unit for place in (1, 2)] == ["", "USD"]


def test_a_price_aside_in_a_label_leaves_the_scale(compiled):
    rows = cells("(in millions)", "2023", "2022") + cells("Dividends paid ($0.52 per share)", "$ 27", "$ 25")
    [view] = views(compiled(table_page(rows), "dividends.html"))
    assert read(view, "Dividends paid ($0.52 per share)", 1).scale == 1_000_000


@pytest.mark.parametrize(
    ("header", "words"),
    [("3/25/2023", "25 March 2023"), ("25/3/2023", "25 March 2023"), ("4/5/2023", "2023")],
)
def test_a_date_in_figures_is_a_period_unless_day_and_month_may_change_places(compiled, header, words):
    rows = cells("", header, "Change") + cells("Mooring", "1,100", "4") + cells("Storage", "320", "2")
    [view] = views(compiled(table_page(rows), "dates.html"))
    assert view.periods[1].words == words


def test_a_column_of_shares_keeps_the_scale_that_leaves_out_amounts_per_share_alone(compiled):
    rows = cells("(In millions, except per share data)", "Shares", "Price") + cells("Vested", "0.6", "$ 59.01")
    [view] = views(compiled(table_page(rows + cells("Forfeited", "0.3", "$ 66.24")), "shares.html"))
    assert (read(view, "Vested", 1).unit, read(view, "Vested", 1).scale) == ("shares", 1_000_000)


def test_words_in_a_column_of_days_have_no_unit_of_its_header(compiled):
    rows = cells("Leave", "Days") + cells("Moving", "2") + cells("Study", "up to 4 weeks") + cells("Illness", "10")
    [view] = views(compiled(table_page(rows), "leave.html"))
    assert [read(view, label, 1).unit for label in ("Moving", "Study")] == ["Days", ""]


@pytest.mark.slow
def test_a_long_list_of_cells_is_one_run_a_page_and_keeps_every_character(compiled):
    lines = ["No,Quay,Berth,Fee", *(f"{n},Quay {n % 7},Berth {n % 31},{n}.50" for n in range(20_000))]
    document = compiled("\n".join(lines), "berths.csv")
    found = views(document)
    assert sum(len(view.table.body) for view in found) == 20_000
    assert {view.table.columns[1].path for view in found} == {("Quay",)}
    assert all(len(view.node.runs) == 1 for view in found)
    assert document.report.coverage == 1.0


def test_a_year_among_the_labels_heads_the_rows_below_it(compiled):
    rows = [
        (200, [(280, "Ferries"), (360, "Tugs")]),
        (212, [(72, "2031")]),
        figures(224, "North", "1,010", "1,100"),
        figures(236, "South", "2,020", "2,100"),
        (248, [(72, "2030")]),
        figures(260, "North", "905", "915"),
        figures(272, "South", "980", "990"),
    ]
    (table,) = views(compiled(laid(rows)))
    assert [row.path for row in table.table.body if row.label == "North"] == [("2031",), ("2030",)]
    assert table.table.columns[1].path == ("Ferries",)


def test_a_label_that_reaches_over_the_figures_heads_its_rows(compiled):
    rows = [
        (200, [(180, "Start"), (260, "End")]),
        (212, [(72, "Berths that were let to guests for a season:")]),
        *(figures(top, f"Year {year}", "1,100", "1,210", edges=(205, 285)) for top, year in ((224, 2031), (236, 2030))),
        (248, [(72, "Berths that were let to members for a season:")]),
        figures(260, "Year 2031", "480", "470", edges=(205, 285)),
    ]
    (table,) = views(compiled(laid(rows)))
    assert table.table.body[-1].path == ("Berths that were let to members for a season:",)
    assert read(table, "Year 2030", 2).column_path == ("End",)


def test_dates_in_figures_head_columns(compiled):
    rows = [
        (200, [(270, "For the year"), (350, "For the year")]),
        (212, [(280, "ended"), (360, "ended")]),
        (224, [(270, "31.3.2031"), (350, "31.3.2030")]),
        figures(238, "Harbour dues", "412.50", "398.75"),
        figures(250, "Fares", "1,120.00", "1,080.25"),
    ]
    (table,) = views(compiled(laid(rows)))
    assert read(table, "Fares", 1).column_path == ("For the year ended 31.3.2031",)
    assert table.table.columns[2].period.endswith("31.3.2030")


def test_figures_with_letters_of_a_survey_behind_them_are_figures(compiled):
    rows = [
        figures(200, "All who answered", "59%"),
        figures(212, "a Men", "65b"),
        figures(224, "b Women", "55"),
        figures(236, "c Guests", "74ab"),
    ]
    (table,) = views(compiled(laid(rows)))
    assert [row.cells[1].text for row in table.table.body] == ["59%", "65b", "55", "74ab"]
    assert not table.table.columns[1].header


def test_names_that_stand_centred_over_words_are_the_header(compiled):
    rows = [(200, [(96, "Class"), (246, "Sign"), (380, "Where it is registered")])]
    rows += [
        (212 + 12 * k, [(72, f"Notes due 203{k}"), (232, f"FERRY{k}"), (350, "Exchange of the Two Harbours")])
        for k in range(5)
    ]
    (table,) = views(compiled(laid(rows)))
    assert read(table, "Notes due 2033", 1).column_path == ("Sign",)


def test_a_second_particular_on_one_line_of_a_sheet_is_its_own(compiled):
    rows = [
        (200, [(72, "Harbour master:"), (200, "Ada Olsen"), (350, "Report date:"), (440, "02/28/2031")]),
        (212, [(72, "Others present:"), (200, "The pilots of both ferries")]),
        (224, [(72, "Note:"), (200, "None of them saw the buoy")]),
    ]
    (table,) = views(compiled(laid(rows)))
    row = table.table.body[0]
    assert [cell.text for cell in row.cells] == ["Harbour master:", "Ada Olsen", "Report date:", "02/28/2031"]
    assert read_cell(table, row, 3).row_path == ("Report date:",)


def test_the_scale_of_an_axis_is_no_table(compiled):
    rows = [(200, [(100, "gold"), (180, "80"), (260, "60"), (340, "40"), (420, "20")]), (214, [(220, "Accuracy")])]
    assert views(compiled(laid(rows))) == []


def test_letters_of_a_drawing_beside_words_are_no_table(compiled):
    rows = [
        (200 + 14 * k, [(72, mark), (110, f"{word} port")])
        for k, (mark, word) in enumerate(zip("fdxq", ["Sound", "Power", "Video", "Disc"], strict=True))
    ]
    assert views(compiled(laid(rows))) == []


def test_a_group_that_is_printed_once_heads_the_labels_beside_it(compiled):
    rows = [
        (200, [(72, "Season"), (150, "Boat"), (300, "Trips"), (380, "Guests")]),
        (212, [(72, "Summer"), (150, "Ferry"), (300, "410"), (380, "9,120")]),
        (224, [(150, "Tug"), (305, "88"), (390, "120")]),
        (236, [(72, "Winter"), (150, "Ferry"), (300, "215"), (380, "3,480")]),
        (248, [(150, "Tug"), (305, "61"), (395, "95")]),
    ]
    (table,) = views(compiled(laid(rows)))
    assert [(*row.path, row.label) for row in table.table.body] == [
        ("Summer", "Ferry"),
        ("Summer", "Tug"),
        ("Winter", "Ferry"),
        ("Winter", "Tug"),
    ]


def test_a_numbered_title_ends_a_table_of_words(compiled):
    rows = [
        (200, [(100, "1 = Mild"), (180, "Noticed, but no trouble at the quay")]),
        (212, [(100, "2 = Fair"), (180, "Enough trouble to slow the boats")]),
        (224, [(100, "3 = Hard"), (180, "No boat can leave the harbour at all")]),
        (244, [(72, "7.2.2"), (110, "Boats that wait")]),
    ]
    (table,) = views(compiled(laid(rows)))
    assert [row.label for row in table.table.body] == ["1 = Mild", "2 = Fair", "3 = Hard"]


def test_numbers_of_a_list_of_papers_are_labels_and_end_no_table(compiled):
    papers = ["Deed of the quay", "Lease of the yard", "Plan of the berths", "Survey of the harbour"]
    rows = [(200 + 14 * k, [(72, f"{k + 3}.1"), (140, paper)]) for k, paper in enumerate(papers)]
    (table,) = views(compiled(laid([(186, [(72, "Number"), (140, "Description")]), *rows])))
    assert [row.label for row in table.table.body] == ["3.1", "4.1", "5.1", "6.1"]
    assert [column.header for column in table.table.columns] == ["Number", "Description"]


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


def test_an_index_of_names_in_a_program_is_no_table(compiled):
    rows = [(200 + 12 * n, [(72, f"dredge{n}()"), (220, f"(harbour.depth.Dredger{n}")]) for n in range(4)]
    assert not views(compiled(laid(rows)))


def test_a_sentence_with_a_wide_space_before_the_next_heads_no_figures(compiled):
    first = "The depths are kept as a file of plain numbers."
    rows = [(200, [(72, first), (296, "The soundings are listed one below the other here.")]), (214, [])]
    found = views(compiled(laid([*rows, figures(226, "", "1280", "720", "9")])))
    assert not found


def test_figures_with_decimals_a_space_apart_are_two_cells(compiled):
    header = (200, [(240, "Spring"), (290, "Summer"), (340, "Autumn"), (362, "Winter")])
    rows = [(214 + 12 * n, [(72, name), (250, "41.2"), (300, "52.1"), (350, "43.8 44.1")]) for n, name in NAMES]
    [view] = views(compiled(laid([header, *rows])))
    assert [cell.text for cell in view.table.body[0].cells] == ["North", "41.2", "52.1", "43.8", "44.1"]


NAMES = tuple(enumerate(("North", "South", "East")))


def test_a_figure_that_touches_its_long_label_stands_in_its_column(compiled):
    header = (200, [(250, "Depth"), (350, "Width")])
    rows = [(214 + 12 * n, [(72, name), (252, "41.2"), (352, "52.1")]) for n, name in NAMES]
    long = (250, [(72, "The outer basin of the new harbours by the 38.5"), (352, "60.3")])
    [view] = views(compiled(laid([header, *rows, long])))
    cell = read(view, "The outer basin of the new harbours by the", 1)
    assert (cell.column_path, view.table.body[-1].cells[1].text) == (("Depth",), "38.5")


FERRY_SHEET = [
    (200, [(72, "Vessel:"), (180, "Aurora"), (320, "Port of registry:"), (440, "Bergen")]),
    (216, [(72, "Crew on board:"), (180, "14"), (320, "Passengers:"), (440, "212")]),
    (232, [(72, "Sea state and swell:")]),
    (248, [(72, "Departed from:"), (180, "Quay 4"), (320, "Bound for:"), (440, "Quay 9")]),
    (264, [(72, "Time at sea:"), (180, "410 hours (master), 220 hours (mate), 96 hours (this")]),
    (274, [(180, "month), 12 hours (this week)")]),
]


def test_a_particular_without_a_value_heads_nothing(compiled):
    [view] = views(compiled(laid(FERRY_SHEET)))
    assert read(view, "Departed from:", 1).row_path == ("Departed from:",)


def test_the_last_particular_keeps_all_lines_of_its_value(compiled):
    [view] = views(compiled(laid(FERRY_SHEET)))
    [row] = [row for row in view.table.body if row.label == "Time at sea:"]
    assert row.cells[1].text.endswith("12 hours (this week)")


def test_pieces_that_begin_without_a_label_or_a_header_stay_text(compiled):
    rows = [figures(200 + 12 * n, name, "4.8", "5.8", "1.4") for n, name in enumerate(("", "Five", "Ten", "Twenty"))]
    document = compiled(laid(rows))
    assert not views(document)
    assert not uncovered(document)


def test_letters_that_mark_a_figure_are_no_unit_of_its_own(compiled):
    rows = [figures(214, "Under 30", "71bcd"), figures(226, "30 to 49", "64cd"), figures(238, "Over 49", "9")]
    [view] = views(compiled(laid([(200, [(282, "Share (%)")]), *rows])))
    assert {read(view, row.label, 1).unit for row in view.table.body} == {"%"}


def test_sheets_of_particulars_have_no_header(compiled):
    sheets = [("Buoy", "Northern light"), ("Colour", "red"), ("Buoy", "Southern light"), ("Colour", "green")]
    cells = [
        Text(left, 200 + 14 * n, words, 9, font="plain" if n else "bold")
        for n, row in enumerate(sheets)
        for left, words in zip((72, 200), row, strict=True)
    ]
    [view] = views(compiled(pdf([[*prose(72, 90, 6), *cells]])))
    assert [row.label for row in view.table.body] == ["Buoy", "Colour", "Buoy", "Colour"]
    assert not view.table.columns[1].path


def test_a_label_that_ends_in_the_middle_goes_on_beside_its_words(compiled):
    rows = [
        (200, [(72, "Source"), (200, "Log of the harbour office")]),
        (214, [(72, "Inspection and"), (200, "The harbour office compares the log with what the masters")]),
        (224, [(72, "Correction"), (200, "of the ferries have written down and puts it right")]),
        (238, [(72, "Limits"), (200, "Boats without a mast are left out")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [row.label for row in view.table.rows] == ["Source", "Inspection and Correction", "Limits"]


def test_a_title_in_the_middle_with_names_below_it_begins_the_next_part(compiled):
    rows = [
        (200, [(280, "Tugs"), (360, "Barges"), (440, "Ferries")]),
        figures(212, "Berths", "4", "18", "66"),
        figures(224, "Crews", "52.5", "59.7", "59.4"),
        (240, [(250, "Southern harbour")]),
        (252, [(280, "Yachts"), (360, "Trawlers"), (440, "Cutters")]),
        figures(264, "Berths", "33", "38", "168"),
        figures(276, "Crews", "55.1", "48.0", "49.4"),
    ]
    [first, second] = views(compiled(laid(rows)))
    assert read(first, "Crews", 2).column_path[-1] == "Barges"
    assert read(second, "Crews", 2).column_path[-1] == "Trawlers"


def test_a_caption_below_a_table_ends_it(compiled):
    header = (200, [(280, "Depth"), (360, "Width")])
    rows = [header, figures(212, "Lock", "4.1", "18.0"), figures(224, "Basin", "5.2", "59.7")]
    other = [
        (240, [(200, "Table 4: The locks and basins.")]),
        (256, [(300, "Boats")]),
        figures(268, "Lock", "41", edges=(330,)),
        figures(280, "Basin", "52", edges=(330,)),
    ]
    [first, second] = views(compiled(laid([*rows, *other])))
    assert [len(view.table.columns) for view in (first, second)] == [3, 2]


def test_words_in_columns_that_nothing_names_stay_text(compiled):
    rows = [
        (200 + 12 * n, [(72, f"{own} sand"), (170, f"{own} gravel"), (270, f"{own} clay"), (370, f"{own} rock")])
        for n, own in enumerate(("loose", "coarse", "wet", "hard"))
    ]
    document = compiled(laid(rows))
    assert not views(document)
    assert not uncovered(document)


def test_a_share_that_names_a_column_is_no_unit(compiled):
    header = (200, [(282, "Mean"), (362, "25%"), (442, "Greatest")])
    rows = [figures(212 + 12 * n, name, "0.89", "0.88", "0.93") for n, name in NAMES]
    [view] = views(compiled(laid([header, *rows])))
    assert (read(view, "South", 2).column_path, read(view, "South", 2).unit) == (("25%",), "")


def test_a_percent_sign_below_a_year_is_the_unit(compiled):
    headers = [(200, [(270, "Dec 2030"), (350, "Dec 2031")]), (212, [(290, "%"), (370, "%")])]
    rows = [figures(224 + 12 * n, name, "41", "52") for n, name in NAMES]
    [view] = views(compiled(laid([*headers, *rows])))
    assert {read(view, "South", place).unit for place in (1, 2)} == {"%"}


def test_an_amount_in_a_label_is_no_unit_of_its_row(compiled):
    header = (200, [(270, "Share (%)"), (350, "Households")])
    labels = ("Under $30,000", "$30,000 to $74,999", "$75,000+")
    rows = [figures(212 + 12 * n, name, "41", "160") for n, name in enumerate(labels)]
    [view] = views(compiled(laid([header, *rows])))
    assert {(read(view, label, 2).unit, read(view, label, 2).scale) for label in labels} == {("", Decimal(1))}
