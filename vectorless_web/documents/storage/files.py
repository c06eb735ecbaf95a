"""Where files live: uploads and artefacts in storage, the rows that name them, local copies, the storage's health."""

import hashlib
import struct
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError
from django.dispatch import Signal

from vectorless_web.documents.models import DocumentVersion, SnapshotState, VectorFile, WordBlock
from vectorless_web.documents.storage.cache import CacheFolder, touch
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.artefact import open_artefact as map_artefact
from vectorless_web.engine.documents.vectors import NodeVectors
from vectorless_web.engine.documents.vectors import open_vectors as map_vectors
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.index.segment import Segment
from vectorless_web.infra.outages import StorageAway
from vectorless_web.infra.web.health import Finding, Level, ok

Stamp = tuple[int, int, int]
"""Inode, size and time of change of a file: another one is another content."""

CHUNK_BYTES = 1 << 20
"""Bytes that are copied at a time."""
MISSING = "The compiled file of this document is missing."
ALTERED = "The compiled file of this document is damaged: it is not what was stored."
OTHER_INDEX = "The compiled document cannot be read: another version of this program made its index."
UNREADABLE = (OSError, ValueError, ArtefactDamaged)
"""What opening a stored file raises when it is away, gone, altered or of another layout."""
OPEN_DOCUMENTS = 16
"""Artefacts kept mapped by one process."""

artefact_damaged = Signal()
"""Sent with a `version` whose compiled file was found missing, damaged or unreadable."""


def open_version(version: DocumentVersion) -> CompiledDocument:
    """The compiled document of a ready version, mapped; ArtefactDamaged when its file is gone or altered.

    StorageAway when that cannot be told because the storage is not there.
    Damage is announced by the signal `artefact_damaged`, so that it is repaired whoever came upon it.
    """
    if not version.artefact:
        raise ArtefactDamaged("This version has not been compiled.")
    try:
        return open_artefact(version.artefact, version.artefact_sha256)
    except ArtefactDamaged:
        if _was_replaced(version):
            return open_version(version)
        artefact_damaged.send_robust(DocumentVersion, version=version)
        raise


def peek_at_version(version: DocumentVersion) -> CompiledDocument | None:
    """The compiled document of a ready version to look into, or None when it cannot be had; nothing is announced.

    Blocks are checked when they are read, not the whole file: a question may look into many.
    """
    try:
        return map_artefact(local_copy(version.artefact, version.artefact_sha256))
    except (ArtefactDamaged, OSError):
        return None


def open_artefact(name: str, sha256: str) -> CompiledDocument:
    """The artefact stored under `name`, mapped, verified and kept open, least recently used out first.

    One that is open already is looked at again: a file that changed under it is read anew, or found damaged.
    """
    with _lock:
        key, stamp = (name, sha256), _stamp(name, sha256)
        kept = _open.pop(key, None)
        if kept is None or kept[0] != stamp:
            kept = (stamp, _map(name, sha256))
        _open[key] = kept
        while len(_open) > OPEN_DOCUMENTS:
            # Dropped, not closed: a run may still read it; the mapping goes with its last reader.
            _open.popitem(last=False)
        return kept[1]


def size_of(name: str) -> int | None:
    """The size of a stored file in bytes; None when there is no such file."""
    try:
        return default_storage.size(name) if name else None
    except FileNotFoundError:
        return None


def open_vectors(name: str, sha256: str) -> NodeVectors:
    """The vectors stored under `name`, mapped and kept open; ArtefactDamaged when the file is gone or altered."""
    try:
        return _mapped_vectors(name, sha256)
    except FileNotFoundError as error:
        check_reachable()
        raise ArtefactDamaged("The vector file is missing. Embed the document again.") from error


def is_stored(name: str, sha256: str) -> bool:
    """Whether a file is stored under `name` and holds what it should; reads all of it."""
    if not name or not default_storage.exists(name):
        return False
    with default_storage.open(name) as file:
        return stream_sha256(file) == sha256


def is_readable(version: DocumentVersion) -> bool:
    """Whether the compiled file of a version can be opened; if not, that is announced."""
    try:
        open_version(version)
    except ArtefactDamaged:
        return False
    return True


