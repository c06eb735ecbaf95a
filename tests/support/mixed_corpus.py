"""Fifty mixed queries over one corpus; run as a program it prints every result, byte for byte."""

import random
import sys

from tests.support.memory_collection import MappedCommunities, MemoryCollection
from vectorless_web.engine.finding.retrieval import (
    CommunityFilter,
    CorpusNode,
    FusionStrategy,
    GraphExpand,
    GraphExpandDirection,
    GraphExpandMode,
    JaccardReranker,
    Lane,
    Retriever,
    SparseVector,
    TemporalFilter,
)

WORDS = ("revenue", "income", "tax", "lease", "goodwill", "été", "資産", "note 7")


def corpus() -> MemoryCollection:
    """Forty nodes with vectors, sparse vectors, properties and edges, the same every time."""
    chance = random.Random(7)
    names = [f"n{i:02}" for i in range(40)]
    nodes, vectors, sparse = [], {}, []
    for name in names:
        properties = {"year": chance.randrange(2018, 2023), "tags": sorted(set(chance.choices(WORDS, k=2)))}
        kind, text = chance.choice(("Doc", "Note")), " ".join(chance.choices(WORDS, k=6))
        nodes.append(CorpusNode(name, kind, text, None, properties))
        vectors[name] = [chance.choice((0.0, 0.5, 1.0)) for _ in range(4)]
        pairs = [(chance.randrange(30), chance.random()) for _ in range(8)]
        sparse.append((name, SparseVector.from_unsorted(pairs, "v")))
    edges = {(chance.choice(names), chance.choice(("cites", "part_of")), chance.choice(names)) for _ in range(80)}
    return MemoryCollection(
        nodes, vectors={"m": vectors}, sparse=sparse, edges=edges, tombstoned={"n03", "n17"}, anchor="n00"
    )


def retriever(number: int, source: MemoryCollection) -> Retriever:
    """The query of that number, 0 to 49."""
    chance = random.Random(number)
    built = Retriever(source).vector("m", [chance.random() for _ in range(4)]).token_budget(chance.randrange(50, 400))
    built = built.text(" ".join(chance.choices(WORDS, k=3))).limit(chance.choice((None, 5, 20)))
    if number % 2:
        built = built.sparse(SparseVector.from_unsorted([(chance.randrange(30), 1.0) for _ in range(5)], "v"))
        built = built.weights({Lane.SPARSE: 0.5}).fusion(chance.choice(tuple(FusionStrategy)))
    if number % 3 == 0:
        mode = chance.choice(tuple(GraphExpandMode))
        built = built.graph_expand(GraphExpand(depth=2, mode=mode, direction=GraphExpandDirection.BOTH))
    if number % 5 == 0:
        members = {f"n{i:02}": i % 4 for i in range(40)}
        groups = {group: [name for name in members if members[name] == group] for group in range(4)}
        built = built.community(MappedCommunities(members, groups), CommunityFilter(enabled=True))
    if number % 7 == 0:
        built = built.rerank(JaccardReranker()).label("Doc")
    if number % 4 == 3:
        built = built.structure([(f"n{chance.randrange(45):02}", chance.random()) for _ in range(6)])
    if number % 13 == 0:
        built = built.min_confidence(0.3).temporal(TemporalFilter(created_after=1)).include_tombstoned()
    return built.where("year", 2020) if number % 11 == 0 else built


def all_results() -> bytes:
    """Every result of the fifty queries, one a line."""
    source = corpus()
    return b"\n".join(retriever(number, source).execute().canonical() for number in range(50))


if __name__ == "__main__":
    sys.stdout.buffer.write(all_results())
