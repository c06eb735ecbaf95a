"""What greedy, beam and Monte Carlo search have in common: they find, they tell, they stop, they obey."""

import pytest

from tests.support.pilots import ToldPilot
from tests.support.trees import FixedScorer, SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.navigation import (
    Backtrack,
    EventKind,
    ExploreSiblings,
    FoundAnswer,
    JumpTo,
    LexicalPilot,
    NoopPilot,
    PilotConfig,
    SearchLimits,
    beam,
    greedy,
    mcts,
)

pytestmark = pytest.mark.parametrize("algorithm", (greedy, beam, mcts))
TREE = tree_of(
    [
        ("Part I", [("Risk", ["Competition may harm us."]), ("Properties", ["We own buildings."])]),
        (
            "Part II",
            [
                ("Discussion", ["Liquidity was fine."]),
                ("Statements", [("Balance sheet", ["Assets."]), ("Cash flows", ["Capital expenditures were 1,577."])]),
            ],
        ),
        ("Exhibits", ["A list of exhibits."]),
    ]
)
BY_TITLE = {TREE.node(key).title: key for key in range(len(TREE))}


def run(algorithm, pilot=None, *, tree=TREE, scorer=None, limits=None, start=0, question=None):
    query = plan(question) if question else plan()
    scorer = scorer or SegmentScorer(tree, index_of(tree), query)
    return list(algorithm(tree, query, scorer, pilot or NoopPilot(), limits or SearchLimits(), start))


def best_title(events, tree=TREE):
    return tree.node(events[-1].ranked[0].key).title


def test_the_answers_section_is_found_and_told_with_and_without_the_offline_pilot(algorithm):
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    for pilot in (NoopPilot(), LexicalPilot(scorer)):
        events = run(algorithm, pilot, scorer=scorer)
        assert events == run(algorithm, pilot, scorer=scorer), "the same search is the same twice"
        assert best_title(events) == "Cash flows"
        assert all(event.say and "None" not in event.say for event in events)
        rejected = [rejection for event in events for rejection in event.rejected]
        assert rejected and all(rejection.reason for rejection in rejected)


def test_the_last_event_ranks_what_was_entered_and_says_what_it_cost(algorithm):
    events = run(algorithm)
    last = events[-1]
    assert [event.kind for event in events if event.ranked] == [last.kind] == [EventKind.FINISHED]
    entered = [event.key for event in events if event.kind is EventKind.ENTERING]
    assert sorted(node.key for node in last.ranked) == sorted(entered)
    assert [node.score for node in last.ranked] == sorted((node.score for node in last.ranked), reverse=True)
    assert all(node.path == (*TREE.ancestors(node.key)[1:], node.key) for node in last.ranked)
    assert last.stats.turns > 0 and last.stats.sections_scored > 0


def test_the_leaves_of_an_entered_section_come_best_first(algorithm):
    tree = tree_of([("Only", ["nothing", "capital expenditures", "capital"])])
    assert run(algorithm, tree=tree)[-1].ranked[0].leaves == (3, 4, 2)


def test_a_search_below_a_node_stays_below_it(algorithm):
    start = BY_TITLE["Part I"]
    events = run(algorithm, start=start)
    assert all(start in TREE.ancestors(node.key) for node in events[-1].ranked)


def test_a_document_without_sections_is_read_itself(algorithm):
    events = run(algorithm, tree=tree_of(["one", "capital expenditures"]))
    assert [node.key for node in events[-1].ranked] == [0]
    assert events[-1].ranked[0].leaves[0] == 2
    assert events[-1].ranked[0].reason == "there was no other section to choose"


def test_a_question_that_nothing_speaks_of_still_gives_sections(algorithm):
    events = run(algorithm, question="Zebras?")
    assert events[-1].ranked
    assert all(node.score == 0.0 for node in events[-1].ranked)


def test_turns_are_limited_and_what_was_found_is_kept(algorithm):
    for turns in (1, 2, 3):
        events = run(algorithm, limits=SearchLimits(turns=turns))
        assert events[-1].stats.turns <= turns
        assert events[-1].ranked
        assert "turns" in events[-1].stats.stopped
        assert any(event.kind is EventKind.NOTE for event in events)


def test_the_wall_clock_ends_a_search_with_what_was_found(algorithm):
    ticks = iter(range(1000))
    limits = SearchLimits(wall_seconds=3.0, clock=lambda: float(next(ticks)))
    events = run(algorithm, limits=limits)
    assert events[-1].ranked
    assert "seconds" in events[-1].stats.stopped


