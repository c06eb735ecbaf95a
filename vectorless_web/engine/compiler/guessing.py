"""Finds headings where a file marks none: by their words and by how strongly they are set."""

from collections.abc import Sequence

from vectorless_web.engine.compiler.heading import is_caps
from vectorless_web.engine.compiler.patterns import NUMBERED, PLAIN, form_of
from vectorless_web.engine.compiler.plaintext import form_level
from vectorless_web.engine.compiler.titles import reads_like_title

_LONGEST, _LONGEST_NAMED = 120, 80


def guessed_level(text: str, *, strong: bool) -> int | None:
    """The level of a paragraph that reads as a heading; None for any other. `strong`: all of it is bold."""
    title = " ".join(text.split())
    form = form_of(title)
    if len(title) > _LONGEST or not reads_like_title(title):
        return None
    if form.family == PLAIN and title.endswith((".", ",", ";", ":")):
        return None
    named = form.family < NUMBERED and len(title) <= _LONGEST_NAMED
    return form_level(form, title) if strong or named or is_caps(title) else None


def raised(before: str, text: str) -> str:
    """Superscript as plain text: figures after a figure get a "^", or "412" with note 1 would read 4121."""
    joins = before[-1:].isdigit() and text.strip()[:1].isdigit()
    return f"^{text.strip()}" if joins else text


def last_said(said: Sequence[str], end: int) -> str:
    """The last piece before `end` that is not empty, or ""."""
    return next((said[place] for place in range(end - 1, -1, -1) if said[place]), "")
