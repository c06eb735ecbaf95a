"""Folders of this machine that hold what can be fetched or made again: copies of stored files, pictures of pages."""

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

KEEP_SHARE = 0.9
"""How full a cache is left after making room, so that room is not made for every single file."""
RECOUNT_SHARE = 0.02
"""Of the limit: about so much is written, by all processes together, between two counts of what is there."""


class CacheFolder:
    """Files in folders of two letters, at most `limit_bytes` of them; those not used for longest go first."""

    def __init__(self, root: Path, *, limit_bytes: int) -> None:
        self.root = root
        self.limit_bytes = limit_bytes
        root.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def write(self, path: Path) -> Iterator[IO[bytes]]:
        """Context to fill a file in: readers see all of it, or nothing after an error. Then room is made."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".partial-", delete=False) as file:
            try:
                yield file
                file.flush()
                size = os.fstat(file.fileno()).st_size
                os.replace(file.name, path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
        # Left to chance, so that processes that write one file each need not know of each other.
        if random.random() * self.limit_bytes * RECOUNT_SHARE < size:
            self._make_room()

    def _make_room(self) -> None:
        """Remove the files that were not used for longest, if there are more than the limit allows."""
        aged = sorted(self._files())
        size = sum(size for _, size, _ in aged)
        if size <= self.limit_bytes:
            return
        for _, bytes_, path in aged:
            if size <= self.limit_bytes * KEEP_SHARE:
                return
            path.unlink(missing_ok=True)
            size -= bytes_

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """(last use, bytes, path) of each file; others may remove some meanwhile."""
        for path in self.root.glob("??/[!.]*"):
            with suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime, status.st_size, path


def touch(path: Path) -> bool:
    """Mark a file as just used; false when it is not there."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True
