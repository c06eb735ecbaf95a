"""The words of whole documents, in blocks of documents: what a snapshot of cards knows of their text.

A document's words are bytes of their own (a list), beside its row: how often each occurs in it, and in which of PARTS
parts of its text, so that words which stand together are told from words that stand far apart without opening it.
Lists of documents whose ids stand near each other are kept in one immutable block: a change rewrites one block and
never the whole workspace.

list:  header | word hashes u8[E] | parts u8[E] | counts u1[E]
block: ids i8[D] | lengths u4[D] | vocabulary u8[V] | starts u4[V + 1] | parts u8[E] | places u2[E] | counts u1[E]
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vectorless_web.engine.documents.container import Buffer, Container, write_container
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot_rows import Array, term_hash
from vectorless_web.engine.text.analyser import ANALYSER

BLOCK_DOCUMENTS = 1024
"""Ids that share a block. Measured at 100,000 documents (benchmarks/README.md): 2,048 rewrite a block in twice the time
for each change, 512 look a word up in twice as many places."""
MOST_WORDS = 20_000
"""Different words kept of one document, the most frequent ones: bounds a list to 340 KB. A filing of 150 pages has
about 4,200."""
PARTS = 64
"""Parts of a document by which it is told whether words stand together: bits of one number. A part is a paragraph of a
short document, and two pages of one of 150."""
MAX_COUNT = 255
"""Greatest count stored: more mentions add less than 1 % to what BM25 gives a word."""
LAYOUT = f"1:{ANALYSER}"
"""Names what a list holds; lists of another one are made again."""

_LIST_MAGIC = b"VWWL\x01\x00\x00\x00"
_LIST_HEADER = struct.Struct("<8sII")
_BLOCK_MAGIC = b"VWWORDS\x01"
_TYPES = {
    "ids": "<i8",
    "lengths": "<u4",
    "vocabulary": "<u8",
    "starts": "<u4",
    "parts": "<u8",
    "places": "<u2",
    "counts": "u1",
}
_INDEXED = ("title", "text", "table")
"""Fields of a segment that are words of the document; a path repeats the titles above."""


def block_of(doc_id: int) -> int:
    """The number of the block that holds a document."""
    return doc_id // BLOCK_DOCUMENTS


Spread = Mapping[str, tuple[int, int]]
"""By analysed word: how often it occurs in a document, and the parts it occurs in, as bits."""


def encode_words(words: Spread) -> bytes:
    """The list of a document."""
    kept = sorted(words.items(), key=lambda item: (-item[1][0], item[0]))[:MOST_WORDS]
    entries = sorted((term_hash(word), min(count, MAX_COUNT), parts) for word, (count, parts) in kept)
    hashes = np.array([hashed for hashed, _, _ in entries], "<u8")
    stored = np.array([count for _, count, _ in entries], "u1")
    parts = np.array([held for _, _, held in entries], "<u8")
    return WordList(sum(count for count, _ in words.values()), hashes, stored, parts).encode()


def spread_words(segment: Segment) -> dict[str, tuple[int, int]]:
    """The words of a document's titles, texts and tables; headings belong to every part below them."""
    return {term: (count, parts) for term, count, parts in segment.spread_terms(_INDEXED, PARTS)}


SKETCH_WORDS = 64
"""Words of a document in its sketch. The likeness told by it is off by 0.04 around 0.9; half of it by 0.05."""


def sketch_words(words: bytes) -> bytes:
    """The sketch of a document: the smallest hashes of the words that `encode_words` gave, ascending.

    A hash is as good as drawn by lot, so of two documents' words together the smallest hashes are a random sample,
    and the share of it that both have estimates the Jaccard index (bottom-k sketch; Broder, "On the resemblance and
    containment of documents", 1997).
    """
    return WordList.decode(words).hashes[:SKETCH_WORDS].tobytes()


