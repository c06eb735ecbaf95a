import re

import pytest

from vectorless_web.engine.questions.lexicon import (
    Concept,
    PhraseIndex,
    Ratio,
    StatementKind,
    acronyms_of,
    default_lexicon,
)

LEXICON = default_lexicon()
LEAST = {"general": 300, "financial": 400, "legal": 150, "technical": 150}


@pytest.mark.parametrize(("pack", "least"), LEAST.items())
def test_every_pack_is_rich_enough(pack, least):
    assert sum(concept.pack == pack for concept in LEXICON.concepts) >= least


def test_every_entry_names_its_source():
    assert all(entry.source for entry in (*LEXICON.concepts, *LEXICON.ratios, *LEXICON.statements))


def test_names_are_distinct_within_a_pack():
    named = [(concept.pack, concept.name) for concept in LEXICON.concepts]
    assert len(named) == len(set(named))


def test_every_operand_of_a_ratio_is_a_concept_and_stands_in_its_expression():
    for ratio in LEXICON.ratios:
        names = set(re.findall(r"[a-z_]+", ratio.expression))
        assert names == {operand.name for operand in ratio.operands}, ratio.name
        assert all(LEXICON.concept(operand.concept) for operand in ratio.operands), ratio.name
        assert all(LEXICON.concept(name) for name in ratio.concepts), ratio.name


def test_statements_of_concepts_are_known_kinds():
    kinds = {kind.name for kind in LEXICON.statements}
    assert {concept.statement for concept in LEXICON.concepts} <= kinds | {""}


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("the COGS of the year", Concept, "cost of goods sold"),
        ("net PP&E", Concept, "property, plant and equipment"),
        ("the quick ratio", Ratio, "quick ratio"),
        ("its P&L", StatementKind, "income"),
        ("Total Current Liabilities", Concept, "total current liabilities"),
    ],
)
def test_entries_are_found_as_people_write_them(text, kind, name):
    entries = [entry for match in LEXICON.match(text) for entry in match.entries]
    assert any(isinstance(entry, kind) and entry.name == name for entry in entries)


def test_the_longest_wording_wins():
    matches = LEXICON.match("income from continuing operations before income taxes")
    assert [match.entries[0].name for match in matches] == ["income before taxes"]


def test_a_single_word_is_not_matched_by_its_stem_alone():
    names = [entry.name for match in LEXICON.match("they liquidated it") for entry in match.entries]
    assert "liquidity" not in names


def test_matches_stand_where_they_say():
    text = "Compare capital expenditures with revenue."
    assert [text[m.start : m.end] for m in LEXICON.match(text)][-2:] == ["capital expenditures", "revenue"]


def test_acronyms_are_built_from_initials():
    assert {"ppe", "pp&e"} <= acronyms_of("property, plant and equipment")
    assert "cogs" in acronyms_of("cost of goods sold")
    assert acronyms_of("net sales") == frozenset()


def test_a_phrase_of_small_words_is_found_as_written():
    assert "ownership structure" not in names_in("who rents it")
    index = PhraseIndex([("share", "% of"), ("owner", "who owns"), ("rate", "growth rate")])
    found = index.find("What % of it, and who owns the Growth  Rates? 5% of it.")
    assert [entries for _, _, entries in found] == [("share",), ("owner",), ("rate",)]


def names_in(text):
    return {entry.name for match in LEXICON.match(text) for entry in match.entries}