class Stored(NamedTuple):
    """The name that a file got in default storage, and its SHA-256."""

    name: str
    sha256: str


def store_bytes(data: bytes, name: str) -> Stored:
    """Put a file of these bytes into default storage."""
    return Stored(default_storage.save(name, ContentFile(data)), hashlib.sha256(data).hexdigest())


def store_artefact(path: Path, name: str) -> Stored:
    """Put a compiled file into default storage.

    The file is never shared with what is stored already: another version's file may be removed at any moment.
    """
    with path.open("rb") as file:
        return Stored(default_storage.save(name, File(file)), file_sha256(path))


def local_copy(name: str, sha256: str) -> Path:
    """A local path of a stored file: its own when storage is a file system, else a copy in this machine's cache.

    A copy is checked when it is made: ArtefactDamaged when its bytes have another SHA-256.
    """
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        path = _place_of_copy(sha256)
        if not touch(path):
            _copy_in(name, sha256, path)
        return path


def check_before_storing() -> None:
    """StorageAway when earlier uploads are not where they should be.

    What is written to the place of a folder that is not mounted is hidden as soon as it is.
    """
    if DocumentVersion.objects.exclude(file="").exists():
        check_reachable()


def check_reachable() -> None:
    """Raise StorageAway unless the storage can be listed and holds something.

    A folder that was not mounted looks empty, or does not exist: a file that is missing
    from it is not gone.
    """
    try:
        found = default_storage.listdir("")
    except Exception as error:
        raise StorageAway(f"the stored files cannot be listed: {error}") from error
    if not any(found):
        raise StorageAway("the storage is empty, as a folder is that was not mounted")


@contextmanager
def translate_storage_errors() -> Iterator[None]:
    """Context for reading a stored file: raises FileNotFoundError for a missing file, StorageAway for lost storage."""
    try:
        yield
    except FileNotFoundError:
        check_reachable()
        raise


def delete_stored(name: str) -> None:
    """Remove a stored file; quiet when it is gone already."""
    if name:
        default_storage.delete(name)


def list_stored(folder: str) -> Iterator[str]:
    """Names of all files in a folder of default storage, and below; none when there is no such folder."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{file}" for file in files if file)
    for inner in folders:
        yield from list_stored(f"{folder}/{inner}")


def forget_cached(*, sha256: str, artefact_sha256: str) -> None:
    """Remove page pictures, upload and artefact of a purged version from this machine's caches."""
    cache = Path(settings.CACHE_ROOT)
    for path in (cache / "pages" / sha256[:2]).glob(f"{sha256}-*.jpg"):
        path.unlink(missing_ok=True)
    forget_copy(sha256)
    forget_copy(artefact_sha256)


def forget_copy(sha256: str) -> None:
    """Remove this machine's copy of a file that was stored elsewhere."""
    if sha256:
        _place_of_copy(sha256).unlink(missing_ok=True)


