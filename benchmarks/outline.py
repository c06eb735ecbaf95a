"""Compares outlines found without bookmarks with the bookmarks of the same PDFs.

    python benchmarks/outline.py --pdfs DIR --outlines DIR [--misses] [--only NAME]

An outline file is JSON: {document, pages, outline: [{level, title, page, on_page}]}, page
from 0. Only entries whose title stands on their page count for recall. A heading matches an
entry when it starts on the same page and their letters and digits are equal, or one holds
the other and both are of similar length. F1 counts all entries of the outline.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.text.similarity import ratio

_SIMILAR = 88.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading or bookmark."""

    title: str
    page: int
    level: int


@dataclass(frozen=True, slots=True)
class Score:
    """Shares found of one document, and its coverage."""

    document: str
    recall: float
    upper_recall: float
    precision: float
    coverage: float
    missed: tuple[Entry, ...]

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def letters(title: str) -> str:
    """Letters and digits of a title, without case."""
    return re.sub(r"[\W_]+", "", title).casefold()


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same heading."""
    one, other = letters(one), letters(other)
    if not one or not other:
        return False
    if one == other or ratio(one, other) >= _SIMILAR:
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= 8 and shorter in longer and len(longer) <= 1.7 * len(shorter) + 8


def headings(document: CompiledDocument) -> Iterator[Entry]:
    """The sections of a compiled document."""
    for key in document.tree.sections():
        node = document.tree.node(key)
        page = node.runs[0].page_index if node.runs else node.page_start
        yield Entry(node.title, page, node.depth - 1)


def compare(document: CompiledDocument, data: dict[str, object]) -> Score:
    """Recall over entries on their page, precision over all headings."""
    found = list(headings(document))
    rows = [row for row in data["outline"] if isinstance(row, dict)]  # type: ignore[attr-defined]
    wanted = [Entry(row["title"], row["page"], row["level"]) for row in rows if row["on_page"]]
    everything = [Entry(row["title"], row["page"], row["level"]) for row in rows]
    missed = [entry for entry in wanted if not _has(found, entry)]
    upper = [entry for entry in wanted if entry.level <= 1]
    upper_missed = [entry for entry in missed if entry.level <= 1]
    right = sum(_has(everything, heading) for heading in found)
    return Score(
        document=str(data["document"]),
        recall=1 - len(missed) / max(len(wanted), 1),
        upper_recall=1 - len(upper_missed) / max(len(upper), 1),
        precision=right / max(len(found), 1),
        coverage=document.report.coverage,
        missed=tuple(missed),
    )


def _has(entries: list[Entry], wanted: Entry) -> bool:
    return any(entry.page == wanted.page and same_title(entry.title, wanted.title) for entry in entries)


def main() -> None:
    """Print a line for each document and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="folder of PDFs")
    parser.add_argument("--outlines", type=Path, required=True, help="folder of outline files named like the PDFs")
    parser.add_argument("--misses", action="store_true", help="list the entries that were not found")
    parser.add_argument("--only", default="", help="only documents whose name contains this")
    options = parser.parse_args()
    scores = []
    for path in sorted(path for path in options.outlines.glob("*.json") if options.only in path.stem):
        pdf = options.pdfs / f"{path.stem}.pdf"
        artefact = compile_file(pdf, name=pdf.name, ignore_bookmarks=True)
        score = compare(CompiledDocument(artefact), json.loads(path.read_text()))
        scores.append(score)
        _show(score, misses=options.misses)
    _show_means(scores)


def _show(score: Score, *, misses: bool) -> None:
    print(
        f"{score.document:24} recall {score.recall:.3f}  levels 0-1 {score.upper_recall:.3f}"
        f"  precision {score.precision:.3f}  F1 {score.f1:.3f}  coverage {score.coverage:.6f}"
    )
    for entry in score.missed if misses else ():
        print(f"    page {entry.page + 1:4}  level {entry.level}  {entry.title}")


def _show_means(scores: list[Score]) -> None:
    count = max(len(scores), 1)
    recall = sum(score.recall for score in scores) / count
    upper = sum(score.upper_recall for score in scores) / count
    print(f"mean of {len(scores)} documents: recall {recall:.3f}, levels 0-1 {upper:.3f}")


if __name__ == "__main__":
    main()
