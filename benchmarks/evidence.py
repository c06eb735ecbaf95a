"""Checks compiled PDFs against questions whose evidence is known.

    python benchmarks/evidence.py --pdfs DIR --questions FILE [--verbose]

A question is a JSON line: {doc_name, question, evidence: [{evidence_text, evidence_page_num}]},
page from 0. Printed: the share of each evidence's words that stand in leaves of its page
(bar: 0.95 for every item); highlight fidelity, the share of evidence lines whose boxes cover
exactly the quoted text (bar: 0.98); and how often the gold page is among the first five by
plain BM25 over the pages of the tree's own section that holds it (bar: 0.90).
"""

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.pdf_text import text_under
from vectorless_web.engine.documents.artefact import CompiledDocument, open_artefact
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.pdf.text import highlight_boxes
from vectorless_web.engine.text.analyser import analyse

_K1, _B, _FIRST = 1.5, 0.75, 5
_QUOTE_LETTERS = (25, 400)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence of a question."""

    document: str
    question: str
    text: str
    page: int


@dataclass(slots=True)
class Tally:
    """What was measured over all evidence."""

    words: list[float] = field(default_factory=list)
    quotes: list[bool] = field(default_factory=list)
    located: list[bool] = field(default_factory=list)
    hits: list[bool] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)


def letters(text: str) -> str:
    """Letters and digits alone, without case."""
    return re.sub(r"[\W_]+", "", text).casefold()


def read_evidence(path: Path) -> Iterator[Evidence]:
    """All evidence of a file of questions."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for item in row["evidence"]:
            yield Evidence(row["doc_name"], row["question"], item["evidence_text"], item["evidence_page_num"])


def word_share(document: CompiledDocument, evidence: Evidence) -> float:
    """Share of the evidence's words among the words of the nodes on its page (letters decide, so spacing does not)."""
    nodes = [document.tree.node(key) for key in document.on_page(evidence.page)]
    printed = "".join(letters(node.text) for node in nodes if node.kind is not NodeKind.RUNNING)
    words = [letters(word) for word in evidence.text.split() if letters(word)]
    return sum(word in printed for word in words) / max(len(words), 1)


def quotes(document: CompiledDocument, evidence: Evidence) -> Iterator[tuple[int, int, int]]:
    """(node key, start, end) of evidence lines found in nodes on the page."""
    for key in document.on_page(evidence.page):
        text = document.tree.node(key).text
        positions = [index for index, character in enumerate(text) if letters(character)]
        joined = "".join(letters(text[index]) for index in positions)
        if len(joined) != len(positions):
            continue
        for line in re.split(r"\n+|(?<=[.;]) ", evidence.text):
            wanted = letters(line)
            at = joined.find(wanted) if _QUOTE_LETTERS[0] <= len(wanted) <= _QUOTE_LETTERS[1] else -1
            if at >= 0:
                yield key, positions[at], positions[at + len(wanted) - 1] + 1


def is_faithful(document: CompiledDocument, pdf: Path, quote: tuple[int, int, int]) -> bool:
    """Whether the text under a quote's boxes equals the quote."""
    key, start, end = quote
    boxes = highlight_boxes(pdf, document.locate(key, start, end))
    covered = "".join(text_under(pdf, box) for box in boxes)
    return letters(covered) == letters(document.tree.node(key).text[start:end])


def section_hit(document: CompiledDocument, evidence: Evidence) -> tuple[bool, int]:
    """Whether plain BM25 ranks the gold page among the first five of its section, and the section's pages."""
    section = _holder(document, evidence)
    node = document.tree.node(section)
    pages = list(range(node.page_start, node.page_end + 1))
    scores = bm25(evidence.question, [document.page_text(page) for page in pages])
    ranked = sorted(range(len(pages)), key=lambda number: (-scores[number], number))
    return evidence.page in [pages[number] for number in ranked[:_FIRST]], len(pages)


def _holder(document: CompiledDocument, evidence: Evidence) -> int:
    """The section that holds the node on the gold page with most of the evidence's words."""
    wanted = {letters(word) for word in evidence.text.split()} - {""}
    best = max(
        (key for key in document.on_page(evidence.page) if document.tree.kind(key) is not NodeKind.RUNNING),
        key=lambda key: len(wanted & {letters(word) for word in document.tree.node(key).text.split()}),
        default=0,
    )
    return document.tree.section_of(best)


def bm25(question: str, texts: Sequence[str]) -> list[float]:
    """Okapi BM25 with Lucene's idf over a few texts."""
    counts = [Counter(analyse(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    scores = [0.0] * len(texts)
    for term in set(analyse(question)):
        found = sum(term in count for count in counts)
        idf = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
        for number, count in enumerate(counts):
            norm = _K1 * (1 - _B + _B * lengths[number] / mean)
            scores[number] += idf * count[term] * (_K1 + 1) / (count[term] + norm)
    return scores


def main() -> None:
    """Measure all evidence and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of PDFs")
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines")
    parser.add_argument("--verbose", action="store_true", help="name what falls short")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:

        @cache
        def compiled(name: str) -> CompiledDocument:
            path = Path(folder) / name
            path.write_bytes(compile_file(options.pdfs / f"{name}.pdf", name=f"{name}.pdf", ignore_bookmarks=True))
            return open_artefact(path)

        for evidence in read_evidence(options.questions):
            _measure(compiled(evidence.document), options.pdfs, evidence, tally, verbose=options.verbose)
    _show(tally)


def _measure(document: CompiledDocument, pdfs: Path, evidence: Evidence, tally: Tally, *, verbose: bool) -> None:
    tally.words.append(word_share(document, evidence))
    pdf = pdfs / f"{evidence.document}.pdf"
    found = list(quotes(document, evidence))
    tally.located.append(bool(found))
    for quote in found[:6]:
        tally.quotes.append(is_faithful(document, pdf, quote))
        if verbose and not tally.quotes[-1]:
            key, start, end = quote
            text = document.tree.node(key).text[start:end]
            print(f"not under its boxes: {evidence.document} page {evidence.page + 1}: {text!r}")
    hit, pages = section_hit(document, evidence)
    tally.hits.append(hit)
    tally.pages.append(pages)
    if verbose and (not hit or tally.words[-1] < 0.95):
        print(f"{evidence.document} page {evidence.page + 1}: hit {hit} of {pages} pages, words {tally.words[-1]:.3f}")


def _show(tally: Tally) -> None:
    count = len(tally.words)
    pages = sorted(tally.pages)
    print(f"evidence items {count}; words in leaves: least {min(tally.words):.3f}, mean {sum(tally.words) / count:.4f}")
    faithful = sum(tally.quotes) / max(len(tally.quotes), 1)
    print(f"quotes {len(tally.quotes)} (from {sum(tally.located)} items), faithful {faithful:.4f}")
    print(f"gold page in the first {_FIRST} of its section: {sum(tally.hits) / count:.3f}")
    print(f"its pages: median {pages[count // 2]}, 90th percentile {pages[int(count * 0.9)]}, most {pages[-1]}")


if __name__ == "__main__":
    main()
