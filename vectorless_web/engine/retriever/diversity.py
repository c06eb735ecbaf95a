"""Evidence diversity: relevant items that do not say the same thing twice."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.retriever.ranking import rounded
from vectorless_web.engine.retriever.similarity import unit_rows


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that may be picked: its relevance and its vector, of the same length in all pieces or empty for none."""

    text: str
    relevance: float
    vector: Sequence[float]


def select_diverse(pieces: Sequence[Piece], k: int, *, diversity: float = 0.5) -> list[tuple[str, float]]:
    """Pick up to k pieces by maximal marginal relevance: (text, effective score at the time of picking).

    effective = (1 - d) x relevance - d x greatest cosine to what is picked, that cosine
    clamped to [0, 1] and d to [0, 1]; ties go to the smaller text; d = 0 is plain
    relevance order. Source: Carbonell and Goldstein, SIGIR 1998.
    """
    left = sorted(pieces, key=lambda piece: piece.text)
    if not left or k <= 0:
        return []
    weight = min(max(diversity, 0.0), 1.0)
    units = _units([piece.vector for piece in left])
    redundancy = np.zeros(len(left))
    waiting = list(range(len(left)))
    picked: list[tuple[str, float]] = []
    while waiting and len(picked) < k:
        effective = {i: rounded((1 - weight) * left[i].relevance - weight * float(redundancy[i])) for i in waiting}
        best = max(waiting, key=lambda i: (effective[i], -i))
        waiting.remove(best)
        picked.append((left[best].text, effective[best]))
        redundancy = np.maximum(redundancy, np.clip(units @ units[best], 0.0, 1.0))
    return picked


def _units(vectors: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """One unit row a vector, (n, longest); a vector of another length is like nothing, so its row is zero."""
    width = max(map(len, vectors))
    rows = [vector if len(vector) == width else [0.0] * width for vector in vectors]
    return unit_rows(np.array(rows, np.float64).reshape(len(rows), width))
