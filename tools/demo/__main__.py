"""Write the demo documents and the truth about them: `python -m tools.demo [folder]`."""

import json
import sys
from pathlib import Path

from tools.demo.figures import books
from tools.demo.questions import add_questions
from tools.demo.report import write_report

SIMPLE = {
    "field-handbook.md": (
        ("What is the wave height limit for launching a Skua?", "look-up", "2.5 m"),
        ("How often must a patch test be made?", "words", "every fourteen days"),
        ("How long must a flooded compartment stay closed after a lithium fire?", "words", "seventy-two hours"),
        ("What is the dress code for office staff in Newport?", "absent", ""),
    ),
    "supply-agreement.txt": (
        ("When does the agreement end?", "words", "April 30, 2028"),
        ("What is the limit of liability in a calendar year?", "look-up", "EUR 3,500,000"),
        ("How many days of delay allow the Buyer to cancel an order?", "words", "twelve weeks"),
        ("Which insurance must the Supplier hold?", "absent", ""),
    ),
}


def main(folder: Path) -> None:
    """Write two annual reports (the later one without bookmarks) and truth.json for all four documents."""
    years = books()
    if any(year.equity != year.equity_rolled for year in years.values()):
        raise SystemExit("The balance sheets do not balance.")
    truths = []
    for year, bookmarks in ((2023, True), (2024, False)):
        truth = write_report(folder, years, year, bookmarks=bookmarks)
        add_questions(truth, years, year)
        truths.append(truth.as_dict())
    for name, questions in SIMPLE.items():
        rows = [{"question": q, "kind": kind, "answer": answer, "page_indexes": []} for q, kind, answer in questions]
        truths.append({"document": name, "questions": rows})
    (folder / "truth.json").write_text(json.dumps(truths, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/demo"))
