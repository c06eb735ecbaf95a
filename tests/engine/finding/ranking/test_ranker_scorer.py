"""Scores in [0, 1] with the evidence of whole subtrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.ranking.ranker import TreeScorer

TREE = tree_of(
    [
        ("One", [("Deep", [("Deeper", ["capital expenditures of the year"])]), "words"]),
        ("Two", ["capital"]),
        ("Three", ["nothing at all"]),
    ]
)


def keys(*titles):
    return [next(n for n in range(len(TREE)) if TREE.node(n).title == title) for title in titles]


def test_a_section_scores_by_its_best_descendant_and_covers_what_its_subtree_holds():
    scorer = SegmentScorer(TREE, index_of(TREE), plan("capital expenditures"))
    one, two, three = scorer.scores(keys("One", "Two", "Three"))
    assert one > two > three == 0.0
    found = scorer.evidence(keys("One")[0])
    assert TREE.node(found.best).text == "capital expenditures of the year"
    assert found.coverage == 1.0
    assert 0.0 < scorer.evidence(keys("Two")[0]).coverage < 1.0


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=len(TREE), max_size=len(TREE)))
def test_given_scores_of_any_kind_come_out_between_0_and_1(values):
    scorer = TreeScorer(TREE, np.array(values))
    assert all(0.0 <= score <= 1.0 for score in scorer.scores(range(len(TREE))))


def test_given_scores_are_taken_as_they_are_when_they_fit():
    values = [0.0] * len(TREE)
    values[-1] = 0.75
    scorer = TreeScorer(TREE, values)
    assert scorer.scores([0, *keys("One", "Three")]) == [0.75, 0.0, 0.75]
    assert scorer.evidence(0).best == len(TREE) - 1


def test_a_score_is_needed_for_every_node():
    with pytest.raises(ValueError, match="every node"):
        TreeScorer(TREE, [0.5])
