"""Large, wide and deep trees stay within the limits, and quick."""

import time
from functools import cache

import pytest

from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.navigation import LexicalPilot, SearchLimits, beam, greedy, mcts

ALGORITHMS = (greedy, beam, mcts)


def large():
    """About ten thousand nodes; the answer stands once."""
    return tree_of(
        [
            (
                f"Part {part}",
                [
                    (
                        f"Chapter {part}.{chapter}",
                        [
                            (f"Section {part}.{chapter}.{number}", [text(part, chapter, number)] * 3)
                            for number in range(10)
                        ],
                    )
                    for chapter in range(12)
                ],
            )
            for part in range(20)
        ]
    )


def text(part, chapter, number):
    if (part, chapter, number) == (13, 7, 5):
        return "Capital expenditures were 1,577 million."
    return f"Words about matter {part} and {chapter}."


LARGE = large()
WIDE = tree_of(
    [(f"Section {number}", ["capital expenditures" if number == 1234 else "words"]) for number in range(2000)]
)


def deep(levels):
    outline = ["capital expenditures"]
    for level in range(levels):
        outline = [(f"Level {level}", outline)]
    return tree_of(outline)


DEEP = deep(250)


@cache
def indexed(tree):
    return index_of(tree)


def timed(algorithm, tree, limits=None):
    scorer = SegmentScorer(tree, indexed(tree), plan())
    begun = time.process_time()
    events = list(algorithm(tree, plan(), scorer, LexicalPilot(scorer), limits or SearchLimits()))
    return events, time.process_time() - begun


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_paragraph_among_ten_thousand_nodes_is_found_quickly(algorithm):
    assert len(LARGE) > 9_000
    events, seconds = timed(algorithm, LARGE)
    assert LARGE.node(events[-1].ranked[0].key).title == "Section 13.7.5"
    assert events[-1].stats.turns <= SearchLimits().turns
    assert events[-1].stats.leaves_scored < 100
    assert seconds < 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_section_among_two_thousand_is_found_quickly(algorithm):
    events, seconds = timed(algorithm, WIDE)
    assert WIDE.node(events[-1].ranked[0].key).title == "Section 1234"
    assert seconds < 1.5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_very_deep_tree_ends_at_its_limits_with_a_result(algorithm):
    events, seconds = timed(algorithm, DEEP, SearchLimits(turns=50))
    assert events[-1].ranked
    assert events[-1].stats.turns <= 50
    assert seconds < 1.0
