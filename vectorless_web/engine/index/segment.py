"""An immutable lexical index: built once from rows of text, then mapped; exact BM25F of rows and their groups.

A segment is one block of an artefact, whose container checks it. Its own header, which the artefacts in storage
hold too, states the widths of its arrays.
"""

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.documents.container import align_size
from vectorless_web.engine.index.scoring import (
    Floats,
    Impacts,
    Integers,
    Postings,
    QueryTerms,
    Statistics,
    length_norms,
    mean_lengths,
    query_weights,
    saturate,
)
from vectorless_web.engine.text.analyser import ANALYSER, analyse

MAGIC = b"VWSEG\x00\x00\x02"
HEADER = struct.Struct("<8s32sIIIIIBBBB" + "Q" * 13)
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
    """The greatest count a cell of one byte holds; it marks the counts of this size and above, kept in the overflow."""
    return 0xFF >> field_bits


def width(greatest: int) -> int:
    """Bytes of the narrowest unsigned type that holds `greatest`: 2, 4 or 8."""
    if greatest <= 0xFFFF:
        return 2
    return 4 if greatest <= 0xFFFFFFFF else 8


MAX_FIELDS = 16
"""Fields of a segment at most. The field takes up to 4 of a cell's 8 bits; the other 4 hold the count."""


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
    starts = _running_total([len(collected.postings[term]) for _, term in terms])
    entries = _lay_out([collected.postings[term] for _, term in terms], int(starts[-1]))
    field_bits = max(1, (len(fields) - 1).bit_length())
    lengths = np.array(collected.lengths, dtype="<u8").reshape(len(collected.keys), len(fields))
    row_bytes, length_bytes = width(len(collected.keys)), width(int(lengths.max(initial=0)))
    key_bytes = width(collected.keys[-1] if collected.keys else 0)
    overflow = np.flatnonzero(entries[:, 2] >= count_cap(field_bits))
    arrays = {
        "names": np.frombuffer("\n".join(fields).encode(), dtype="<u1"),
        "keys": np.array(collected.keys, dtype=f"<u{key_bytes}"),
        "lengths": lengths.astype(f"<u{length_bytes}"),
        "totals": lengths.sum(axis=0, dtype="<u8"),
        "filled": (lengths > 0).sum(axis=0),
        "term_offsets": _running_total([len(encoded) for encoded, _ in terms]),
        "terms": np.frombuffer(b"".join(encoded for encoded, _ in terms), dtype="<u1"),
        "starts": starts,
        "frequencies": _count_rows(entries[:, 0], starts).astype(f"<u{row_bytes}"),
        "rows": entries[:, 0].astype(f"<u{row_bytes}"),
        "cells": _cells(entries, field_bits),
        "overflow_positions": overflow.astype(OVERFLOW_TYPE),
        "overflow_counts": entries[overflow, 2].astype(OVERFLOW_TYPE),
    }
    sizes = (len(collected.keys), len(fields), len(terms), len(entries), len(overflow))
    return _join(arrays, sizes, (field_bits, key_bytes, row_bytes, length_bytes))


def _running_total(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.array(lengths, dtype=np.int64))])


def _lay_out(postings: Iterable[Sequence[tuple[int, int, int]]], count: int) -> np.ndarray:
    """The entries of all terms below each other: row, field and count."""
    numbers = chain.from_iterable(chain.from_iterable(postings))
    return np.fromiter(numbers, dtype=np.int64, count=3 * count).reshape(count, 3)


