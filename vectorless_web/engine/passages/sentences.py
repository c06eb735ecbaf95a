"""Cuts a node's text into the pieces that can be quoted, and finds the list or table that a sentence announces."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.ranking.finder import Finder

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
    by_line = node.kind in (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE)
    spans = _lines(node.text) if by_line else _sentences(node.text)
    return [piece for start, end in spans if (piece := _piece(node.text, start, end)) is not None]


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


ITEMS = 4
"""List items taken along, in their order; of a table only the best row."""

NEARLY = 0.98
"""What follows fits nearly as well as what announces it."""


def with_what_follows(passages: Sequence[Passage], tree: Tree, finder: Finder) -> list[Passage]:
    """The passages, each that ends in a colon followed by what it announces."""
    found: list[Passage] = []
    for passage in passages:
        found.append(passage)
        if passage.quote.rstrip().endswith(":"):
            found.extend(_find_following(passage, tree, finder))
    return found


def _find_following(passage: Passage, tree: Tree, finder: Finder) -> list[Passage]:
    key = _next_leaf(tree, passage)
    if key is None:
        return []
    node = tree.node(key)
    pieces = pieces_of(node)
    if node.kind is NodeKind.TABLE:
        pieces = _best_row(pieces, finder)
    elif node.kind is not NodeKind.LIST:
        pieces = pieces[:1]
    return [
        replace(
            passage,
            key=key,
            page_index=node.page_start,
            quote=p.text,
            start=p.start,
            end=p.end,
            fit=passage.fit * NEARLY,
        )
        for p in pieces[:ITEMS]
    ]


def _next_leaf(tree: Tree, passage: Passage) -> int | None:
    """The leaf after the passage's own, when the passage ends its node; running heads are passed over."""
    if tree.node(passage.key).text[passage.end :].strip():
        return None
    for key in range(passage.key + 1, min(passage.key + 6, len(tree))):
        kind = tree.kind(key)
        if kind in (NodeKind.SECTION, NodeKind.DOCUMENT):
            return None
        if kind is not NodeKind.RUNNING:
            return key
    return None


def _best_row(rows: Sequence[TextPiece], finder: Finder) -> list[TextPiece]:
    """The row that says most of the question, if it says anything and has a number."""
    numbered = [row for row in rows if any(character.isdigit() for character in row.text)]
    said = [(finder.coverage(row.text), row) for row in numbered]
    best = max(said, key=lambda pair: pair[0], default=(0.0, None))
    return [best[1]] if best[1] is not None and best[0] > 0 else []
