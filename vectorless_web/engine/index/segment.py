"""An immutable lexical index, mapped and never parsed: exact BM25F over the fields of a set of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.index.builder import build_segment
from vectorless_web.engine.index.layout import FIXED_TYPES, OVERFLOW_TYPE, SECTIONS, Header, count_cap
from vectorless_web.engine.index.scoring import (
    DIGITS,
    Floats,
    Integers,
    QueryTerms,
    Statistics,
    attainable,
    best,
    length_norms,
    mean_lengths,
    query_weights,
    saturate,
)

__all__ = ["Hit", "Postings", "Segment", "build_segment", "merged_statistics"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A found row: its key and its score, rounded to 12 digits."""

    key: int
    score: float


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term stands: row numbers, field numbers and counts, three arrays of one length, ascending."""

    rows: Integers
    fields: Integers
    counts: Integers


class Segment:
    """Reads the bytes `build_segment` made. Opening maps arrays only; a term is found by bisection.

    `fields` are the field names, `keys` the rows' keys (ascending), `analyser` the
    version of the text rules it was built with. ValueError for other bytes.
    """

    def __init__(self, buffer: bytes | memoryview) -> None:
        self._buffer = memoryview(buffer)
        self._header = Header.unpack(self._buffer)
        self._offsets = dict(zip(SECTIONS, self._header.offsets, strict=True))
        self._norms: dict[tuple[tuple[float, ...], tuple[float, ...]], Floats] = {}
        header = self._header
        names = bytes(self._slice("names", header.offsets[1] - header.offsets[0])).rstrip(b"\x00")
        self.analyser = header.analyser
        self.fields: tuple[str, ...] = tuple(names.decode().split("\n"))
        self.keys = self._array("keys", header.rows, f"<u{header.key_bytes}")
        self._term_offsets = self._array("term_offsets", header.terms + 1)
        self._starts = self._array("starts", header.terms + 1)
        self._frequencies = self._array("frequencies", header.terms, f"<u{header.row_bytes}")
        self._rows = self._array("rows", header.entries, f"<u{header.row_bytes}")
        self._cells = self._array("cells", header.entries)
        self._terms = self._slice("terms", int(self._term_offsets[-1]))

    def __len__(self) -> int:
        return self._header.rows

    @property
    def lengths(self) -> npt.NDArray[np.unsignedinteger]:
        """Terms in each field of each row, shape (rows, fields)."""
        header = self._header
        flat = self._array("lengths", header.rows * header.fields, f"<u{header.length_bytes}")
        return flat.reshape(header.rows, header.fields)

    @property
    def totals(self) -> tuple[list[int], list[int]]:
        """For each field: all its terms, and the rows in which it is not empty."""
        count = self._header.fields
        return self._array("totals", count).tolist(), self._array("filled", count).tolist()

    def terms(self) -> Iterator[tuple[str, int]]:
        """All terms with their document frequencies, ascending by their UTF-8 bytes."""
        for number in range(self._header.terms):
            yield str(self._term_at(number), "utf-8"), int(self._frequencies[number])

    def document_frequency(self, term: str) -> int:
        """In how many rows the term stands, in whatever field."""
        number = self._find(term)
        return 0 if number < 0 else int(self._frequencies[number])

    def postings(self, term: str) -> Postings:
        """Where the term stands; empty arrays when it does not."""
        number = self._find(term)
        if number < 0:
            empty = np.empty(0, dtype=np.int64)
            return Postings(empty, empty, empty)
        return self._entries(int(self._starts[number]), int(self._starts[number + 1]))

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """This segment's own statistics for these terms."""
        return merged_statistics([self], terms)

    def attainable(self, terms: QueryTerms, *, statistics: Statistics | None = None) -> float:
        """The score no row can exceed for this query; terms the statistics do not know are left out."""
        return attainable(terms, statistics or self.statistics(query_weights(terms)))

    def scores(
        self, terms: QueryTerms, weights: Mapping[str, float], *, statistics: Statistics | None = None
    ) -> Floats:
        """BM25F of every row, float64 of shape (rows,), in the order of `keys`.

        `weights` maps field to weight, a field left out weighs 0. With `statistics` merged
        over several segments the scores of all of them are comparable.
        """
        wanted = query_weights(terms)
        known = statistics or self.statistics(wanted)
        norms = self._length_norms(weights, known)
        found = [(self.postings(term), weight * known.idf(term)) for term, weight in wanted.items()]
        return _accumulate([(postings, factor) for postings, factor in found if factor], norms)

    def search(
        self,
        terms: QueryTerms,
        *,
        weights: Mapping[str, float],
        limit: int,
        allowed: Iterable[int] | npt.NDArray[np.integer] | None = None,
        statistics: Statistics | None = None,
    ) -> list[Hit]:
        """The best rows, scores above 0 only, ties by ascending key. `allowed` keys limit the rows before the cut."""
        scores = self.scores(terms, weights, statistics=statistics)
        if allowed is not None:
            keys = allowed if isinstance(allowed, np.ndarray) else np.fromiter(allowed, dtype=np.int64)
            scores = np.where(np.isin(self.keys, keys), scores, 0.0)
        found = best(scores, limit)
        rounded = np.round(scores[found], DIGITS)
        return [Hit(int(key), float(score)) for key, score in zip(self.keys[found], rounded, strict=True)]

    def _length_norms(self, weights: Mapping[str, float], statistics: Statistics) -> Floats:
        key = (
            tuple(float(weights.get(name, 0.0)) for name in self.fields),
            tuple(statistics.mean_lengths.get(name, 0.0) for name in self.fields),
        )
        if key not in self._norms:
            self._norms = {key: length_norms(self.lengths.astype(np.float64), *key)}
        return self._norms[key]

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
        wanted = term.encode()
        low, high = 0, self._header.terms
        while low < high:
            middle = (low + high) // 2
            if bytes(self._term_at(middle)) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < self._header.terms and bytes(self._term_at(low)) == wanted else -1

    def _term_at(self, number: int) -> memoryview:
        return self._terms[int(self._term_offsets[number]) : int(self._term_offsets[number + 1])]

    def _slice(self, name: str, size: int) -> memoryview:
        return self._buffer[self._offsets[name] : self._offsets[name] + size]

    def _array(self, name: str, count: int, dtype: str | None = None) -> npt.NDArray[np.unsignedinteger]:
        kind = dtype or FIXED_TYPES[name]
        return np.frombuffer(self._buffer, dtype=kind, count=count, offset=self._offsets[name])


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


def _accumulate(found: Sequence[tuple[Postings, float]], norms: Floats) -> Floats:
    """Sum the saturated, weighted counts of all terms: entries of one term and row are added up before saturation."""
    rows = len(norms)
    if not found:
        return np.zeros(rows)
    owner = np.repeat(np.arange(len(found)), [len(postings.rows) for postings, _ in found])
    row = np.concatenate([postings.rows for postings, _ in found])
    if not len(row):
        return np.zeros(rows)
    field = np.concatenate([postings.fields for postings, _ in found])
    count = np.concatenate([postings.counts for postings, _ in found])
    cell = owner * rows + row
    first = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    weighted = np.add.reduceat(count * norms[row, field], first)
    factors = np.array([factor for _, factor in found])
    gains = factors[owner[first]] * saturate(weighted)
    return np.bincount(row[first], weights=gains, minlength=rows).astype(np.float64, copy=False)
