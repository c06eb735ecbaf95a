"""Whether the figures that fill a grid of filings without a model are right, and read as the right value.

    python benchmarks/figures.py --filings DIR [--documents 12] [--cache DIR] [--show]

Ten questions for a figure of its fiscal year are put to each of the smallest filings, as cells do it. What comes out is
scored by `evaluations/scoring.py`, as a team's own golden questions are, against figures.jsonl: the figures of the
filings' own statements, read by hand. A cell that is filled with anything else is wrong. Bars: .95 of the filled cells
right, .99 of those typed rightly.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import Answered, Engine, given_by, read_questions, run_question
from benchmarks.corpus import FolderCorpus
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.text.typed import CheckedText, ValueKind, type_answer
from vectorless_web.evaluations.scoring import Expectation, Given, score_answer

QUESTIONS = {
    "What was total revenue in {}?": ValueKind.MONEY,
    "What was net income in {}?": ValueKind.MONEY,
    "What were total assets in {}?": ValueKind.MONEY,
    "What was operating income in {}?": ValueKind.MONEY,
    "What were total liabilities in {}?": ValueKind.MONEY,
    "What was capital expenditure in {}?": ValueKind.MONEY,
    "What was cash and cash equivalents in {}?": ValueKind.MONEY,
    "What was the operating margin in {}?": ValueKind.PERCENT,
    "What was net cash from operating activities in {}?": ValueKind.MONEY,
    "What was cost of revenue in {}?": ValueKind.MONEY,
}


def main() -> int:
    """Ask, score, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filings", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=12)
    parser.add_argument("--cache", type=Path, default=Path("var/benchmarks"))
    parser.add_argument("--show", action="store_true", help="print the cells that are wrong")
    options = parser.parse_args()
    gold = {
        (row["document"], row["question"]): row["value"] for row in read_questions(Path(__file__).with_suffix(".jsonl"))
    }
    files = sorted(options.filings.glob("*.pdf"), key=lambda path: path.stat().st_size)[: options.documents]
    corpus = FolderCorpus(options.filings, cache=options.cache, names=[path.name for path in files])
    engine = Engine(lambda _spending: Reasoner(), Limits())
    cells, filled, right, typed = 0, 0, 0, 0
    for path in files:
        year = re.search(r"_(20\d\d)", path.name)
        for words, kind in QUESTIONS.items():
            question = words.format(year[1] if year else "the year")
            answered = run_question(question, corpus.only(corpus.id_of(path.name)), engine)
            cells += 1
            if not answered.is_answer:
                continue
            filled += 1
            wanted = gold.get((path.stem, question), "")
            if wanted and score_answer(given_by(answered, corpus.file_name_of), Expectation(value=wanted)).right:
                right += 1
                typed += _is_typed_rightly(answered, kind, wanted)
            elif options.show:
                print(f"{path.stem}: {question} {answered.done.value}, not {wanted or 'known'}")
    print(
        f"{cells} cells, {filled} filled, {right} right ({right / max(1, filled):.3f}), {typed} of those typed rightly"
    )
    return int(right < 0.95 * filled or typed < 0.99 * right)


def _is_typed_rightly(answered: Answered, kind: ValueKind, wanted: str) -> bool:
    """Whether the value that a cell of this kind stores is the figure wanted."""
    sentences = tuple(claim.text for claim in answered.claims)
    found = type_answer(kind, CheckedText(value=answered.done.value, sentences=sentences))
    if found is None or found.number is None:
        return False
    stored = f"{found.number:f}%" if kind is ValueKind.PERCENT else f"{found.unit} {found.number:f}"
    return score_answer(Given(True, value=stored), Expectation(value=wanted)).right


if __name__ == "__main__":
    sys.exit(main())
