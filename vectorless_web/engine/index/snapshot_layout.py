"""The byte layout of a card snapshot: little-endian arrays, each aligned to 64 bytes, mapped and never parsed.

Row numbers follow ascending document ids. Entries ascend by hash, then row, then field.
Edges stand twice: by the document that owns them and by the one they lead to.
"""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.snapshot_rows import FIELDS, Array, DecodedRow

MAGIC = b"VWCARDS\x02"
ALIGNMENT = 64
TYPES = {
    "doc_ids": "<i8",
    "subjects": "<u8",
    "lengths": "<u4",
    "totals": "<u8",
    "filled": "<u8",
    "vocabulary": "<u8",
    "starts": "<u8",
    "frequencies": "<u4",
    "rows": "<u4",
    "cells": "u1",
    "owners": "<i8",
    "targets": "<i8",
    "weights": "<f4",
    "in_targets": "<i8",
    "in_owners": "<i8",
    "in_weights": "<f4",
    "title_ends": "<u4",
    "titles": "u1",
}
_HEADER = struct.Struct(f"<8s32s{len(TYPES)}Q")

Arrays = Mapping[str, Array]


def pack_arrays(arrays: Arrays, analyser: str) -> bytes:
    """The bytes of a snapshot; equal arrays give equal bytes."""
    body: list[bytes] = []
    counts = [len(arrays[name]) for name in TYPES]
    head = _HEADER.pack(MAGIC, analyser.encode(), *counts)
    body.append(head.ljust(_align_size(len(head)), b"\0"))
    for name, dtype in TYPES.items():
        data = np.ascontiguousarray(arrays[name], dtype=dtype).tobytes()
        body.append(data)
        body.append(b"\0" * (_align_size(len(data)) - len(data)))
    return b"".join(body)


def unpack_arrays(buffer: bytes | memoryview) -> tuple[dict[str, Array], str]:
    """Views of the arrays, by name, and the analyser's version. ValueError for other bytes."""
    view = memoryview(buffer)
    if len(view) < _HEADER.size or bytes(view[: len(MAGIC)]) != MAGIC:
        raise ValueError("These bytes are not a card snapshot of this version.")
    _, analyser, *counts = _HEADER.unpack_from(view)
    arrays: dict[str, Array] = {}
    position = _align_size(_HEADER.size)
    for (name, dtype), count in zip(TYPES.items(), counts, strict=True):
        size = np.dtype(dtype).itemsize * count
        if position + size > len(view):
            raise ValueError("This card snapshot is cut short.")
        arrays[name] = np.frombuffer(view, dtype=dtype, count=count, offset=position)
        position += _align_size(size)
    return arrays, bytes(analyser).rstrip(b"\0").decode()


def _align_size(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True, slots=True)
class EntryTable:
    """All entries of a set of documents as parallel arrays, before they are sorted; `titles` by row."""

    doc_ids: Array
    subjects: Array
    lengths: Array
    hashes: Array
    rows: Array
    cells: Array
    owners: Array
    targets: Array
    weights: Array
    titles: tuple[bytes, ...]


def table_of(decoded: Iterable[DecodedRow]) -> EntryTable:
    """The rows, in the order given, as one table."""
    rows = list(decoded)
    sizes = [len(row.hashes) for row in rows]
    return EntryTable(
        doc_ids=np.array([row.doc_id for row in rows], np.int64),
        subjects=np.array([row.subject for row in rows], np.uint64),
        lengths=np.array([row.lengths for row in rows], np.uint32).reshape(len(rows), len(FIELDS)),
        hashes=_join_arrays([row.hashes for row in rows], np.uint64),
        rows=np.repeat(np.arange(len(rows), dtype=np.uint32), sizes),
        cells=_join_arrays([row.cells for row in rows], np.uint8),
        owners=np.repeat(np.array([row.doc_id for row in rows], np.int64), [len(row.targets) for row in rows]),
        targets=_join_arrays([row.targets for row in rows], np.int64),
        weights=_join_arrays([row.weights for row in rows], np.float32),
        titles=tuple(row.title.encode() for row in rows),
    )


def _join_arrays(arrays: list[Array], dtype: type[np.generic]) -> Array:
    return np.concatenate([np.empty(0, dtype), *arrays]).astype(dtype, copy=False)


def sorted_arrays(table: EntryTable) -> dict[str, Array]:
    """The arrays of a snapshot from a table whose rows stand in ascending order of document id."""
    order = np.lexsort((table.cells & 7, table.rows, table.hashes))
    hashes, rows, cells = table.hashes[order], table.rows[order], table.cells[order]
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.empty(0, np.intp)
    by_owner = np.lexsort((table.targets, table.owners))
    by_target = np.lexsort((table.owners, table.targets))
    return {
        "doc_ids": table.doc_ids,
        "subjects": table.subjects,
        "lengths": table.lengths.reshape(-1),
        "totals": table.lengths.sum(axis=0, dtype=np.uint64),
        "filled": (table.lengths > 0).sum(axis=0),
        "vocabulary": hashes[first],
        "starts": np.append(first, len(hashes)),
        "frequencies": _distinct_rows(hashes, rows, first),
        "rows": rows,
        "cells": cells,
        "owners": table.owners[by_owner],
        "targets": table.targets[by_owner],
        "weights": table.weights[by_owner],
        "in_targets": table.targets[by_target],
        "in_owners": table.owners[by_target],
        "in_weights": table.weights[by_target],
        "title_ends": np.cumsum([len(title) for title in table.titles], dtype=np.uint32),
        "titles": np.frombuffer(b"".join(table.titles), np.uint8),
    }


def _distinct_rows(hashes: Array, rows: Array, first: Array) -> Array:
    """In how many rows each hash stands."""
    if not len(hashes):
        return np.empty(0, np.int64)
    fresh = np.append(True, (rows[1:] != rows[:-1]) | (hashes[1:] != hashes[:-1]))
    counts: Array = np.add.reduceat(fresh.astype(np.int64), first)
    return counts
