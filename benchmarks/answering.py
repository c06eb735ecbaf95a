"""Runs of the reasoner for benchmarks: one for each question, each prediction written as soon as it is there."""

import argparse
import importlib.util
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from vectorless_web.engine.agent.executor import Walking
from vectorless_web.engine.agent.orchestrator import Orchestrator

from benchmarks.corpus import FolderCorpus
from benchmarks.led import MakeReasoner, Spending, from_environment, led_by
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.answers.claims import ClaimEvent, Evidence
from vectorless_web.engine.llm.embedding import MOST_TEXTS, RecordedNearness
from vectorless_web.infra.site.local_model import PACKAGE, find_obstacle
from vectorless_web.providers.local_nearness import LocalNearness

Question = dict[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Engine:
    """What answers: the reasoner of each run, the limits of a run, whether withheld answers count as given, and what
    all runs spent."""

    make_reasoner: MakeReasoner
    limits: Limits
    gives_withheld: bool = False
    spending: Spending = field(default_factory=Spending)


@dataclass(frozen=True, slots=True)
class Answered:
    """How one run ended, the evidence its claims cite, the documents it walked (corpus ids), its model calls."""

    done: CompleteEvent
    cited: Sequence[Evidence]
    walked: Sequence[str]
    calls: int
    withheld: dict[str, Any] = field(default_factory=dict)
    """The answer that was not certain enough to be given, as VERIFY tells it; empty for none."""

    @property
    def is_answer(self) -> bool:
        """Whether the run found an answer, if only a part of one."""
        return self.done.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)


def make_engine(options: argparse.Namespace) -> Engine:
    """The engine that the options name: offline, or led by the model of the environment."""
    limits = Limits(wall_seconds=options.run_seconds)
    if options.engine == "offline":
        return Engine(lambda _spending: Orchestrator(walking=make_walking(options)), limits, options.withheld)
    model = from_environment(seconds=options.call_seconds)
    return Engine(led_by(model, limits=limits), limits)


def make_walking(options: argparse.Namespace) -> Walking:
    """Offline walks as the site makes them: with the local model of meaning where it can run, unless by words alone."""
    walking = Walking()
    if not options.words and importlib.util.find_spec(PACKAGE) is not None and not find_obstacle():
        walking.nearness = RecordedNearness(LocalNearness(seconds=60.0), most=options.sentences)
    return walking


def run_question(question: str, corpus: FolderCorpus, engine: Engine) -> Answered:
    """One whole run over a corpus."""
    spent = Spending()
    events = list(engine.make_reasoner(spent).run(question, corpus, engine.limits))
    engine.spending.add(spent)
    return Answered(
        done=next(event for event in reversed(events) if isinstance(event, CompleteEvent)),
        cited=[evidence for event in events if isinstance(event, ClaimEvent) for evidence in event.citations],
        walked=[ref.document for event in events if isinstance(event, StepEvent) for ref in event.refs],
        calls=spent.calls,
        withheld=next((step.observation["withheld"] for step in events if _tells_withheld(step)), {}),
    )


def _tells_withheld(event: object) -> TypeGuard[StepEvent]:
    return isinstance(event, StepEvent) and "withheld" in event.observation


def _give_withheld(prediction: Prediction, answered: Answered, name_of: Callable[[str], str]) -> Prediction:
    """The prediction with the answer that was withheld as if it had been given: what a confidence is fitted on."""
    held = answered.withheld
    if not held:
        return prediction
    cited = {(row["document"], row["page"], row["quote"]): row for row in held["citations"]}.values()
    citations = [{"doc": name_of(r["document"]), "page": r["page"] - 1, "quote": r["quote"]} for r in cited]
    told = {name: held[name] for name in ("answer", "value", "confidence", "signals")}
    return {**prediction, **told, "citations": citations, "outcome": "answered"}


