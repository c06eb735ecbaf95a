"""BM25F over groups of rows (pages, sections), from the postings of the rows: no second index."""

from collections.abc import Mapping

import numpy as np

from vectorless_web.engine.index.scoring import (
    Floats,
    Integers,
    QueryTerms,
    inverse_frequency,
    length_norms,
    mean_lengths,
    query_weights,
    saturate,
)
from vectorless_web.engine.index.segment import Segment


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

    def term_scores(self, terms: QueryTerms, weights: Mapping[str, float]) -> tuple[list[str], Floats]:
        """The terms found, and an array (terms, groups) of what each adds to each group's score.

        Document frequencies and mean lengths count groups, so this is exact BM25F over them.
        """
        wanted = query_weights(terms)
        norms = self._norms(weights)
        rows = [(term, self._weighted_counts(term, norms)) for term in wanted]
        found = [(term, counts) for term, counts in rows if counts.any()]
        if not found:
            return [], np.zeros((0, self._count))
        scores = [wanted[term] * self._idf(counts) * saturate(counts) for term, counts in found]
        return [term for term, _ in found], np.stack(scores)

    def scores(self, terms: QueryTerms, weights: Mapping[str, float]) -> Floats:
        """BM25F of every group, float64 of shape (groups,)."""
        total: Floats = self.term_scores(terms, weights)[1].sum(axis=0)
        return total

    def _idf(self, counts: Floats) -> float:
        return inverse_frequency(self._count, int(np.count_nonzero(counts)))

    def _norms(self, weights: Mapping[str, float]) -> Floats:
        filled = (self._lengths > 0).sum(axis=0)
        means = mean_lengths(self._lengths.sum(axis=0), filled)
        return length_norms(self._lengths, [weights.get(name, 0.0) for name in self._segment.fields], means)

    def _weighted_counts(self, term: str, norms: Floats) -> Floats:
        postings = self._segment.postings(term)
        groups = self._groups[postings.rows]
        kept = groups >= 0
        group, field = groups[kept], postings.fields[kept]
        gains = postings.counts[kept] * norms[group, field]
        return np.bincount(group, weights=gains, minlength=self._count).astype(np.float64, copy=False)
