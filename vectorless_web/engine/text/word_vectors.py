"""How near texts are in meaning, by the vectors of their words.

The vectors are those of English stems, distilled from a sentence encoder by `tools/word_vectors.py`, which says
from what and under which licence. A word without a vector says nothing, so that texts of other languages are near none.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

TABLE = Path(__file__).with_name("word_vectors.npy")
"""Whole numbers of 8 bits, shape (words, dimensions), read from the disk where needed. Longer vectors count more."""
WORDS = TABLE.with_suffix(".txt")
"""The stems of the table's rows as `analyse` gives them, one a line."""
Vectors = npt.NDArray[np.float32]


@cache
def _open_table() -> tuple[npt.NDArray[np.int8], dict[str, int]]:
    stems = WORDS.read_text(encoding="utf-8").split()
    return np.load(TABLE, mmap_mode="r"), {stem: row for row, stem in enumerate(stems)}


def embed_terms(texts: Iterable[Sequence[str]]) -> Vectors:
    """For each text, given as its index terms, a vector of length 1, or 0 where none of its terms has a vector.

    Shape (texts, dimensions); the product of two vectors is the cosine between them.
    """
    table, places = _open_table()
    known = [[place for term in terms if (place := places.get(term)) is not None] for terms in texts]
    sums = np.zeros((len(known), table.shape[1]), dtype=np.float32)
    for row, rows in zip(sums, known, strict=True):
        np.add.reduce(table[rows], axis=0, dtype=np.float32, out=row)
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1.0)
    return sums


def measure_nearness(vectors: Vectors, asked: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """How near each text is to a question in meaning, from 0 to 1: the cosine, by the share of the question known.

    `asked` are the question's terms with their shares of it, which sum to 1. A term counts by its share and as one of
    their number: rarity alone forgets what kind of thing is asked for, number alone what it is about. Measured on 88
    everyday questions, fitted on other sets, the gold sentence lit first: by number .38, by share .39, by both .41.
    """
    table, places = _open_table()
    weights = {term: share + 1 / len(asked) for term, share in asked.items() if term in places}
    if not weights:
        return np.zeros(len(vectors))
    query = np.array(list(weights.values())) @ table[[places[term] for term in weights]]
    cosines = vectors @ (query / (np.linalg.norm(query) or 1.0))
    near: npt.NDArray[np.float64] = cosines.clip(min=0.0) * sum(asked[term] for term in weights)
    return near
