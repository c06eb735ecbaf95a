"""Search states, decisions and what completes a short pilot."""

from tests.support.trees import plan, tree_of
from vectorless_web.engine.finding.navigation import (
    GoDeeper,
    InterventionPoint,
    NoopPilot,
    PilotConfig,
    PilotDecision,
    PilotExt,
    SearchState,
)

TREE = tree_of([("Part I", [("One", ["a"]), ("Two", ["b"])]), ("Part II", ["c"])])


def test_the_start_state_is_empty_and_the_root_offers_its_children():
    empty = SearchState.for_start(TREE, plan())
    assert empty.path == empty.candidates == ()
    assert empty.visited == frozenset()
    state = SearchState.below(TREE, plan())
    assert state.is_at_root
    assert state.candidates == tuple(TREE.child_sections(0))
    assert state.current_node is None
    assert state.depth == 0
    assert state.is_fork_point


def test_the_start_state_of_another_node_offers_that_nodes_children():
    state = SearchState.below(TREE, plan(), 1)
    assert state.candidates == tuple(TREE.child_sections(1))
    assert state.current_node == 1
    assert state.point is InterventionPoint.START


def test_depth_is_the_length_of_the_path_unless_given():
    assert SearchState(TREE, plan(), path=(1, 2)).depth == 2
    assert SearchState(TREE, plan(), path=(1, 2), depth=7).depth == 7


def test_one_candidate_is_no_fork():
    assert not SearchState(TREE, plan(), candidates=(1,)).is_fork_point


def test_an_empty_decision_is_valid_and_walks_on():
    decision = PilotDecision()
    assert decision.ranked_candidates == ()
    assert decision.direction == GoDeeper()
    assert decision.confidence == 0.0
    assert decision.intervention_point is InterventionPoint.EVALUATE


def test_keeping_the_order_scores_by_place_with_no_confidence():
    decision = PilotDecision.preserve_order((4, 2, 9))
    assert [(ranked.node, ranked.score) for ranked in decision.ranked_candidates] == [(4, 1.0), (2, 0.5), (9, 1 / 3)]
    assert decision.confidence == 0.0


def test_the_pilot_without_opinions_is_inactive_and_keeps_the_order():
    pilot = NoopPilot()
    state = SearchState.for_start(TREE, plan())
    assert not pilot.is_active
    assert not pilot.should_intervene(state)
    assert [ranked.node for ranked in pilot.decide(state).ranked_candidates] == list(state.candidates)
    assert pilot.guide_start(TREE, plan(), 0) is None
    assert pilot.guide_backtrack(state) is None
    assert pilot.binary_prune(state) is None


class ShortPilot:
    """All that a user must write."""

    name = "short"
    config = PilotConfig()

    def should_intervene(self, state):
        return len(state.candidates) > 1

    def decide(self, state):
        return PilotDecision.preserve_order(state.candidates, point=state.point)


def test_a_pilot_with_four_members_is_completed():
    pilot = PilotExt(ShortPilot())
    state = SearchState.below(TREE, plan())
    assert pilot.is_active
    assert pilot.can_intervene(state)
    assert pilot.intervention_point(state) is InterventionPoint.START
    assert pilot.binary_prune(state) is None
    pilot.reset()
    start = pilot.guide_start(TREE, plan(), 1)
    assert [ranked.node for ranked in start.ranked_candidates] == TREE.child_sections(1)
    assert pilot.guide_backtrack(state).intervention_point is InterventionPoint.START


def test_a_short_pilot_that_stays_silent_gives_no_start_guidance():
    assert PilotExt(ShortPilot()).guide_start(TREE, plan(), 2) is None
