"""Compiled documents as a corpus: ids `document:key`, edges from references, communities from sections."""

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.index.segment import Segment, merged_statistics
from vectorless_web.engine.questions.plan import WeightedTerm
from vectorless_web.engine.retrieval.corpus import CorpusNode, Direction, Gate, PropertyValue, SparseVector, VectorIndex
from vectorless_web.engine.retrieval.fusion import Scored, rank_order, rounded_array
from vectorless_web.engine.text.analyser import ANALYSER, analyse

REFERS_TO = "refers_to"
CONTAINS = "contains"
WHOLE_SECTION = 24
"""Leaves up to which a section is one community."""


def node_id(document: str, key: int) -> str:
    """The id of a node of a document."""
    return f"{document}:{key}"


def parse_node_id(identifier: str) -> tuple[str, int] | None:
    """(document, key), or None when it is no such id."""
    document, colon, key = identifier.rpartition(":")
    return (document, int(key)) if colon and key.isascii() and key.isdecimal() else None


class DocumentCorpus:
    """Nodes of compiled documents by document id; `names` are shown for ids, `vectors` is model -> node id -> vector.

    Sections refer to their children ("contains"), leaves to what they mention
    ("refers_to"). Running headers and the document node itself are never candidates of a lane.
    """

    anchor = ""

    def __init__(
        self,
        documents: Mapping[str, CompiledDocument],
        *,
        names: Mapping[str, str] | None = None,
        vectors: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    ) -> None:
        self._documents = dict(sorted(documents.items()))
        self._names = dict(names or {})
        self._vectors = vectors or {}
        self._segments = {name: Segment(document.segment) for name, document in self._documents.items()}
        state = [(name, document.sha256, self._names.get(name)) for name, document in self._documents.items()]
        self.version = hashlib.sha256(repr((state, _stated(self._vectors))).encode()).hexdigest()

    def ids(self) -> Sequence[str]:
        """Ids of all nodes but document nodes and running headers, ascending."""
        return self._ids

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(
            sorted(
                node_id(name, key)
                for name, document in self._documents.items()
                for key in range(1, len(document.tree))
                if document.tree.kind(key) is not NodeKind.RUNNING
            )
        )

    def _find(self, identifier: str) -> tuple[str, CompiledDocument, int] | None:
        parsed = parse_node_id(identifier)
        document = self._documents.get(parsed[0]) if parsed else None
        if parsed is None or document is None or parsed[1] not in document.tree:
            return None
        return parsed[0], document, parsed[1]

    def node(self, node_id: str) -> CorpusNode | None:
        """The node: its text as summary, document and path as context; None for an unknown id."""
        found = self._find(node_id)
        if found is None:
            return None
        name, document, key = found
        node = document.tree.node(key)
        title = self._names.get(name) or document.title or name
        properties: dict[str, PropertyValue] = {"page": node.page_start + 1}
        if node.label:
            properties["label"] = node.label
        context = " > ".join([title, *document.tree.path(key)])
        return CorpusNode(node_id, node.kind.value, node.text, context, properties)

    def label(self, node_id: str) -> str:
        """The node's kind, without decoding it."""
        found = self._find(node_id)
        return found[1].tree.kind(found[2]).value if found else ""

    def is_tombstoned(self, node_id: str) -> bool:
        """A compiled document holds no deleted nodes."""
        return False

    def vector_index(self, model: str) -> VectorIndex | None:
        """The caller's vectors of that model."""
        vectors = sorted(self._vectors.get(model, {}).items())
        return VectorIndex.build(len(vectors[0][1]), vectors) if vectors else None

    def sparse_vectors(self, vocab_id: str) -> Iterable[tuple[str, SparseVector]]:
        """None are stored in artefacts."""
        return ()

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
        ids, scores = self._scored(wanted, weights)
        found: list[Scored] = []
        for place in rank_order(ids, scores):
            if len(found) == limit:
                break
            if self._is_candidate(ids[place]) and (gate is None or gate(ids[place])):
                found.append((ids[place], float(scores[place])))
        return found

    def _scored(
        self, terms: Sequence[tuple[str, float]], weights: Mapping[str, float]
    ) -> tuple[list[str], "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
        statistics = merged_statistics(list(self._segments.values()), [term for term, _ in terms])
        ids: list[str] = []
        parts = [np.zeros(0)]
        for name, segment in self._segments.items():
            scores = segment.scores(terms, weights, statistics=statistics)
            positive = np.flatnonzero(scores > 0)
            ids.extend(node_id(name, key) for key in segment.keys[positive].tolist())
            parts.append(scores[positive])
        return ids, rounded_array(np.concatenate(parts))

    def _is_candidate(self, identifier: str) -> bool:
        return self.label(identifier) not in (NodeKind.RUNNING.value, NodeKind.DOCUMENT.value, "")

    def neighbours(self, node_id: str, direction: Direction) -> Sequence[tuple[str, str]]:
        """(type, id) of children and mentioned nodes, or of parent and mentions, ascending."""
        found = self._find(node_id)
        if found is None:
            return ()
        if direction is Direction.INCOMING:
            return self._incoming.get(node_id, ())
        return sorted(set(_outgoing(*found)))

    def edges(self) -> Iterator[tuple[str, str, float]]:
        """All edges, each of weight 1."""
        for name, document in self._documents.items():
            for key in range(1, len(document.tree)):
                for _, target in _outgoing(name, document, key):
                    yield node_id(name, key), target, 1.0

    @cached_property
    def _incoming(self) -> dict[str, list[tuple[str, str]]]:
        grouped: dict[str, set[tuple[str, str]]] = {}
        for name, document in self._documents.items():
            for key in range(1, len(document.tree)):
                for kind, target in _outgoing(name, document, key):
                    grouped.setdefault(target, set()).add((kind, node_id(name, key)))
        return {target: sorted(pairs) for target, pairs in grouped.items()}


def _stated(vectors: Mapping[str, Mapping[str, Sequence[float]]]) -> list[tuple[str, list[tuple[str, list[float]]]]]:
    """All vectors by model and id, in one order: other numbers are another corpus."""
    return [
        (model, [(name, list(map(float, values))) for name, values in sorted(of_model.items())])
        for model, of_model in sorted(vectors.items())
    ]


def _outgoing(name: str, document: CompiledDocument, key: int) -> Iterator[tuple[str, str]]:
    """(type, id) of what a node contains and mentions."""
    tree = document.tree
    for child in tree.children(key):
        if tree.kind(child) is not NodeKind.RUNNING:
            yield CONTAINS, node_id(name, child)
    for reference in tree.references(key):
        yield REFERS_TO, node_id(name, reference.target)


class SectionCommunities:
    """Communities of a DocumentCorpus: the leaves of one section (a note, a statement) belong together.

    Of a section of more than `most` leaves each leaf has a community of its own: its
    neighbours within the section, the nearest first.
    """

    def __init__(self, documents: Mapping[str, CompiledDocument], *, most: int = WHOLE_SECTION) -> None:
        self._documents = documents
        self._most = most
        state = (most, sorted((name, document.sha256) for name, document in documents.items()))
        self.version = hashlib.sha256(repr(state).encode()).hexdigest()

    def community_of(self, node_id: str) -> Hashable | None:
        """(document, section key, leaf key or -1 for all of the section); None for a node that stands in none."""
        parsed = parse_node_id(node_id)
        document = self._documents.get(parsed[0]) if parsed else None
        if parsed is None or document is None or parsed[1] not in document.tree:
            return None
        section = document.tree.section_of(parsed[1])
        if section <= 0:
            return None
        is_large = section != parsed[1] and len(document.tree.leaves(section)) > self._most
        return parsed[0], section, parsed[1] if is_large else -1

    def members_of(self, community: Hashable) -> Sequence[str]:
        """Leaves of the section in reading order, or from a leaf outwards; empty for what is no community."""
        if not isinstance(community, tuple):
            return ()
        name, section, centre = community
        leaves = self._documents[name].tree.leaves(section)
        if centre >= 0:
            leaves = sorted(leaves, key=lambda key: (abs(key - centre), key))[: self._most + 1]
        return [node_id(name, key) for key in leaves]

    def is_empty(self) -> bool:
        """Whether no document has a section."""
        return not any(next(document.tree.sections(), None) for document in self._documents.values())