def forget_purged_copies() -> int:
    """Remove from this machine's caches what was purged at another one; how many files.

    They are known by the SHA-256 that no row has any more.
    """
    known = {
        sha256
        for kind in STORED
        for sha256 in kind.model._default_manager.values_list(kind.sha256, flat=True).distinct()
    }
    cache = Path(settings.CACHE_ROOT)
    purged = [
        path
        for pattern in ("files/??/[!.]*", "pages/??/[!.]*")
        for path in cache.glob(pattern)
        if path.name.partition("-")[0] not in known
    ]
    for path in purged:
        path.unlink(missing_ok=True)
    return len(purged)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal, read in chunks."""
    with path.open("rb") as file:
        return stream_sha256(file)


def stored_sha256(name: str) -> str:
    """The SHA-256 of a file of the storage in hexadecimal."""
    with default_storage.open(name) as file:
        return stream_sha256(file)


def stream_sha256(stream: IO[bytes]) -> str:
    """The SHA-256 of a stream in hexadecimal, read in chunks."""
    digest = hashlib.sha256()
    while chunk := stream.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


_lock = threading.Lock()
_open: OrderedDict[tuple[str, str], tuple[Stamp, CompiledDocument]] = OrderedDict()


@lru_cache(maxsize=OPEN_DOCUMENTS)
def _mapped_vectors(name: str, sha256: str) -> NodeVectors:
    return map_vectors(local_copy(name, sha256))


def _was_replaced(version: DocumentVersion) -> bool:
    """Whether the version was compiled again since its row was read; the row then names the new file."""
    fields = ("artefact", "artefact_sha256")
    now = DocumentVersion.objects.filter(pk=version.pk).values_list(*fields).first()
    if now is None or not now[0] or now == (version.artefact, version.artefact_sha256):
        return False
    version.artefact, version.artefact_sha256 = now
    return True


def _stamp(name: str, sha256: str) -> Stamp:
    try:
        state = local_copy(name, sha256).stat()
    except FileNotFoundError as error:
        check_reachable()
        raise ArtefactDamaged(MISSING) from error
    return state.st_ino, state.st_size, state.st_mtime_ns


def _map(name: str, sha256: str) -> CompiledDocument:
    path = local_copy(name, sha256)
    try:
        if sha256 and file_sha256(path) != sha256:
            raise ArtefactDamaged(ALTERED)
        document = map_artefact(path)
        document.verify()
        # What another compiler wrote is tried as a whole: the engine's own check does not reach the index.
        Segment(document.segment)
    except FileNotFoundError as error:
        check_reachable()
        raise ArtefactDamaged(MISSING) from error
    except (ArtefactDamaged, ValueError, struct.error) as error:
        # A copy on this machine may be what is damaged: the next one to ask fetches it again.
        forget_copy(sha256)
        raise error if isinstance(error, ArtefactDamaged) else ArtefactDamaged(OTHER_INDEX) from error
    return document


def _place_of_copy(sha256: str) -> Path:
    return Path(settings.CACHE_ROOT) / "files" / sha256[:2] / sha256


def _copy_in(name: str, sha256: str, path: Path) -> None:
    """Copy a stored file into the cache; FileNotFoundError when it is gone."""
    cache = CacheFolder(path.parent.parent, limit_bytes=settings.FILE_CACHE_BYTES)
    digest = hashlib.sha256()
    with cache.write(path) as copy, default_storage.open(name) as source:
        for chunk in source.chunks():
            digest.update(chunk)
            copy.write(chunk)
        if digest.hexdigest() != sha256:
            raise ArtefactDamaged(ALTERED)


def check_storage() -> Finding:
    """Whether the folder of stored files is there, once the database names a file in it."""
    try:
        if DocumentVersion.objects.exclude(file="").exists():
            check_reachable()
    except StorageAway as error:
        return Finding(Level.UNAVAILABLE, f"Uploads and documents cannot be read: {error}.")
    except DatabaseError as error:
        return Finding(Level.UNAVAILABLE, f"The database does not say which files there are: {error}")
    return ok()


@dataclass(frozen=True)
class NamedBy:
    """A folder of default storage, the rows whose field names what is in it, and the field with its SHA-256."""

    folder: str
    model: type[DocumentVersion] | type[SnapshotState] | type[VectorFile] | type[WordBlock]
    field: str
    sha256: str


STORED = (
    NamedBy("uploads", DocumentVersion, "file", "sha256"),
    NamedBy("compiled", DocumentVersion, "artefact", "artefact_sha256"),
    NamedBy("snapshots", SnapshotState, "file", "sha256"),
    NamedBy("vectors", VectorFile, "file", "sha256"),
    NamedBy("words", WordBlock, "file", "sha256"),
)


def named_files() -> set[str]:
    """Names of all stored files that a row of this database names."""
    return {
        name
        for kind in STORED
        for name in kind.model._default_manager.exclude(**{kind.field: ""}).values_list(kind.field, flat=True)
    }


def is_named(name: str) -> bool:
    """Whether a row names this stored file."""
    return any(kind.model._default_manager.filter(**{kind.field: name}).exists() for kind in STORED)


def present_files() -> Iterator[str]:
    """Names of all files in the folders of documents in default storage, whether or not a row names them."""
    for kind in STORED:
        yield from list_stored(kind.folder)
