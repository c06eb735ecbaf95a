"""The vector lane of a run: the question embedded once, compared with the stored vectors of each document walked."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import StepResult
from vectorless_web.engine.documents.vectors import NodeVectors, clip_to_tokens
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.engine.llm.embedding import Embedder
from vectorless_web.engine.retrieval import Lane, Retriever

NO_VECTORS = "This document has not been embedded, so it was searched by its words and structure alone."
OTHER_LENGTH = "The stored vectors are of another length than the question's, so the vector lane was left out."


STANDING_OUT = 0.5
"""How far from the median cosine of a document's leaves to the best one a leaf must lie to count as found."""

WEIGHT = 2.0
"""The lexical and the structure lane both follow words: the vector lane counts as much as the two together."""


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """A text's vector, or why there is none (`problem`)."""

    values: tuple[float, ...] = ()
    problem: str = ""


class SearchEmbedder:
    """Embeds what one run searches for, each text once, whatever walks ask at the same time.

    A failed call is not repeated within the run: its sentence stands in every step that
    would have used it, and the run goes on with the other lanes.
    """

    def __init__(self, embedder: Embedder, *, max_tokens: int = 2000) -> None:
        self.model, self.max_tokens = embedder.name, max_tokens
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: dict[str, EmbeddedText] = {}

    def of(self, text: str) -> EmbeddedText:
        """The vector of a text. What the call costs is told by its record, which knows the step that made it."""
        with self._lock:
            if text not in self._known:
                self._known[text] = self._embed_text(text)
            return self._known[text]

    def _embed_text(self, text: str) -> EmbeddedText:
        try:
            embedded = self._embedder.embed([clip_to_tokens(text, self.max_tokens)])
        except ModelError as error:
            return EmbeddedText(problem=f"The vector lane was left out. {error.message}")
        return EmbeddedText(tuple(embedded.vectors[0].tolist()))


@dataclass(frozen=True, slots=True)
class VectorLane:
    """The lane of one walk: the run's `search_embedder` and the document's vectors, None when it has none."""

    search_embedder: SearchEmbedder
    vectors: NodeVectors | None


@dataclass(frozen=True, slots=True)
class LaneQuery:
    """What the vector lane adds to one search: the query's vector when it can be used, and what to tell of it."""

    model: str = ""
    values: tuple[float, ...] = ()
    observation: Mapping[str, Any] = field(default_factory=dict)

    def on(self, builder: Retriever) -> Retriever:
        """The builder with the lane; unchanged when there is nothing to compare with."""
        if not self.values:
            return builder
        return builder.vector(self.model, self.values, share=STANDING_OUT).weights({Lane.VECTOR: WEIGHT})

    def add_account(self, result: StepResult) -> StepResult:
        """The step's result with the lane's account under `vectors`."""
        if not self.observation:
            return result
        return replace(result, observation={**result.observation, "vectors": dict(self.observation)})


def lane_query(lane: VectorLane | None, text: str) -> LaneQuery:
    """The query's vector for a walk's lane; without a usable one the account's `note` says why."""
    if lane is None:
        return LaneQuery()
    model, vectors = lane.search_embedder.model, lane.vectors
    if vectors is None or not vectors.keys:
        return LaneQuery(observation={"model": model, "note": NO_VECTORS})
    told = {"model": model, "nodes": len(vectors.keys), "dimensions": vectors.dimensions}
    embedded = lane.search_embedder.of(text)
    problem = embedded.problem or (OTHER_LENGTH if len(embedded.values) != vectors.dimensions else "")
    if problem:
        return LaneQuery(observation={**told, "note": problem})
    return LaneQuery(model, embedded.values, told)


def lane_for(search_embedder: SearchEmbedder | None, corpus: Corpus, document: str) -> VectorLane | None:
    """The vector lane of a document; None when the run has no embedding model.

    Vectors that cannot be read, or that another model made, count as none.
    """
    if search_embedder is None:
        return None
    try:
        vectors = corpus.vectors(document)
    except ArtefactDamaged:
        vectors = None
    usable = vectors is not None and vectors.model == search_embedder.model
    return VectorLane(search_embedder, vectors if usable else None)
