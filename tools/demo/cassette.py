"""Records the demo's model run with a live model: `OPENAI_BASE_URL=... OPENAI_MODEL=... python -m tools.demo.cassette`.

Whatever answers at the address answers the prompts that the engine really sends. Record it again when a prompt changed.
"""

import os
import sys
from decimal import Decimal
from pathlib import Path

from vectorless_web.engine.agent.events import CompleteEvent, ReasoningEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.providers.cassette import Recording
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat

DOCUMENT = "thornbury-annual-report-2024.pdf"
FILE = "model-run.cassette.jsonl"
QUESTION = "What was the operating margin in 2024, what was it in 2023, and why did the gross margin improve?"
PRICE_IN, PRICE_OUT = Decimal("0.15"), Decimal("0.60")
"""Example prices, US dollars per million tokens, so that the demo shows where a cost would stand."""

NOTE = (
    "Recorded from a live reader that answered the real prompts of this run over an OpenAI-compatible address. "
    "Tokens are estimated, the cost is reckoned at example prices, and nothing was paid."
)


def record(folder: Path, model: ChatModel, target: Path | None = None) -> list[ReasoningEvent]:
    """Write the cassette for the report in `folder`; the events of the run. SystemExit when it ends without an answer."""
    target = target or folder / FILE
    target.unlink(missing_ok=True)
    events = run_question(folder, model, on_call=Recording(target, model=model.name, provider="live", note=NOTE))
    end = events[-1]
    if not isinstance(end, CompleteEvent) or end.outcome != "answered" or not end.grounded:
        raise SystemExit(f"The demo's model run ends otherwise than it should: {end}")
    return events


def run_question(folder: Path, model: ChatModel, on_call: Recording | None = None) -> list[ReasoningEvent]:
    """The events of the demo's question, led by a model."""
    limits = Limits()
    budget = ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens)
    caller = Caller(model, budget=budget, **({"on_call": on_call} if on_call else {}))
    return list(Reasoner(caller=caller).run(QUESTION, LocalCorpus([folder / DOCUMENT]), limits))


def main(folder: Path) -> None:
    """Record with the model of the environment."""
    address, name = os.environ.get("OPENAI_BASE_URL", ""), os.environ.get("OPENAI_MODEL", "")
    if not address or not name:
        raise SystemExit("Set OPENAI_BASE_URL and OPENAI_MODEL: the demo's run is recorded from a live model.")
    endpoint = Endpoint(
        address,
        name,
        os.environ.get("OPENAI_API_KEY", ""),
        price_in=PRICE_IN,
        price_out=PRICE_OUT,
        seconds=600,
        retries=0,
    )
    record(folder, OpenAIChat(endpoint))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/demo"))
