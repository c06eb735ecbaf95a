import pytest

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.entries import MAX_ENTRIES, expansions, parse_entries, preview, workspace_lexicon
from vectorless_web.engine.questions.understand import understand

ENTRIES = """
# our own words
green ledger, GL = sustainability accounts, environmental accounts
pp; own plant = property, plant and equipment of Acme; works
"""


def test_lines_become_concepts():
    first, second = parse_entries(ENTRIES)
    assert (first.name, first.asked) == ("green ledger", ("green ledger", "gl"))
    assert first.phrases == ("sustainability accounts", "environmental accounts", "green ledger")
    assert second.phrases[0] == "property, plant and equipment of acme"


@pytest.mark.parametrize("line", ["no sign", "= right only", "left only =", "a" * 600 + " = b"])
def test_a_line_that_cannot_be_read_is_named(line):
    with pytest.raises(InvalidInput, match="Line 2"):
        parse_entries(f"a = b\n{line}")


def test_there_is_a_limit():
    with pytest.raises(InvalidInput):
        parse_entries("\n".join(f"a{n} = b" for n in range(MAX_ENTRIES + 1)))


def test_a_preview_shows_what_a_question_expands_to():
    shown = preview("Where is the green ledger?", workspace_lexicon(ENTRIES))
    ours = next(expansion for expansion in shown if expansion.concept == "green ledger")
    assert "sustainability accounts" in ours.phrases
    assert dict(ours.terms).keys() >= {"sustain", "environment"}
    assert ours.source


def test_an_empty_text_leaves_the_packs_as_they_are():
    assert preview("Where is the green ledger?", workspace_lexicon("  \n")) == preview("Where is the green ledger?")


def test_nothing_expands_when_it_is_switched_off():
    assert expansions(understand("How high was capex?", expand=False)) == ()
    assert expansions(understand("How high was capex?"))[0].concept == "capital expenditures"


def test_a_workspaces_acronym_counts_although_it_looks_like_a_name():
    lexicon = workspace_lexicon("ndc = northfield depot")
    plan = understand("What did the NDC cost in 2024?", lexicon=lexicon)
    assert "NDC" in plan.entities
    assert {expansion.concept: expansion.pack for expansion in expansions(plan, lexicon)}["ndc"] == "workspace"
