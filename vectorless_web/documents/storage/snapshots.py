"""The cards of a workspace as one immutable snapshot: a mapped file, and the rows changed since laid over it.

Nothing here locks or waits. Changes of a workspace commit in the order of their numbers, because
each writer holds the workspace's state until it commits; so the rows beyond a number, read in one
query, are exactly the state after the last of them.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vectorless_web.documents.models import SnapshotRow, SnapshotState, WaitingWords, WordBlock
from vectorless_web.documents.storage.files import UNREADABLE, local_copy
from vectorless_web.engine.documents.container import map_file
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow
from vectorless_web.engine.index.word_blocks import WordBlock as Words
from vectorless_web.engine.index.word_blocks import WordIndex

logger = logging.getLogger(__name__)

OPEN_SNAPSHOTS = 16
"""Workspaces whose snapshot one process keeps mapped."""


@dataclass(frozen=True, slots=True)
class KeptWords:
    """The words of a workspace's documents after its change `number` of them; `last` is the last list read."""

    number: int = 0
    last: int = 0
    files: Mapping[tuple[str, str], Words] = field(default_factory=dict)
    """Those that are mapped, by name and SHA-256: a name that was given up may be given to another block."""
    index: WordIndex = field(default_factory=WordIndex)


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot after the workspace's change `number`, laid over the file of change `base`."""

    lineage: str
    base: int
    number: int
    snapshot: Snapshot
    words: KeptWords = KeptWords()


_kept: OrderedDict[int, Kept] = OrderedDict()


def snapshot_of(workspace_id: int) -> Snapshot:
    """The newest committed snapshot; empty for a workspace without any card. Its version is the number of its change.

    One query when nothing has changed since this process asked last. Not to be called in a
    transaction that has written cards: what is rolled back would be kept.
    """
    return current(workspace_id).snapshot


def current(workspace_id: int) -> Kept:
    """The newest snapshot with the number of its last change."""
    state = SnapshotState.objects.filter(workspace=workspace_id).first()
    if state is None:
        return Kept("", 0, 0, Snapshot.empty(version="0"))
    kept = _kept.get(workspace_id)
    # With a newer file there is less to lay over it, and rows of what was gone before it may have been removed.
    if kept is None or (kept.lineage, kept.base) != (state.lineage, state.base_number):
        words = kept.words if kept is not None and kept.lineage == state.lineage else KeptWords()
        kept = _open_stored_snapshot(state)
        kept = replace(kept, words=words, snapshot=kept.snapshot.with_words(words.index))
    if kept.number != state.number:
        kept = _apply_new_rows(kept, workspace_id)
    if kept.words.number != state.words_number:
        words = _read_words(kept.words, state)
        kept = replace(kept, words=words, snapshot=kept.snapshot.with_words(words.index))
    _keep(workspace_id, kept)
    return kept


def _keep(workspace_id: int, kept: Kept) -> None:
    _kept[workspace_id] = kept
    _kept.move_to_end(workspace_id)
    while len(_kept) > OPEN_SNAPSHOTS:
        _kept.popitem(last=False)


def _open_stored_snapshot(state: SnapshotState) -> Kept:
    """The snapshot of the stored file; one without documents, to be filled by all rows, when it cannot be read."""
    empty = Kept(state.lineage, state.base_number, 0, Snapshot.empty(version="0"))
    if not state.file:
        return empty
    try:
        path = local_copy(state.file, state.sha256)
        snapshot = Snapshot.open(map_file(path, ValueError), version=str(state.base_number))
    except UNREADABLE as error:
        logger.warning("the cards of workspace %d are read row by row: %s", state.workspace_id, error)
        return empty
    return Kept(state.lineage, state.base_number, state.base_number, snapshot)


def _apply_new_rows(kept: Kept, workspace_id: int) -> Kept:
    rows = SnapshotRow.objects.filter(workspace=workspace_id, number__gt=kept.number).order_by("number")
    changes = list(rows.values_list("number", "document", "data"))
    if not changes:
        return kept
    number = changes[-1][0]
    deltas = [
        DeltaRow(document, Change.UPSERT if data else Change.REMOVE, bytes(data)) for _, document, data in changes
    ]
    return replace(kept, number=number, snapshot=kept.snapshot.with_changes(deltas, version=str(number)))


def _read_words(kept: KeptWords, state: SnapshotState) -> KeptWords:
    """The words as they stand now. Lists are read before blocks: what went from one to the other is seen twice."""
    lists = _read_lists(state.workspace_id, after=kept.last)
    files = _list_block_files(state.workspace_id)
    if files != kept.files.keys():
        lists, files = _read_lists(state.workspace_id), _list_block_files(state.workspace_id)
        blocks = {file: kept.files.get(file) or _open_block(file, state.workspace_id) for file in sorted(files)}
        opened = {file: block for file, block in blocks.items() if block is not None}
        kept = KeptWords(files=opened, index=WordIndex(opened.values()))
    index = kept.index.with_lists({document: data for _, document, data in lists}) if lists else kept.index
    return KeptWords(state.words_number, max([kept.last, *(pk for pk, _, _ in lists)]), kept.files, index)


def _read_lists(workspace_id: int, *, after: int = 0) -> list[tuple[int, int, bytes]]:
    """(key, document, words) of the lists that stand in no block yet, oldest first."""
    rows = WaitingWords.objects.filter(workspace=workspace_id, pk__gt=after).order_by("pk")
    return [(pk, document, bytes(data)) for pk, document, data in rows.values_list("pk", "document", "data")]


def _list_block_files(workspace_id: int) -> set[tuple[str, str]]:
    return set(WordBlock.objects.filter(workspace=workspace_id).values_list("file", "sha256"))


def open_block(name: str, sha256: str) -> Words:
    """The block of words stored under this name, mapped. One of UNREADABLE when it cannot be read."""
    return Words.open(map_file(local_copy(name, sha256), ValueError))


def _open_block(file: tuple[str, str], workspace_id: int) -> Words | None:
    """The block; None when it cannot be read, so that its documents are found by their cards alone for a while."""
    try:
        return open_block(*file)
    except UNREADABLE as error:
        logger.warning("words of documents of workspace %d are not searched: %s", workspace_id, error)
        return None
