"""Claims say what their quotes say as strongly as they do, and of the part of the document they stand in."""

import tomllib
from pathlib import Path

import pytest

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote
from vectorless_web.engine.answers.grounding import Grounder

FOLDER = Path(__file__).parent / "meanings"
STRENGTH = tomllib.loads((FOLDER / "strength.toml").read_text())
TURNED = tomllib.loads((FOLDER / "turned.toml").read_text())
RIGHT = TURNED.pop("right")
HEADINGS = tomllib.loads((FOLDER / "headings.toml").read_text())

MOST_ACCEPTED = 1
"""Wrong tellings of one kind that may pass: doubt is silence."""


def objections(claim, *sections):
    parts = [section(title, paragraph(text)) for title, text in sections]
    grounder = Grounder(documents={"a": compiled("Handbook", *parts)})
    return grounder.objections(DraftClaim(claim, (DraftQuote("a", 2, sections[0][1]),)))


@pytest.mark.parametrize("kind", STRENGTH)
def test_a_right_telling_is_accepted(kind):
    told = [(right, objections(right, ("Rules", quote))) for quote, right, _ in STRENGTH[kind]]
    assert [pair for pair in told if pair[1]] == []


@pytest.mark.parametrize("kind", STRENGTH)
def test_a_wrong_telling_is_objected_to(kind):
    assert len(STRENGTH[kind]) >= 12
    passed = [wrong for quote, _, wrong in STRENGTH[kind] if not objections(wrong, ("Rules", quote))]
    assert len(passed) <= MOST_ACCEPTED, passed


@pytest.mark.parametrize("kind", TURNED)
def test_a_telling_that_turns_a_word_or_moves_a_number_is_objected_to(kind):
    told = [(quote, wrong) for quote, _, wrong in TURNED[kind]]
    assert [wrong for quote, wrong in told if not objections(wrong, ("Rules", quote))] == []


def test_the_right_tellings_beside_them_are_accepted():
    told = [(quote, right) for kind in TURNED.values() for quote, right, _ in kind] + RIGHT
    assert [(right, said) for quote, right in told if (said := objections(right, ("Rules", quote)))] == []


def test_the_last_words_of_a_quote_are_not_read_on_into_the_next():
    quotes = (
        "On August 1, 2022, the Society bought a Danish sawmill.",
        "The price of $59 million included a deferred portion of $5 million that was paid in fiscal year 2024.",
        "Year ended June 30, 2023",
    )
    document = compiled("Report", section("Note 5", *(paragraph(text) for text in quotes)))
    claim = "In the year ended June 30, 2023 the Society bought a Danish sawmill for a price of $59 million."
    placed = tuple(DraftQuote("a", 2 + place, text) for place, text in enumerate(quotes))
    question = "What did it buy in fiscal year 2023?"
    grounder = Grounder(documents={"a": document}, question=question, periods=(question,))
    assert grounder.objections(DraftClaim(claim, placed)) == ()


@pytest.mark.parametrize("case", HEADINGS["place"], ids=lambda case: case[0])
def test_a_sentence_is_told_of_the_part_that_it_stands_in(case):
    title, text, other, beside, right, wrong = case
    sections = ((title, text), (other, beside))
    assert (objections(right, *sections), len(objections(wrong, *sections))) == ((), 1)


@pytest.mark.parametrize("case", HEADINGS["right"], ids=lambda case: case[0])
def test_a_word_of_another_heading_speaks_against_nothing(case):
    title, text, other, right = case
    assert objections(right, (title, text), (other, "Nothing else.")) == ()


@pytest.mark.parametrize("case", HEADINGS["scale"], ids=lambda case: case[3])
def test_an_amount_keeps_the_scale_of_its_table(case):
    units, row, right, wrong = case
    cells = row.split("\t")
    part = section("Accounts", table("Accounts", [cells], columns=["", "2023", "2022"], units=units))
    grounder = Grounder(documents={"a": compiled("Report", part)}, periods=("What was it in 2023?",))
    told = [grounder.objections(DraftClaim(text, (DraftQuote("a", 2, row),))) for text in (right, wrong)]
    assert (told[0], bool(told[1])) == ((), True)