def _count_rows(rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """In how many rows each term occurs; its entries, from one of `starts` to the next, ascend by row."""
    if not len(rows):
        return rows
    is_new = np.ones(len(rows), dtype=np.int64)
    is_new[1:] = rows[1:] != rows[:-1]
    is_new[starts[:-1]] = 1
    return np.add.reduceat(is_new, starts[:-1])


def _cells(entries: np.ndarray, field_bits: int) -> np.ndarray:
    cells: np.ndarray = np.minimum(entries[:, 2], count_cap(field_bits)) << field_bits | entries[:, 1]
    return cells.astype("<u1")


def _join(arrays: Mapping[str, np.ndarray], sizes: tuple[int, ...], widths: tuple[int, ...]) -> bytes:
    pieces: list[bytes] = []
    offsets: list[int] = []
    position = align_size(HEADER.size)
    for name in SECTIONS:
        array = arrays[name]
        data = array.astype(FIXED_TYPES.get(name, array.dtype.newbyteorder("<"))).tobytes()
        offsets.append(position)
        pieces.append(data.ljust(align_size(len(data)), b"\x00"))
        position += align_size(len(data))
    rows, fields, terms, entries, overflow = sizes
    field_bits, key_bytes, row_bytes, length_bytes = widths
    header = Header(
        ANALYSER, rows, fields, terms, entries, overflow,
        field_bits, key_bytes, row_bytes, length_bytes, tuple(offsets),
    )  # fmt: skip
    return header.pack().ljust(align_size(HEADER.size), b"\x00") + b"".join(pieces)


__all__ = ["Postings", "Segment", "build_segment", "merged_statistics"]

_REMEMBERED = 4096
"""Terms whose place in the dictionary is kept in memory, the last ones looked up. Chosen by hand: more than one
question over one document needs; it bounds memory, not results."""


class Segment:
    """Reads the bytes `build_segment` made. Opening maps arrays only; a term is found by bisection.

    `fields` are the field names, `keys` the rows' keys (ascending), `analyser` the
    version of the text rules it was built with. ValueError for other bytes.
    """

    def __init__(self, buffer: bytes | memoryview) -> None:
        self._buffer = memoryview(buffer)
        self._header = Header.unpack(self._buffer)
        self._offsets = dict(zip(SECTIONS, self._header.offsets, strict=True))
        self._impacts: Impacts | None = None
        self._numbers: dict[str, int] = {}
        header = self._header
        names = bytes(self._slice("names", header.offsets[1] - header.offsets[0])).rstrip(b"\x00")
        self.analyser = header.analyser
        self.fields: tuple[str, ...] = tuple(names.decode().split("\n"))
        self.keys = self._array("keys", header.rows, f"<u{header.key_bytes}")
        self._term_offsets = _native(self._array("term_offsets", header.terms + 1))
        self._starts = _native(self._array("starts", header.terms + 1))
        self._frequencies = self._array("frequencies", header.terms, f"<u{header.row_bytes}")
        self._rows = self._array("rows", header.entries, f"<u{header.row_bytes}")
        self._cells = self._array("cells", header.entries)
        self._terms = self._slice("terms", self._term_offsets[-1])

    def __len__(self) -> int:
        return self._header.rows

    @property
    def lengths(self) -> npt.NDArray[np.unsignedinteger]:
        """Terms in each field of each row, shape (rows, fields)."""
        header = self._header
        flat = self._array("lengths", header.rows * header.fields, f"<u{header.length_bytes}")
        return flat.reshape(header.rows, header.fields)

    @cached_property
    def totals(self) -> tuple[list[int], list[int]]:
        """For each field: all its terms, and the rows in which it is not empty."""
        count = self._header.fields
        return self._array("totals", count).tolist(), self._array("filled", count).tolist()

    @cached_property
    def mean_lengths(self) -> dict[str, float]:
        """For each field: its mean length over the rows in which it is not empty."""
        return dict(zip(self.fields, mean_lengths(*self.totals), strict=True))

    def terms(self) -> Iterator[tuple[str, int]]:
        """All terms with their document frequencies, ascending by their UTF-8 bytes."""
        for number in range(self._header.terms):
            yield str(self._term_at(number), "utf-8"), int(self._frequencies[number])

    def spread_terms(self, fields: Sequence[str], parts: int) -> Iterator[tuple[str, int, int]]:
        """Each term, how often it occurs in these fields, and in which of `parts` parts of the rows, as bits.

        The parts follow each other and are about equally long; where rows are fewer each is a part of its own. A term
        is in a part by any field. Terms that stand in none of `fields` are left out.
        """
        everything = self._entries(0, self._header.entries)
        starts = np.asarray(self._starts).astype(np.int64)
        wanted = np.isin(everything.fields, [number for number, name in enumerate(self.fields) if name in fields])
        owner = np.repeat(np.arange(self._header.terms), np.diff(starts))
        totals = np.bincount(owner[wanted], weights=everything.counts[wanted], minlength=self._header.terms)
        places = np.left_shift(np.uint64(1), self._parts(parts)[everything.rows])
        bits = np.bitwise_or.reduceat(places, starts[:-1]) if len(places) else places
        for (term, _), total, held in zip(self.terms(), totals.tolist(), bits.tolist(), strict=True):
            if total:
                yield term, int(total), held

    def _parts(self, parts: int) -> npt.NDArray[np.uint64]:
        if len(self) <= parts:
            return np.arange(len(self), dtype=np.uint64)
        lengths = self.lengths.sum(axis=1, dtype=np.float64)
        middles = np.cumsum(lengths) - lengths / 2
        numbers: npt.NDArray[np.uint64] = np.minimum(middles * parts / max(lengths.sum(), 1.0), parts - 1).astype(
            np.uint64
        )
        return numbers

    def document_frequency(self, term: str) -> int:
        """In how many rows the term occurs, in whatever field."""
        number = self._find(term)
        return 0 if number < 0 else int(self._frequencies[number])

    def has_beginning(self, beginning: str) -> bool:
        """Whether any term begins so."""
        wanted = beginning.encode()
        place = self._bisect(wanted)
        return place < self._header.terms and bytes(self._term_at(place)).startswith(wanted)

    def postings(self, term: str) -> Postings:
        """Where the term occurs; empty arrays where it does not."""
        number = self._find(term)
        if number < 0:
            empty = np.empty(0, dtype=np.int64)
            return Postings(empty, empty, empty)
        return self._entries(self._starts[number], self._starts[number + 1])

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """This segment's own statistics for these terms."""
        return Statistics(len(self), {term: self.document_frequency(term) for term in terms}, self.mean_lengths)

    def scores(
        self, terms: QueryTerms, weights: Mapping[str, float], *, statistics: Statistics | None = None
    ) -> Floats:
        """BM25F of every row, float64 of shape (rows,), in the order of `keys`.

        `weights` maps field to weight, a field left out weighs 0. With `statistics` merged
        over several segments the scores of all of them are comparable.
        """
        wanted = query_weights(terms)
        known = statistics or self.statistics(wanted)
        found = [
            (number, weight * known.idf(term)) for term, weight in wanted.items() if (number := self._find(term)) >= 0
        ]
        return self._impacts_for(weights, known).sum([(number, factor) for number, factor in found if factor])

    def _impacts_for(self, weights: Mapping[str, float], statistics: Statistics) -> "Impacts":
        """What each term adds to each row it is in, kept for the weights and means used last."""
        means = statistics.mean_lengths
        key = tuple((float(weights.get(name, 0.0)), means.get(name, 0.0)) for name in self.fields)
        if self._impacts is None or self._impacts.key != key:
            norms = length_norms(self.lengths.astype(np.float64), [w for w, _ in key], [mean for _, mean in key])
            everything = self._entries(0, self._header.entries)
            self._impacts = Impacts.of(everything, np.asarray(self._starts), norms, key)
        return self._impacts

    def _entries(self, start: int, end: int) -> Postings:
        bits = self._header.field_bits
        cells = self._cells[start:end].astype(np.int64)
        counts = cells >> bits
        if self._header.overflow and (counts == count_cap(bits)).any():
            self._apply_overflow(counts, start, end)
        return Postings(self._rows[start:end].astype(np.int64), cells & ((1 << bits) - 1), counts)

    def _apply_overflow(self, counts: Integers, start: int, end: int) -> None:
        positions = self._array("overflow_positions", self._header.overflow, OVERFLOW_TYPE)
        values = self._array("overflow_counts", self._header.overflow, OVERFLOW_TYPE)
        first, last = np.searchsorted(positions, [start, end])
        counts[positions[first:last].astype(np.int64) - start] = values[first:last]

    def _find(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            wanted = term.encode()
            place = self._bisect(wanted)
            is_there = place < self._header.terms and bytes(self._term_at(place)) == wanted
            number = place if is_there else -1
            if len(self._numbers) >= _REMEMBERED:
                self._numbers.clear()
            self._numbers[term] = number
        return number

    def _bisect(self, wanted: bytes) -> int:
        low, high = 0, self._header.terms
        while low < high:
            middle = (low + high) // 2
            if bytes(self._term_at(middle)) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def _term_at(self, number: int) -> memoryview:
        return self._terms[self._term_offsets[number] : self._term_offsets[number + 1]]

    def _slice(self, name: str, size: int) -> memoryview:
        return self._buffer[self._offsets[name] : self._offsets[name] + size]

    def _array(self, name: str, count: int, dtype: str | None = None) -> npt.NDArray[np.unsignedinteger]:
        kind = dtype or FIXED_TYPES[name]
        return np.frombuffer(self._buffer, dtype=kind, count=count, offset=self._offsets[name])


def _native(array: npt.NDArray[np.unsignedinteger]) -> memoryview:
    """A memory view of an array, whose items are plain integers and quicker to read one by one."""
    return array.astype(np.uint32, copy=False).data


def merged_statistics(segments: Sequence[Segment], terms: Iterable[str]) -> Statistics:
    """Statistics of all rows of several segments (with the same fields) as though they were one."""
    wanted = list(dict.fromkeys(terms))
    frequencies = {term: sum(segment.document_frequency(term) for segment in segments) for term in wanted}
    totals: dict[str, int] = {}
    filled: dict[str, int] = {}
    for segment in segments:
        for name, total, count in zip(segment.fields, *segment.totals, strict=True):
            totals[name] = totals.get(name, 0) + total
            filled[name] = filled.get(name, 0) + count
    means = dict(zip(totals, mean_lengths(totals.values(), filled.values()), strict=True))
    return Statistics(sum(len(segment) for segment in segments), frequencies, means)


class GroupedRows:
    """Rows of a segment taken together: group g is scored as one document made of all its rows.

    `groups[i]` is the group of the segment's row i, from 0; -1 leaves the row out.
    """

    def __init__(self, segment: Segment, groups: Integers, count: int) -> None:
        self._segment = segment
        self._groups = groups
        self._count = count
        self._lengths = self._group_lengths()

    def _group_lengths(self) -> Floats:
        kept = self._groups >= 0
        lengths = np.zeros((self._count, len(self._segment.fields)))
        np.add.at(lengths, self._groups[kept], self._segment.lengths[kept].astype(np.float64))
        return lengths

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """Statistics of the groups for these terms, as though each group were a document."""
        frequencies = {term: int(np.count_nonzero(self._counts(term))) for term in terms}
        means = mean_lengths(*self.totals)
        return Statistics(self._count, frequencies, dict(zip(self._segment.fields, means, strict=True)))

    @property
    def totals(self) -> tuple[list[float], list[float]]:
        """For each field: all its terms, and the groups in which it is not empty."""
        return self._lengths.sum(axis=0).tolist(), (self._lengths > 0).sum(axis=0).tolist()

    def scores(
        self, terms: QueryTerms, weights: Mapping[str, float], *, statistics: Statistics | None = None
    ) -> Floats:
        """BM25F of every group, float64 of shape (groups,): exact, with each group taken as one document.

        With `statistics` merged over several collections the scores of all are comparable.
        """
        wanted = query_weights(terms)
        known = statistics or self.statistics(wanted)
        means = [known.mean_lengths.get(name, 0.0) for name in self._segment.fields]
        norms = length_norms(self._lengths, [weights.get(name, 0.0) for name in self._segment.fields], means)
        total = np.zeros(self._count)
        for term, weight in wanted.items():
            factor = weight * known.idf(term)
            if factor:
                total += factor * saturate(self._weighted_counts(term, norms))
        return total

    def counts(self, term: str, fields: Sequence[str]) -> Floats:
        """How often each group has the term in any of these fields, float64 of shape (groups,)."""
        group, field, count = self._entries(term)
        kept = np.array([name in fields for name in self._segment.fields])[field]
        return np.bincount(group[kept], weights=count[kept], minlength=self._count).astype(np.float64, copy=False)

    def _counts(self, term: str) -> Floats:
        group, _, count = self._entries(term)
        return np.bincount(group, weights=count, minlength=self._count).astype(np.float64, copy=False)

    def _weighted_counts(self, term: str, norms: Floats) -> Floats:
        group, field, count = self._entries(term)
        gains = count * norms[group, field]
        return np.bincount(group, weights=gains, minlength=self._count).astype(np.float64, copy=False)

    def _entries(self, term: str) -> tuple[Integers, Integers, Floats]:
        """Group, field and count of each entry of the term."""
        postings = self._segment.postings(term)
        groups = self._groups[postings.rows]
        kept = groups >= 0
        return groups[kept], postings.fields[kept], postings.counts[kept].astype(np.float64)


def merged_group_statistics(collections: Sequence[GroupedRows], terms: Iterable[str]) -> Statistics:
    """Statistics of the groups of several collections (with the same fields) as though they were one."""
    wanted = list(dict.fromkeys(terms))
    each = [collection.statistics(wanted) for collection in collections]
    frequencies = {term: sum(found.frequencies[term] for found in each) for term in wanted}
    names = list(each[0].mean_lengths) if each else []
    sums = [np.sum([collection.totals[part] for collection in collections], axis=0) for part in (0, 1)] if each else []
    means = dict(zip(names, mean_lengths(*sums), strict=True)) if each else {}
    return Statistics(sum(found.rows for found in each), frequencies, means)
