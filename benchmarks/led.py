"""Reasoners led by the model that the environment names, and what their calls came to."""

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.agent.state import Settings
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat


@dataclass
class Spending:
    """Calls of all runs: how many of each purpose and error, tokens and money. Thread-safe."""

    purposes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return sum(self.purposes.values())

    def add(self, other: "Spending") -> None:
        """Count what another run spent."""
        with self._lock:
            self.purposes.update(other.purposes)
            self.errors.update(other.errors)
            self.tokens_in += other.tokens_in
            self.tokens_out += other.tokens_out
            self.cost_usd += other.cost_usd

    def booked(self, record: ModelCallRecord) -> None:
        """Count a call."""
        with self._lock:
            self.purposes[record.purpose] += 1
            self.errors[record.error_code] += bool(record.error_code)
            self.tokens_in += record.tokens_in
            self.tokens_out += record.tokens_out
            self.cost_usd += record.cost_usd

    def summary(self) -> str:
        """Two or three lines for people."""
        calls = ", ".join(f"{count} {purpose}" for purpose, count in sorted(self.purposes.items()))
        failed = ", ".join(f"{count} {code}" for code, count in sorted(self.errors.items()) if count)
        lines = [
            f"calls: {self.calls} ({calls or 'none'})",
            f"tokens: {self.tokens_in} in, {self.tokens_out} out; cost: ${self.cost_usd:.4f}",
        ]
        return "\n".join([*lines, *([f"failed calls: {failed}"] if failed else [])])


def from_environment(*, seconds: float) -> OpenAIChat:
    """The chat model at OPENAI_BASE_URL; the program ends with a plain sentence when the environment names none."""
    missing = [name for name in ("OPENAI_BASE_URL", "OPENAI_MODEL") if not os.environ.get(name)]
    if missing:
        sys.exit(f"Set {' and '.join(missing)}: the model engine asks an OpenAI-compatible server.")
    return OpenAIChat(
        Endpoint(
            base_url=os.environ["OPENAI_BASE_URL"],
            model=os.environ["OPENAI_MODEL"],
            api_key=os.environ.get("OPENAI_API_KEY", ""),
            price_in=Decimal(os.environ.get("OPENAI_PRICE_IN", "0")),
            price_out=Decimal(os.environ.get("OPENAI_PRICE_OUT", "0")),
            seconds=seconds,
        )
    )


MakeReasoner = Callable[[Spending], Reasoner]
"""Makes the reasoner of one run, whose calls are counted in the spending given."""


def led_by(model: ChatModel, *, limits: Limits, settings: Settings) -> MakeReasoner:
    """Reasoners led by the model, each under a budget of its own."""

    def make(spending: Spending) -> Reasoner:
        budget = ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens)
        return Reasoner(caller=Caller(model, budget=budget, on_call=spending.booked), settings=settings)

    return make