def compare_sketches(first: bytes, second: bytes) -> float:
    """The estimated Jaccard index of two documents' words, from 0 to 1; 0 where one has none."""
    one, other = np.frombuffer(first, "<u8"), np.frombuffer(second, "<u8")
    if not len(one) or not len(other):
        return 0.0
    sample = np.union1d(one, other)[:SKETCH_WORDS]
    return float(np.isin(sample, np.intersect1d(one, other)).sum() / len(sample))


@dataclass(frozen=True, slots=True)
class WordList:
    """A decoded list: hashes (ascending) with counts and parts, and the number of words in the document."""

    length: int
    hashes: Array
    counts: Array
    parts: Array

    @classmethod
    def decode(cls, data: bytes | memoryview) -> "WordList":
        """Read a list; ValueError when the bytes are none."""
        if len(data) < _LIST_HEADER.size or bytes(data[: len(_LIST_MAGIC)]) != _LIST_MAGIC:
            raise ValueError("These bytes are not the words of a document.")
        _, length, size = _LIST_HEADER.unpack_from(data)
        start = _LIST_HEADER.size
        hashes, parts = (np.frombuffer(data, "<u8", size, start + number * 8 * size) for number in (0, 1))
        return cls(length, hashes, np.frombuffer(data, "u1", size, start + 16 * size), parts)

    def encode(self) -> bytes:
        """The bytes of the list."""
        header = _LIST_HEADER.pack(_LIST_MAGIC, self.length, len(self.hashes))
        arrays = (self.hashes.astype("<u8"), self.parts.astype("<u8"), self.counts.astype("u1"))
        return header + b"".join(array.tobytes() for array in arrays)

    def find(self, hashed: int) -> tuple[int, int]:
        """How often a word occurs in the document, and in which parts, as bits."""
        place = int(np.searchsorted(self.hashes, np.uint64(hashed)))
        if place >= len(self.hashes) or int(self.hashes[place]) != hashed:
            return 0, 0
        return int(self.counts[place]), int(self.parts[place])


class WordBlock:
    """The mapped words of up to BLOCK_DOCUMENTS documents; `ids` ascend."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.ids, self.lengths = arrays["ids"], arrays["lengths"]
        self.vocabulary, self._starts = arrays["vocabulary"], arrays["starts"]
        self.places, self.counts, self.parts = arrays["places"], arrays["counts"], arrays["parts"]

    @classmethod
    def open(cls, buffer: Buffer) -> "WordBlock":
        """Map a block's bytes. ValueError for other bytes, or when another analyser made them."""
        file = Container.open(memoryview(buffer), magic=_BLOCK_MAGIC, damage=_make_damage_error)
        if file.facts["layout"] != LAYOUT:
            raise _make_damage_error("another version of this program cut its words")
        return cls({name: np.frombuffer(file.read_unchecked(name), dtype) for name, dtype in _TYPES.items()})

    @classmethod
    def empty(cls) -> "WordBlock":
        """A block without documents."""
        return cls({name: np.zeros(int(name == "starts"), dtype) for name, dtype in _TYPES.items()})

    def spans(self, hashes: Array) -> tuple[Array, Array]:
        """Where the entries of each word begin and end."""
        places = np.searchsorted(self.vocabulary, hashes)
        inside = np.minimum(places, max(len(self.vocabulary) - 1, 0))
        known = (places < len(self.vocabulary)) if len(self.vocabulary) else np.zeros(len(hashes), np.bool_)
        known[known] = self.vocabulary[inside[known]] == hashes[known]
        starts, ends = np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
        starts[known], ends[known] = self._starts[inside[known]], self._starts[inside[known] + 1]
        return starts, ends

    def with_lists(self, lists: Mapping[int, bytes | None]) -> bytes:
        """The bytes of the block after these documents' lists took the place of those it has; None removes one."""
        decoded = {doc_id: WordList.decode(data) for doc_id, data in lists.items() if data is not None}
        kept = ~np.isin(self.ids, np.fromiter(lists, np.int64, len(lists)))
        fresh = sorted(decoded)
        ids = np.concatenate([self.ids[kept], np.array(fresh, np.int64)])
        lengths = np.concatenate([self.lengths[kept], np.array([decoded[pk].length for pk in fresh], np.uint32)])
        order = np.argsort(ids, kind="stable")
        number = np.empty(len(ids), np.int64)
        number[order] = np.arange(len(ids))
        renumbered = np.zeros(len(self.ids), np.int64)
        renumbered[kept] = number[: int(kept.sum())]
        alive = kept[self.places]
        old = np.repeat(self.vocabulary, self._starts[1:].astype(np.int64) - self._starts[:-1])[alive]
        behind = number[int(kept.sum()) :]
        sizes = [len(decoded[pk].hashes) for pk in fresh]
        hashes = np.concatenate([old, *(decoded[pk].hashes for pk in fresh)]).astype(np.uint64, copy=False)
        places = np.concatenate([renumbered[self.places[alive]], np.repeat(behind, sizes)])
        counts = np.concatenate([self.counts[alive], *(decoded[pk].counts for pk in fresh)])
        parts = np.concatenate([self.parts[alive], *(decoded[pk].parts for pk in fresh)])
        by_word = np.lexsort((places, hashes))
        hashes = hashes[by_word]
        first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.empty(0, np.intp)
        arrays = {
            "ids": ids[order],
            "lengths": lengths[order],
            "vocabulary": hashes[first],
            "starts": np.append(first, len(hashes)),
            "parts": parts[by_word],
            "places": places[by_word],
            "counts": counts[by_word],
        }
        blocks = {name: np.ascontiguousarray(arrays[name], dtype=dtype).tobytes() for name, dtype in _TYPES.items()}
        return write_container(_BLOCK_MAGIC, {"layout": LAYOUT}, blocks, align=64)


