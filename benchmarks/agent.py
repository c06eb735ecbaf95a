"""What the engine adds to a model: time per step, tokens per prompt and run, and whether runs replay identically.

    python benchmarks/agent.py --pdfs FOLDER --questions FILE [--cache FOLDER] [--limit 20]

The model is scripted and answers at once: it scans, searches, retrieves, extracts and
writes the first row or sentence that was copied. Beside it stands the size of the whole
document as one prompt.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord
from vectorless_web.engine.llm.model import ChatModel, Message, Reply
from vectorless_web.engine.llm.replay import ReplayModel
from vectorless_web.engine.llm.scripted import ScriptedModel
from vectorless_web.engine.reasoner.events import ClaimEvent, ReasoningEvent, StepEvent
from vectorless_web.engine.reasoner.guided import model_walking
from vectorless_web.engine.reasoner.limits import Limits
from vectorless_web.engine.reasoner.local_corpus import LocalCorpus
from vectorless_web.engine.reasoner.orchestrator import Orchestrator
from vectorless_web.engine.text.tokens import HeuristicEstimator

_COPIED = re.compile(r"^- \[(?P<node>\w+)\] [^:\n]*: (?P<quote>.+?)(?: \([^()]*: [^()]*\))?$", re.MULTILINE)
_NOTHING = {"node": None, "title": None, "query": None, "direction": None}
_PLAN = (
    {"thought": "See the parts.", "action": "scan", **_NOTHING, "node": 0},
    {"thought": "Search them.", "action": "navigate", **_NOTHING, "node": 0, "direction": "search"},
    {"thought": "Read.", "action": "retrieve", **_NOTHING, "query": "?"},
    {"thought": "Copy.", "action": "extract", **_NOTHING, "node": 0},
    {"thought": "Enough.", "action": "synthesize", **_NOTHING},
)


class InstantModel:
    """Answers at once: the fixed plan step by step, then the first thing that was copied."""

    name = "instant"

    def __init__(self, question: str) -> None:
        self._plan: Iterator[Mapping[str, Any]] = iter({**step, "query": step["query"] and question} for step in _PLAN)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The reply that fits the prompt."""
        prompt = messages[-1].content
        if "Write the answer" in prompt:
            return self._said(_answer(prompt), messages, schema)
        return self._said(
            next(self._plan, {"none": True}) if "Choose the next step" in prompt else {}, messages, schema
        )

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The same in one piece."""
        yield self.complete(messages).text

    @staticmethod
    def _said(value: Mapping[str, Any], messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        return ScriptedModel([value], name="instant").complete(messages, schema=schema)


def _answer(prompt: str) -> dict[str, Any]:
    found = _COPIED.search(prompt)
    claims = []
    if found:
        quote = found["quote"].split(" | ")[0]
        claims = [{"text": quote, "quotes": [{"node": found["node"], "quote": found["quote"]}], "calculation": None}]
    return {"claims": claims, "value": None, "missing": []}


def main() -> None:
    """Run every question twice, live and replayed, and print the figures."""
    options = arguments()
    rows = [json.loads(line) for line in Path(options.questions).read_text(encoding="utf-8").splitlines()]
    overheads, prompts, runs, wholes, identical = [], [], [], [], 0
    latencies: list[float] = []
    rows = rows[: options.limit]
    for row in rows:
        corpus = LocalCorpus([Path(options.pdfs) / f"{row['doc_name']}.pdf"], cache=Path(options.cache))
        records: list[ModelCallRecord] = []
        started = time.perf_counter()
        events = run(InstantModel(row["question"]), row["question"], corpus, records)
        steps = [event for event in events if isinstance(event, StepEvent)]
        latencies += [step.latency_ms for step in steps]
        overheads.append((time.perf_counter() - started) * 1000 / max(1, len(steps)))
        sizes = [sum(HeuristicEstimator().estimate(m.content) for m in record.messages) for record in records]
        prompts += [size for size, record in zip(sizes, records, strict=True) if record.purpose == "step"]
        runs.append(sum(record.tokens_in + record.tokens_out for record in records))
        wholes.append(whole_document(corpus))
        again = run(ReplayModel(records, name="instant"), row["question"], corpus, [])
        identical += told(again) == told(events)
    print(f"engine time per step: median {median(latencies):.1f} ms, mean over a run {mean(overheads):.1f} ms,")
    print(f"  p95 of runs {quantiles(overheads, n=20)[-1]:.1f} ms (a filing's first step opens and profiles it)")
    print(f"prompt tokens per step: mean {mean(prompts):.0f}, most {max(prompts)}")
    print(f"tokens per run: mean {mean(runs):.0f}, most {max(runs)}; whole document: mean {mean(wholes):.0f}")
    print(f"replayed identically: {identical}/{len(rows)}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--cache", default="/tmp/vectorless-agent")
    parser.add_argument("--limit", type=int, default=20)
    return parser.parse_args()


def run(model: ChatModel, question: str, corpus: LocalCorpus, records: list[ModelCallRecord]) -> list[ReasoningEvent]:
    """The events of one run led by the model."""
    caller = Caller(model, budget=ModelBudget(calls=40, tokens=60_000), on_call=records.append)
    return list(Orchestrator(walking=model_walking(caller, at_once=1)).run(question, corpus, Limits()))


def told(events: Sequence[ReasoningEvent]) -> list[object]:
    """What a replay must reproduce: steps and claims without their times."""
    steps = [(e.kind, e.say, e.arguments, e.observation, e.refs) for e in events if isinstance(e, StepEvent)]
    return [*steps, *(event for event in events if isinstance(event, ClaimEvent))]


def whole_document(corpus: LocalCorpus) -> int:
    """Tokens of all leaves of the document."""
    tree = corpus.open("1").tree
    return sum(HeuristicEstimator().estimate(tree.node(key).text) for key in tree.leaves())


if __name__ == "__main__":
    main()
