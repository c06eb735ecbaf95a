"""Packing: which candidates fit, in rank order, and why the others were left out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class DropReason(StrEnum):
    """Why a candidate is not among the items."""

    BUDGET = "budget"
    LIMIT = "limit"
    CONFIDENCE = "confidence"


class Dropped(NamedTuple):
    """A candidate left out: its id, the tokens it would have taken and the reason.

    In a RetrievalResult the tokens are 0 for what was never rendered: beyond the limit or
    below the floor.
    """

    id: str
    tokens: int
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Packed:
    """The outcome of packing: ids taken, in rank order, and everything left out, in rank order.

    `len(items) + len(dropped) == candidates_seen`, and `tokens_used` never exceeds the
    budget. The left-out are held as three parallel tuples: thousands of small objects
    would cost a garbage collection.
    """

    items: tuple[str, ...]
    tokens_used: int
    tokens_budget: int | None
    dropped_ids: tuple[str, ...]
    dropped_tokens: tuple[int, ...]
    reasons: tuple[DropReason, ...]

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Every candidate left out, with its reason."""
        return tuple(map(Dropped, self.dropped_ids, self.dropped_tokens, self.reasons))

    @property
    def candidates_seen(self) -> int:
        """How many candidates were offered."""
        return len(self.items) + len(self.dropped_ids)


class Packer:
    """Takes candidates one by one in rank order; greedy, never reordered for a better fit."""

    def __init__(self, *, token_budget: int | None = None, limit: int | None = None) -> None:
        self.tokens_used = 0
        self._budget = token_budget
        self._limit = limit
        self._taken = 0

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached, so that nothing more can be taken."""
        return self._limit is not None and self._taken >= self._limit

    def refusal(self, tokens: int) -> DropReason | None:
        """Why a candidate of that size cannot be taken now, or None when it can."""
        if self.is_full:
            return DropReason.LIMIT
        if self._budget is not None and self.tokens_used + tokens > self._budget:
            return DropReason.BUDGET
        return None

    def take(self, tokens: int) -> None:
        """Count a candidate as taken."""
        self.tokens_used += tokens
        self._taken += 1


def pack(candidates: Iterable[tuple[str, int]], *, token_budget: int | None = None, limit: int | None = None) -> Packed:
    """Pack (id, tokens) candidates in rank order; None is no bound.

    When the limit is reached a candidate is dropped; when it does not fit the remaining
    budget it is dropped and a later, smaller one may still be taken. The order is never
    changed for a better fit. Source: first fit in rank order; no optimal knapsack is sought,
    so that a better candidate never gives way to a worse one.
    """
    left = math.inf if token_budget is None else token_budget
    most = math.inf if limit is None else limit
    items: list[str] = []
    dropped: list[str] = []
    sizes: list[int] = []
    reasons: list[DropReason] = []
    used = 0
    for name, tokens in candidates:
        if len(items) < most and used + tokens <= left:
            used += tokens
            items.append(name)
            continue
        dropped.append(name)
        sizes.append(tokens)
        reasons.append(DropReason.LIMIT if len(items) >= most else DropReason.BUDGET)
    return Packed(tuple(items), used, token_budget, tuple(dropped), tuple(sizes), tuple(reasons))
