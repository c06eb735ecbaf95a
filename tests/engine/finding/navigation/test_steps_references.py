"""Cross-references are edges that are followed once, and going round in circles ends."""

import pytest

from tests.support.trees import FixedScorer, plan, tree_of
from vectorless_web.engine.finding.navigation import EventKind, NoopPilot, SearchLimits, beam, greedy, mcts

ALGORITHMS = (greedy, beam, mcts)
OUTLINE = [
    ("Statements", [("Cash flows", ["see Note 7"]), ("Equity", ["x"])]),
    ("Notes", [(("Note 7", "Property"), ["see Note 8"]), (("Note 8", "Leases"), ["see Note 7"]), ("Other", ["y"])]),
]
STATEMENTS, CASH, CASH_TEXT, NOTES, NOTE7, NOTE7_TEXT, NOTE8, NOTE8_TEXT = 1, 2, 3, 6, 7, 8, 9, 10


def run(algorithm, references, scores, pilot=None, **limits):
    tree = tree_of(OUTLINE, references)
    return list(
        algorithm(tree, plan(), FixedScorer(scores, otherwise=0.0), pilot or NoopPilot(), SearchLimits(**limits))
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_reference_out_of_a_section_that_was_read_is_followed(algorithm):
    events = run(algorithm, [(CASH_TEXT, NOTE7)], {STATEMENTS: 0.9, CASH: 0.9, CASH_TEXT: 0.9, NOTE7: 0.5})
    note = next(node for node in events[-1].ranked if node.key == NOTE7)
    assert note.path == (STATEMENTS, CASH, NOTE7)
    assert note.reason == "Cash flows refers to it"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_reference_to_a_leaf_leads_to_its_section(algorithm):
    events = run(algorithm, [(CASH_TEXT, NOTE7_TEXT)], {STATEMENTS: 0.9, CASH: 0.9, NOTE7: 0.5})
    assert NOTE7 in {node.key for node in events[-1].ranked}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_references_in_a_circle_are_walked_once(algorithm):
    circle = [(CASH_TEXT, NOTE7), (NOTE7_TEXT, NOTE8), (NOTE8_TEXT, NOTE7), (NOTE8_TEXT, CASH), (NOTE7_TEXT, NOTE7)]
    events = run(algorithm, circle, {STATEMENTS: 0.9, CASH: 0.9, NOTE7: 0.5, NOTE8: 0.4}, results=10)
    entered = [event.key for event in events if event.kind is EventKind.ENTERING]
    assert sorted(entered) == sorted(set(entered))
    assert {CASH, NOTE7, NOTE8} <= set(entered)
    assert events[-1].stats.stopped == ""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_reference_to_nowhere_or_to_the_document_is_ignored(algorithm):
    events = run(algorithm, [(CASH_TEXT, 0), (CASH_TEXT, 999)], {STATEMENTS: 0.9, CASH: 0.9})
    assert 0 not in {node.key for node in events[-1].ranked}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_references_followed_out_of_one_section_are_limited(algorithm):
    outline = [("List", ["see all"]), ("Notes", [(f"Note {number}", ["x"]) for number in range(40)])]
    tree = tree_of(outline, [(2, key) for key in range(4, 84, 2)])
    scorer = FixedScorer({1: 0.9, 2: 0.9, **dict.fromkeys(range(4, 84, 2), 0.1)}, otherwise=0.0)
    events = list(algorithm(tree, plan(), scorer, NoopPilot(), SearchLimits(results=30, references=2)))
    assert sum(node.reason == "List refers to it" for node in events[-1].ranked) <= 2
