"""Rows of tables told in words: compared, listed with their count, ranked, looked up with their blanks."""

import pytest

from tests.support.engine_documents import Shelf, compiled, paragraph, section, table
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import ClaimEvent, Support
from vectorless_web.engine.relations.rows import split_comparison

SAWS = section(
    "Machines",
    table(
        "Saws of the workshop",
        [
            ["Band saw", "72", "310", "1,450"],
            ["Table saw", "95", "", "2,100"],
            ["Jigsaw", "84", "2", "160"],
        ],
        columns=["Saw", "Noise (dB)", "Weight (kg)", "Price (EUR)"],
    ),
)
WARDENS = section(
    "Wardens of the reserve",
    table(
        "",
        [["Ada Lund", "North", "2015"], ["Bo Falk", "South", "2019"], ["Cem Arda", "North", "2022"]],
        columns=["Name", "Area", "Since"],
    ),
)
PUMPS = section(
    "3. Technical data",
    table(
        "",
        [["Sound level, low / high, dB", "40 / 52", "44 / 49"], ["Weight, kg", "12", "15"]],
        columns=["", "HX-2", "HX-4"],
    ),
)
CODES = section(
    "Fault codes",
    table("", [["F1", "No gas", "Open the valve"], ["F4", "Fan blocked", "Call service"]],
          columns=["Code", "Meaning", "Remedy"]),
)  # fmt: skip
BOATS = [
    section(
        f"{name} line",
        table("", [["Revenue", revenue, "10"], ["Line margin", margin, "9%"]], columns=["", "2024", "2023"]),
    )
    for name, revenue, margin in (("Ferry", "90", "12%"), ("Cargo", "70", "17%"), ("Pilot", "20", "9%"))
]
WORKSHOP = compiled("Workshop handbook", SAWS, WARDENS, PUMPS, CODES, section("Lines", *BOATS))


def ask(question, *documents):
    shelf = Shelf({f"{number}": document for number, document in enumerate(documents or (WORKSHOP,))})
    events = list(Orchestrator().run(question, shelf, Limits()))
    return events[-1], [e for e in events if isinstance(e, ClaimEvent) and e.state == "checked"]


@pytest.mark.parametrize(
    "question,measure,subjects",
    [
        ("Compare the fares for adults, children and dogs", "fares", ("adults", "children", "dogs")),
        ("Compare the band saw and the jigsaw", "", ("band saw", "jigsaw")),
        ("How do the two sheds differ?", None, ()),
        ("How does the band saw compare with the jigsaw?", "", ("band saw", "jigsaw")),
        ("What is the difference between a permit and a licence?", "", ("permit", "licence")),
        ("Compare Leeds and York by headcount", "headcount", ("Leeds", "York")),
    ],
)
def test_a_comparison_names_its_subjects_and_its_measure(question, measure, subjects):
    found = split_comparison(question)
    if measure is None:
        assert found is None or len(found[1]) < 2
    else:
        assert found == (measure, subjects)


def test_a_comparison_has_one_row_for_each_subject_and_shows_blanks():
    end, claims = ask("Compare the weight of the band saw, the table saw and the jigsaw")
    assert claims[0].table == (
        ("Saw", "Weight (kg)"), ("Band saw", "310"), ("Table saw", ""), ("Jigsaw", "2"),
    )  # fmt: skip
    assert "| Table saw | – |" in end.answer
    assert len(claims[0].citations) == 3


def test_a_subject_that_no_row_is_about_is_named_as_missing():
    end, claims = ask("Compare the band saw, the jigsaw and the lathe")
    assert end.outcome.value == "partial" and "lathe" in end.reason
    assert ("lathe", "", "", "") in claims[0].table


@pytest.mark.parametrize(
    "question",
    ["Compare the revenue of the lines in 2024 and 2023", "Compare revenue by line", "Compare revenue per line"],
)
def test_rows_of_one_name_under_sister_headings_are_compared(question):
    _, claims = ask(question)
    assert claims[0].table == (
        ("", "2024", "2023"), ("Ferry line", "90", "10"), ("Cargo line", "70", "10"), ("Pilot line", "20", "10"),
    )  # fmt: skip
    assert len(claims[0].citations) == 3


def test_figures_compared_are_told_with_the_scale_of_their_table():
    parts = [
        section(
            f"{name} division",
            table("", [["Revenue", revenue, before]], columns=["", "2024", "2023"], units="(In millions of euros)"),
        )
        for name, revenue, before in (("Kites", "40", "35"), ("Tents", "12", "14"))
    ]
    report = compiled("Report", section("Divisions (in millions of euros)", *parts))
    _, claims = ask("Compare the revenue of the divisions", report)
    assert claims[0].support is not Support.UNSUPPORTED
    assert claims[0].table[1] == ("Kites division", "€40 million", "€35 million")


