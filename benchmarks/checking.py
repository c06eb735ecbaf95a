"""How long the slowest claims take to check: long tables, long passages, long quotes, many numbers.

    python benchmarks/checking.py

Each claim is checked once, with nothing kept from another. The longest must stay under a second.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.answers.grounding import Grounder

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.answers.claims import DraftClaim, DraftQuote
from vectorless_web.engine.documents.artefact import CompiledDocument

BAR_SECONDS = 1.0
Case = tuple[str, CompiledDocument, str, Sequence[str]]


def main() -> int:
    """Print the seconds of each claim; 1 when one takes too long."""
    slowest = 0.0
    for name, document, text, quotes in cases():
        claim = DraftClaim(text, tuple(DraftQuote("a", 2, quote) for quote in quotes))
        grounder = Grounder(documents={"a": document}, periods=("What?",), question="What?", read=[("a", 0)])
        start = time.perf_counter()
        objections = grounder.objections(claim)
        seconds = time.perf_counter() - start
        slowest = max(slowest, seconds)
        print(f"{seconds:6.2f} s  {name}: {objections[0][:70] if objections else 'accepted'}")
    return int(slowest > BAR_SECONDS)


def cases() -> Iterator[Case]:
    """Claims over a table of 5,000 alike rows and over one passage of 200,000 lines."""
    rows = [[f"Sales of shoes in shop {_letters(n)}", str(7 * n + 3), str(5 * n + 1)] for n in range(5000)]
    shops = compiled("Shops", section("Sales", table("Sales", rows, columns=["Shop", "2023", "2022"])))
    some = rows[:40]
    told = ", ".join(f"{label} sold {sold}" for label, sold, _ in some)
    yield "one of 5,000 alike rows", shops, f"{rows[17][0]} sold 122 pairs in 2023.", ["\t".join(rows[17])]
    yield "40 of 5,000 alike rows", shops, f"In 2023 {told}.", ["\t".join(row) for row in some]
    yield "all 5,000 rows quoted", shops, "They sold 5.", ["\n".join("\t".join(row) for row in rows)]
    text = "\n".join(f"In the garden {number} people met to talk of trees." for number in range(200_000))
    garden = compiled("Garden", section("Garden", paragraph(text)))
    yield "missing from 200,000 lines", garden, "77 owls met.", ["In the garden owls met 77 stones to talk of houses"]
    yield "three pages quoted, 75 numbers", garden, " and ".join(f"{n} people" for n in range(75)), [text[:9_500]]
    yield "three pages quoted, a number missing", garden, "7777777 people met of 8888888.", [text[:9_500]]


def _letters(number: int) -> str:
    return "".join(chr(65 + number // 26**place % 26) for place in range(3))


if __name__ == "__main__":
    sys.exit(main())
