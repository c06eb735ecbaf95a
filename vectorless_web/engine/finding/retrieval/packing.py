"""What a model is shown of the candidates: the first reranked, diverse evidence chosen, packed; why others fell out."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.errors import EngineError
from vectorless_web.engine.finding.retrieval.corpus import CorpusNode, PropertyValue
from vectorless_web.engine.finding.retrieval.lanes import SCORE_DIGITS, Identifier, Scored, sort_scored, unit_rows

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


class RerankFailed(EngineError):
    """Raised by a reranker that cannot score; the retriever then keeps the fused order and warns."""

    code = "rerank_failed"
    retryable = True


@dataclass(frozen=True, slots=True)
class Reranked:
    """The candidates after reranking, and the reranker's own scores by id; `failed` when the order was kept."""

    candidates: list[Scored]
    scores: dict[Identifier, float]
    failed: bool = False


def rerank(
    candidates: Sequence[Scored], texts: Iterable[str], *, query: str, reranker: Reranker, top_k: int = RERANK_TOP_K
) -> Reranked:
    """Let the reranker order the first `top_k` candidates; `texts` are their renderings, in the same order.

    Scores of the head are replaced, ties go to the smaller id, the tail keeps order and scores. An error, a wrong
    number of scores or a score that is not finite changes nothing and sets `failed`.
    """
    head = list(candidates[: max(top_k, 0)])
    if not head:
        return Reranked(list(candidates), {})
    try:
        scores = [float(value) for value in reranker.rerank(query, list(islice(texts, len(head))))]
    except EngineError:
        scores = []
    if len(scores) != len(head) or not all(map(math.isfinite, scores)):
        return Reranked(list(candidates), {}, failed=True)
    judged = {name: score for (name, _), score in zip(head, scores, strict=True)}
    return Reranked([*sort_scored(judged.items()), *candidates[len(head) :]], judged)


class JaccardReranker:
    """Scores |Q and C| / |Q or C| over lower-cased alphanumeric runs: a cheap, deterministic keyword measure.

    Source: Jaccard 1912. Two texts without words score 0.
    """

    name = "jaccard"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Jaccard similarity of each text to the query, in [0, 1]."""
        asked = _split_words(query)
        return [len(asked & found) / max(len(asked | found), 1) for found in map(_split_words, texts)]


def _split_words(text: str) -> frozenset[str]:
    spaced = "".join(character if character.isalnum() else " " for character in text)
    return frozenset(spaced.lower().split())


@dataclass(frozen=True, slots=True)
class DiversityCandidate:
    """A text that may be picked: its relevance and its vector, of the same length in all pieces or empty for none."""

    text: str
    relevance: float
    vector: Sequence[float]


def select_diverse(pieces: Sequence[DiversityCandidate], k: int, *, diversity: float = 0.5) -> list[tuple[str, float]]:
    """Pick up to k pieces by maximal marginal relevance: (text, effective score at the time of picking).

    effective = (1 - d) x relevance - d x greatest cosine to what is picked, that cosine and d clamped to [0, 1]; ties
    go to the smaller text. The default 0.5 weighs relevance and novelty alike. Source: Carbonell and Goldstein, SIGIR
    1998.
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
        merits = ((i, (1 - weight) * left[i].relevance - weight * float(redundancy[i])) for i in waiting)
        effective = {i: round(merit, SCORE_DIGITS) for i, merit in merits}
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


class DropReason(StrEnum):
    """Why a candidate is not among the items."""

    BUDGET = "budget"
    LIMIT = "limit"
    CONFIDENCE = "confidence"


class Dropped(NamedTuple):
    """A candidate left out: its id, the tokens it would have taken and the reason.

    In a RetrievalResult the tokens are 0 for what was never rendered: beyond the limit or below the floor.
    """

    id: Identifier
    tokens: int
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Packed:
    """The outcome of packing: ids taken and candidates left out, both in rank order.

    `len(items) + len(dropped) == candidates_seen`, and `tokens_used` never exceeds the budget.
    """

    items: tuple[Identifier, ...]
    tokens_used: int
    tokens_budget: int | None
    dropped: tuple[Dropped, ...]

    @property
    def candidates_seen(self) -> int:
        """How many candidates were offered."""
        return len(self.items) + len(self.dropped)


