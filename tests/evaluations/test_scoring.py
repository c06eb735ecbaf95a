"""How an answer is scored against what was expected of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.evaluations.scoring import Expectation, Given, Place, compare_results, score_answer


def answer(text="", value="", cited=()):
    return Given(True, text, value, "verified", tuple(cited))


@pytest.mark.parametrize(
    ("expected", "value", "is_right"),
    [
        ("$1,577 million", "1.577 billion dollars", True),
        ("1,577 million", "1,580 million", True),
        ("1,577 million", "1,590 million", False),
        ("1,577 million", "1,577", False),
        ("12.5%", "12.5 percent", True),
        ("12.5%", "12.5", False),
        ("EUR 40", "USD 40", False),
        ("14 March 2019", "2019-03-14", True),
        ("14 March 2019", "15 March 2019", False),
        ("Bergen", "Bergen, Norway", True),
        ("Bergen", "London", False),
    ],
)
def test_a_value_is_right_within_rounding_at_its_scale_and_in_its_unit(expected, value, is_right):
    score = score_answer(answer("It says so.", value), Expectation(value=expected))
    assert (score.right, score.value_right) == (is_right, is_right)


def test_without_a_value_the_first_sentence_is_looked_at():
    said = answer("Sales were $40 million. The year before they were $38 million.")
    assert score_answer(said, Expectation(value="$40 million")).right
    assert not score_answer(said, Expectation(value="$38 million")).right


def test_every_mention_and_two_thirds_of_an_expected_text_must_be_said():
    expected = Expectation(mentions=("10|ten", "food safety|food-safety"))
    assert score_answer(answer("Within ten days; food safety is exempt."), expected).right
    assert not score_answer(answer("Within ten days."), expected).right

    expected = Expectation(text="Louise Cownie, the therapy lead, makes first contact")
    assert score_answer(answer("First contact is made by Louise Cownie, therapy lead."), expected).right
    assert not score_answer(answer("A consultant makes it."), expected).right


def test_a_question_without_an_answer_is_right_when_nothing_is_said():
    absent = Expectation(is_absent=True)
    assert score_answer(Given(False), absent).right
    assert not score_answer(answer("Forty."), absent).right
    assert not score_answer(Given(False), Expectation(text="Forty")).right


def test_pages_are_scored_for_passages_too_and_a_quote_counts_where_no_page_is_known():
    expected = Expectation(places=(Place("a", 3), Place("a", 9)))
    cited = (Place("b", 3), Place("a", 3), Place("a", 4), Place("a", 3))
    score = score_answer(Given(False, cited=cited), expected)
    assert (score.right, score.page_right, score.precision, score.recall) == (False, True, 0.5, 0.5)

    wanted = Expectation(places=(Place("", -1, "the tenant shall keep no dogs or cats in the flat"),))
    assert score_answer(answer(cited=[Place("a", 7, "The tenant shall keep no dogs or cats.")]), wanted).page_right
    assert not score_answer(answer(cited=[Place("a", 7, "The tenant pays on time.")]), wanted).page_right


def test_a_comparison_names_what_was_fixed_and_broken_and_how_likely_chance_is():
    change = compare_results([(1, False), (2, True), (3, True), (9, True)], [(1, True), (2, False), (3, True)])
    assert (change.fixed, change.broken, change.same) == ((1,), (2,), 1)
    assert change.chance == 1.0
    telling = compare_results([(n, False) for n in range(8)], [(n, True) for n in range(8)])
    assert telling.is_telling
    assert telling.chance == pytest.approx(2 / 2**8)


@given(st.dictionaries(st.integers(0, 30), st.tuples(st.booleans(), st.booleans())))
def test_chance_is_a_probability_and_the_same_both_ways(rights):
    before, after = ([(key, row[side]) for key, row in rights.items()] for side in (0, 1))
    there, back = compare_results(before, after), compare_results(after, before)
    assert 0 < there.chance <= 1
    assert (there.fixed, there.broken, there.chance) == (back.broken, back.fixed, back.chance)
    assert len(there.fixed) + len(there.broken) + there.same == len(rights)
