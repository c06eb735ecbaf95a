import pytest

from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.understand import entry_concept, expansions, preview, understand, wordings

GREEN_LEDGER = entry_concept(["green ledger", "gl"], ["sustainability accounts", "environmental accounts"])


def lexicon_with(*entries):
    return default_lexicon().with_concepts(entries)


def test_an_entry_is_named_by_what_people_ask_for_and_found_by_its_name_too():
    assert (GREEN_LEDGER.name, GREEN_LEDGER.asked) == ("green ledger", ("green ledger", "gl"))
    assert GREEN_LEDGER.phrases == ("sustainability accounts", "environmental accounts", "green ledger")


@pytest.mark.parametrize(
    "text,parts",
    [("Green Ledger, GL", ("green ledger", "gl")), ("plant, and Acme; works", ("plant, and acme", "works"))],
)
def test_wordings_are_parted_by_semicolons_or_else_by_commas(text, parts):
    assert wordings(text) == parts


def test_a_preview_shows_what_a_question_expands_to():
    shown = preview("Where is the green ledger?", lexicon_with(GREEN_LEDGER))
    ours = next(expansion for expansion in shown if expansion.concept == "green ledger")
    assert "sustainability accounts" in ours.phrases
    assert dict(ours.terms).keys() >= {"sustain", "environment"}
    assert ours.source


def test_nothing_expands_when_it_is_switched_off():
    assert expansions(understand("How high was capex?", expand=False)) == ()
    assert expansions(understand("How high was capex?"))[0].concept == "capital expenditures"


def test_a_workspaces_acronym_counts_although_it_looks_like_a_name():
    lexicon = lexicon_with(entry_concept(["ndc"], ["northfield depot"]))
    plan = understand("What did the NDC cost in 2024?", lexicon=lexicon)
    assert "NDC" in plan.entities
    assert {expansion.concept: expansion.pack for expansion in expansions(plan, lexicon)}["ndc"] == "workspace"
