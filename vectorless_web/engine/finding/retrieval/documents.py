"""Compiled documents as a corpus: node addresses, edges from references, communities from sections."""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.retrieval.corpus import (
    CorpusNode,
    Direction,
    Gate,
    PropertyValue,
    SparseVector,
    VectorIndex,
)
from vectorless_web.engine.finding.retrieval.fusion import Scored, rank_order, round_array
from vectorless_web.engine.index.segment import Segment, merged_statistics
from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.text.analyser import ANALYSER, analyse

REFERS_TO = "refers_to"
CONTAINS = "contains"
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


class DocumentCollection:
    """Nodes of compiled documents by their numbers, which `names` names; `vectors` is model -> address -> vector.

    Sections refer to their children ("contains"), leaves to what they mention
    ("refers_to"). Running headers and the document node itself are never candidates of a lane.
    """

    anchor = ""

    def __init__(
        self,
        documents: Mapping[int, CompiledDocument],
        *,
        names: Mapping[int, str] | None = None,
        vectors: Mapping[str, Mapping[NodeAddress, Sequence[float]]] | None = None,
        sparse: Iterable[tuple[NodeAddress, SparseVector]] = (),
    ) -> None:
        self._documents = dict(sorted(documents.items(), key=lambda pair: str(pair[0])))
        self._names = dict(names or {})
        self._vectors = vectors or {}
        self._sparse = tuple(sparse)
        self._segments = {name: Segment(document.segment) for name, document in self._documents.items()}
        state = [(str(name), document.sha256, self._names.get(name)) for name, document in self._documents.items()]
        self.version = hashlib.sha256(repr((state, _list_vectors(self._vectors), self._sparse)).encode()).hexdigest()

    def ids(self) -> Sequence[NodeAddress]:
        """Addresses of all nodes but document nodes and running headers, ascending."""
        return self._ids

    @cached_property
    def _ids(self) -> tuple[NodeAddress, ...]:
        return tuple(
            sorted(
                NodeAddress(name, key)
                for name, document in self._documents.items()
                for key in range(1, len(document.tree))
                if document.tree.kind(key) is not NodeKind.RUNNING
            )
        )

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
        context = " > ".join([title, *document.tree.path(node_id.key)])
        return CorpusNode(node_id, node.kind.value, node.text, context, properties)

    def label(self, node_id: NodeAddress) -> str:
        """The node's kind, without decoding it."""
        document = self._find(node_id)
        return document.tree.kind(node_id.key).value if document else ""

    def is_tombstoned(self, node_id: NodeAddress) -> bool:
        """A compiled document holds no deleted nodes."""
        return False

    def vector_index(self, model: str) -> VectorIndex | None:
        """The caller's vectors of that model."""
        vectors = sorted(self._vectors.get(model, {}).items())
        return VectorIndex.build(len(vectors[0][1]), vectors) if vectors else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[NodeAddress, SparseVector]]:
        """The caller's sparse vectors in that vocabulary; artefacts store none."""
        return [(name, vector) for name, vector in self._sparse if vector.vocab_id == vocab_id]

    def lexical_vocabulary(self) -> str:
        """`bm25:<analyser>:<version>`."""
        return f"bm25:{ANALYSER}:{self.version}"

    def lexical_search(
        self,
        text: str,
        terms: Sequence[WeightedTerm],
        *,
        weights: Mapping[str, float],
        limit: int,
        gate: Gate | None,
    ) -> list[Scored]:
        """BM25F with the statistics of all documents together, so that their scores compare."""
        wanted = [(term.term, term.weight) for term in terms] or [(term, 1.0) for term in analyse(text)]
        if not wanted or limit <= 0:
            return []
        ids, scores = self._score_nodes(wanted, weights)
        found: list[Scored] = []
        for place in rank_order(ids, scores):
            if len(found) == limit:
                break
            if self._is_candidate(ids[place]) and (gate is None or gate(ids[place])):
                found.append((ids[place], float(scores[place])))
        return found

    def _score_nodes(
        self, terms: Sequence[tuple[str, float]], weights: Mapping[str, float]
    ) -> tuple[list[NodeAddress], "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
        statistics = merged_statistics(list(self._segments.values()), [term for term, _ in terms])
        ids: list[NodeAddress] = []
        parts = [np.zeros(0)]
        for name, segment in self._segments.items():
            scores = segment.scores(terms, weights, statistics=statistics)
            positive = np.flatnonzero(scores > 0)
            ids.extend(NodeAddress(name, key) for key in segment.keys[positive].tolist())
            parts.append(scores[positive])
        return ids, round_array(np.concatenate(parts))

    def _is_candidate(self, address: NodeAddress) -> bool:
        return self.label(address) not in (NodeKind.RUNNING.value, NodeKind.DOCUMENT.value, "")

    def neighbours(self, node_id: NodeAddress, direction: Direction) -> Sequence[tuple[str, NodeAddress]]:
        """(type, address) of children and mentioned nodes, or of parent and mentions, ascending."""
        document = self._find(node_id)
        if document is None:
            return ()
        if direction is Direction.INCOMING:
            return self._incoming.get(node_id, ())
        return sorted(set(_list_outgoing(node_id.space, document, node_id.key)))

    def edges(self) -> Iterator[tuple[NodeAddress, NodeAddress, float]]:
        """All edges, each of weight 1."""
        for name, document in self._documents.items():
            for key in range(1, len(document.tree)):
                for _, target in _list_outgoing(name, document, key):
                    yield NodeAddress(name, key), target, 1.0

    @cached_property
    def _incoming(self) -> dict[NodeAddress, list[tuple[str, NodeAddress]]]:
        grouped: dict[NodeAddress, set[tuple[str, NodeAddress]]] = {}
        for name, document in self._documents.items():
            for key in range(1, len(document.tree)):
                for kind, target in _list_outgoing(name, document, key):
                    grouped.setdefault(target, set()).add((kind, NodeAddress(name, key)))
        return {target: sorted(pairs) for target, pairs in grouped.items()}


def _list_vectors(
    vectors: Mapping[str, Mapping[NodeAddress, Sequence[float]]],
) -> list[object]:
    """All vectors by model and address, in one order: other numbers are another corpus."""
    return [
        (model, [(str(name), list(map(float, values))) for name, values in sorted(of_model.items())])
        for model, of_model in sorted(vectors.items())
    ]


def _list_outgoing(space: int, document: CompiledDocument, key: int) -> Iterator[tuple[str, NodeAddress]]:
    """(type, address) of what a node contains and mentions."""
    tree = document.tree
    for child in tree.children(key):
        if tree.kind(child) is not NodeKind.RUNNING:
            yield CONTAINS, NodeAddress(space, child)
    for reference in tree.references(key):
        yield REFERS_TO, NodeAddress(space, reference.target)


class SectionCommunities:
    """Communities of a DocumentCorpus: the leaves of one section (a note, a statement) belong together.

    Of a section of more than `most` leaves each leaf has a community of its own: its
    neighbours within the section, the nearest first.
    """

    def __init__(self, documents: Mapping[int, CompiledDocument], *, most: int = WHOLE_SECTION) -> None:
        self._documents = documents
        self._most = most
        state = (most, sorted((str(name), document.sha256) for name, document in documents.items()))
        self.version = hashlib.sha256(repr(state).encode()).hexdigest()

    def community_of(self, node_id: NodeAddress) -> Hashable | None:
        """(document, section key, leaf key or -1 for all of the section); None for a node that stands in none."""
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
        name, section, centre = community
        leaves = self._documents[name].tree.leaves(section)
        if centre >= 0:
            leaves = sorted(leaves, key=lambda key: (abs(key - centre), key))[: self._most + 1]
        return [NodeAddress(name, key) for key in leaves]

    def is_empty(self) -> bool:
        """Whether no document has a section."""
        return not any(next(document.tree.sections(), None) for document in self._documents.values())
