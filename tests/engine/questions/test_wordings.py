"""Other wordings of everyday words: what is added, what is not, and what it finds."""

import tomllib
from importlib import resources

import pytest

from tests.support.everyday_pairs import DOCUMENTS, PAIRS
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions import vocabulary as files
from vectorless_web.engine.questions.entries import preview
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.questions.wordings import FORM, NEAR, SPELLING, other_wordings, vocabulary
from vectorless_web.engine.ranking.evidence import node_scores
from vectorless_web.engine.text.analyser import analyse


def weights(text):
    """The lone terms that a text's other wordings add, with their weights."""
    return {wording.terms[0]: wording.weight for wording in reversed(other_wordings(text)) if len(wording.terms) == 1}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("deliver the goods", "delivery"),
        ("pay for it", "payment"),
        ("is it safe", "safety"),
        ("the children decide", "decision"),
        ("notify them", "notice"),
        ("how high", "height"),
    ],
)
def test_a_word_of_the_same_family_is_looked_for(text, other):
    assert weights(text)[analyse(other)[0]] == FORM


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("who paid", "pay"),
        ("what was stolen", "steal"),
        ("the children", "child"),
        ("the colour", "color"),
        ("organize a trip", "organise"),
        ("fourteen days", "14"),
        ("14 days", "fourteen"),
        ("time-off", "timeoff"),
        ("the health care", "healthcare"),
    ],
)
def test_a_word_is_looked_for_in_its_other_spellings_and_inflections(text, other):
    assert weights(text)[analyse(other)[0]] == SPELLING


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("can I get fired", "dismissal"),
        ("they got fired", "dismissal"),
        ("my boss", "supervisor"),
        ("broken goods", "defective"),
        ("how long do I have", "deadline"),
        ("the kids", "dependants"),
        ("who is keeping an eye on the pump", "supervise"),
        ("in the middle of the night", "urgent"),
        ("who is paying for the new bell", "financed"),
        ("how much warning do they need", "notice"),
        ("who rescued the hens", "evacuated"),
        ("where did the choir sleep", "accommodated"),
        ("what is left to pay", "balance"),
        ("she got a temperature", "fever"),
        ("does my mate count", "visitor"),
    ],
)
def test_words_of_near_meaning_are_looked_for_at_a_cost(text, other):
    assert 0 < weights(text)[analyse(other)[0]] <= NEAR


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("can I get my deposit back", "refund"),
        ("they called the regatta off", "cancel"),
        ("turn the heater off", "disconnect"),
        ("they put the vote off", "postpone"),
    ],
)
def test_a_verb_and_its_particle_may_stand_apart(text, other):
    assert analyse(other)[0] in weights(text)


@pytest.mark.parametrize("text", ["who fills in for her", "who filled in for the cook", "who is filling in for him"])
def test_an_idiom_is_known_in_each_form_of_its_verb(text):
    assert "deputis" in weights(text) or "act" in weights(text)


def test_what_stands_in_another_clause_is_no_particle_of_a_verb():
    assert "postpon" not in weights("they put milk in, and take off")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("half a million plugs", "500,000"),
        ("half a million plugs", "0.5 million"),
        ("two hundred and fifty people", "250"),
        ("1.5 million cars", "1,500,000"),
        ("the 500,000 limit", "0.5 million"),
        ("£2k a year", "2,000"),
    ],
)
def test_a_large_number_is_looked_for_in_other_notations(text, other):
    assert other in {wording.text for wording in other_wordings(text)}


def test_a_year_is_no_number_of_thousands():
    assert not [wording for wording in other_wordings("sales in 2000") if "number" in wording.source]


def test_what_is_done_again_is_looked_for_with_re_before_it():
    assert "reopen" in weights("when does the pool open again")
    assert "rebuilt" in weights("who built the pier again")
    assert "reopen" not in weights("when does the pool open")


def test_how_high_an_amount_is_asks_for_nothing_tall():
    assert analyse("tall")[0] not in weights("how high was the capital spending")
    assert analyse("height")[0] in weights("how tall is the mast")


def test_fire_is_not_taken_for_a_dismissal():
    assert analyse("dismissal")[0] not in weights("in case of fire")


def test_a_words_own_weight_is_always_the_greatest():
    plan = understand("Can my boss fire me, and how long do I have to complain about broken goods?")
    own = {term.term: term.weight for term in plan.terms if term.source == "question"}
    added = {term.term: term for term in plan.terms if term.source.startswith("lexicon:")}
    assert added and not own.keys() & added.keys()
    assert all(term.weight < 1.0 for term in added.values())


def test_terms_of_art_and_names_have_no_everyday_wordings():
    plan = understand("What was the cost of sales of Best Buy in 2020?")
    assert not {"purchas", "expens"} & {term.term for term in plan.terms}


def test_an_abbreviation_is_the_same_thing_spelled_otherwise():
    found = {wording.text: wording.weight for wording in other_wordings("who is the CFO")}
    assert found["chief financial officer"] == SPELLING and found["finance director"] == NEAR


def test_expansion_can_be_switched_off():
    assert not [term for term in understand("can I get fired", expand=False).terms if term.source.startswith("lexicon")]


def test_the_preview_tells_where_a_wording_comes_from():
    added = {expansion.concept: expansion for expansion in preview("Can I get sacked by my boss?")}
    assert added["termination of employment"].pack == "work"
    assert added["termination of employment"].source.startswith("Employment")


def test_the_vocabulary_is_rich_and_every_entry_names_its_source():
    assert len(vocabulary()) >= 600
    assert {entry.field for entry in vocabulary()} == set(files.FIELDS)
    assert all(entry.source and len(entry.written) > 0 and len(entry.asked) > 0 for entry in vocabulary())


def test_no_entry_stands_twice_in_a_field():
    for field in files.FIELDS:
        text = resources.files(files).joinpath(f"{field}.toml").read_text(encoding="utf-8")
        names = [name for group in tomllib.loads(text)["group"] for name in group["words"]]
        assert len(names) == len(set(names)), field


def ranks(folder, *, expand):
    """For each pair, the place of the passage that holds the answer, from 1."""
    opened = {}
    for name, text in DOCUMENTS.items():
        path = folder / f"{name}.md"
        path.write_text(text)
        opened[name] = CompiledDocument(compile_file(path, name=path.name))
    return [rank_of(opened[name], understand(question, expand=expand), answer) for name, question, answer in PAIRS]


def rank_of(document, plan, answer):
    scores = node_scores(document, plan)
    order = sorted((key for key in document.tree.leaves() if scores[key] > 0), key=lambda key: (-scores[key], key))
    texts = [" ".join(document.tree.node(key).text.split()) for key in order]
    return next((place for place, text in enumerate(texts, start=1) if answer in text), 999)


def test_everyday_questions_find_the_passage_that_answers(tmp_path):
    found, plain = (ranks(tmp_path, expand=expand) for expand in (True, False))
    first, first_plain = (sum(rank == 1 for rank in each) for each in (found, plain))
    assert first >= 0.6 * len(PAIRS)
    assert sum(rank <= 3 for rank in found) >= 0.8 * len(PAIRS)
    assert first >= first_plain + 0.2 * len(PAIRS)
