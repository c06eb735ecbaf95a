"""All cards of a workspace as one immutable, mapped index, its byte layout, and the changes since.

Row numbers follow ascending document ids. Entries ascend by hash, then row, then field.
Edges stand twice: by the document that owns them and by the one they lead to.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.ma  # np.unique imports it when first used: 40 ms that no forked worker should pay

from vectorless_web.engine.documents.container import Buffer, Container, write_container
from vectorless_web.engine.index.snapshot_rows import (
    FIELD_BITS,
    FIELDS,
    KEY_FIELD,
    SERIES,
    Array,
    Change,
    DecodedRow,
    DeltaRow,
)
from vectorless_web.engine.index.word_blocks import PlacedWords, TextPostings, WordIndex
from vectorless_web.engine.text.analyser import ANALYSER

BODY = FIELDS.index("body")
"""The field that a document's text is in."""
MAGIC = b"VWCARDS\x04"
ALIGNMENT = 64
"""Bytes to which every array is aligned: a cache line, and more than any number needs."""
TYPES = {
    "doc_ids": "<i8",
    "subjects": "<u8",
    "series": "<u8",
    "editions": "<i8",
    "lengths": "<u4",
    "totals": "<u8",
    "filled": "<u8",
    "vocabulary": "<u8",
    "starts": "<u8",
    "frequencies": "<u4",
    "rows": "<u4",
    "cells": "u1",
    "owners": "<i8",
    "targets": "<i8",
    "weights": "<f4",
    "in_targets": "<i8",
    "in_owners": "<i8",
    "in_weights": "<f4",
    "title_ends": "<u4",
    "titles": "u1",
}
Arrays = Mapping[str, Array]


def pack_arrays(arrays: Arrays, analyser: str) -> bytes:
    """The bytes of a snapshot; equal arrays give equal bytes."""
    blocks = {name: np.ascontiguousarray(arrays[name], dtype=dtype).tobytes() for name, dtype in TYPES.items()}
    return write_container(MAGIC, {"analyser": analyser}, blocks, align=ALIGNMENT)


def unpack_arrays(buffer: Buffer) -> tuple[dict[str, Array], str]:
    """Views of the arrays, by name, and the analyser's version. ValueError for other bytes.

    Checksums of arrays are not compared: the process of each run maps the snapshot anew and reads little of it.
    """
    file = Container.open(memoryview(buffer), magic=MAGIC, damage=_make_damage_error)
    arrays = {name: np.frombuffer(file.read_unchecked(name), dtype) for name, dtype in TYPES.items()}
    return arrays, file.facts["analyser"]


def _make_damage_error(reason: str) -> ValueError:
    return ValueError(f"The card snapshot cannot be read: {reason}.")


@dataclass(frozen=True, slots=True)
class EntryTable:
    """All entries of a set of documents as parallel arrays, before they are sorted; `titles` by row."""

    doc_ids: Array
    subjects: Array
    series: Array
    editions: Array
    lengths: Array
    hashes: Array
    rows: Array
    cells: Array
    owners: Array
    targets: Array
    weights: Array
    titles: tuple[bytes, ...]


def table_of(decoded: Iterable[DecodedRow]) -> EntryTable:
    """The rows, in the order given, as one table."""
    rows = list(decoded)
    sizes = [len(row.hashes) for row in rows]
    return EntryTable(
        doc_ids=np.array([row.doc_id for row in rows], np.int64),
        subjects=np.array([row.subject for row in rows], np.uint64),
        series=np.array([row.series for row in rows], np.uint64).reshape(len(rows), SERIES),
        editions=np.array([row.edition for row in rows], np.int64),
        lengths=np.array([row.lengths for row in rows], np.uint32).reshape(len(rows), len(FIELDS)),
        hashes=_join_arrays([row.hashes for row in rows], np.uint64),
        rows=np.repeat(np.arange(len(rows), dtype=np.uint32), sizes),
        cells=_join_arrays([row.cells for row in rows], np.uint8),
        owners=np.repeat(np.array([row.doc_id for row in rows], np.int64), [len(row.targets) for row in rows]),
        targets=_join_arrays([row.targets for row in rows], np.int64),
        weights=_join_arrays([row.weights for row in rows], np.float32),
        titles=tuple(row.title.encode() for row in rows),
    )


