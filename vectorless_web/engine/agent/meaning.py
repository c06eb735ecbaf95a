"""Search by meaning: a question's vector by the owner's embedding model, held against the stored vectors of leaves."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.documents.vectors import NodeVectors, clip_to_tokens
from vectorless_web.engine.errors import ArtefactDamaged, ModelError
from vectorless_web.engine.llm.embedding import RecordedEmbedder

NO_VECTORS = "A document has not been embedded, so it was searched by its words and structure alone."
OTHER_LENGTH = "The stored vectors are of another length than the question's, so the vector lane was left out."
STANDING_OUT = 0.5
"""How far from the median cosine of a document's leaves to the best one a leaf must lie to count as near. Taken over
from the second edition, where it was chosen on its questions."""
MOST_TOKENS = 2000
"""Estimated tokens of a question that are embedded; small servers take no more."""


@dataclass(frozen=True, slots=True)
class NearLeaves:
    """Cosines of the leaves that stand out, by document and key, and what a step tells of the lane (`account`)."""

    cosines: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    account: Mapping[str, Any] = field(default_factory=dict)

    def as_observation(self) -> dict[str, Any]:
        """The account under `vectors`; nothing where the run has no embedding model."""
        return {"vectors": dict(self.account)} if self.account else {}


class MeaningSearch:
    """Embeds what one run searches for, each text once. A call that failed is not made again in the run."""

    def __init__(self, embedder: RecordedEmbedder, corpus: Corpus) -> None:
        self.embedder, self._corpus = embedder, corpus
        self._known: dict[str, tuple[Sequence[float], str]] = {}
        self._lock = threading.Lock()

    def find_near(self, text: str, documents: Sequence[str]) -> NearLeaves:
        """The leaves of these documents nearest to a text; where there are none, a `note` says why."""
        held = {name: vectors for name in documents if (vectors := self._open(name)) is not None}
        told: dict[str, Any] = {"model": self.embedder.name}
        notes = [NO_VECTORS] if len(held) < len(documents) else []
        cosines: dict[str, dict[int, float]] = {}
        if held:
            with self._lock:
                asked, problem = self._embed(text)
            told["nodes"] = sum(len(vectors.keys) for vectors in held.values())
            fitting = {name: one for name, one in held.items() if not problem and one.dimensions == len(asked)}
            cosines = {name: measure_near(vectors, asked) for name, vectors in fitting.items()}
            notes = [problem] if problem else ([OTHER_LENGTH] if len(fitting) < len(held) else notes)
        return NearLeaves(cosines, told | ({"note": notes[0]} if notes else {}))

    def _open(self, document: str) -> NodeVectors | None:
        """Vectors of that document by this model; those that cannot be read count as none."""
        try:
            vectors = self._corpus.vectors(document)
        except ArtefactDamaged:
            return None
        return vectors if vectors is not None and vectors.keys and vectors.model == self.embedder.name else None

    def _embed(self, text: str) -> tuple[Sequence[float], str]:
        if text not in self._known:
            try:
                embedded = self.embedder.embed([clip_to_tokens(text, MOST_TOKENS)])
                self._known[text] = (embedded.vectors[0].tolist(), "")
            except ModelError as error:
                self._known[text] = ((), f"The vector lane was left out. {error.message}")
        return self._known[text]


def measure_near(vectors: NodeVectors, asked: Sequence[float]) -> dict[int, float]:
    """Cosines, above 0, of the leaves that stand out from the others of their document."""
    vector = np.array(asked, dtype=np.float64)
    cosines = vectors.rows @ (vector / (np.linalg.norm(vector) or 1.0))
    median = float(np.median(cosines))
    least = max(median + STANDING_OUT * (float(cosines.max()) - median), 0.0)
    near = zip(vectors.keys, cosines.tolist(), strict=True)
    return {key: round(value, 6) for key, value in near if value >= least and value > 0}
