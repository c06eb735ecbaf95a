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
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import (
    Engine,
    Prediction,
    Question,
    add_run_options,
    make_engine,
    predict_all,
    prediction_of,
    read_questions,
    run_question,
)
from benchmarks.corpus import FolderCorpus, FolderRouter, make_router, shortlist
from benchmarks.ranked_pages import rank_pages
from vectorless_web.engine.finding.routing import DocumentRouter
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

PAGES = 20


@dataclass(frozen=True, slots=True)
class Task:
    """What to do for each question; without a router the document is given, without an engine nothing is answered."""

    corpus: FolderCorpus
    router: DocumentRouter | None
    engine: Engine | None


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
    assert task.engine is not None
    corpus = task.corpus if task.router else task.corpus.only(task.corpus.id_of(question["doc_name"]))
    answered = run_question(question["question"], corpus, task.engine)
    ids = list(dict.fromkeys([*(evidence.document for evidence in answered.cited), *answered.walked]))
    return {
        "pages": _pages(understand(question["question"]), ids, corpus),
        "documents": [corpus.name_of(document) for document in ids],
        **prediction_of(answered, corpus.name_of),
    }


def main() -> None:
    """Read the questions, work on each, write its prediction."""
    options = _arguments()
    is_answer = options.stage == "answer"
    if options.engine == "model" and not is_answer:
        sys.exit("The model engine answers: add --stage answer.")
    questions = read_questions(Path(options.questions))[: options.limit]
    is_given = options.scope == "document"
    names = {question["doc_name"] for question in questions} if is_given else None
    corpus = FolderCorpus(Path(options.pdfs), cache=Path(options.cache), names=names)
    router = None if is_given else make_router(corpus)
    if router is not None:
        corpus.router = FolderRouter(router, corpus)
    engine = make_engine(options) if is_answer else None
    task = Task(corpus, router, engine)
    work = answer if is_answer else retrieve
    predict_all(questions, lambda question: work(question, task), options, key="financebench_id")
    if engine and options.engine == "model":
        print(engine.spending.summary(), file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--pdfs", required=True)
    parser.add_argument("--scope", choices=("document", "corpus"), default="document")
    parser.add_argument("--stage", choices=("retrieve", "answer"), default="retrieve")
    add_run_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
