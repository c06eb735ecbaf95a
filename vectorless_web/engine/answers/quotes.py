"""Where a quote stands in its node (exactly, after normalisation, nearly, or not at all), and in which other node."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice

from vectorless_web.engine.answers.claims import Check, DraftQuote
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.text.normalise import Normalised, normalise
from vectorless_web.engine.text.similarity import partial_ratio_alignment

FUZZY_SCORE = 95.0
"""Least partial ratio (0..100) of a quote that is not found word for word."""

FUZZY_CHARACTERS = 20
"""A shorter quote must stand word for word: a letter more or less is then another word."""

LONGEST_SEARCHED = 120_000
"""Characters of a passage in which a quote is looked for that does not stand there exactly: about forty pages.

Of a longer passage only the surroundings of the quote's own words are searched. A tenth of a second; twice takes twice.
"""

ANCHORS, PLACES_OF_ANCHOR, MOST_WORDS = 3, 40, 60
"""Words of a quote that are looked for in a long passage, the rarest of its first 60, and places of each searched."""

KEPT_CHARACTERS = 20_000
"""Characters of the longest text whose normalised form is kept for the next quote; 64 of them take up to 50 MB."""

_DIGITS = re.compile(r"\d+")
_ANCHOR = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\s|*`\"']+")
_CURRENCY = "$€£¥*`"


@dataclass(frozen=True, slots=True)
class Located:
    """How a quote was found and the characters of the node's text it stands for (both 0 when missing)."""

    check: Check
    start: int = 0
    end: int = 0
    is_cut: bool = False
    """Whether only parts of a very long passage were searched for it."""


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
    exact = _locate_exactly(text, wanted, near)
    if exact is not None:
        return exact
    if len(text) <= LONGEST_SEARCHED:
        return _locate_normalised(text, wanted, nearly=nearly) or MISSING
    for start, end in _windows(text, wanted):
        found = _locate_normalised(text[start:end], wanted, nearly=nearly)
        if found is not None:
            return replace(found, start=found.start + start, end=found.end + start)
    return replace(MISSING, is_cut=True)


def _windows(text: str, wanted: str) -> list[tuple[int, int]]:
    """Stretches of a long passage around the rarest words of a quote, in reading order, bounded in all."""
    room = 2 * len(wanted) + 200
    counts = {word: text.count(word) for word in dict.fromkeys(_ANCHOR.findall(wanted)[:MOST_WORDS])}
    words = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], -len(word)))[:ANCHORS]
    places = sorted(place for word in words for place in islice(_find_places(text, word), PLACES_OF_ANCHOR))
    merged: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - room), min(len(text), place + room)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    left, kept = LONGEST_SEARCHED, []
    for start, end in merged:
        if left <= 0:
            break
        kept.append((start, min(end, start + left)))
        left -= end - start
    return kept


def _find_places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def _normalise(text: str) -> Normalised:
    """The normalised text, kept when it is of usual length: many quotes are looked for in the same few passages."""
    return _kept_normalised(text) if len(text) <= KEPT_CHARACTERS else normalise(text)


@lru_cache(maxsize=64)
def _kept_normalised(text: str) -> Normalised:
    return normalise(text)


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
    haystack, needle = _normalise(text), _normalise(wanted).text.strip()
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
    words = (word.strip(_CURRENCY) for word in re.split(r"[\s|]+", _normalise(text).text))
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

MOST_LOOKED = 400_000
"""Characters looked into for one quote, all nodes together: the time of about a third of a second."""

AROUND = 60
"""Nodes before and behind that may stand on the same page."""

TRAIL = " > "
"""What parts the headings of a trail that a reader is shown above a passage."""

MOST_HEADINGS = 400
"""Headings on the page of a quote that it is compared with, and those above it."""

_CUT_END = re.compile(r"[\s,;:]*(?:…|\.{3})\s*$")

MOST_BETWEEN, LONGEST_BETWEEN = 4, 110
"""Nodes between the halves of a sentence, and characters of each that is no footnote: a running head, a page number."""

Place = tuple[str, int]


