"""Headers of several lines over the columns they name."""

import pytest

from tests.engine.parsing.conftest import uncovered
from tests.engine.parsing.test_tables import figures, laid, read, views
from tests.support.paper import Text, pdf, prose

NAMES_ON_TOP = laid(
    [
        (200, [(252, "Harbour"), (312, "Quay"), (367, "Repair of"), (432, "Sale of"), (492, "Other")]),
        (211, [(258, "dues"), (312, "rents"), (367, "the mole"), (432, "boats")]),
        (222, [(367, "and locks")]),
        figures(236, "North basin", "410", "22", "(19)", "7", "3", edges=(275, 335, 405, 460, 515)),
        figures(248, "South basin", "380", "18", "(11)", "5", "9", edges=(275, 335, 405, 460, 515)),
        figures(260, "Inner basin", "120", "14", "(10)", "2", "4", edges=(275, 335, 405, 460, 515)),
    ]
)


def test_names_that_begin_in_one_line_go_on_below_it_in_their_own_columns(compiled):
    [view] = views(compiled(NAMES_ON_TOP))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Harbour dues",),
        ("Quay rents",),
        ("Repair of the mole and locks",),
        ("Sale of boats",),
        ("Other",),
    ]


CLASSES = laid(
    [
        (200, [(372, "Fair value")]),
        (213, [(266, "Book")]),
        (224, [(265, "value"), (320, "Level 1"), (380, "Level 2"), (440, "Level 3"), (505, "Total")]),
        figures(238, "Bonds", "410", "22", "19", "7", "48", edges=(285, 350, 410, 470, 530)),
        figures(250, "Loans", "380", "18", "11", "5", "34", edges=(285, 350, 410, 470, 530)),
        figures(262, "Funds", "120", "14", "10", "2", "26", edges=(285, 350, 410, 470, 530)),
    ]
)


def test_a_header_over_the_middle_one_of_numbered_columns_heads_them_all(compiled):
    [view] = views(compiled(CLASSES))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Book value",),
        ("Fair value", "Level 1"),
        ("Fair value", "Level 2"),
        ("Fair value", "Level 3"),
        ("Total",),
    ]


BETWEEN = laid(
    [
        (200, [(230, "GAINS MADE"), (420, "GAINS TAKEN")]),
        (213, [(228, "Year ended May 31,"), (330, "WHERE GAINS"), (470, "Year ended May 31,")]),
        (224, [(322, "TAKEN FROM RESERVES")]),
        (235, [(220, "2019"), (260, "2018"), (300, "2017"), (460, "2019"), (500, "2018"), (540, "2017")]),
        (246, [(328, "(LOSSES) STAND")]),
    ]
    + [
        (
            260 + 12 * n,
            [(72, label), (224, "14"), (264, "19"), (304, "72"), (350, where), (464, "35"), (504, "69"), (544, "96")],
        )
        for n, (label, where) in enumerate([("Futures", "Revenue"), ("Options", "Cost"), ("Swaps", "Interest")])
    ]
)


def test_a_column_of_words_between_years_keeps_its_header_to_itself(compiled):
    [view] = views(compiled(BETWEEN))
    paths = [column.path for column in view.table.columns[1:]]
    assert paths[3][-1] == "WHERE GAINS TAKEN FROM RESERVES (LOSSES) STAND"
    assert [path[-1] for path in paths] == ["2019", "2018", "2017", paths[3][-1], "2019", "2018", "2017"]
    assert not any("RESERVES" in level for place, path in enumerate(paths) if place != 3 for level in path)


