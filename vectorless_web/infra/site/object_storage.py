"""Files in an object store (S3 and servers that speak its protocol, Google's, Azure's), as Django's storage."""

import io
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import obstore
from django.core.files.base import File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import ObjectStore, from_url

from vectorless_web.infra.outages import StorageAway

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

PART_BYTES = 8 << 20
"""Bytes sent or fetched at a time. Half doubles the requests of a large file, twice as much is memory that each reader
holds; up to this size a file is stored by one request, which never writes over another."""


@deconstructible
class ObjectStorage(Storage):
    """Files under the URL of a bucket and a folder in it; credentials come from the environment, as for AWS's tools.

    A file that is not there is FileNotFoundError; whatever else a server or the way to it does is StorageAway.
    """

    def __init__(self, url: str, *, seconds: float = 30.0) -> None:
        self.place = url
        self.seconds = seconds

    def _open(self, name: str, mode: str = "rb") -> File:
        if mode != "rb":
            raise ValueError("A stored file is never changed: it can be read only.")
        with _translate_errors(name):
            size = obstore.head(self._store, name)["size"]
        reader = _Reader(self._store, name, size)
        return File(io.BufferedReader(reader, min(PART_BYTES, max(size, 1))), name)

    def _save(self, name: str, content: File) -> str:
        chunks = content.chunks(PART_BYTES)
        first = next(chunks, b"")
        second = next(chunks, b"")
        with _translate_errors(name):
            if second:
                obstore.put(self._store, name, itertools.chain((first, second), chunks), chunk_size=PART_BYTES)
                return name
            while True:
                try:
                    obstore.put(self._store, name, bytes(first), mode="create", use_multipart=False)
                    return name
                except AlreadyExistsError:
                    name = self.get_available_name(name)

    def delete(self, name: str) -> None:
        """Remove a file; quiet when there is none."""
        with _translate_errors(name):
            try:
                obstore.delete(self._store, name)
            except FileNotFoundError:
                return

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name."""
        try:
            self._head(name)
        except FileNotFoundError:
            return False
        return True

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Names of the folders and of the files in a folder; none of either in one that is not there."""
        with _translate_errors(path):
            found = obstore.list_with_delimiter(self._store, path or None)
        folders = [each.rstrip("/").rpartition("/")[2] for each in found["common_prefixes"]]
        # Some servers tell of an empty folder as of a file of the folder's own name.
        names = [each["path"] for each in found["objects"] if each["path"] != path.rstrip("/")]
        return folders, [name.rpartition("/")[2] for name in names]

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return int(self._head(name)["size"])

    def get_modified_time(self, name: str) -> datetime:
        """When a file was stored."""
        moment: datetime = self._head(name)["last_modified"]
        return moment

    def _head(self, name: str) -> Any:
        with _translate_errors(name):
            return obstore.head(self._store, name)

    @property
    def _store(self) -> ObjectStore:
        store, process = self._made
        if process != os.getpid():
            # Its threads did not come along, so that every request would wait for ever.
            raise RuntimeError("The object store was used before this process was forked. Use it after forks only.")
        return store

    @cached_property
    def _made(self) -> tuple[ObjectStore, int]:
        options: ClientConfig = {
            "timeout": timedelta(seconds=self.seconds),
            "connect_timeout": timedelta(seconds=5),
            "allow_http": True,  # Where AWS_ENDPOINT_URL says so: a server of one's own on a private network.
        }
        retries: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=self.seconds)}
        return from_url(self.place, client_options=options, retry_config=retries), os.getpid()


class _Reader(io.RawIOBase):
    """A stored file, fetched range by range as it is read."""

    def __init__(self, store: ObjectStore, name: str, size: int) -> None:
        self._store, self._name, self._size, self._at = store, name, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), PART_BYTES, self._size - self._at)
        if length <= 0:
            return 0
        with _translate_errors(self._name):
            data = obstore.get_range(self._store, self._name, start=self._at, length=length)
        buffer[: len(data)] = memoryview(data)
        self._at += len(data)
        return len(data)


@contextmanager
def _translate_errors(name: str) -> Iterator[None]:
    try:
        yield
    except BaseError as error:
        # Its first line says what happened; the others are for those who write the library.
        said = str(error).partition("\n")[0]
        raise StorageAway(f"the object store does not give or take {name or 'its list of files'}: {said}") from error
