"""An immutable lexical index, mapped and never parsed: exact BM25F over the fields of a set of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.index.builder import FIXED_TYPES, OVERFLOW_TYPE, SECTIONS, Header, build_segment, count_cap
from vectorless_web.engine.index.scoring import (
    DIGITS,
    Floats,
    Impacts,
    Integers,
    Postings,
    QueryTerms,
    Statistics,
    attainable,
    find_best_rows,
    length_norms,
    mean_lengths,
    query_weights,
)

__all__ = ["Hit", "Postings", "Segment", "build_segment", "merged_statistics"]

_REMEMBERED = 4096
"""Terms whose place in the dictionary is kept."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A found row: its key and its score, rounded to 12 digits."""

    key: int
    score: float


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
        return self._entries(self._starts[number], self._starts[number + 1])

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """This segment's own statistics for these terms."""
        return Statistics(len(self), {term: self.document_frequency(term) for term in terms}, self.mean_lengths)

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
        found = [
            (number, weight * known.idf(term)) for term, weight in wanted.items() if (number := self._find(term)) >= 0
        ]
        return self._impacts_for(weights, known).sum([(number, factor) for number, factor in found if factor])

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
        found = find_best_rows(scores, limit)
        rounded = np.round(scores[found], DIGITS)
        return [Hit(key, score) for key, score in zip(self.keys[found].tolist(), rounded.tolist(), strict=True)]

    def _impacts_for(self, weights: Mapping[str, float], statistics: Statistics) -> "Impacts":
        """What each term adds to each row it stands in, kept for the weights and means used last."""
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
            number = self._bisect(term.encode())
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
        return low if low < self._header.terms and bytes(self._term_at(low)) == wanted else -1

    def _term_at(self, number: int) -> memoryview:
        return self._terms[self._term_offsets[number] : self._term_offsets[number + 1]]

    def _slice(self, name: str, size: int) -> memoryview:
        return self._buffer[self._offsets[name] : self._offsets[name] + size]

    def _array(self, name: str, count: int, dtype: str | None = None) -> npt.NDArray[np.unsignedinteger]:
        kind = dtype or FIXED_TYPES[name]
        return np.frombuffer(self._buffer, dtype=kind, count=count, offset=self._offsets[name])


def _native(array: npt.NDArray[np.unsignedinteger]) -> memoryview:
    """A view whose items are plain integers: an array's own items are slower to read one by one."""
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
