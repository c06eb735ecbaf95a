"""Whatever a pilot or a model says, no search exceeds its limits, and each ends in a ranked result."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.pilot_models import BAD_MODELS, FakeModel
from tests.support.pilots import HostilePilot
from tests.support.trees import FixedScorer, SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.documents.node import Reference
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.navigation import (
    Backtrack,
    EventKind,
    ExploreSiblings,
    FoundAnswer,
    GoDeeper,
    JumpTo,
    LexicalPilot,
    ModelPilot,
    PilotBudget,
    PilotConfig,
    PilotDecision,
    RankedCandidate,
    SearchLimits,
    beam,
    greedy,
    mcts,
    minimap,
)
from vectorless_web.engine.llm.model import Reply, Usage

ALGORITHMS = st.sampled_from([greedy, beam, mcts])
NUMBERS = st.one_of(st.floats(), st.integers(-5, 5), st.none(), st.text(max_size=3), st.booleans())
KEYS = st.one_of(st.integers(-3, 60), st.none(), st.booleans(), st.text(max_size=3))
DIRECTIONS = st.one_of(
    st.just(GoDeeper()),
    st.just(ExploreSiblings()),
    st.just(Backtrack()),
    st.builds(JumpTo, KEYS),
    st.builds(FoundAnswer, NUMBERS),
    NUMBERS,
)
DECISIONS = st.builds(
    PilotDecision,
    ranked_candidates=st.one_of(
        st.lists(st.builds(RankedCandidate, KEYS, NUMBERS, st.text(max_size=5)), max_size=6).map(tuple), NUMBERS
    ),
    direction=DIRECTIONS,
    confidence=NUMBERS,
    reasoning=st.one_of(st.text(max_size=5), NUMBERS),
    intervention_point=NUMBERS,
    note=st.one_of(st.text(max_size=5), NUMBERS),
    tokens=NUMBERS,
    cost_usd=NUMBERS,
)
ANSWERS = st.one_of(
    DECISIONS,
    st.just(True),
    st.just(PilotConfig(prune_above=2, prune_keep=1, prefilter=2)),
    st.lists(KEYS, max_size=8),
    NUMBERS,
    st.sampled_from([RuntimeError("boom"), KeyError("x"), RecursionError(), ZeroDivisionError()]),
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
    references = draw(st.lists(st.tuples(nodes, nodes), max_size=8))
    tree = tree_of_nodes(bare, references)
    scores = draw(st.lists(st.floats(), min_size=len(tree), max_size=len(tree)))
    return tree, FixedScorer(dict(enumerate(scores)))


def tree_of_nodes(tree, references):
    nodes = [tree.node(key) for key in range(len(tree))]
    return Tree(nodes, [Reference(source, 0, 1, target) for source, target in references])


def check(events, tree, limits):
    last = events[-1]
    assert last.kind is EventKind.FINISHED
    assert 1 <= len(last.ranked) <= limits.results
    keys = [node.key for node in last.ranked]
    assert len(set(keys)) == len(keys)
    assert all(key in tree for key in keys)
    assert all(0.0 <= node.score <= 1.0 for node in last.ranked)
    assert last.stats.turns <= limits.turns
    assert last.stats.consultations <= limits.turns
    assert math.isfinite(last.stats.cost_usd)
    entered = [event.key for event in events if event.kind is EventKind.ENTERING]
    assert sorted(entered) == sorted(keys)
    assert len(events) <= 40 * (limits.turns + limits.results + 1)
    assert all(mark.key in tree for mark in minimap(events))


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(ALGORITHMS, documents(), st.lists(ANSWERS, min_size=1, max_size=12), LIMITS)
def test_no_pilot_makes_a_search_exceed_its_limits(algorithm, document, answers, limits):
    tree, scorer = document
    check(list(algorithm(tree, plan(), scorer, HostilePilot(answers), limits)), tree, limits)


JSON = st.recursive(
    st.one_of(NUMBERS, st.sampled_from(["go_deeper", "backtrack", "found_answer", "jump_to", "explore_siblings"])),
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(st.text(max_size=4), below, max_size=4)),
    max_leaves=5,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["ranking", "alternatives", "keep", "direction", "target", "confidence", "relevance", "is_answer", "reasoning"]
    ),
    JSON,
)


@st.composite
def replies(draw):
    kind = draw(st.sampled_from(["parsed", "text", "shown", "raise"]))
    usage = Usage(draw(st.integers(-5, 3000)), draw(st.integers(-5, 3000)), draw(st.floats()))
    return SimpleNamespace(
        kind=kind, usage=usage, content=draw(FIELDS), text=draw(st.text(max_size=20)), draw=draw(st.integers(0, 9))
    )


class HostileModel(FakeModel):
    """Answers with the next given reply; a `shown` one names real candidates in any way it likes."""

    def __init__(self, replies):
        super().__init__()
        self._replies = replies

    def complete(self, messages, *, schema=None, max_tokens=1024, temperature=0.0):
        reply = self._replies[len(self.calls) % len(self._replies)]
        self.calls.append((messages, schema, max_tokens))
        if reply.kind == "raise":
            raise RuntimeError
        if reply.kind == "text":
            return Reply(reply.text, None, reply.usage, self.name)
        if reply.kind == "parsed":
            return Reply("", reply.content, reply.usage, self.name)
        ids = [candidate["id"] for candidate in self.last_data.get("candidates", [])] or ["none"]
        chosen = ids[reply.draw % len(ids)]
        ranked = [{"id": chosen, "score": 1, "reason": "r"}]
        content = {
            "ranking": ranked,
            "alternatives": ranked,
            "keep": [chosen],
            "target": chosen,
            "relevance": 1,
            **reply.content,
        }
        return Reply("", content, reply.usage, self.name)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(ALGORITHMS, documents(), st.lists(replies(), min_size=1, max_size=5), LIMITS, st.integers(0, 4))
def test_no_reply_makes_a_search_or_a_budget_exceed_its_limits(algorithm, document, given_replies, limits, calls):
    tree, scorer = document
    model = HostileModel(given_replies)
    budget = PilotBudget(tokens=2000, tokens_per_call=400, calls=calls, calls_per_level=2)
    pilot = ModelPilot(model, budget=budget, config=PilotConfig(fork_threshold=2, prune_above=3, prefilter=2))
    check(list(algorithm(tree, plan(), scorer, pilot, limits)), tree, limits)
    assert len(model.calls) <= calls
    assert budget.spending.made == len(model.calls)
    assert budget.spending.held_tokens == 0
    assert all(len(messages[1].content) // 4 + max_tokens <= 400 + 1 for messages, _, max_tokens in model.calls)


TREE = tree_of(
    [(f"Chapter {number}", [("Costs", ["wages"]), ("Capital", ["capital expenditures"])]) for number in range(25)]
)


@pytest.mark.parametrize("algorithm", [greedy, beam, mcts])
@pytest.mark.parametrize("kind", BAD_MODELS)
def test_a_bad_model_leaves_a_ranked_result_and_a_visible_note(algorithm, kind):
    scorer = SegmentScorer(TREE, index_of(TREE), plan())
    budget = PilotBudget(tokens=2000, tokens_per_call=500, calls=5, calls_per_level=2)
    model = BAD_MODELS[kind]()
    pilot = ModelPilot(model, budget=budget, fallback=LexicalPilot(scorer), config=PilotConfig(call_seconds=0.02))
    events = list(algorithm(TREE, plan(), scorer, pilot))
    assert TREE.node(events[-1].ranked[0].key).title == "Capital"
    assert any(event.kind is EventKind.NOTE and "model" in event.say for event in events)
    assert 1 <= len(model.calls) <= 5
    assert all(math.isfinite(event.cost_usd) for event in events)
