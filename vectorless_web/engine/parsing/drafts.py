"""Drafts of nodes: text gathered from the pages together with its glyph runs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from vectorless_web.engine.documents.figures import Picture
from vectorless_web.engine.documents.node import GlyphRun, NodeKind, Table

SOFT_HYPHEN = "\xad"
_MENDABLE = re.compile(r"[\t\n\r\x02\xa0\u2000-\u200a\u202f\u3000\ufffe]")
_LOOSE = re.compile(r"[\n\r]|\s\s")
_WORDS = re.compile(r"\S+")
_SPACES = dict.fromkeys(map(ord, "\t\n\r"), " ")
# PDFium's marks for a word divided at a line's end become soft hyphens: invisible, yet covered.
_WIDE_SPACES = dict.fromkeys((0xA0, 0x202F, 0x3000, *range(0x2000, 0x200B)), " ")
_MENDED = {**_SPACES, **_WIDE_SPACES, 0x02: SOFT_HYPHEN, 0xFFFE: SOFT_HYPHEN}


@dataclass(slots=True)
class Draft:
    """A node before it has a key. `level` counts section depth from 0 and is -1 for leaves."""

    kind: NodeKind
    text: str
    runs: tuple[GlyphRun, ...]
    page: int
    title: str = ""
    level: int = -1
    label: str = ""
    table: Table | None = None
    picture: Picture | None = None


@dataclass(slots=True)
class TextBuilder:
    """Joins raw stretches of pages into one text and remembers where each character came from."""

    parts: list[str] = field(default_factory=list)
    runs: list[GlyphRun] = field(default_factory=list)
    length: int = 0

    def raw(self, page: int, start: int, text: str, *, verbatim: bool = False) -> None:
        """Append characters `start ..` of a page; unless `verbatim`, white space becomes single spaces."""
        if verbatim:
            self._stretch(page, start, text)
            return
        parts = _WORDS.finditer(text) if _LOOSE.search(text) else (None,)
        for number, match in enumerate(parts):
            if number:
                self.append_unplaced(" ")
            part, shift = (match.group(), match.start()) if match else (text, 0)
            self._stretch(page, start + shift, part.translate(_MENDED) if _MENDABLE.search(part) else part)

    def _stretch(self, page: int, start: int, text: str) -> None:
        last = self.runs[-1] if self.runs else None
        touching = last is not None and last.page_index == page and last.char_index + last.length == start
        if last is not None and touching and last.offset + last.length == self.length:
            self.runs[-1] = GlyphRun(last.offset, page, last.char_index, last.length + len(text))
        else:
            self.runs.append(GlyphRun(self.length, page, start, len(text)))
        self.parts.append(text)
        self.length += len(text)

    def append_unplaced(self, text: str) -> None:
        """Append characters that stand on no page (a joining space, a tab, a newline)."""
        self.parts.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.parts)

    def draft(self, kind: NodeKind, page: int, *, title: str = "", level: int = -1, label: str = "") -> Draft:
        """A draft of what was gathered."""
        return Draft(kind, self.text, tuple(self.runs), page, title, level, label)


def runs_pages(runs: Iterable[GlyphRun], default: int) -> tuple[int, int]:
    """First and last page of the runs."""
    pages = [run.page_index for run in runs] or [default]
    return min(pages), max(pages)