def _join_arrays(arrays: list[Array], dtype: type[np.generic]) -> Array:
    return np.concatenate([np.empty(0, dtype), *arrays]).astype(dtype, copy=False)


def sorted_arrays(table: EntryTable) -> dict[str, Array]:
    """The arrays of a snapshot from a table whose rows stand in ascending order of document id."""
    order = np.lexsort((table.cells & 7, table.rows, table.hashes))
    hashes, rows, cells = table.hashes[order], table.rows[order], table.cells[order]
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.empty(0, np.intp)
    by_owner = np.lexsort((table.targets, table.owners))
    by_target = np.lexsort((table.owners, table.targets))
    return {
        "doc_ids": table.doc_ids,
        "subjects": table.subjects,
        "series": table.series.reshape(-1),
        "editions": table.editions,
        "lengths": table.lengths.reshape(-1),
        "totals": table.lengths.sum(axis=0, dtype=np.uint64),
        "filled": (table.lengths > 0).sum(axis=0),
        "vocabulary": hashes[first],
        "starts": np.append(first, len(hashes)),
        "frequencies": _distinct_rows(hashes, rows, first),
        "rows": rows,
        "cells": cells,
        "owners": table.owners[by_owner],
        "targets": table.targets[by_owner],
        "weights": table.weights[by_owner],
        "in_targets": table.targets[by_target],
        "in_owners": table.owners[by_target],
        "in_weights": table.weights[by_target],
        "title_ends": np.cumsum([len(title) for title in table.titles], dtype=np.uint32),
        "titles": np.frombuffer(b"".join(table.titles), np.uint8),
    }


def _distinct_rows(hashes: Array, rows: Array, first: Array) -> Array:
    if not len(hashes):
        return np.empty(0, np.int64)
    fresh = np.append(True, (rows[1:] != rows[:-1]) | (hashes[1:] != hashes[:-1]))
    counts: Array = np.add.reduceat(fresh.astype(np.int64), first)
    return counts


@dataclass(frozen=True, slots=True)
class FreshEdges:
    """Edges of changed documents as three parallel arrays."""

    owners: Array
    targets: Array
    weights: Array

    @classmethod
    def of(cls, rows: Sequence[DecodedRow]) -> "FreshEdges":
        """The edges of these rows."""
        ids = np.array([row.doc_id for row in rows], np.int64)
        return cls(
            np.repeat(ids, [len(row.targets) for row in rows]),
            np.concatenate([np.empty(0, np.int64), *(row.targets for row in rows)]),
            np.concatenate([np.empty(0, np.float32), *(row.weights for row in rows)]),
        )


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """Mapped edges (arrays of the snapshot) whose owner is not `replaced`, and fresh ones."""

    arrays: Mapping[str, Array]
    fresh: FreshEdges
    replaced: frozenset[int]

    def __len__(self) -> int:
        return len(self.arrays["owners"]) + len(self.fresh.owners)

    def around(self, doc_id: int) -> dict[int, float]:
        """Documents at the other end of an edge of this one, with the greatest weight."""
        found: dict[int, float] = {}
        for other, weight in [*self._list_owned(doc_id), *self._list_incoming(doc_id)]:
            found[other] = max(weight, found.get(other, 0.0))
        return found

    def _list_owned(self, doc_id: int) -> list[tuple[int, float]]:
        own = self.fresh.owners == doc_id
        edges = _pairs(self.fresh.targets[own], self.fresh.weights[own])
        if doc_id in self.replaced:
            return edges
        low, high = np.searchsorted(self.arrays["owners"], [doc_id, doc_id + 1])
        return edges + _pairs(self.arrays["targets"][low:high], self.arrays["weights"][low:high])

    def _list_incoming(self, doc_id: int) -> list[tuple[int, float]]:
        aimed = self.fresh.targets == doc_id
        low, high = np.searchsorted(self.arrays["in_targets"], [doc_id, doc_id + 1])
        mapped = _pairs(self.arrays["in_owners"][low:high], self.arrays["in_weights"][low:high])
        kept = [(other, weight) for other, weight in mapped if other not in self.replaced]
        return kept + _pairs(self.fresh.owners[aimed], self.fresh.weights[aimed])

    def all(self, exists: Callable[[int], bool]) -> tuple[Array, Array, Array]:
        """Owners, targets and weights of every edge whose owner exists."""
        replaced = np.fromiter(sorted(self.replaced), np.int64, len(self.replaced))
        kept = ~np.isin(self.arrays["owners"], replaced)
        fresh = np.array([exists(owner) for owner in self.fresh.owners.tolist()], np.bool_)
        return (
            np.concatenate([self.arrays["owners"][kept], self.fresh.owners[fresh]]),
            np.concatenate([self.arrays["targets"][kept], self.fresh.targets[fresh]]),
            np.concatenate([self.arrays["weights"][kept], self.fresh.weights[fresh]]),
        )


