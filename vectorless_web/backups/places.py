"""Where backups lie: in a folder of this machine, or in an object store, where each file has the same name."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.db import connection

from vectorless_web.backups.folder import (
    BACKUP,
    NAME,
    SIGN,
    BackupDamaged,
    BackupError,
    Bytes,
    KeptFile,
    copy_hashing,
    list_backups,
)
from vectorless_web.documents.storage.files import CHUNK_BYTES, stream_sha256
from vectorless_web.infra.site.object_storage import ObjectStorage

BACKUP_LOCK = 0x766C6261
"""Of the advisory lock in PostgreSQL that one backup holds; any number that nothing else on the database uses."""


@contextmanager
def open_place(place: str) -> Iterator[tuple[Path, Bytes]]:
    """The folder of backups at `place` and the bytes they share; for "s3://..." a folder that stands for it.

    What is in that folder is fetched as it is asked for and stored by `Bytes.settle`.
    """
    if "://" not in place:
        yield Path(place), Bytes(Path(place))
        return
    settings.VAR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="backups-", dir=settings.VAR) as name:
        kept = ObjectBytes(ObjectStorage(place), Path(name))
        for backup in kept.finished():
            (Path(name) / backup).mkdir()
            (Path(name) / backup / NAME).touch()
        (Path(name) / SIGN).touch()
        yield Path(name), kept


class ObjectBytes(Bytes):
    """Bytes, and the backups that share them, in an object store."""

    def __init__(self, storage: ObjectStorage, path: Path) -> None:
        super().__init__(path)
        self.storage = storage

    def find(self, name: str, sha256: str) -> KeptFile | None:
        """By name and size alone: the store takes a file whole or not, and reading all would fetch it."""
        try:
            return KeptFile(name, sha256, self.storage.size(_name_of(sha256))) if sha256 else None
        except FileNotFoundError:
            return None

    def store(self, name: str, source: IO[bytes]) -> KeptFile:
        """By way of a file of this machine: their name is their SHA-256, which is known at their end."""
        with tempfile.TemporaryFile(dir=self.path) as whole:
            sha256, size = copy_hashing(source, whole)
            if not self.storage.exists(_name_of(sha256)):
                self._save(_name_of(sha256), whole)
        return KeptFile(name, sha256, size)

    def check(self, file: KeptFile) -> None:
        """Reads all of them."""
        what = f"{file.name} ({self.storage.place}/{_name_of(file.sha256)})"
        try:
            with self.open(file.sha256) as source:
                if stream_sha256(source) != file.sha256:
                    raise BackupDamaged(f"{what} was altered: its checksum does not fit.")
        except FileNotFoundError as error:
            raise BackupDamaged(f"{what} is missing.") from error

    def open(self, sha256: str) -> IO[bytes]:
        """Fetched as they are read."""
        return self.storage.open(_name_of(sha256))

    def fetch(self, backup: Path, name: str) -> Path:
        """Copied here when it is asked for first."""
        path = backup / name
        if not path.exists() or not path.stat().st_size:
            with path.open("wb") as target, self.storage.open(f"{backup.name}/{name}") as source:
                shutil.copyfileobj(source, target, CHUNK_BYTES)
        return path

    def settle(self, path: Path) -> None:
        """A manifest is stored last and removed first: what was cut off between has none, and goes next time."""
        here, there = {backup.name for backup in list_backups(path)}, self.finished()
        for backup in sorted(set(self.storage.listdir("")[0]) - here):
            if BACKUP.fullmatch(backup):
                names = self.storage.listdir(backup)[1]
                for name in sorted(names, key=lambda name: name != NAME):
                    self.storage.delete(f"{backup}/{name}")
        for backup in sorted(here - there):
            for file in sorted((path / backup).iterdir(), key=lambda file: file.name == NAME):
                with file.open("rb") as source:
                    self._save(f"{backup}/{file.name}", source)

    def remove_others(self, needed: set[str]) -> None:
        """By their names alone."""
        for folder in self.storage.listdir("files")[0]:
            for sha256 in self.storage.listdir(f"files/{folder}")[1]:
                if sha256 not in needed:
                    self.storage.delete(_name_of(sha256))

    def finished(self) -> set[str]:
        """Names of the backups that have a manifest."""
        folders = filter(BACKUP.fullmatch, self.storage.listdir("")[0])
        return {backup for backup in folders if self.storage.exists(f"{backup}/{NAME}")}

    def _save(self, name: str, source: IO[bytes]) -> None:
        source.seek(0)
        if self.storage.save(name, File(source)) != name:
            raise BackupError(
                f"{self.storage.place}/{name} was written by another backup. Try again when it has ended."
            )


def _name_of(sha256: str) -> str:
    return f"files/{sha256[:2]}/{sha256}"


@contextmanager
def hold_backups() -> Iterator[None]:
    """Keep this site from making two backups at a time, also on another machine; BackupError when one is made."""
    busy = BackupError("Another backup of this site is being made. Wait for its end.")
    with (settings.VAR / "backup.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise busy from error
        if connection.vendor != "postgresql":
            yield
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [BACKUP_LOCK])
            if not cursor.fetchone()[0]:
                raise busy
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [BACKUP_LOCK])
