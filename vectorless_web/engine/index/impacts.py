"""What each term adds to the score of each row, worked out once for one set of weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.scoring import Floats, Integers, saturate


@dataclass(frozen=True, slots=True)
class Postings:
    """Where terms stand: row numbers, field numbers and counts, three arrays of one length, ascending."""

    rows: Integers
    fields: Integers
    counts: Integers


@dataclass(frozen=True, slots=True)
class Impacts:
    """Saturated, field-weighted counts of all (term, row) pairs; term t owns `rows[starts[t]:starts[t + 1]]`.

    `key` names the field weights and mean lengths they hold for; `size` is the number of rows.
    """

    key: tuple[tuple[float, float], ...]
    starts: memoryview
    rows: Integers
    values: Floats
    size: int

    @classmethod
    def of(cls, postings: Postings, starts: Integers, norms: Floats, key: tuple[tuple[float, float], ...]) -> "Impacts":
        """Add up the fields of each (term, row) pair, then saturate; `starts` has one item more than the terms."""
        count = len(postings.rows)
        if not count:
            return cls(key, np.zeros(len(starts), dtype=np.int64).data, postings.rows, np.zeros(0), len(norms))
        is_first = np.empty(count, dtype=bool)
        is_first[0] = True
        np.not_equal(postings.rows[1:], postings.rows[:-1], out=is_first[1:])
        is_first[starts[:-1].astype(np.int64)] = True
        first = np.flatnonzero(is_first)
        weighted = np.add.reduceat(postings.counts * norms[postings.rows, postings.fields], first)
        places = np.searchsorted(first, starts.astype(np.int64))
        return cls(key, places.astype(np.int64).data, postings.rows[first], saturate(weighted), len(norms))

    def sum(self, factors: Sequence[tuple[int, float]]) -> Floats:
        """For each row the sum over terms (given by number) of factor x impact; float64 of shape (size,)."""
        spans = [(self.starts[number], self.starts[number + 1]) for number, _ in factors]
        if not spans:
            return np.zeros(self.size)
        rows = np.concatenate([self.rows[start:end] for start, end in spans])
        gains = np.concatenate(
            [self.values[start:end] * factor for (start, end), (_, factor) in zip(spans, factors, strict=True)]
        )
        return np.bincount(rows, weights=gains, minlength=self.size).astype(np.float64, copy=False)
