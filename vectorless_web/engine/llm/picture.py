"""The picture of a page as a model is shown it: bounded in pixels and bytes, and named by its hash."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vectorless_web.engine.errors import PictureUnavailable

MOST_SIDE = 1400
"""Pixels of the longer side: an A4 page has 1.66 a point, at which labels of 6 points in a chart can still be read.
Twice as many cost four times the tokens, and most servers scale such a picture down again; half as many blur them."""
MOST_SCALE = 2.0
"""Pixels a point at most: a small page drawn larger shows nothing more."""
MOST_BYTES = 1_500_000
"""Bytes of a JPEG: of MOST_SIDE only a scanned photograph comes near it; several servers refuse 4 to 5 MB."""
SMALLER = (1.0, 0.7, 0.5, 0.35)
"""Shares of the scale that are tried until a picture is small enough."""
PIXELS_A_TOKEN = 750
"""What servers count for a picture lies between 600 and 1,100 pixels a token; the estimate is on the safe side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of a page. `page_index` counts from 0, `width` and `height` are pixels, `size` bytes.

    `data` is b"" where only what was stored of the picture is known, as in a replay.
    """

    document: str
    page_index: int
    sha256: str
    width: int
    height: int
    size: int
    data: bytes = field(default=b"", repr=False, compare=False)

    @property
    def tokens(self) -> int:
        """What a model is held to count for it."""
        return -(-self.width * self.height // PIXELS_A_TOKEN)

    @property
    def place(self) -> tuple[str, int]:
        """The document and the page index."""
        return self.document, self.page_index

    def reference(self) -> dict[str, Any]:
        """The stored form of a picture as JSON values; pages count from 1."""
        return {
            "document": self.document,
            "page": self.page_index + 1,
            "sha256": self.sha256,
            "width": self.width,
            "height": self.height,
            "bytes": self.size,
        }


def picture_from(reference: Mapping[str, Any]) -> Picture:
    """A picture as it was stored, without its data."""
    return Picture(
        document=str(reference["document"]),
        page_index=int(reference["page"]) - 1,
        sha256=str(reference["sha256"]),
        width=int(reference["width"]),
        height=int(reference["height"]),
        size=int(reference["bytes"]),
    )


def draw_picture(
    document: str, page_index: int, points: tuple[float, float], draw: Callable[[float], bytes]
) -> Picture:
    """Draw a page of so many points, as large as a model may be shown it.

    `draw` gives the page as a JPEG at a scale in pixels a point. PictureUnavailable when even a small one is too large.
    """
    longest = max(*points, 1.0)
    scale = min(MOST_SCALE, MOST_SIDE / longest)
    for share in SMALLER:
        data = draw(max(0.01, int(scale * share * 100) / 100))
        width, height = read_jpeg_size(data)
        if len(data) <= MOST_BYTES and max(width, height) <= MOST_SIDE + 2:
            return Picture(document, page_index, hashlib.sha256(data).hexdigest(), width, height, len(data), data)
    raise PictureUnavailable("Its picture is too large to be shown to a model.")


def read_jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the header of a JPEG; PictureUnavailable for what is none."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        # Every start of frame but the tables that share their range of markers.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = (int.from_bytes(data[at + place : at + place + 2], "big") for place in (5, 7))
            if width and height:
                return width, height
        at += 2 + max(2, length)
    raise PictureUnavailable("Its picture cannot be read.")
