"""Shows the passages for questions of the given sets, document given, beside plain BM25; and ranks filings' pages.

    python benchmarks/passages.py --data DIR --out FOLDER [--cache DIR] [--limit N]

Writes FOLDER/<lane>.jsonl for the lanes `ranker` (find_passages), `sentences`, `three` (three sentences in a row) and
`paragraphs` (plain BM25, k1 1.5 and b 0.75, statistics of one document). A line is {id, outcome, passages: [{doc, page,
text, lit}]}, best first, as `evidence_eval.py` scores them for lit@1, @3, @5 and shown@k. For filings it prints itself
how often a gold page is among the first 1, 3, 5 and 10; and of everything the seconds of a question, apart for the
first one asked of a document, whose profile is made, and for later ones.
"""

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.fit_ranker import open_compiled, read_questions
from benchmarks.ranked_pages import rank_pages
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.passages.sentences import cut_node
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse

LANES = ("ranker", "sentences", "three", "paragraphs")
_K1, _B, _MOST = 1.5, 0.75, 10


@cache
def cut_units(document: CompiledDocument, lane: str) -> tuple[tuple[str, ...], tuple[Counter[str], ...]]:
    """The units of a document that plain BM25 ranks, with their counted terms."""
    texts = tuple(_list_units(document, lane))
    return texts, tuple(Counter(analyse(text)) for text in texts)


def _list_units(document: CompiledDocument, lane: str) -> Iterator[str]:
    for key in document.tree.leaves():
        node = document.tree.node(key)
        pieces = [piece.text for piece in cut_node(node)]
        if lane == "paragraphs":
            yield node.text
        elif lane == "sentences":
            yield from pieces
        else:
            yield from (" ".join(pieces[start : start + 3]) for start in range(0, len(pieces), 3))


def rank_plain(question: str, counts: Sequence[Counter[str]]) -> list[int]:
    """The places of the units by Okapi BM25 with Lucene's idf, best first."""
    lengths = np.array([count.total() for count in counts], dtype=np.float64)
    norms = _K1 * (1 - _B + _B * lengths / (lengths.mean() or 1.0))
    scores = np.zeros(len(counts))
    for term in dict.fromkeys(analyse(question)):
        found = np.array([count[term] for count in counts], dtype=np.float64)
        holding = int(np.count_nonzero(found))
        idf = math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
        scores += idf * found * (_K1 + 1) / (found + norms)
    return np.argsort(-scores, kind="stable")[:_MOST].tolist()


def predict(question: str, name: str, document: CompiledDocument, lane: str) -> list[dict[str, object]]:
    """The passages that a lane shows for a question."""
    if lane == "ranker":
        return [
            {"doc": name, "page": passage.page_index, "text": passage.text, "lit": passage.lit}
            for passage in find_passages(understand(question), {name: document})
        ]
    texts, counts = cut_units(document, lane)
    return [{"doc": name, "page": 0, "text": texts[i], "lit": texts[i]} for i in rank_plain(question, counts)]


def main() -> None:
    """Write the predictions of every lane; print pages of filings and seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/vectorless-artefacts"))
    parser.add_argument("--limit", type=int, help="questions of each set, the first ones")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {lane: [] for lane in LANES}
    hits: list[list[bool]] = []
    seconds: dict[str, list[float]] = {}
    asked: Counter[str] = Counter()
    opened: set[Path] = set()
    for question, path in read_questions(options.data):
        asked[question.set] += 1
        if options.limit and asked[question.set] > options.limit:
            continue
        document = open_compiled(path, options.cache)
        started = time.perf_counter()
        passages = predict(question.text, path.name, document, "ranker")
        kind = "later" if path in opened else "first"
        seconds.setdefault(f"{question.set}, {kind}", []).append(time.perf_counter() - started)
        opened.add(path)
        if question.set == "filings":
            pages = [page.page_index for page in rank_pages(document, understand(question.text))]
            hits.append([bool(question.pages & set(pages[:most])) for most in (1, 3, 5, 10)])
        for lane in LANES if question.golds else ():
            shown = passages if lane == "ranker" else predict(question.text, path.name, document, lane)
            lines[lane].append(json.dumps({"id": question.id, "outcome": "passages", "passages": shown}))
    for lane, made in lines.items():
        (options.out / f"{lane}.jsonl").write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
    if hits:
        print(
            f"filings, gold page among the first 1, 3, 5, 10: {np.mean(hits, axis=0).round(3).tolist()} of {len(hits)}"
        )
    for name, values in sorted(seconds.items()):
        print(
            f"seconds {name:16} p50 {np.percentile(values, 50):.3f} p95 {np.percentile(values, 95):.3f} n {len(values)}"
        )


if __name__ == "__main__":
    main()
