"""Tables whose cells are drawn: lines tell which words are one cell, which row and which column it stands in."""

import itertools

from tests.engine.parsing.conftest import uncovered
from tests.engine.parsing.test_tables import read, views
from tests.support.paper import Rule, Text, pdf, prose


def grid(xs: list[float], ys: list[float], *, without: tuple[Rule, ...] = ()) -> list[Rule]:
    """Pieces of lines around the cells of a grid, but for those left out."""
    across = [Rule(left, y, right, y) for y in ys for left, right in itertools.pairwise(xs)]
    down = [Rule(x, top, x, bottom) for x in xs for top, bottom in itertools.pairwise(ys)]
    return [rule for rule in (*across, *down) if rule not in without]


def write(*cells: tuple[float, float, str]) -> list[Text]:
    """Words at (left edge, baseline)."""
    return [Text(left, top, words, 9) for left, top, words in cells]


INDICATORS = [
    *grid([70, 190, 300, 400], [190, 210, 250, 290]),
    *write((76, 204, "Measure"), (196, 204, "Kind"), (306, 204, "End date")),
    *write((76, 222, "Ferries that leave"), (76, 234, "within five minutes"), (76, 246, "of the timetable")),
    *write((196, 222, "Target"), (306, 222, "2031-06-30")),
    *write((76, 264, "Moorings inspected"), (196, 264, "Actual"), (306, 264, "2030-06-30")),
]


def test_lines_of_one_drawn_cell_are_one_label(compiled):
    document = compiled(pdf([[*prose(72, 90, 6), *INDICATORS]]))
    (table,) = views(document)
    cell = read(table, "Ferries that leave within five minutes of the timetable", 2)
    assert cell.column_path == ("End date",)
    assert uncovered(document) == []


def test_a_table_of_one_row_keeps_its_drawn_header(compiled):
    drawn = [
        *grid([70, 250, 330, 400], [190, 210, 230]),
        *write((76, 204, "Berth"), (256, 204, "Depth (m)"), (336, 204, "Boats"), (76, 224, "North quay")),
        *write((256, 224, "4.2"), (336, 224, "31")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "North quay", 1).column_path == ("Depth (m)",)
    assert read(table, "North quay", 2).column_path == ("Boats",)


def test_a_header_over_several_drawn_columns_heads_them_all(compiled):
    drawn = [
        *grid([70, 200, 280, 360, 440], [190, 210, 230, 250], without=(Rule(280, 190, 280, 210),)),
        *write((260, 204, "Summer"), (376, 204, "Winter")),
        *write((206, 224, "Adults"), (286, 224, "Children"), (366, 224, "Adults")),
        *write((76, 244, "Fare"), (206, 244, "12.40"), (286, 244, "6.20"), (366, 244, "9.80")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "Fare", 1).column_path == ("Summer", "Adults")
    assert read(table, "Fare", 2).column_path == ("Summer", "Children")
    assert read(table, "Fare", 3).column_path == ("Winter", "Adults")


def test_a_label_beside_several_drawn_rows_names_each_of_them(compiled):
    drawn = [
        *grid([70, 200, 280, 360], [190, 210, 230, 250], without=(Rule(70, 230, 200, 230),)),
        *write((76, 204, "Route"), (206, 204, "Kind"), (286, 204, "Trips")),
        *write((76, 234, "Harbour ring"), (206, 224, "Planned"), (286, 224, "410")),
        *write((206, 244, "Sailed"), (286, 244, "398")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "Planned", 2).row_path == ("Harbour ring", "Planned")
    assert read(table, "Sailed", 2).row_path == ("Harbour ring", "Sailed")


def test_rows_of_figures_within_one_drawn_band_are_rows(compiled):
    drawn = [
        *grid([70, 220, 320, 420], [190, 210, 270]),
        *write((76, 204, "Pier"), (226, 204, "Meetings"), (326, 204, "Votes")),
        *write((76, 224, "Eastern pier"), (226, 224, "3"), (326, 224, "12")),
        *write((76, 244, "Western pier"), (226, 244, "2"), (326, 244, "9")),
        *write((76, 264, "Stone pier"), (226, 264, "4"), (326, 264, "7")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert [row.label for row in table.table.body] == ["Eastern pier", "Western pier", "Stone pier"]
    assert read(table, "Western pier", 2).column_path == ("Votes",)


def test_a_cell_that_runs_over_the_page_is_no_header(compiled):
    first = [
        *grid([70, 200, 420], [700, 720, 740]),
        *write((76, 714, "Aim"), (206, 714, "Shorter queues at the quay")),
        *write((76, 734, "Method"), (206, 734, "Counting of the boats that wait")),
    ]
    second = [
        *grid([70, 200, 420], [60, 90, 110]),
        *write((206, 74, "at dawn and at dusk, on ten days of each month, by two people who")),
        *write((206, 86, "do not know of each other, with the tide noted beside every count.")),
        *write((76, 104, "Length"), (206, 104, "Two years")),
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *first], [*second, *prose(72, 200, 6)]]))
    assert all(not row.is_header for view in views(document) for row in view.table.rows)
    assert uncovered(document) == []


def test_lines_around_groups_of_columns_leave_the_columns_to_the_words(compiled):
    drawn = [
        *grid([70, 200, 420], [190, 210, 260]),
        *write((76, 204, "Depth in metres"), (230, 204, "2031"), (330, 204, "2030")),
        *write((76, 224, "North"), (236, 224, "410"), (336, 224, "398")),
        *write((76, 240, "South"), (236, 240, "212"), (336, 240, "207")),
        *write((76, 256, "East"), (236, 256, "88"), (336, 256, "91")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "South", 2).column_path == ("2030",)


def test_lines_that_run_through_words_draw_no_table(compiled):
    lines = grid([60, 155, 275, 380, 560], [80, 118, 190])
    document = compiled(pdf([[*lines, *prose(72, 90, 8)]]))
    assert views(document) == []


def test_scales_of_a_chart_are_no_table(compiled):
    lines = grid([100, 200, 300, 400], [200, 250, 300, 350])
    marks = write((120, 212, "64"), (320, 262, "48"), (80, 368, "2028"), (190, 368, "2029"), (290, 368, "2030"))
    assert views(compiled(pdf([[*prose(72, 90, 6), *lines, *marks]]))) == []


def test_a_page_of_endless_lines_is_still_read(compiled):
    lines = [Rule(70 + number % 90, 200 + number / 20, 74 + number % 90, 200 + number / 20) for number in range(5_000)]
    document = compiled(pdf([[*prose(72, 90, 6), *lines]]))
    assert "tides" in document.page_text(0)
    assert uncovered(document) == []


def bands(*heights: float) -> list[Rule]:
    """Level lines over the whole width of a table."""
    return [Rule(70, height, 420, height) for height in heights]


def test_rows_between_level_lines_keep_their_wrapped_words(compiled):
    drawn = [
        *bands(190, 212, 250, 290),
        Text(72, 204, "Survey", 9, "bold"),
        Text(212, 204, "Source", 9, "bold"),
        *write((72, 224, "Ferry passengers"), (212, 224, "Counting of the harbour"), (212, 236, "office, each spring")),
        *write((72, 264, "Moorings, by size"), (72, 276, "and depth"), (212, 264, "Register of berths")),
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *drawn]]))
    (table,) = views(document)
    assert [row.label for row in table.table.body] == ["Ferry passengers", "Moorings, by size and depth"]
    assert read(table, "Ferry passengers", 1).column_path == ("Source",)
    assert table.table.body[0].cells[1].text == "Counting of the harbour office, each spring"
    assert uncovered(document) == []


