"""The outcome of an answer: ticks, amber, struck claims, missing parts, and the word of verification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.answers.claims import (
    HELD,
    Calculation,
    Check,
    ClaimEvent,
    Evidence,
    Operand,
    Support,
    Verdict,
)
from vectorless_web.engine.answers.outcome import Judgement, Outcome, conclude_answer, decide_support

CITED = (Evidence(1, "1", 3, 0, "Net income was 405."),)
SUM = Calculation("a + b", (Operand("a", "4", marker=1), Operand("b", "5", marker=2)), "9")


def claim(support: Support | None = None, **values) -> ClaimEvent:
    return ClaimEvent(0, "Net income was 405.", "checked", support, **{"citations": CITED, **values})


@pytest.mark.parametrize(
    "made,judgement,support",
    [
        (claim(), Judgement.SUPPORTED, Support.SUPPORTED),
        (claim(calculation=SUM), Judgement.SUPPORTED, Support.DERIVED),
        (claim(marks=("not traced: 4.1",)), Judgement.SUPPORTED, Support.PARTLY),
        (claim(), Judgement.PARTLY, Support.PARTLY),
        (claim(), Judgement.NO, Support.UNSUPPORTED),
        (claim(), None, Support.QUOTED),
        (claim(is_absence=True), Judgement.SUPPORTED, Support.ABSENT),
        (claim(citations=()), Judgement.SUPPORTED, Support.UNSUPPORTED),
        (claim(citations=(Evidence(1, "1", 3, 0, "", Check.PICTURE),)), Judgement.SUPPORTED, Support.PICTURED),
    ],
)
def test_the_verifier_the_quotes_and_the_numbers_decide_the_support(made, judgement, support):
    assert decide_support(made, judgement) is support


def test_a_missing_part_makes_an_answer_partial_and_an_amber_claim_takes_its_word():
    whole = [claim(Support.SUPPORTED)]
    assert conclude_answer(whole, complete=True, missing=["2018"]).outcome is Outcome.PARTIAL
    assert conclude_answer(whole, complete=False).verdict is Verdict.PARTLY
    amber = conclude_answer([*whole, claim(Support.PARTLY)], complete=True)
    assert (amber.outcome, amber.verdict, amber.grounded) == (Outcome.ANSWERED, Verdict.PARTLY, False)


def test_nothing_standing_shows_passages_and_only_the_models_word_says_not_found():
    assert conclude_answer([claim(Support.UNSUPPORTED)], complete=True).outcome is Outcome.PASSAGES
    assert conclude_answer([], complete=False).outcome is Outcome.PASSAGES
    assert conclude_answer([], complete=False, not_found=True).outcome is Outcome.NOT_FOUND


@given(st.lists(st.sampled_from(list(Support)), max_size=6), st.booleans(), st.lists(st.text(), max_size=2))
def test_verified_never_comes_without_a_tick_on_every_claim_that_can_have_one(supports, complete, missing):
    end = conclude_answer([claim(support) for support in supports], complete=complete, missing=missing)
    if end.verdict is Verdict.VERIFIED:
        assert complete and not missing and any(support in HELD for support in supports)
        assert all(support in (*HELD, Support.ABSENT) for support in supports)
    if end.grounded:
        assert any(support in HELD for support in supports)
    assert (end.verdict is None) == (end.outcome in (Outcome.PASSAGES, Outcome.NOT_FOUND))
