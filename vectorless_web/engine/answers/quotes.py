"""Where a quote stands in its node (exactly, after normalisation, nearly, or not at all), and in which other node."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.answers.claims import Check, DraftQuote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.text.normalise import normalise
from vectorless_web.engine.text.similarity import partial_ratio_alignment

FUZZY_SCORE = 95.0
"""Least partial ratio (0..100) of a quote that is not found word for word."""

FUZZY_CHARACTERS = 20
"""A shorter quote must stand word for word: a letter more or less is then another word."""

_DIGITS = re.compile(r"\d+")
_BETWEEN = re.compile(r"[\s|*`\"']+")
_CURRENCY = "$€£¥*`"


@dataclass(frozen=True, slots=True)
class Located:
    """How a quote was found and the characters of the node's text it stands for (both 0 when missing)."""

    check: Check
    start: int = 0
    end: int = 0


MISSING = Located(Check.MISSING)


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A drafted quote and where it was found. `scale` is what the units line of its table multiplies figures by.

    `node` is None when the document or the node does not exist.
    """

    draft: DraftQuote
    node: Node | None
    located: Located
    scale: Decimal = Decimal(1)

    @property
    def text(self) -> str:
        """The words of the document that the quote stands for; "" when it is missing."""
        return self.node.text[self.located.start : self.located.end] if self.node is not None else ""


def locate_quote(text: str, quote: str, *, near: int = -1, nearly: bool = True) -> Located:
    """Find `quote` in a node's `text`: exact (at `near` first), normalised, then fuzzy with equal digit sequences.

    Without `nearly` a fuzzy match is missing too.
    """
    wanted = quote.strip()
    if not any(character.isalnum() for character in wanted):
        return MISSING
    return _locate_exactly(text, wanted, near) or _locate_normalised(text, wanted, nearly=nearly) or MISSING


def _locate_exactly(text: str, wanted: str, near: int) -> Located | None:
    if near >= 0 and text.startswith(wanted, near):
        return Located(Check.EXACT, near, near + len(wanted))
    start = text.find(wanted)
    while start >= 0:
        if _on_word_bounds(text, start, start + len(wanted)):
            return Located(Check.EXACT, start, start + len(wanted))
        start = text.find(wanted, start + 1)
    return None


def _locate_normalised(text: str, wanted: str, *, nearly: bool) -> Located | None:
    haystack, needle = normalise(text), normalise(wanted).text.strip()
    if not needle or not haystack.text:
        return None
    start = haystack.text.find(needle)
    while start >= 0:
        if _on_word_bounds(haystack.text, start, start + len(needle)):
            return _map_to_source(Check.NORMALISED, haystack.offsets, start, start + len(needle))
        start = haystack.text.find(needle, start + 1)
    found = _locate_unspaced(haystack.text, haystack.offsets, needle) or _locate_row(text, needle)
    return found or (_locate_nearly(haystack.text, haystack.offsets, needle) if nearly else None)


def _locate_unspaced(haystack: str, offsets: Sequence[int], needle: str) -> Located | None:
    """The needle without its spaces, cell marks and quotation marks, every digit sequence as it was."""
    kept = [place for place, character in enumerate(haystack) if not _BETWEEN.match(character)]
    solid, wanted = "".join(haystack[place] for place in kept), _BETWEEN.sub("", needle)
    start = solid.find(wanted) if len(wanted) > 1 else -1
    while start >= 0:
        first, last = kept[start], kept[start + len(wanted) - 1] + 1
        if _on_word_bounds(haystack, first, last) and _DIGITS.findall(haystack[first:last]) == _DIGITS.findall(needle):
            return _map_to_source(Check.NORMALISED, offsets, first, last)
        start = solid.find(wanted, start + 1)
    return None


def _locate_row(text: str, needle: str) -> Located | None:
    """The table row of which the needle has the whole label and some of the cells, in their order."""
    wanted, start = _words_of(needle), 0
    for row in text.split("\n"):
        label = _words_of(next((cell for cell in row.split("\t") if cell.strip()), "")) if "\t" in row else []
        if (
            label
            and len(wanted) > len(label)
            and wanted[: len(label)] == label
            and _appear_in_order(wanted, _words_of(row))
        ):
            return Located(Check.NORMALISED, start, start + len(row.rstrip()))
        start += len(row) + 1
    return None


def _words_of(text: str) -> list[str]:
    words = (word.strip(_CURRENCY) for word in re.split(r"[\s|]+", normalise(text).text))
    return [word for word in words if word]


def _appear_in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in wanted)


def _locate_nearly(haystack: str, offsets: Sequence[int], needle: str) -> Located | None:
    if len(needle) < FUZZY_CHARACTERS or len(needle) > len(haystack) * 1.05:
        return None
    found = partial_ratio_alignment(needle, haystack)
    if found.score < FUZZY_SCORE:
        return None
    start, end = _whole_words(haystack, found.start, found.end)
    if _DIGITS.findall(haystack[start:end]) != _DIGITS.findall(needle):
        return None
    return _map_to_source(Check.FUZZY, offsets, start, end)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a window to word bounds, so that a cut number cannot pass for the number itself."""
    while start > 0 and text[start - 1].isalnum() and text[start : start + 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1 : end].isalnum():
        end += 1
    return start, end