def test_level_lines_between_paragraphs_are_no_table(compiled):
    paragraphs = [*prose(72, 204, 2), *prose(72, 240, 2), *prose(72, 276, 2)]
    assert views(compiled(pdf([[*prose(72, 90, 6), *bands(190, 228, 264, 300), *paragraphs]]))) == []


def test_the_first_row_of_a_plan_that_colours_fill_is_its_header(compiled):
    drawn = [
        *grid([70, 180, 230, 280, 330], [190, 210, 230, 250]),
        *write((76, 204, "Work"), (186, 204, "0-2m"), (236, 204, "3-4m"), (286, 204, "5-6m")),
        *write((76, 224, "Dredging"), (76, 244, "New quay")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert [(row.label, row.path) for row in table.table.body] == [("Dredging", ()), ("New quay", ())]
    assert table.table.columns[2].path == ("3-4m",)


def test_rows_of_marks_between_level_lines_stay_rows(compiled):
    drawn = [*bands(190, 212, 252, 292), *write((72, 204, "Boat"), (212, 204, "Crane"), (312, 204, "Deck"))]
    for k, boat in enumerate(("Ada", "Bruni", "Cora", "Dina")):
        top = 226 + 16 * k + 8 * (k > 1)
        drawn += write((72, top, boat), (212, top, "+"), (312, top, "o"))
    found = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    labels = [row.cells[0].text for table in found for row in table.table.rows]
    assert "Ada" in labels
    assert "Dina" in labels


def test_years_right_above_level_lines_head_the_rows_between_them(compiled):
    words = [(72, 184, "(in millions)"), (292, 184, "2023"), (372, 184, "2022")]
    rows = [("Income of the quays and", "of the ferries"), ("Rents", ""), ("Fuel and oil for", "tugs"), ("Dues", "")]
    for k, (first, second) in enumerate(rows):
        words += [(72, 202 + 26 * k, first), (72, 212 + 26 * k, second), (292, 212 + 26 * k, f"{51 + k}")]
        words += [(372, 212 + 26 * k, f"{40 + k}")]
    drawn = [*bands(190, 216, 242, 268, 294), *write(*(word for word in words if word[2]))]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert [period.year for period in table.periods[1:]] == [2023, 2022]


def test_a_header_that_colour_alone_parts_from_the_first_row_is_the_header(compiled):
    drawn = [
        *grid([70, 130, 400], [190, 226, 246]),
        Text(76, 203, "Aim", 9, "bold"),
        Text(136, 203, "What is to be reached", 9, "bold"),
        *write((76, 220, "1.1"), (136, 220, "Every ferry leaves on time"), (76, 240, "1.2"), (136, 240, "No oil")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "1.2", 1).column_path == ("What is to be reached",)
    assert [row.label for row in table.table.body] == ["1.1", "1.2"]


def test_the_rest_of_a_cell_from_the_page_before_has_its_label(compiled):
    first = [
        *grid([70, 180, 420], [640, 680, 780]),
        *write((76, 660, "Aim of the plan"), (186, 660, "Ferries leave on time"), (76, 700, "Who takes part")),
        *write((186, 700, "Crews of all boats that call here"), (186, 712, "at least once in a week")),
    ]
    second = [
        *grid([70, 180, 420], [90, 130, 170]),
        *write((186, 104, "and the keepers of the locks"), (76, 150, "Length"), (186, 150, "12 weeks")),
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *first], [*second, *prose(72, 300, 6)]]))
    told = [(row.label, row.cells[1].text) for view in views(document) for row in view.table.body]
    assert ("Who takes part", "and the keepers of the locks") in told
    assert uncovered(document) == []


