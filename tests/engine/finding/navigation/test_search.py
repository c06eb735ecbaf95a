"""The parts of a search: merging, means, references, the report and the map; and models asked in the course of it."""

import dataclasses
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.pilot_models import BAD_MODELS, ExplodingModel, FakeModel, prefer
from tests.support.pilots import HostilePilot
from tests.support.trees import FixedScorer, SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.documents.node import Reference
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import Cancelled
from vectorless_web.engine.finding.navigation import (
    Backtrack,
    EventKind,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    JumpTo,
    LexicalPilot,
    ModelPilot,
    NoopPilot,
    PilotBudget,
    PilotConfig,
    PilotDecision,
    RankedCandidate,
    SearchLimits,
    beam,
    greedy,
    mcts,
    minimap,
    report,
)
from vectorless_web.engine.finding.navigation.search import Route, average_scores, by_merit, merge_scores
from vectorless_web.engine.finding.navigation.strategies import uct

SHARES = st.floats(0, 1)
ALGORITHMS = (greedy, beam, mcts)


@given(SHARES, SHARES, SHARES, st.sampled_from([0.5, 0.7]))
def test_a_merged_score_follows_its_formula_and_lies_between_pilot_and_scorer(pilot, scorer, confidence, share):
    merged = merge_scores(pilot, scorer, confidence=confidence, share=share)
    trust = share * confidence
    assert merged == pytest.approx((trust * pilot + (1 - share) * scorer) / (trust + 1 - share))
    assert min(pilot, scorer) - 1e-9 <= merged <= max(pilot, scorer) + 1e-9


@given(st.lists(SHARES, min_size=1, max_size=30))
def test_a_path_score_is_a_mean_and_never_a_sum(scores):
    assert min(scores) - 1e-9 <= average_scores(scores) <= max(scores) + 1e-9
    assert average_scores(scores[:1]) == pytest.approx(average_scores(scores[:1] * 9))


def test_later_steps_count_more_and_ties_go_in_reading_order():
    assert average_scores([0.2, 0.8]) == pytest.approx((0.2 + 2 * 0.8) / 3)
    ways = [Route((7,), (0.5,), (None,)), Route((3,), (0.5,), (None,)), Route((9,), (0.6,), (None,))]
    assert [way.key for way in sorted(ways, key=by_merit)] == [9, 3, 7]


def test_uct_adds_what_is_left_to_learn_to_the_mean():
    assert uct(0.5, 4, 16) == pytest.approx(0.5 + math.sqrt(2) * math.sqrt(math.log(16) / 4))
    assert uct(0.5, 0, 16) == math.inf


TREE = tree_of(
    [
        ("Part I", [("Risk", ["Competition."])]),
        ("Part II", ["capital words", ("Flows", ["Capital expenditures were 5."]), ("Equity", ["Capital."])]),
        ("Part III", ["nothing"]),
    ]
)
SCORER = SegmentScorer(TREE, index_of(TREE), plan())


def guided_by(model, **limits):
    allowed = {"tokens_per_query": 5000, "calls_per_query": 9, "calls_per_level": 9}
    budget = PilotBudget(PilotConfig(**allowed | limits))
    return ModelPilot(model, budget=budget, fallback=LexicalPilot(SCORER), config=PilotConfig(fork_threshold=2))


def test_the_map_shows_each_node_once_in_its_most_telling_role():
    marks = minimap(beam(TREE, plan(), SCORER, LexicalPilot(SCORER), SearchLimits(results=1)))
    roles = {TREE.node(key).title: role for key, role in marks.items()}
    assert (roles["Flows"], roles["Part II"], roles["Part I"]) == ("read", "walked", "turned_back")
    assert list(marks) == sorted(marks)


def test_a_report_tells_each_rejected_branch_once_and_none_that_was_entered_after_all():
    told = report(beam(TREE, plan(), SCORER, LexicalPilot(SCORER)))
    rejected = [rejection.key for rejection in told.rejected]
    assert len(set(rejected)) == len(rejected)
    assert not set(rejected) & {node.key for node in told.ranked}
    assert told.engine == "offline" and told.log and told.advice and told.stats.turns > 0


