"""The confidence of a model's answer, from what its checks found."""

from dataclasses import replace

import pytest

from vectorless_web.engine.answers.grounding import AGREED, CHECKED, ModelChecks, weigh_checks

RIGHT = ModelChecks(held=1.0, mended=0.0, fuzzy=0.0, parts=1.0, says_missing=False, agrees=False)


def test_an_answer_whose_every_check_passed_at_once_stands_firm():
    assert weigh_checks(RIGHT).value == pytest.approx(CHECKED)


def test_the_offline_figure_is_a_bonus_only():
    assert weigh_checks(replace(RIGHT, agrees=True)).value == pytest.approx(AGREED)
    assert CHECKED < AGREED


@pytest.mark.parametrize(
    "worse", [{"held": 0.5}, {"mended": 1.0}, {"fuzzy": 1.0}, {"parts": 0.0}, {"says_missing": True}], ids=str
)
def test_each_finding_of_a_check_lowers_the_figure(worse):
    assert weigh_checks(replace(RIGHT, **worse)).value < weigh_checks(RIGHT).value


def test_the_figure_is_the_product_of_three_shares_whatever_was_found():
    worst = weigh_checks(ModelChecks(held=0.1, mended=1.0, fuzzy=1.0, parts=0.0, says_missing=True, agrees=False))
    for share in (worst.claims_held, worst.parts_covered, worst.evidence_fit):
        assert 0 < share <= 1
    assert worst.value < 0.05


def test_words_of_its_own_never_make_a_right_answer_look_doubtful():
    assert weigh_checks(replace(RIGHT, parts=0.0)).value > 0.5
