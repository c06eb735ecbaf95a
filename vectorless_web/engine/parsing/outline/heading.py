"""A heading of an outline: what was printed, what it says, how it looks, and whether its words could be a title."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.parsing.lines import Line, Style, Tone
from vectorless_web.engine.parsing.patterns import NUMBERED, PLAIN, Form, form_of
from vectorless_web.engine.parsing.tables.regions import PERIOD, UNITS_LINE
from vectorless_web.engine.parsing.terms import any_of

_MAX_CHARACTERS, _MAX_WORDS = 220, 32
"""Length of a heading, at most: notes and exhibits have titles of two lines."""
_FEWEST_LETTERS = 3
"""Letters that a heading, and a text in capitals, has at least."""
_SENTENCE_WORDS = 11
"""Words from which a title with a full stop at its end is a sentence."""
_CAPITALS = 0.9
"""Share of its letters from which a text is in capitals: a small "of" or a unit may stand among them."""
_UNFINISHED = re.compile(rf"(?:[,;–—\x02\ufffe\xad]|\b{any_of('opens_list')}:|\b{any_of('goes_on')})$", re.I)
SENTENCE_END = re.compile(r"[.!?:;]['”’\")\]]*$")
_OPENINGS = "\"'“”‘’«»‹›„§#&…(.[{「『【《〈（［¿¡"
"""Marks that a title may begin with, beside letters and digits: any other is a bullet, a mark of a note or a sign."""
_NOT_TITLE = re.compile(
    r"^(?:[\W\d_]+$|\([^()]*\)\.?$|/s/|\(\w{1,3}\)\s*(?:/s/)?$|o\s"
    rf"|\(?{any_of('no_title')}(?<!\w)|\(?{any_of('no_title')}\b|{any_of('page')}\s|\(?{any_of('no_title_whole')}[):]*$)",
    re.I,
)
_ADDRESS = re.compile(
    r"\b[A-Z][\w.]*\.?,? +\d{5}(?:-\d{4})?$|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b|@\w+\."
    rf"|^\d+ [A-Z]\w+(?: \w+)* {any_of('street')}\b(?: \w+)?$|^[\u2610-\u2612\uf0a8\uf0fe]|\[\s?[xX ]\s?\]",
    re.I,
)
CAPTION = re.compile(rf"^{any_of('caption')}\s*\d+(?:[.-]\d+)*[.:\s–—-]", re.I)
_LEADERS = re.compile(r"\.{4,}|(?:\. ){4,}|_{3,}")
_UNITS_TAIL = re.compile(
    rf"\s*\((?:[^()]*\b(?:in|of)\s+{any_of('scale')}\b[^()]*|{any_of('continued')}\.?)\)\s*:?$", re.I
)
_SOFT = re.compile(r"[\x02\ufffe\xad]\s?")
_SPACED = re.compile(r"(?:(?<=\s)|^)(?:\w ){3,}\w(?=\s|$|[.,:;])")


def is_unfinished(text: str) -> bool:
    """Whether a line ends where a sentence or a name goes on: with a comma, a dash, within brackets or a word."""
    return _UNFINISHED.search(text) is not None or text.count("(") > text.count(")")


def may_open_title(text: str) -> bool:
    """Whether a line can begin a heading: no units or period line, no signature, bullet or address."""
    if not (text[:1].isalnum() or text[:1] in _OPENINGS) or _NOT_TITLE.match(text) or UNITS_LINE.match(text):
        return False
    return not (PERIOD.match(text) and any(character.isdigit() for character in text))


def reads_like_title(text: str) -> bool:
    """Whether words could be a heading: short, not money, not a units or period line, not a whole sentence."""
    words = text.split()
    if not words or len(text) > _MAX_CHARACTERS or len(words) > _MAX_WORDS or not may_open_title(text):
        return False
    if (
        sum(character.isalpha() for character in text) < _FEWEST_LETTERS
        or _LEADERS.search(text)
        or _ADDRESS.search(text)
    ):
        return False
    form = form_of(text)
    first = next((character for character in text if character.isalnum()), "")
    if first.islower() and form.family == PLAIN and not re.match(r"e-|i[A-Z]", text):
        return False
    long_sentence = SENTENCE_END.search(text) is not None and len(words) >= _SENTENCE_WORDS
    return not (long_sentence and form.family >= NUMBERED)


def mend_title(text: str) -> str:
    """A title in one line: divided and letter-spaced words joined, units and "(continued)" left out."""
    text = _SOFT.sub("", " ".join(text.split()))
    text = _SPACED.sub(lambda match: match.group().replace(" ", ""), text)
    return _UNITS_TAIL.sub("", text).strip() or text


_SENTENCES_OF_A_STYLE = 4
"""Emphasised sentences of one style that a document has at least, if they are headings: fewer are emphasis."""
_NO_STYLE = Style(0.0, False, False, Tone.BLACK, "")


@dataclass(slots=True)
class Heading:
    """A heading: its page and lines (none if only a bookmark names it), mended title, form, and how it looks."""

    page: int
    lines: list[Line]
    title: str
    form: Form
    style: Style
    caps: bool
    listed: bool = False
    """Whether the printed table of contents names it."""
    sentence: bool = False
    """Whether it is a whole emphasised sentence, as risk factors have them."""
    rest: Line | None = None
    """What follows a run-in heading on its line."""
    bookmark: int | None = None
    """The level of the bookmark that points at it."""
    is_bare: bool = False
    """Whether the next heading follows at once on its page."""
    level: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether nothing but its looks makes it a heading: no number or name, no entry of contents or bookmark."""
        return self.form.family == PLAIN and not self.listed and self.bookmark is None


def heading_of(lines: list[Line]) -> Heading:
    """The heading that lines print."""
    title = mend_title(" ".join(own.text for own in lines))
    return Heading(lines[0].page, lines, title, form_of(title), lines[0].style, is_caps(title))


def bare_heading(title: str, page: int, bookmark: int) -> Heading:
    """A heading that is in the bookmarks alone."""
    return Heading(page, [], title, form_of(title), _NO_STYLE, is_caps(title), bookmark=bookmark)


def is_caps(text: str) -> bool:
    """Whether a text is set in capitals (at least `_FEWEST_LETTERS` letters, a share of `_CAPITALS` upper case)."""
    upper, lower = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return upper >= _FEWEST_LETTERS and upper >= _CAPITALS * (upper + lower)


def keep_supported(headings: Sequence[Heading]) -> set[int]:
    """Ids of headings to keep: whole sentences are headings only if their style heads several passages."""
    support = Counter(heading.style for heading in headings if heading.sentence)
    return {id(h) for h in headings if not h.sentence or support[h.style] >= _SENTENCES_OF_A_STYLE}