class Homes:
    """Looks for a quote below the node named, on its page, then in the nodes that were read; word for word only."""

    def __init__(self, *, documents: Mapping[str, CompiledDocument], read: Sequence[Place] = ()) -> None:
        self._documents = documents
        self._read = tuple(dict.fromkeys(read))

    def find_elsewhere(self, quote: DraftQuote) -> tuple[Place | None, bool]:
        """Another node that holds the quote, and whether more nodes were there than are looked into.

        None when there is none, or the quote is too short to tell.
        """
        letters = sum(character.isalpha() for character in quote.quote)
        if letters < LEAST_LETTERS or sum(character.isalnum() for character in quote.quote) < LEAST_CHARACTERS:
            return None, False
        named, looked = (quote.document, quote.key), 0
        for number, place in enumerate(_drop_repeats(self._candidates(quote), named)):
            looked += len(self._documents[place[0]].tree.node(place[1]).text)
            if number >= MOST_NODES or looked > MOST_LOOKED:
                return None, True
            if self.holds(place, quote):
                return place, False
        return None, False

    def find_halves(self, quote: DraftQuote) -> tuple[DraftQuote, DraftQuote] | None:
        """The quote as two, where it runs from one paragraph into the next over a page's end or a footnote.

        None when it does not, or not word for word.
        """
        tree = self._documents[quote.document].tree if quote.document in self._documents else None
        if tree is None or quote.key not in tree:
            return None
        for first, second in _adjoining_paragraphs(tree, quote.key):
            begun, rest = tree.node(first).text.rstrip(), tree.node(second).text.lstrip()
            found = locate_quote(f"{begun} {rest}", quote.quote, nearly=False)
            if found.start < len(begun) and found.end > len(begun) + 1:
                one = replace(quote, key=first, quote=begun[found.start :], start=found.start)
                return one, replace(quote, key=second, quote=rest[: found.end - len(begun) - 1].rstrip(), start=-1)
        return None

    def find_headings(self, quote: DraftQuote) -> list[DraftQuote]:
        """The quote as the headings that it is made of, and what stands below them: "Leave > 4.2 Notice > Two weeks."

        Headings above the node, those on its page and the document's title count, each from its beginning (a shown
        one may be cut). Empty when a part of it is none of these and does not stand in the node either.
        """
        tree = self._documents[quote.document].tree if quote.document in self._documents else None
        if tree is None or quote.key not in tree:
            return []
        parts = [_CUT_END.sub("", part).strip() for part in quote.quote.split(TRAIL)]
        keys = _list_headings(tree, quote.key)
        found = [_find_heading(tree, keys, replace(quote, quote=part)) for part in parts if part]
        placed = [part for part in found if part is not None]
        return placed if len(placed) == len(found) and any(tree.is_section(part.key) for part in placed) else []

    def holds(self, place: Place, quote: DraftQuote) -> bool:
        """Whether the words stand in that node, as they are or after normalisation."""
        text = self._documents[place[0]].tree.node(place[1]).text
        return locate_quote(text, quote.quote, nearly=False).check is not Check.MISSING

    def list_shown(self, places: Sequence[Place]) -> list[Place]:
        """The nodes of `places`, then the leaves that were read in the same documents."""
        documents = {document for document, _ in places}
        read = (place for place in self._leaves_read() if place[0] in documents)
        return list(islice(_drop_repeats(chain(places, read)), MOST_NODES))

    def _candidates(self, quote: DraftQuote) -> Iterator[Place]:
        """Places to look into, the nearest first."""
        tree = self._documents[quote.document].tree if quote.document in self._documents else None
        if tree is not None and quote.key in tree:
            yield from ((quote.document, key) for key in _list_nearby_nodes(tree, quote.key))
        yield from self._leaves_read()

    def _leaves_read(self) -> Iterator[Place]:
        for document, key in self._read:
            tree = self._documents[document].tree if document in self._documents else None
            if tree is None or key not in tree:
                continue
            if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
                yield from ((document, leaf) for leaf in islice(_leaves_below(tree, key), AROUND))
            yield document, key


