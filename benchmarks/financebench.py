"""Finds the evidence pages of, or answers, questions over company filings, one line of JSON per question.

    python benchmarks/financebench.py --questions FILE --pdfs DIR --out PRED.jsonl
        [--scope document|corpus] [--stage retrieve|answer] [--engine offline|model] [--limit N] [--cache DIR]

A question is a JSON line with financebench_id, question and doc_name (the PDF's name
without its suffix). With scope `document` the document is given; with `corpus` all PDFs of
the folder are searched. A prediction has: financebench_id, pages ({doc, page from 0, score},
20 best first), documents, answer, value, citations ({doc, page from 0, quote}), outcome,
seconds, tokens, steps. The model engine reads OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus, make_router, routing, shortlist
from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.query.evidence import rank_pages
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.query.understand import understand
from vectorless_web.engine.reasoner.events import ClaimEvent, CompleteEvent, Evidence, Outcome, StepEvent
from vectorless_web.engine.reasoner.limits import Limits
from vectorless_web.engine.reasoner.model_planner import ModelPlanner
from vectorless_web.engine.reasoner.orchestrator import Orchestrator
from vectorless_web.engine.reasoner.walking import Walking
from vectorless_web.engine.router import DocumentRouter
from vectorless_web.providers.endpoint import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat

PAGES = 20
Question = dict[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What to do for each question; without a router the document is given."""

    corpus: FolderCorpus
    router: DocumentRouter | None
    reasoner: Callable[[], Orchestrator] | None = None


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
    events = list(task.reasoner().run(question["question"], corpus, Limits()))
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
    }


def _citations(cited: Sequence[Evidence], corpus: FolderCorpus) -> list[dict[str, Any]]:
    """Each quote once, in the order cited."""
    distinct = {(evidence.document, evidence.page_index, evidence.quote): evidence for evidence in cited}
    return [{"doc": corpus.name_of(e.document), "page": e.page_index, "quote": e.quote} for e in distinct.values()]


def predictions(questions: Sequence[Question], work: Callable[[Question], Prediction]) -> Iterator[Prediction]:
    """One prediction per question, with the seconds it took."""
    for question in questions:
        started = time.perf_counter()
        found = work(question)
        yield {
            "financebench_id": question["financebench_id"],
            "answer": "",
            "value": "",
            "citations": [],
            **found,
            "seconds": round(time.perf_counter() - started, 4),
        }


def make_reasoner(engine: str, router: DocumentRouter | None) -> Callable[[], Orchestrator]:
    """Makes the reasoner of one run: offline, or led by the model of the environment with a budget of its own."""
    narrowed = routing(router) if router else None
    if engine == "offline":
        return lambda: Orchestrator(routing=narrowed)
    model = OpenAIChat(
        Endpoint(
            base_url=os.environ["OPENAI_BASE_URL"],
            model=os.environ["OPENAI_MODEL"],
            api_key=os.environ.get("OPENAI_API_KEY", ""),
        )
    )
    limits = Limits()
    return lambda: Orchestrator(
        routing=narrowed,
        walking=Walking(
            planner=ModelPlanner(
                Caller(model, budget=ModelBudget(calls=limits.model_calls, tokens=limits.model_tokens))
            )
        ),
    )


def main() -> None:
    """Read the questions, work on each, write its prediction."""
    arguments = _arguments()
    lines = Path(arguments.questions).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()][: arguments.limit]
    is_given = arguments.scope == "document"
    names = sorted({question["doc_name"] for question in questions}) if is_given else None
    corpus = FolderCorpus(Path(arguments.pdfs), cache=Path(arguments.cache), names=names)
    router = None if is_given else make_router(corpus)
    is_answer = arguments.stage == "answer"
    task = Task(corpus, router, make_reasoner(arguments.engine, router) if is_answer else None)
    work = answer if is_answer else retrieve
    with Path(arguments.out).open("w", encoding="utf-8") as out:
        for number, prediction in enumerate(predictions(questions, lambda question: work(question, task)), start=1):
            out.write(json.dumps(prediction, ensure_ascii=False) + "\n")
            out.flush()
            print(f"{number}/{len(questions)} {prediction['financebench_id']} {prediction['outcome']}", file=sys.stderr)


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
    return parser.parse_args()


if __name__ == "__main__":
    main()
