"""What can be quoted of a node, copied word for word; of many passages those that do not say the same thing twice."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.finding.retrieval import DiversityCandidate, select_diverse
from vectorless_web.engine.parsing.patterns import are_particulars
from vectorless_web.engine.text.analyser import analyse

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
    """The quotable pieces of a node in reading order: rows of a table, items of a list, fields of a form, sentences."""
    if node.kind is NodeKind.TABLE and is_form(node):
        return [piece for start, end in _fields(node.text) if (piece := _piece(node.text, start, end)) is not None]
    if node.kind is NodeKind.PARAGRAPH and (starts := _named_lines(node.text)):
        ends = [*starts[1:], len(node.text)]
        return [piece for span in zip(starts, ends, strict=True) if (piece := _piece(node.text, *span)) is not None]
    return cut_pieces(node.text, by_line=node.kind in (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE))


def is_record(node: Node) -> bool:
    """Whether a paragraph is lines "Name: value", each of which is about something else."""
    return node.kind is NodeKind.PARAGRAPH and bool(_named_lines(node.text))


_NAMED_LINE = re.compile(r"^[ \t]*[A-Z][\w ’'/&().-]{1,40}:[ \t]+\S", re.MULTILINE)
FEWEST_LINES, SHARE_NAMED = 3, 0.6
"""Lines "Name: value" that make a paragraph the head of a report or a letter, and their share of its lines."""


def _named_lines(text: str) -> list[int]:
    """Where the lines "Name: value" of a paragraph begin that is made of such lines, each about something else."""
    starts = [match.start() for match in _NAMED_LINE.finditer(text)]
    lines = text.strip().splitlines()
    if not starts or text[: starts[0]].strip():
        return []
    is_head = len(starts) >= FEWEST_LINES and len(starts) >= SHARE_NAMED * len(lines)
    is_pair = len(starts) == len(lines) and are_particulars(lines) and not any(line.endswith(".") for line in lines)
    return starts if is_head or is_pair else []


FEWEST_FIELDS = 2
"""Rows with two names of fields side by side that make a table a form; a single one may be anything."""


def is_form(node: Node) -> bool:
    """Whether a table's rows are fields "Name: value", several side by side, and no records below headers."""
    rows = node.table.rows if node.table else ()
    named = [[cell.text.rstrip().endswith(":") for cell in row.cells] for row in rows]
    beside = sum(len(names) > 2 and names[0] and any(names[2:]) for names in named)
    first = sum(names[0] for names in named if names)
    return beside >= FEWEST_FIELDS and 2 * first >= len(rows) and not any(row.is_header for row in rows)


def _fields(text: str) -> Iterator[tuple[int, int]]:
    """The fields of a form that are filled in, each its name with its value."""
    for line in _LINE.finditer(text):
        start, cell = line.start(), line.start()
        for part in line.group().split("\t"):
            if part.rstrip().endswith(":") and cell > start:
                yield from _keep_filled(text, start, cell)
                start = cell
            cell += len(part) + 1
        yield from _keep_filled(text, start, line.end())


def _keep_filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    _, is_named, value = text[start:end].partition(":")
    if not is_named or any(character.isalnum() for character in value):
        yield start, end


def cut_pieces(text: str, *, by_line: bool) -> list[TextPiece]:
    """The lines of a text, else its sentences, in reading order; very long ones are cut at a clause."""
    return list(_cut_once(text, by_line))


