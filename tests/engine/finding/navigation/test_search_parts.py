"""The pure parts: merging, means, UCT, the mini-map; and who is asked when a pilot is spent."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pilot_models import ExplodingModel, FakeModel, prefer
from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.navigation import (
    EventKind,
    LexicalPilot,
    ModelPilot,
    NoopPilot,
    PilotBudget,
    PilotConfig,
    SearchLimits,
    SearchState,
    beam,
    mcts,
    minimap,
    report,
)
from vectorless_web.engine.finding.navigation.search import Route, average_scores, merge_scores
from vectorless_web.engine.finding.navigation.strategies import uct

SHARES = st.floats(0, 1)


def test_the_merge_follows_its_formula():
    assert merge_scores(0.9, 0.3, confidence=0.5, share=0.7) == pytest.approx((0.35 * 0.9 + 0.3 * 0.3) / 0.65)


def test_a_pilot_without_confidence_or_opinion_leaves_the_scorer_alone():
    assert merge_scores(0.9, 0.3, confidence=0.0, share=0.7) == pytest.approx(0.3)
    assert merge_scores(None, 0.3, confidence=1.0, share=0.7) == 0.3


@given(SHARES, SHARES, SHARES, st.sampled_from([0.5, 0.7]))
def test_a_merged_score_lies_between_pilot_and_scorer(pilot, scorer, confidence, share):
    merged = merge_scores(pilot, scorer, confidence=confidence, share=share)
    assert min(pilot, scorer) - 1e-9 <= merged <= max(pilot, scorer) + 1e-9


@given(st.lists(SHARES, min_size=1, max_size=30))
def test_a_path_score_is_a_mean_and_never_a_sum(scores):
    assert min(scores) - 1e-9 <= average_scores(scores) <= max(scores) + 1e-9


def test_the_mean_of_equal_steps_does_not_depend_on_their_number():
    assert average_scores([0.4]) == pytest.approx(average_scores([0.4] * 9))
    assert average_scores([]) == 0.0


def test_later_steps_count_more_than_earlier_ones():
    assert average_scores([0.2, 0.8]) == pytest.approx((0.2 + 2 * 0.8) / 3)


def test_uct_adds_what_is_left_to_learn_to_the_mean():
    assert uct(0.5, 4, 16) == pytest.approx(0.5 + math.sqrt(2) * math.sqrt(math.log(16) / 4))
    assert uct(0.5, 0, 16) == math.inf


def test_the_order_of_ways_breaks_ties_by_reading_order():
    ways = [Route((7,), (0.5,), (None,)), Route((3,), (0.5,), (None,)), Route((9,), (0.6,), (None,))]
    assert [way.key for way in sorted(ways, key=lambda way: way.order)] == [9, 3, 7]


TREE = tree_of(
    [
        ("Part I", [("Risk", ["Competition."])]),
        ("Part II", ["capital words", ("Flows", ["Capital expenditures were 5."]), ("Equity", ["Capital."])]),
        ("Part III", ["nothing"]),
    ]
)


def test_the_map_shows_each_node_once_in_its_most_telling_role():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    events = list(beam(TREE, plan(), scorer, LexicalPilot(scorer), SearchLimits(results=1)))
    roles = {TREE.node(mark.key).title: mark.role for mark in minimap(events)}
    assert roles["Flows"] == "read"
    assert roles["Part II"] == "walked"
    assert roles["Part I"] == "turned_back"
    assert [mark.key for mark in minimap(events)] == sorted({mark.key for mark in minimap(events)})


def test_a_report_tells_each_rejected_branch_once_and_none_that_was_entered_after_all():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    told = report(beam(TREE, plan(), scorer, LexicalPilot(scorer)))
    rejected = [rejection.key for rejection in told.rejected]
    assert len(set(rejected)) == len(rejected)
    assert not set(rejected) & {node.key for node in told.ranked}
    assert told.engine == "offline"
    assert told.log
    assert told.stats.turns > 0


def test_a_report_keeps_notes_apart_and_names_the_model_that_decided():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    budget = PilotBudget(tokens=5000, tokens_per_call=500, calls=9, calls_per_level=9)
    config = PilotConfig(fork_threshold=2)
    good = ModelPilot(FakeModel(prefer("Part II")), budget=budget, fallback=LexicalPilot(scorer), config=config)
    assert report(beam(TREE, plan(), scorer, good)).engine == "fake"
    bad = ModelPilot(ExplodingModel(), budget=budget, fallback=LexicalPilot(scorer), config=config)
    told = report(beam(TREE, plan(), scorer, bad))
    assert told.engine == "offline"
    assert any("could not be used" in note for note in told.notes)
    assert not any("could not be used" in line for line in told.log)


def test_monte_carlo_returns_nodes_of_any_depth():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    events = list(mcts(TREE, plan(), scorer, LexicalPilot(scorer)))
    depths = {TREE.node(node.key).depth for node in events[-1].ranked}
    assert depths == {1, 2}
    assert all(len(node.path) == TREE.node(node.key).depth for node in events[-1].ranked)


def test_a_pilot_with_a_spent_budget_has_no_opinion_and_the_reader_is_told():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    model = FakeModel(prefer("Part II"))
    budget = PilotBudget(tokens=5000, tokens_per_call=500, calls=1, calls_per_level=1)
    pilot = ModelPilot(model, budget=budget, fallback=LexicalPilot(scorer), config=PilotConfig(fork_threshold=2))
    events = list(beam(TREE, plan(), scorer, pilot))
    assert len(model.calls) == 1
    scoring = [event for event in events if event.kind is EventKind.SCORING]
    assert scoring[0].engine == "fake"
    assert all(event.engine == "offline" and event.point is None for event in scoring[1:])
    assert any("budget is spent" in event.say for event in events if event.kind is EventKind.NOTE)
    assert pilot.binary_prune(SearchState.below(TREE, plan())) is None
    assert events[-1].stats.tokens == budget.spending.tokens


def test_a_pilot_whose_mode_asks_nobody_has_no_substitute_either():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    config = PilotConfig.preset("algorithm_only")
    model = FakeModel()
    pilot = ModelPilot(model, budget=PilotBudget.from_config(config), config=config)
    events = list(beam(TREE, plan(), scorer, pilot))
    assert model.calls == []
    assert events[-1].stats.consultations == 0


class Watching(NoopPilot):
    """Remembers the states it could have been asked in, and how often it was reset."""

    is_active = True

    def __init__(self):
        super().__init__(PilotConfig())
        self.states, self.resets = [], 0

    def should_intervene(self, state):
        self.states.append(state)
        return False

    def reset(self):
        self.resets += 1


def test_each_search_resets_the_pilot_and_tells_the_best_score_so_far():
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    pilot = Watching()
    list(beam(TREE, plan(), scorer, pilot))
    events = list(beam(TREE, plan(), scorer, pilot))
    assert pilot.resets == 2
    scores = [state.best_score for state in pilot.states if state.iteration]
    assert scores
    assert all(score == max(scores) for score in scores[-1:])
    assert all(node.reason for event in events for node in (*event.ranked, *event.scored))
