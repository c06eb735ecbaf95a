"""Decides which printed lines are headings: they stand out, start at a margin and do not read like prose."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.compiler.layout import Layout
from vectorless_web.engine.compiler.lines import Line, Page, Style
from vectorless_web.engine.compiler.patterns import (
    CHAPTER,
    ITEM,
    NOTE,
    NUMBERED,
    PART,
    PLAIN,
    STATEMENT,
    Form,
    form_of,
)
from vectorless_web.engine.compiler.regions import PERIOD, UNITS_LINE

_MAX_CHARACTERS, _MAX_WORDS, _MAX_LINES = 220, 32, 4
_SENTENCE_WORDS = 11
_UNFINISHED = re.compile(r"(?:[,;–—]|\b(?:and|or|of|the|for|to|in|with|by|a|an|our|at|on|from))$", re.I)
_SENTENCE_END = re.compile(r"[.!?:;]['”’\")\]]*$")
_NOT_TITLE = re.compile(
    r"^(?:[^\w\"“‘'(\[§]+$|[\W\d_]+$|\(?continued\)?$|see (?:accompanying )?notes|the accompanying"
    r"|\$|page\b|/s/|by:|name:|title:|date:"
    r"|total\b|less:|add:|source:|https?:|www\.|\*|•|[●▪◦■□‣○➢✓–—]\s?|\(\w{1,3}\)\s*(?:/s/)?$|o\s)",
    re.I,
)
_LEADERS = re.compile(r"\.{4,}|(?:\. ){4,}|_{3,}")
_MONEY = re.compile(r"[$€£¥]\s?\d|\d{1,3}(?:,\d{3})+")


@dataclass(slots=True)
class Heading:
    """A heading: its lines, mended title, form, and how it looks."""

    lines: list[Line]
    title: str
    form: Form
    style: Style
    caps: bool
    level: int = 0
    children: list["Heading"] = field(default_factory=list)

    @property
    def page(self) -> int:
        """The page on which it starts."""
        return self.lines[0].page


def is_caps(text: str) -> bool:
    """Whether a text is set in capitals (at least three letters, nine in ten upper case)."""
    letters = [character for character in text if character.isalpha()]
    return len(letters) >= 3 and sum(character.isupper() for character in letters) >= 0.9 * len(letters)


def emphasis(line: Line, layout: Layout) -> int:
    """How strongly a line stands out from the body: 0 not at all, 1 by slant, 2 by weight, capitals or colour, 3 by size."""
    style, body = line.style, layout.body
    if line.lead > line.start:
        return 0
    if style.size >= body.size + 0.9:
        return 3
    if (style.bold and not body.bold) or (style.accent and not body.accent) or is_caps(line.text):
        return 2
    return 1 if style.italic and not body.italic else 0


def reads_like_title(text: str) -> bool:
    """Whether words could be a heading: short, not money, not a units or period line, not a whole sentence."""
    words = text.split()
    if not words or len(text) > _MAX_CHARACTERS or len(words) > _MAX_WORDS or _NOT_TITLE.match(text):
        return False
    if sum(character.isalpha() for character in text) < 3 or _LEADERS.search(text):
        return False
    if UNITS_LINE.match(text) or (PERIOD.match(text) and any(character.isdigit() for character in text)):
        return False
    first = next((character for character in text if character.isalnum()), "")
    if first.islower() and form_of(text).family == PLAIN:
        return False
    return not (_SENTENCE_END.search(text) and len(words) >= _SENTENCE_WORDS and form_of(text).family == PLAIN)


def _own_style(one: Line, other: Line) -> bool:
    return one.style.weight == other.style.weight and abs(one.style.size - other.style.size) < 0.6


class Headings:
    """Finds the headings among the standing lines of a page."""

    def __init__(self, layout: Layout, listed: frozenset[tuple[int, int]] = frozenset()) -> None:
        self._layout = layout
        self._listed = listed
        """(page, start) of lines that the printed table of contents names."""

    def find(self, page: Page, lines: Sequence[Line], position: int) -> Heading | None:
        """The heading that starts at `lines[position]`, with the lines it runs over; None if there is none."""
        line = lines[position]
        if not self._may_start(page, lines, position):
            return None
        taken = [line]
        for following in lines[position + 1 : position + _MAX_LINES]:
            if not self._continues(taken, following):
                break
            taken.append(following)
        title = " ".join(" ".join(own.text.split()) for own in taken)
        if not reads_like_title(title) or _UNFINISHED.search(title):
            return None
        if (
            len(taken) == _MAX_LINES
            and len(lines) > position + _MAX_LINES
            and self._continues(taken, lines[position + _MAX_LINES])
        ):
            return None
        return Heading(taken, title, form_of(title), line.style, is_caps(title))

    def _may_start(self, page: Page, lines: Sequence[Line], position: int) -> bool:
        line = lines[position]
        form = form_of(line.text).family
        strength = emphasis(line, self._layout)
        if (line.page, line.start) in self._listed:
            return True
        if line.style.size < self._layout.body.size - 1.1 or (not reads_like_title(line.text.strip()) and strength < 3):
            return False
        if not self._placed(page, line):
            return False
        before = lines[position - 1] if position else None
        if before is not None and self._runs_on(before, line):
            return False
        if strength >= 2:
            return not _MONEY.search(line.text)
        if form in (PART, ITEM, NOTE, CHAPTER, STATEMENT):
            return self._alone(lines, position)
        return strength == 1 and self._alone(lines, position) and not line.text.rstrip().endswith((".", ","))

    def _placed(self, page: Page, line: Line) -> bool:
        """At a margin of the prose, or centred on the page."""
        centre = (line.left + line.right) / 2
        return self._layout.at_margin(line) or abs(centre - page.width / 2) < 0.03 * page.width

    def _runs_on(self, before: Line, line: Line) -> bool:
        """Whether the line continues the sentence of the line before it."""
        gap = line.top - before.top
        near = 0 < gap < 1.25 * self._layout.line_pitch(line.style)
        if not near or (not _own_style(before, line) and emphasis(line, self._layout) >= 2):
            return False
        return not _SENTENCE_END.search(before.text.rstrip()) and _own_style(before, line) and len(before.text) > 50

    def _alone(self, lines: Sequence[Line], position: int) -> bool:
        """Whether white space (or the page's edge) parts the line from its neighbours, and it ends before the margin."""
        line = lines[position]
        pitch = self._layout.line_pitch(line.style)
        if position and 0 < line.top - lines[position - 1].top < 1.15 * pitch:
            return False
        if position + 1 < len(lines):
            following = lines[position + 1]
            close = 0 < following.top - line.top < 1.15 * pitch
            if close and _own_style(line, following) and not form_of(line.text).family < CHAPTER:
                return False
            return line.right < following.right - 2 * line.style.size or following.style != line.style
        return True

    def _continues(self, taken: Sequence[Line], following: Line) -> bool:
        """Whether a heading runs on in the next line."""
        last = taken[-1]
        gap = following.top - last.top
        if following.page != last.page or not 0 < gap < 1.9 * max(last.height, following.height):
            return False
        if not _own_style(last, following) or following.lead > following.start:
            return False
        text = following.text.strip()
        if form_of(text).family != PLAIN or (
            _SENTENCE_END.search(last.text.rstrip()) and not form_of(taken[0].text).family < CHAPTER
        ):
            return False
        if UNITS_LINE.match(text) or PERIOD.match(text):
            return False
        unfinished = bool(_UNFINISHED.search(last.text.rstrip())) or text[:1].islower()
        full = last.right - last.left > 0.55 * (following.right - following.left) and last.right - last.left > 220
        same_case = is_caps(last.text) == is_caps(text)
        tight = gap < 1.25 * last.height
        bare = form_of(last.text).label != "" and len(last.text.split()) <= 2
        return unfinished or bare or (full and same_case and tight)


__all__ = ["NUMBERED", "Heading", "Headings", "emphasis", "is_caps", "reads_like_title"]
