"""Reranking: a second opinion on the first candidates, which may fail without harm."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.retriever.ranking import Scored, ranked

RERANK_TOP_K = 25


class Reranker(Protocol):
    """Scores texts against a query, one score a text in their order; `name` identifies it.

    Raises only errors of the EngineError tree.
    """

    name: str

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Relevance of each text, higher is better, in any range."""
        ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """The candidates after reranking, and the reranker's own scores by id; `failed` when the order was kept."""

    candidates: list[Scored]
    scores: dict[str, float]
    failed: bool = False


def rerank(
    candidates: Sequence[Scored], texts: Sequence[str], *, query: str, reranker: Reranker, top_k: int = RERANK_TOP_K
) -> Reranked:
    """Let the reranker order the first `top_k` candidates; `texts` are their renderings, in the same order.

    Scores of the head are replaced, ties go to the smaller id, the tail keeps order and
    scores. An error, a wrong number of scores or a score that is not finite changes
    nothing and sets `failed`.
    """
    head = list(candidates[: max(top_k, 0)])
    if not head:
        return Reranked(list(candidates), {})
    scores = _scores(reranker, query, texts[: len(head)])
    if scores is None or len(scores) != len(head):
        return Reranked(list(candidates), {}, failed=True)
    judged = {name: score for (name, _), score in zip(head, scores, strict=True)}
    return Reranked([*ranked(judged.items()), *candidates[len(head) :]], judged)


def _scores(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float] | None:
    try:
        scores = [float(score) for score in reranker.rerank(query, texts)]
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
        asked = _words(query)
        return [_jaccard(asked, _words(text)) for text in texts]


def _words(text: str) -> frozenset[str]:
    spaced = "".join(character if character.isalnum() else " " for character in text)
    return frozenset(spaced.lower().split())


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    union = len(a | b)
    return len(a & b) / union if union else 0.0
