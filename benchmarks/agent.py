"""What the engine adds to a model: time per step, tokens per prompt and run, and whether runs replay identically.

    python benchmarks/agent.py --pdfs FOLDER --questions FILE [--cache FOLDER] [--limit 20]

The model is scripted and answers at once: it asks for the outline, searches the tree, searches for the question, and
answers with the first line that was shown. Time is of whole runs, from the question to the
outcome, over a document that was compiled before and is opened in the run. Beside it stands the size
of the whole document as one prompt.
"""

import argparse
import gc
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.scripted_model import ScriptedModel
from vectorless_web.engine.agent.events import ReasoningEvent, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.local_corpus import LocalCorpus
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord, NoModel, Recall, find_no_record
from vectorless_web.engine.llm.model import ChatModel, HeuristicEstimator, Message, Reply
from vectorless_web.engine.questions.understand import understand

_LINE = re.compile(r"\b(D1\.\d+(?:\.\w+)?)\b[\]:|\s]+(\S[^\n]{12,200})")
"""A line as the model is shown it: its id and its words."""
SIZES = {"up to 60": 60, "61 to 120": 120, "121 to 200": 200, "above 200": 100_000}
"""Rows of the table by the most pages of a document."""

COLUMNS = (
    "pages",
    "runs",
    "ms a step: median",
    "mean over a run",
    "of it processor time",
    "worst run",
    "prompt tokens a step: mean / most",
    "calls a run",
    "tokens a run: mean / most",
    "whole document in one prompt",
    "replayed identically",
)


class InstantModel:
    """Answers at once: the fixed calls one after the other, then the first line that was shown, then a verdict."""

    name = "instant"

    def __init__(self, question: str) -> None:
        self._calls = iter(
            (
                {"tool": "outline", "arguments": {"document": "D1"}},
                {"tool": "navigate", "arguments": {"document": "D1", "goal": question}},
                {"tool": "search", "arguments": {"queries": [question]}},
            )
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        temperature: float = 0.0,
    ) -> Reply:
        """The reply that fits the prompt."""
        if "claims" in (schema or {}).get("properties", {}):
            verdict = {"claim": 1, "verdict": "supported", "why": "It stands there."}
            said: dict[str, Any] = {"claims": [verdict], "answers_all": True, "missing": []}
        else:
            call = next(self._calls, None) or _answer("\n".join(message.content for message in messages))
            said = {"thought": "Next.", "calls": [call]}
        return ScriptedModel([said], name="instant").complete(messages, schema=schema)

    def stream(self, messages: Sequence[Message], *, max_tokens: int = 1024, temperature: float = 0.0) -> Iterator[str]:
        """The same in one piece."""
        yield self.complete(messages).text


def _answer(prompt: str) -> dict[str, Any]:
    found = _LINE.search(prompt)
    claims = [{"text": found[2], "cites": [found[1]]}] if found else []
    outcome = "answered" if claims else "not_found"
    return {"tool": "answer", "arguments": {"outcome": outcome, "claims": claims}}


@dataclass
class Measured:
    """Runs over documents of one size."""

    latencies: list[float] = field(default_factory=list)
    overheads: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)
    identical: int = 0

    def row(self, name: str) -> str:
        """One line of the table."""
        same = f"{self.identical}/{len(self.tokens)}"
        times = f"{median(self.latencies):.0f} | {mean(self.overheads):.1f} | {mean(self.busy):.1f}"
        prompts = f"{mean(self.prompts):.0f} / {max(self.prompts)}"
        return (
            f"| {name} | {len(self.tokens)} | {times} | {max(self.overheads):.0f} | {prompts} | {mean(self.calls):.1f} "
            f"| {mean(self.tokens):.0f} / {max(self.tokens)} | {mean(self.wholes):.0f} | {same} |"
        )


def main() -> None:
    """Run every question twice, live and replayed, and print the figures by the size of its document."""
    options = arguments()
    lines = Path(options.questions).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][: options.limit]
    sizes: dict[str, Measured] = {}
    for name in dict.fromkeys(row["doc_name"] for row in rows):
        opened(options, name).open("1")
    warmed_up()
    for row in rows:
        pages = len(opened(options, row["doc_name"]).open("1").pages)
        measure(row, options, sizes.setdefault(size_of(pages), Measured()))
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for name in sorted(sizes, key=list(SIZES).index):
        print(sizes[name].row(name))


def warmed_up() -> None:
    """What a worker does once before its first run: lexicons are loaded, and what is loaded is not collected."""
    understand("What was revenue in 2024?")
    gc.collect()
    gc.freeze()


def size_of(pages: int) -> str:
    """The row of the table that a document belongs to."""
    return next(name for name, most in SIZES.items() if pages <= most)


def opened(options: argparse.Namespace, name: str) -> LocalCorpus:
    """A corpus of that one document, not opened yet."""
    return LocalCorpus([Path(options.pdfs) / f"{name}.pdf"], cache=Path(options.cache))


def measure(row: Mapping[str, Any], options: argparse.Namespace, into: Measured) -> None:
    """One question, asked of a document opened afresh, and again from its stored calls."""
    records: list[ModelCallRecord] = []
    corpus = opened(options, row["doc_name"])
    started, working = time.perf_counter(), time.process_time()
    events = run(InstantModel(row["question"]), row["question"], corpus, records)
    seconds, busy = time.perf_counter() - started, time.process_time() - working
    steps = [event for event in events if isinstance(event, StepEvent)]
    into.latencies += [step.latency_ms for step in steps]
    into.overheads.append(seconds * 1000 / max(1, len(steps)))
    into.busy.append(busy * 1000 / max(1, len(steps)))
    sizes = [sum(HeuristicEstimator().estimate(m.content) for m in record.messages) for record in records]
    into.prompts += sizes
    into.calls.append(len(records))
    into.tokens.append(sum(record.tokens_in + record.tokens_out for record in records))
    into.wholes.append(whole_document(corpus))
    again = run(NoModel("instant"), row["question"], corpus, [], Recall(records))
    into.identical += told(again) == told(events)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--cache", default="/tmp/vectorless-agent")
    parser.add_argument("--limit", type=int, default=65)
    return parser.parse_args()


def run(
    model: ChatModel,
    question: str,
    corpus: LocalCorpus,
    records: list[ModelCallRecord],
    recall: Callable[[str], ModelCallRecord | None] = find_no_record,
) -> list[ReasoningEvent]:
    """The events of one run led by the model; `recall` answers the calls it knows."""
    limits = Limits()
    budget = ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens)
    caller = Caller(model, budget=budget, on_call=records.append, recall=recall)
    return list(Reasoner(caller=caller).run(question, corpus, limits))


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