@lru_cache(maxsize=1 << 8)
def _cut_once(text: str, by_line: bool) -> tuple[TextPiece, ...]:
    """The pieces of the texts cut last: each step of a question reads the same few dozen nodes."""
    spans = _lines(text) if by_line else _sentences(text)
    return tuple(piece for start, end in spans if (piece := _piece(text, start, end)) is not None)


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


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a node, copied: what announces or completes a sentence, or an item of a list."""

    key: int
    page_index: int
    quote: str
    start: int
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """How a passage stands in meaning beside those of other nodes and all that was measured.

    `ahead` is by how much it comes nearer than the nearest of another node, `above` than two fifths of all, `margin` by
    how much its fit by words and meaning exceeds the best of another node, each in [-1, 1]. `is_first_by_words` says
    whether it is also the best by words alone.
    """

    ahead: float
    above: float
    margin: float
    is_first_by_words: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, list item or table row copied word for word.

    `fit` in [0, 1] orders passages; `said` is the share of the question that it says,
    what stands around it included. `lead` puts it better for a reader: a row's cell first.
    `parts` are the whole rule in reading order, the sentence among them, empty when it stands
    by itself; of a list (`is_list`) they are its lead-in and its items. `unmet` says in plain
    words what the question asks for and the passage does not hold. One that `suffices` holds
    all of it and says so much of the question that it may stand as the answer. One that only
    `refers` to another node (by its key, 0 for none) says where the answer stands. `place` names what was read from
    where documents say it ("parties"), "" for what its words found.
    """

    document: str
    key: int
    page_index: int
    quote: str
    start: int
    end: int
    where: str
    fit: float
    said: float = 0.0
    lead: str = ""
    parts: tuple[Part, ...] = ()
    is_list: bool = False
    unmet: tuple[str, ...] = ()
    suffices: bool = True
    refers: int = 0
    is_nearest: bool = False
    """Whether it says too little of the question, and stands in for what nothing says."""
    place: str = ""
    nearness: float | None = None
    """How near it comes to the question in meaning, in [0, 1], by a local model; None where none measured it."""
    standing: "Standing | None" = None
    """How it stands in meaning beside the other passages; None where its nearness was not measured."""
    raised: float = 0.0
    """What `nearness` added to `fit`."""
    is_value: bool = False
    """Whether it is a line "Name: value" that states the very thing asked for, with every word accounted for."""
    lacks_thing: bool = False
    """Whether a yes or no is asked of a thing that the document never names, in any wording."""
    answers: str = ""
    """The part of the question that it was copied for, "" for the whole question."""

    @property
    def words_fit(self) -> float:
        """The fit by words and places alone."""
        return self.fit - self.raised


QUOTE_SHOWN = 300
"""Characters of a quote shown in an observation; the fact keeps it whole."""

SET_ASIDE_SHOWN = 8
"""Passages set aside that an observation names."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Passages that got a place, in the order they were offered, and those set aside for them."""

    kept: tuple[Passage, ...]
    set_aside: tuple[Passage, ...] = ()


def select_passages(passages: Sequence[Passage], most: int) -> Chosen:
    """At most `most` of the passages (best first) by maximal marginal relevance; all of them when there is room.

    Relevance is a passage's fit, likeness the cosine of the sets of words it uses, so no
    embedding is needed.
    """
    if len(passages) <= most:
        return Chosen(tuple(passages))
    names = [f"{place:06}" for place in range(len(passages))]
    vectors = _word_vectors([passage.quote for passage in passages])
    pieces = [
        DiversityCandidate(*given) for given in zip(names, (p.fit for p in passages), vectors.tolist(), strict=True)
    ]
    picked = {name for name, _ in select_diverse(pieces, most)}
    kept = tuple(p for name, p in zip(names, passages, strict=True) if name in picked)
    return Chosen(kept, tuple(p for name, p in zip(names, passages, strict=True) if name not in picked))


def quote_row(passage: Passage) -> dict[str, Any]:
    """A passage in an observation: its node, page (from 1) and words."""
    return {"key": passage.key, "page": passage.page_index + 1, "quote": passage.quote[:QUOTE_SHOWN]}


def _word_vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    """A row for each text over the words of all of them: 1 where the text has the word."""
    words = [set(analyse(text)) for text in texts]
    place = {word: column for column, word in enumerate(sorted(set().union(*words)))}
    rows = np.zeros((len(texts), len(place)))
    for row, own in enumerate(words):
        rows[row, [place[word] for word in own]] = 1.0
    return rows
