"""The cache of page images on disk: one name for each picture, least recently used out first."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KEEP_SHARE = 0.9
"""How full the cache is left after making room, so that room is not made for every single page."""
RECOUNT_SHARE = 0.02
"""How much of the limit one process writes before it counts again what all have written."""


def image_path(root: Path, sha256: str, page_index: int, scale: float) -> Path:
    """Where the picture of a page lies; pages from 0, `scale` in pixels a point."""
    return root / sha256[:2] / f"{sha256}-{page_index}-{round(scale * 100)}.jpg"


def touch(path: Path) -> bool:
    """Mark a picture as just used; false when it is not there."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


class PageCache:
    """The writing side, for each of the processes that make pictures."""

    def __init__(self, root: Path, *, limit_bytes: int) -> None:
        self.root = root
        self.limit_bytes = limit_bytes
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._written = 0

    def write(self, path: Path, data: bytes) -> None:
        """Store a picture so that readers see all of it or nothing, then make room if the limit is passed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".partial-", delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
        self._written += len(data)
        if self._written > self.limit_bytes * RECOUNT_SHARE:
            self._written = 0
            self._make_room()

    def _make_room(self) -> None:
        """Remove the pictures that were not used for longest, if there are more than the limit allows."""
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
        """(last use, bytes, path) of each picture; others may remove some meanwhile."""
        for path in self.root.glob("??/*.jpg"):
            with suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime, status.st_size, path
