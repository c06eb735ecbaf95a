"""A chat model whose every call is paid from a purse that others pay from too."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from vectorless_web.engine.errors import ModelBudgetSpent, ModelError, ModelStopped
from vectorless_web.engine.llm.budget import expected_tokens
from vectorless_web.engine.llm.model import ChatModel, Message, Reply


class Purse(Protocol):
    """Money (US dollars) that several runs spend at the same time. Thread-safe."""

    def reserve(self, usd: float) -> bool:
        """Put aside what a call may cost; false when there is not that much left."""
        ...

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Give back what was put aside and take what was really spent."""
        ...


class FreePurse:
    """Pays for everything."""

    def reserve(self, usd: float) -> bool:
        """Always enough."""
        return True

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Nothing to book."""


class MeteredModel:
    """Makes a call only when the purse covers what it may cost and the model's context holds it.

    A call is priced beforehand by its expected tokens and the whole reply; a refused one
    is ModelBudgetSpent and never reaches the model. A failed call costs what had come of it.
    `context_tokens` None is a model whose context nobody stated.
    """

    def __init__(
        self, model: ChatModel, *, purse: Purse, usd_per_token: float, context_tokens: int | None = None
    ) -> None:
        self.name = model.name
        self._model = model
        self._purse = purse
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
        reserved, spent = self._reserved(messages, max_tokens), 0.0
        try:
            reply = self._model.complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
            spent = reply.usage.cost_usd
        except (ModelError, ModelStopped) as error:
            spent = error.partial.cost_usd
            raise
        finally:
            self._purse.settle(reserved, spent)
        return reply

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The reply in one piece: what it cost is known at its end only."""
        yield self.complete(messages, max_tokens=max_tokens, temperature=temperature).text

    def _reserved(self, messages: Sequence[Message], max_tokens: int) -> float:
        tokens = sum(expected_tokens(message.content) for message in messages) + max_tokens
        if self._context_tokens is not None and tokens > self._context_tokens:
            raise ModelBudgetSpent("The request is longer than what the model can read at once.")
        usd = tokens * self._usd_per_token
        if not self._purse.reserve(usd):
            raise ModelBudgetSpent("The budget for models does not cover the next call.")
        return usd