def _pairs(ids: Array, weights: Array) -> list[tuple[int, float]]:
    return list(zip(ids.tolist(), weights.tolist(), strict=True))


Rows = Array
"""Row numbers, int64."""


@dataclass(frozen=True, slots=True)
class CardPostings:
    """Where a word or key is: rows (ascending), fields and counts or strengths, three arrays of one length."""

    rows: Rows
    fields: Array
    counts: Array


def build_snapshot(rows: Iterable[bytes]) -> bytes:
    """The bytes of a snapshot of encoded rows, in any order; of a document given twice the last row counts."""
    latest = {row.doc_id: row for row in map(DecodedRow.decode, rows)}
    return pack_arrays(sorted_arrays(table_of(latest[doc_id] for doc_id in sorted(latest))), ANALYSER)


class Snapshot:
    """Cards of one workspace at one moment; `version` names that moment. Safe to share between threads."""

    def __init__(
        self,
        arrays: dict[str, Array],
        *,
        version: str,
        changed: dict[int, DecodedRow | None] | None = None,
        edges: dict[int, DecodedRow] | None = None,
        words: WordIndex | None = None,
    ) -> None:
        self._arrays = arrays
        self.words = words or WordIndex()
        self._changed = changed or {}
        self._edges = edges or {}
        self.version = version

    @classmethod
    def open(cls, buffer: Buffer, *, version: str = "") -> "Snapshot":
        """Map a snapshot's bytes. ValueError for other bytes, or when another analyser made them."""
        arrays, analyser = unpack_arrays(buffer)
        if analyser != ANALYSER:
            raise ValueError(f"This card snapshot was made by the analyser {analyser}, not {ANALYSER}.")
        return cls(arrays, version=version)

    @classmethod
    def empty(cls, *, version: str = "") -> "Snapshot":
        """A snapshot without documents."""
        return cls.open(build_snapshot([]), version=version)

    def with_changes(self, changes: Iterable[DeltaRow], *, version: str = "") -> "Snapshot":
        """The snapshot after these changes, in their order. The receiver stays as it is."""
        changed, edges = dict(self._changed), dict(self._edges)
        for change in changes:
            if change.change is Change.EDGES:
                edges[change.doc_id] = DecodedRow.decode(change.data)
                continue
            edges.pop(change.doc_id, None)
            changed[change.doc_id] = DecodedRow.decode(change.data) if change.change is Change.UPSERT else None
        return Snapshot(self._arrays, version=version or self.version, changed=changed, edges=edges, words=self.words)

    def with_words(self, words: WordIndex) -> "Snapshot":
        """The snapshot with the words of its documents; words of documents without a card are left out."""
        return Snapshot(self._arrays, version=self.version, changed=self._changed, edges=self._edges, words=words)

    def compact_rows(self) -> bytes:
        """The bytes of a snapshot with all changes merged in, as `build_snapshot` gives them for all documents."""
        return pack_arrays(sorted_arrays(self._whole_table()), ANALYSER)

    @property
    def changes(self) -> int:
        """How many documents differ from the mapped arrays; worth compacting when this grows."""
        return len(self._changed.keys() | self._edges.keys())

    def __len__(self) -> int:
        return self._base_size - len(self._dead_rows) + len(self._delta.doc_ids)

    @property
    def _base_size(self) -> int:
        return len(self._arrays["doc_ids"])

    @cached_property
    def _delta(self) -> EntryTable:
        kept = [row for _, row in sorted(self._changed.items()) if row is not None]
        return table_of(kept)

    @cached_property
    def _dead_rows(self) -> Rows:
        """Mapped rows whose document was changed or removed, ascending."""
        return _find(self._arrays["doc_ids"], np.fromiter(sorted(self._changed), np.int64, len(self._changed)))

    @cached_property
    def _is_dead(self) -> Array | None:
        if not len(self._dead_rows):
            return None
        dead = np.zeros(self._base_size + len(self._delta.doc_ids), np.bool_)
        dead[self._dead_rows] = True
        return dead

    def row_ids(self, rows: Rows) -> Array:
        """Document ids of rows."""
        ids = np.empty(len(rows), np.int64)
        inside = rows < self._base_size
        ids[inside] = self._arrays["doc_ids"][rows[inside]]
        ids[~inside] = self._delta.doc_ids[rows[~inside] - self._base_size]
        return ids

    def subjects(self, rows: Rows) -> list[int]:
        """Hashes of the keys that name what the documents are about, 0 for none."""
        mapped, fresh, size = self._arrays["subjects"], self._delta.subjects, self._base_size
        return [int(mapped[row]) if row < size else int(fresh[row - size]) for row in rows.tolist()]

    def series(self, rows: Rows) -> Array:
        """Hashes of the series each row belongs to, 0 for none; shape (rows, SERIES)."""
        return self._pick(rows, self._arrays["series"].reshape(-1, SERIES), self._delta.series)

    def editions(self, rows: Rows) -> Array:
        """A number for each row that grows from edition to edition of a series; 0 when nothing is known of it."""
        return self._pick(rows, self._arrays["editions"], self._delta.editions)

    def _pick(self, rows: Rows, mapped: Array, fresh: Array) -> Array:
        inside = rows < self._base_size
        found = np.zeros((len(rows), *mapped.shape[1:]), mapped.dtype)
        found[inside] = mapped[rows[inside]]
        found[~inside] = fresh[rows[~inside] - self._base_size]
        return found

    def rows_of(self, doc_ids: Sequence[int] | Array) -> Rows:
        """Rows of the documents that are there, ascending."""
        wanted = np.unique(np.asarray(doc_ids, np.int64))
        base = _find(self._arrays["doc_ids"], wanted)
        if self._is_dead is not None:
            base = base[~self._is_dead[base]]
        return np.concatenate([base, _find(self._delta.doc_ids, wanted) + self._base_size])

    def all_rows(self) -> Rows:
        """Rows of all documents, ascending."""
        rows = np.arange(self._base_size + len(self._delta.doc_ids))
        return rows if self._is_dead is None else rows[~self._is_dead]

    @cached_property
    def _placed(self) -> PlacedWords | None:
        """The words of the documents laid over the rows; None where there are none."""
        if not self.words.blocks and not self.words.lists:
            return None
        return PlacedWords(self.words, self._rows_or_none)

    def _rows_or_none(self, doc_ids: Array) -> Rows:
        rows = np.full(len(doc_ids), -1, np.int64)
        for start, ids in ((0, self._arrays["doc_ids"]), (self._base_size, self._delta.doc_ids)):
            places = np.minimum(np.searchsorted(ids, doc_ids), max(len(ids) - 1, 0))
            if len(ids):
                held = ids[places] == doc_ids
                rows[held] = places[held] + start
        if self._is_dead is not None:
            rows[(rows >= 0) & self._is_dead[rows]] = -1
        return rows

    @cached_property
    def _text_lengths(self) -> Array | None:
        return self._placed.lengths(self._base_size + len(self._delta.doc_ids)) if self._placed else None

    def prepare(self, wanted: Sequence[int]) -> None:
        """Look up the words of a question at once, which is quicker than one by one."""
        if self._placed:
            self._placed.prepare(wanted)

    def titles(self, rows: Rows) -> list[str]:
        """Titles of rows."""
        return [self._title(int(row)) for row in rows]

    def _title(self, row: int) -> str:
        if row >= self._base_size:
            return self._delta.titles[row - self._base_size].decode()
        ends = self._arrays["title_ends"]
        start = int(ends[row - 1]) if row else 0
        return bytes(self._arrays["titles"][start : int(ends[row])]).decode()

    def postings(self, wanted: int) -> CardPostings:
        """Where the word of that hash is, on cards and in texts."""
        return self._add_text(self.key_postings(wanted), wanted)

    def key_postings(self, wanted: int) -> CardPostings:
        """Where the key of that hash is; no text holds keys, so blocks of words are not looked into."""
        start, end = self._span(wanted)
        rows = self._arrays["rows"][start:end].astype(np.int64)
        cells = self._arrays["cells"][start:end].astype(np.uint8)
        if self._is_dead is not None and len(rows):
            alive = ~self._is_dead[rows]
            rows, cells = rows[alive], cells[alive]
        if len(self._delta.hashes):
            here = np.flatnonzero(self._delta.hashes == np.uint64(wanted))
            rows = np.concatenate([rows, self._delta.rows[here].astype(np.int64) + self._base_size])
            cells = np.concatenate([cells, self._delta.cells[here]])
        return CardPostings(rows, cells & KEY_FIELD, cells >> FIELD_BITS)

    def _add_text(self, card: CardPostings, wanted: int) -> CardPostings:
        """The postings with those of the documents' texts in place of those of their cards."""
        if self._placed is None or self._text_lengths is None:
            return card
        text = self._placed.postings(wanted)
        rows, counts = text.rows, text.counts
        if not len(rows):
            return card
        kept = (card.fields != BODY) | (self._text_lengths[card.rows] == 0)
        held, fields, times = card.rows[kept], card.fields[kept], card.counts[kept]
        # No field of a text stands behind the body, so that entries of the same row come before it.
        places = np.searchsorted(rows, held)
        return CardPostings(
            np.insert(rows, places, held),
            np.insert(np.full(len(rows), BODY, np.uint8), places, fields),
            np.insert(counts, places, times),
        )

    def knows(self, wanted: Sequence[int]) -> Array:
        """For each hash whether a document may hold it; never False for one that a document holds."""
        hashes = np.array(wanted, np.uint64)
        places = np.searchsorted(self._arrays["vocabulary"], hashes)
        inside = np.flatnonzero(places < len(self._arrays["vocabulary"]))
        known = np.isin(hashes, self._delta.hashes)
        known[inside] |= self._arrays["vocabulary"][places[inside]] == hashes[inside]
        return known

    def text_postings(self, wanted: int) -> TextPostings | None:
        """Where the word is in the texts of documents; None where no text is known."""
        return self._placed.postings(wanted) if self._placed else None

    def entries(self, wanted: int) -> int:
        """An upper bound on the length of `postings`, found without reading them."""
        start, end = self._span(wanted)
        texts = self._placed.entries(wanted) if self._placed else 0
        return end - start + len(self._delta.doc_ids) + texts

    def frequency(self, wanted: int) -> int:
        """In how many documents the word or key occurs; of cards and texts the one that has more counts."""
        on_cards = self.key_frequency(wanted)
        return max(on_cards, self._placed.frequency(wanted)) if self._placed else on_cards

    def key_frequency(self, wanted: int) -> int:
        """On how many cards the word or key occurs."""
        place = self._place(wanted)
        count = int(self._arrays["frequencies"][place]) if place >= 0 else 0
        if place >= 0 and len(self._dead_rows):
            start, end = self._span(wanted)
            held = self._arrays["rows"][start:end]
            count -= len(_find(held, self._dead_rows.astype(held.dtype)))
        if len(self._delta.hashes):
            count += len(np.unique(self._delta.rows[self._delta.hashes == np.uint64(wanted)]))
        return count

    def _place(self, wanted: int) -> int:
        vocabulary = self._arrays["vocabulary"]
        place = int(np.searchsorted(vocabulary, np.uint64(wanted)))
        return place if place < len(vocabulary) and int(vocabulary[place]) == wanted else -1

    def _span(self, wanted: int) -> tuple[int, int]:
        place = self._place(wanted)
        starts = self._arrays["starts"]
        return (int(starts[place]), int(starts[place + 1])) if place >= 0 else (0, 0)

    def lengths(self, rows: Rows, fields: Array) -> Array:
        """Words in one field of each row; `rows` and `fields` have one length."""
        lengths = self._card_lengths(rows, fields)
        if self._text_lengths is not None:
            texts = self._text_lengths[rows]
            lengths = np.where((fields == BODY) & (texts > 0), texts, lengths)
        return lengths

    def _card_lengths(self, rows: Rows, fields: Array) -> Array:
        lengths = np.empty(len(rows))
        inside = rows < self._base_size
        if inside.all():
            mapped: Array = self._arrays["lengths"][rows * len(FIELDS) + fields].astype(np.float64)
            return mapped
        lengths[inside] = self._arrays["lengths"][rows[inside] * len(FIELDS) + fields[inside]]
        lengths[~inside] = self._delta.lengths[rows[~inside] - self._base_size, fields[~inside]]
        return lengths

    @cached_property
    def mean_lengths(self) -> Array:
        """Mean words of each field over the documents in which it is not empty, shape (fields,)."""
        dead = self._arrays["lengths"].reshape(-1, len(FIELDS))[self._dead_rows].astype(np.int64)
        new = self._delta.lengths.astype(np.int64)
        totals = self._arrays["totals"].astype(np.int64) - dead.sum(axis=0) + new.sum(axis=0)
        filled = self._arrays["filled"].astype(np.int64) - (dead > 0).sum(axis=0) + (new > 0).sum(axis=0)
        means: Array = np.where(filled > 0, totals / np.maximum(filled, 1), 0.0)
        if self._text_lengths is not None:
            rows = self.all_rows()
            bodies = self.lengths(rows, np.full(len(rows), BODY))
            means[BODY] = bodies.sum() / max(int((bodies > 0).sum()), 1)
        return means

    @cached_property
    def _links(self) -> EdgeTable:
        rows = [row for row in self._changed.values() if row is not None and row.doc_id not in self._edges]
        fresh = FreshEdges.of([*rows, *self._edges.values()])
        return EdgeTable(self._arrays, fresh, frozenset(self._changed.keys() | self._edges.keys()))

    @property
    def has_edges(self) -> bool:
        """Whether any document is linked to another."""
        return len(self._links) > 0

    def neighbours(self, doc_id: int) -> dict[int, float]:
        """Ids of the documents linked to this one, in either direction, with the weight of the stronger link."""
        linked = self._links.around(doc_id)
        present = self.row_ids(self.rows_of(list(linked))).tolist()
        return {other: linked[other] for other in present}

    def _whole_table(self) -> EntryTable:
        base = self._arrays
        alive = np.ones(self._base_size, np.bool_)
        alive[self._dead_rows] = False
        ids = np.concatenate([base["doc_ids"][alive], self._delta.doc_ids])
        order = np.argsort(ids, kind="stable")
        number = np.empty(len(ids), np.uint32)
        number[order] = np.arange(len(ids), dtype=np.uint32)
        renumbered = np.zeros(self._base_size, np.uint32)
        renumbered[alive] = number[: int(alive.sum())]
        kept = alive[base["rows"]]
        hashes = np.repeat(base["vocabulary"], np.diff(base["starts"].astype(np.int64)).astype(np.int64))
        owners, targets, weights = self._links.all(lambda doc_id: len(self.rows_of([doc_id])) > 0)
        lengths = np.concatenate([base["lengths"].reshape(-1, len(FIELDS))[alive], self._delta.lengths])
        texts = [title.encode() for title in self.titles(np.flatnonzero(alive))] + list(self._delta.titles)
        return EntryTable(
            doc_ids=ids[order],
            subjects=np.concatenate([base["subjects"][alive], self._delta.subjects])[order],
            series=np.concatenate([base["series"].reshape(-1, SERIES)[alive], self._delta.series])[order],
            editions=np.concatenate([base["editions"][alive], self._delta.editions])[order],
            lengths=lengths[order],
            hashes=np.concatenate([hashes[kept], self._delta.hashes]),
            rows=np.concatenate([renumbered[base["rows"][kept]], number[int(alive.sum()) :][self._delta.rows]]),
            cells=np.concatenate([base["cells"][kept], self._delta.cells]),
            owners=owners,
            targets=targets,
            weights=weights,
            titles=tuple(texts[place] for place in order),
        )


def _find(haystack: Array, wanted: Array) -> Rows:
    """Positions of the values of `wanted` that stand in the ascending `haystack`: one for each."""
    places = np.searchsorted(haystack, wanted)
    inside = places < len(haystack)
    places, wanted = places[inside], wanted[inside]
    found: Rows = places[haystack[places] == wanted].astype(np.int64)
    return found