def test_a_year_heads_one_column_and_marks_none(compiled):
    rows = [
        (200, [(262, "2023"), (360, "2022")]),
        (214, [(72, "Loans to members"), (250, "$ 1,068"), (302, "(c)"), (350, "$ 761")]),
        (226, [(72, "Loans to guests"), (258, "801"), (302, "(c)"), (358, "725")]),
        (238, [(72, "Other loans"), (262, "12"), (362, "10")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path for column in view.table.columns[1:]] == [("2023",), ("2022",)]
    assert view.table.body[0].cells[1].text == "$ 1,068 (c)"


def test_figures_set_left_and_right_below_one_year_are_one_column(compiled):
    rows = [
        (200, [(272, "2023"), (352, "2022"), (432, "2021")]),
        (214, [(72, "New slipway"), (262, "$ 145"), (355, "$ 12"), (435, "$ 60")]),
        (226, [(72, "Old slipway"), (294, "2"), (355, "(41)"), (440, "27")]),
        (238, [(72, "Crane"), (294, "4"), (358, "1"), (444, "6")]),
        (250, [(72, "Total"), (262, "$ 151"), (355, "$ 52"), (435, "$ 93")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path for column in view.table.columns[1:]] == [("2023",), ("2022",), ("2021",)]
    assert [cell.text for cell in view.table.body[1].cells] == ["Old slipway", "2", "(41)", "27"]


def test_a_sentence_before_other_names_of_columns_parts_two_tables(compiled):
    rows = [
        (200, [(292, "2020")]),
        figures(212, "Cost of boats", "$ 42", edges=(310,)),
        figures(224, "Cost of sheds", "13", edges=(310,)),
        (240, [(72, "What was set aside for the crew and for other matters changed as follows:")]),
        (254, [(262, "Crew"), (342, "Other"), (422, "Total")]),
        figures(266, "Set aside in May", "$ 32", "$ 23", "$ 55", edges=(285, 365, 445)),
        figures(278, "Paid", "(14)", "(5)", "(19)", edges=(285, 365, 445)),
    ]
    first, second = views(compiled(laid(rows)))
    assert [column.path for column in first.table.columns[1:]] == [("2020",)]
    assert [column.path for column in second.table.columns[1:]] == [("Crew",), ("Other",), ("Total",)]


def test_a_mark_of_a_row_without_a_label_is_no_part_of_its_figure(compiled):
    rows = [
        (200, [(262, "2017"), (352, "2016")]),
        (214, [(72, "Cash in hand"), (255, "$ 13"), (345, "$ 49")]),
        (226, [(72, "Held for sale"), (262, "28"), (352, "42")]),
        (238, [(250, "$ 219"), (284, "1"), (340, "$ 797"), (374, "3")]),
        (250, [(72, "Owed"), (262, "22"), (352, "93")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert "$ 219" in [cell.text for cell in view.table.body[2].cells]


def test_labels_in_two_columns_of_which_one_has_no_header_are_one_label(compiled):
    rows = [
        (200, [(72, "(in crowns)"), (292, "1Q21"), (372, "4Q20"), (452, "3Q20")]),
        figures(212, "Quay fees", "14", "19", "11", edges=(310, 390, 470)),
        (224, [(104, "Tax on fees"), (300, "2"), (380, "3"), (460, "1")]),
        (236, [(72, "Fee per boat:"), (146, "Small"), (300, "4"), (380, "5"), (460, "3")]),
        (248, [(146, "Large"), (300, "8"), (380, "9"), (460, "7")]),
        figures(260, "Boats", "31", "33", "30", edges=(310, 390, 470)),
    ]
    [view] = views(compiled(laid(rows)))
    assert len(view.table.columns) == 4
    assert [row.label for row in view.table.body] == [
        "Quay fees",
        "Tax on fees",
        "Fee per boat: Small",
        "Large",
        "Boats",
    ]


def test_a_row_of_words_among_figures_is_a_row(compiled):
    rows = [
        (200, [(72, "Symbol"), (130, "Parameter"), (300, "Min"), (380, "Max"), (460, "Unit")]),
        (212, [(72, "VPP"), (130, "Supply"), (300, "20.5"), (380, "21.5"), (460, "V")]),
        (224, [(72, "TAV"), (130, "Address setup"), (290, "46TCL")]),
        (236, [(72, "TGH"), (130, "Address hold"), (290, "48TCL")]),
        (248, [(72, "TSH"), (130, "Setup"), (302, "10"), (380, "14"), (460, "ms")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [row.label for row in view.table.body] == ["VPP", "TAV", "TGH", "TSH"]


def test_words_above_the_middle_of_their_row_belong_to_it(compiled):
    rows = [
        (200, [(72, "Season"), (190, "Kind"), (290, "Asked"), (370, "Joined")]),
        (216, [(190, "Rowing/")]),
        (226, [(72, "Spring 2014"), (190, "sailing"), (290, "9,809"), (370, "5,338")]),
        (242, [(190, "Rowing/")]),
        (252, [(72, "Autumn 2015"), (190, "diving"), (290, "6,004"), (370, "2,976")]),
        (268, [(72, "Spring 2017"), (190, "rowing"), (290, "3,905"), (370, "1,628")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert view.table.columns[1].path == ("Kind",)
    assert [row.cells[1].text for row in view.table.body] == ["Rowing/ sailing", "Rowing/ diving", "rowing"]


def test_a_header_that_stands_apart_over_its_column_heads_it(compiled):
    rows = [
        (190, [(372, "Margin")]),
        (206, [(292, "Asked"), (366, "of error")]),
        (246, [(72, "All guests"), (294, "1,500"), (370, "3.3 points")]),
        (258, [(72, "Day guests"), (300, "705"), (370, "4.8 points")]),
        (270, [(72, "Night guests"), (300, "795"), (370, "4.4 points")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path for column in view.table.columns[1:]] == [("Asked",), ("Margin of error",)]


def test_a_column_without_any_figure_keeps_its_header(compiled):
    rows = [
        (200, [(72, "Aim"), (172, "Kind"), (232, "State"), (300, "Begins"), (366, "Ends"), (436, "Percentage")]),
        (214, [(72, "More boats"), (172, "Target"), (232, "Doubled"), (450, "100")]),
        (228, [(72, "More quays"), (172, "Target"), (232, "Tripled"), (452, "30")]),
        (242, [(72, "More crew"), (172, "Target"), (232, "Halved"), (452, "50")]),
    ]
    [view] = views(compiled(laid(rows)))
    headers = [column.header for column in view.table.columns]
    assert headers == ["Aim", "Kind", "State", "Begins", "Ends", "Percentage"]
    assert [cell.text for cell in view.table.body[0].cells] == ["More boats", "Target", "Doubled", "", "", "100"]


def test_the_end_of_a_sentence_heads_no_column(compiled):
    rows = [
        (200, [(72, "Guests:"), (200, "Men and women over sixty who swim, row or sail and who meet these")]),
        (211, [(200, "criteria.")]),
        (222, [(72, "Asked first:"), (200, "1. Are you able to swim?")]),
        (236, [(72, "Asked then:"), (200, "2. Are you able to row?")]),
        (248, [(72, "Guests a year:"), (200, "640")]),
    ]
    found = views(compiled(laid(rows)))
    assert not any("criteria." in column.header for view in found for column in view.table.columns)


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


def test_signs_of_currencies_part_figures_that_stand_close(compiled):
    edges = [(168, 217), (221, 269), (274, 322), (326, 374), (478, 526)]
    rows = [(200, [(right - 20, str(2022 - n)) for n, (_, right) in enumerate(edges)])]
    for n, label in enumerate(("Loans", "Bonds", "Funds")):
        cells = [cell for left, right in edges for cell in ((left, "$"), (right - 10, f"{n}0"))]
        rows.append((214 + 12 * n, [(72, label), *cells]))
    [view] = views(compiled(laid(rows)))
    assert [cell.text for cell in view.table.body[1].cells[1:]] == ["$ 10"] * 5


@pytest.mark.parametrize(
    "lines",
    [
        ["1 Gallery ........C5", "2 Garden .........D4", "3 Harbour ........B1", "4 Island .........E5"],
        [">>> boat = Boat(length=12,", "...     width=4,", "...     crew=(3, 5),", "...     name='Aurora')"],
    ],
)
def test_an_index_of_a_map_and_lines_of_a_program_are_no_tables(compiled, lines):
    rows = [(200 + 12 * n, [(72, line), (320, line)]) for n, line in enumerate(lines)]
    document = compiled(laid(rows))
    assert views(document) == []
    assert not uncovered(document)


def test_prose_with_wide_gaps_around_one_number_is_no_table(compiled):
    rows = [
        (200, [(72, "It was thought that the shocks were due"), (320, "to water in the gullets, as he said")]),
        (212, [(72, "like"), (130, "60"), (190, "fathoms"), (260, "of"), (300, "limestone ;"), (380, "the head")]),
    ]
    assert views(compiled(laid(rows))) == []


def test_the_end_of_a_label_is_no_column(compiled):
    edges = (310, 390)
    rows = [
        (200, [(292, "Boats"), (372, "Quays")]),
        figures(214, "Reclassified, adjusted and the like", "17", "72", edges=edges),
        (226, [(72, "Held at the end"), (152, "2020"), (300, "12"), (380, "22")]),
        figures(238, "Bought and taken over in the year", "14", "7", edges=edges),
        figures(250, "Sold, given away or lost in the year", "2", "8", edges=edges),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path for column in view.table.columns[1:]] == [("Boats",), ("Quays",)]
    assert view.table.body[1].label == "Held at the end 2020"


def test_a_percent_sign_set_apart_stays_with_its_figure(compiled):
    rows = [(200, [(250, "2021"), (330, "Change"), (410, "2019")])]
    for n, label in enumerate(("Rowing", "Sailing", "Diving")):
        rows.append((214 + 12 * n, [(72, label), (250, "$ 846"), (332, "16"), (372, "%"), (385, "$"), (410, "906")]))
    [view] = views(compiled(laid(rows)))
    assert [cell.text for cell in view.table.body[0].cells[1:]] == ["$ 846", "16 %", "$ 906"]


def test_a_label_that_begins_like_a_period_and_goes_on_is_a_label(compiled):
    rows = [
        (200, [(300, "Inland"), (380, "Abroad")]),
        (212, [(72, "Three months or")]),
        (221, [(78, "less"), (300, "$ 33"), (380, "$ 74")]),
        (235, [(72, "Over three")]),
        (244, [(78, "months"), (300, "15"), (380, "54")]),
        figures(258, "Total", "48", "128", edges=(320, 400)),
    ]
    [view] = views(compiled(laid(rows)))
    assert view.table.body[0].label == "Three months or less"


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


def test_years_below_their_own_header_are_labels(compiled):
    rows = [(200, [(72, "Years"), (260, "(crowns in millions)")])]
    rows += [(214 + 12 * n, [(72, str(2022 - n)), (310, f"{n + 1},087")]) for n in range(4)]
    [view] = views(compiled(laid(rows)))
    assert [row.label for row in view.table.body] == ["2022", "2021", "2020", "2019"]


def columns(view) -> list[tuple[str, ...]]:
    """The paths of the columns of figures."""
    return [column.path for column in view.table.columns[1:]]


def test_a_header_that_speaks_of_a_statement_is_no_title(compiled):
    page = laid(
        [
            (200, [(320, "Quarter ended"), (460, "Half ended")]),
            (212, [(150, "Statement of Income Line"), (330, "May 31, 2021"), (470, "May 31, 2021")]),
            (226, [(72, "Wear of piers"), (150, "Upkeep"), (350, "$ 21"), (490, "$ 41")]),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view)[-2:] == [("Quarter ended May 31, 2021",), ("Half ended May 31, 2021",)]


def test_a_dash_set_off_beside_its_column_makes_no_column(compiled):
    page = laid(
        [
            (200, [(330, "2021"), (430, "2020")]),
            (214, [(72, "Buoys"), (330, "$ 280"), (430, "$ 12")]),
            (228, [(72, "Lamps"), (340, "203"), (440, "26")]),
            (242, [(72, "Nets"), (354.6, "-"), (450.6, "-")]),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [("2021",), ("2020",)]


def test_the_sign_of_a_currency_far_from_its_figure_begins_a_column(compiled):
    page = laid(
        [
            (200, [(72, "Part"), (215, "Line of the statement"), (480, "2021")]),
            (214, [(72, "Rates"), (230, "Other income net"), (312, "$"), (490, "23")]),
            (228, [(72, "Fuel"), (246, "Cost of berths"), (495, "4")]),
            (242, [(72, "Loans"), (251, "Interest paid"), (490, "44")]),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [("Line of the statement",), ("2021",)]
    assert [cell.text for cell in view.table.body[0].cells] == ["Rates", "Other income net", "$ 23"]


def test_figures_beside_the_last_line_of_their_label_leave_the_label_below_alone(compiled):
    page = laid(
        [
            (200, [(330, "2021"), (430, "2020")]),
            figures(214, "Change of harbour dues", "5", "8", edges=(350, 450)),
            (224, [(72, "Gain of the boatyard on")]),
            figures(234, "sales of old hulls", "7", "6", edges=(350, 450)),
            figures(244, "Fees for the use of quays", "9", "4", edges=(350, 450)),
            (254, [(72, "Income from joint ferry")]),
            figures(264, "lines and tugs", "3", "1", edges=(350, 450)),
        ]
    )
    [view] = views(compiled(page))
    assert [row.label for row in view.table.body] == [
        "Change of harbour dues",
        "Gain of the boatyard on sales of old hulls",
        "Fees for the use of quays",
        "Income from joint ferry lines and tugs",
    ]


def test_a_date_over_the_figures_heads_the_rows_below_it_alone(compiled):
    page = laid(
        [
            (200, [(420, "Year Ended May 31, 2021")]),
            figures(214, "Paid for berths", "$ 80", edges=(500,)),
            figures(228, "Berths taken on", "65", edges=(500,)),
            (246, [(420, "At May 31, 2021")]),
            figures(260, "Years left", "5.0", edges=(500,)),
            figures(274, "Rate of interest", "4.02%", edges=(500,)),
        ]
    )
    first, second = views(compiled(page))
    assert first.periods[1].words == "year ended 31 May 2021"
    assert second.periods[1].words == "as of 31 May 2021"


def test_a_sentence_that_leads_to_the_next_table_ends_the_one_above(compiled):
    page = laid(
        [
            (190, [(485, "2022")]),
            figures(204, "Spring", "$ 80", edges=(500,)),
            figures(216, "Autumn", "76", edges=(500,)),
            (232, [(72, "For 2021, dues were paid based on the following schedule:")]),
            figures(250, "April 3", "$ 0.52", edges=(500,)),
            figures(264, "June 5", "0.52", edges=(500,)),
        ]
    )
    assert [len(list(view.table.body)) for view in views(compiled(page))] == [2, 2]


@pytest.mark.parametrize(
    "rows",
    [
        [
            [(130, "NORWAY"), (430, "12-3456789")],
            [(100, "(State of incorporation)"), (400, "(Number with the tax office)")],
            [(105, "One Harbour Drive, Bergen"), (435, "5003-11")],
            [(110, "(Address of the head office)"), (438, "(Post code)")],
        ],
        [
            [(left, str(2015 + n)) for n, left in enumerate((80, 160, 240, 320, 400))],
            [(80, "Bergen Ferries"), (320, "All ferries of the north")],
            [(80, "Nordic index"), (320, "Harbours and shipyards")],
        ],
        [
            [(80, "98.1"), (110, "Cover sheet of the deed in full")],
            [(80, "98.2"), (110, "Copy of the deed")],
            [(80, "99"), (110, "Letter of the bank of 3 May 2015")],
        ],
        [
            [(72, "10.1*"), (110, "Plan of shares"), (400, "10-K"), (450, "6/30/12"), (500, "10.4")],
            [(72, "10.2*"), (110, "Plan of bonuses"), (400, "8-K"), (450, "6/30/13"), (500, "10.7")],
            [(72, "10.3*"), (110, "Deed of the quay"), (400, "10-Q"), (450, "6/30/14"), (500, "10.9")],
        ],
    ],
    ids=["captions", "legend", "list", "papers"],
)
def test_captions_legends_and_lists_of_papers_are_no_tables(compiled, rows):
    document = compiled(laid([(200 + 12 * number, row) for number, row in enumerate(rows)]))
    assert views(document) == []
    assert uncovered(document) == []


def test_a_day_over_its_year_heads_one_column_beside_whole_dates(compiled):
    page = laid(
        [
            (200, [(418, "Valued at")]),
            (211, [(412, "January 28,")]),
            (222, [(310, "July 29, 2023"), (427, "2023"), (510, "July 30, 2022")]),
            figures(236, "Buoys in store", "$ 104", "$ 280", "$ 1", edges=(365, 450, 565)),
            figures(248, "Lamps in store", "117", "203", "26", edges=(365, 450, 565)),
        ]
    )
    [view] = views(compiled(page))
    assert [path[-1] for path in columns(view)] == ["July 29, 2023", "January 28, 2023", "July 30, 2022"]
    assert [period.words for period in view.periods[1:]] == ["29 July 2023", "28 January 2023", "30 July 2022"]


def test_words_in_one_row_under_a_header_of_their_own_are_a_column(compiled):
    page = laid(
        [
            (200, [(180, "Line of the statement"), (330, "2021"), (430, "2020")]),
            (214, [(72, "Wear of piers"), (180, "Upkeep"), (330, "$ 21"), (430, "$ 20")]),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [("Line of the statement",), ("2021",), ("2020",)]


def test_names_that_go_on_in_small_letters_are_one_level_beside_names_of_one_line(compiled):
    page = laid(
        [
            (200, [(290, "Ferries"), (478, "All kept")]),
            (211, [(208, "Quays"), (282, "and barges"), (372, "Other"), (475, "vessels")]),
            (222, [(200 + 45 * n, str(2021 - n % 2)) for n in range(8)]),
            *(
                figures(234 + 12 * k, label, *("11", "12", "13", "14", "15", "16", "17", "18"), edges=EIGHT)
                for k, label in enumerate(("North basin", "South basin", "Inner basin"))
            ),
        ]
    )
    [view] = views(compiled(page))
    assert [path[0] for path in columns(view)[::2]] == ["Quays", "Ferries and barges", "Other", "All kept vessels"]
    assert [path[-1] for path in columns(view)] == ["2021", "2020"] * 4


EIGHT = tuple(220.0 + 45 * n for n in range(8))


def test_a_figure_alone_below_its_label_leaves_the_label_to_it(compiled):
    page = laid(
        [
            (200, [(335, "2021")]),
            figures(214, "Income of the ferries before taxes", "$ 506", edges=(350,)),
            (224, [(72, "Taxes on income of the ferries")]),
            (233, [(335, "192")]),
            figures(246, "Net income", "$ 314", edges=(350,)),
            figures(258, "Dues", "$ 31", edges=(350,)),
        ]
    )
    [view] = views(compiled(page))
    assert view.table.body[0].label == "Income of the ferries before taxes"


def test_header_lines_printed_out_of_order_keep_the_years_above_them(compiled):
    page = laid(
        [
            (160, [(300, "Year ended May 31,")]),
            (174, [(281, "2023"), (451, "2022")]),
            (214, [(72, "(Dollars in millions)"), (232, "TOTAL")]),
            (188, [(310, "AMOUNT OF")]),
            (197, [(310, "GAIN MADE")]),
            (205, [(310, "BY TUGS")]),
            (214, [(400, "TOTAL")]),
            (188, [(480, "AMOUNT OF")]),
            (197, [(480, "GAIN MADE")]),
            (205, [(480, "BY TUGS")]),
            figures(228, "Dues", "$ 51,217", "$ 26", "$ 46,710", "$ 12", edges=(255, 350, 425, 520)),
            figures(240, "Rents", "28,925", "581", "25,231", "23", edges=(255, 350, 425, 520)),
        ]
    )
    [view] = views(compiled(page))
    assert [period.year for period in view.periods[1:]] == [2023, 2023, 2022, 2022]


def test_whole_dates_go_on_in_no_line_below(compiled):
    edges = (260, 320, 370, 430, 490, 540)
    page = laid(
        [
            (200, [(268, "May 31, 2021"), (438, "May 31, 2020")]),
            (212, [(292, "Wear so"), (462, "Wear so")]),
            (223, [(240, "Gross"), (292, "far"), (350, "Net"), (410, "Gross"), (462, "far"), (520, "Net")]),
            figures(236, "Quays", "$ 2,443", "$ (469)", "$ 1,974", "$ 2,474", "$ (402)", "$ 2,072", edges=edges),
            figures(248, "Boats", "4,113", "(845)", "3,268", "4,097", "(681)", "3,416", edges=edges),
        ]
    )
    [view] = views(compiled(page))
    assert [path[0] for path in columns(view)] == ["May 31, 2021"] * 3 + ["May 31, 2020"] * 3


def test_a_title_that_names_a_period_parts_tables_of_the_same_columns(compiled):
    def block(top: float, title: str) -> list:
        return [
            (top, [(222, title)]),
            (top + 16, [(72, "(Dollars in millions)"), (290, "Ferries"), (390, "Quays"), (490, "All")]),
            *(
                figures(top + 30 + 14 * k, label, "21", "32", "53", edges=(315, 415, 515))
                for k, label in enumerate(("Dues", "Rents", "Fuel"))
            ),
        ]

    page = laid([*block(200, "Q2 2022 YTD income of all basins"), *block(300, "Q3 2022 YTD income of all basins")])
    first, second = views(compiled(page))
    assert [period.words for period in first.periods[1:]] == ["six months 2022"] * 3
    assert [period.words for period in second.periods[1:]] == ["nine months 2022"] * 3


def test_two_addresses_side_by_side_are_no_table(compiled):
    rows = [
        ("Investors:", "Papers:"),
        ("Robert Hull", "Cara Keel"),
        ("robert@harbour.example", "cara@harbour.example"),
        ("(212) 555-4600", "(914) 555-0304"),
    ]
    page = laid([(200 + 12 * n, [(72, one), (400, other)]) for n, (one, other) in enumerate(rows)])
    assert views(compiled(page)) == []


def test_years_with_stars_and_titles_between_years_and_rows_leave_the_years_their_columns(compiled):
    page = laid(
        [
            (200, [(72, "(Dollars in millions)"), (325, "2018*"), (430, "2017")]),
            (214, [(72, "Consolidated Statements of Earnings Data")]),
            figures(228, "Harbour dues", "$ 32,765", "$ 31,657", edges=(350, 450)),
            figures(242, "Rents", "5,349", "4,858", edges=(350, 450)),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [("2018*",), ("2017",)]


def test_names_that_touch_are_parted_by_the_name_that_stands_elsewhere(compiled):
    edges = (210, 262, 312, 362, 412)
    page = laid(
        [
            (200, [(190, "FY 2023"), (240, "FY 2022"), (286, "CHANGE CHANGES"), (388, "CHANGE")]),
            *(
                figures(214 + 12 * k, label, "$ 26", "$ 25", "4 %", "5 %", "7 %", edges=edges)
                for k, label in enumerate(("Dues", "Rents", "Fuel"))
            ),
        ]
    )
    [view] = views(compiled(page))
    assert [path[-1] for path in columns(view)] == ["FY 2023", "FY 2022", "CHANGE", "CHANGES", "CHANGE"]


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


def test_a_units_line_over_two_columns_is_no_name_of_either(compiled):
    page = laid(
        [
            (200, [(350, "Year Ended May 31,")]),
            (212, [(335, "2020"), (435, "2019")]),
            (224, [(360, "(In thousands)")]),
            figures(238, "Cost of berths", "$ 751,002", "$ 143,954", edges=(360, 460)),
            figures(250, "Cost of boats", "51,002", "43,954", edges=(360, 460)),
        ]
    )
    [view] = views(compiled(page))
    assert [path[-1] for path in columns(view)] == ["2020", "2019"]


def test_a_sign_and_its_word_with_a_wide_space_are_one_name(compiled):
    edges = (240, 295, 360, 430, 487, 550)
    page = laid(
        [
            (200, [(285, "Q4"), (463, "Full Year")]),
            (
                212,
                [
                    (220, "2022"),
                    (275, "2021"),
                    (325, "% Change"),
                    (410, "2022"),
                    (468, "2021"),
                    (515, "%"),
                    (528, "Change"),
                ],
            ),
            *(
                figures(226 + 12 * k, label, "$ 23", "$ 24", "4.4 %", "$ 94", "$ 93", "1.3 %", edges=edges)
                for k, label in enumerate(("Sales", "Dues", "Rents"))
            ),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [(group, name) for group in ("Q4", "Full Year") for name in ("2022", "2021", "% Change")]


def test_a_header_of_another_quarter_among_the_rows_begins_another_table(compiled):
    def block(top: float, quarter: str) -> list:
        return [
            (top, [(72, "(Dollars in Millions)"), (380, quarter)]),
            (top + 12, [(325, "2023"), (425, "2022"), (510, "Total")]),
            *(
                figures(top + 26 + 12 * k, label, "5,590", "5,341", "4.7", edges=(345, 445, 530))
                for k, label in enumerate(("Europe", "Asia", "Africa"))
            ),
        ]

    page = laid([*block(200, "FIRST QUARTER"), *block(276, "SECOND QUARTER")])
    first, second = views(compiled(page))
    assert [first.periods[1].words, second.periods[1].words] == ["Q1 2023", "Q2 2023"]


def test_marks_of_footnotes_set_apart_make_no_column(compiled):
    page = laid(
        [
            (200, [(275, "2017"), (375, "2016")]),
            (214, [(72, "Awarded"), (275, "1,082"), (310, "(1)"), (375, "1,206"), (410, "(2)")]),
            figures(228, "Kept", "940", "815", edges=(300, 400)),
            figures(242, "Given up", "12", "(8)", edges=(300, 400)),
        ]
    )
    [view] = views(compiled(page))
    assert columns(view) == [("2017",), ("2016",)]
    assert [cell.text for cell in view.table.body[0].cells] == ["Awarded", "1,082 (1)", "1,206 (2)"]


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


def test_a_few_rows_without_any_name_of_their_columns_are_text(compiled):
    edges = (260, 330, 400, 470)
    page = laid(
        [
            figures(214, "At home", "17", "1,080", "(98)", "(97)", edges=edges),
            figures(228, "Abroad", "1,471", "7,768", "(81)", "(80)", edges=edges),
        ]
    )
    document = compiled(page)
    assert views(document) == []
    assert uncovered(document) == []
    assert "1,471" in document.page_text(0)


def test_signatures_without_a_header_are_text(compiled):
    names = ("Robert Hull", "Cara Keel", "Joan Mast")
    rows = [
        line
        for k, name in enumerate(names)
        for line in (
            (200 + 26 * k, [(72, f"/s/ {name}"), (250, "Director of the yard"), (420, "May 3, 2021")]),
            (211 + 26 * k, [(72, name)]),
        )
    ]
    document = compiled(laid(rows))
    assert views(document) == []
    assert uncovered(document) == []


def test_words_and_small_numbers_over_figures_name_their_columns(compiled):
    rows = [
        (200, [(300, "By berth"), (463, "By wind")]),
        (212, [(280, "1"), (360, "2"), (430, "Calm"), (508, "Gusty")]),
        figures(226, "Ferries", "41.3", "40.2", "38.1", "51.0", edges=(290, 370, 450, 530)),
        figures(238, "Tugs", "44.0", "39.4", "35.2", "50.6", edges=(290, 370, 450, 530)),
        figures(250, "Barges", "45.1", "42.0", "30.9", "51.4", edges=(290, 370, 450, 530)),
    ]
    [view] = views(compiled(laid(rows)))
    assert read(view, "Tugs", 2).column_path == ("By berth", "2")
    assert read(view, "Tugs", 4).column_path == ("By wind", "Gusty")
    assert len(list(view.table.body)) == 3


def test_figures_set_to_the_middle_of_two_lines_belong_to_both(compiled):
    rows = [
        (200, [(72, "Code"), (110, "Measure"), (290, "2023"), (370, "2022"), (440, "Reached")]),
        (216, [(72, "4.4 A"), (110, "Average minutes until")]),
        (221, [(110, "a call is answered"), (290, "15.8"), (370, "24.2"), (440, "No")]),
        (260, [(72, "4.4 B"), (110, "Average days until")]),
        (265, [(110, "a case is closed"), (290, "56.2"), (370, "54.1"), (440, "Yes")]),
    ]
    [view] = views(compiled(laid(rows)))
    told = [(row.label, row.cells[1].text) for row in view.table.body]
    assert told == [
        ("4.4 A", "Average minutes until a call is answered"),
        ("4.4 B", "Average days until a case is closed"),
    ]


def test_the_first_line_of_the_next_label_is_no_end_of_the_one_above(compiled):
    rows = [
        (200, [(280, "2023"), (360, "2022")]),
        figures(214, "Noise of ships/Smoke of ships", "2", "7"),
        (224, [(72, "Discontent with the")]),
        figures(234, "harbour, the town", "10", "6"),
        figures(246, "Prices of berths", "8", "9"),
    ]
    [view] = views(compiled(laid(rows)))
    assert [row.label for row in view.table.body] == [
        "Noise of ships/Smoke of ships",
        "Discontent with the harbour, the town",
        "Prices of berths",
    ]


def test_a_first_row_that_says_what_the_words_below_are_is_the_header(compiled):
    rows = [
        (200, [(72, "Mode"), (200, "Overview")]),
        (214, [(72, "Calm"), (200, "Holds the boat at its berth without motors.")]),
        (228, [(72, "Tide"), (200, "Follows the tide with the stern line.")]),
        (242, [(72, "Storm"), (200, "Turns the bow to the sea and warns the crew.")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert read(view, "Tide", 1).column_path == ("Overview",)


def test_a_number_column_that_breaks_over_two_lines_is_no_bullet(compiled):
    rows = [
        (200, [(72, "Sl."), (110, "Holder of berths"), (270, "Berths held"), (350, "Share of")]),
        (211, [(72, "No."), (352, "Berths")]),
        (225, [(72, "A"), (110, "The town"), (280, "3,771"), (360, "36.27")]),
        (237, [(72, "B"), (110, "Its people"), (280, "1,125"), (360, "10.01")]),
        (249, [(72, "C"), (110, "Others"), (280, "5,504"), (360, "53.72")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [column.path[-1] for column in view.table.columns[-2:]] == ["Berths held", "Share of Berths"]


PAGES_FIRST = [(200 + 14 * n, [(72, page), (100, words)]) for n, (page, words) in enumerate(
    [("12", "The harbour"), ("16", "Quays and moorings"), ("16", "Ferries"), ("21", "How to apply")]
)]  # fmt: skip
DRAWING = [
    (200, [(72, "lt-+--------+"), (200, "-")]),
    (212, [(72, "|"), (115, "|"), (160, "height")]),
    (224, [(72, "|"), (115, "|"), (200, "^")]),
    (236, [(72, "+--+-----br-+"), (200, "-")]),
]
CALLS = [
    (200 + 12 * n, [(72, f"sizes[{n}] = boat.Size(["), (240, f"{n + 3},"), (290, f"{n}0")]) for n in range(4)
]  # fmt: skip
AXES = [
    (200, [(300, "2022"), (360, "2023")]),
    (216, [(330, "+18R")]),
    (230, [(300, "45"), (360, "54")]),
    (244, [(300, "40"), (360, "35")]),
]
NUMBERS = [
    (200, [(72, "[[16., 0.,"), (160, "24.,"), (200, "8.],")]),
    (212, [(72, "[ 0., 16.,"), (160, "8.,"), (200, "24.],")]),
    (224, [(72, "[16., 16.,"), (160, "24.,"), (200, "24.")]),
]
INDEX = [
    (200 + 12 * n, [(72, f"{n} Galley ........C{n}"), (220, f"4{n} Wharf .........D{n}"), (380, f"9{n}")])
    for n in range(2, 6)
]
JUSTIFIED = [
    (200, [(72, "Harbour:"), (220, "A boat is moored at two lines. You are")]),
    (212, [(72, "asked to rate how well it"), (220, "Is held, and")]),
    (224, [(72, "how the lines are kept in"), (220, "Please read and")]),
    (236, [(72, "order by their owners who"), (220, "Keep this sheet")]),
]


@pytest.mark.parametrize(
    "rows",
    [PAGES_FIRST, DRAWING, CALLS, NUMBERS, INDEX, AXES, JUSTIFIED],
    ids=["contents", "drawing", "calls", "numbers", "index", "axes", "justified"],
)
def test_contents_drawings_of_signs_charts_and_justified_lines_are_no_tables(compiled, rows):
    document = compiled(laid(rows))
    assert views(document) == []
    assert not uncovered(document)


def test_a_lettered_title_under_dates_heads_the_first_rows(compiled):
    rows = [
        (200, [(270, "For the year ended"), (370, "For the year ended")]),
        (210, [(295, "31.3.2003"), (395, "31.3.2002")]),
        (222, [(60, "A."), (72, "MONEY FROM FERRIES")]),
        (232, [(80, "Fares"), (305, "5,690"), (405, "7,183")]),
        (242, [(80, "Dues"), (310, "913"), (410, "811")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert read(view, "Dues", 2).period.words == "year ended 31 March 2002"


def test_the_total_of_all_groups_is_in_none_of_them(compiled):
    rows = [
        (200, [(72, "Season"), (180, "Way"), (280, "Asked"), (360, "Joined"), (440, "Left")]),
        (214, [(72, "Spring 2014"), (180, "Letter"), (285, "9,809"), (365, "5,338"), (445, "2,303")]),
        (228, [(72, "Autumn 2015"), (180, "Call"), (285, "6,004"), (365, "2,976"), (445, "1,335")]),
        (242, [(180, "Total"), (280, "15,813"), (365, "8,314"), (445, "3,638")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert read(view, "Total", 2).row_path == ("Total",)


def test_an_accent_printed_apart_parts_no_name(compiled):
    rows = [
        (200, [(72, "Boat"), (280, "2023"), (360, "2022")]),
        (214, [(72, "Rosk\xb4"), (97, "\xb4"), (106, "Berg"), (285, "20"), (365, "21")]),
        (228, [(72, "Solvei"), (285, "30"), (365, "32")]),
    ]
    [view] = views(compiled(laid(rows)))
    assert [len(row.cells) for row in view.table.body] == [3, 3]


def test_a_figure_over_a_figure_is_no_header(compiled):
    rows = [(200, [(281, "43")]), (212, [(72, "See map"), (277, "53")]), (224, [(72, "p. 296")])]
    assert views(compiled(laid(rows))) == []


BROKEN = laid(
    [
        (200, [(312, "Other Mooring and Berthing")]),
        (211, [(196, "Ferries and Barges"), (357, "Dues"), (468, "Pilotage and Towage")]),
        (222, list(zip((190, 232, 274, 330, 372, 414, 469, 511, 553), ("2021", "2020", "2019") * 3, strict=True))),
        figures(236, "North basin", "1,192.7", "94.6", "102.9", "11,219.4", "9.9", "11.6", "1,118.3", "7.6", "8.6",
                edges=(210, 252, 294, 350, 392, 434, 489, 531, 573)),
        figures(248, "South basin", "230.5", "248.0", "217.9", "27.1", "33.1", "30.1", "2.6", "3.0", "2.3",
                edges=(210, 252, 294, 350, 392, 434, 489, 531, 573)),
    ]
)  # fmt: skip


def test_a_header_with_a_line_more_than_those_beside_it_is_one_header(compiled):
    [view] = views(compiled(BROKEN))
    assert [column.path for column in view.table.columns[1::3]] == [
        ("Ferries and Barges", "2021"),
        ("Other Mooring and Berthing Dues", "2021"),
        ("Pilotage and Towage", "2021"),
    ]


DATED = laid(
    [
        (200, [(387, "May 28, 2021")]),
        (211, [(254, "Fees Quoted in Open Ports"), (373, "Other Observable Fees")]),
        (222, [(262, "for the same moorings"), (404, "of ports")]),
        (233, [(288, "(Class 1)"), (400, "(Class 2)"), (510, "Total Fees")]),
        (246, [(265, "Paid"), (317, "Owed"), (380, "Paid"), (430, "Owed"), (492, "Paid"), (542, "Owed")]),
        figures(
            260,
            "Ferries",
            "42,118.5",
            "61,400.2",
            "18,700.1",
            "20,144.9",
            "60,818.6",
            "81,545.1",
            edges=(295, 353, 409, 466, 522, 578),
        ),
        figures(
            272,
            "Barges",
            "19,204.4",
            "14,118.3",
            "20,007.1",
            "88,406.2",
            "20,914.1",
            "92,310.0",
            edges=(295, 353, 409, 466, 522, 578),
        ),
    ]
)


def test_a_date_over_all_columns_is_no_part_of_the_name_below_it(compiled):
    [view] = views(compiled(DATED))
    assert [column.path for column in view.table.columns[1::2]] == [
        ("May 28, 2021", "Fees Quoted in Open Ports for the same moorings (Class 1)", "Paid"),
        ("May 28, 2021", "Other Observable Fees of ports (Class 2)", "Paid"),
        ("May 28, 2021", "Total Fees", "Paid"),
    ]


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


def test_labels_with_units_beside_them_head_the_rows_below(compiled):
    page = laid(
        [
            (200, [(330, "2021"), (400, "2020")]),
            (212, [(72, "Cash paid for measured moorings and berths"), (340, "(in thousands)")]),
            figures(224, "Outflows of ferries", "572", "117", edges=(352, 422)),
            figures(236, "Outflows of barges", "29", "11", edges=(352, 422)),
        ]
    )
    [view] = views(compiled(page))
    found = read(view, "Outflows of ferries", 1)
    assert found.row_path[0].startswith("Cash paid for measured moorings and berths")
    assert found.scale == 1000


SHARES_BESIDE = laid(
    [
        (200, [(351, "For the Years Ended May 31,")]),
        (213, [(333, "2021"), (505, "2020")]),
        (226, [(72, "Ferries"), (275, "$ 1,975"), (392, "30 %"), (450, "$ 2,255"), (562, "30 %")]),
        (238, [(72, "Barges"), (290, "4,514"), (392, "70"), (465, "5,245"), (562, "70")]),
        (250, [(72, "Total"), (290, "6,489"), (387, "100"), (465, "7,500"), (557, "100")]),
    ]
)


def test_a_year_stands_over_an_amount_and_its_share(compiled):
    [view] = views(compiled(SHARES_BESIDE))
    assert [column.path[-1] for column in view.table.columns[1:]] == ["2021", "2021", "2020", "2020"]
    assert read(view, "Barges", 2).unit == "%"


def test_words_over_codes_are_the_names_of_the_columns(compiled):
    page = laid(
        [
            (200, [(110, "Kind of mooring"), (264, "Symbols"), (377, "Name of each harbour where it is rented out")]),
            (212, [(100, "Mooring of 2024"), (270, "HB24"), (404, "The Inner Harbour")]),
            (224, [(100, "Mooring of 2026"), (270, "HB26"), (404, "The Inner Harbour")]),
            (236, [(100, "Mooring of 2027"), (270, "HB27"), (404, "The Inner Harbour")]),
        ]
    )
    [view] = views(compiled(page))
    assert [column.path for column in view.table.columns[1:]] == [
        ("Symbols",),
        ("Name of each harbour where it is rented out",),
    ]


def test_units_where_labels_begin_are_over_the_labels(compiled):
    edges = (331, 397, 463)
    page = laid(
        [
            (200, [(72, "(Millions, except percentages and as told)"), (310, "2021"), (376, "2020"), (442, "2019")]),
            figures(213, "Dues", "499.5", "411.6", "340.0", edges=edges),
            figures(225, "Rents", "14.9", "13.4", "12.5", edges=edges),
            (237, [(72, "Share of the moorings let, in all"), (240, "harbours"), (305, "0.8 %"), (371, "0.8 %")]),
        ]
    )
    [view] = views(compiled(page))
    assert [column.path for column in view.table.columns[1:]] == [("2021",), ("2020",), ("2019",)]


def test_the_label_of_the_first_group_is_in_the_table_as_those_of_later_ones(compiled):
    labels = [
        "(1) The proposal of the skippers to build a second mole was lost:",
        "(2) The proposal of the ferrymen to open the harbour by night was lost:",
    ]
    rows = [[(72, label)] for label in labels]
    votes = [[(73, "For"), (450, "250,838")], [(73, "Against"), (450, "746,982")]]
    lines = [rows[0], *votes, rows[1], *votes]
    [view] = views(compiled(laid([(200 + 12 * n, line) for n, line in enumerate(lines)])))
    assert [row.path for row in view.table.body if row.label == "For"] == [(label,) for label in labels]


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


def test_times_behind_a_long_name_are_no_header(compiled):
    page = laid(
        [
            (200, [(300, "2021"), (380, "2020")]),
            (212, [(72, "Weighted-average remaining term of moorings"), (295, "6 years"), (375, "7 years")]),
            (224, [(72, "Weighted-average discount"), (310, "3 %"), (390, "4 %")]),
            (236, [(72, "Weighted-average rebate"), (310, "1 %"), (390, "2 %")]),
        ]
    )
    [view] = views(compiled(page))
    assert [column.path for column in view.table.columns[1:]] == [("2021",), ("2020",)]
    assert read(view, "Weighted-average remaining term of moorings", 2).unit == "years"


def test_years_below_repeated_names_head_their_groups(compiled):
    edges = (340, 400, 460, 520)
    page = laid(
        [
            (200, [(315, "Amount"), (380, "Life"), (435, "Amount"), (500, "Life")]),
            (213, [(72, "Year ended May 31,"), (320, "2021"), (440, "2020")]),
            figures(226, "Moorings", "$ 361", "4 years", "$ 874", "5 years", edges=edges),
            figures(238, "Ferries", "2", "1 year", "543", "8 years", edges=edges),
            figures(250, "Barges", "30", "3 years", "37", "4 years", edges=edges),
        ]
    )
    [view] = views(compiled(page))
    assert [view.periods[place].year for place in range(1, 5)] == [2021, 2021, 2020, 2020]


def test_years_head_pairs_that_repeat_behind_another_column(compiled):
    names = zip((254, 305, 362, 413, 470, 522), ("Boats", "Fees") * 3, strict=True)
    amounts = [(262, "4,263"), (306, "$ 18.00"), (370, "3,255"), (414, "$ 73.83"), (478, "4,849"), (524, "$ 79.76")]
    page = laid(
        [
            (200, [(158, "Lettings"), (284, "2021"), (392, "2020"), (501, "2019")]),
            (212, [(148, "of the plan"), *names]),
            *((top, [(72, month), (140, "As planned"), *amounts]) for top, month in ((226, "April"), (238, "June"))),
            (250, [(72, "August"), (140, "As planned"), *amounts]),
        ]
    )
    [view] = views(compiled(page))
    paths = [column.path for column in view.table.columns[1:]]
    assert paths == [("Lettings of the plan",)] + [
        (year, name) for year in ("2021", "2020", "2019") for name in ("Boats", "Fees")
    ]


def test_headers_of_several_lines_printed_after_the_page_stand_over_their_columns(compiled):
    rows = [(230, "Ferries", "12", "14"), (242, "Barges", "31", "28"), (254, "Tugs", "7", "9")]
    body = [Text(left, top, cell, 9) for top, *cells in rows for left, cell in zip((72, 320, 420), cells, strict=True)]
    late = [Text(340, 204, "SECOND QUARTER", 9), Text(318, 217, "2023", 9), Text(418, 217, "2022", 9)]
    (view,) = views(compiled(pdf([[*prose(72, 90, 6), *body, *prose(72, 400, 6), *late]])))
    assert columns(view) == [("SECOND QUARTER", "2023"), ("SECOND QUARTER", "2022")]
