"""Finds the evidence pages of, or answers, questions over company filings, one line of JSON per question.

    python benchmarks/financebench.py --questions FILE --pdfs DIR --out PRED.jsonl
        [--scope document|corpus] [--stage retrieve|answer] [--engine offline|model] [--limit N] [--cache DIR]
        [--resume] [--at-once N] [--call-seconds S] [--run-seconds S]

A question is a JSON line with financebench_id, question and doc_name (the PDF's name
without its suffix). With scope `document` the document is given; with `corpus` all PDFs of
the folder are searched. A prediction has: financebench_id, pages ({doc, page from 0, score},
20 best first), documents, answer, value, citations ({doc, page from 0, quote}), outcome,
seconds, tokens, steps, engine. The model engine reads OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL
and, for the cost, OPENAI_PRICE_IN and OPENAI_PRICE_OUT (dollars per million tokens); it answers (--stage answer).
With --resume the questions that PRED.jsonl already holds are left out and the others appended.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus, make_router, routing, shortlist
from benchmarks.led import Spending, from_environment, led_by
from vectorless_web.engine.agent.events import CompleteEvent, Outcome, StepEvent
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.orchestrator import Orchestrator
from vectorless_web.engine.answers.claims import ClaimEvent, Evidence
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.ranking.evidence import rank_pages
from vectorless_web.engine.routing import DocumentRouter

PAGES = 20
Question = dict[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What to do for each question; without a router the document is given."""

    corpus: FolderCorpus
    router: DocumentRouter | None
    reasoner: Callable[[], Orchestrator] | None
    limits: Limits


def retrieve(question: Question, task: Task) -> Prediction:
    """The best pages: of the document given, or of those the router names."""
    plan = understand(question["question"])
    ids = [task.corpus.id_of(question["doc_name"])] if task.router is None else shortlist(task.router, plan)
    return {
        "pages": _pages(plan, ids, task.corpus),
        "documents": [task.corpus.name_of(document) for document in ids],
        "outcome": "retrieved",
        "tokens": 0,
        "steps": 0,
    }


def _pages(plan: QueryPlan, ids: Sequence[str], corpus: FolderCorpus) -> list[dict[str, Any]]:
    """The best pages of the first document, then those of the next, until there are enough."""
    rows: list[dict[str, Any]] = []
    for document in ids:
        name = corpus.name_of(document)
        found = rank_pages(corpus.open(document), plan, limit=PAGES)
        rows.extend({"doc": name, "page": page.page_index, "score": page.score} for page in found)
        if len(rows) >= PAGES:
            break
    return rows[:PAGES]


def answer(question: Question, task: Task) -> Prediction:
    """A whole run of the reasoner: its answer and citations, and the ranking of the documents it walked."""
    assert task.reasoner is not None
    corpus = task.corpus if task.router else task.corpus.only(task.corpus.id_of(question["doc_name"]))
    events = list(task.reasoner().run(question["question"], corpus, task.limits))
    done = next(event for event in reversed(events) if isinstance(event, CompleteEvent))
    cited = [evidence for event in events if isinstance(event, ClaimEvent) for evidence in event.citations]
    walked = [ref.document for event in events if isinstance(event, StepEvent) for ref in event.refs]
    ids = list(dict.fromkeys([*(evidence.document for evidence in cited), *walked]))
    is_answer = done.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    return {
        "pages": _pages(understand(question["question"]), ids, corpus),
        "documents": [corpus.name_of(document) for document in ids],
        "answer": done.answer if is_answer else "",
        "value": done.value if is_answer else "",
        "citations": _citations(cited, corpus) if is_answer else [],
        "outcome": done.outcome.value,
        "confidence": done.confidence.value if done.confidence else None,
        "tokens": done.tokens,
        "steps": done.steps,
        "engine": done.engine,
        "reason": done.reason,
    }


def _citations(cited: Sequence[Evidence], corpus: FolderCorpus) -> list[dict[str, Any]]:
    """Each quote once, in the order cited."""
    distinct = {(evidence.document, evidence.page_index, evidence.quote): evidence for evidence in cited}
    return [{"doc": corpus.name_of(e.document), "page": e.page_index, "quote": e.quote} for e in distinct.values()]


