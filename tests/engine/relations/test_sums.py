"""Rows of one table added up, and by how much one exceeds another."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, section, table

FERRY = compiled(
    "Ferry tariff",
    section(
        "Fares",
        table(
            "Fares",
            [["Adult", "£14", "20 kg"], ["Child", "£7", "10 kg"], ["Bicycle", "£5", ""], ["Dog on a lead", "£3", ""]],
            columns=["Passenger", "Single fare", "Luggage"],
        ),
    ),
    section(
        "Cabins",
        table(
            "Cabins",
            [["Inner cabin", "£60", "£45"], ["Outer cabin", "£85", "£66"]],
            columns=["Cabin", "Summer", "Winter"],
        ),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("What do an adult and a bicycle cost together?", "Adult and Bicycle come to £19 together: £14 and £5"),
        ("How much are an adult, a child and a dog on a lead altogether?", "come to £24 together: £14, £7 and £3"),
        ("How much dearer is an adult than a child?", "£7 more: £14 for Adult, against £7 for Child"),
        ("How much dearer is an inner cabin in summer than in winter?", "£15 more: £60 for Summer"),
        ("What do an inner cabin and an outer cabin cost together in winter?", "together: £45 and £66"),
        ("How much cheaper is a bicycle than an adult?", "£9 more: £14 for Adult, against £5 for Bicycle"),
    ],
)
def test_the_cells_of_the_rows_named_are_worked_out(question, held):
    assert held in ask(question, FERRY)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "What do two adults and a motorcycle cost together?",
        "What do two adults and a child cost together on Sundays?",
        "What do an inner cabin and an outer cabin cost together?",
        "What do an adult and a motorcycle cost together?",
    ],
)
def test_nothing_is_added_up_where_a_thing_its_number_or_its_price_is_in_doubt(question):
    answer = ask(question, FERRY)[0].answer
    assert "together" not in answer and "×" not in answer


@pytest.mark.parametrize(
    "question,told",
    [
        ("What do two adults and a child cost together?", "£35: 2 × £14 (Adult) and 1 × £7 (Child)"),
        ("How much will two adults and 3 bicycles cost?", "£43: 2 × £14 (Adult) and 3 × £5 (Bicycle)"),
    ],
)
def test_so_many_pieces_of_each_are_counted(question, told):
    assert told in ask(question, FERRY)[0].answer
