"""Words for what a step did: short past-tense sentences with titles and pages."""

import re
from collections.abc import Iterable, Sequence

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.reasoner.outline import pages_words
from vectorless_web.engine.text.readable import readable

TITLE_CHARACTERS = 70
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
RIGHT_TO_LEFT = re.compile("[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff]")


def short(title: str) -> str:
    """A title as it fits a sentence: cut at a word, capitals brought down, set apart when it runs the other way."""
    text = readable(" ".join(title.split()))
    if len(text) > TITLE_CHARACTERS:
        text = text[:TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
    return f"{ISOLATE}{text}{END_ISOLATE}" if RIGHT_TO_LEFT.search(text) else text


def pages_of(node: Node) -> str:
    """The pages of a node, as people count them."""
    return pages_words(node.page_start, node.page_end)


def on_pages(indexes: Iterable[int]) -> str:
    """Pages by their indexes from 0, as people count them: "p. 24", "pp. 24, 23 and 21"."""
    numbers = [str(index + 1) for index in dict.fromkeys(indexes)]
    return f"{'p.' if len(numbers) == 1 else 'pp.'} {listed(numbers)}"


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 section", "9 sections", "no sections"."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number or 'no'} {noun}"


def listed(names: Sequence[str]) -> str:
    """Names joined for reading: "A", "A and B", "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
