"""Packing: which candidates fit, in rank order, and why the others were left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class DropReason(StrEnum):
    """Why a candidate is not among the items."""

    BUDGET = "budget"
    LIMIT = "limit"
    CONFIDENCE = "confidence"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate left out: its id, the tokens it would have taken and the reason."""

    id: str
    tokens: int
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Packed:
    """The outcome of packing: ids taken, in rank order, and everything left out, in rank order.

    `len(items) + len(dropped) == candidates_seen`, and `tokens_used` never exceeds the budget.
    """

    items: tuple[str, ...]
    tokens_used: int
    tokens_budget: int | None
    dropped: tuple[Dropped, ...]

    @property
    def candidates_seen(self) -> int:
        """How many candidates were offered."""
        return len(self.items) + len(self.dropped)


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
    budget it is dropped and a later, smaller one may still be taken.
    """
    packer = Packer(token_budget=token_budget, limit=limit)
    items: list[str] = []
    dropped: list[Dropped] = []
    for name, tokens in candidates:
        reason = packer.refusal(tokens)
        if reason is None:
            packer.take(tokens)
            items.append(name)
        else:
            dropped.append(Dropped(name, tokens, reason))
    return Packed(tuple(items), packer.tokens_used, token_budget, tuple(dropped))
