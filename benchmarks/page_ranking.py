"""Ranks the pages of the document a question is about, beside flat BM25 over the same pages in the same run.

    python benchmarks/page_ranking.py --questions FILE --documents DIR [--set NAME] [--without-packs]
        [--cache DIR] [--per-question OUT.jsonl]

A question is a JSON line with question and doc (a file name; a PDF's may lack its suffix; doc_name does too), and
its gold: gold_pages (from 0), or evidence ([{evidence_page_num}]); where the document is no PDF, gold_quote (the
pages that hold it). Questions without gold are left out, with --set those of other sets too.

Printed for each ranking: the share of questions with a gold page among the first 1, 3, 5 and 10. `BM25` scores the
pages' text with the product's own analyser, each word of the question once (k1 = 1.2, b = .75); `bm25s` is that
library with its own tokeniser, English stems and stop words (k1 = 1.5, b = .75). `kept` is the share of the first five
pages of each that the product has among its first ten. Times are of ranking alone, every document opened before:
`cold` the first question of a document, which works out its profile, `warm` the others.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import Stemmer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import read_questions
from benchmarks.corpus import FolderCorpus
from benchmarks.ranked_pages import rank_pages
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.index.scoring import Floats, find_best_rows, inverse_frequency, saturate
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse

KS = (1, 3, 5, 10)
DEPTH = 200
"""Pages ranked; a gold page further back counts as not found."""
FLOOR, ROOM = 5, 10
"""Of so many first pages of BM25 the product should have all among so many first pages of its own."""

Ranking = list[int]


@dataclass(frozen=True, slots=True)
class Task:
    """A question, its document's name and gold pages."""

    question: str
    doc: str
    gold: frozenset[int]
    group: str = ""


@dataclass(slots=True)
class Measured:
    """The rankings of one question by name."""

    task: Task
    pages: dict[str, Ranking] = field(default_factory=dict)
    seconds: float = 0.0
    is_cold: bool = False

    def place(self, name: str) -> int:
        """The place, from 1, of the first gold page."""
        places = [place for place, page in enumerate(self.pages[name], 1) if page in self.task.gold]
        return min(places, default=DEPTH + 1)

    def kept(self, name: str) -> tuple[int, int]:
        """How many of the first pages of another ranking the product has among its first, and of how many."""
        first = self.pages[name][:FLOOR]
        return len(set(first) & set(self.pages["product"][:ROOM])), len(first)


def flat_bm25(document: CompiledDocument) -> Callable[[str], Ranking]:
    """BM25 over the text of the pages with the product's analyser."""
    pages = [analyse(document.page_text(page)) for page in range(len(document.pages))]
    lengths = np.array([len(terms) for terms in pages], dtype=np.float64)
    mean = float(lengths[lengths > 0].mean()) if lengths.any() else 1.0
    counts: dict[str, Floats] = {}
    for page, terms in enumerate(pages):
        for term in terms:
            counts.setdefault(term, np.zeros(len(pages)))[page] += 1

    def rank(question: str) -> Ranking:
        total = np.zeros(len(pages))
        for term in dict.fromkeys(analyse(question)):
            if term in counts:
                idf = inverse_frequency(len(pages), int(np.count_nonzero(counts[term])))
                total += idf * saturate(counts[term] / (0.25 + 0.75 * lengths / mean))
        return [int(page) for page in find_best_rows(total, DEPTH)]

    return rank


