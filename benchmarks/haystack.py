"""Finds the gold passage of each question in a closed haystack of all questions' gold passages.

    python benchmarks/haystack.py --questions FILE [--out PRED.jsonl] [--verbose]

A question is a JSON line with financebench_id, question and evidence ([{evidence_text,
doc_name}]). Every distinct passage becomes a small text document that bears its filing's
file name and nothing else; the document router and the evidence ranking find it among the
others. Prints hit@1, hit@3 and hit@5 beside BM25 over the passages, with and without the
file name, in the same run.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.ranked_pages import rank_pages_across
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.finding.routing import DocumentRouter, RouterConfig, Snapshot, build_snapshot, card_row
from vectorless_web.engine.index.scoring import find_best_rows
from vectorless_web.engine.index.segment import Segment, build_segment
from vectorless_web.engine.parsing.cards.fields import split_name
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.text.analyser import analyse

FIELDS_WORTH = 3.0
"""What full agreement of the typed fields adds to a passage's evidence (the best evidence is about 2 to 3)."""
KS = (1, 3, 5)
Question = dict[str, Any]
Ranking = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A gold passage and the file name it comes with."""

    name: str
    text: str


def collect(questions: Sequence[Question]) -> list[Passage]:
    """All distinct passages, in the order of the questions."""
    found = [
        Passage(evidence.get("doc_name") or question["doc_name"], evidence["evidence_text"])
        for question in questions
        for evidence in question["evidence"]
    ]
    return list(dict.fromkeys(found))


def compiled(passages: Sequence[Passage]) -> list[CompiledDocument]:
    """Each passage compiled as a text file of its filing's name."""
    documents = []
    with tempfile.TemporaryDirectory() as folder:
        for number, passage in enumerate(passages):
            path = Path(folder) / str(number) / f"{passage.name}.txt"
            path.parent.mkdir()
            path.write_text(passage.text, encoding="utf-8")
            documents.append(CompiledDocument(compile_file(path, name=path.name)))
    return documents


def ours(passages: Sequence[Passage]) -> Ranking:
    """Typed fields by the document router, evidence over all passages together."""
    documents = compiled(passages)
    rows = [
        card_row(number, document.card, name=f"{passage.name}.txt")
        for number, (document, passage) in enumerate(zip(documents, passages, strict=True))
    ]
    router = DocumentRouter(Snapshot.open(build_snapshot(rows)), RouterConfig(max_candidates=len(passages)))

    def rank(question: str) -> list[int]:
        plan = understand(question)
        routed = {candidate.doc_id: candidate.fields for candidate in router.route(plan).candidates}
        scores = {number: FIELDS_WORTH * routed.get(number, 0.0) for number in range(len(passages))}
        found = rank_pages_across(documents, plan, limit=10 * len(passages))
        best: dict[int, float] = {}
        for page in found:
            best[page.document] = max(best.get(page.document, 0.0), page.score)
        total = {number: scores[number] + best.get(number, 0.0) for number in scores}
        return sorted(total, key=lambda number: (-round(total[number], 9), number))

    return rank


def plain(passages: Sequence[Passage], *, with_name: bool) -> Ranking:
    """BM25 over the passages' words, with the words of the file name as another field."""
    rows = [
        (number, {"name": split_name(passage.name), "text": passage.text}) for number, passage in enumerate(passages)
    ]
    segment = Segment(build_segment(rows, fields=("name", "text")))
    weights = {"text": 1.0, "name": 2.0 if with_name else 0.0}

    def rank(question: str) -> list[int]:
        scores = segment.scores([(term, 1.0) for term in analyse(question)], weights)
        return segment.keys[find_best_rows(scores, len(passages))].tolist()

    return rank


def evaluate(rank: Ranking, questions: Sequence[Question], passages: Sequence[Passage]) -> list[tuple[Question, int]]:
    """The rank of each question's first gold passage, from 1."""
    numbers = {passage: number for number, passage in enumerate(passages)}
    found = []
    for question in questions:
        gold = {numbers[passage] for passage in collect([question])}
        places = [place for place, number in enumerate(rank(question["question"]), 1) if number in gold]
        found.append((question, min(places, default=len(passages) + 1)))
    return found


def main() -> None:
    """Read the questions, rank with each system, print the shares found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--out", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    lines = Path(arguments.questions).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    passages = collect(questions)
    systems = {
        "vectorless": ours(passages),
        "bm25, name and passage": plain(passages, with_name=True),
        "bm25, passage": plain(passages, with_name=False),
    }
    print(
        f"{len(questions)} questions, {len(passages)} passages\n| system | hit@1 | hit@3 | hit@5 |\n|---|---|---|---|"
    )
    for name, rank in systems.items():
        ranks = evaluate(rank, questions, passages)
        shares = [sum(place <= k for _, place in ranks) / len(ranks) for k in KS]
        print(f"| {name} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
        if name == "vectorless":
            _report(ranks, arguments)


def _report(ranks: Sequence[tuple[Question, int]], arguments: argparse.Namespace) -> None:
    if arguments.out:
        rows = [{"financebench_id": question["financebench_id"], "rank": place} for question, place in ranks]
        Path(arguments.out).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if arguments.verbose:
        for question, place in ranks:
            if place > 1:
                print(f"  {place:3} {question['doc_name']}: {question['question'][:120]}", file=sys.stderr)


if __name__ == "__main__":
    main()
