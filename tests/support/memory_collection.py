"""A collection of nodes and their communities given as plain data, for tests of the Retriever."""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from vectorless_web.engine.finding.retrieval.corpus import CorpusNode, Direction, NodeCollection
from vectorless_web.engine.finding.retrieval.expansion import CommunityLookup
from vectorless_web.engine.finding.retrieval.lanes import Identifier, SparseVector


class MemoryCollection(NodeCollection):
    """A collection of plain data: `edges` are (source, type, target) triples, `vectors` and `sparse` as in
    `DocumentCollection`. It has no lexical index."""

    def __init__(
        self,
        nodes: Iterable[CorpusNode],
        *,
        vectors: Mapping[str, Mapping[Identifier, Sequence[float]]] = MappingProxyType({}),
        sparse: Iterable[tuple[Identifier, SparseVector]] = (),
        edges: Iterable[tuple[str, str, str]] = (),
        tombstoned: Iterable[str] = (),
        anchor: str = "",
    ) -> None:
        self._nodes = {node.id: node for node in sorted(nodes, key=lambda node: str(node.id))}
        self.vectors = {model: sorted(given.items()) for model, given in sorted(vectors.items())}
        self.sparse = tuple(sparse)
        self._edges = tuple(sorted(edges))
        self._tombstoned = frozenset(tombstoned)
        self._around: dict[tuple[Direction, Identifier], list[tuple[str, Identifier]]] = {}
        for source, edge_type, target in self._edges:
            self._around.setdefault((Direction.OUTGOING, source), []).append((edge_type, target))
            self._around.setdefault((Direction.INCOMING, target), []).append((edge_type, source))
        self.anchor = anchor
        held = (list(self._nodes.values()), self.vectors, self.sparse, self._edges, sorted(self._tombstoned), anchor)
        self.version = hashlib.sha256(repr(held).encode("utf-8", "backslashreplace")).hexdigest()

    def ids(self) -> Sequence[str]:
        return tuple(self._nodes)

    def node(self, node_id: Identifier) -> CorpusNode | None:
        return self._nodes.get(node_id)

    def is_tombstoned(self, node_id: Identifier) -> bool:
        return node_id in self._tombstoned

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        return sorted(self._around.get((direction, node_id), ()))

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
        return ((source, target, 1.0) for source, _, target in self._edges)


class MappedCommunities(CommunityLookup):
    """A lookup over two mappings."""

    def __init__(
        self, community_of: Mapping[Identifier, Hashable], members_of: Mapping[Hashable, Sequence[Identifier]]
    ) -> None:
        self._community_of, self._members_of = community_of, members_of
        state = repr((sorted((k, repr(v)) for k, v in community_of.items()), sorted(map(repr, members_of.items()))))
        self.version = hashlib.sha256(state.encode("utf-8", "backslashreplace")).hexdigest()

    def community_of(self, node_id: Identifier) -> Hashable | None:
        return self._community_of.get(node_id)

    def members_of(self, community: Hashable) -> Sequence[Identifier]:
        return self._members_of.get(community, ())

    def is_empty(self) -> bool:
        return not any(self._members_of.values())
