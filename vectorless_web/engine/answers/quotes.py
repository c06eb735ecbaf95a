"""Evidence by pointers: the words at a place of a document, copied, with their page, glyphs and surroundings."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from vectorless_web.engine.answers.claims import Evidence
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import NotFound
from vectorless_web.engine.passages.find import Passage
from vectorless_web.engine.passages.sentences import cut_text, find_row
from vectorless_web.engine.text.analyser import analyse, normalise

Opening = Callable[[str], CompiledDocument]
"""Opens a document of the run by its corpus id."""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """Characters `start` (included) to `end` (excluded) of a node's text; `column` names a table's column, from 0."""

    document: str
    key: int
    start: int
    end: int
    column: int = -1


class Quotes:
    """The quotes of one answer. Each place gets one marker, from 1, however often it is cited."""

    def __init__(self, open_document: Opening, *, first: int = 1) -> None:
        self._open, self._first = open_document, first
        self._made: dict[QuotePlace, Evidence] = {}

    def cite(self, place: QuotePlace) -> Evidence:
        """The evidence at a place; NotFound when the document has no such words."""
        return self._made.get(place) or self.number(place, copy_quote(self._open(place.document), place))

    def number(self, place: QuotePlace, evidence: Evidence) -> Evidence:
        """Evidence of a place under the place's marker."""
        return self._made.setdefault(place, replace(evidence, marker=self._first + len(self._made)))

    def cite_passage(self, passage: Passage) -> Evidence:
        """A closest passage as evidence: its lit words are the quote."""
        place = QuotePlace(passage.document, passage.key, passage.start, passage.end)
        return replace(self.cite(place), passage=passage)


def copy_quote(document: CompiledDocument, place: QuotePlace) -> Evidence:
    """The words at a place, with marker 0. White space around them is left out; NotFound when no word is left."""
    if place.key not in document.tree:
        raise NotFound(f"There is no node {place.key} in this document.")
    node = document.tree.node(place.key)
    start, end = _trim(node.text, place.start, place.end)
    if start >= end:
        raise NotFound(f"Node {place.key} has no words at {place.start} to {place.end}.")
    spans, row = document.locate(place.key, start, end), find_row(node, start)
    # No glyph may stand for a place.
    page = row.page_index if row is not None else node.page_start
    return Evidence(
        marker=0,
        document=place.document,
        key=place.key,
        page_index=spans[0].page_index if spans else page,
        quote=node.text[start:end],
        start=start,
        end=end,
        spans=spans,
        where=describe_place(document, place),
    )


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(0, start), min(end, len(text))
    words = text[start:end]
    return start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())


def describe_place(document: CompiledDocument, place: QuotePlace) -> str:
    """Where a quote is: the headings above it, outermost first; of a table its caption, and the column named."""
    tree = document.tree
    node = tree.node(place.key)
    if node.kind is NodeKind.TABLE and node.table is not None:
        columns = node.table.columns
        header = columns[place.column].name if 0 <= place.column < len(columns) else ""
        caption = node.title or " > ".join(tree.path(place.key))
        return f"{caption}, {header}" if caption and header else caption or header
    return " > ".join(tree.path(place.key))


def narrow_to_phrase(document: CompiledDocument, place: QuotePlace, phrase: str) -> QuotePlace | None:
    """The part of a place that says a phrase; None when it does not say it.

    Kinds of white space, quotation marks and dashes, and hyphens at a line's end may differ, as a model writes them
    otherwise than a page prints them. Letters and digits must be the same.
    """
    text = document.tree.node(place.key).text[place.start : place.end]
    printed, wanted = normalise(text), normalise(phrase).text
    at = printed.text.find(wanted) if wanted else -1
    if at < 0:
        return None
    last = printed.offsets[at + len(wanted) - 1]
    return replace(place, start=place.start + printed.offsets[at], end=place.start + last + 1)


def narrow_to_closest(document: CompiledDocument, place: QuotePlace, text: str, *, most: int) -> QuotePlace:
    """Neighbouring sentences of a long place that together say the most terms of a text, in the fewest characters.

    They have at most `most` characters, unless a single one is longer.
    """
    pieces = cut_text(document.tree.node(place.key).text[place.start : place.end])
    wanted = set(analyse(text))
    held = [wanted.intersection(analyse(piece.text)) for piece in pieces]
    runs = [
        (first, last)
        for first in range(len(pieces))
        for last in range(first, len(pieces))
        if last == first or pieces[last].end - pieces[first].start <= most
    ]
    if not runs:
        return place

    def worth(run: tuple[int, int]) -> tuple[int, int]:
        first, last = run
        return len(set().union(*held[first : last + 1])), pieces[first].start - pieces[last].end

    first, last = max(runs, key=worth)
    return replace(place, start=place.start + pieces[first].start, end=place.start + pieces[last].end)