def prediction_of(answered: Answered, name_of: Callable[[str], str], engine: Engine) -> Prediction:
    """The fields that every prediction of a run has; `name_of` turns a corpus id into the name of the document."""
    done = answered.done
    prediction = {
        "answer": done.answer if answered.is_answer else "",
        "value": done.value if answered.is_answer else "",
        "citations": _citations(answered.cited, name_of) if answered.is_answer else [],
        "outcome": done.outcome.value,
        "confidence": done.confidence.value if done.confidence else None,
        "signals": {signal.name: round(signal.share, 4) for signal in done.confidence.signals}
        if done.confidence
        else {},
        "tokens": done.tokens,
        "steps": done.steps,
        "engine": done.engine,
        "reason": done.reason,
    }
    return _give_withheld(prediction, answered, name_of) if engine.gives_withheld else prediction


def _citations(cited: Sequence[Evidence], name_of: Callable[[str], str]) -> list[dict[str, Any]]:
    """Each quote once, in the order cited."""
    distinct = {(evidence.document, evidence.page_index, evidence.quote): evidence for evidence in cited}
    return [{"doc": name_of(e.document), "page": e.page_index, "quote": e.quote} for e in distinct.values()]


def read_questions(path: Path) -> list[Question]:
    """The lines of a file of questions."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def predict_all(
    questions: Sequence[Question], work: Callable[[Question], Prediction], options: argparse.Namespace, *, key: str
) -> None:
    """Work on each question and write its prediction to `options.out`; what was done goes to standard error.

    `key` is the field that names a question, in its line and in that of its prediction.
    """
    out = Path(options.out)
    held = _ids_in(out, key) if options.resume else set()
    questions = [question for question in questions if question[key] not in held]
    outcomes: Counter[str] = Counter()
    with out.open("a" if options.resume else "w", encoding="utf-8") as file:
        found = _predictions(questions, work, key=key, at_once=options.at_once)
        for number, prediction in enumerate(found, start=1):
            file.write(json.dumps(prediction, ensure_ascii=False) + "\n")
            file.flush()
            outcomes[f"{prediction['outcome']} by {prediction.get('engine', 'ranking')}"] += 1
            spent = f"{prediction['seconds']:.1f} s, {prediction['tokens']} tokens"
            line = f"{number}/{len(questions)} {prediction[key]} {prediction['outcome']} ({spent})"
            print(line, file=sys.stderr, flush=True)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"{len(questions)} questions ({len(held)} done before): {told or 'none'}", file=sys.stderr)


def _ids_in(out: Path, key: str) -> set[str]:
    """Questions that a file of predictions holds; a line cut off by an interruption is dropped from it."""
    if not out.exists():
        return set()
    whole = [line for line in out.read_text(encoding="utf-8").splitlines() if _is_json(line)]
    out.write_text("".join(f"{line}\n" for line in whole), encoding="utf-8")
    return {json.loads(line)[key] for line in whole}


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _predictions(
    questions: Sequence[Question], work: Callable[[Question], Prediction], *, key: str, at_once: int
) -> Iterator[Prediction]:
    """One prediction per question in their order, with the seconds it took; `at_once` are worked on together."""

    def predict(question: Question) -> Prediction:
        started = time.perf_counter()
        found = work(question)
        seconds = round(time.perf_counter() - started, 4)
        return {key: question[key], "answer": "", "value": "", "citations": [], **found, "seconds": seconds}

    if at_once == 1:
        yield from map(predict, questions)
        return
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        yield from pool.map(predict, questions)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options that every benchmark of runs has."""
    parser.add_argument("--out", required=True)
    parser.add_argument("--engine", choices=("offline", "model"), default="offline")
    parser.add_argument("--limit", type=int, default=None, help="only the first so many questions")
    parser.add_argument("--cache", default="var/benchmarks", help="folder of the documents compiled before")
    parser.add_argument("--resume", action="store_true", help="leave out what --out holds, append the rest")
    parser.add_argument("--at-once", type=int, default=1, help="questions worked on together")
    parser.add_argument("--call-seconds", type=float, default=120.0, help="how long one call of the model may take")
    parser.add_argument("--withheld", action="store_true", help="give answers that were not certain enough, too")
    parser.add_argument("--words", action="store_true", help="leave out the local model of meaning")
    parser.add_argument("--sentences", type=int, default=MOST_TEXTS, help="sentences that it reads for a question")
    parser.add_argument("--run-seconds", type=float, default=300.0, help="how long one question may take")
