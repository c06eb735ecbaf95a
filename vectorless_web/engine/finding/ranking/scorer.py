"""Scores of a document's nodes in [0, 1] for one question, with the evidence of whole subtrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.ranking.ranker import node_scores
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan

Floats = npt.NDArray[np.float64]


class Scorer(Protocol):
    """Scores nodes for one question over one tree."""

    def scores(self, keys: Sequence[int]) -> list[float]:
        """One score in [0, 1] per key, in the same order; 0 for a node that says nothing of the question."""
        ...


@dataclass(frozen=True, slots=True)
class SubtreeEvidence:
    """What a subtree holds for a question: the key of its best node, that node's score, and the share of the
    question's term weight that occurs anywhere in the subtree. Both in [0, 1]."""

    best: int
    best_score: float
    coverage: float


class EvidenceScorer(Scorer, Protocol):
    """A scorer that can say what its score rests on."""

    def evidence(self, key: int) -> SubtreeEvidence:
        """The evidence of the node's whole subtree."""
        ...


class TreeScorer:
    """A scorer over given scores, one per node of the tree; a section counts as much as the best node below it.

    Scores above 1 are brought into [0, 1] by the highest of them. `found` says for each term of the question at which
    keys it occurs, `weights` what it counts.
    """

    def __init__(
        self,
        tree: Tree,
        scores: Sequence[float] | Floats,
        *,
        weights: Sequence[float] = (),
        found: Sequence[npt.NDArray[np.bool_]] = (),
    ) -> None:
        if len(scores) != len(tree):
            raise ValueError(f"Scores are needed for every node: {len(scores)} given for {len(tree)} nodes.")
        self._tree = tree
        finite = np.nan_to_num(np.asarray(scores, np.float64), nan=0.0, posinf=0.0, neginf=0.0).clip(min=0.0)
        self._scores = finite / max(1.0, float(finite.max(initial=0.0)))
        self._weights = np.asarray(weights, np.float64)
        # Running counts per term: a subtree holds a term when the counts at its ends differ.
        self._counts = [np.concatenate(([0], np.cumsum(each))) for each in found]
        self._measured: dict[int, SubtreeEvidence] = {}

    def scores(self, keys: Sequence[int]) -> list[float]:
        """One score in [0, 1] per key."""
        return [self.evidence(key).best_score for key in keys]

    def evidence(self, key: int) -> SubtreeEvidence:
        """The best node of the subtree and the share of the question it covers."""
        if key not in self._measured:
            end = self._tree.subtree_end(key)
            best = key + int(np.argmax(self._scores[key:end]))
            score, total = float(self._scores[best]), float(self._weights.sum())
            held = [counts[end] > counts[key] for counts in self._counts]
            coverage = float(self._weights[held].sum()) / total if total > 0 else score
            self._measured[key] = SubtreeEvidence(best, score, coverage)
        return self._measured[key]


class DocumentScorer(TreeScorer):
    """Scores from everything a compiled document offers: words, table rows, periods, statements, headings.

    The scores are those of `node_scores`, the best node's being 1. How much of the question a subtree covers does not
    enter its score; terms weigh there by their weight in the question and how rare they are in the document.
    """

    def __init__(self, document: CompiledDocument, plan: QueryPlan, *, lexicon: Lexicon | None = None) -> None:
        self.document, self.plan = document, plan
        scores, segment = node_scores(document, plan, lexicon=lexicon), Segment(document.segment)
        statistics = segment.statistics(term.term for term in plan.terms)
        terms = [term for term in plan.terms if statistics.idf(term.term) > 0.0]
        found = np.zeros((len(terms), len(document.tree)), np.bool_)
        for row, term in zip(found, terms, strict=True):
            row[segment.keys[segment.postings(term.term).rows]] = True
        weights = [term.weight * statistics.idf(term.term) for term in terms]
        best = float(scores.max(initial=0.0))
        super().__init__(document.tree, scores / best if best > 0 else scores, weights=weights, found=list(found))
