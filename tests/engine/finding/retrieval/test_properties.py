"""What holds for every input: packing, fusion, filters, expansion, rendering."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.memory_collection import MappedCommunities, MemoryCollection
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    CorpusNode,
    DiversityCandidate,
    GraphExpand,
    Retriever,
    apply_community_filter,
    convex_min_max_fusion,
    expand_by_decay,
    pack,
    personalized_pagerank,
    reciprocal_rank_fusion,
    render_node,
    select_diverse,
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


def test_a_rank_constant_of_minus_one_is_refused() -> None:
    with pytest.raises(ValueError, match="greater than -1"):
        reciprocal_rank_fusion([["a"]], -1.0)


@given(hits, edges, st.integers(-1, 9), st.integers(0, 5))
def test_expansion_keeps_its_limits(seeds: list, given: list, depth: int, cap: int) -> None:
    corpus = MemoryCollection([], edges=given)
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


@given(st.text(), st.text(), st.dictionaries(st.text(), values, max_size=5))
def test_rendering_cannot_be_forged(summary: str, label: str, properties: dict) -> None:
    node = CorpusNode("real", label, summary, None, properties)
    lines = render_node(node, cap=10_000).split("\n")
    assert lines == [*render_node(node, cap=10_000).splitlines(), ""]
    assert [line for line in lines if line.startswith("id: ")] == ["id: real"]
    assert sum(line.startswith("ntype: ") for line in lines) == 1
    assert sum(line.startswith("summary: ") for line in lines) == 1


@given(candidates, bounds, bounds)
def test_packing_is_greedy_from_the_first_candidate_on(given: list, budget: int | None, limit: int | None) -> None:
    packed = pack(given, token_budget=budget, limit=limit)
    for end in range(len(given)):
        shorter = pack(given[:end], token_budget=budget, limit=limit)
        assert packed.items[: len(shorter.items)] == shorter.items
        assert packed.dropped[: len(shorter.dropped)] == shorter.dropped


@given(st.lists(st.tuples(st.lists(ids, max_size=8), st.floats(0, 4)), max_size=4))
def test_the_order_of_weighted_lists_does_not_matter(lists: list) -> None:
    expected = weighted_reciprocal_rank_fusion(lists)
    assert all(weighted_reciprocal_rank_fusion(list(other)) == expected for other in itertools.permutations(lists))


def wide(width: int) -> MemoryCollection:
    """A seed with `width` neighbours, each with one of its own."""
    names = [f"n{i:05}" for i in range(width)]
    edges = [("seed", "m", name) for name in names]
    return MemoryCollection([], edges=edges + [(name, "m", f"far-{name}") for name in names])


@pytest.mark.parametrize("width,far", [(5000, True), (5001, False)])
def test_a_hop_over_five_thousand_is_the_last(width: int, far: bool) -> None:
    config = GraphExpand(depth=2, max_expand=20_000)
    added = dict(expand_by_decay([("seed", 1.0)], wide(width).neighbours, config))
    assert len([name for name in added if not name.startswith("far")]) == width
    assert any(name.startswith("far") for name in added) is far


def test_neighbours_that_are_not_admitted_take_no_place() -> None:
    admits = lambda name: name >= "n00030"  # noqa: E731
    added = expand_by_decay([("seed", 1.0)], wide(50).neighbours, GraphExpand(), admits=admits)
    assert [name for name, _ in added] == [f"n{i:05}" for i in range(30, 50)]


@given(st.integers(0, 400), st.integers(1, 60), st.integers(0, 2))
@settings(max_examples=25, deadline=None)
def test_a_filter_inside_a_lane_costs_no_recall(others: int, wanted: int, year: int) -> None:
    """However many better nodes the filter refuses, each that passes is found: the gate stands before the cap."""
    nodes = [CorpusNode(f"o{i:03}", "Other", None, None, {"year": year}) for i in range(others)]
    nodes += [CorpusNode(f"w{i:03}", "Doc", None, None, {"year": year}) for i in range(wanted)]
    vectors = {node.id: [1.0, 0.0] if node.ntype == "Other" else [0.0, 1.0] for node in nodes}
    corpus = MemoryCollection(nodes, vectors={"m": vectors})
    result = Retriever(corpus).vector("m", [1.0, 0.1]).label("Doc").where("year", year).execute()
    assert [item.node.id for item in result.items] == [f"w{i:03}" for i in range(wanted)]


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.floats(0, 1), st.lists(st.floats(-1, 1), min_size=2, max_size=2)), max_size=8
    )
)
def test_diversity_picks_each_piece_once_and_starts_with_the_most_relevant(given: list) -> None:
    pieces = [DiversityCandidate(*values) for values in given]
    picked = select_diverse(pieces, 99)
    assert sorted(text for text, _ in picked) == sorted(piece.text for piece in pieces)
    assert not picked or picked[0][1] == pytest.approx(max(piece.relevance for piece in pieces) / 2, abs=1e-9)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_written_plainly_and_reads_back(value: float) -> None:
    shown = render_node(CorpusNode("a", "D", None, None, {"x": value})).split("x: ")[1].strip()
    assert float(shown) == value
    assert "e" not in shown.lower() and not shown.endswith(".0")
