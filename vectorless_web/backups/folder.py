"""A folder of backups, and why a backup cannot be made, trusted or restored.

BackupError          any of them; the message names cause and remedy
  BackupDamaged      a backup is incomplete or altered
  SiteNotEmpty       a restore would write over what a site has
  DiskFull           the place that is written to is full

DIR/vectorless-backups        says that the folder is ours
DIR/files/ab/ab12...          bytes of stored files, shared by all backups
DIR/2026-11-22T101500Z/       one backup: manifest.json, database.sqlite3 or database.dump, perhaps secret_key
DIR/.unfinished-...           a backup that is being made, or was not finished
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from vectorless_web.documents.storage.files import CHUNK_BYTES, file_sha256


class BackupError(Exception):
    """Raised when a backup or a restore cannot go on."""


class BackupDamaged(BackupError):
    """Raised when a backup is incomplete or altered."""


class SiteNotEmpty(BackupError):
    """Raised when a restore would write over what a site has."""


class DiskFull(BackupError):
    """Raised when the disk that is written to is full."""


FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def report_full_disk(place: Path, remedy: str) -> Iterator[None]:
    """Raise DiskFull in place of the system's own error."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(f"The disk of {place} is full. {remedy}") from error
        raise


NAME = "manifest.json"
FORMAT = 1
"""The layout of a backup; raise it when older programs would restore it wrongly."""


