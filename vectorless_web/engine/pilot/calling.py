"""One model call that can't harm its caller: paid from the budget, ended by a deadline, every failure in words."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
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
from vectorless_web.engine.llm.model import ChatModel, Message, Reply, Usage
from vectorless_web.engine.llm.overdue import Overdue, within
from vectorless_web.engine.pilot.budget import PilotBudget, Refusal, Reservation
from vectorless_web.engine.pilot.decision import as_number

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reply, or the problem in words. `was_called` is false when the budget forbade the call."""

    reply: Reply | None = None
    problem: str = ""
    was_called: bool = True
    tokens: int = 0
    cost_usd: float = 0.0


def call(
    model: ChatModel, prompt: Prompt, *, budget: PilotBudget, level: Hashable, seconds: float, fixed_tokens: int
) -> Outcome:
    """Reserve, ask, settle. `fixed_tokens` are those of the instructions, which the budget does not count.

    Raises Cancelled alone: being asked to stop is no failure of the model.
    """
    reserved = budget.reserve(prompt.tokens + prompt.reply_tokens, level=level)
    if isinstance(reserved, Refusal):
        return Outcome(problem=reserved.reason, was_called=False)
    answer = within(seconds, lambda: _ask(model, prompt))
    if not isinstance(answer, Reply):
        # What a failed call has cost is unknown: all that was held counts as spent.
        budget.settle(reserved)
        if isinstance(answer, Cancelled):
            raise answer
        return Outcome(problem=_problem(answer, seconds), tokens=reserved.tokens)
    return _settled(answer, reserved, budget=budget, fixed_tokens=fixed_tokens)


def _ask(model: ChatModel, prompt: Prompt) -> Reply:
    messages: Sequence[Message] = (Message("system", prompt.instructions), Message("user", prompt.data))
    return model.complete(messages, schema=prompt.schema, max_tokens=prompt.reply_tokens)


def _settled(reply: Reply, reserved: Reservation, *, budget: PilotBudget, fixed_tokens: int) -> Outcome:
    usage = reply.usage if isinstance(reply.usage, Usage) else Usage()
    counted = _whole(usage.tokens_in) + _whole(usage.tokens_out)
    used = max(counted - fixed_tokens, 0) if counted > 0 else reserved.tokens
    cost = max(as_number(usage.cost_usd) or 0.0, 0.0)
    budget.settle(reserved, tokens=used, cost_usd=cost)
    return Outcome(reply=reply, tokens=used, cost_usd=cost)


def _whole(count: object) -> int:
    return int(max(as_number(count) or 0.0, 0.0))


def _problem(answer: object, seconds: float) -> str:
    if isinstance(answer, Overdue):
        return f"it did not answer within {seconds:g} seconds"
    for kind, words in _PROBLEMS:
        if isinstance(answer, kind):
            return words
    return f"it failed ({type(answer).__name__})"