def test_a_list_is_complete_and_counted():
    end, claims = ask("List all wardens of the reserve")
    assert end.answer.startswith("3 of 3 rows of the table “Wardens of the reserve”")
    assert [claim.text for claim in claims[1:]] == [
        "Ada Lund – Area: North; Since: 2015",
        "Bo Falk – Area: South; Since: 2019",
        "Cem Arda – Area: North; Since: 2022",
    ]


def test_words_that_stand_in_cells_narrow_a_list():
    end, _ = ask("List all wardens of the north area")
    assert end.answer.startswith("2 rows of the table") and "Bo Falk" not in end.answer


SITES = compiled(
    "Yearbook of the ferry line",
    section("Harbour news", paragraph("The line has four landing stages and one of them was painted this year.")),
    section(
        "Places we use",
        table(
            "",
            [
                ["Orrin", "Landing stage", "Leased"],
                ["Tessel", "Ticket office", "Leased"],
                ["Marrow Bay", "Landing stage and stores", "Owned"],
                ["Quill", "Ticket office", "Owned"],
                ["Harrowby", "Landing stage", "Leased"],
                ["Ness", "Service port", "Leased"],
                ["Skerry", "Service port", "Owned"],
            ],
            columns=["Place", "Use", "Held"],
        ),
    ),
)


def test_a_list_of_a_kind_takes_the_rows_whose_cell_names_the_kind():
    end, claims = ask("List all landing stages", SITES)
    assert end.answer.startswith("3 rows of the table")
    assert [claim.text.partition(" –")[0] for claim in claims[1:]] == ["Orrin", "Marrow Bay", "Harrowby"]


@pytest.mark.parametrize("question", ["List all lighthouses", "Which airports does the line use?"])
def test_a_list_of_no_kind_takes_no_rows(question):
    assert "rows" not in ask(question, SITES)[0].answer


@pytest.mark.parametrize(
    "question,told",
    [
        ("Which saw is the quietest?", "Band saw is the quietest: it has the lowest noise, 72 dB, against 84 dB for"),
        ("Which saw is the heaviest?", "no figure is shown for Table saw"),
        ("Which saw is the cheapest?", "Jigsaw is the cheapest: it has the lowest price, 160 EUR"),
        ("Which model is the quietest at low speed?", "HX-2 is the quietest"),
        ("Which model is the quietest at high speed?", "HX-4 is the quietest"),
        ("Which line had the highest margin in 2024?", "Cargo line has the highest line margin, 17%, against 12% for"),
    ],
)
def test_a_rank_names_the_winner_with_its_figure_and_the_others(question, told):
    assert told in ask(question)[0].answer


@pytest.mark.parametrize(
    "question,told",
    [
        ("What is the weight of the table saw?", "Nothing is stated for Table saw under “Weight (kg)”"),
        ("How much does the jigsaw cost?", "160"),
        ("What does F4 mean?", "F4 – Meaning: Fan blocked; Remedy: Call service"),
    ],
)
def test_a_cell_is_told_with_its_header_and_a_blank_as_blank(question, told):
    assert told in ask(question)[0].answer


LOANS = compiled(
    "Tool shed",
    section(
        "Loans",
        table("", [["Drill", "7", "2", "12"], ["Ladder", "3", "", "9"]],
              columns=["Tool", "Loan period (days)", "Most at a time", "Fee (EUR)"]),
    ),
    section("Yields", table("Yield of the roofs", [["Barn", "40", "44"], ["Mill", "31", ""]],
                            columns=["Roof", "2023", "2024"])),
)  # fmt: skip


@pytest.mark.parametrize(
    "question,told",
    [
        ("Which tool may be kept the longest?", "Drill has the highest loan period, 7 days, against 3 days for Ladder"),
        ("How many drills may I borrow at a time?", "Drill – Most at a time: 2"),
        ("How many ladders may I borrow at a time?", "Nothing is stated for Ladder under “Most at a time”"),
        ("How did the yield of the barn change from 2023 to 2024?", "The yield of the barn rose by 4, from 40 in 2023"),
        ("List all roofs", "Roof – 2023: 40; 2024: 44"),
    ],
)
def test_headers_that_rank_or_date_are_told_as_they_are_meant(question, told):
    assert told.removeprefix("Roof") in ask(question, LOANS)[0].answer


