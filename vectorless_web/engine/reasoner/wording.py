"""Words for what a step did: short past-tense sentences with titles and pages."""

from collections.abc import Sequence

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.reasoner.outline import pages_words

TITLE_CHARACTERS = 70


def short(title: str) -> str:
    """A title cut at a word so that it fits a sentence."""
    text = " ".join(title.split())
    if len(text) <= TITLE_CHARACTERS:
        return text
    return text[:TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


def pages_of(node: Node) -> str:
    """The pages of a node, as people count them."""
    return pages_words(node.page_start, node.page_end)


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 section", "9 sections", "no sections"."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number or 'no'} {noun}"


def listed(names: Sequence[str]) -> str:
    """Names joined for reading: "A", "A and B", "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
