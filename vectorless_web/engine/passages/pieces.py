"""Cuts a node into what can be quoted: sentences, list items, table rows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vectorless_web.engine.documents.node import Node, NodeKind

LONGEST = 900
"""Characters of the longest piece; a longer one is cut at a clause."""

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s)|[。！？]+[」』”]?|\n{2,}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|LLC|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|vs|etc|e\.g|i\.e|approx|Fig|Sec|Art|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|pp?|cf|al)"
    r"|\b[A-Z]|\b(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_CLAUSE = re.compile(r"[;:]\s|,\s")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a node's text, by its characters."""

    text: str
    start: int
    end: int


def pieces_of(node: Node) -> list[TextPiece]:
    """The quotable pieces of a node in reading order; a table's are its rows, a list's its items."""
    return cut_pieces(node.text, by_line=node.kind in (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE))


def cut_pieces(text: str, *, by_line: bool) -> list[TextPiece]:
    """The lines of a text, else its sentences, in reading order; very long ones are cut at a clause."""
    spans = _lines(text) if by_line else _sentences(text)
    return [piece for start, end in spans if (piece := _piece(text, start, end)) is not None]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    for match in _LINE.finditer(text):
        yield from _cut_long(text, match.start(), match.end())


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        if _continues_sentence(text, start, match):
            continue
        yield from _cut_long(text, start, match.end())
        start = match.end()
    yield from _cut_long(text, start, len(text))


def _continues_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """An abbreviation or a following small letter means that the sentence has not ended."""
    if match.group()[0] != ".":
        return False
    following = text[match.end() : match.end() + 3].strip()
    return bool(_ABBREVIATION.search(text, start, match.end())) or following[:1].islower()


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cuts = [match.end() for match in _CLAUSE.finditer(text, start + LONGEST // 3, start + LONGEST)]
        cut = cuts[-1] if cuts else start + LONGEST
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _piece(text: str, start: int, end: int) -> TextPiece | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return TextPiece(text[start:end], start, end) if end > start else None
