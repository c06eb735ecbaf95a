"""Asks for worked figures alone: exact look-ups and calculations in tables, the document given.

    python benchmarks/worked.py --data DIR --out PRED.jsonl [--documents DIR] [--set NAME] [--cache DIR] [--limit N]

DIR is laid out as benchmarks/reading.py says, and so are the predictions: `outcome` is answered where a figure is shown
and passages where none is; `maker` says who made it. The last lines count, by set and maker, how many were shown and
how long a question took. Whether they are right is told by the script that scores such predictions.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import FolderCorpus
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.tables.periods import own_period
from vectorless_web.engine.tables.relation import TableSource, words_of
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.tables.worked import WorkedFigure, find_worked_figure

Question = dict[str, Any]


def source_of(corpus: FolderCorpus, name: str) -> TableSource:
    """All tables of a document, unranked."""
    found = corpus.id_of(name)
    document = corpus.open(found)
    tree, card = document.tree, document.card
    return TableSource(
        found,
        tuple(tables_of(tree, range(len(tree)))),
        own=own_period(card.fields),
        subject=words_of(" ".join((document.title, corpus.name_of(found), *card.fields.entities))),
    )


def predict(question: Question, corpus: FolderCorpus, sources: Mapping[str, TableSource]) -> dict[str, Any]:
    """The prediction for a question, in seconds of its own."""
    source = sources[question["doc"]]
    begun = time.perf_counter()
    figure = find_worked_figure(understand(question["question"]), [source])
    seconds = round(time.perf_counter() - begun, 4)
    told: dict[str, Any] = {"id": question["id"], "outcome": "answered" if figure else "passages", "confidence": None}
    told |= {"answer": "", "value": "", "unit": "", "citations": [], "seconds": seconds}
    return told if figure is None else told | describe(figure, question["doc"], corpus, source)


def describe(figure: WorkedFigure, doc: str, corpus: FolderCorpus, source: TableSource) -> dict[str, Any]:
    """What is shown of a worked figure."""
    tree = corpus.open(source.document).tree
    quotes = [
        {"doc": doc, "page": quote.page_index, "quote": tree.node(quote.key).text[quote.start : quote.end]}
        for quote in figure.quotes
    ]
    is_one = figure.calculation is not None or len(figure.cells) == 1
    value = figure.value if is_one else ""
    return {"answer": figure.sentence, "value": value, "maker": figure.maker, "fit": figure.fit, "citations": quotes}


def main() -> None:
    """Read the questions, look each figure up, write the predictions and the counts."""
    options = _arguments()
    data = Path(options.data)
    files = [path for path in (data / "questions.jsonl", data / "absent.jsonl") if path.exists()]
    every = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    questions = [one for one in every if options.set in (None, one.get("set") or "")][: options.limit]
    by_set: defaultdict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_set[question.get("set") or ""].append(question)
    with Path(options.out).open("w", encoding="utf-8") as out:
        for name, asked in by_set.items():
            folder = Path(options.documents or data / "documents") / name
            corpus = FolderCorpus(folder, cache=Path(options.cache), names=sorted({one["doc"] for one in asked}))
            sources = {doc: source_of(corpus, doc) for doc in {one["doc"] for one in asked}}
            found = [predict(question, corpus, sources) for question in asked]
            out.writelines(json.dumps(one) + "\n" for one in found)
            makers = Counter(one["maker"] for one in found if "maker" in one)
            seconds = sorted(one["seconds"] for one in found)
            times = f"{seconds[len(seconds) // 2]:.3f} s in the median, {seconds[len(seconds) * 19 // 20]:.3f} s at .95"
            print(f"{name or 'all'}: {len(found)} asked, shown {dict(makers)}, {times}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of questions.jsonl, absent.jsonl and documents/")
    parser.add_argument("--documents", help="folder of the documents, if not documents/ in --data")
    parser.add_argument("--set", help="only the questions of this set")
    parser.add_argument("--out", required=True, help="file for the predictions")
    parser.add_argument("--cache", default="var/benchmarks", help="folder of compiled documents")
    parser.add_argument("--limit", type=int, help="the first N questions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