def library_bm25(document: CompiledDocument) -> Callable[[str], Ranking]:
    """The same by bm25s."""
    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: Sequence[str]) -> list[list[str]]:
        found = bm25s.tokenize(list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
        return [list(terms) for terms in found]

    texts = [document.page_text(page) for page in range(len(document.pages))]
    engine = bm25s.BM25(k1=1.5, b=0.75)
    engine.index(tokens(texts), show_progress=False)

    def rank(question: str) -> Ranking:
        asked = tokens([question])[0]
        return [int(page) for page in find_best_rows(np.asarray(engine.get_scores(asked), dtype=np.float64), DEPTH)]

    return rank


def measure(tasks: Sequence[Task], corpus: FolderCorpus, lexicon: Lexicon) -> list[Measured]:
    """All rankings of all questions, document by document."""
    flat, library = lru_cache(maxsize=4)(flat_bm25), lru_cache(maxsize=4)(library_bm25)
    seen: set[str] = set()
    found = []
    for task in sorted(tasks, key=lambda task: task.doc):
        document = corpus.open(corpus.id_of(task.doc))
        measured = Measured(task, is_cold=task.doc not in seen)
        seen.add(task.doc)
        started = time.perf_counter()
        ranked = rank_pages(document, understand(task.question, lexicon=lexicon), limit=DEPTH, lexicon=lexicon)
        measured.seconds = time.perf_counter() - started
        measured.pages["product"] = [page.page_index for page in ranked]
        measured.pages["BM25"] = flat(document)(task.question)
        measured.pages["bm25s"] = library(document)(task.question)
        found.append(measured)
    return found


def report(found: Sequence[Measured], title: str) -> None:
    """Print one table, with the product's shares by group below it where there are several."""
    print(f"\n{title}: {len(found)} questions")
    print("| ranking | at 1 | at 3 | at 5 | at 10 | kept |\n|---|---|---|---|---|---|")
    for name in ("product", "BM25", "bm25s"):
        shares = [sum(one.place(name) <= k for one in found) / len(found) for k in KS]
        kept = [one.kept(name) for one in found]
        share = sum(part for part, _ in kept) / max(1, sum(whole for _, whole in kept))
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in shares) + f" | {share:.3f} |")
    for group in sorted({one.task.group for one in found} - {""}):
        those = [one for one in found if one.task.group == group]
        at_one = [sum(one.place(name) == 1 for one in those) / len(those) for name in ("product", "BM25")]
        print(f"  {group} ({len(those)}): product at 1 {at_one[0]:.2f}, BM25 {at_one[1]:.2f}")
    for name, is_cold in (("cold", True), ("warm", False)):
        times = [one.seconds * 1000 for one in found if one.is_cold == is_cold]
        if len(times) > 1:
            print(f"  {name} ms: p50 {statistics.median(times):.1f}, p95 {statistics.quantiles(times, n=20)[-1]:.1f}")


def tasks_of(questions: Sequence[dict[str, Any]], corpus: FolderCorpus) -> list[Task]:
    """The questions that have gold pages."""
    tasks = []
    for question in questions:
        doc = question.get("doc") or question["doc_name"]
        gold = _gold_pages(question, corpus.open(corpus.id_of(doc)), is_paged=not doc.endswith((".md", ".html")))
        if gold:
            tasks.append(Task(question["question"], doc, gold, question.get("form", "")))
    return tasks


def _gold_pages(question: dict[str, Any], document: CompiledDocument, *, is_paged: bool) -> frozenset[int]:
    if "evidence" in question:
        return frozenset(int(item["evidence_page_num"]) for item in question["evidence"])
    if is_paged:
        return frozenset(question.get("gold_pages") or ())
    quote = _squeeze(question.get("gold_quote") or "")
    pages = range(len(document.pages)) if quote else ()
    return frozenset(page for page in pages if quote in _squeeze(document.page_text(page)))


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def save(found: Sequence[Measured], path: Path) -> None:
    """One line a question: its rankings' first ten pages and the places of the first gold page."""
    rows = [
        {
            "question": one.task.question,
            "doc": one.task.doc,
            "form": one.task.group,
            "gold": sorted(one.task.gold),
            "places": {name: one.place(name) for name in one.pages},
            "pages": {name: pages[:ROOM] for name, pages in one.pages.items()},
        }
        for one in found
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def add_ranking_options(parser: argparse.ArgumentParser) -> None:
    """The options that every measure of page rankings has."""
    parser.add_argument("--cache", default="var/benchmarks")
    parser.add_argument("--without-packs", action="store_true", help="rank with an empty lexicon")
    parser.add_argument("--per-question", default="", help="file for the rankings of each question")


def lexicon_of(options: argparse.Namespace) -> Lexicon:
    """The product's lexicon, or an empty one."""
    return Lexicon(()) if options.without_packs else default_lexicon()


def main() -> None:
    """Read the questions, rank, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--documents", required=True)
    parser.add_argument("--set", help="only the questions of this set")
    add_ranking_options(parser)
    options = parser.parse_args()
    questions = [q for q in read_questions(Path(options.questions)) if options.set in (None, q.get("set"))]
    names = sorted({q.get("doc") or q["doc_name"] for q in questions})
    corpus = FolderCorpus(Path(options.documents), cache=Path(options.cache), names=names)
    found = measure(tasks_of(questions, corpus), corpus, lexicon_of(options))
    report(found, Path(options.questions).parent.name)
    if options.per_question:
        save(found, Path(options.per_question))


if __name__ == "__main__":
    main()
