"""Ranks pages and nodes by the fitted weights of their signals, and scores the nodes of one document."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.finding.ranking.profile import DocumentProfile
from vectorless_web.engine.finding.ranking.signals import Signals, measure_signals, scale_to_best
from vectorless_web.engine.index.scoring import DIGITS, Floats
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.questions.plan import QueryPlan

WEIGHTS = Path(__file__).with_name("weights.json")
"""The fitted weights; `benchmarks/fit_ranker.py` writes them."""


@dataclass(frozen=True)
class Weights:
    """What each signal counts, by name: of pages, of nodes, and of the sentences of the best nodes."""

    page: Mapping[str, float]
    node: Mapping[str, float]
    sentence: Mapping[str, float]


@cache
def load_weights() -> Weights:
    """The weights as they were fitted."""
    return Weights(**json.loads(WEIGHTS.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One document's signals with the scores of its pages and of its index rows.

    Both are shares of the best of all documents ranked together, 0 where no word of the question stands.
    `node_signals` are those of the index rows, the score of the page each stands on among them.
    """

    profile: DocumentProfile
    page_signals: Signals
    node_signals: Signals
    pages: Floats
    rows: Floats


def rank_documents(profiles: Sequence[DocumentProfile], plan: QueryPlan) -> tuple[RankedDocument, ...]:
    """The documents with their pages and nodes scored together."""
    weights = load_weights()
    measured = measure_signals(profiles, plan)
    pages = scale_to_best([weigh_signals(signals, weights.page).clip(min=0.0) for signals, _ in measured])
    nodes = [
        {**signals, "page": on_page[profile.page_of_row]}
        for profile, (_, signals), on_page in zip(profiles, measured, pages, strict=True)
    ]
    rows = _scale_rows(nodes, [weigh_signals(signals, weights.node) for signals in nodes])
    return tuple(
        RankedDocument(profile, of_pages, of_nodes, *scores)
        for profile, (of_pages, _), of_nodes, *scores in zip(profiles, measured, nodes, pages, rows, strict=True)
    )


def weigh_signals(signals: Signals, weights: Mapping[str, float]) -> Floats:
    """The weighted sum of the signals that have a weight."""
    total = np.zeros(len(next(iter(signals.values()))))
    for name, weight in weights.items():
        if name in signals:
            total += weight * signals[name]
    return total


def _scale_rows(nodes: Sequence[Signals], rows: Sequence[Floats]) -> list[Floats]:
    """Scores in [0, 1]: of the rows that speak of the question the lowest is near 0 and the best 1; the others 0."""
    speaks = [(signals["words"] > 0) | (signals["figures"] > 0) for signals in nodes]
    held = np.concatenate([row[said] for row, said in zip(rows, speaks, strict=True)] or [np.zeros(0)])
    if not len(held):
        return [np.zeros(len(row)) for row in rows]
    low, high = float(held.min()) - 1.0, float(held.max())
    scaled: list[Floats] = [np.zeros(len(row)) for row in rows]
    for shares, row, said in zip(scaled, rows, speaks, strict=True):
        shares[said] = np.round((row[said] - low) / (high - low), DIGITS)
    return scaled


@lru_cache(maxsize=16)
def profile_of(document: CompiledDocument) -> DocumentProfile:
    """The document's profile, kept for the documents used last."""
    return DocumentProfile(document)


@lru_cache(maxsize=8)
def _keep_ranking(profiles: tuple[DocumentProfile, ...], plan: QueryPlan) -> tuple[RankedDocument, ...]:
    return rank_documents(profiles, plan)


def rank_all(documents: Sequence[CompiledDocument], plan: QueryPlan) -> tuple[RankedDocument, ...]:
    """The documents ranked together; kept for the questions asked last, since pages, nodes and passages share it."""
    return _keep_ranking(tuple(map(profile_of, documents)), plan)


def node_scores(document: CompiledDocument, plan: QueryPlan) -> Floats:
    """One score in [0, 1] for each node of the tree, by key; 0 for those that say nothing of the question."""
    ranked = rank_all([document], plan)[0]
    scores = np.zeros(len(document.tree))
    scores[ranked.profile.keys] = ranked.rows
    return scores


@dataclass(frozen=True, slots=True)
class SubtreeEvidence:
    """What a subtree holds for a question: the key of its best node, that node's score, and the share of the
    question's term weight that occurs anywhere in the subtree. Both in [0, 1]."""

    best: int
    best_score: float
    coverage: float


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
        """One score in [0, 1] per key, in the same order; 0 for a node that says nothing of the question."""
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

    def __init__(self, document: CompiledDocument, plan: QueryPlan) -> None:
        self.document, self.plan = document, plan
        scores, segment = node_scores(document, plan), Segment(document.segment)
        statistics = segment.statistics(term.term for term in plan.terms)
        terms = [term for term in plan.terms if statistics.idf(term.term) > 0.0]
        found = np.zeros((len(terms), len(document.tree)), np.bool_)
        for row, term in zip(found, terms, strict=True):
            row[segment.keys[segment.postings(term.term).rows]] = True
        weights = [term.weight * statistics.idf(term.term) for term in terms]
        best = float(scores.max(initial=0.0))
        super().__init__(document.tree, scores / best if best > 0 else scores, weights=weights, found=list(found))
