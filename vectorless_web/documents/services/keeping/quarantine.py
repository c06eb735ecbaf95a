"""Stored files without a row: removed with their last row; those found later are kept aside for 30 days."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion, Installation, VectorFile
from vectorless_web.documents.services.compiling import drop_unnamed
from vectorless_web.documents.services.keeping.installation import advance_generation, reconcile_mark, was_watched
from vectorless_web.documents.storage.files import (
    delete_stored,
    forget_cached,
    forget_copy,
    is_named,
    list_stored,
    named_files,
    present_files,
    stored_sha256,
)

logger = logging.getLogger(__name__)

FOLDER = "quarantine"
ORPHAN_HOURS = 24
"""A younger file may belong to an upload whose row is about to come."""
KEPT_DAYS = 30
"""As long as a deleted document; an operator who restored the wrong database has that long to notice."""
PLACE = re.compile(rf"{FOLDER}/(\d{{4}}-\d\d-\d\d)(?:\.(\d+))?/(.+)")
"""Day, number of a second copy of that day, the name that the file had."""


@dataclass(frozen=True)
class Quarantined:
    """One file in quarantine: its name there, the name it had, the day it was moved, its size in bytes.

    A `number` above 1 says that other bytes of that name were moved on that day before, or half of these.
    """

    name: str
    original: str
    day: date
    number: int
    bytes: int


def quarantine_orphans() -> int:
    """Move files that no row names into quarantine, left by a process killed between storing and committing; how many.

    Nothing is moved while database and files do not agree, nor what was written in the last day or while no
    sweep with this database looked on: such a file may belong to a newer copy of the database.
    """
    standing = reconcile_mark()
    if not standing.agrees:
        logger.error("%s: %s", standing.code, standing.message)
        return 0
    row = Installation.objects.get(pk=1)
    moved = _move_orphans(lambda written: was_watched(row, written))
    advance_generation()
    return moved


def collect_orphans() -> int:
    """Move all files of before yesterday that no row names into quarantine, on the word of an operator; how many."""
    return _move_orphans(lambda _written: True)


def unnamed_files() -> list[str]:
    """Names of stored files of before yesterday that no row names."""
    return sorted(_orphans(named_files(), lambda _written: True))


def empty_overdue() -> int:
    """Remove for good what has been in quarantine for 30 days, if database and files agree; how many files."""
    if not any(True for _ in list_stored(FOLDER)) or not reconcile_mark().agrees:
        return 0
    return empty_quarantine(older_than_days=KEPT_DAYS)


def empty_quarantine(*, older_than_days: int = 0) -> int:
    """Remove for good what was moved into quarantine at least so many days ago; how many files."""
    last = timezone.now().date() - timedelta(days=older_than_days)
    overdue = [file for file in quarantined_files() if file.day <= last]
    for file in overdue:
        delete_stored(file.name)
    return len(overdue)


def quarantined_files() -> list[Quarantined]:
    """What is in quarantine, newest first."""
    found = []
    for name in list_stored(FOLDER):
        match = PLACE.fullmatch(name)
        if match:
            size = default_storage.size(name)
            found.append(Quarantined(name, match[3], date.fromisoformat(match[1]), int(match[2] or 1), size))
    return sorted(found, key=lambda file: (file.day, file.number, file.name), reverse=True)


def restore_quarantined(files: Iterable[Quarantined]) -> list[str]:
    """Move files back to where they were; names of those whose place is taken, which stay in quarantine."""
    taken = []
    for file in files:
        if default_storage.exists(file.original):
            taken.append(file.original)
        else:
            _move_file(file.name, file.original)
    return taken


def _move_orphans(may_move: Callable[[float], bool]) -> int:
    named = named_files()
    if not named:
        # The first file of a new site is stored before its row.
        if waiting := sum(1 for _ in _orphans(named, lambda _written: True)):
            logger.warning("This database names no file, so none of the %d stored files is moved.", waiting)
        return 0
    moved = 0
    for name in list(_orphans(named, may_move)):
        # The rows were read before the files were listed; a row that came since keeps its file.
        with suppress(FileNotFoundError):  # Somebody may remove it just now.
            if is_named(name):
                continue
            place = _move_file(name, f"{FOLDER}/{timezone.now():%Y-%m-%d}/{name}")
            logger.info("no row names %s: moved to %s", name, place)
            moved += 1
    if moved:
        logger.warning(
            "%d stored files that no row names were moved to %s; `manage.py quarantine` lists them. "
            "They are removed for good in %d days.",
            moved,
            FOLDER,
            KEPT_DAYS,
        )
    return moved


def _orphans(named: set[str], may_move: Callable[[float], bool]) -> Iterator[str]:
    before = timezone.now() - timedelta(hours=ORPHAN_HOURS)
    for name in present_files():
        if name in named:
            continue
        try:
            written = default_storage.get_modified_time(name)
        except FileNotFoundError:  # Removed since it was listed.
            continue
        if written < before and may_move(written.timestamp()):
            yield name


def _move_file(name: str, target: str) -> str:
    """Copy a stored file, compare, and remove the first; the name it got. Storage need not know how to rename."""
    place = _free_place(name, target)
    if not default_storage.exists(place):
        with default_storage.open(name) as file:
            place = default_storage.save(place, File(file))
    if stored_sha256(place) != stored_sha256(name):
        raise OSError(f"{name} could not be copied whole to {place}; it stays where it is.")
    delete_stored(name)
    return place


def _free_place(name: str, target: str) -> str:
    """`target`, or the same under a numbered day when other bytes are there: half a copy, of a move that was killed."""
    folder, day, *rest = PurePosixPath(target).parts
    place, number = target, 1
    while default_storage.exists(place) and stored_sha256(place) != stored_sha256(name):
        number += 1
        place = str(PurePosixPath(folder, f"{day}.{number}", *rest))
    return place


def drop_files(*, instance: DocumentVersion, **_signal: Any) -> None:
    """Remove upload and artefact of a deleted version once its deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(_drop, instance))


def drop_vectors(*, instance: VectorFile, **_signal: Any) -> None:
    """Remove the file of deleted vectors once their deletion commits (a receiver of post_delete)."""
    transaction.on_commit(partial(delete_stored, instance.file))
    transaction.on_commit(partial(forget_copy, instance.sha256))


def _drop(version: DocumentVersion) -> None:
    drop_unnamed(version.file.name or "", version.artefact)
    if not DocumentVersion.objects.filter(sha256=version.sha256).exists():
        forget_cached(sha256=version.sha256, artefact_sha256=version.artefact_sha256)
