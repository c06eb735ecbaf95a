"""One document as a row of the card snapshot: bytes that are stored beside it and read without parsing.

header | entry hashes u8[E] | edge targets i8[G] | edge weights f4[G] | field lengths u4[F] | series u8[3]
| edition i8 | entry cells u1[E] | title
"""

import hashlib
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

FIELDS = ("title", "tags", "hints", "overview", "sections", "body")
"""Parts of a card that are searched; an entry's cell holds their number in its low three bits."""
FIELD_BITS = 3
"""Low bits of an entry's cell that name its field: six fields and KEY_FIELD make seven values."""
FIELD_MASK = (1 << FIELD_BITS) - 1
"""Bits of a cell that are the field."""
KEY_FIELD = FIELD_MASK
"""The number that marks an entry as a key: a name, a year, a keyword, not a word of the text."""
MAX_COUNT = 0xFF >> FIELD_BITS
"""Greatest count or strength of an entry, 31: what the other five bits of a cell hold. Higher counts are stored as
this; in a field of weight 1 and mean length BM25 gives 31 mentions 96 % of the most it can give."""

MAGIC = b"VWCR\x02\x00\x00\x00"
SERIES = 3
"""Keys by which a document is told to be one of a series: its title, its file name, its subject and kind."""
HEADER = struct.Struct("<8sqQIII4x")

Array = npt.NDArray[Any]


class Change(StrEnum):
    """What a delta row does to the document it names."""

    UPSERT = "upsert"
    REMOVE = "remove"
    EDGES = "edges"


@dataclass(frozen=True, slots=True)
class DeltaRow:
    """A change to a snapshot, to be stored in the transaction that changes the document.

    `data` is a row's bytes for UPSERT, the bytes of a row without entries for EDGES
    (its edges replace the document's), and empty for REMOVE.
    """

    doc_id: int
    change: Change
    data: bytes = b""


@lru_cache(maxsize=1 << 18)
def term_hash(term: str) -> int:
    """64-bit BLAKE2b of a word of the text, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def key_hash(kind: str, value: str) -> int:
    """64-bit hash of a key; `kind` keeps names, years and keywords apart from each other and from words."""
    return term_hash(f"\x00{kind}\x00{value}")


Edges = Sequence[tuple[int, float]]
"""(document id, weight in (0, 1]) pairs."""


@dataclass(frozen=True, slots=True)
class CardPlace:
    """Where a document is among others: hashes of the key that names what it is about (0 for none) and of the
    series that it may be one of, at most SERIES, and a number that grows from edition to edition."""

    subject: int = 0
    series: tuple[int, ...] = ()
    edition: int = 0


NOWHERE = CardPlace()


def encode_row(
    doc_id: int,
    terms: Mapping[str, Sequence[str]],
    *,
    keys: Mapping[tuple[str, str], int],
    edges: Edges = (),
    title: str = "",
    place: CardPlace = NOWHERE,
) -> bytes:
    """The bytes of a row. `terms` are analysed words by field; `keys` maps (kind, value) to a strength of 1 to 31.

    ValueError for a field that is not one of FIELDS. The same arguments give the same bytes.
    """
    unknown = set(terms) - set(FIELDS)
    if unknown:
        raise ValueError(f"Unknown fields: {sorted(unknown)}.")
    entries = sorted({**_term_entries(terms), **_key_entries(keys)}.items())
    hashes = np.array([entry for (entry, _), _ in entries], dtype="<u8")
    cells = np.array([_cell(count, number) for (_, number), count in entries], dtype="u1")
    lengths = np.array([len(terms.get(name, ())) for name in FIELDS], dtype="<u4")
    series = np.array([*place.series, *[0] * SERIES][:SERIES], "<u8")
    edition = np.array([place.edition], "<i8")
    return _pack((doc_id, place.subject), (hashes, cells, lengths, series, edition), edges, title)


def _pack(identity: tuple[int, int], entries: tuple[Array, ...], edges: Edges, title: str) -> bytes:
    strongest: dict[int, float] = {}
    for other, weight in edges:
        strongest[other] = max(weight, strongest.get(other, 0.0))
    targets = np.array(sorted(strongest), dtype="<i8")
    weights = np.array([strongest[other] for other in sorted(strongest)], dtype="<f4")
    text = title.encode("utf-8", "replace")
    hashes, cells, lengths, series, edition = entries
    head = HEADER.pack(MAGIC, *identity, len(hashes), len(targets), len(text))
    arrays = (hashes, targets, weights, lengths, series, edition, cells)
    return head + b"".join(array.tobytes() for array in arrays) + text


def encode_edges(doc_id: int, edges: Edges) -> bytes:
    """The bytes of a row that holds edges alone."""
    nothing = (
        *(np.empty(0, "<u8"), np.empty(0, "u1"), np.zeros(len(FIELDS), "<u4")),
        *(np.zeros(SERIES, "<u8"), np.zeros(1, "<i8")),
    )
    return _pack((doc_id, 0), nothing, edges, "")


def _term_entries(terms: Mapping[str, Sequence[str]]) -> dict[tuple[int, int], int]:
    return {
        (term_hash(term), FIELDS.index(name)): count
        for name, found in terms.items()
        for term, count in Counter(found).items()
    }


def _key_entries(keys: Mapping[tuple[str, str], int]) -> dict[tuple[int, int], int]:
    return {(key_hash(*key), KEY_FIELD): strength for key, strength in keys.items() if strength > 0}


def _cell(count: int, number: int) -> int:
    return min(count, MAX_COUNT) << FIELD_BITS | number


@dataclass(frozen=True, slots=True)
class DecodedRow:
    """A decoded row: views into its bytes. Entries ascend by hash, then by field; edges by document id."""

    doc_id: int
    subject: int
    hashes: Array
    cells: Array
    lengths: Array
    targets: Array
    weights: Array
    title: str
    series: Array
    edition: int

    @classmethod
    def decode(cls, data: bytes | memoryview) -> "DecodedRow":
        """Read a row; ValueError when the bytes are none."""
        if len(data) < HEADER.size or bytes(data[: len(MAGIC)]) != MAGIC:
            raise ValueError("These bytes are not a row of a card snapshot.")
        _, doc_id, subject, entries, edges, characters = HEADER.unpack_from(data)
        hashes, position = _take(data, "<u8", entries, HEADER.size)
        targets, position = _take(data, "<i8", edges, position)
        weights, position = _take(data, "<f4", edges, position)
        lengths, position = _take(data, "<u4", len(FIELDS), position)
        series, position = _take(data, "<u8", SERIES, position)
        edition, position = _take(data, "<i8", 1, position)
        cells, position = _take(data, "u1", entries, position)
        title = bytes(data[position : position + characters]).decode()
        return cls(doc_id, subject, hashes, cells, lengths, targets, weights, title, series, int(edition[0]))


def _take(data: bytes | memoryview, dtype: str, count: int, position: int) -> tuple[Array, int]:
    array = np.frombuffer(data, dtype=dtype, count=count, offset=position)
    return array, position + array.nbytes