def _make_damage_error(reason: str) -> ValueError:
    return ValueError(f"A block of words cannot be read: {reason}.")


_REMEMBERED = 1024
"""Words whose places in all blocks are kept, the last ones asked for. Bounds memory; 64 questions have fewer."""


class WordIndex:
    """The words of all documents of a workspace: mapped blocks, and lists that are newer than they are.

    Safe to share between threads.
    """

    def __init__(self, blocks: Iterable[WordBlock] = (), lists: Mapping[int, WordList] | None = None) -> None:
        self.blocks = tuple(sorted((block for block in blocks if len(block.ids)), key=lambda block: int(block.ids[0])))
        self.lists = dict(lists or {})
        self.mapped = np.concatenate([np.empty(0, np.int64), *(block.ids for block in self.blocks)])
        self.mapped_lengths = np.concatenate([np.empty(0, np.uint32), *(block.lengths for block in self.blocks)])
        self._spans: dict[int, tuple[Array, Array]] = {}

    def with_lists(self, lists: Mapping[int, bytes]) -> "WordIndex":
        """The index after these documents' lists took the place of older ones."""
        fresh = {doc_id: WordList.decode(data) for doc_id, data in lists.items()}
        return WordIndex(self.blocks, {**self.lists, **fresh})

    def locate(self, wanted: Sequence[int]) -> list[tuple[Array, Array]]:
        """For each word where its entries begin and end in each block."""
        missing = [hashed for hashed in dict.fromkeys(wanted) if hashed not in self._spans]
        if missing:
            hashes = np.array(missing, np.uint64)
            found = [block.spans(hashes) for block in self.blocks]
            starts = np.array([span[0] for span in found]).reshape(len(self.blocks), len(missing))
            ends = np.array([span[1] for span in found]).reshape(len(self.blocks), len(missing))
            if len(self._spans) > _REMEMBERED:
                self._spans = {}
            spans = self._spans
            spans.update({hashed: (starts[:, at], ends[:, at]) for at, hashed in enumerate(missing)})
        else:
            spans = self._spans
        return [spans[hashed] if hashed in spans else self.locate([hashed])[0] for hashed in wanted]


