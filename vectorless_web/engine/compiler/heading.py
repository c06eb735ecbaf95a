"""A heading of an outline: what was printed, what it says, how it looks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.compiler.lines import Line, Style, Tone
from vectorless_web.engine.compiler.patterns import Form, form_of
from vectorless_web.engine.compiler.titles import mended_title

_SENTENCES_OF_A_STYLE = 4
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
    level: int = 0


def heading_of(lines: list[Line]) -> Heading:
    """The heading that lines print."""
    title = mended_title(" ".join(own.text for own in lines))
    return Heading(lines[0].page, lines, title, form_of(title), lines[0].style, is_caps(title))


def bare_heading(title: str, page: int, bookmark: int) -> Heading:
    """A heading that stands in the bookmarks alone."""
    return Heading(page, [], title, form_of(title), _NO_STYLE, is_caps(title), bookmark=bookmark)


def is_caps(text: str) -> bool:
    """Whether a text is set in capitals (at least three letters, nine in ten upper case)."""
    upper, lower = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return upper >= 3 and upper >= 0.9 * (upper + lower)


def keep_supported(headings: Sequence[Heading]) -> set[int]:
    """Ids of headings to keep: whole sentences count only where their style heads several passages."""
    support = Counter(heading.style for heading in headings if heading.sentence)
    return {id(h) for h in headings if not h.sentence or support[h.style] >= _SENTENCES_OF_A_STYLE}
