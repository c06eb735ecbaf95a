"""Finds the row or sentence, among the passages shown, that states a number which no quote of a claim states."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.answers.accounting import Loose
from vectorless_web.engine.answers.agreement import Stated, agrees, list_stated_numbers, names_things
from vectorless_web.engine.answers.claims import DraftQuote
from vectorless_web.engine.answers.quotes import Place
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.figures.tables import units_line
from vectorless_web.engine.figures.units import units_scale
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.quantities import Quantity

AROUND = 70
"""Characters on either side of a number whose words must agree: about a clause."""

LEAST_WORDS, LEAST_SHARE = 2, 0.5
"""Content words that the clauses around both numbers share at least, and the share of the shorter clause they make."""

_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s+[A-Z(“\"])|\n|$)")
_LONGEST = 600
"""Characters of the longest sentence that is cited for a number."""


MOST_PIECES = 400
"""Rows and sentences on the subject of a claim whose numbers are read for one of its own."""


MOST_SCANNED = 4_000
"""Rows and sentences whose words are compared with a claim's: about a fifth of a second, three turns of a model."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A row or a sentence: its place in the node, and for a row its label and the headers of its table."""

    start: int
    text: str
    label: str = ""
    headers: str = ""
    scale: Decimal = Decimal(1)


def find_statement(
    loose: Loose, sentence: str, places: Sequence[Place], documents: Mapping[str, CompiledDocument]
) -> DraftQuote | None:
    """The first row or sentence of `places` that states the number or date in the same unit and subject."""
    said, looked, scanned = _words(sentence), 0, 0
    for document, key in places:
        tree = documents[document].tree
        if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
            continue
        node = tree.node(key)
        for piece in _pieces(documents[document], node):
            scanned += 1
            if scanned > MOST_SCANNED:
                return None
            if not _may_share_subject(piece, said):
                continue
            looked += 1
            if looked > MOST_PIECES:
                return None
            if _states(piece, loose, sentence):
                return DraftQuote(document, key, piece.text, piece.start)
    return None


def _may_share_subject(piece: _Piece, said: frozenset[str]) -> bool:
    """Whether its words leave it possible that `_is_same_subject` holds, before any of its numbers is read."""
    words = _words(piece.label or piece.text)
    return words <= said if piece.label else len(words & said) >= LEAST_WORDS


def _pieces(document: CompiledDocument, node: Node) -> Iterator[_Piece]:
    if node.table is None:
        for match in _SENTENCE.finditer(node.text):
            text = match.group().strip()
            if text and len(text) <= _LONGEST:
                yield _Piece(match.start() + len(match.group()) - len(match.group().lstrip()), text)
        return
    scale = units_scale(units_line(document.tree, node, node.table))
    headers = " ".join([*(column.header for column in node.table.columns), node.table.units, node.title])
    for row in node.table.body:
        text = node.text[row.offset : row.offset + row.length].rstrip()
        yield _Piece(row.offset, text, row.label, headers, scale)


def _states(piece: _Piece, loose: Loose, sentence: str) -> bool:
    if loose.mention is not None:
        return any(
            reading.is_told_by(day) and _is_same_subject(piece, mention.start, mention.end, loose, sentence)
            for mention in dates_in(piece.text)
            for day in mention.readings
            for reading in loose.mention.readings
        )
    if loose.number is None:
        return False
    for figure in list_stated_numbers(piece.text, piece.scale):
        written = figure.written
        if written is None or not agrees(loose.number, figure) or not _is_same_unit(loose.number, figure, piece):
            continue
        if _is_same_subject(piece, written.start, written.end, loose, sentence):
            return True
    return False


def _is_same_unit(number: Quantity, figure: Stated, piece: _Piece) -> bool:
    """Stricter than for a quote of the claim's own: a unit must be said on both sides, in a table by its headers."""
    written = figure.written
    if written is None or (number.unit and written.unit):
        return written is not None
    told = f"{piece.label} {piece.headers}".lower()
    if number.unit == "money":
        return bool(piece.headers)
    if number.unit:
        return bool(piece.headers) and (number.unit in told or (number.percent and "%" in told))
    if written.unit:
        return False
    return not (names_things(number.noun) and names_things(written.noun)) or number.noun == written.noun


def _is_same_subject(piece: _Piece, start: int, end: int, loose: Loose, sentence: str) -> bool:
    """Whether the words around the two numbers agree: for a row its whole label, else most of the shorter clause."""
    said = _words_around(sentence, loose.start, loose.end)
    if piece.label:
        label = _words(piece.label)
        return bool(label) and label <= _words(sentence) and bool(label & said)
    told = _words_around(piece.text, start, end)
    shared = told & said
    return len(shared) >= LEAST_WORDS and len(shared) >= LEAST_SHARE * min(len(told), len(said))


def _words_around(text: str, start: int, end: int) -> frozenset[str]:
    return _words(f"{text[max(0, start - AROUND) : start]} {text[end : end + AROUND]}")


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in analyse(text) if not any(character.isdigit() for character in word))
