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

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.corpus import FolderCorpus, document_router
from vectorless_web.engine.query.evidence import rank_pages
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.query.understand import understand
from vectorless_web.engine.reasoner.events import ClaimEvent, CompleteEvent, Evidence, StepEvent
from vectorless_web.engine.reasoner.limits import Limits
from vectorless_web.engine.reasoner.orchestrator import Orchestrator

PAGES = 20
WALKED = 5
Question = dict[str, Any]
Prediction = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What to do for each question."""

    scope: str
    corpus: FolderCorpus
    orchestrator: Orchestrator | None = None


def retrieve(question: Question, task: Task) -> Prediction:
    """The best pages: of the document given, or of the documents the router commits to."""
    plan = understand(question["question"])
    names = _documents(plan, question, task)
    pages = _pages(plan, names, task.corpus)
    return {"pages": pages, "documents": names, "outcome": "retrieved", "tokens": 0, "steps": 0}


def _documents(plan: QueryPlan, question: Question, task: Task) -> list[str]:
    if task.scope == "document":
        return [question["doc_name"]]
    return document_router(task.corpus).shortlist(plan)


def _pages(plan: QueryPlan, names: Sequence[str], corpus: FolderCorpus) -> list[dict[str, Any]]:
    """Pages of the first document first; the following documents' pages come in turn."""
    listed = [(name, rank_pages(corpus.open(name), plan, limit=PAGES)) for name in names[:WALKED]]
    if not listed:
        return []
    rows = [{"doc": name, "page": page.page_index, "score": page.score} for name, pages in listed for page in pages]
    return rows[:PAGES]


def answer(question: Question, task: Task) -> Prediction:
    """A whole run of the reasoner: its answer, its citations, and the pages it read."""
    assert task.orchestrator is not None
    corpus = task.corpus.only(question["doc_name"]) if task.scope == "document" else task.corpus
    events = list(task.orchestrator.run(question["question"], corpus, Limits()))
    done = next(event for event in reversed(events) if isinstance(event, CompleteEvent))
    cited = [evidence for event in events if isinstance(event, ClaimEvent) for evidence in event.citations]
    walked = [step for event in events if isinstance(event, StepEvent) for step in [event] if step.refs]
    plan = understand(question["question"])
    names = list(dict.fromkeys([*(e.document for e in cited), *(ref.document for s in walked for ref in s.refs)]))
    return {
        "pages": _read_pages(cited, plan, names, corpus),
        "documents": names,
        "answer": done.answer,
        "value": done.value,
        "citations": _citations(cited) if done.outcome.value in ("answered", "partial") else [],
        "outcome": done.outcome.value,
        "tokens": done.tokens,
        "steps": done.steps,
    }


def _citations(cited: Sequence[Evidence]) -> list[dict[str, Any]]:
    distinct = {(e.document, e.page_index, e.quote): e for e in cited}
    return [{"doc": e.document, "page": e.page_index, "quote": e.quote} for e in distinct.values()]


def _read_pages(cited: Sequence[Evidence], plan: QueryPlan, names: Sequence[str], corpus: Any) -> list[dict[str, Any]]:
    """Cited pages first, then the ranking of the documents walked."""
    first = [{"doc": e.document, "page": e.page_index, "score": 1.0} for e in cited]
    ranked = _pages(plan, names, corpus)
    distinct = {(row["doc"], row["page"]): row for row in reversed([*first, *ranked])}
    return list(reversed(distinct.values()))[:PAGES]


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


def orchestrator(engine: str, corpus: FolderCorpus) -> Orchestrator:
    """The reasoner: offline, or led by the model of the environment."""
    if engine == "offline":
        return Orchestrator(routing=document_router(corpus).routing())
    from benchmarks.model import model_walking  # noqa: PLC0415  needs the provider's library

    return Orchestrator(routing=document_router(corpus).routing(), walking=model_walking(os.environ))


def main() -> None:
    arguments = _arguments()
    lines = Path(arguments.questions).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()][: arguments.limit]
    names = None if arguments.scope == "corpus" else list(dict.fromkeys(q["doc_name"] for q in questions))
    corpus = FolderCorpus(Path(arguments.pdfs), cache=Path(arguments.cache), names=names)
    is_answer = arguments.stage == "answer"
    task = Task(arguments.scope, corpus, orchestrator(arguments.engine, corpus) if is_answer else None)
    work = answer if is_answer else retrieve
    with Path(arguments.out).open("w", encoding="utf-8") as out:
        for number, prediction in enumerate(predictions(questions, lambda q: work(q, task)), start=1):
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
    parser.add_argument("--cache", default=str(ROOT / "var" / "benchmarks"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
