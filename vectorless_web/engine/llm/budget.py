"""What the model calls of one run may cost: reserved before a call, settled after it, safe under threads."""

import threading
from dataclasses import dataclass

from vectorless_web.engine.errors import ModelBudgetSpent
from vectorless_web.engine.llm.model import Usage


def expected_tokens(text: str) -> int:
    """Tokens a text may cost, on the safe side: one for every three bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


@dataclass(frozen=True, slots=True)
class Keep:
    """Calls and tokens that a lesser call must leave for the ones that matter more."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens and money set aside for one call."""

    tokens: int
    cost_usd: float


class ModelBudget:
    """Calls, tokens and money of a run. `usd_per_token` prices a call before it is made; 0 when unknown."""

    def __init__(self, *, calls: int, tokens: int, money_usd: float | None = None, usd_per_token: float = 0.0) -> None:
        self._calls_left = calls
        self._tokens_left = tokens
        self._money_left = money_usd
        self._usd_per_token = usd_per_token
        self._lock = threading.Lock()
        self.calls = 0
        self.tokens = 0
        self.cost_usd = 0.0

    def reserve(self, tokens: int, *, keep: Keep = Keep()) -> Reservation:
        """Set aside what a call may cost beside what is to be kept; ModelBudgetSpent names what is spent."""
        cost = tokens * self._usd_per_token
        with self._lock:
            if self._calls_left < 1 + keep.calls:
                raise ModelBudgetSpent("The run has used all its model calls.")
            if tokens + keep.tokens > self._tokens_left:
                raise ModelBudgetSpent("The next model call would exceed the run's tokens.")
            if self._money_left is not None and (cost > self._money_left or self._money_left <= 0):
                raise ModelBudgetSpent("The next model call would exceed the run's budget.")
            self._calls_left -= 1
            self._tokens_left -= tokens
            if self._money_left is not None:
                self._money_left -= cost
        return Reservation(tokens, cost)

    def settle(self, reserved: Reservation, usage: Usage) -> None:
        """Replace a reservation by what the call really cost."""
        spent = usage.tokens_in + usage.tokens_out
        with self._lock:
            self.calls += 1
            self.tokens += spent
            self.cost_usd += usage.cost_usd
            self._tokens_left += reserved.tokens - spent
            if self._money_left is not None:
                self._money_left += reserved.cost_usd - usage.cost_usd

    def spent(self) -> Usage:
        """Tokens and money settled so far; `tokens_in` holds the tokens of both ways."""
        with self._lock:
            return Usage(self.tokens, 0, self.cost_usd)
