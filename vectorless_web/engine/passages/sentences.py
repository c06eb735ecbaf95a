"""Cuts a node into what can be quoted of it, with offsets in its text: sentences, list items, lines, table rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.text.dates import month_number

LONGEST = 900
"""Characters of the longest piece; a longer one is cut at a clause. About 150 words: what a reader takes in at once."""
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[」』”）]?|[।؟۔]+(?=\s|$)")
_LAST_WORD = re.compile(r"(\w(?:[\w.]*\w)?)\.$")
_CLAUSE_END = re.compile(r"[;:,]\s|[；：，、]")
_LINE = re.compile(r"[^\n]+")
_NEXT_WORD = re.compile(r"\s*([^\W\d_]+)")
_BY_LINE = (NodeKind.CODE, NodeKind.TABLE)
_APART = (NodeKind.LIST, *_BY_LINE)
_COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a node's text: `text` is the characters `start` (included) to `end` (excluded)."""

    text: str
    start: int
    end: int


def cut_node(node: Node) -> tuple[Piece, ...]:
    """The pieces of a node in reading order: body rows of a table; else its lines, and the sentences of each.

    Code, and a table without body rows, is cut by its lines alone.
    """
    if node.table is not None and node.table.body:
        spans = [(row.offset, row.offset + row.length) for row in node.table.body]
    elif node.kind in _BY_LINE:
        spans = [span for line in _LINE.finditer(node.text) for span in _cut_long(node.text, *line.span())]
    else:
        spans = [span for line in _LINE.finditer(node.text) for span in _cut_sentences(node.text, *line.span())]
    return tuple(piece for span in spans if (piece := _trim_piece(node.text, *span)) is not None)


def join_pieces(node: Node, pieces: Sequence[Piece], *, most: int) -> tuple[Piece, ...]:
    """Stretches of a node that can be lit: from each piece on as many as have at most `most` words together.

    Table rows, sentences of list items and lines of code stay apart. A stretch within another is left out.
    """
    if node.table is not None or node.kind in _APART:
        return tuple(pieces)
    found: list[Piece] = []
    last = 0
    for first, piece in enumerate(pieces):
        last = max(last, first + 1)
        while last < len(pieces) and len(node.text[piece.start : pieces[last].end].split()) <= most:
            last += 1
        end = pieces[last - 1].end
        if not found or found[-1].end != end:
            found.append(Piece(node.text[piece.start : end], piece.start, end))
    return tuple(found)


def cut_text(text: str) -> tuple[Piece, ...]:
    """The sentences of a text, line by line."""
    spans = (span for line in _LINE.finditer(text) for span in _cut_sentences(text, *line.span()))
    return tuple(piece for span in spans if (piece := _trim_piece(text, *span)) is not None)


def _cut_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _END.finditer(text, start, end):
        if not _continues(text, start, match.end(), end):
            yield from _cut_long(text, start, match.end())
            start = match.end()
    yield from _cut_long(text, start, end)


def _continues(text: str, start: int, stop: int, end: int) -> bool:
    """Whether a mark before `stop` ends no sentence: a small letter follows, or it is the stop of an abbreviation.

    The stop of a day before its month ("am 1. Mai") ends none either.
    """
    following = text[stop : min(stop + 3, end)].strip()[:1]
    if following.islower():
        return True
    word = _LAST_WORD.search(text, max(start, stop - 24), stop)
    if word is None:
        return False
    last = word[1]
    after = _NEXT_WORD.match(text, stop, end)
    is_day = last.isdigit() and len(last) <= 2 and after is not None and month_number(after[1]) > 0
    is_number = last.isdigit() and not text[start : word.start()].strip()
    return (
        is_day
        or is_number
        or (len(last) == 1 and last.isalpha())
        or "." in last
        or last.casefold() in _read_abbreviations()
    )


@cache
def _read_abbreviations() -> frozenset[str]:
    lines = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cuts = [match.end() for match in _CLAUSE_END.finditer(text, start + LONGEST // 3, start + LONGEST)]
        cut = cuts[-1] if cuts else start + LONGEST
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _trim_piece(text: str, start: int, end: int) -> Piece | None:
    """The span without white space around it; None where it holds no letter and no digit."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    piece = text[start:end]
    return Piece(piece, start, end) if any(map(str.isalnum, piece)) else None


def find_lead_in(tree: Tree, key: int) -> str:
    """The sentence that announces a node, a list or table as a rule: what comes before it and ends in a colon."""
    before = key - 1
    while before > 0 and tree.kind(before) is NodeKind.RUNNING:
        before -= 1
    if before <= 0 or not tree.is_leaf(before) or tree.parent(before) != tree.parent(key):
        return ""
    text = tree.columns.texts[before].rstrip()
    if not text.endswith(_COLONS) or tree.columns.table(before) is not None:
        return ""
    pieces = cut_text(text)
    return pieces[-1].text if pieces else ""
