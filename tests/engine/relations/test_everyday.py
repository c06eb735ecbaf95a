"""Which thing of a table is the most or the least, asked in words that the table does not use."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section, table

LIBRARY = compiled(
    "Handbook of the Fenwick libraries",
    section(
        "Water",
        table(
            "Water consumption, m³",
            [
                ["Harbour Street", "310", "290", "340"],
                ["Old Mill", "420", "400", "270"],
                ["Northgate", "120", "140", "150"],
                ["Total", "850", "830", "760"],
            ],
            columns=["Site", "2021", "2022", "2023"],
        ),
    ),
    section(
        "Loans",
        table(
            "Loan periods",
            [
                ["Novels", "4 weeks", "£0.20"],
                ["Films", "7 days", "£0.50"],
                ["Laptops", "3 hours", "£2.00"],
                ["Sheet music", "2 months", "£0.10"],
            ],
            columns=["Material", "Length of loan", "Charge per day late"],
        ),
    ),
    section(
        "Repairs",
        table(
            "Building works",
            [
                ["New roof", "Completed May 2022", "61"],
                ["Lift", "Completed June 2023", "48"],
                ["Reading garden", "Planned", "95"],
            ],
            columns=["Project", "Status", "Cost (£ thousand)"],
        ),
    ),
    section(
        "Complaints",
        table(
            "What to do about complaints",
            [["Noise", "22%", "Speak to the reader within 10 minutes"], ["Cold rooms", "9%", "Call the caretaker"]],
            columns=["Complaint", "Share", "Step of the staff"],
        ),
    ),
    section("Indicators", paragraph("Figures of the year."), table(
        "",
        [["Visitors", "", "91,000"], ["Paper recycled", "%", "64"], ["Electricity", "MWh", "310"]],
        columns=["Indicator", "Unit", "2023"],
    )),
)  # fmt: skip


@pytest.mark.parametrize(
    "question,told",
    [
        (
            "Which location uses the most water?",
            "Harbour Street has the highest figure for 2023, 340 m³, against 270 m³ for Old Mill",
        ),
        ("Which location used the most water in 2021?", "Old Mill has the highest figure for 2021, 420"),
        ("Which material can I keep longest?", "Sheet music has the highest length of loan, 2 months"),
        ("What was the priciest project they have finished?", "New roof has the highest cost, £61 thousand"),
        ("What's the most common complaint?", "Noise has the highest share, 22%, against 9% for Cold rooms"),
    ],
)
def test_the_winner_is_told_among_things_of_the_kind_asked_about(question, told):
    assert told in ask(question, LIBRARY)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "Which librarian takes longest?",
        "Which complaint takes longest?",
        "Which indicator is the highest?",
        "Which location uses the second most water?",
        "Which location uses the most paper?",
        "Which teacher uses the most water?",
        "Which location saves the most?",
        "Who runs the most expensive project?",
        "Which material goes back fastest?",
        "Which complaint is the dearest?",
    ],
)
def test_nothing_is_ranked_where_kind_measure_or_unit_is_in_doubt(question):
    answer = ask(question, LIBRARY)[0].answer
    assert "highest" not in answer and "longest" not in answer


def test_a_cell_that_is_a_sentence_is_no_figure():
    steps = table(
        "Steps after an alarm",
        [["Alarm (three times)", "4%", "1%", "Call back within 72 hours"], ["Door open", "3%", "2%", "Close it"]],
        columns=["Event", "Old panel", "New panel", "What the guard does"],
    )
    answer = ask("Which alarm takes the longest time?", compiled("Guards", section("Steps", steps)))[0].answer
    assert "What the guard does has" not in answer
