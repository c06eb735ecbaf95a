"""What is special to beam search: its width, its frontier, and where a branch taken up again stands."""

from tests.support.pilots import ToldPilot
from tests.support.trees import FixedScorer, plan, tree_of
from vectorless_web.engine.finding.navigation import (
    Backtrack,
    EventKind,
    NoopPilot,
    PilotDecision,
    RankedCandidate,
    SearchLimits,
    beam,
)

WIDE = tree_of([(f"Part {number}", [(f"Deep {number}", ["text"])]) for number in range(8)])
PARTS = WIDE.child_sections(0)
FALLING = FixedScorer({key: 0.9 - place / 100 for place, key in enumerate(PARTS)}, otherwise=0.2)
"""The first part is the best one, and each promises more than what stands below it."""


def run(tree, scorer, pilot=None, **limits):
    return list(beam(tree, plan(), scorer, pilot or NoopPilot(), SearchLimits(**limits)))


def chosen(events):
    return [event.key for event in events if event.kind is EventKind.CHOOSING]


def test_the_width_is_honoured_above_three_too():
    for width in (1, 3, 5, 8):
        events = run(WIDE, FALLING, width=width)
        first_level = [key for key in chosen(events) if key in PARTS]
        assert first_level[:width] == PARTS[:width]


def test_what_does_not_fit_the_beam_is_put_aside_with_a_reason():
    events = run(WIDE, FALLING, width=2)
    aside = next(event for event in events if event.kind is EventKind.REJECTING)
    assert [rejection.key for rejection in aside.rejected] == PARTS[2:]
    assert aside.rejected[0].reason == "it promises less than Part 0"


def test_a_branch_far_behind_the_best_waits_although_the_beam_has_room():
    scorer = FixedScorer({PARTS[0]: 0.9, PARTS[1]: 0.6, PARTS[2]: 0.2}, otherwise=0.1)
    events = run(WIDE, scorer, width=3, results=1)
    assert [key for key in chosen(events) if key in PARTS] == PARTS[:2]


def test_the_shelf_is_bounded_and_drops_the_worst():
    events = run(WIDE, FALLING, width=1, frontier=2, results=8)
    assert {WIDE.parent(node.key) for node in events[-1].ranked} == set(PARTS[:3])


def test_a_branch_taken_up_again_stands_beside_the_failed_one_and_not_under_it():
    tree = tree_of([("Part", [("First", [("A", ["x"])]), ("Second", [("B", ["y"])])])])
    part, first, second = 1, 2, 5
    scorer = FixedScorer({part: 0.9, first: 0.8, second: 0.7})
    events = run(tree, scorer, ToldPilot({first: Backtrack()}), width=1)
    back = next(event for event in events if event.kind is EventKind.BACKTRACKING)
    assert back.path == (part, second)
    assert all(first not in node.path for node in events[-1].ranked)


def test_the_pilot_is_asked_about_all_branches_put_aside_when_backtracking():
    pilot = ToldPilot(dict.fromkeys(PARTS[:1], Backtrack()))
    run(WIDE, FALLING, pilot, width=1)
    asked = next(state for state in pilot.states if state.is_backtracking)
    assert set(asked.candidates) == set(PARTS[1:])
    assert asked.point.value == "backtrack"


class Preferring(ToldPilot):
    """Prefers one of the branches put aside."""

    def __init__(self, key):
        super().__init__()
        self.key = key

    def guide_backtrack(self, state):
        ranked = (RankedCandidate(self.key, 1.0, "the year fits"),)
        return PilotDecision(ranked, confidence=1.0, reasoning="wrong year", intervention_point=state.point)


def test_the_branch_the_pilot_prefers_is_taken_up_and_the_reason_told():
    events = run(WIDE, FALLING, Preferring(PARTS[6]), width=1)
    back = next(event for event in events if event.kind is EventKind.BACKTRACKING)
    assert back.key == PARTS[6]
    assert "wrong year" in back.say


def test_the_pilot_is_asked_for_another_branch_a_limited_number_of_times():
    pilot = ToldPilot({key: Backtrack() for key in PARTS})
    run(WIDE, FALLING, pilot, width=1, backtracks=2)
    assert sum(state.is_backtracking for state in pilot.states) == 2


def test_a_deep_branch_gains_nothing_from_its_depth():
    deep = tree_of([("A", [("B", [("C", [("D", ["x"])])])]), ("Short", ["y"])])
    scorer = FixedScorer({1: 0.5, 2: 0.5, 3: 0.5, 4: 0.5, 6: 0.6})
    assert deep.node(run(deep, scorer)[-1].ranked[0].key).title == "Short"


class Keeping(ToldPilot):
    """Keeps, of a wide node, what it was told to keep."""

    def __init__(self, kept):
        super().__init__()
        self.kept = list(kept)

    def binary_prune(self, state):
        self.pruned.append(state)
        return self.kept


def prune(kept_places):
    """What a pilot was asked to prune and then shown of 30 sections, the last ones best; and what was left out."""
    tree = tree_of([("Chapter", [(f"Section {number}", ["x"]) for number in range(30)]), ("Other", ["y"])])
    sections = tree.child_sections(1)
    pilot = Keeping([sections[place] for place in kept_places])
    scores = {key: 0.2 + place / 100 for place, key in enumerate(sections)}
    events = run(tree, FixedScorer({1: 0.9, **scores}), pilot)
    shown = next(state for state in pilot.states if state.current_node == 1)
    reasons = [row.reason for event in events for row in event.rejected if row.key in sections[25:]]
    asked, kept = ([sections.index(key) for key in state.candidates] for state in (pilot.pruned[0], shown))
    return asked, kept, reasons


def test_many_children_are_cut_to_the_best_and_then_pruned():
    asked, kept, reasons = prune(range(15, 25))
    assert (asked, kept) == (list(range(15, 30)), list(range(15, 25)))
    assert len(reasons) == 5 and all("set aside" in reason for reason in reasons)


def test_pruning_away_too_much_keeps_the_best_scored_as_well():
    assert prune([15])[1] == [15, 27, 28, 29]


def test_a_pilot_that_never_asks_narrows_nothing():
    tree = tree_of([(f"Section {number}", ["x"]) for number in range(100)])
    last = tree.child_sections(0)[-1]
    events = run(tree, FixedScorer({last: 0.9}), NoopPilot())
    assert events[-1].ranked[0].key == last
    assert len(events[0].scored) == 100


def test_ten_children_are_not_pruned():
    tree = tree_of([("Chapter", [(f"Section {number}", ["x"]) for number in range(10)]), ("Other", ["y"])])
    pilot = ToldPilot()
    run(tree, FixedScorer({}), pilot)
    assert pilot.pruned == []
