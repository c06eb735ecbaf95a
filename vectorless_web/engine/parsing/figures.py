"""Figures: the pictures that a file holds, taken within bounds and never fetched, and the captions that name them."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.scans.pictures import WHOLE, Cut, shrink_picture
from vectorless_web.engine.parsing.terms import any_of

LONGEST_CAPTION = 600
"""Characters of a caption at most: the longest read in reports have 400, and a paragraph that names a figure first is
seldom shorter than twice that."""
_FORM = re.compile(
    rf"^({any_of('figure')})(?!\w)\.?\s*([A-Z]?[.-]?\d+(?:[.–-]\d+)*[a-z]?|[IVXL]+|[A-Z])\b\s*([.:|–—-]?)\s*(\w*)",
    re.IGNORECASE,
)
_SPEAKING = re.compile(rf"{any_of('speaks_of_figure')}$", re.I)
"""Words behind a figure's name that make it the beginning of a sentence of the text, and no caption."""
_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|webp|bmp|tiff?)[^,]{0,100};\s*base64,(.*)", re.I | re.S)
_FILE_NAME = re.compile(r"^\S{1,200}\.(?:png|jpe?g|gif|bmp|tiff?|webp|svg|emf|wmf)$", re.IGNORECASE)
_EMPTY_NAME = re.compile(rf"^(?:{any_of('figure')}|graphic|img|logo)?\s*\d*$", re.IGNORECASE)
_BY_A_PROGRAM = re.compile(rf"\s*{any_of('written_by_program')}[^.]*\.?", re.I)


def read_caption(text: str) -> str | None:
    """The name by which a caption calls its figure ("Figure 3"); None for a text that is no caption."""
    match = _FORM.match(text) if len(text) <= LONGEST_CAPTION else None
    if match is None or (_SPEAKING.match(match[4]) and not match[3]):
        return None
    said = match[1].casefold().rstrip(".")
    name = "Figure" if said in ("fig", "figures") else said.capitalize()
    return f"{name} {match[2]}"


def clean_description(text: str) -> str:
    """A picture's description for people who cannot see it; "" for a name or number that a program wrote."""
    said = " ".join(_BY_A_PROGRAM.sub("", text).split())
    return "" if _FILE_NAME.match(said) or _EMPTY_NAME.match(said) else said[:LONGEST_CAPTION]


def read_data_address(address: str) -> bytes | None:
    """The bytes of a picture that is in Base64 within its address (RFC 2397); None for any other address."""
    match = _DATA.match(address.strip())
    try:
        return base64.b64decode("".join(match[1].split()), validate=True) if match else None
    except (binascii.Error, ValueError):
        return None


def _find_nothing(address: str) -> bytes | None:
    return None


@dataclass(slots=True)
class PictureShelf:
    """The pictures of one file, each once and made small, within the limits of number, bytes and pixels.

    `find` gives the bytes of a part of the file by its address; nothing outside the file is ever asked for.
    """

    find: Callable[[str], bytes | None] = _find_nothing
    limits: CompileLimits = field(default_factory=CompileLimits)
    taken: int = 0
    size: int = 0
    pixels: int = 0
    beyond: int = 0
    unread: int = 0
    _seen: set[str] = field(default_factory=set)

    def take(self, data: bytes | None, cut: Cut = WHOLE) -> FigurePicture | None:
        """The picture in these bytes; None if it is too small, taken already or beyond a limit.

        `cut` is what the document does not show of it: nobody is to see that here either.
        """
        if not data:
            return None
        digest = hashlib.sha256(data + repr(cut).encode()).hexdigest()
        if digest in self._seen:
            return None
        self._seen.add(digest)
        limits = self.limits
        if self.taken >= limits.pictures or self.size >= limits.picture_bytes or self.pixels >= limits.picture_pixels:
            self.beyond += 1
            return None
        shrunk = shrink_picture(data, pixels=min(limits.pixels, limits.picture_pixels - self.pixels), cut=cut)
        if shrunk is None:
            self.unread += 1
            return None
        self.pixels += shrunk.pixels
        if shrunk.picture is not None:
            self.taken += 1
            self.size += len(shrunk.picture.data)
        return shrunk.picture

    def take_address(self, address: str, cut: Cut = WHOLE) -> FigurePicture | None:
        """The picture at an address within the file."""
        data = read_data_address(address) if address[:5].lower() == "data:" else self.find(address)
        return self.take(data, cut)

    def tell(self) -> list[str]:
        """Sentences on pictures that were left out."""
        told = []
        if self.beyond:
            told.append(
                f"{self.taken:,} pictures of this file are shown; {self.beyond:,} more {_was(self.beyond)} left out."
            )
        if self.unread:
            told.append(f"{self.unread:,} picture{'' if self.unread == 1 else 's'} of this file cannot be shown here.")
        return told


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
