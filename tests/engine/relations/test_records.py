"""Rows chosen by what another column says of them: counted, listed, or one more cell of each told."""

import pytest

from tests.engine.relations.test_rows import ask
from tests.support.engine_documents import compiled, paragraph, section, table

BOATS = compiled(
    "Boats of the sailing school",
    section(
        "Boats",
        table(
            "",
            [
                ["B1", "dinghy", "Nordhavn", "4", "yes", "Ida Strand", "2026-04-02"],
                ["B2", "dinghy", "Strandby", "4", "no", "Ida Strand", "2026-04-09"],
                ["B3", "keel boat", "Nordhavn", "6", "yes", "Leo Vang", "2026-05-11"],
                ["B4", "catamaran", "Nordhavn", "0", "no", "Mia Holt", "2026-06-01"],
            ],
            columns=["Boat", "Kind", "Harbour", "Free places", "Insured", "Instructor", "Inspected"],
        ),
    ),
    section(
        "Costs",
        paragraph("All costs in EUR thousand"),
        table("", [["Sails", "12"], ["Paint", "3"]], columns=["", "2025"]),
    ),
)


@pytest.mark.parametrize(
    "question,held",
    [
        ("How many boats are kept at Nordhavn?", "3 rows have “Nordhavn” under “Harbour”: B1, B3 and B4"),
        ("Which boats are moored in Nordhavn?", "B1, B3 and B4 have “Nordhavn” under “Harbour”"),
        ("Which boats are not insured?", "B2 and B4 have “no” under “Insured”"),
        ("Which boats are insured?", "B1 and B3 have “yes” under “Insured”"),
        ("Which boat has no free places?", "Only B4 has “0” under “Free places”"),
        ("Which boats does Ida Strand teach?", "B1 and B2 have “Ida Strand” under “Instructor”"),
        ("Who teaches on the catamaran?", "For catamaran, the instructor is Mia Holt"),
        ("When was the keel boat inspected?", "For keel boat, the inspected is 2026-05-11"),
    ],
)  # fmt: skip
def test_rows_are_chosen_by_a_cell_of_theirs(question, held):
    assert held in ask(question, BOATS)[0].answer


@pytest.mark.parametrize(
    "question",
    [
        "How many damaged boats are kept at Nordhavn?",
        "Who repairs the catamaran?",
        "Which boats at Nordhavn were sold?",
        "Who teaches on the dinghy in Strandby at night?",
    ],
)
def test_rows_are_not_chosen_where_a_word_stands_for_nothing(question):
    assert "under “" not in ask(question, BOATS)[0].answer and "the instructor" not in ask(question, BOATS)[0].answer


def test_units_of_the_next_section_are_not_this_tables():
    answer = ask("Which boat has the most free places?", BOATS)[0].answer
    assert "6" in answer and "€" not in answer and "thousand" not in answer


def test_a_column_that_counts_who_pays_is_not_how_much_one_pays():
    flats = [["small", "4", "4,800"], ["large", "7", "7,100"]]
    shares = compiled(
        "Minutes", section("Who pays what", table("", flats, columns=["Flat", "Owners", "Share per flat"]))
    )
    answer = ask("How much does an owner of a large flat pay?", shares)[0].answer
    assert not answer or "7,100" in answer


CREW = compiled(
    "Yearbook of the yard",
    section(
        "Officers",
        table(
            "",
            [
                ["Ines Falkner", "Chief Financial Officer since 2019", "51"],
                ["Otto Brandvik", "Chief Executive Officer", "58"],
                ["Rosa Lindahl", "President, Boats", "44"],
                ["Karl Osterby", "President, Sails", "47"],
            ],
            columns=["Name", "Office", "Age"],
        ),
    ),
)


@pytest.mark.parametrize("question", ["Who is the Chief Financial Officer?", "Who's our CFO?"])
def test_who_holds_an_office_is_named_by_the_row_of_the_office(question):
    shown = ask(question, CREW)[0]
    assert "Ines Falkner" in (shown.answer or shown.passages[0].quote)


def test_an_office_that_several_hold_names_none_of_them():
    assert "the name is" not in ask("Who is the president?", CREW)[0].answer
