"""The cards of a workspace as one immutable snapshot: a mapped file, and the rows changed since laid over it.

Nothing here locks or waits. Changes of a workspace commit in the order of their numbers, because
each writer holds the workspace's state until it commits; so the rows beyond a number, read in one
query, are exactly the state after the last of them.
"""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from vectorless_web.documents.models import SnapshotRow, SnapshotState
from vectorless_web.documents.storage.files import local_copy
from vectorless_web.engine.documents.container import map_file
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow

logger = logging.getLogger(__name__)

OPEN_SNAPSHOTS = 16
"""Workspaces whose snapshot one process keeps mapped."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot after the workspace's change `number`, laid over the file of change `base`."""

    lineage: str
    base: int
    number: int
    snapshot: Snapshot


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
        kept = _open_stored_snapshot(state)
    if kept.number != state.number:
        kept = _apply_new_rows(kept, workspace_id)
    _keep(workspace_id, kept)
    return kept


def store_snapshot(state: SnapshotState, number: int, content: bytes) -> str:
    """Put the bytes of a snapshot into default storage; its name."""
    return default_storage.save(f"snapshots/{state.lineage}/{number}", ContentFile(content))


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
    folder = Path(settings.CACHE_ROOT) / "snapshots"
    try:
        snapshot = Snapshot.open(map_file(local_copy(state.file, folder), ValueError), version=str(state.base_number))
    except (OSError, ValueError) as error:
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
    return Kept(kept.lineage, kept.base, number, kept.snapshot.with_changes(deltas, version=str(number)))
