"""Whether the files in storage and this database belong together.

A row holds an identity and a generation, and so does a mark: a small file beside the files. They
must agree before anything is moved or removed by itself. The generation counts up while the site runs, in the
row first and then in the mark, so a mark that is ahead shows a database that is older than the files.
"""

import re
import time
from dataclasses import dataclass

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F

from vectorless_web.documents.models import Installation, new_lineage
from vectorless_web.documents.storage.files import delete_stored, list_stored, named_files, present_files

FOLDER = "installation"
MARK = re.compile(rf"{FOLDER}/([0-9a-f]{{32}})-(\d{{1,18}})\b")
"""Identity and generation stand in the name: storage may add to a name, and a mark is never written over."""
NOTE = (
    b"This file ties the files beside it to the database of one installation. Leave it here: without it, "
    b"nothing is cleaned up.\n"
)
REMEDY = (
    "Nothing is moved or removed by itself. Check DATABASE_URL and VECTORLESS_VAR; only if this database and "
    "these files do belong together, run `manage.py quarantine --accept`."
)
HEARTBEAT_SECONDS = 30.0
"""The sweep notes this often that it looks on; a write of one row."""
GAP_SECONDS = 120.0
"""A longer pause than this may hide that another copy of the database took its place meanwhile. Shorter ones
are told from a slow pass only by luck; a longer one leaves more of what a crash left behind to the operator."""
WATCHES_KEPT = 200
"""One for each start of the site."""


@dataclass(frozen=True)
class StorageMark:
    """The identity and generation that one mark in storage carries, and the mark's name there."""

    identity: str
    generation: int
    name: str


@dataclass(frozen=True)
class Standing:
    """Whether database and files agree. `is_new` says that a mark is still to be made.

    `code` is agree, new, unmarked, missing, empty, other or older; `message` says what is wrong and what to do.
    """

    code: str
    message: str = ""

    @property
    def agrees(self) -> bool:
        """Whether files that no row names may be moved."""
        return self.code in ("agree", "new")


def files_standing() -> Standing:
    """Compare the database with the storage; changes nothing."""
    row, marks = Installation.objects.first(), stored_marks()
    if row is not None and marks:
        return _compare(row, marks)
    present, named = set(present_files()), named_files()
    if not present:
        return _without_files(named, marks)
    if 2 * len(present & named) < len(present):
        return _foreign(len(present), named, marks)
    if marks:
        return Standing("older", f"This database is from before the files in storage were marked. {REMEDY}")
    return Standing("new")


def reconcile_mark() -> Standing:
    """Compare the database with the storage and mark both when they are new; how they stand."""
    standing = files_standing()
    if standing.code != "new":
        return standing
    row, _ = Installation.objects.get_or_create(pk=1)
    _write_mark(row)
    return Standing("agree")


def advance_generation() -> None:
    """Count one generation up, in the row and then in the mark; for databases and files that agree."""
    Installation.objects.filter(pk=1).update(generation=F("generation") + 1)
    row = Installation.objects.get(pk=1)
    _write_mark(row)
    for mark in stored_marks():
        if mark.identity == row.identity and mark.generation < row.generation:
            delete_stored(mark.name)


def accept_files() -> Installation:
    """Declare that this database and the files in storage belong together: a new identity for both.

    From then on any other database that used these files reports them as another installation's.
    """
    before = stored_marks()
    row, _ = Installation.objects.get_or_create(pk=1)
    row.identity = new_lineage()
    row.generation = max([row.generation, *(mark.generation for mark in before)]) + 1
    row.save(update_fields=["identity", "generation"])
    _write_mark(row)
    for mark in before:
        delete_stored(mark.name)
    return row


def mark_restored() -> None:
    """Mark files that were restored along with this database with its identity and generation."""
    row = Installation.objects.first()
    if row is not None:
        _write_mark(row)


def stored_marks() -> list[StorageMark]:
    """All marks in storage: one, two while a new one takes the old one's place, or more after a mix-up."""
    found = ((MARK.match(name), name) for name in list_stored(FOLDER))
    return [StorageMark(match[1], int(match[2]), name) for match, name in found if match]


def watch_files() -> int:
    """Note that a sweep with this database looks on; 0, as nothing is mended by it."""
    now = time.time()
    row = Installation.objects.first()
    if row is None or _last_watch(row, now)[1] <= now < _last_watch(row, now)[1] + HEARTBEAT_SECONDS:
        return 0
    with transaction.atomic():
        row = Installation.objects.select_for_update().get(pk=row.pk)
        since, until = _last_watch(row, now)
        # A clock that went back begins a new watch, like a pause that was too long.
        goes_on = until <= now <= until + GAP_SECONDS
        earlier = row.watched[:-1] if goes_on else row.watched
        row.watched = [*earlier, [since if goes_on else now, now]][-WATCHES_KEPT:]
        row.save(update_fields=["watched"])
    return 0


def was_watched(row: Installation, moment: float) -> bool:
    """Whether a sweep with this database looked on at that moment, in seconds since 1970."""
    return any(since <= moment <= until for since, until in row.watched)


def _last_watch(row: Installation, now: float) -> tuple[float, float]:
    """Begin and end of the last watch; one that ended long ago when there was none."""
    since, until = row.watched[-1] if row.watched else (now, 0.0)
    return since, until


def _compare(row: Installation, marks: list[StorageMark]) -> Standing:
    foreign = next((mark for mark in marks if mark.identity != row.identity), None)
    if foreign is not None:
        return Standing(
            "other",
            f"The files in storage are marked for another installation ({foreign.identity[:8]}) than this database "
            f"({row.identity[:8]}). {REMEDY}",
        )
    newest = max(mark.generation for mark in marks)
    if newest > row.generation:
        return Standing(
            "older",
            f"This database is older than the files in storage (generation {row.generation}, files {newest}), as after "
            f"restoring an old copy: files that it does not know may belong to a newer copy. {REMEDY}",
        )
    return Standing("agree")


def _without_files(named: set[str], marks: list[StorageMark]) -> Standing:
    if named:
        return Standing(
            "missing",
            f"This database names {len(named)} files and the storage holds none of them: it may not be mounted, or "
            f"VECTORLESS_VAR names another folder. {REMEDY}",
        )
    if marks:
        return Standing("empty", f"This database is new and the storage is marked for another one. {REMEDY}")
    return Standing("new")


def _foreign(present: int, named: set[str], marks: list[StorageMark]) -> Standing:
    if not named:
        return Standing(
            "empty",
            f"This database names no file at all, and the storage holds {present}: DATABASE_URL may name an empty or "
            f"new database. {REMEDY}",
        )
    whose = "marked for another database" if marks else "not marked"
    return Standing(
        "unmarked",
        f"The storage holds {present} files, is {whose}, and this database names fewer than half of them. {REMEDY}",
    )


def _write_mark(row: Installation) -> None:
    default_storage.save(f"{FOLDER}/{row.identity}-{row.generation}.txt", ContentFile(NOTE))
