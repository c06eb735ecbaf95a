"""Builds the bytes of a segment from rows of text: little-endian on every machine, every array aligned to 8 bytes."""

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vectorless_web.engine.text.analyser import ANALYSER, analyse

MAGIC = b"VWSEG\x00\x00\x02"
HEADER = struct.Struct("<8s32sIIIIIBBBB" + "Q" * 13)
ALIGNMENT = 8
SECTIONS = (
    "names",
    "keys",
    "lengths",
    "totals",
    "filled",
    "term_offsets",
    "terms",
    "starts",
    "frequencies",
    "rows",
    "cells",
    "overflow_positions",
    "overflow_counts",
)
FIXED_TYPES = {"totals": "<u8", "filled": "<u8", "term_offsets": "<u4", "starts": "<u4", "cells": "<u1"}
OVERFLOW_TYPE = "<u4"


@dataclass(frozen=True, slots=True)
class Header:
    """Sizes and types of one segment; `offsets[i]` is where `SECTIONS[i]` begins.

    `field_bits` low bits of a cell name the field; `key_bytes`, `row_bytes` and
    `length_bytes` are the widths of keys, row numbers (document frequencies too) and
    field lengths.
    """

    analyser: str
    rows: int
    fields: int
    terms: int
    entries: int
    overflow: int
    field_bits: int
    key_bytes: int
    row_bytes: int
    length_bytes: int
    offsets: tuple[int, ...]

    def pack(self) -> bytes:
        """The header's bytes."""
        widths = (self.field_bits, self.key_bytes, self.row_bytes, self.length_bytes)
        sizes = (self.rows, self.fields, self.terms, self.entries, self.overflow)
        return HEADER.pack(MAGIC, self.analyser.encode(), *sizes, *widths, *self.offsets)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "Header":
        """Read a header; ValueError when the bytes are no segment of this layout."""
        if len(buffer) < HEADER.size or bytes(buffer[:8]) != MAGIC:
            raise ValueError("These bytes are not an index segment of this version.")
        values = HEADER.unpack_from(buffer)
        return cls(values[1].rstrip(b"\x00").decode(), *values[2:11], offsets=tuple(values[11:]))  # type: ignore[misc]


def count_cap(field_bits: int) -> int:
    """The count that a cell of one byte holds for "look into the overflow"."""
    return 0xFF >> field_bits


def width(greatest: int) -> int:
    """Bytes of the narrowest unsigned type that holds `greatest`: 2, 4 or 8."""
    if greatest <= 0xFFFF:
        return 2
    return 4 if greatest <= 0xFFFFFFFF else 8


MAX_FIELDS = 16


def build_segment(rows: Iterable[tuple[int, Mapping[str, str]]], *, fields: Sequence[str]) -> bytes:
    """Index rows of `(key, {field: text})`; the same rows give the same bytes on every machine.

    Keys are distinct integers >= 0, in any order; a field a row does not name is empty.
    ValueError for a repeated or negative key, an unknown field, or more than 16 fields.
    """
    if not 0 < len(fields) <= MAX_FIELDS or len(set(fields)) != len(fields):
        raise ValueError(f"A segment has 1 to {MAX_FIELDS} distinct fields.")
    collected = _collect(sorted(rows, key=lambda row: row[0]), fields)
    return _assemble(collected, fields)


@dataclass
class _Collected:
    keys: list[int] = field(default_factory=list)
    lengths: list[list[int]] = field(default_factory=list)
    postings: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    last: dict[int, tuple[str, Counter[str]]] = field(default_factory=dict)
    """The text each field had last, with its counted terms."""


def _collect(rows: Sequence[tuple[int, Mapping[str, str]]], fields: Sequence[str]) -> _Collected:
    collected = _Collected()
    numbers = {name: number for number, name in enumerate(fields)}
    for key, texts in rows:
        if key < 0 or (collected.keys and key == collected.keys[-1]):
            raise ValueError(f"Row keys must be distinct and not negative: {key}.")
        unknown = set(texts) - set(fields)
        if unknown:
            raise ValueError(f"Unknown fields: {sorted(unknown)}.")
        _add_row(collected, texts, numbers)
        collected.keys.append(key)
    return collected


