"""What pilots are shown and say, when asking pays, what completes a short pilot; and the pilot without a model."""

import pytest

from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.navigation import (
    GoDeeper,
    InterventionPoint,
    JumpTo,
    LexicalPilot,
    NoopPilot,
    PilotConfig,
    PilotDecision,
    PilotExt,
    SearchState,
)
from vectorless_web.engine.finding.navigation.pilot import is_worth_asking, names_label, scores_are_close

TREE = tree_of(
    [
        ("Risk factors", ["Competition may harm us."]),
        (
            "Financial statements",
            [("Cash flows", ["Capital expenditures were 1,577 million."]), ("Equity", ["Shares."])],
        ),
        (("Note 7", "Note 7: Property"), ["Plants and machines."]),
        (("Note 12", "Note 12: Leases"), ["Leases."]),
        (("Item 1A", "Item 1A. Weather"), ["Rain."]),
    ]
)


def fork(count, *, scores=None, **fields):
    tree = tree_of([("Part", [(f"Section {number}", ["text"]) for number in range(count)])])
    given = scores or tuple(0.9 if place == 0 else 0.5 for place in range(count))
    settings = {"path": (1,), "iteration": 1, "scores": given, **fields}
    return SearchState(tree, plan(), candidates=tuple(tree.child_sections(1)), **settings)


def test_a_search_starts_empty_and_each_node_offers_its_own_children():
    empty = SearchState.for_start(TREE, plan())
    assert (empty.path, empty.candidates, empty.visited, empty.depth) == ((), (), frozenset(), 0)
    root, below = SearchState.below(TREE, plan()), SearchState.below(TREE, plan(), 3)
    assert root.is_at_root and root.is_fork_point and root.current_node is None
    assert root.candidates == tuple(TREE.child_sections(0))
    assert (below.candidates, below.current_node, below.depth) == (tuple(TREE.child_sections(3)), 3, 1)
    assert not SearchState(TREE, plan(), candidates=(1,)).is_fork_point


def test_the_points_of_intervention_have_their_precedence():
    assert fork(4).point is InterventionPoint.FORK
    assert fork(4, iteration=0).point is InterventionPoint.START
    assert fork(4, path=()).point is InterventionPoint.START
    assert fork(4, is_backtracking=True).point is InterventionPoint.BACKTRACK
    assert fork(4, iteration=0, is_backtracking=True).point is InterventionPoint.START
    assert fork(1).point is InterventionPoint.EVALUATE


def test_an_empty_decision_walks_on_and_keeping_the_order_scores_by_place_without_confidence():
    assert PilotDecision().direction == GoDeeper()
    kept = PilotDecision.preserve_order((4, 2, 9))
    assert [(ranked.node, ranked.score) for ranked in kept.ranked_candidates] == [(4, 1.0), (2, 0.5), (9, 1 / 3)]
    assert kept.confidence == 0.0


def test_presets_are_known_by_name_and_prune_what_the_prefilter_leaves():
    for config in map(PilotConfig.preset, ("balanced", "high_quality", "low_cost")):
        assert config.asks and config.prefilter > config.prune_above > config.prune_keep
    assert not PilotConfig.preset("algorithm_only").asks
    with pytest.raises(ValueError, match="reckless"):
        PilotConfig.preset("reckless")


def test_wide_close_and_weak_forks_are_worth_asking_about():
    config = PilotConfig()
    assert is_worth_asking(fork(4), config) and not is_worth_asking(fork(2), config)
    assert is_worth_asking(fork(2, scores=(0.52, 0.55)), config)
    assert is_worth_asking(fork(2, scores=(0.25, 0.05)), config)
    assert not is_worth_asking(fork(2, scores=(0.8, 0.3)), config)
    assert is_worth_asking(fork(0), config), "a section that was entered is judged"
    assert not is_worth_asking(fork(1), config), "an only child is walked into"
    deep = PilotConfig(max_depth=3)
    assert is_worth_asking(fork(4, path=(1,) * 3), deep) and not is_worth_asking(fork(4, path=(1,) * 4), deep)


def test_closeness_compares_the_two_best_scores():
    assert scores_are_close([0.5, 0.55, 0.52], 0.15)
    # A best score that happens to equal the gap says nothing about closeness.
    assert not any(scores_are_close(scores, 0.15) for scores in ([0.3, 0.8], [0.5], [0.15, 0.9]))


