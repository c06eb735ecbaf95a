"""Opens a segment from a file without reading it."""

import mmap
from pathlib import Path

from vectorless_web.engine.index.segment import Segment


def open_segment(path: Path) -> Segment:
    """Map the file; ValueError when it is no segment. The map lives as long as the segment."""
    with path.open("rb") as file:
        return Segment(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