def test_a_long_rest_of_a_cell_without_a_table_before_is_prose(compiled):
    rest = "Crews that have not been at sea for a year, or who were ill, take part only after a doctor has seen them"
    second = [
        *grid([70, 180, 420], [90, 150, 190]),
        *write(*((186, 104 + 12 * n, rest[52 * n : 52 * n + 52]) for n in range(2))),
        *write((76, 170, "Length"), (186, 170, "12 weeks"), (76, 184, "in all")),
    ]
    second.append(Rule(70, 230, 420, 230))
    second += [Rule(x, 190, x, 230) for x in (70, 180, 420)]
    second += write((76, 210, "Place"), (186, 210, "The harbour school"))
    document = compiled(pdf([[*prose(72, 90, 20)], [*second, *prose(72, 300, 6)]]))
    (view,) = views(document)
    assert [row.label for row in view.table.body] == ["Length in all", "Place"]
    assert uncovered(document) == []


def test_one_long_name_among_the_names_of_drawn_columns_leaves_them_names(compiled):
    long = (
        "Other boats on which he or she has served,",
        "with the ports they call at and the years",
        "of each service on them",
    )
    drawn = [
        *grid([70, 150, 230, 420], [190, 240, 270, 300]),
        *write(
            (76, 204, "Name of mate"), (156, 204, "School"), *((236, 204 + 12 * n, own) for n, own in enumerate(long))
        ),
        *write((76, 254, "1. Ada"), (156, 254, "Bergen"), (236, 254, "Havfrue, 2001-2009; Solvei, since 2010")),
        *write((76, 284, "2. Bo"), (156, 284, "Oslo"), (236, 284, "None")),
    ]
    (table,) = views(compiled(pdf([[*prose(72, 90, 6), *drawn]])))
    assert read(table, "2. Bo", 2).column_path == (" ".join(long),)


def test_bold_names_on_a_band_of_colour_above_the_lines_are_the_header(compiled):
    names = [Text(left, 186, words, 9, font="bold") for left, words in ((76, "Berth"), (206, "Opens"), (306, "Fee"))]
    rows = [
        *grid([70, 200, 300, 400], [190, 210, 230, 250]),
        *write((76, 204, "Fishing boats"), (206, 204, "1 April 2031"), (306, 204, "from the harbour office")),
        *write((76, 224, "Sailing boats"), (206, 224, "1 May 2031"), (306, 224, "from the sailing club")),
        *write((76, 244, "Ferries"), (206, 244, "1 June 2031"), (306, 244, "none")),
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *names, *rows]]))
    (table,) = views(document)
    assert read(table, "Sailing boats", 1).column_path == ("Opens",)
    assert uncovered(document) == []


def test_figures_set_lower_by_less_than_a_line_are_no_rows_of_a_band(compiled):
    drawn = [
        *grid([70, 190, 300, 400], [190, 210, 270]),
        *write((246, 230, "41"), (356, 226, "41"), (246, 229, "12"), (336, 230, "7")),
    ]
    document = compiled(pdf([[*prose(72, 90, 6), *drawn]]))
    assert not any("could not be read" in said for said in document.report.warnings)
    assert uncovered(document) == []
