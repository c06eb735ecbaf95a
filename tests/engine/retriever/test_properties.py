"""What holds for every input: packing, fusion, filters, expansion, rendering."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.retriever import (
    CommunityFilter,
    CorpusNode,
    DropReason,
    GraphExpand,
    MappedCommunities,
    MemoryCorpus,
    Retriever,
    StoredNode,
    apply_community_filter,
    convex_min_max_fusion,
    expand_by_decay,
    pack,
    personalized_pagerank,
    property_equals,
    reciprocal_rank_fusion,
    render_node,
    weighted_reciprocal_rank_fusion,
)

ids = st.sampled_from("abcdefghij")
scores = st.floats(-1e6, 1e6)
bounds = st.none() | st.integers(0, 200)
candidates = st.lists(st.tuples(ids, st.integers(0, 60)), max_size=30)
hits = st.lists(st.tuples(ids, scores), max_size=10, unique_by=lambda pair: pair[0])
lanes = st.lists(st.tuples(hits, st.floats(-3, 3)), max_size=4)
edges = st.lists(st.tuples(ids, st.sampled_from(("m", "n")), ids), max_size=30)


@given(candidates, bounds, bounds)
def test_packing_accounts_for_every_candidate(given: list, budget: int | None, limit: int | None) -> None:
    packed = pack(given, token_budget=budget, limit=limit)
    assert len(packed.items) + len(packed.dropped) == packed.candidates_seen == len(given)
    assert budget is None or packed.tokens_used <= budget
    assert limit is None or len(packed.items) <= limit


@given(candidates, bounds, bounds)
def test_packing_keeps_the_order(given: list, budget: int | None, limit: int | None) -> None:
    packed = pack(given, token_budget=budget, limit=limit)
    remaining = iter([name for name, _ in given])
    assert all(name in remaining for name in packed.items)


@given(candidates, st.integers(0, 200))
def test_what_is_dropped_for_the_budget_did_not_fit(given: list, budget: int) -> None:
    packed = pack(given, token_budget=budget)
    assert all(drop.reason is DropReason.BUDGET and drop.tokens > 0 for drop in packed.dropped)
    smallest = min((drop.tokens for drop in packed.dropped), default=budget + 1)
    assert packed.tokens_used + smallest > budget or packed.dropped[-1].tokens != smallest


@given(st.lists(st.lists(ids, max_size=8), max_size=4))
def test_the_order_of_lists_does_not_matter(lists: list[list[str]]) -> None:
    expected = reciprocal_rank_fusion(lists)
    assert all(reciprocal_rank_fusion(list(other)) == expected for other in itertools.permutations(lists))


@given(lanes)
def test_the_order_of_lanes_does_not_matter(given: list) -> None:
    expected = convex_min_max_fusion(given)
    assert all(convex_min_max_fusion(list(other)) == expected for other in itertools.permutations(given))


@given(lanes)
def test_fused_lists_stand_in_one_order(given: list) -> None:
    for fused in (
        convex_min_max_fusion(given),
        weighted_reciprocal_rank_fusion([([i for i, _ in h], w) for h, w in given]),
    ):
        assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))
        assert len({name for name, _ in fused}) == len(fused)


@given(hits, st.floats(0.01, 5))
def test_one_lane_scales_into_zero_to_its_weight(given: list, weight: float) -> None:
    fused = convex_min_max_fusion([(given, weight)])
    assert all(-1e-9 <= score <= weight + 1e-9 for _, score in fused)


def test_a_rank_constant_of_minus_one_is_refused() -> None:
    with pytest.raises(ValueError, match="greater than -1"):
        reciprocal_rank_fusion([["a"]], -1.0)


@given(hits, edges, st.integers(-1, 9), st.integers(0, 5))
def test_expansion_keeps_its_limits(seeds: list, given: list, depth: int, cap: int) -> None:
    corpus = MemoryCorpus([], edges=given)
    added = expand_by_decay(seeds, corpus.neighbours, GraphExpand(depth=depth, max_expand=cap))
    assert len(added) <= cap
    assert not {name for name, _ in added} & {name for name, _ in seeds}
    best = max((score for _, score in seeds), default=0)
    assert all(score <= best * 0.7 + 1e-9 for _, score in added)


@given(edges, st.dictionaries(ids, st.floats(-1, 1), max_size=5), st.floats(0, 1))
def test_pagerank_is_a_distribution(given: list, home: dict[str, float], damping: float) -> None:
    rank = personalized_pagerank([(s, t, 1.0) for s, _, t in given], home, damping=damping)
    assert not given or abs(sum(rank.values()) - 1) < 1e-9
    assert all(value >= 0 for value in rank.values())


@given(hits, st.dictionaries(ids, st.integers(0, 2)), st.integers(-1, 4), st.integers(-1, 3))
def test_communities_only_add(given: list, community_of: dict[str, int], seeds: int, cap: int) -> None:
    members = {group: sorted("klmnop"[group:]) for group in range(3)}
    cfg = CommunityFilter(enabled=True, expand_seeds=seeds, max_per_community=cap)
    joined = apply_community_filter(given, MappedCommunities(community_of, members), cfg)
    assert joined[: len(given)] == given
    assert len({name for name, _ in joined}) == len(joined)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=10), values, max_size=4), st.text(max_size=10), values)
def test_a_property_equals_itself_and_nothing_of_another_type(properties: dict, name: str, value: object) -> None:
    assert property_equals({**properties, name: value}, name, value)
    assert not property_equals({name: value}, name, [value, "more"])


@given(st.text(), st.text(), st.dictionaries(st.text(), values, max_size=5))
def test_rendering_cannot_be_forged(summary: str, label: str, properties: dict) -> None:
    node = CorpusNode("real", label, summary, None, properties)
    lines = render_node(node, cap=10_000).split("\n")
    assert lines == [*render_node(node, cap=10_000).splitlines(), ""]
    assert [line for line in lines if line.startswith("id: ")] == ["id: real"]
    assert sum(line.startswith("ntype: ") for line in lines) == 1
    assert sum(line.startswith("summary: ") for line in lines) == 1


labels = st.sampled_from(("Doc", "Note"))


@given(st.lists(st.tuples(labels, st.integers(0, 2)), min_size=1, max_size=12), labels, st.integers(0, 2))
def test_filters_hold_for_all_that_lanes_return(given: list, label: str, year: int) -> None:
    stored = [
        StoredNode(CorpusNode(f"n{i:02}", kind, "text", None, {"year": at}), {"m": [1.0, i]})
        for i, (kind, at) in enumerate(given)
    ]
    result = Retriever(MemoryCorpus(stored)).vector("m", [1, 0]).label(label).where("year", year).execute()
    assert {item.node.id for item in result.items} == {
        entry.node.id for entry in stored if entry.node.ntype == label and entry.node.properties["year"] == year
    }