@dataclass(frozen=True)
class KeptFile:
    """One stored file: its name in storage, and its bytes by SHA-256 and size."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class DatabaseFile:
    """The copy of the database: `vendor` is sqlite or postgresql, `name` the file beside the manifest."""

    vendor: str
    version: str
    """Of the server, or of the SQLite library."""
    name: str
    sha256: str
    bytes: int
    rows: dict[str, int]
    """How many rows each table has."""
    migrations: list[list[str]]
    """[app, name] of each migration that the database has."""


@dataclass(frozen=True)
class Manifest:
    """Everything a backup holds."""

    format: int
    made_at: str
    """ISO 8601, UTC."""
    engine_version: str
    installation: str
    generation: int
    database: DatabaseFile
    files: list[KeptFile]
    missing: list[str]
    """Names of files that the database names and the storage no longer had."""
    altered: list[str]
    """Names of files whose bytes were not those that the database expects; they are kept as they were."""
    key_check: str
    """Tells whether a site has the encryption key that this backup's secrets were encrypted with."""
    secret_key: bool
    """Whether the file with the installation's secret key is part of the backup."""


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into a backup's folder and have it reach the disk."""
    content = asdict(manifest)
    content["checksum"] = _checksum(content)
    path = folder / NAME
    with path.open("x", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup; BackupDamaged when it is missing, cut off, altered or of another format."""
    try:
        content = json.loads((folder / NAME).read_text(encoding="utf-8"))
        checksum = content.pop("checksum")
    except FileNotFoundError as error:
        raise BackupDamaged(f"{folder} has no {NAME}: this backup was never finished.") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise BackupDamaged(f"{folder / NAME} is cut off or damaged. Use another backup.") from error
    if checksum != _checksum(content):
        raise BackupDamaged(f"{folder / NAME} was altered: its checksum does not fit. Use another backup.")
    if content["format"] != FORMAT:
        raise BackupDamaged(
            f"{folder / NAME} has format {content['format']}, this program reads {FORMAT}. "
            "Use the version of the program that made the backup."
        )
    database = DatabaseFile(**content.pop("database"))
    files = [KeptFile(**file) for file in content.pop("files")]
    return Manifest(**content, database=database, files=files)


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


SIGN = "vectorless-backups"
UNFINISHED = ".unfinished-"
PARTIAL = ".partial-"
STAMP = "%Y-%m-%dT%H%M%SZ"
BACKUP = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z")


@contextmanager
def open_folder(path: Path) -> Iterator[None]:
    """Prepare a folder for backups and keep others from writing there meanwhile; BackupError when it is not ours."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (path / SIGN).exists():
        if any(path.iterdir()):
            raise BackupError(f"{path} holds other things. Choose an empty folder, or one that holds backups.")
        (path / SIGN).write_text("Backups of Vectorless, made by `manage.py backup`.\n")
    with (path / SIGN).open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError(f"Another backup is being written to {path}. Wait for its end.") from error
        for left in path.glob(f"{UNFINISHED}*"):
            shutil.rmtree(left)
        for part in path.glob(f"files/{PARTIAL}*"):
            part.unlink()
        yield


@contextmanager
def new_backup(path: Path, moment: datetime) -> Iterator[Path]:
    """A folder to fill; it gets its name when everything in it has reached the disk, and goes after an error."""
    final = path / moment.strftime(STAMP)
    if final.exists():
        raise BackupError(f"{final} is there already. Wait a second and try again.")
    folder = path / f"{UNFINISHED}{final.name}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
        os.sync()
        os.rename(folder, final)
        _sync_folder(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def find_backup(path: Path, name: str = "") -> Path:
    """The backup of that name, or the newest finished one; BackupError when there is none."""
    finished = list_backups(path)
    if name:
        finished = [backup for backup in finished if backup.name == name]
    if not finished:
        raise BackupError(f"{path} holds no finished backup{f' named {name}' if name else ''}.")
    return finished[-1]


def list_backups(path: Path) -> list[Path]:
    """The finished backups, oldest first."""
    if not path.is_dir():
        return []
    return sorted(entry for entry in path.iterdir() if BACKUP.fullmatch(entry.name) and (entry / NAME).is_file())


class Bytes:
    """The bytes of stored files that the backups share: beside these, in the same folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, name: str, sha256: str) -> KeptFile | None:
        """The same bytes, whole, from an earlier backup; None when they are to be copied.

        Reads all of them, so that damaged ones are copied anew.
        """
        place = place_of(self.path, sha256)
        if not sha256 or not place.is_file() or file_sha256(place) != sha256:
            return None
        return KeptFile(name, sha256, place.stat().st_size)

    def store(self, name: str, source: IO[bytes]) -> KeptFile:
        """Copy a stored file's bytes; readers see all of them or nothing."""
        (self.path / "files").mkdir(mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.path / "files", prefix=PARTIAL, delete=False) as partial:
            try:
                sha256, size = copy_hashing(source, partial)
                os.fsync(partial.fileno())
                target = place_of(self.path, sha256)
                target.parent.mkdir(mode=0o700, exist_ok=True)
                os.replace(partial.name, target)
            except BaseException:
                Path(partial.name).unlink(missing_ok=True)
                raise
        return KeptFile(name, sha256, size)

    def check(self, file: KeptFile) -> None:
        """BackupDamaged when the bytes of a file are missing, cut off or altered. Reads all of them."""
        place = place_of(self.path, file.sha256)
        check_bytes(place, file.bytes, file.sha256, f"{file.name} ({place})")

    def open(self, sha256: str) -> IO[bytes]:
        """The bytes with that SHA-256."""
        return place_of(self.path, sha256).open("rb")

    def fetch(self, backup: Path, name: str) -> Path:
        """A file of one backup, its manifest or the database copy, on this machine."""
        return backup / name

    def settle(self, path: Path) -> None:
        """Have new backups in `path` last, and removed ones go: here they do."""

    def remove_others(self, needed: set[str]) -> None:
        """Remove all bytes but those with these SHA-256."""
        for kept in (self.path / "files").glob("*/*"):
            if kept.name not in needed:
                kept.unlink()


def copy_hashing(source: IO[bytes], target: IO[bytes]) -> tuple[str, int]:
    """Copy a stream; the SHA-256 and the number of its bytes."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
        target.write(chunk)
    target.flush()
    return digest.hexdigest(), size


def place_of(path: Path, sha256: str) -> Path:
    """Where the bytes with that SHA-256 are kept."""
    return path / "files" / sha256[:2] / sha256


def remove_older(path: Path, kept: Bytes, keep: int) -> int:
    """Remove all but the newest `keep` backups, and the bytes that none of those names; how many backups."""
    older = list_backups(path)[:-keep] if keep else []
    for backup in older:
        # Its manifest goes first: half a backup must not look like one.
        (backup / NAME).unlink()
        shutil.rmtree(backup)
    if older:
        kept.settle(path)
        manifests = (read_manifest(kept.fetch(backup, NAME).parent) for backup in list_backups(path))
        kept.remove_others({file.sha256 for manifest in manifests for file in manifest.files})
    return len(older)


def check_bytes(place: Path, size: int, sha256: str, what: str) -> None:
    """BackupDamaged when a file is missing, cut off or altered."""
    if not place.is_file():
        raise BackupDamaged(f"{what} is missing.")
    here = place.stat().st_size
    if here != size:
        raise BackupDamaged(f"{what} has {here} bytes instead of {size}.")
    if file_sha256(place) != sha256:
        raise BackupDamaged(f"{what} was altered: its checksum does not fit.")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
