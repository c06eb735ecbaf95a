"""What the words say: scores of nodes in [0, 1] from the index, with the evidence of whole subtrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.ranking.ranker import node_scores
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.questions.plan import QueryPlan

FIELD_WEIGHTS: Mapping[str, float] = {"title": 2.0, "path": 0.5, "text": 1.0, "table": 1.0}
"""BM25F field weights of `SegmentScorer`. As for pages (ranking.signals), but a path counts less: walking compares
sections whose paths mostly agree. Chosen by hand."""

COVERAGE_SHARE = 0.3
"""How far missing question words lower a subtree's score in `SegmentScorer`: by up to 30 % when it holds none of them.
Chosen by hand; `DocumentScorer`, which runs use, sets it to 0."""
_TINY = 1e-9
"""Stands for 0 where a division needs a positive number."""

Floats = npt.NDArray[np.float64]


class Scorer(Protocol):
    """Scores nodes for one question over one tree."""

    def scores(self, keys: Sequence[int]) -> list[float]:
        """One score in [0, 1] per key, in the same order; 0 for a node that says nothing of the question."""
        ...


@dataclass(frozen=True, slots=True)
class SubtreeEvidence:
    """What a subtree holds for a question. All shares lie in [0, 1].

    `best` is the key of its best node and `best_score` that node's share of the
    attainable score; `coverage` the share of the question's term weight that occurs
    anywhere in the subtree.
    """

    best: int
    best_score: float
    coverage: float


class EvidenceScorer(Scorer, Protocol):
    """A scorer that can say what its score rests on."""

    def evidence(self, key: int) -> SubtreeEvidence:
        """The evidence of the node's whole subtree."""
        ...


class PrecomputedScorer:
    """A scorer over scores that were worked out before, one per node of the tree.

    A section counts as much as the best node of its subtree, lowered by the question
    words the subtree lacks when `coverage` is given. Scores above 1 are brought into
    [0, 1] by the highest of them.
    """

    def __init__(
        self,
        tree: Tree,
        scores: Sequence[float] | Floats,
        *,
        coverage: "Coverage | None" = None,
        coverage_share: float = COVERAGE_SHARE,
    ) -> None:
        if len(scores) != len(tree):
            raise ValueError(f"Scores are needed for every node: {len(scores)} given for {len(tree)} nodes.")
        self._tree = tree
        self._scores = _unit(np.asarray(scores, dtype=np.float64))
        self._coverage, self._coverage_share = coverage, coverage_share
        self._measured: dict[int, SubtreeEvidence] = {}

    def scores(self, keys: Sequence[int]) -> list[float]:
        """One score in [0, 1] per key."""
        return [self._score(key) for key in keys]

    def evidence(self, key: int) -> SubtreeEvidence:
        """The best node of the subtree and the share of the question it covers."""
        if key not in self._measured:
            self._measured[key] = self._measure(key)
        return self._measured[key]

    def _score(self, key: int) -> float:
        found = self.evidence(key)
        if self._coverage is None:
            return found.best_score
        return found.best_score * (1.0 - self._coverage_share * (1.0 - found.coverage))

    def _measure(self, key: int) -> SubtreeEvidence:
        end = self._tree.subtree_end(key)
        best = key if end == key + 1 else key + int(np.argmax(self._scores[key:end]))
        best_score = float(self._scores[best])
        coverage = best_score if self._coverage is None else self._coverage.share(key, end)
        return SubtreeEvidence(best=best, best_score=best_score, coverage=coverage)


class Coverage:
    """Which question terms occur where: the share of their weight found in a range of keys."""

    def __init__(self, weights: Sequence[float], occurrences: Sequence[npt.NDArray[np.bool_]]) -> None:
        self._weights = np.asarray(weights, dtype=np.float64)
        self._total = float(self._weights.sum())
        # Running counts per term: a range holds a term when the counts at its ends differ.
        self._counts = [np.concatenate(([0], np.cumsum(found))) for found in occurrences]

    def share(self, start: int, end: int) -> float:
        """Share in [0, 1] of the term weight that occurs in keys `start` .. `end - 1`; 0 without terms."""
        if self._total <= 0.0:
            return 0.0
        held = [counts[end] > counts[start] for counts in self._counts]
        return float(self._weights[held].sum() / self._total)


class DocumentScorer(PrecomputedScorer):
    """Scores from everything a compiled document offers: words, table rows, periods, statements, headings.

    The scores are those of `engine.finding.ranking.ranker.node_scores`, the best node's being 1.
    Coverage says how much of the question a subtree holds, and does not enter the score.
    """

    def __init__(self, document: CompiledDocument, query: QueryPlan) -> None:
        tree = document.tree
        scores = node_scores(document, query)
        scores /= max(float(scores.max(initial=0.0)), _TINY)
        super().__init__(tree, scores, coverage=_coverage(tree, Segment(document.segment), query), coverage_share=0.0)


class SegmentScorer(PrecomputedScorer):
    """BM25F (Robertson, Zaragoza and Taylor 2004) over a document's index segment.

    A node's score is its share of what the question could at most attain in this
    document, so that it means the same in a short and in a long one. A section's is
    that of its best descendant, lowered by the question words its subtree lacks.
    """

    def __init__(
        self, tree: Tree, segment: Segment, query: QueryPlan, *, weights: Mapping[str, float] = FIELD_WEIGHTS
    ) -> None:
        attainable = max(segment.attainable(query.terms), _TINY)
        scores = np.zeros(len(tree))
        scores[segment.keys] = segment.scores(query.terms, weights) / attainable
        super().__init__(tree, scores, coverage=_coverage(tree, segment, query))


def _coverage(tree: Tree, segment: Segment, query: QueryPlan) -> Coverage:
    """Terms weigh as in the score: by their weight in the question and how rare they are in the document."""
    statistics = segment.statistics(term.term for term in query.terms)
    terms = [term for term in query.terms if statistics.idf(term.term) > 0.0]
    occurrences = []
    for term in terms:
        found = np.zeros(len(tree), dtype=np.bool_)
        found[segment.keys[segment.postings(term.term).rows]] = True
        occurrences.append(found)
    return Coverage([term.weight * statistics.idf(term.term) for term in terms], occurrences)


def _unit(scores: Floats) -> Floats:
    finite = np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0).clip(min=0.0)
    highest = float(finite.max(initial=0.0))
    return finite / highest if highest > 1.0 else finite
