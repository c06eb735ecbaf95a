"""One document as a corpus for the Retriever, its lexical lane ranked by the evidence for the question."""

import hashlib
from collections.abc import Mapping, Sequence

from vectorless_web.engine.document.vectors import NodeVectors
from vectorless_web.engine.query.plan import WeightedTerm
from vectorless_web.engine.reasoner.corpus import DocumentEntry
from vectorless_web.engine.reasoner.finder import Finder
from vectorless_web.engine.retriever import DocumentCorpus, node_id, parse_node_id
from vectorless_web.engine.retriever.ranking import Scored, ranked
from vectorless_web.engine.retriever.similarity import Gate, VectorIndex


class EvidenceCorpus(DocumentCorpus):
    """A DocumentCorpus that answers the walk's own question with its evidence ranking, any other text by its words.

    `space` names the document in node ids. `vectors` are the document's own, for the vector lane; without them
    there is none.
    """

    def __init__(self, entry: DocumentEntry, finder: Finder, *, space: str, vectors: NodeVectors | None = None) -> None:
        super().__init__({space: finder.document}, names={space: entry.title or entry.name})
        self._space, self._finder, self._node_vectors = space, finder, vectors
        if vectors is not None:
            self.version = hashlib.sha256(f"{self.version} {vectors.digest}".encode()).hexdigest()

    def vector_index(self, model: str) -> VectorIndex | None:
        """The document's vectors when that model made them, mapped as they are stored."""
        vectors = self._node_vectors
        if vectors is None or vectors.model != model:
            return None
        ids = tuple(node_id(self._space, key) for key in vectors.keys)
        return VectorIndex(vectors.dimensions, ids, vectors.rows)

    def lexical_search(
        self,
        text: str,
        terms: Sequence[WeightedTerm],
        *,
        weights: Mapping[str, float],
        limit: int,
        gate: Gate | None,
    ) -> list[Scored]:
        """Ranked leaves of the question; scores are shares of the attainable weight."""
        if tuple(terms) != self._finder.plan.terms:
            return super().lexical_search(text, terms, weights=weights, limit=limit, gate=gate)
        if gate is None:
            return [(node_id(self._space, c.key), c.score) for c in self._finder.ranked][:limit]
        # The shortlist is cut, and a filter must stand before every cut.
        fits = self._finder.fits(self._finder.document.tree.leaves())
        found = [(node_id(self._space, key), score) for key, score in fits.items() if score > 0]
        return ranked(scored for scored in found if gate(scored[0]))[:limit]


class CoverageReranker:
    """Orders nodes of one document by the share of the question that they say, the titles above them included.

    Fusion by rank forgets how well a node fits; this measure, which also decides what an
    answer may quote, brings it back.
    """

    name = "coverage"

    def __init__(self, finder: Finder) -> None:
        self._finder = finder

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The share in [0, 1] for each rendered node; `query` is the question that the finder is for."""
        return [round(self._finder.node_coverage(_key_of(text)), 9) for text in texts]


def _key_of(rendered: str) -> int:
    """The key in the second line of a rendered node, which no content can forge."""
    parsed = parse_node_id(rendered.split("\n", 2)[1].removeprefix("id: "))
    return parsed[1] if parsed else 0
