"""BM25F over groups of rows (pages, sections), from the postings of the rows: no second index."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from vectorless_web.engine.index.scoring import (
    Floats,
    Integers,
    QueryTerms,
    Statistics,
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

    def _counts(self, term: str) -> Floats:
        postings = self._segment.postings(term)
        groups = self._groups[postings.rows]
        return np.bincount(groups[groups >= 0], minlength=self._count).astype(np.float64)

    def _weighted_counts(self, term: str, norms: Floats) -> Floats:
        postings = self._segment.postings(term)
        groups = self._groups[postings.rows]
        kept = groups >= 0
        group, field = groups[kept], postings.fields[kept]
        gains = postings.counts[kept] * norms[group, field]
        return np.bincount(group, weights=gains, minlength=self._count).astype(np.float64, copy=False)


def merged_group_statistics(collections: Sequence[GroupedRows], terms: Iterable[str]) -> Statistics:
    """Statistics of the groups of several collections (with the same fields) as though they were one."""
    wanted = list(dict.fromkeys(terms))
    each = [collection.statistics(wanted) for collection in collections]
    frequencies = {term: sum(found.frequencies[term] for found in each) for term in wanted}
    names = list(each[0].mean_lengths) if each else []
    sums = [np.sum([collection.totals[part] for collection in collections], axis=0) for part in (0, 1)] if each else []
    means = dict(zip(names, mean_lengths(*sums), strict=True)) if each else {}
    return Statistics(sum(found.rows for found in each), frequencies, means)
