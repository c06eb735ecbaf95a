"""Drafts of nodes: text gathered from the pages together with its glyph runs."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.documents.node import GlyphRun, NodeKind, Table
from vectorless_web.engine.parsing.lines import Vocabulary

SOFT_HYPHEN = "\xad"
DIVIDED = "\x02\ufffe"
"""Marks that PDFium puts in place of the hyphen of a word divided at a line's end."""
LEADERS = re.compile(r"(?:[.·_]\s?){4,}|…(?:\s?…)+")
"""Dots and strokes that lead the eye over a gap: they say nothing, and fill half of a page of contents."""
_MAY_LEAD = ("..", ". .", "__", "_ _", "·", "…")
"""What every leader holds. Few texts do; to search the pattern in all of them costs 3 % of compiling."""
_PIECES = re.compile(rf"(?P<leader>{LEADERS.pattern})|(?P<mark>[{DIVIDED}])|(?:(?!{LEADERS.pattern})[^\s{DIVIDED}])+")


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
    picture: FigurePicture | None = None


@dataclass(slots=True)
class TextBuilder:
    """Joins raw stretches of pages into one text and remembers where each character came from."""

    parts: list[str] = field(default_factory=list)
    runs: list[GlyphRun] = field(default_factory=list)
    length: int = 0
    vocabulary: Vocabulary | None = None
    """The words of the document, by which a divided word is told from one with a hyphen."""
    divided_at: tuple[int, int] | None = None
    """Page and character of the mark that ends the text so far, when its last word is divided."""

    def raw(self, page: int, start: int, text: str, *, verbatim: bool = False) -> None:
        """Append characters `start ..` of a page.

        Unless `verbatim`, white space becomes single spaces, leaders become three dots or strokes (nothing at either
        end), and a divided word is joined.
        """
        if self.divided_at is not None and text.strip():
            self._join_divided(text.lstrip())
        if verbatim or _is_even(text):
            self._stretch(page, start, text)
            return
        pieces = list(_PIECES.finditer(text))
        while len(pieces) > 1 and pieces[0]["leader"]:
            del pieces[0]
        while len(pieces) > 1 and pieces[-1]["leader"]:
            del pieces[-1]
        for before, match in itertools.pairwise([None, *pieces]):
            assert match is not None
            if match["mark"]:
                self.divided_at = (page, start + match.start())
                continue
            is_apart = before is not None and (
                before.end() < match.start() or bool(before["leader"] or match["leader"])
            )
            self._append_piece(page, start + match.start(), match, is_apart=is_apart)

    def _append_piece(self, page: int, start: int, match: re.Match[str], *, is_apart: bool) -> None:
        piece = match.group()
        if self.divided_at is not None:
            self._join_divided(piece)
        elif is_apart:
            self.append_unplaced(" ")
        if match["leader"]:
            self.append_unplaced(piece[0] * 3)
        else:
            self._stretch(page, start, piece)

    def _join_divided(self, following: str) -> None:
        """Join a divided word, with its hyphen where the document writes the word so elsewhere."""
        divided, self.divided_at = self.divided_at, None
        before = "".join(self.parts[-2:]).rpartition(" ")[2]
        word = following.split(maxsplit=1)[0]
        is_name = not word[0].islower()  # Anglo-American, COVID-19
        if divided and (is_name or (self.vocabulary is not None and self.vocabulary.is_hyphenated(before, word))):
            self._stretch(*divided, "-")

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
        if self.divided_at is not None:
            self._stretch(*self.divided_at, "-")
            self.divided_at = None
        self.parts.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.parts)

    def draft(self, kind: NodeKind, page: int, *, title: str = "", level: int = -1, label: str = "") -> Draft:
        """A draft of what was gathered."""
        if self.divided_at is not None:
            self._stretch(*self.divided_at, "-")
            self.divided_at = None
        return Draft(kind, self.text, tuple(self.runs), page, title, level, label)


def find_leaders(text: str) -> Iterator[re.Match[str]]:
    """The leaders of a text, of any length."""
    return LEADERS.finditer(text) if any(sign in text for sign in _MAY_LEAD) else iter(())


def _is_even(text: str) -> bool:
    """Whether a text has single spaces alone, no divided word and no leader."""
    if any(mark in text for mark in DIVIDED) or " ".join(text.split()) != text:
        return False
    return not (any(sign in text for sign in _MAY_LEAD) and LEADERS.search(text))


def runs_pages(runs: Iterable[GlyphRun], default: int) -> tuple[int, int]:
    """First and last page of the runs."""
    pages = [run.page_index for run in runs] or [default]
    return min(pages), max(pages)