def test_the_pilot_without_opinions_is_never_asked():
    pilot, state = NoopPilot(), SearchState.below(TREE, plan())
    assert not pilot.is_active and not pilot.can_intervene(state)
    assert [ranked.node for ranked in pilot.decide(state).ranked_candidates] == list(state.candidates)
    assert pilot.guide_start(TREE, plan(), 0) is None and pilot.binary_prune(state) is None


class ShortPilot:
    """All that a user must write."""

    name = "short"

    def should_intervene(self, state):
        return len(state.candidates) > 1

    def decide(self, state):
        return PilotDecision.preserve_order(state.candidates, point=state.point)


def test_a_short_pilot_is_completed():
    pilot, state = PilotExt(ShortPilot()), SearchState.below(TREE, plan())
    assert pilot.is_active and pilot.can_intervene(state) and pilot.config == PilotConfig()
    assert pilot.binary_prune(state) is None and pilot.reset() is None
    start = pilot.guide_start(TREE, plan(), 3)
    assert [ranked.node for ranked in start.ranked_candidates] == TREE.child_sections(3)
    assert pilot.guide_backtrack(state).intervention_point is InterventionPoint.START
    assert pilot.guide_start(TREE, plan(), 1) is None, "it stays silent where it would not intervene"


def pilot(question="What were the capital expenditures?"):
    return LexicalPilot(SegmentScorer(TREE, index_of(TREE), plan(question)))


def start(question="What were the capital expenditures?"):
    return SearchState.below(TREE, plan(question))


def title(decision):
    return TREE.node(decision.ranked_candidates[0].node).title


def test_a_section_is_ranked_by_what_stands_deep_inside_it_and_says_why():
    decision = pilot().decide(start())
    assert title(decision) == "Financial statements" and decision.confidence > 0.5
    assert decision == pilot().decide(start())
    first, *_, last = decision.ranked_candidates
    assert "holds all of the question's words" in first.reason and "page 6" in first.reason
    assert last.reason == "nothing in it speaks of the question"
    titled = pilot("How did the financial statements change?").decide(start("How did the financial statements change?"))
    assert "its title speaks of Financial, statements" in titled.ranked_candidates[0].reason


@pytest.mark.parametrize(("name", "expected"), [("Note 7", "Note 7"), ("Note 12", "Note 12"), ("item 1a", "Item 1A")])
def test_a_numbered_reference_is_known(name, expected):
    decision = pilot().decide(start(f"What does {name} say?"))
    assert title(decision).startswith(expected)
    assert decision.ranked_candidates[0].reason == "the question calls it by its number"


def test_the_number_of_a_reference_must_agree_and_the_start_jumps_to_the_one_section_named():
    ranked = pilot().decide(start("What does Note 1 say?")).ranked_candidates
    assert not any("number" in candidate.reason for candidate in ranked)
    decision = pilot().guide_start(TREE, plan("What does Note 7 say?"), 0)
    assert isinstance(decision.direction, JumpTo) and TREE.node(decision.direction.target).label == "Note 7"


def test_a_label_counts_only_as_a_whole_and_never_as_a_bare_number():
    note = next(key for key in range(len(TREE)) if TREE.node(key).label == "Note 7")
    assert names_label(TREE, note, ["see", "note", "7"])
    assert not names_label(TREE, note, ["note", "12", "7"])
    plain = tree_of([("7", ["Seven."]), ("3.2 Leave", ["Rest."]), ("Leases 2019", ["Old."])])
    assert [names_label(plain, key, ["year", "7", "leas", "2019"]) for key in (1, 3, 5)] == [False, False, True]


def test_pruning_keeps_what_has_evidence_and_without_any_there_is_no_opinion():
    assert [TREE.node(key).title for key in pilot().binary_prune(start())] == ["Financial statements"]
    assert pilot("Zebras?").binary_prune(start("Zebras?")) is None
    decision = pilot("Zebras?").decide(start("Zebras?"))
    assert (decision.confidence, decision.reasoning) == (0.0, "No section speaks of the question")


def test_backtracking_says_what_the_failed_branch_covered():
    first, *others = TREE.child_sections(0)
    state = SearchState(TREE, plan(), path=(first,), candidates=tuple(others), iteration=2, is_backtracking=True)
    decision = pilot().guide_backtrack(state)
    assert decision.reasoning == "Risk factors holds hardly any of the question's words"
    assert title(decision) == "Financial statements"
