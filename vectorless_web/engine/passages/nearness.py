"""Leaves that come near a text in meaning: their cosines by an embedding model, and what became of that lane."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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


class NearnessSearch:
    """Finds near leaves with one embedding model; `vectors_of` gives a document's vectors, or None.

    Each text is embedded once, and a call that failed is not made again.
    """

    def __init__(self, embedder: RecordedEmbedder, vectors_of: Callable[[str], NodeVectors | None]) -> None:
        self._embedder, self._vectors_of = embedder, vectors_of
        self._embedded: dict[str, tuple[Sequence[float], str]] = {}

    def find(self, text: str, documents: Sequence[str]) -> NearLeaves:
        """The leaves of these documents nearest to a text; where there are none, a `note` of the account says why."""
        held = {name: vectors for name in documents if (vectors := self._open_vectors(name)) is not None}
        told: dict[str, Any] = {"model": self._embedder.name}
        note = NO_VECTORS if len(held) < len(documents) else ""
        cosines: dict[str, dict[int, float]] = {}
        if held:
            asked, problem = self._embed(text)
            told["nodes"] = sum(len(vectors.keys) for vectors in held.values())
            fitting = {name: one for name, one in held.items() if not problem and one.dimensions == len(asked)}
            cosines = {name: _measure_near(vectors, asked) for name, vectors in fitting.items()}
            note = problem or (OTHER_LENGTH if len(fitting) < len(held) else note)
        return NearLeaves(cosines, told | ({"note": note} if note else {}))

    def _open_vectors(self, document: str) -> NodeVectors | None:
        """Vectors of that document by this model; those that cannot be read count as none."""
        try:
            vectors = self._vectors_of(document)
        except ArtefactDamaged:
            return None
        return vectors if vectors is not None and vectors.keys and vectors.model == self._embedder.name else None

    def _embed(self, text: str) -> tuple[Sequence[float], str]:
        if text not in self._embedded:
            try:
                embedded = self._embedder.embed([clip_to_tokens(text, MOST_TOKENS)])
                self._embedded[text] = (embedded.vectors[0].tolist(), "")
            except ModelError as error:
                self._embedded[text] = ((), f"The vector lane was left out. {error.message}")
        return self._embedded[text]


def _measure_near(vectors: NodeVectors, asked: Sequence[float]) -> dict[int, float]:
    """Cosines, above 0, of the leaves that stand out from the others of their document."""
    vector = np.array(asked, dtype=np.float64)
    cosines = vectors.rows @ (vector / (np.linalg.norm(vector) or 1.0))
    median = float(np.median(cosines))
    least = max(median + STANDING_OUT * (float(cosines.max()) - median), 0.0)
    near = zip(vectors.keys, cosines.tolist(), strict=True)
    return {key: round(value, 6) for key, value in near if value >= least and value > 0}