def predictions(
    questions: Sequence[Question], work: Callable[[Question], Prediction], *, at_once: int = 1
) -> Iterator[Prediction]:
    """One prediction per question in their order, with the seconds it took; `at_once` are worked on together."""
    if at_once == 1:
        yield from (_timed(question, work) for question in questions)
        return
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        yield from pool.map(lambda question: _timed(question, work), questions)


def _timed(question: Question, work: Callable[[Question], Prediction]) -> Prediction:
    started = time.perf_counter()
    found = work(question)
    return {
        "financebench_id": question["financebench_id"],
        "answer": "",
        "value": "",
        "citations": [],
        **found,
        "seconds": round(time.perf_counter() - started, 4),
    }


def make_reasoner(
    options: argparse.Namespace, router: DocumentRouter | None, limits: Limits, spending: Spending
) -> Callable[[], Orchestrator]:
    """Makes the reasoner of one run: offline, or led by the model of the environment."""
    narrowed = routing(router) if router else None
    if options.engine == "offline":
        return lambda: Orchestrator(routing=narrowed)
    model = from_environment(seconds=options.call_seconds)
    return led_by(model, spending, limits=limits, routing=narrowed)


def done_before(out: Path) -> set[str]:
    """Questions that a file of predictions holds; a line cut off by an interruption is dropped from it."""
    if not out.exists():
        return set()
    whole = [line for line in out.read_text(encoding="utf-8").splitlines() if _is_json(line)]
    out.write_text("".join(f"{line}\n" for line in whole), encoding="utf-8")
    return {json.loads(line)["financebench_id"] for line in whole}


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def main() -> None:
    """Read the questions, work on each, write its prediction."""
    options = _arguments()
    if options.engine == "model" and options.stage != "answer":
        sys.exit("The model engine answers: add --stage answer.")
    lines = Path(options.questions).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()][: options.limit]
    is_given = options.scope == "document"
    names = sorted({question["doc_name"] for question in questions}) if is_given else None
    out = Path(options.out)
    held = done_before(out) if options.resume else set()
    questions = [question for question in questions if question["financebench_id"] not in held]
    corpus = FolderCorpus(Path(options.pdfs), cache=Path(options.cache), names=names)
    router = None if is_given else make_router(corpus)
    limits, spending = Limits(wall_seconds=options.run_seconds), Spending()
    is_answer = options.stage == "answer"
    reasoner = make_reasoner(options, router, limits, spending) if is_answer else None
    task = Task(corpus, router, reasoner, limits)
    work = answer if is_answer else retrieve
    outcomes: Counter[str] = Counter()
    with out.open("a" if options.resume else "w", encoding="utf-8") as file:
        found = predictions(questions, lambda question: work(question, task), at_once=options.at_once)
        for number, prediction in enumerate(found, start=1):
            file.write(json.dumps(prediction, ensure_ascii=False) + "\n")
            file.flush()
            outcomes[f"{prediction['outcome']} by {prediction.get('engine', 'ranking')}"] += 1
            print(_progress(number, len(questions), prediction), file=sys.stderr, flush=True)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"{len(questions)} questions ({len(held)} done before): {told or 'none'}", file=sys.stderr)
    if options.engine == "model":
        print(spending.summary(), file=sys.stderr)


def _progress(number: int, count: int, prediction: Prediction) -> str:
    spent = f"{prediction['seconds']:.1f} s, {prediction['tokens']} tokens"
    return f"{number}/{count} {prediction['financebench_id']} {prediction['outcome']} ({spent})"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--scope", choices=("document", "corpus"), default="document")
    parser.add_argument("--stage", choices=("retrieve", "answer"), default="retrieve")
    parser.add_argument("--engine", choices=("offline", "model"), default="offline")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--cache", default="var/benchmarks")
    parser.add_argument("--resume", action="store_true", help="leave out what --out holds, append the rest")
    parser.add_argument("--at-once", type=int, default=1, help="questions worked on together")
    parser.add_argument("--call-seconds", type=float, default=120.0, help="how long one call of the model may take")
    parser.add_argument("--run-seconds", type=float, default=300.0, help="how long one question may take")
    return parser.parse_args()


if __name__ == "__main__":
    main()
