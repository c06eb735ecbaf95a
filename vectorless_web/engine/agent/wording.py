"""The words in which steps name titles, pages and counts."""

import re
from collections.abc import Sequence

from vectorless_web.engine.text.analyser import lower_capitals

TITLE_CHARACTERS = 70
"""Characters of a title in a sentence; bound by one line of the trace."""
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
RIGHT_TO_LEFT = re.compile("[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff]")


def shorten_title(title: str) -> str:
    """A title as it fits a sentence: cut at a word, capitals brought down, set apart when it runs the other way."""
    text = lower_capitals(" ".join(title.split()))
    if len(text) > TITLE_CHARACTERS:
        text = text[:TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
    return f"{ISOLATE}{text}{END_ISOLATE}" if RIGHT_TO_LEFT.search(text) else text


def say_pages(first: int, last: int) -> str:
    """Page indexes (from 0) as people count them: "p. 47", "pp. 84-86"."""
    return f"p. {first + 1}" if first == last else f"pp. {first + 1}-{last + 1}"


def say_count(number: int, one: str) -> str:
    """A number with its noun: "1 section", "9 sections", "no sections"."""
    return f"{number or 'no'} {one if number == 1 else f'{one}s'}"


def join_names(names: Sequence[str]) -> str:
    """Names joined for reading: "A", "A and B", "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
