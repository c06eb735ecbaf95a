"""Claims say what their quotes say as strongly as they do, and of the part of the document they stand in."""

import tomllib
from pathlib import Path

import pytest

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote
from vectorless_web.engine.answers.grounding import Grounder

FOLDER = Path(__file__).parent / "meanings"
STRENGTH = tomllib.loads((FOLDER / "strength.toml").read_text())
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
