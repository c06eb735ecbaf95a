"""Runs of the reasoner for benchmarks: one for each question, each prediction written as soon as it is there."""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.led import MakeReasoner, Spending, from_environment, led_by
from vectorless_web.engine.agent.corpus import Corpus
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.agent.state import Settings
from vectorless_web.engine.answers.claims import ClaimEvent, Evidence, Support
from vectorless_web.evaluations.scoring import Expectation, Given, Place

Question = dict[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Engine:
    """What answers: the reasoner of each run, the limits of a run, and what all runs spent."""

    make_reasoner: MakeReasoner
    limits: Limits
    spending: Spending = field(default_factory=Spending)


@dataclass(frozen=True, slots=True)
class Answered:
    """How one run ended, its checked claims, the documents that its steps touched (corpus ids), its model calls."""

    done: CompleteEvent
    claims: Sequence[ClaimEvent]
    walked: Sequence[str]
    calls: int

    @property
    def is_answer(self) -> bool:
        """Whether the run found an answer, if only a part of one."""
        return self.done.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)

    @property
    def cited(self) -> list[Evidence]:
        """The evidence of the claims that stand, each place once, in the order cited."""
        held = [claim for claim in self.claims if claim.support is not Support.UNSUPPORTED]
        found = {(e.document, e.key, e.start, e.end): e for claim in held for e in claim.citations}
        return list(found.values())


def make_engine(options: argparse.Namespace) -> Engine:
    """The engine that the options name: offline, or led by the model of the environment."""
    limits = Limits(wall_seconds=options.run_seconds)
    if options.engine == "offline":
        return Engine(lambda _spending: Reasoner(), limits)
    model = from_environment(seconds=options.call_seconds)
    return Engine(led_by(model, limits=limits, settings=Settings(verify=not options.unverified)), limits)


def run_question(question: str, corpus: Corpus, engine: Engine) -> Answered:
    """One whole run over a corpus."""
    spent = Spending()
    events = list(engine.make_reasoner(spent).run(question, corpus, engine.limits))
    engine.spending.add(spent)
    checked = {event.order: event for event in events if isinstance(event, ClaimEvent) and event.state == "checked"}
    return Answered(
        done=next(event for event in reversed(events) if isinstance(event, CompleteEvent)),
        claims=list(checked.values()),
        walked=[name for event in events if isinstance(event, StepEvent) for name in event.documents],
        calls=spent.calls,
    )


def prediction_of(answered: Answered, name_of: Callable[[str], str]) -> Prediction:
    """The fields that every prediction of a run has; `name_of` turns a corpus id into the name of the document.

    `passages` are what a reader is shown, best first: the citations of an answer, then the closest passages.
    """
    done = answered.done
    cited = answered.cited if answered.is_answer else []
    return {
        "answer": done.answer if answered.is_answer else "",
        "value": done.value if answered.is_answer else "",
        "citations": [{"doc": name_of(e.document), "page": e.page_index, "quote": e.quote} for e in cited],
        "passages": [_passage_row(evidence, name_of) for evidence in (*cited, *done.passages)],
        "unknown_words": list(done.unknown_words),
        "outcome": done.outcome.value,
        "verdict": done.verdict.value if done.verdict else "",
        "grounded": done.grounded,
        "maker": next((claim.maker.value for claim in answered.claims if claim.maker), ""),
        "claims": [_claim_row(claim) for claim in answered.claims],
        "note": done.note,
        "tokens": done.tokens,
        "calls": answered.calls,
        "steps": done.steps,
        "engine": done.engine,
        "reason": done.reason,
    }


def given_by(answered: Answered, name_of: Callable[[str], str]) -> Given:
    """A run's answer as the scorer of evaluations takes it; documents go by the names that `name_of` gives."""
    shown = answered.cited if answered.is_answer else answered.done.passages
    cited = tuple(dict.fromkeys(Place(name_of(row.document), row.page_index, row.quote) for row in shown))
    done = answered.done
    if not answered.is_answer:
        return Given(False, cited=cited)
    return Given(True, done.answer, done.value, done.verdict.value if done.verdict else "", cited)


def expect(question: Question) -> Expectation:
    """What a line of questions expects: one of its `answers` said, from its `gold_pages` (from 0) or `gold_quote`."""
    quote = question.get("gold_quote") or ""
    places = tuple(Place(question["doc"], page, quote) for page in question.get("gold_pages") or ())
    answers = "|".join(str(way).replace("|", " ") for way in question.get("answers") or ())
    return Expectation(mentions=(answers,) if answers else (), places=places, is_absent=not answers)


def _passage_row(evidence: Evidence, name_of: Callable[[str], str]) -> dict[str, Any]:
    """What is shown of one passage: its text as a reader sees it, and what is lit in it."""
    passage = evidence.passage
    shown = f"{passage.lead_in}\n{passage.text}".strip() if passage else evidence.quote
    lit = passage.lit if passage else evidence.quote
    return {"doc": name_of(evidence.document), "page": evidence.page_index, "text": shown, "lit": lit}


def _claim_row(claim: ClaimEvent) -> dict[str, Any]:
    support = claim.support.value if claim.support else ""
    return {"text": claim.text, "support": support, "because": claim.because, "marks": list(claim.marks)}


def find_place(shown: Sequence[Evidence], points: str, *, most: int = 10) -> int:
    """The place, from 1, by which the passages shown hold every point in one of its wordings; 0 for none of them.

    Points are parted by ";", wordings of a point by "|".
    """
    texts = ""
    for place, evidence in enumerate(shown[:most], start=1):
        texts += f"{evidence.passage.lead_in} {evidence.passage.text}\n" if evidence.passage else f"{evidence.quote}\n"
        if all(any(way.strip().lower() in texts.lower() for way in point.split("|")) for point in points.split(";")):
            return place
    return 0


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
    parser.add_argument("--unverified", action="store_true", help="leave out the verifying call of a model")
    parser.add_argument("--run-seconds", type=float, default=300.0, help="how long one question may take")
