"""Answers questions about documents of any format, one line of JSON per question.

    python benchmarks/reading.py --data DIR --out PRED.jsonl [--documents DIR] [--set NAME] [--library] [--limit N]
        [--engine offline|model] [--cache DIR] [--resume] [--at-once N] [--call-seconds S] [--run-seconds S]

DIR/questions.jsonl and, where there is one, DIR/absent.jsonl (questions that the document cannot answer) hold JSON
lines with id, question, doc (a file name with its suffix) and perhaps set. The document is the file
documents/<set>/<doc> in DIR, or <set>/<doc> in the folder given by --documents; without a set, <doc> there. It is
compiled and asked as the product does it; with --library the question is asked of all documents of its set. A
prediction has: id, outcome, answer, value, unit ("": the unit stands in `value`), verdict, maker (lookup, formula,
operation or model), citations ({doc, page from 0, quote}), passages ({doc, page from 0, text, lit}, best first),
claims, unknown_words, seconds, engine, steps, calls, tokens, reason, score (what the scorer of evaluations makes of
it, by the question's answers, gold_pages and gold_quote; how many are right is printed at the end). --set leaves out
the other sets; --limit takes the first N of the questions and then of the absent ones. The model engine reads
OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL and, for the cost, OPENAI_PRICE_IN and OPENAI_PRICE_OUT (dollars per
million tokens).
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import (
    Engine,
    Prediction,
    Question,
    add_run_options,
    expect,
    given_by,
    make_engine,
    predict_all,
    prediction_of,
    read_questions,
    run_question,
)
from benchmarks.corpus import FolderCorpus, FolderRouter, make_router
from vectorless_web.engine.errors import NotFound
from vectorless_web.evaluations.scoring import score_answer


def answer(question: Question, corpora: Mapping[str, FolderCorpus], engine: Engine) -> Prediction:
    """A whole run over the question's document, or over all of its set where they have a router."""
    corpus = corpora[set_of(question)]
    scope = corpus if corpus.router else corpus.only(corpus.id_of(question["doc"]))
    answered = run_question(question["question"], scope, engine)
    score = score_answer(given_by(answered, corpus.file_name_of), expect(question))
    return {**prediction_of(answered, corpus.file_name_of), "unit": "", "score": asdict(score)}


def set_of(question: Question) -> str:
    """The set that a question belongs to, "" for none."""
    return question.get("set") or ""


def corpora_of(questions: Sequence[Question], documents: Path, cache: Path) -> dict[str, FolderCorpus]:
    """The documents of each set that is asked about."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for question in questions:
        names[set_of(question)].add(question["doc"])
    return {name: FolderCorpus(documents / name, cache=cache, names=docs) for name, docs in names.items()}


def questions_in(data: Path, only: str | None) -> list[Question]:
    """The questions of a data folder, those without an answer last; `only` is the set to take."""
    absent = data / "absent.jsonl"
    found = [*read_questions(data / "questions.jsonl"), *(read_questions(absent) if absent.exists() else [])]
    return [question for question in found if only in (None, set_of(question))]


def main() -> None:
    """Read the questions, answer each, write its prediction."""
    options = _arguments()
    data = Path(options.data)
    questions = questions_in(data, options.set)[: options.limit]
    if not questions:
        sys.exit(f"There is no question{f' of the set {options.set}' if options.set else ''} in {data}.")
    try:
        corpora = corpora_of(questions, Path(options.documents or data / "documents"), Path(options.cache))
    except NotFound as error:
        sys.exit(error.message)
    for corpus in corpora.values() if options.library else ():
        corpus.router = FolderRouter(make_router(corpus), corpus)
    engine = make_engine(options)
    predict_all(questions, lambda question: answer(question, corpora, engine), options, key="id")
    scores = [row["score"] for row in read_questions(Path(options.out)) if "score" in row]
    for name in ("right", "page_right"):
        said = [score[name] for score in scores if score[name] is not None]
        print(f"{name}: {sum(said)} of {len(said)}", file=sys.stderr)
    if options.engine == "model":
        print(engine.spending.summary(), file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of questions.jsonl, absent.jsonl and documents/")
    parser.add_argument("--documents", help="folder of the documents, if not documents/ in --data")
    parser.add_argument("--set", help="only the questions of this set")
    parser.add_argument("--library", action="store_true", help="ask of all documents of a set, not of the one given")
    add_run_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
