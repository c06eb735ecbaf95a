"""Compiled documents as a collection of nodes: the ranking as lexical lane, links, and sections as communities."""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.ranking.ranker import rank_all
from vectorless_web.engine.finding.retrieval.corpus import (
    CREATED_AT,
    CorpusNode,
    Direction,
    Gate,
    NodeCollection,
    PropertyValue,
)
from vectorless_web.engine.finding.retrieval.expansion import CommunityLookup
from vectorless_web.engine.finding.retrieval.fusion import Scored, sort_scored
from vectorless_web.engine.finding.retrieval.vectors import SparseVector, VectorIndex
from vectorless_web.engine.index.scoring import find_best_rows
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import ANALYSER

REFERS_TO, CONTAINS = "refers_to", "contains"
WHOLE_SECTION = 24
"""Leaves up to which a whole section is one community; in a larger one each leaf has its nearest neighbours instead.
Chosen by hand: a note or a statement has fewer, a chapter without headings of its own has more."""


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
        lexicon: Lexicon | None = None,
    ) -> None:
        self._documents = dict(sorted(documents.items(), key=lambda pair: str(pair[0])))
        self._names, self._lexicon = dict(names or {}), lexicon
        self._vectors = {model: sorted(given.items()) for model, given in sorted((vectors or {}).items())}
        self._sparse = tuple(sparse)
        known = [(str(space), one.sha256, self._names.get(space)) for space, one in self._documents.items()]
        digest = hashlib.sha256(repr((known, self._sparse)).encode())
        for model, given in self._vectors.items():
            digest.update(repr((model, [str(address) for address, _ in given])).encode())
            for _, values in given:
                digest.update(np.asarray(values, np.float64).tobytes())
        self.version = digest.hexdigest()

    def ids(self) -> Sequence[NodeAddress]:
        return self._ids

    @cached_property
    def _ids(self) -> tuple[NodeAddress, ...]:
        keys = ((space, one, key) for space, one in self._documents.items() for key in range(1, len(one.tree)))
        return tuple(sorted(NodeAddress(s, key) for s, one, key in keys if one.tree.kind(key) is not NodeKind.RUNNING))

    def _find(self, address: NodeAddress) -> CompiledDocument | None:
        """The document that holds the node."""
        document = self._documents.get(address.space)
        return document if document is not None and address.key in document.tree else None

    def node(self, node_id: NodeAddress) -> CorpusNode | None:
        """The node: its text as summary, document and path as context; None for an unknown one."""
        document = self._find(node_id)
        if document is None:
            return None
        node = document.tree.node(node_id.key)
        title = self._names.get(node_id.space) or document.title or str(node_id.space)
        properties: dict[str, PropertyValue] = {"page": node.page_start + 1}
        if node.label:
            properties["label"] = node.label
        if (stated := stated_time(document.card)) is not None:
            properties[CREATED_AT] = stated
        context = " > ".join([title, *document.tree.path(node_id.key)])
        return CorpusNode(node_id, node.kind.value, node.text, context, properties)

    def label(self, node_id: NodeAddress) -> str:
        """The node's kind, without decoding it."""
        document = self._find(node_id)
        return document.tree.kind(node_id.key).value if document else ""

    def vector_index(self, model: str) -> VectorIndex | None:
        given = self._vectors.get(model)
        return VectorIndex.build(len(given[0][1]), given) if given else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[NodeAddress, SparseVector]]:
        return [(address, vector) for address, vector in self._sparse if vector.vocab_id == vocab_id]

    def lexical_vocabulary(self) -> str:
        return f"bm25:{ANALYSER}:{self.version}"

    def lexical_search(self, plan: QueryPlan, *, limit: int, gate: Gate | None) -> list[Scored]:
        """The best nodes by their score in [0, 1], those of all documents ranked together."""
        ranked = rank_all(list(self._documents.values()), plan, lexicon=self._lexicon)
        found = [
            (NodeAddress(space, one.profile.keys[row]), float(one.rows[row]))
            for space, one in zip(self._documents, ranked, strict=True)
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
        for space, document in self._documents.items():
            for key in range(1, len(document.tree)):
                for kind, target in _list_outgoing(space, document, key):
                    yield NodeAddress(space, key), kind, target

    @cached_property
    def _incoming(self) -> dict[NodeAddress, set[tuple[str, NodeAddress]]]:
        grouped: dict[NodeAddress, set[tuple[str, NodeAddress]]] = {}
        for source, kind, target in self._list_edges():
            grouped.setdefault(target, set()).add((kind, source))
        return grouped


def _list_outgoing(space: int, document: CompiledDocument, key: int) -> Iterator[tuple[str, NodeAddress]]:
    """(type, address) of what a node contains and mentions."""
    tree = document.tree
    for child in tree.children(key):
        if tree.kind(child) is not NodeKind.RUNNING:
            yield CONTAINS, NodeAddress(space, child)
    for reference in tree.references(key):
        yield REFERS_TO, NodeAddress(space, reference.target)


class SectionCommunities(CommunityLookup):
    """Communities of a DocumentCollection: the leaves of one section (a note, a statement) belong together.

    Of a section of more than `most` leaves each leaf has a community of its own: its
    neighbours within the section, the nearest first.
    """

    def __init__(self, documents: Mapping[int, CompiledDocument], *, most: int = WHOLE_SECTION) -> None:
        self._documents, self._most = documents, most
        state = (most, sorted((str(space), document.sha256) for space, document in documents.items()))
        self.version = hashlib.sha256(repr(state).encode()).hexdigest()

    def community_of(self, node_id: NodeAddress) -> Hashable | None:
        """(document, section key, leaf key or -1 for all of the section); None for a node outside all sections."""
        document = self._documents.get(node_id.space)
        if document is None or node_id.key not in document.tree:
            return None
        section = document.tree.section_of(node_id.key)
        if section <= 0:
            return None
        is_large = section != node_id.key and len(document.tree.leaves(section)) > self._most
        return node_id.space, section, node_id.key if is_large else -1

    def members_of(self, community: Hashable) -> Sequence[NodeAddress]:
        """Leaves of the section in reading order, or from a leaf outwards; empty for what is no community."""
        if not isinstance(community, tuple):
            return ()
        space, section, centre = community
        leaves = self._documents[space].tree.leaves(section)
        if centre >= 0:
            leaves = sorted(leaves, key=lambda key: (abs(key - centre), key))[: self._most + 1]
        return [NodeAddress(space, key) for key in leaves]

    def is_empty(self) -> bool:
        return not any(next(document.tree.sections(), None) for document in self._documents.values())
