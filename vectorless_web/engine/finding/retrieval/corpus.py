"""What the Retriever reads from: nodes with properties, vectors and edges; compiled documents as one collection."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from itertools import islice
from types import MappingProxyType

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.finding.ranking.ranker import rank_all
from vectorless_web.engine.finding.retrieval.lanes import Identifier, Scored, SparseVector, VectorIndex, sort_scored
from vectorless_web.engine.index.scoring import find_best_rows
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import ANALYSER


class RetrievalEmpty(InvalidInput):
    """Raised by `Retriever.execute` when no label, property, lexical query, vector or list of nodes is given."""

    code = "retrieval_empty"

    def __init__(self) -> None:
        super().__init__("Nothing was asked for: give a label, a property, a text, a vector or nodes to retrieve.")


CREATED_AT, UPDATED_AT, TENANT = "mnem:created_at", "mnem:updated_at", "tenant"
"""Properties that filters read: times in microseconds since 1970, and whose node it is."""
Gate = Callable[[Identifier], bool]
"""Whether the node of an id may take part."""


@dataclass(frozen=True, slots=True)
class Link:
    """A property that points at another object by its id."""

    target: str


PropertyValue = (
    None | bool | int | float | str | bytes | Link | Sequence["PropertyValue"] | Mapping[str, "PropertyValue"]
)
NO_PROPERTIES: Mapping[str, PropertyValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CorpusNode:
    """One node as it is ranked, filtered and rendered: `ntype` is its label, `summary` its text, `context` the titles
    above it. None leaves the line out."""

    id: Identifier
    ntype: str
    summary: str | None = None
    context: str | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=lambda: NO_PROPERTIES)


class Direction(StrEnum):
    """Which way edges are followed."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


class NodeCollection:
    """A fixed set of nodes; every method is pure. What has an answer here need not be given.

    `version` changes whenever an answer of any method may change. `anchor` is the id of the system's own node, never
    returned unless asked for; "" when there is none. `vectors` are (id, vector) pairs by embedding model, ascending,
    `sparse` those of learned sparse vectors.
    """

    version: str
    anchor: Identifier = ""
    vectors: Mapping[str, Sequence[tuple[Identifier, Sequence[float]]]] = MappingProxyType({})
    sparse: Sequence[tuple[Identifier, SparseVector]] = ()

    def ids(self) -> Sequence[Identifier]:
        """All ids, ascending."""
        raise NotImplementedError

    def node(self, node_id: Identifier) -> CorpusNode | None:
        """The node, or None when the collection has no such id."""
        raise NotImplementedError

    def neighbours(self, node_id: Identifier, direction: Direction) -> Sequence[tuple[str, Identifier]]:
        """(edge type, other id) of the node's edges in one direction (not BOTH), in ascending order."""
        return ()

    def edges(self) -> Iterator[tuple[Identifier, Identifier, float]]:
        """(source, target, weight) of every edge."""
        return iter(())

    def label(self, node_id: Identifier) -> str:
        """The node's ntype; "" for an unknown id."""
        node = self.node(node_id)
        return node.ntype if node else ""

    def is_tombstoned(self, node_id: Identifier) -> bool:
        """Whether the node was deleted but is still stored."""
        return False

    def vector_index(self, model: str) -> VectorIndex | None:
        """The vectors of that embedding model, or None when it is unknown."""
        given = self.vectors.get(model)
        return VectorIndex.build(len(given[0][1]), given) if given else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[Identifier, SparseVector]]:
        """(id, vector) of every node that has one in that vocabulary."""
        return [(name, vector) for name, vector in self.sparse if vector.vocab_id == vocab_id]

    def lexical_vocabulary(self) -> str:
        """`bm25:<analyser>:<version>` of the lexical index, or "" when there is none."""
        return ""

    def lexical_search(self, plan: QueryPlan, *, limit: int, gate: Gate | None) -> list[Scored]:
        """The `limit` best nodes by the words of the plan that the gate lets pass."""
        return []


