"""Vectors of a document's leaves: which text of a leaf is embedded, and the immutable file that holds the vectors.

Layout: magic, length of the directory, CRC-32 of the directory, the directory (JSON), the
keys (int32), padding to 64 bytes, the rows (float32, each of Euclidean length 1 or zero).
Keys stand in ascending order of their decimal text, which is the order of node ids, so
that the mapped rows need no copy. Equal vectors give equal bytes.
"""

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.serialise import dump_json
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.text.tokens import HeuristicEstimator, TokenEstimator

_MAGIC = b"VLWEBVEC"
_HEAD = struct.Struct("<8sII")
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
    named = np.array([keys[place] for place in order], dtype="<i4").tobytes()
    blocks = [order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK)]
    body = b"".join(_unit(rows[block]).astype("<f4").tobytes() for block in blocks)
    facts = {"model": model, "artefact": artefact, "count": len(keys), "dimensions": int(rows.shape[1])}
    directory = dump_json({**facts, "keys_crc": zlib.crc32(named), "rows_crc": zlib.crc32(body)})
    head = _HEAD.pack(_MAGIC, len(directory), zlib.crc32(directory)) + directory + named
    return head + b"\0" * (-len(head) % _ALIGN) + body


def open_vectors(path: Path) -> NodeVectors:
    """Map a vector file. ArtefactDamaged if it is truncated, altered or none."""
    try:
        with path.open("rb") as file:
            return _read_vectors(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError as error:  # an empty file cannot be mapped
        raise _make_damage_error("it is empty") from error


def _read_vectors(buffer: mmap.mmap) -> NodeVectors:
    facts, start = _directory(buffer)
    count, dimensions = facts["count"], facts["dimensions"]
    keys_end = start + 4 * count
    rows_start = keys_end + -keys_end % _ALIGN
    if len(buffer) != rows_start + 4 * count * dimensions:
        raise _make_damage_error("it is cut short")
    named, body = memoryview(buffer)[start:keys_end], memoryview(buffer)[rows_start:]
    if zlib.crc32(named) != facts["keys_crc"] or zlib.crc32(body) != facts["rows_crc"]:
        raise _make_damage_error("it was altered")
    rows = np.frombuffer(body, dtype="<f4").reshape(count, dimensions)
    keys = tuple(np.frombuffer(named, dtype="<i4").tolist())
    # The directory holds the checksums of everything else.
    digest = hashlib.sha256(buffer[:start]).hexdigest()
    return NodeVectors(facts["model"], facts["artefact"], dimensions, keys, rows, digest)


def _directory(buffer: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The facts and where the keys begin."""
    if len(buffer) < _HEAD.size:
        raise _make_damage_error("it is cut short")
    magic, length, checksum = _HEAD.unpack(buffer[: _HEAD.size])
    raw = buffer[_HEAD.size : _HEAD.size + length]
    if magic != _MAGIC or zlib.crc32(raw) != checksum:
        raise _make_damage_error("it is none, or was altered")
    facts: dict[str, Any] = json.loads(raw)
    return facts, _HEAD.size + length


def _unit(rows: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of Euclidean length 1; a zero row stays zero."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    return wide / np.where(lengths > 0, lengths, 1.0)


def _make_damage_error(reason: str) -> ArtefactDamaged:
    return ArtefactDamaged(f"The vector file cannot be read: {reason}. Embed the document again.")