def _add_row(collected: _Collected, texts: Mapping[str, str], numbers: Mapping[str, int]) -> None:
    row, lengths = len(collected.keys), [0] * len(numbers)
    for name, number in numbers.items():
        text = texts.get(name, "")
        if not text:
            continue
        if (
            number not in collected.last or collected.last[number][0] != text
        ):  # rows of one section follow each other with the same path
            collected.last[number] = (text, Counter(analyse(text)))
        counts = collected.last[number][1]
        lengths[number] = counts.total()
        for term, count in counts.items():
            collected.postings.setdefault(term, []).append((row, number, count))
    collected.lengths.append(lengths)


def _assemble(collected: _Collected, fields: Sequence[str]) -> bytes:
    terms = sorted((term.encode(), term) for term in collected.postings)
    entries = [entry for _, term in terms for entry in collected.postings[term]]
    field_bits = max(1, (len(fields) - 1).bit_length())
    lengths = np.array(collected.lengths, dtype="<u8").reshape(len(collected.keys), len(fields))
    row_bytes, length_bytes = width(len(collected.keys)), width(int(lengths.max(initial=0)))
    key_bytes = width(collected.keys[-1] if collected.keys else 0)
    overflow = _overflow(entries, count_cap(field_bits))
    arrays = {
        "names": np.frombuffer("\n".join(fields).encode(), dtype="<u1"),
        "keys": np.array(collected.keys, dtype=f"<u{key_bytes}"),
        "lengths": lengths.astype(f"<u{length_bytes}"),
        "totals": lengths.sum(axis=0, dtype="<u8"),
        "filled": (lengths > 0).sum(axis=0),
        "term_offsets": _running_total([len(encoded) for encoded, _ in terms]),
        "terms": np.frombuffer(b"".join(encoded for encoded, _ in terms), dtype="<u1"),
        "starts": _running_total([len(collected.postings[term]) for _, term in terms]),
        "frequencies": np.array(
            [len({row for row, _, _ in collected.postings[term]}) for _, term in terms], dtype=f"<u{row_bytes}"
        ),
        "rows": np.array([row for row, _, _ in entries], dtype=f"<u{row_bytes}"),
        "cells": _cells(entries, field_bits),
        "overflow_positions": np.array([position for position, _ in overflow], dtype=OVERFLOW_TYPE),
        "overflow_counts": np.array([count for _, count in overflow], dtype=OVERFLOW_TYPE),
    }
    sizes = (len(collected.keys), len(fields), len(terms), len(entries), len(overflow))
    return _join(arrays, sizes, (field_bits, key_bytes, row_bytes, length_bytes))


def _running_total(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype="<u8"))])


def _overflow(entries: Sequence[tuple[int, int, int]], cap: int) -> list[tuple[int, int]]:
    return [(position, count) for position, (_, _, count) in enumerate(entries) if count >= cap]


def _cells(entries: Sequence[tuple[int, int, int]], field_bits: int) -> np.ndarray:
    cap = count_cap(field_bits)
    return np.array([min(count, cap) << field_bits | number for _, number, count in entries], dtype="<u1")


def _join(arrays: Mapping[str, np.ndarray], sizes: tuple[int, ...], widths: tuple[int, ...]) -> bytes:
    pieces: list[bytes] = []
    offsets: list[int] = []
    position = _align_size(HEADER.size)
    for name in SECTIONS:
        array = arrays[name]
        data = array.astype(FIXED_TYPES.get(name, array.dtype.newbyteorder("<"))).tobytes()
        offsets.append(position)
        pieces.append(data.ljust(_align_size(len(data)), b"\x00"))
        position += _align_size(len(data))
    rows, fields, terms, entries, overflow = sizes
    field_bits, key_bytes, row_bytes, length_bytes = widths
    header = Header(
        ANALYSER, rows, fields, terms, entries, overflow,
        field_bits, key_bytes, row_bytes, length_bytes, tuple(offsets),
    )  # fmt: skip
    return header.pack().ljust(_align_size(HEADER.size), b"\x00") + b"".join(pieces)


def _align_size(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
