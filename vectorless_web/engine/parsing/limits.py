"""Limits of a compilation; the application sets them and tells users before an upload."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_SMALL = 8 * 1024 * 1024
"""A part that unpacks to less is read however tightly it is packed."""


@dataclass(frozen=True, slots=True)
class CompileLimits:
    """Limits of one file. A file beyond one of them is refused with a sentence; more headings become text.

    The values were chosen by hand: far above any document people read, low enough that one file cannot fill the
    memory, the disk or the time of a worker.
    """

    pages: int = 5_000
    """Pages of a PDF; the longest filing measured has 549."""
    bytes: int = 200 * 1024 * 1024
    """Size of the file."""
    characters: int = 60_000_000
    """Characters of all text together."""
    members: int = 10_000
    """Files inside a Word document, which is a ZIP."""
    unpacked: int = 1024 * 1024 * 1024
    """Bytes of all these files unpacked."""
    part: int = 64 * 1024 * 1024
    """Bytes of one of them that is read, unpacked."""
    ratio: int = 400
    """Times that one of them may be smaller packed than unpacked; a ZIP bomb packs a thousand times."""
    sections: int = 20_000
    """Headings of an outline: twice those of the longest filings, and a page or a model goes through them in a second.
    The others become text."""
    artefact: int = 512 * 1024 * 1024
    """Bytes of the artefact made of a file."""
    artefact_ratio: int = 50
    """Times its file that an artefact may be large: plain text makes 5 to 15, headings alone 30."""
    artefact_floor: int = 64 * 1024 * 1024
    """Bytes below which that ratio is not asked for, since packed text makes more."""
    scans: int = 2_000
    """Pages of a file that are read by text recognition: at two seconds each, an hour of a worker."""
    seconds: float = math.inf
    """Seconds for which pages are read, text recognition included. Those after them stay unread, and it is told."""
    pictures: int = 200
    """Pictures of a file that are shown beside their captions; a manual full of screenshots has as many."""
    picture_bytes: int = 24 * 1024 * 1024
    """Bytes of these pictures together, made small: 200 of 120 KB."""
    picture_pixels: int = 400_000_000
    """Pixels of these pictures together that are unpacked: at 50 million a second, eight seconds."""
    pixels: int = 80_000_000
    """Pixels of a picture, 240 MB in colour: a page of A3 at 600 dpi has 70 million. A page of a PDF is drawn in half
    as many at most."""

    def is_bomb(self, sizes: Sequence[tuple[int, int]]) -> bool:
        """Whether the files of a ZIP, by their bytes (packed, unpacked), are too many, too large or too tight."""
        too_tight = any(large > _SMALL and large > self.ratio * max(small, 1) for small, large in sizes)
        return len(sizes) > self.members or sum(large for _, large in sizes) > self.unpacked or too_tight
