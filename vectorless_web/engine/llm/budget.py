"""What the model calls of one run may cost: reserved before a call, settled after it, safe under threads."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vectorless_web.engine.errors import ModelBudgetSpent, ModelError, ModelStopped
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage


def expected_tokens(text: str) -> int:
    """Tokens a text may cost, on the safe side: one for every three bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


def expected_message_tokens(message: Message) -> int:
    """Tokens a message may cost with its pictures, on the safe side."""
    return expected_tokens(message.content) + sum(picture.tokens for picture in message.pictures)


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

    def sum_spending(self) -> Usage:
        """Tokens and money settled so far; `tokens_in` holds the tokens of both ways."""
        with self._lock:
            return Usage(self.tokens, 0, self.cost_usd)


class CostBudget(Protocol):
    """Money (US dollars) that several runs spend at the same time. Thread-safe."""

    def reserve(self, usd: float) -> bool:
        """Put aside what a call may cost; false when there is not that much left."""
        ...

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Give back what was put aside and take what was really spent."""
        ...


class UnlimitedBudget:
    """Pays for everything."""

    def reserve(self, usd: float) -> bool:
        """Always enough."""
        return True

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Nothing to book."""


class MeteredModel:
    """Makes a call only when the budget covers what it may cost and the model's context holds it.

    A call is priced beforehand by its expected tokens and the whole reply; a refused one
    is ModelBudgetSpent and never reaches the model. A failed call costs what had come of it.
    `context_tokens` None is a model whose context nobody stated.
    """

    def __init__(
        self, model: ChatModel, *, cost_budget: CostBudget, usd_per_token: float, context_tokens: int | None = None
    ) -> None:
        self.name = model.name
        self._model = model
        self._cost_budget = cost_budget
        self._usd_per_token = usd_per_token
        self._context_tokens = context_tokens

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The model's reply, paid for. ModelBudgetSpent when it is not asked at all."""
        reserved, spent = self._reserve_call(messages, max_tokens), 0.0
        try:
            reply = self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
            spent = reply.usage.cost_usd
        except (ModelError, ModelStopped) as error:
            spent = error.partial.cost_usd
            raise
        finally:
            self._cost_budget.settle(reserved, spent)
        return reply

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply in one piece: what it cost is known at its end only."""
        yield self.complete(messages, max_tokens=max_tokens, temperature=temperature).text

    def _reserve_call(self, messages: Sequence[Message], max_tokens: int) -> float:
        tokens = sum(map(expected_message_tokens, messages)) + max_tokens
        if self._context_tokens is not None and tokens > self._context_tokens:
            raise ModelBudgetSpent("The request is longer than what the model can read at once.")
        usd = tokens * self._usd_per_token
        if not self._cost_budget.reserve(usd):
            raise ModelBudgetSpent("The budget for models does not cover the next call.")
        return usd
