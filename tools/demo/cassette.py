"""Records the demo's model run: the author's replies to the prompts that the engine really sends."""

from pathlib import Path

from tools.demo.author import MODEL, QUESTION, Author
from vectorless_web.engine.agent.events import CompleteEvent, ReasoningEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.model.planner import model_walking
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.providers.cassette import Recording

DOCUMENT = "thornbury-annual-report-2024.pdf"
FILE = "model-run.cassette.jsonl"
NOTE = (
    "Scripted replies, no live model: tools/demo/author.py answers the real prompts of this run. Tokens are estimated, "
    "the cost is reckoned at example prices, and nothing was paid."
)


def record(folder: Path, target: Path | None = None) -> list[ReasoningEvent]:
    """Write the cassette for the report in `folder`; the events of the run that it drives."""
    target = target or folder / FILE
    target.unlink(missing_ok=True)
    recording = Recording(target, model=MODEL, provider="script", note=NOTE)
    limits = Limits()
    budget = ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens)
    caller = Caller(Author(), budget=budget, on_call=recording)
    reasoner = Orchestrator(walking=model_walking(caller))
    events = list(reasoner.run(QUESTION, LocalCorpus([folder / DOCUMENT]), limits))
    end = events[-1]
    if not isinstance(end, CompleteEvent) or end.outcome != "answered" or not end.grounded:
        raise SystemExit(f"The demo's model run ends otherwise than it should: {end}")
    return events