def _on_word_bounds(text: str, start: int, end: int) -> bool:
    opens = start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    closes = end >= len(text) or not (text[end].isalnum() and text[end - 1].isalnum())
    return opens and closes and not _cuts_number(text, start, end)


def _cuts_number(text: str, start: int, end: int) -> bool:
    """Whether the window ends inside a number: "1,57" of "1,577", "577" of "1,577", "12" of "12.5"."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    cut_before = len(before) == 2 and before[0].isdigit() and before[1] in ".," and text[start].isdigit()
    cut_after = len(after) == 2 and after[1].isdigit() and after[0] in ".," and text[end - 1].isdigit()
    return cut_before or cut_after


def _map_to_source(check: Check, offsets: Sequence[int], start: int, end: int) -> Located:
    return Located(check, offsets[start], offsets[end - 1] + 1)


LEAST_LETTERS, LEAST_CHARACTERS = 4, 8
"""Letters, and letters and digits, of a quote that says by itself where it belongs."""

MOST_NODES = 400
"""Nodes looked into for one quote."""

AROUND = 60
"""Nodes before and behind that may stand on the same page."""

Place = tuple[str, int]


class Homes:
    """Looks for a quote below the node named, on its page, then in the nodes that were read; word for word only."""

    def __init__(self, *, documents: Mapping[str, CompiledDocument], read: Sequence[Place] = ()) -> None:
        self._documents = documents
        self._read = tuple(dict.fromkeys(read))

    def find_elsewhere(self, quote: DraftQuote) -> Place | None:
        """Another node that holds the quote; None when there is none, or the quote is too short to tell."""
        letters = sum(character.isalpha() for character in quote.quote)
        if letters < LEAST_LETTERS or sum(character.isalnum() for character in quote.quote) < LEAST_CHARACTERS:
            return None
        return next((place for place in self._candidates(quote) if self.holds(place, quote)), None)

    def holds(self, place: Place, quote: DraftQuote) -> bool:
        """Whether the words stand in that node, as they are or after normalisation."""
        text = self._documents[place[0]].tree.node(place[1]).text
        return locate_quote(text, quote.quote, nearly=False).check is not Check.MISSING

    def list_shown(self, places: Sequence[Place]) -> list[Place]:
        """The nodes of `places`, then the leaves that were read in the same documents."""
        documents = {document for document, _ in places}
        read = (place for place in self._leaves_read() if place[0] in documents)
        return list(dict.fromkeys([*places, *read]))[:MOST_NODES]

    def _candidates(self, quote: DraftQuote) -> list[Place]:
        named = (quote.document, quote.key)
        tree = self._documents[quote.document].tree if quote.document in self._documents else None
        near = (
            [(quote.document, key) for key in _list_nearby_nodes(tree, quote.key)] if tree and quote.key in tree else []
        )
        found = dict.fromkeys([*near, *self._leaves_read()])
        return [place for place in found if place != named][:MOST_NODES]

    def _leaves_read(self) -> Iterator[Place]:
        for document, key in self._read:
            tree = self._documents[document].tree if document in self._documents else None
            if tree is None or key not in tree:
                continue
            if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
                yield from ((document, leaf) for leaf in tree.leaves(key)[:AROUND])
            yield document, key


def _list_nearby_nodes(tree: Tree, key: int) -> Iterator[int]:
    """Leaves below the node, then the nodes around it on its page."""
    if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
        yield from tree.leaves(key)[: MOST_NODES // 2]
    page = tree.node(key).page_start
    for other in range(max(1, key - AROUND), min(len(tree), key + AROUND)):
        if other != key and tree.node(other).page_start == page:
            yield other
