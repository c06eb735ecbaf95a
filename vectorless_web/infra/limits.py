"""How long and how large what people type may be, whole numbers included: each limit stated once, for every layer.

What holds for a question is in `engine/questions/plan.py`, what an operator may set in `settings.py`.
"""

from vectorless_web.engine.errors import InvalidInput

TITLE_MAX = 300
"""Characters of a document's or a thread's title; a longer name of a file is cut."""
NAME_MAX = 120
"""Characters of the name of a workspace or a folder."""
TAG_MAX = 60
"""Characters of a tag."""
PHRASE_MAX = 120
"""Characters of one wording of a lexicon entry."""
SEARCH_MAX = 200
"""Characters of a search in a list, an outline or a page."""
STEPS_MIN, STEPS_MAX = 1, 30
"""Steps of one walk that may be asked for; the walk ends earlier when nothing new is found."""
RUN_USD_MAX = 10_000.0
"""The most US dollars that anybody may let one run spend."""


LARGEST = 10**15 - 1
"""Larger numbers name no row, and databases refuse them with an error of their own."""


def parse_whole_number(text: str | None) -> int | None:
    """The whole number from 0 to LARGEST that a text holds, or None."""
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def check_steps(steps: int) -> int:
    """The step limit; InvalidInput when it is out of range."""
    if not STEPS_MIN <= steps <= STEPS_MAX:
        raise InvalidInput(f"The step limit goes from {STEPS_MIN} to {STEPS_MAX}.", remedy="Choose one in that range.")
    return steps
