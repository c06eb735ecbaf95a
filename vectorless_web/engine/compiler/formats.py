"""The table of text formats: which of them a text is in, and what reads it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.compiler.html import claims_html, html_text, html_title
from vectorless_web.engine.compiler.html_bounds import bound_page
from vectorless_web.engine.compiler.markdown import markdown_text
from vectorless_web.engine.compiler.plaintext import text_blocks
from vectorless_web.engine.compiler.sniff import HTML, MARKDOWN, TEXT, text_type
from vectorless_web.engine.compiler.textual import TextBlock

Read = tuple[str, Sequence[TextBlock]]
"""The readable text, and the blocks that hold every character of it that is not white space."""


Bounded = tuple[str, Sequence[str]]
"""A text that can be read in time by its length, and sentences about what was left out of it for that."""


def _as_it_is(text: str) -> Bounded:
    return text, ()


def _untitled(text: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """One format: `claims(text, name)` says whether a file is in it, `read(text)` takes it apart."""

    media_type: str
    claims: Callable[[str, str], bool]
    read: Callable[[str], Read]
    title: Callable[[str], str] = _untitled
    """The title that a text carries apart from what it shows, or ""."""
    bound: Callable[[str], Bounded] = _as_it_is
    """What a text is made into before it is read and its title looked for."""


def _is_markdown(text: str, name: str) -> bool:
    return text_type(text, name=name) == MARKDOWN


def _is_text(text: str, name: str) -> bool:
    return True


def _read_text(text: str) -> Read:
    return text, text_blocks(text)


def _bounded_page(source: str) -> Bounded:
    page = bound_page(source)
    return page.source, page.remarks


FORMATS = (
    TextFormat(HTML, claims_html, html_text, html_title, _bounded_page),
    TextFormat(MARKDOWN, _is_markdown, markdown_text),
    TextFormat(TEXT, _is_text, _read_text),
)
"""Asked in this order; the last takes whatever is left."""


def format_of(text: str, *, name: str, formats: Sequence[TextFormat] = FORMATS) -> TextFormat:
    """The first format that claims a text."""
    return next(known for known in formats if known.claims(text, name))