def _list_nearby_nodes(tree: Tree, key: int) -> Iterator[int]:
    """Leaves below the node, then the nodes around it on its page."""
    if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
        yield from islice(_leaves_below(tree, key), MOST_NODES // 2)
    page = tree.node(key).page_start
    for other in range(max(1, key - AROUND), min(len(tree), key + AROUND)):
        if other != key and tree.node(other).page_start == page:
            yield other


def _list_headings(tree: Tree, key: int) -> list[int]:
    """The sections above a node from the innermost, itself if it is one, and those beginning on its page."""
    own = [key] if tree.is_section(key) else []
    page = tree.node(key).page_start
    around = range(max(1, key - MOST_HEADINGS), min(len(tree), key + MOST_HEADINGS))
    beside = [other for other in around if tree.is_section(other) and tree.node(other).page_start == page]
    return list(dict.fromkeys([*own, *tree.ancestors(key), *beside]))


def _find_heading(tree: Tree, keys: Sequence[int], quote: DraftQuote) -> DraftQuote | None:
    """The part of a trail where it stands: as the beginning of a heading, as it is printed or mended, or in the node.

    A heading of which the mended form alone begins so is cited whole.
    """
    wanted = _normalise(quote.quote).text.strip()
    for key in keys if wanted else ():
        node = tree.node(key)
        if not node.text:
            continue
        if locate_quote(node.text, quote.quote, nearly=False).check is not Check.MISSING:
            return replace(quote, key=key, start=-1)
        if _normalise(node.title).text.strip().startswith(wanted):
            return replace(quote, key=key, quote=node.text, start=0)
    if locate_quote(tree.node(quote.key).text, quote.quote, nearly=False).check is not Check.MISSING:
        return quote
    return None


def locate_head(node: Node, quote: str, *, around: bool = False) -> Located:
    """The header rows of a table that say every word of a quote, whatever cells and lines they stand in.

    "December 31, | 2019 | 2018" is a header of two rows as it is read. With `around` the
    words may also stand in the table's caption and units line. MISSING when one stands in none.
    """
    rows = [row for row in node.table.rows if row.is_header] if node.table is not None else []
    if not rows or node.table is None:
        return MISSING
    texts = [node.text[row.offset : row.offset + row.length] for row in rows]
    texts += [column.header for column in node.table.columns]
    texts += [node.title, node.table.units] if around else []
    told, wanted = set(_head_words(" ".join(texts))), _head_words(quote)
    if not wanted or not told.issuperset(wanted):
        return MISSING
    return Located(Check.NORMALISED, rows[0].offset, rows[-1].offset + rows[-1].length)


def _head_words(text: str) -> list[str]:
    return [word.strip(".,;:/") for word in _words_of(text) if word.strip(".,;:/")]


def _adjoining_paragraphs(tree: Tree, key: int) -> Iterator[tuple[int, int]]:
    """The paragraph with the next one, and the one before with it, over what is short or stands in a margin."""
    if tree.kind(key) is not NodeKind.PARAGRAPH:
        return
    for step in (1, -1):
        for other in range(key + step, key + step * (MOST_BETWEEN + 2), step):
            if not 0 < other < len(tree) or not tree.is_leaf(other):
                break
            if tree.kind(other) is NodeKind.PARAGRAPH:
                yield (key, other) if step > 0 else (other, key)
            is_margin = tree.kind(other) in (NodeKind.RUNNING, NodeKind.FOOTNOTE)
            if not is_margin and len(tree.node(other).text) > LONGEST_BETWEEN:
                break


def _leaves_below(tree: Tree, key: int) -> Iterator[int]:
    """The leaves below a node one by one: a document may have hundreds of thousands, and a few are enough."""
    return (
        other
        for other in range(key, tree.subtree_end(key))
        if tree.is_leaf(other) and tree.kind(other) is not NodeKind.RUNNING
    )


def _drop_repeats(places: Iterable[Place], *known: Place) -> Iterator[Place]:
    """The places, each once, those `known` left out."""
    seen = set(known)
    for place in places:
        if place not in seen:
            seen.add(place)
            yield place
