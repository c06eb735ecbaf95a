"""What model calls may cost: reserved before a call, settled after it, safe under threads.

There are two of these. A run's own budget (`ModelBudget`, and within it the pilots' `PilotBudget`) counts what the
run waits for, in memory. The money of a workspace (`CostBudget`) is shared by processes and paid beneath the call
itself: a reply that comes when its run has given it up is paid for nevertheless.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from vectorless_web.engine.errors import ModelBudgetSpent, ModelError, ModelStopped
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage

BUDGET_SHORT = "The budget for models does not cover the next call. An owner can raise it."
"""What is said of a call that the workspace's money does not pay for."""


def expected_tokens(text: str) -> int:
    """Tokens a text may cost, on the safe side: one for every three bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


def expected_message_tokens(message: Message) -> int:
    """Tokens a message may cost with its pictures, on the safe side."""
    return expected_tokens(message.content) + sum(picture.tokens for picture in message.pictures)


@dataclass(frozen=True, slots=True)
class Keep:
    """Calls and tokens that a less important call must leave for the more important ones."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens and money (US dollars) held for one call until it is settled."""

    number: int
    tokens: int
    cost_usd: float


class Ledger:
    """What the calls of one budget have spent and hold: the bookkeeping of every budget in memory. Not locked.

    `made` counts calls when they are reserved, so that calls side by side can't overdraw together; `calls` those
    that are booked.
    """

    def __init__(self) -> None:
        self.made = self.calls = self.tokens = 0
        self.cost_usd = 0.0
        self._held: dict[int, Reservation] = {}

    @property
    def held_tokens(self) -> int:
        """Tokens that are held and not settled yet."""
        return sum(reservation.tokens for reservation in self._held.values())

    @property
    def committed_tokens(self) -> int:
        """Tokens that are spent or held."""
        return self.tokens + self.held_tokens

    @property
    def committed_usd(self) -> float:
        """Money that is spent or held."""
        return self.cost_usd + sum(reservation.cost_usd for reservation in self._held.values())

    def hold(self, tokens: int, cost_usd: float) -> Reservation:
        """Hold what one more call may cost."""
        self.made += 1
        reservation = self._held[self.made] = Reservation(self.made, tokens, cost_usd)
        return reservation

    def settle(self, reservation: Reservation, *, tokens: int, cost_usd: float) -> bool:
        """Replace what was held by what was used; false, and nothing changed, when it was settled before."""
        if self._held.pop(reservation.number, None) is None:
            return False
        self.book(tokens=tokens, cost_usd=cost_usd)
        return True

    def book(self, *, tokens: int, cost_usd: float) -> None:
        """Add what a call has used for which nothing was held."""
        self.calls += 1
        self.tokens += tokens
        self.cost_usd += cost_usd


class ModelBudget:
    """Calls, tokens and money of a run. `usd_per_token` prices a call before it is made; 0 when unknown."""

    def __init__(self, *, calls: int, tokens: int, money_usd: float | None = None, usd_per_token: float = 0.0) -> None:
        self._limits = Keep(calls, tokens)
        self._money_usd = money_usd
        self._usd_per_token = usd_per_token
        self._ledger = Ledger()
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        """Calls that are settled or booked."""
        return self._ledger.calls

    @property
    def tokens(self) -> int:
        """Tokens of those calls."""
        return self._ledger.tokens

    def reserve(self, tokens: int, *, keep: Keep = Keep()) -> Reservation:
        """Reserve what a call may cost and leave `keep` unspent. ModelBudgetSpent names the limit that was reached."""
        cost = tokens * self._usd_per_token
        with self._lock:
            if self._ledger.made + 1 + keep.calls > self._limits.calls:
                raise ModelBudgetSpent("The run has used all its model calls.")
            if self._ledger.committed_tokens + tokens + keep.tokens > self._limits.tokens:
                raise ModelBudgetSpent("The next model call would exceed the run's tokens.")
            if self._is_money_short(cost):
                raise ModelBudgetSpent("The next model call would exceed the run's budget.")
            return self._ledger.hold(tokens, cost)

    def settle(self, reserved: Reservation, usage: Usage) -> None:
        """Replace a reservation by what the call really cost. Settling twice changes nothing."""
        with self._lock:
            self._ledger.settle(reserved, tokens=usage.tokens_in + usage.tokens_out, cost_usd=usage.cost_usd)

    @contextmanager
    def lend(self, calls: int, tokens: int) -> Iterator[None]:
        """Calls and tokens for what is done in the context; what is spent there leaves the rest of the budget whole."""
        with self._lock:
            before, made, spent = self._limits, self._ledger.made, self._ledger.tokens
            self._limits = Keep(before.calls + calls, before.tokens + tokens)
        try:
            yield
        finally:
            with self._lock:
                used = Keep(self._ledger.made - made, self._ledger.tokens - spent)
                self._limits = Keep(before.calls + used.calls, before.tokens + used.tokens)

    def book(self, usage: Usage) -> None:
        """Count a call of an earlier run that needs no reservation."""
        with self._lock:
            self._ledger.book(tokens=usage.tokens_in + usage.tokens_out, cost_usd=usage.cost_usd)

    def sum_spending(self) -> Usage:
        """Tokens and money settled so far; `tokens_in` holds the tokens of both ways."""
        with self._lock:
            return Usage(self._ledger.tokens, 0, self._ledger.cost_usd)

    def _is_money_short(self, cost: float) -> bool:
        if self._money_usd is None:
            return False
        left = self._money_usd - self._ledger.committed_usd
        return cost > left or left <= 0


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


@contextmanager
def pay_call(cost_budget: CostBudget, usd: float) -> Iterator[Callable[[float], None]]:
    """Context of one paid call: reserves `usd`, yields a function that takes the real price, settles at the end.

    ModelBudgetSpent when the budget lacks the money; a call of which no price is told costs nothing.
    """
    if not cost_budget.reserve(usd):
        raise ModelBudgetSpent(BUDGET_SHORT)
    spent = 0.0

    def tell_price(cost_usd: float) -> None:
        nonlocal spent
        spent = cost_usd

    try:
        yield tell_price
    finally:
        cost_budget.settle(usd, spent)


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
        with pay_call(self._cost_budget, self._price_call(messages, max_tokens)) as tell_price:
            try:
                reply = self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
            except (ModelError, ModelStopped) as error:
                tell_price(error.partial.cost_usd)
                raise
            tell_price(reply.usage.cost_usd)
        return reply

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply in one piece: what it cost is known at its end only."""
        yield self.complete(messages, max_tokens=max_tokens, temperature=temperature).text

    def _price_call(self, messages: Sequence[Message], max_tokens: int) -> float:
        tokens = sum(map(expected_message_tokens, messages)) + max_tokens
        if self._context_tokens is not None and tokens > self._context_tokens:
            raise ModelBudgetSpent("The request is longer than what the model can read at once.")
        return tokens * self._usd_per_token
