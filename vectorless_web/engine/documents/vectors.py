"""Vectors of a document's leaves: which text of a leaf is embedded, and the immutable file that holds the vectors.

It is a container of the keys (int32) and the rows (float32, each of Euclidean length 1 or zero). Keys stand in
ascending order of their decimal text, which is the order of node ids, so
that the mapped rows need no copy. Equal vectors give equal bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.container import Container, map_file, write_container
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.llm.model import HeuristicEstimator, TokenEstimator

_MAGIC = b"VLWEBVE2"
_ALIGN = 64
"""Bytes to which the rows are aligned: a cache line, so that mapped rows are read in place."""
_BLOCK = 1024
"""Rows scaled and written at a time; bounds memory, and the bytes do not depend on it."""
_ESTIMATOR = HeuristicEstimator()


@dataclass(frozen=True, slots=True)
class LeafText:
    """What is embedded of one leaf."""

    key: int
    text: str


def leaf_texts(document: CompiledDocument, *, max_tokens: int | None = None) -> Iterator[LeafText]:
    """The titles above each leaf and its text, in reading order, clipped to `max_tokens` estimated tokens if given.

    Running headers and leaves without a word are left out.
    """
    tree = document.tree
    for key in tree.leaves():
        text = tree.node(key).text.strip()
        if text:
            path = " > ".join(tree.path(key))
            whole = f"{path}\n{text}" if path else text
            yield LeafText(key, whole if max_tokens is None else clip_to_tokens(whole, max_tokens))


def clip_to_tokens(text: str, max_tokens: int, estimator: TokenEstimator = _ESTIMATOR) -> str:
    """The longest beginning of `text` that is estimated at no more than `max_tokens`."""
    if estimator.estimate(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimator.estimate(text[:middle]) <= max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low]


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """Vectors of one document by one embedding model: `keys` (n,), `rows` (n, dimensions), mapped and read-only.

    Keys stand in ascending order of their decimal text. `digest` is the same for the same
    vectors, and `artefact` the SHA-256 of the compiled document whose keys these are.
    """

    model: str
    artefact: str
    dimensions: int
    keys: tuple[int, ...]
    rows: NDArray[np.float32]
    digest: str


def write_vectors(
    keys: Sequence[int], rows: NDArray[np.float32] | NDArray[np.float64], *, model: str, artefact: str
) -> bytes:
    """The bytes of a vector file: `rows` (len(keys), dimensions), scaled to length 1. ValueError for other shapes."""
    if rows.ndim != 2 or len(rows) != len(keys):
        raise ValueError(f"{len(keys)} keys but rows of shape {rows.shape}")
    order = sorted(range(len(keys)), key=lambda place: str(keys[place]))
    blocks = [order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK)]
    body = b"".join(_unit(rows[block]).astype("<f4").tobytes() for block in blocks)
    named = np.array([keys[place] for place in order], dtype="<i4").tobytes()
    facts = {"model": model, "artefact": artefact, "count": len(keys), "dimensions": int(rows.shape[1])}
    return write_container(_MAGIC, facts, {"keys": named, "rows": body}, align=_ALIGN)


def open_vectors(path: Path) -> NodeVectors:
    """Map a vector file. ArtefactDamaged if it is truncated, altered or none."""
    buffer = map_file(path, _make_damage_error)
    file = Container.open(buffer, magic=_MAGIC, damage=_make_damage_error)
    count, dimensions = file.facts["count"], file.facts["dimensions"]
    rows: NDArray[np.float32] = file.array("rows", "<f4").reshape(count, dimensions)
    keys = tuple(file.array("keys", "<i4").tolist())
    return NodeVectors(file.facts["model"], file.facts["artefact"], dimensions, keys, rows, file.digest)


def _unit(rows: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of Euclidean length 1; a zero row stays zero."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    return wide / np.where(lengths > 0, lengths, 1.0)


def _make_damage_error(reason: str) -> ArtefactDamaged:
    return ArtefactDamaged(f"The vector file cannot be read: {reason}. Embed the document again.")
