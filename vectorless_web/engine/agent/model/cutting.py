"""Cuts a passage to what a prompt has room for: at sentence and row ends, around what was asked, never to nothing."""

from collections.abc import Sequence

from vectorless_web.engine.answers.claims import PackedNode
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.llm.model import Message
from vectorless_web.engine.passages.pieces import TextPiece, cut_pieces
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.tokens import HeuristicEstimator

MARK_TOKENS = 24
"""Tokens that the notes take which say what was cut."""

MATCHING_SHARE = 0.7
"""Share of the room that pieces chosen by their words may take; the rest goes to what stands around the best."""

_BY_LINE = (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE)


def tokens_of(text: str) -> int:
    """Tokens a text is counted with."""
    return HeuristicEstimator().estimate(text)


def message_tokens(message: Message) -> int:
    """Tokens a message is counted with, its pictures among them."""
    return tokens_of(message.content) + sum(picture.tokens for picture in message.pictures)


def cut_passage(passage: PackedNode, tokens: int, wanted: frozenset[str], name: str, *, start: int = 0) -> str:
    """The text of a passage in at most about so many tokens; what is left out is said with where to read it.

    A table keeps its header rows. `wanted` are stems of the words that were asked for; without
    any the text is shown from its beginning. `start` is the row or sentence, from 1, to begin
    with when the passage is read on.
    """
    if start <= 1 and tokens_of(passage.text) <= tokens:
        return passage.text
    by_line = passage.kind in _BY_LINE
    pieces = _lines(passage.text) if by_line else cut_pieces(passage.text, by_line=False)
    heads, body = pieces[: passage.heads], pieces[passage.heads :]
    if not body:
        heads, body = [], pieces
    room = max(1, tokens - MARK_TOKENS - sum(_size(piece) for piece in heads))
    first = min(max(0, start - 1), max(0, len(body) - 1))
    kept = _choose_pieces(body, room, frozenset() if start else wanted, first)
    unit = "row" if passage.kind is NodeKind.TABLE else "line" if by_line else "sentence"
    parts = [piece.text for piece in heads]
    last = -1
    for place in kept:
        if place > last + 1:
            parts.append(f"(… {_say_number(place - last - 1, unit)} left out …)")
        parts.append(_cut_at_word(body[place].text, room))
        last = place
    rest = len(body) - 1 - last
    if rest:
        parts.append(f"(it goes on: node {name}, {_say_number(rest, f'more {unit}')}, from {unit} {last + 2})")
    return ("\n" if by_line else " ").join(parts)


def _choose_pieces(pieces: Sequence[TextPiece], room: int, wanted: frozenset[str], first: int) -> list[int]:
    """Places of the pieces shown: those that say most of what was asked, then their neighbours; at least one."""
    scores = [len(wanted & set(analyse(piece.text))) for piece in pieces]
    best = max(scores, default=0)
    order = sorted(range(len(pieces)), key=lambda place: (-scores[place], place)) if best else []
    telling = [place for place in order if scores[place] * 2 >= best]
    kept = _add_fitting(pieces, telling, [], int(room * MATCHING_SHARE))
    centre = order[0] if order else first
    around = list(range(first, len(pieces)))
    if order:
        around = [centre, *(place for step in range(1, len(pieces)) for place in (centre + step, centre - step))]
    return sorted(_add_fitting(pieces, around, kept, room)) or [centre]


def _add_fitting(pieces: Sequence[TextPiece], places: Sequence[int], kept: Sequence[int], room: int) -> list[int]:
    """`kept` and of `places`, in their order, those that fit beside them, up to the first that does not."""
    found = list(kept)
    left = room - sum(_size(pieces[place]) for place in kept)
    for place in places:
        if not 0 <= place < len(pieces) or place in found:
            continue
        left -= _size(pieces[place])
        if left < 0:
            break
        found.append(place)
    return found


def _lines(text: str) -> list[TextPiece]:
    """Lines as they stand: a row that begins with an empty cell keeps it, or its cells would move a column."""
    return [TextPiece(line, 0, len(line)) for line in text.split("\n") if line.strip()]


def _cut_at_word(text: str, tokens: int) -> str:
    """One piece that alone is too long is cut at a word."""
    if tokens_of(text) <= tokens:
        return text
    return f"{text[: max(40, 3 * tokens)].rsplit(' ', 1)[0]} …"


def _size(piece: TextPiece) -> int:
    return tokens_of(piece.text) + 1


def _say_number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