FARES = [
    compiled(
        f"Fares {year}",
        section("Fares", paragraph(f"Fares of {year}."), table("", [["Adult", adult], ["Child", child]],
                columns=["Passenger", "Fare (EUR)"])),
    )
    for year, adult, child in ((2023, "14.00", "7.00"), (2024, "15.50", "7.50"))
]  # fmt: skip


@pytest.mark.parametrize(
    "question,told",
    [
        ("What is the fare for an adult?", ("15.5 EUR", "Fares 2024, the newest version")),
        ("What was the fare for an adult in 2023?", ("14 EUR", "Fares 2023")),
        ("How did the fare for a child change from 2023 to 2024?", ("7.00", "7.50", "0.50 more")),
    ],
)
def test_of_two_versions_the_asked_one_answers_else_the_newest_and_says_so(question, told):
    answer = ask(question, *FARES)[0].answer
    assert all(part in answer for part in told)


HANDBOOK = compiled(
    "Depot handbook",
    section(
        "Holidays",
        table("", [["0 to 3", "25"], ["4 to 8", "28"], ["9 or more", "31"]],
              columns=["Years of service", "Days of holiday"]),
    ),
    section(
        "Credits for late trains",
        table("", [["up to 30 minutes", "none", "0"], ["31 to 60 minutes", "25%", "2"], ["over 1 hour", "60%", "5"]],
              columns=["Delay", "Credit on the fare", "Meal vouchers"]),
    ),
    section(
        "Carriage of parcels",
        table("", [["below 5 kg", "EUR 4"], ["5 kg to below 20 kg", "EUR 9"], ["20 kg and above", "EUR 21"]],
              columns=["Weight", "Carriage"]),
    ),
    section(
        "Consent to purchases",
        table("", [["up to 900", "one offer", "depot manager"], ["901 to 7,000", "two offers", "head of purchasing"],
                   ["more than 7,000", "a tender", "board"]],
              columns=["Value (EUR)", "What is needed", "Approved by"]),
    ),
    section(
        "Price of the loan",
        table("", [["3.0 or more", "2.75"], ["2.0 to below 3.0", "2.25"], ["below 2.0", "1.85"]],
              columns=["Gearing", "Margin (percent a year)"]),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "question,answer",
    [
        ("How many days of holiday do I get after six years?", "28"),
        ("How many days of holiday do I get with 12 years of service?", "31"),
        ("What credit on the fare is there for a delay of 45 minutes?", "25%"),
        ("What credit on the fare is there for a delay of 90 minutes?", "60%"),
        ("Who approves a purchase of EUR 5,000?", "head of purchasing"),
        ("How many offers are needed for a purchase of EUR 5,000?", "two offers"),
        ("What margin applies at a gearing of 2.4?", "2.25 percent a year"),
        ("What is the carriage for a parcel of 20 kg?", "EUR 21"),
        ("What is the carriage for a parcel of 4,500 g?", "EUR 4"),
    ],
)
def test_a_number_is_looked_up_in_the_row_whose_range_holds_it(question, answer):
    end, claims = ask(question, HANDBOOK)
    assert end.value == answer or f": {answer};" in end.answer, end.answer
    assert claims[0].support is not Support.UNSUPPORTED


@pytest.mark.parametrize(
    "question", ["What does a parcel of 12 miles cost?", "What is the fine for a delay of 45 minutes by the driver?"]
)
def test_a_number_of_another_kind_or_thing_is_in_no_range(question):
    end, _ = ask(question, HANDBOOK)
    assert not end.value, end.answer


BUDGET = compiled(
    "Accounts of the ferry",
    section(
        "Result (thousand EUR)",
        table(
            "",
            [["Fares", "910", "980", "870"], ["Fuel", "240", "215", "205"]],
            columns=["", "2025 actual", "2025 budget", "2024 actual"],
            units="(In thousands of euros)",
        ),
    ),
)


@pytest.mark.parametrize(
    "question", ["What were fares compared with budget?", "How did fares do against the budget in 2025?"]
)
def test_what_came_is_set_against_what_was_planned(question):
    end, claims = ask(question, BUDGET)
    assert "910" in end.answer and "980" in end.answer and "870" not in end.answer
    assert claims[0].support is not Support.UNSUPPORTED


def test_a_share_in_a_label_is_a_condition_and_no_unit_of_the_figure():
    rows = [["Water removed at 20 °C and 60 % humidity, litres per day", "13", "26"], ["Weight, kg", "12", "17"]]
    dryers = compiled("Dryer manual", section("Data", table("", rows, columns=["Item", "AB-1", "AB-2"])))
    question = "How many litres of water per day does the AB-2 remove at 20 °C and 60 % humidity?"
    end, _ = ask(question, dryers)
    assert "26" in end.answer
    assert "26%" not in end.answer