def test_a_report_keeps_notes_apart_and_names_the_model_that_decided():
    assert report(beam(TREE, plan(), SCORER, guided_by(FakeModel(prefer("Part II"))))).engine == "fake"
    told = report(beam(TREE, plan(), SCORER, guided_by(ExplodingModel())))
    assert told.engine == "offline"
    assert any("could not be used" in note for note in told.notes)
    assert not any("could not be used" in line for line in told.log)


def test_monte_carlo_returns_nodes_of_any_depth():
    ranked = list(mcts(TREE, plan(), SCORER, LexicalPilot(SCORER)))[-1].ranked
    assert {len(node.path) for node in ranked} == {TREE.node(node.key).depth for node in ranked} == {1, 2}


def test_a_pilot_with_a_spent_budget_is_not_asked_and_the_reader_is_told():
    model = FakeModel(prefer("Part II"))
    events = list(beam(TREE, plan(), SCORER, guided_by(model, calls_per_query=1)))
    first, *others = [event.decision for event in events if event.kind is EventKind.SCORING]
    assert first.engine == "fake" and first.tokens == events[-1].stats.tokens
    assert others and not any(others) and len(model.calls) == 1
    assert any("budget is spent" in event.say for event in events if event.kind is EventKind.NOTE)


class Watching(NoopPilot):
    """Remembers the states it could have been asked in, and how often it was reset."""

    is_active, config = True, PilotConfig()

    def __init__(self):
        self.states, self.resets = [], 0

    def should_intervene(self, state):
        self.states.append(state)
        return False

    def reset(self):
        self.resets += 1


def test_each_search_resets_the_pilot_and_tells_the_best_score_so_far():
    pilot = Watching()
    list(beam(TREE, plan(), SCORER, pilot))
    scores = [state.best_score for state in pilot.states]
    assert scores and scores == sorted(scores)
    events = list(beam(TREE, plan(), SCORER, pilot))
    assert pilot.resets == 2
    assert all(node.reason for event in events for node in (*event.ranked, *event.scored))


OUTLINE = [
    ("Statements", [("Cash flows", ["see Note 7"]), ("Equity", ["x"])]),
    ("Notes", [(("Note 7", "Property"), ["see Note 8"]), (("Note 8", "Leases"), ["see Note 7"]), ("Other", ["y"])]),
]
STATEMENTS, CASH, CASH_TEXT, NOTE7, NOTE7_TEXT, NOTE8, NOTE8_TEXT = 1, 2, 3, 7, 8, 9, 10
CIRCLE = [(CASH_TEXT, NOTE7), (NOTE7_TEXT, NOTE8), (NOTE8_TEXT, NOTE7), (NOTE8_TEXT, CASH), (NOTE7_TEXT, NOTE7)]


