"""The cache of page images on disk: one name for each picture, least recently used out first."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

KEEP_SHARE = 0.9
"""How full the cache is left after making room, so that room is not made for every single page."""


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
    """The writing side, for the one process that makes pictures."""

    def __init__(self, root: Path, *, limit_bytes: int) -> None:
        self.root = root
        self.limit_bytes = limit_bytes
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._bytes = sum(path.stat().st_size for path in self._files())

    def write(self, path: Path, data: bytes) -> None:
        """Store a picture so that readers see all of it or nothing, then make room if the limit is passed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".partial-", delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
        self._bytes += len(data)
        if self._bytes > self.limit_bytes:
            self._make_room()

    def _make_room(self) -> None:
        """Remove the pictures that were not used for longest."""
        aged = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self._files())
        self._bytes = sum(size for _, size, _ in aged)
        for _, size, path in aged:
            if self._bytes <= self.limit_bytes * KEEP_SHARE:
                return
            path.unlink(missing_ok=True)
            self._bytes -= size

    def _files(self) -> Iterator[Path]:
        return self.root.glob("??/*.jpg")