def pack(
    candidates: Iterable[tuple[Identifier, int]],
    *,
    token_budget: int | None = None,
    limit: int | None = None,
    count: Callable[[Identifier], int] | None = None,
) -> Packed:
    """Pack (id, tokens) candidates in rank order; None is no bound.

    When the limit is reached a candidate is dropped; when it does not fit the remaining budget it is dropped and a
    later, smaller one may still be taken. The order is never changed for a better fit. With `count` the tokens are
    counted by it, and only of candidates that the limit leaves room for. Source: first fit in rank order; no optimal
    knapsack is sought, so that a better candidate never gives way to a worse one.
    """
    left = math.inf if token_budget is None else token_budget
    most = math.inf if limit is None else limit
    items: list[Identifier] = []
    dropped: list[Dropped] = []
    used = 0
    for name, given in candidates:
        if len(items) >= most:
            dropped.append(Dropped(name, given, DropReason.LIMIT))
            continue
        tokens = given if count is None else count(name)
        if used + tokens <= left:
            used += tokens
            items.append(name)
        else:
            dropped.append(Dropped(name, tokens, DropReason.BUDGET))
    return Packed(tuple(items), used, token_budget, tuple(dropped))


SUMMARY_CAP = 8192
"""Characters of a node's text and of its context that are shown at most: about 2,000 tokens, a quarter of the default
budget of evidence (8,000 tokens), so that one node cannot fill it alone."""
BUILT_IN = frozenset({"ntype", "id", "context", "summary"})
_LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_RARE_BREAK = re.compile(r"[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ESCAPES = {ord(mark): mark.encode("unicode_escape").decode("ascii") for mark in _LINE_BREAKS} | {ord("\\"): "\\\\"}


def render_node(node: CorpusNode, *, cap: int = SUMMARY_CAP) -> str:
    """Lines ntype, id, context, summary, then scalar properties by name in UTF-8 byte order; each ends in a newline.

    Context and summary are cut to `cap` characters. Lists, maps, bytes, links, null, NaN and infinities are left out.
    Backslashes are doubled and everything at which `str.splitlines` breaks is escaped, so a value never starts a line
    of its own; a property named like a built-in field is written `prop.<name>`.
    """
    lines = [_line("ntype", node.ntype), _line("id", str(node.id))]
    if node.context is not None:
        lines.append(_line("context", clip(node.context, cap)))
    if node.summary is not None:
        lines.append(_line("summary", clip(node.summary, cap)))
    for name in sorted(node.properties):
        value = scalar(node.properties[name])
        if value is not None:
            lines.append(_line(_property_name(name), value))
    return "".join(lines)


def render_node_with_adjacency(
    node: CorpusNode,
    *,
    outgoing: Sequence[tuple[str, Identifier]] = (),
    incoming: Sequence[tuple[str, Identifier]] = (),
    cap: int = 10,
    summary_cap: int = SUMMARY_CAP,
) -> str:
    """`render_node` followed by its edges, (type, other id) pairs in the order given, at most `cap` a direction.

    A direction without edges has no header; one with more than `cap` ends in `  ... (+N more)`.
    """
    return (
        render_node(node, cap=summary_cap)
        + _edge_block("Outgoing:", "->", outgoing, cap)
        + _edge_block("Incoming:", "<-", incoming, cap)
    )


def _edge_block(header: str, arrow: str, edges: Sequence[tuple[str, Identifier]], cap: int) -> str:
    if not edges:
        return ""
    shown = max(cap, 0)
    lines = [f"  {escape(kind)} {arrow} {escape(str(other))}\n" for kind, other in edges[:shown]]
    if len(edges) > shown:
        lines.append(f"  ... (+{len(edges) - shown} more)\n")
    return f"{header}\n{''.join(lines)}"


def clip(text: str, cap: int) -> str:
    """The first `cap` characters, with ` <...+N chars>` after them when N were cut."""
    cap = max(cap, 0)
    return text if len(text) <= cap else f"{text[:cap]} <...+{len(text) - cap} chars>"


def escape(text: str) -> str:
    """The text on one line: a backslash becomes two, each line break its escape."""
    # Nearly all texts have line feeds alone, for which replacing is many times quicker than a table.
    if _RARE_BREAK.search(text):
        return text.translate(_ESCAPES)
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def scalar(value: PropertyValue) -> str | None:
    """A string, integer, float or boolean as text; None for everything that is not shown."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # The shortest decimal that reads back as this float, without exponent or trailing `.0`.
        return format(Decimal(repr(value)), "f").removesuffix(".0") if math.isfinite(value) else None
    return str(value) if isinstance(value, str | int) else None


def _line(key: str, value: str) -> str:
    return f"{key}: {escape(value)}\n"


@lru_cache(maxsize=256)
def _property_name(name: str) -> str:
    # What stands before the first colon is what a reader takes for the key.
    reserved = name.split(":", 1)[0].strip() in BUILT_IN
    return escape(f"prop.{name}" if reserved else name)
