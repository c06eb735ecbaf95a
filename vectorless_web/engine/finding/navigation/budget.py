"""The one budget that the pilots of a run share, and one model call within it whose failures become an outcome."""

import threading
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vectorless_web.engine.errors import (
    Cancelled,
    ModelAuth,
    ModelBudgetSpent,
    ModelInvalidReply,
    ModelRateLimited,
    ModelTimeout,
    ModelUnreachable,
)
from vectorless_web.engine.finding.navigation.pilot import PilotConfig, as_number
from vectorless_web.engine.llm.budget import Ledger, Reservation
from vectorless_web.engine.llm.calls import Overdue, call_within
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage

SMALLEST_CALL = 50
"""Tokens below which no consultation is asked for: the question and two titles would not fit."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is not made; `reason` is a plain sentence for the trace."""

    reason: str


class PilotBudget:
    """One per run, shared by all its searches; safe under threads.

    A call is counted when it is reserved, so that parallel searches can't overdraw together. Prices are not known
    here: a call reserves as many US dollars as the dearest call so far cost.
    """

    def __init__(
        self, *, tokens: int, tokens_per_call: int, calls: int, calls_per_level: int, money_usd: float | None = None
    ) -> None:
        self.tokens, self.tokens_per_call = tokens, tokens_per_call
        self.calls, self.calls_per_level = calls, calls_per_level
        self.money_usd = money_usd
        self._ledger = Ledger()
        self._dearest = 0.0
        self._levels: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    @classmethod
    def from_config(cls, config: PilotConfig, *, money_usd: float | None = None) -> "PilotBudget":
        """The budget a configuration grants to one run."""
        return cls(
            tokens=config.tokens_per_query,
            tokens_per_call=config.tokens_per_call,
            calls=config.calls_per_query,
            calls_per_level=config.calls_per_level,
            money_usd=money_usd,
        )

    def reserve(self, tokens: int, *, level: Hashable = 0) -> Reservation | Refusal:
        """Hold `tokens` for one call, or say which limit forbids it. `level` is a depth or (search, depth)."""
        with self._lock:
            reason = self._reason_against(tokens, level)
            if reason:
                return Refusal(reason)
            self._levels[level] += 1
            return self._ledger.hold(tokens, self._dearest)

    def settle(self, reservation: Reservation, *, tokens: int | None = None, cost_usd: float = 0.0) -> None:
        """Replace what was held by what was used; None keeps the held tokens. Settling twice changes nothing."""
        with self._lock:
            used = reservation.tokens if tokens is None else max(tokens, 0)
            if self._ledger.settle(reservation, tokens=used, cost_usd=max(cost_usd, 0.0)):
                self._dearest = max(self._dearest, cost_usd)

    @property
    def spending(self) -> Ledger:
        """What was spent so far and what is held, to be read."""
        return self._ledger

    @property
    def is_spent(self) -> bool:
        """Whether not even a small call would be granted at a fresh level."""
        with self._lock:
            return bool(self._reason_against(min(SMALLEST_CALL, self.tokens_per_call), level=object()))

    def _reason_against(self, tokens: int, level: Hashable) -> str:
        ledger = self._ledger
        if ledger.made >= self.calls:
            return f"all {self.calls} consultations of this run are used"
        if self._levels[level] >= self.calls_per_level:
            return f"all {self.calls_per_level} consultations at this level are used"
        if tokens > self.tokens_per_call:
            return f"one consultation may take {self.tokens_per_call} tokens, this one needs {tokens}"
        if ledger.committed_tokens + tokens > self.tokens:
            return f"the {self.tokens} tokens for guidance are used"
        return "the money for guidance is used" if self._is_money_short() else ""

    def _is_money_short(self) -> bool:
        spent = self._ledger.committed_usd
        return self.money_usd is not None and (spent >= self.money_usd or spent + self._dearest > self.money_usd)


_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (ModelAuth, "the key was refused"),
    (ModelRateLimited, "it asked to slow down"),
    (ModelTimeout, "it did not answer in time"),
    (ModelUnreachable, "it could not be reached"),
    (ModelBudgetSpent, "the budget forbids another call"),
    (ModelInvalidReply, "its reply did not fit"),
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked: fixed instructions, the data, the schema of the reply and the most tokens it may have.

    `tokens` is the estimate of the data; `note` says what was left out of it.
    """

    instructions: str
    data: str
    schema: Mapping[str, Any]
    tokens: int
    reply_tokens: int
    note: str = ""
    book: Mapping[str, int] = field(default_factory=dict)
    """The opaque name of each candidate -> its key."""
    shown: tuple[int, ...] = ()
    """The candidates that the data shows, in order."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A reply, or the problem in words. `was_called` is false when the budget forbade the call."""

    reply: Reply | None = None
    problem: str = ""
    was_called: bool = True
    tokens: int = 0
    cost_usd: float = 0.0


def call(
    model: ChatModel, prompt: Prompt, *, budget: PilotBudget, level: Hashable, seconds: float, fixed_tokens: int
) -> CallOutcome:
    """Reserve tokens, ask the model, settle. `fixed_tokens` are those of the instructions; the budget leaves them out.

    Raises Cancelled when the run is stopped. Every other failure is the outcome's `problem`.
    """
    reserved = budget.reserve(prompt.tokens + prompt.reply_tokens, level=level)
    if isinstance(reserved, Refusal):
        return CallOutcome(problem=reserved.reason, was_called=False)
    messages: Sequence[Message] = (Message("system", prompt.instructions), Message("user", prompt.data))
    answer = call_within(
        seconds, lambda: model.complete(messages, schema=prompt.schema, max_tokens=prompt.reply_tokens)
    )
    if not isinstance(answer, Reply):
        # What a failed call has cost is unknown: all that was held counts as spent.
        budget.settle(reserved)
        if isinstance(answer, Cancelled):
            raise answer
        return CallOutcome(problem=_problem(answer, seconds), tokens=reserved.tokens)
    usage = answer.usage if isinstance(answer.usage, Usage) else Usage()
    counted = sum(int(max(as_number(count) or 0.0, 0.0)) for count in (usage.tokens_in, usage.tokens_out))
    used = max(counted - fixed_tokens, 0) if counted > 0 else reserved.tokens
    cost = max(as_number(usage.cost_usd) or 0.0, 0.0)
    budget.settle(reserved, tokens=used, cost_usd=cost)
    return CallOutcome(reply=answer, tokens=used, cost_usd=cost)


def _problem(answer: object, seconds: float) -> str:
    if isinstance(answer, Overdue):
        return f"it did not answer within {seconds:g} seconds"
    known = next((words for kind, words in _PROBLEMS if isinstance(answer, kind)), "")
    return known or f"it failed ({type(answer).__name__})"