@dataclass(frozen=True, slots=True)
class TemporalFilter:
    """Bounds in integer microseconds since 1970 on the properties created_at and updated_at.

    `*_after` is inclusive, `*_before` exclusive, None is no bound. A stamp that is missing, not an integer or negative
    passes: age unknown is not age refused.
    """

    created_after: int | None = None
    created_before: int | None = None
    updated_after: int | None = None
    updated_before: int | None = None

    def matches(self, properties: Mapping[str, PropertyValue]) -> bool:
        """Whether a node with these properties lies within all bounds."""
        return _is_within(properties.get(CREATED_AT), self.created_after, self.created_before) and _is_within(
            properties.get(UPDATED_AT), self.updated_after, self.updated_before
        )


def _is_within(stamp: PropertyValue, after: int | None, before: int | None) -> bool:
    if type(stamp) is not int or stamp < 0:
        return True
    return (after is None or stamp >= after) and (before is None or stamp < before)


def property_equals(properties: Mapping[str, PropertyValue], name: str, value: PropertyValue) -> bool:
    """Whether the property is present and strictly equal: 5, 5.0 and "5" differ, true is not 1, lists keep order."""
    return name in properties and _is_same(properties[name], value)


def _is_same(a: PropertyValue, b: PropertyValue) -> bool:
    """Equality that is strict in type, also inside lists and maps."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_is_same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    return type(a) is type(b) and a == b


REFERS_TO, CONTAINS = "refers_to", "contains"


@dataclass(frozen=True, slots=True)
class NodeAddress:
    """A node among those of several documents: the number that its document has there, and its key.

    `str` writes it as "1:851". Addresses are ordered as they are written ("1:10" before
    "1:9"): equal scores are told apart by that order, and figures and stored runs rest on it.
    """

    space: int
    key: int

    def __str__(self) -> str:
        return f"{self.space}:{self.key}"

    def __lt__(self, other: "NodeAddress") -> bool:
        return str(self) < str(other)


def count_microseconds(day: str) -> int | None:
    """The beginning of an ISO day ("2024-03-31") in microseconds since 1970, in UTC; None for what is no whole day."""
    try:
        return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1_000_000
    except ValueError:
        return None


def stated_time(card: Card) -> int | None:
    """When a document says that it was made: the first date of its first pages, in microseconds since 1970."""
    return count_microseconds(card.fields.dates[0]) if card.fields.dates else None


class DocumentCollection(NodeCollection):
    """Nodes of compiled documents by their numbers, which `names` names. The caller brings vectors: `vectors` is
    model -> address -> vector, `sparse` has (address, vector) pairs.

    The lexical lane is the ranking of `finding.ranking` over all documents together. Sections refer to their children
    ("contains"), leaves to what they mention ("refers_to"). Running headers and the document node itself are never
    candidates of that lane.
    """

    def __init__(
        self,
        documents: Mapping[int, CompiledDocument],
        *,
        names: Mapping[int, str] | None = None,
        vectors: Mapping[str, Mapping[NodeAddress, Sequence[float]]] | None = None,
        sparse: Iterable[tuple[NodeAddress, SparseVector]] = (),
    ) -> None:
        self.documents = dict(sorted(documents.items(), key=lambda pair: str(pair[0])))
        self._names = dict(names or {})
        self.vectors = {model: sorted(given.items()) for model, given in sorted((vectors or {}).items())}
        self.sparse = tuple(sparse)
        known = [(str(space), one.sha256, self._names.get(space)) for space, one in self.documents.items()]
        digest = hashlib.sha256(repr((known, self.sparse)).encode())
        for model, given in self.vectors.items():
            digest.update(repr((model, [str(address) for address, _ in given])).encode())
            for _, values in given:
                digest.update(np.asarray(values, np.float64).tobytes())
        self.version = digest.hexdigest()

    @cached_property
    def _stated(self) -> dict[int, int | None]:
        return {space: stated_time(one.card) for space, one in self.documents.items()}

    def ids(self) -> Sequence[NodeAddress]:
        keys = ((space, one, key) for space, one in self.documents.items() for key in range(1, len(one.tree)))
        return sorted(NodeAddress(s, key) for s, one, key in keys if one.tree.kind(key) is not NodeKind.RUNNING)

    def _find(self, address: NodeAddress) -> CompiledDocument | None:
        """The document that holds the node."""
        document = self.documents.get(address.space)
        return document if document is not None and address.key in document.tree else None

    def node(self, node_id: NodeAddress) -> CorpusNode | None:
        """The node: its text as summary, document and path as context; None for an unknown one.

        Its property `label` is its own, else that of the nearest part around it that has one.
        """
        document = self._find(node_id)
        if document is None:
            return None
        node = document.tree.node(node_id.key)
        title = self._names.get(node_id.space) or document.title or str(node_id.space)
        properties: dict[str, PropertyValue] = {"page": node.page_start + 1}
        if label := node.label or _label_above(document, node_id.key):
            properties["label"] = label
        if (stated := self._stated[node_id.space]) is not None:
            properties[CREATED_AT] = stated
        context = " > ".join([title, *document.tree.path(node_id.key)])
        return CorpusNode(node_id, node.kind.value, node.text, context, properties)

    def label(self, node_id: NodeAddress) -> str:
        """The node's kind, without decoding it."""
        document = self._find(node_id)
        return document.tree.kind(node_id.key).value if document else ""

    def lexical_vocabulary(self) -> str:
        return f"bm25:{ANALYSER}:{self.version}"

    def lexical_search(self, plan: QueryPlan, *, limit: int, gate: Gate | None) -> list[Scored]:
        """The best nodes by their score in [0, 1], those of all documents ranked together."""
        ranked = rank_all(list(self.documents.values()), plan)
        found = [
            (NodeAddress(space, one.profile.keys[row]), float(one.rows[row]))
            for space, one in zip(self.documents, ranked, strict=True)
            for row in find_best_rows(one.rows, len(one.rows)).tolist()
        ]
        outside = (NodeKind.RUNNING.value, NodeKind.DOCUMENT.value)
        kept = (hit for hit in sort_scored(found) if self.label(hit[0]) not in outside)
        return list(islice((hit for hit in kept if gate is None or gate(hit[0])), max(limit, 0)))

    def neighbours(self, node_id: NodeAddress, direction: Direction) -> Sequence[tuple[str, NodeAddress]]:
        """(type, address) of children and mentioned nodes, or of parent and mentions, ascending."""
        document = self._find(node_id)
        if document is None:
            return ()
        if direction is Direction.INCOMING:
            return sorted(self._incoming.get(node_id, ()))
        return sorted(set(_list_outgoing(node_id.space, document, node_id.key)))

    def edges(self) -> Iterator[tuple[NodeAddress, NodeAddress, float]]:
        return ((source, target, 1.0) for source, _, target in self._list_edges())

    def _list_edges(self) -> Iterator[tuple[NodeAddress, str, NodeAddress]]:
        for space, document in self.documents.items():
            for key in range(1, len(document.tree)):
                for kind, target in _list_outgoing(space, document, key):
                    yield NodeAddress(space, key), kind, target

    @cached_property
    def _incoming(self) -> dict[NodeAddress, set[tuple[str, NodeAddress]]]:
        grouped: dict[NodeAddress, set[tuple[str, NodeAddress]]] = {}
        for source, kind, target in self._list_edges():
            grouped.setdefault(target, set()).add((kind, source))
        return grouped


def _label_above(document: CompiledDocument, key: int) -> str:
    around = (document.tree.node(one).label for one in reversed(document.tree.ancestors(key)))
    return next(filter(None, around), "")


def _list_outgoing(space: int, document: CompiledDocument, key: int) -> Iterator[tuple[str, NodeAddress]]:
    """(type, address) of what a node contains and mentions."""
    tree = document.tree
    for child in tree.children(key):
        if tree.kind(child) is not NodeKind.RUNNING:
            yield CONTAINS, NodeAddress(space, child)
    for reference in tree.references(key):
        yield REFERS_TO, NodeAddress(space, reference.target)