def test_a_pilot_can_overrule_the_words(algorithm):
    scorer = FixedScorer({BY_TITLE["Part I"]: 0.2, BY_TITLE["Risk"]: 0.2, BY_TITLE["Exhibits"]: 0.6}, otherwise=0.3)
    pilot = ToldPilot(scores={BY_TITLE["Part I"]: 1.0, BY_TITLE["Risk"]: 1.0, BY_TITLE["Exhibits"]: 0.0})
    events = run(algorithm, pilot, scorer=scorer)
    assert best_title(events) == "Risk"


def test_found_answer_stops_the_search(algorithm):
    pilot = ToldPilot({BY_TITLE["Part II"]: FoundAnswer(0.9)}, {BY_TITLE["Part II"]: 1.0, BY_TITLE["Discussion"]: 1.0})
    events = run(algorithm, pilot)
    assert [TREE.node(node.key).title for node in events[-1].ranked] == ["Discussion"]
    assert [event.kind for event in events[-2:]] == [EventKind.ENTERING, EventKind.FINISHED]


def test_an_entered_section_that_answers_stops_the_search(algorithm):
    pilot = ToldPilot({BY_TITLE["Cash flows"]: FoundAnswer(0.9)})
    events = run(algorithm, pilot)
    assert [TREE.node(node.key).title for node in events[-1].ranked] == ["Cash flows"]


@pytest.mark.parametrize("inside", [0, 1])
def test_jump_to_goes_straight_there_and_to_the_section_of_a_leaf(algorithm, inside):
    properties = BY_TITLE["Properties"]
    events = run(algorithm, ToldPilot({0: JumpTo(properties + inside)}), limits=SearchLimits(results=1))
    jump = next(event for event in events if event.kind is EventKind.JUMPING)
    assert (jump.key, jump.path) == (properties, (BY_TITLE["Part I"], properties))
    assert properties in {node.key for node in events[-1].ranked}


@pytest.mark.parametrize("target", [10_000, -1])
def test_a_jump_to_nowhere_walks_on_and_is_noted(algorithm, target):
    events = run(algorithm, ToldPilot({0: JumpTo(target)}))
    assert best_title(events) == "Cash flows"
    assert any("does not exist" in event.say for event in events)


def test_backtrack_leaves_the_branch(algorithm):
    pilot = ToldPilot({BY_TITLE["Part II"]: Backtrack()})
    events = run(algorithm, pilot)
    inside = range(BY_TITLE["Part II"] + 1, TREE.subtree_end(BY_TITLE["Part II"]))
    assert not any(node.key in inside for node in events[-1].ranked)
    given_up = [rejection for event in events for rejection in event.rejected if rejection.key in inside]
    assert given_up
    assert all(rejection.reason for rejection in given_up)


def test_explore_siblings_looks_beside_and_not_below(algorithm):
    statements = BY_TITLE["Statements"]
    pilot = ToldPilot({statements: ExploreSiblings()})
    events = run(algorithm, pilot, start=BY_TITLE["Part II"])
    assert {TREE.node(node.key).title for node in events[-1].ranked} == {"Discussion"}


def test_siblings_of_siblings_do_not_spin(algorithm):
    events = run(algorithm, ToldPilot({key: ExploreSiblings() for key in range(1, len(TREE))}))
    assert events[-1].ranked
    assert events[-1].stats.stopped == ""


class Exploding:
    name = "exploding"
    config = PilotConfig()

    def should_intervene(self, state):
        return True

    def decide(self, state):
        raise RuntimeError("boom")


def test_a_pilot_that_explodes_is_noted_and_does_no_harm(algorithm):
    events = run(algorithm, Exploding())
    assert best_title(events) == "Cash flows"
    assert any("pilot failed (RuntimeError)" in event.say for event in events)


class TimeIsUp(Exception):
    """What a queue throws into a job that takes too long."""


class Overdue(Exploding):
    def decide(self, state):
        raise TimeIsUp


def test_what_a_queue_throws_into_the_job_is_no_failure_of_the_pilot(algorithm):
    with pytest.raises(TimeIsUp):
        run(algorithm, Overdue())


def test_each_consultation_costs_a_turn(algorithm):
    with_pilot, without = run(algorithm, Exploding())[-1].stats, run(algorithm)[-1].stats
    assert with_pilot.consultations > 0
    assert with_pilot.turns == without.turns + with_pilot.consultations


def test_the_pilot_is_asked_at_the_start_once_then_at_forks_and_of_what_was_entered(algorithm):
    pilot = ToldPilot()
    run(algorithm, pilot)
    points = [state.point.value for state in pilot.states]
    assert points[0] == "start" and points.count("start") == 1 and {"fork", "evaluate"} <= set(points)
    assert {state.depth for state in pilot.states} >= {0, 1, 2}
    assert all(len(state.scores) == len(state.candidates) for state in pilot.states[1:])
    assert all(not set(state.candidates) & set(state.visited) for state in pilot.states)
