"""Reranking of the first candidates (a failure keeps the fused order), and choice of diverse evidence."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.retrieval.corpus import CorpusNode, unit_rows
from vectorless_web.engine.retrieval.fusion import Identifier, Scored, round_score, sort_scored

RERANK_TOP_K = 25
"""Candidates, the best ones, that a reranker orders. Chosen by hand: a reranker reads the text of each."""


class Reranker(Protocol):
    """Scores texts against a query, one score a text in their order; `name` identifies it.

    Raises only errors of the EngineError tree.
    """

    name: str

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Relevance of each text, higher is better, in any range."""
        ...


@runtime_checkable
class NodeReranker(Protocol):
    """Scores nodes against a query, one score a node in their order; `name` identifies it.

    Raises only errors of the EngineError tree.
    """

    name: str

    def rerank_nodes(self, query: str, nodes: Sequence[CorpusNode]) -> Sequence[float]:
        """Relevance of each node, higher is better, in any range."""
        ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """The candidates after reranking, and the reranker's own scores by id; `failed` when the order was kept."""

    candidates: list[Scored]
    scores: dict[Identifier, float]
    failed: bool = False


def rerank(
    candidates: Sequence[Scored], texts: Sequence[str], *, query: str, reranker: Reranker, top_k: int = RERANK_TOP_K
) -> Reranked:
    """Let the reranker order the first `top_k` candidates; `texts` are their renderings, in the same order.

    Scores of the head are replaced, ties go to the smaller id, the tail keeps order and
    scores. An error, a wrong number of scores or a score that is not finite changes
    nothing and sets `failed`.
    """
    return reorder(candidates, lambda: reranker.rerank(query, texts[: max(top_k, 0)]), top_k=top_k)


def reorder(candidates: Sequence[Scored], score: Callable[[], Sequence[float]], *, top_k: int) -> Reranked:
    """As `rerank`, with scores from a function, which is called only if there are candidates."""
    head = list(candidates[: max(top_k, 0)])
    if not head:
        return Reranked(list(candidates), {})
    scores = _usable_scores(score)
    if scores is None or len(scores) != len(head):
        return Reranked(list(candidates), {}, failed=True)
    judged = {name: score for (name, _), score in zip(head, scores, strict=True)}
    return Reranked([*sort_scored(judged.items()), *candidates[len(head) :]], judged)


def _usable_scores(score: Callable[[], Sequence[float]]) -> list[float] | None:
    try:
        scores = [float(value) for value in score()]
    except EngineError:
        return None
    return scores if all(map(math.isfinite, scores)) else None


class JaccardReranker:
    """Scores |Q and C| / |Q or C| over lower-cased alphanumeric runs: a cheap, deterministic keyword measure.

    Source: Jaccard 1912. Two texts without words score 0.
    """

    name = "jaccard"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Jaccard similarity of each text to the query, in [0, 1]."""
        asked = _split_words(query)
        return [_jaccard(asked, _split_words(text)) for text in texts]


def _split_words(text: str) -> frozenset[str]:
    spaced = "".join(character if character.isalnum() else " " for character in text)
    return frozenset(spaced.lower().split())


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    union = len(a | b)
    return len(a & b) / union if union else 0.0


@dataclass(frozen=True, slots=True)
class DiversityCandidate:
    """A text that may be picked: its relevance and its vector, of the same length in all pieces or empty for none."""

    text: str
    relevance: float
    vector: Sequence[float]


def select_diverse(pieces: Sequence[DiversityCandidate], k: int, *, diversity: float = 0.5) -> list[tuple[str, float]]:
    """Pick up to k pieces by maximal marginal relevance: (text, effective score at the time of picking).

    effective = (1 - d) x relevance - d x greatest cosine to what is picked, that cosine
    clamped to [0, 1] and d to [0, 1]; ties go to the smaller text; d = 0 is plain
    relevance order. The default 0.5 weighs relevance and novelty alike. Source: Carbonell and Goldstein, SIGIR 1998.
    """
    left = sorted(pieces, key=lambda piece: piece.text)
    if not left or k <= 0:
        return []
    weight = min(max(diversity, 0.0), 1.0)
    units = _units([piece.vector for piece in left])
    redundancy = np.zeros(len(left))
    waiting = list(range(len(left)))
    picked: list[tuple[str, float]] = []
    while waiting and len(picked) < k:
        effective = {i: round_score((1 - weight) * left[i].relevance - weight * float(redundancy[i])) for i in waiting}
        best = max(waiting, key=lambda i: (effective[i], -i))
        waiting.remove(best)
        picked.append((left[best].text, effective[best]))
        redundancy = np.maximum(redundancy, np.clip(units @ units[best], 0.0, 1.0))
    return picked


def _units(vectors: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """One unit row a vector, (n, longest); a vector of another length is like nothing, so its row is zero."""
    width = max(map(len, vectors))
    rows = [vector if len(vector) == width else [0.0] * width for vector in vectors]
    return unit_rows(np.array(rows, np.float64).reshape(len(rows), width))