@dataclass(frozen=True, slots=True)
class TextPostings:
    """Where a word occurs: rows (ascending), how often in each, and in which parts of each; of one length."""

    rows: Array
    counts: Array
    parts: Array

    def take(self, chosen: Array) -> "TextPostings":
        """The chosen entries, by a mask or by places."""
        return TextPostings(self.rows[chosen], self.counts[chosen], self.parts[chosen])


FindRows = Callable[[Array], Array]
"""The rows of document ids in a snapshot, -1 for those that are not there."""


_NOWHERE = TextPostings(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.uint64))


class PlacedWords:
    """A word index laid over the rows of one snapshot."""

    def __init__(self, index: WordIndex, find_rows: FindRows) -> None:
        self._index = index
        newer = np.fromiter(sorted(index.lists), np.int64, len(index.lists))
        rows = find_rows(index.mapped)
        if len(newer):
            rows = np.where(np.isin(index.mapped, newer), -1, rows)
        ends = np.cumsum([0, *(len(block.ids) for block in index.blocks)])
        self._rows = [rows[start:end] for start, end in pairwise(ends.tolist())]
        self._is_whole = [bool((part >= 0).all() and (np.diff(part) > 0).all()) for part in self._rows]
        placed = zip(find_rows(newer).tolist(), newer.tolist(), strict=True)
        self._fresh = [(row, index.lists[doc_id]) for row, doc_id in sorted(placed) if row >= 0]
        self._mapped_rows = rows

    def lengths(self, size: int) -> Array:
        """Words of each of `size` rows; 0 for a row whose text is not known."""
        lengths = np.zeros(size)
        here = self._mapped_rows >= 0
        lengths[self._mapped_rows[here]] = self._index.mapped_lengths[here]
        for row, words in self._fresh:
            lengths[row] = words.length
        return lengths

    def prepare(self, wanted: Sequence[int]) -> None:
        """Look up many words at once, which is quicker than one by one."""
        self._index.locate(wanted)

    def entries(self, wanted: int) -> int:
        """In how many documents the word occurs at most, found without reading its entries."""
        starts, ends = self._index.locate([wanted])[0]
        return int((ends - starts).sum()) + len(self._fresh)

    def frequency(self, wanted: int) -> int:
        """In how many documents of the snapshot the word occurs."""
        found = sum(words.find(wanted)[0] > 0 for _, words in self._fresh)
        starts, ends = self._index.locate([wanted])[0]
        for number in np.flatnonzero(ends > starts).tolist():
            start, end = int(starts[number]), int(ends[number])
            if self._is_whole[number]:
                found += end - start
            else:
                places = self._index.blocks[number].places[start:end]
                found += int((self._rows[number][places] >= 0).sum())
        return found

    def postings(self, wanted: int) -> TextPostings:
        """Where the word is."""
        starts, ends = self._index.locate([wanted])[0]
        if not self._fresh and not (ends > starts).any():
            return _NOWHERE
        found = [_NOWHERE]
        in_order = True
        for number in np.flatnonzero(ends > starts).tolist():
            block, span = self._index.blocks[number], slice(int(starts[number]), int(ends[number]))
            here = TextPostings(self._rows[number][block.places[span]], block.counts[span], block.parts[span])
            if not self._is_whole[number]:
                here, in_order = here.take(here.rows >= 0), False
            found.append(here)
        fresh = [(row, *words.find(wanted)) for row, words in self._fresh]
        held = [entry for entry in fresh if entry[1]]
        if held:
            in_order = False
            columns = zip((np.int64, np.uint8, np.uint64), zip(*held, strict=True), strict=True)
            found.append(TextPostings(*(np.array(values, dtype) for dtype, values in columns)))
        joined = TextPostings(
            np.concatenate([each.rows for each in found]),
            np.concatenate([each.counts for each in found]),
            np.concatenate([each.parts for each in found]),
        )
        return joined if in_order else joined.take(np.argsort(joined.rows, kind="stable"))
