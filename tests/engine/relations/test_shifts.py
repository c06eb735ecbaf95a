"""By how much a row changed or one thing exceeds another, and what a column comes to, in everyday words."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, section, table

HARBOUR = compiled(
    "Report of the harbour board",
    section(
        "Cargo",
        table(
            "Cargo landed by quay, tonnes",
            [["North quay", "4,200", "3,900", "3,100"], ["Fish quay", "800", "950", "990"], ["Slip", "10", "12", "9"]],
            columns=["Quay", "2019", "2020", "2021"],
        ),
    ),
    section(
        "Works",
        table(
            "Works of the board",
            [
                ["Sea wall", "Completed April 2020", "310"],
                ["Lamps", "Completed May 2021", "45"],
                ["Crane rails", "Completed June 2021", "120"],
                ["Ice house", "Planned", "600"],
            ],
            columns=["Project", "Status", "Cost (£ thousand)"],
        ),
    ),
    section(
        "Boats",
        table(
            "Boats for hire",
            [["Weight", "90 kg", "140 kg"], ["Length", "3.2 m", "4.6 m"], ["Load", "300 kg", "420 kg"]],
            columns=["", "Tern", "Gannet"],
        ),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "question,told",
    [
        (
            "By how many tonnes has cargo at the north quay fallen since 2019?",
            "The figure for North quay fell by 1,100, from 4,200 in 2019 to 3,100 in 2021",
        ),
        (
            "By how much did cargo at the fish quay go up between 2019 and 2020?",
            "rose by 150, from 800 in 2019 to 950 in 2020",
        ),
        ("How much heavier is the Gannet than the Tern?", "50 kg more: 140 kg for Gannet, against 90 kg for Tern"),
        ("How much did the projects that were finished cost altogether?", "come to £475 thousand together"),
        ("What did the projects finished in 2021 cost altogether?", "come to £165 thousand together: 45 and 120"),
    ],
)
def test_a_difference_and_a_sum_are_told_with_the_cells_they_rest_on(question, told):
    assert told in ask(question, HARBOUR)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "By how many tonnes has waste at the north quay fallen since 2019?",
        "By how many tonnes has cargo at the quay fallen since 2019?",
        "By how many tonnes has cargo at the north quay fallen since 2010?",
        "By what percentage per year has cargo at the north quay fallen since 2019?",
        "How much heavier is the Tern than the Gannet?",
        "How much did the bridges that were finished cost altogether?",
    ],
)
def test_nothing_is_worked_out_where_a_word_a_year_or_the_side_is_in_doubt(question):
    answer = ask(question, HARBOUR)[0].answer
    assert "fell by" not in answer and "more:" not in answer and "together" not in answer
