"""Which of several is the most or the least: by named measures, parts of cells, growth, and what was planned."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section, table

MIXERS = section(
    "Technical data",
    table(
        "",
        [
            ["Power (W)", "450", "600", "1,100"],
            ["Noise, slow / fast (dB)", "52 / 71", "49 / 74", "60 / 79"],
            ["Bowl (l)", "2.5", "4.0", "5.5"],
            ["Room needed", "0.2 m²", "0.3 m²", "0.4 m²"],
        ],
        columns=["", "MX-1", "MX-2", "MX-3"],
    ),
)
BAKERIES = section(
    "Gas by bakery",
    paragraph("Consumption in MWh."),
    table(
        "",
        [
            ["Mill Lane", "400", "436", "410", "6.3"],
            ["Quay", "90", "117", "130", "-10.0"],
            ["Station", "610", "598", "640", "-6.6"],
            ["Total", "1,100", "1,151", "1,180", "-2.5"],
        ],
        columns=["Bakery", "2022", "2023", "Budget 2023", "Deviation in %"],
    ),
)
KITCHEN = compiled("Bakers' handbook", MIXERS, BAKERIES)


@pytest.mark.parametrize(
    "question,told",
    [
        ("Which mixer draws the least power?", "MX-1 has the lowest power, 450 W, against 600 W for MX-2 and 1,100 W"),
        ("Which mixer has the biggest bowl?", "MX-3 has the biggest bowl, 5.5 l, against 4.0 l for MX-2"),
        ("Which model has the lowest noise level when slow?", "MX-2 has the lowest noise, slow, 49 dB, against 52 dB"),
        ("Which model has the lowest noise level when fast?", "MX-1 has the lowest noise, fast, 71 dB, against 74 dB"),
    ],
)
def test_the_words_behind_the_superlative_name_what_is_ranked(question, told):
    assert told in ask(question, KITCHEN)[0].answer


def test_cells_of_two_parts_are_not_ranked_where_no_part_is_asked_for():
    answer = ask("Which model has the lowest noise level?", KITCHEN)[0].answer
    assert "has the lowest noise" not in answer


@pytest.mark.parametrize(
    "question,told",
    [
        (
            "Which bakery used the most gas in 2023?",
            "Station has the highest figure for 2023, 598 MWh, against 436",
        ),
        ("What is the biggest bakery by gas use?", "Station is the biggest: it has the highest figure for 2023, 598"),
    ],
)
def test_a_column_that_is_only_a_year_is_what_the_table_is_of(question, told):
    assert told in ask(question, KITCHEN)[0].answer


def test_what_grew_fastest_is_worked_out_for_every_row():
    end, claims = ask("Which bakery's gas use grew fastest from 2022 to 2023?", KITCHEN)
    assert "Quay has the highest growth from 2022 to 2023, 30.0% (2023: 117; 2022: 90)" in end.answer
    assert "9.0% for Mill Lane and -2.0% for Station" in end.answer
    calculation = claims[0].calculation
    assert calculation.expression == "100 * (quay_2023 - quay_2022) / quay_2022"


def test_a_deviation_is_ranked_by_size_and_what_is_below_a_plan_by_its_sign():
    question = (
        "Which bakery had the largest deviation from budget in per cent, and which was the most MWh below budget?"
    )
    answer = ask(question, KITCHEN)[0].answer
    assert "Quay has the largest deviation in %, -10.0%, either way, against -6.6% for Station" in answer
    assert "Station has the lowest difference between 2023 and Budget 2023, -42 MWh" in answer


def test_two_things_are_compared_with_the_difference_between_them():
    answer = ask("Which bakery used more gas in 2023, Quay or Station, and by how much?", KITCHEN)[0].answer
    assert "Station has the highest figure for 2023, 598 MWh, against 117 MWh for Quay, 481 MWh more" in answer


def test_only_the_things_named_are_ranked():
    answer = ask("Which used the least gas in 2023: Mill Lane, Station?", KITCHEN)[0].answer
    assert "Quay has the lowest" not in answer or "Mill Lane" in answer
    answer = ask("Which bakery used the least gas in 2023: Mill Lane or Station?", KITCHEN)[0].answer
    assert "Mill Lane has the lowest figure for 2023, 436 MWh, against 598 MWh for Station" in answer


@pytest.mark.parametrize(
    "question",
    [
        "Which mixer is the cheapest?",
        "Which bakery employs the most bakers?",
        "Which lorry used the most diesel in 2023?",
        "Which bakery's rent grew fastest from 2022 to 2023?",
    ],
)
def test_what_no_figure_is_shown_for_is_not_ranked(question):
    answer = ask(question, KITCHEN)[0].answer
    assert "has the" not in answer
    assert "is the cheapest" not in answer


def test_rows_that_are_measures_themselves_are_not_ranked():
    rows = [["Net sales", "410", "290"], ["Staff", "31", "44"], ["Margin", "12 %", "9 %"]]
    shops = compiled("Shops", section("Sales by shop", table("", rows, columns=["", "North sales 2023", "South 2023"])))
    answer = ask("Which shop had the lowest net sales in 2023?", shops)[0].answer
    assert "Staff" not in answer
    assert "Margin" not in answer


def test_rows_below_a_plan_are_counted_and_the_others_told():
    end, _ = ask("How many bakeries were below budget in 2023?", KITCHEN)
    assert end.value == "2"
    assert "2 rows were below Budget 2023: Quay (117 against 130) and Station (598 against 640)" in end.answer
    assert "Not so: Mill Lane (436 against 410)" in end.answer


def test_columns_are_not_ranked_by_a_row_of_the_kind_asked_for():
    rows = [["Lease obligations", "70", "20"], ["Loan obligations", "90", "15"], ["Supply", "40", "18"]]
    debts = compiled("Debts", section("Contracts", table("", rows, columns=["", "Long term", "Short term"])))
    answer = ask("Which contractual obligation has the highest lease value?", debts)[0].answer
    assert "Long term has" not in answer


def test_a_measure_that_names_another_end_of_the_scale_is_not_ranked():
    limits = section(
        "Limits",
        table(
            "Limits",
            [["Largest single file", "256 GB", "1 TB"], ["Shortest pause between saves", "60 min", "15 min"]],
            columns=["Limit", "Home", "Team"],
        ),
    )
    answer = ask("What is the biggest file I can save with Home?", compiled("Backup manual", limits))[0].answer
    assert "60 min" not in answer