def follow(algorithm, references, **limits):
    scorer = FixedScorer({STATEMENTS: 0.9, CASH: 0.9, CASH_TEXT: 0.9, NOTE7: 0.5, NOTE8: 0.4}, otherwise=0.0)
    return list(algorithm(tree_of(OUTLINE, references), plan(), scorer, NoopPilot(), SearchLimits(**limits)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("target", [NOTE7, NOTE7_TEXT])
def test_a_reference_out_of_a_section_that_was_read_is_followed_to_its_section(algorithm, target):
    events = follow(algorithm, [(CASH_TEXT, target), (CASH_TEXT, 0), (CASH_TEXT, 999)])
    note = next(node for node in events[-1].ranked if node.key == NOTE7)
    assert (note.path, note.reason) == ((STATEMENTS, CASH, NOTE7), "Cash flows refers to it")
    assert 0 not in {node.key for node in events[-1].ranked}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_references_in_a_circle_are_walked_once(algorithm):
    events = follow(algorithm, CIRCLE, results=10)
    entered = [event.key for event in events if event.kind is EventKind.ENTERING]
    assert sorted(entered) == sorted(set(entered))
    assert {CASH, NOTE7, NOTE8} <= set(entered) and events[-1].stats.stopped == ""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_references_followed_out_of_one_section_are_limited(algorithm):
    outline = [("List", ["see all"]), ("Notes", [(f"Note {number}", ["x"]) for number in range(40)])]
    tree = tree_of(outline, [(2, key) for key in range(4, 84, 2)])
    scorer = FixedScorer({1: 0.9, 2: 0.9, **dict.fromkeys(range(4, 84, 2), 0.1)}, otherwise=0.0)
    events = list(algorithm(tree, plan(), scorer, NoopPilot(), SearchLimits(results=30, references=2)))
    assert sum(node.reason == "List refers to it" for node in events[-1].ranked) <= 2


REPORT = tree_of(
    [
        ("Chapter", [(f"Section {number}", [f"capital matter {number}"]) for number in range(24)]),
        (
            "Statements",
            [("Balance", ["capital"]), ("Flows", ["capital expenditures 1,577"]), ("Equity", ["capital stock"])],
        ),
        ("Annex", [("List", ["capital list"])]),
    ]
)


def guide(algorithm, model, tree=REPORT, **limits):
    scorer = SegmentScorer(tree, index_of(tree), plan())
    allowed = {"tokens_per_query": 50_000, "tokens_per_call": 1000, "calls_per_query": 40, "calls_per_level": 20}
    config = PilotConfig(prune_above=10, call_seconds=0.05, **allowed)
    pilot = ModelPilot(model, budget=PilotBudget(config), fallback=LexicalPilot(scorer), config=config)
    return list(algorithm(tree, plan(), scorer, pilot, SearchLimits(**{"turns": 200, "results": 8, **limits})))


@pytest.mark.parametrize("algorithm", [greedy, beam])
def test_every_point_is_reached_and_has_its_own_instructions(algorithm):
    model = FakeModel(prefer("Statements"))
    events = guide(algorithm, model, width=1)
    instructions = {messages[0].content for messages, _, _ in model.calls}
    words = ("at its start", "at a fork", "led nowhere", "Judge the section", "many children")
    assert all(any(word in text for text in instructions) for word in words)
    assert sum(event.decision.tokens for event in events if event.decision) > 0 < events[-1].stats.cost_usd


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", BAD_MODELS)
@pytest.mark.parametrize("good", [0, 1, 2, 3, 5])
def test_a_model_that_turns_bad_at_any_call_leaves_a_ranked_result_and_a_note(algorithm, kind, good):
    bad, fine = BAD_MODELS[kind](), FakeModel(prefer("Statements"))

    class Turning(FakeModel):
        def complete(self, messages, **options):
            self.calls.append(messages)
            return (fine if len(self.calls) <= good else bad).complete(messages, **options)

    model = Turning()
    events = guide(algorithm, model, width=1)
    assert "Flows" in {REPORT.node(node.key).title for node in events[-1].ranked}
    noted = any(event.kind is EventKind.NOTE and "sections keep their order" in event.say for event in events)
    assert noted or len(model.calls) <= good


def test_a_model_that_finds_the_answer_ends_the_search_there():
    def answer(data, schema):
        first = data.get("candidates", [{"title": ""}])[0]["title"]
        return prefer(first, relevance=0.9, is_answer="1,577" in data.get("excerpt", ""))(data, schema)

    events = guide(beam, FakeModel(answer))
    last_entered = [event.key for event in events if event.kind is EventKind.ENTERING][-1]
    assert REPORT.node(events[-1].ranked[0].key).title == REPORT.node(last_entered).title == "Flows"


def test_being_asked_to_stop_is_no_failure_of_the_model():
    with pytest.raises(Cancelled):
        guide(beam, ExplodingModel(Cancelled("Stopped.")))


KEYS = st.integers(-3, 60)
DIRECTIONS = st.one_of(
    *(st.just(direction) for direction in (GoDeeper(), ExploreSiblings(), Backtrack())),
    st.builds(JumpTo, KEYS),
    st.builds(FoundAnswer, st.floats()),
)
DECISIONS = st.builds(
    PilotDecision,
    ranked_candidates=st.lists(st.builds(RankedCandidate, KEYS, st.floats(), st.text(max_size=5)), max_size=6).map(
        tuple
    ),
    direction=DIRECTIONS,
    confidence=st.floats(),
    reasoning=st.text(max_size=5),
    note=st.text(max_size=5),
    tokens=st.integers(0, 10**9),
)
ANSWERS = st.one_of(
    DECISIONS,
    st.sampled_from([True, None, RuntimeError("boom"), KeyError("x"), RecursionError(), ZeroDivisionError()]),
    st.lists(KEYS, max_size=8),
)
OUTLINES = st.recursive(
    st.just(["text"]),
    lambda below: st.lists(st.one_of(st.just("text"), st.tuples(st.just("Title"), below)), max_size=5),
    max_leaves=14,
)
LIMITS = st.builds(
    SearchLimits,
    turns=st.integers(0, 30),
    results=st.integers(1, 4),
    width=st.integers(1, 4),
    frontier=st.integers(0, 5),
    references=st.integers(0, 3),
    backtracks=st.integers(0, 3),
)


@st.composite
def documents(draw):
    bare = tree_of(draw(OUTLINES))
    nodes = st.integers(0, len(bare) - 1)
    references = [Reference(source, 0, 1, target) for source, target in draw(st.lists(st.tuples(nodes, nodes)))]
    scores = draw(st.lists(st.floats(), min_size=len(bare), max_size=len(bare)))
    return Tree([bare.node(key) for key in range(len(bare))], references), FixedScorer(dict(enumerate(scores)))


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(ALGORITHMS), documents(), st.lists(ANSWERS, min_size=1, max_size=12), LIMITS)
def test_no_pilot_makes_a_search_exceed_its_limits(algorithm, document, answers, limits):
    tree, scorer = document
    pilot = HostilePilot(answers, PilotConfig(prune_above=2, prune_keep=1, prefilter=2))
    events = list(algorithm(tree, plan(), scorer, pilot, limits))
    last, keys = events[-1], [node.key for node in events[-1].ranked]
    assert last.kind is EventKind.FINISHED
    assert 1 <= len(keys) == len(set(keys)) <= limits.results
    assert all(node.key in tree and 0.0 <= node.score <= 1.0 for node in last.ranked)
    assert max(last.stats.turns, last.stats.consultations) <= limits.turns
    assert sorted(event.key for event in events if event.kind is EventKind.ENTERING) == sorted(keys)
    assert len(events) <= 40 * (limits.turns + limits.results + 1)
    assert all(key in tree for key in minimap(events))


def sections(name, *counts):
    """So many sections on each level, and three paragraphs in each of the last."""
    if not counts:
        return [f"Words of {name}."] * 3
    return [(f"Section {name}{number}", sections(f"{name}{number}.", *counts[1:])) for number in range(counts[0])]


LARGE = tree_of([*sections("", 20, 12, 10), ("Last", [("Flows", ["Capital expenditures were 1,577 million."])])])
WIDE = tree_of(
    [(f"Section {number}", ["capital expenditures" if number == 1234 else "words"]) for number in range(2000)]
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("tree", "title"), [(LARGE, "Flows"), (WIDE, "Section 1234")])
def test_one_section_of_a_large_or_wide_tree_is_found_with_few_looks(algorithm, tree, title):
    scorer = SegmentScorer(tree, index_of(tree), plan())
    last = list(algorithm(tree, plan(), scorer, LexicalPilot(scorer)))[-1]
    assert tree.node(last.ranked[0].key).title == title
    assert last.stats.turns <= SearchLimits().turns and last.stats.leaves_scored < 100


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_very_deep_tree_ends_at_its_limits_with_a_result(algorithm):
    outline = ["capital expenditures"]
    for level in range(250):
        outline = [(f"Level {level}", outline)]
    deep = tree_of(outline)
    last = list(algorithm(deep, plan(), FixedScorer({}), NoopPilot(), SearchLimits(turns=50)))[-1]
    assert last.ranked and last.stats.turns <= 50


def test_a_pilot_whose_mode_asks_nobody_has_no_substitute_either():
    model = FakeModel()
    pilot = guided_by(model)
    pilot.config = dataclasses.replace(PilotConfig.preset("algorithm_only"))
    assert list(beam(TREE, plan(), SCORER, pilot))[-1].stats.consultations == 0 == len(model.calls)
