"""Pictures uploaded as documents of their own: PNG, JPEG, WebP, and TIFF with a page for each of its pictures.

A picture is opened by its header alone and refused by its number of pixels before any of them is unpacked.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.scans.pages import READING_DPI, Scan
from vectorless_web.engine.parsing.scans.straighten import GreyPicture

_KINDS = ("PNG", "JPEG", "TIFF", "WEBP")
"""What may be opened. Some cameras write a JPEG with a small one behind it, which Pillow calls MPO."""
_HELD_KINDS = (*_KINDS, "GIF", "BMP")
"""What may be opened of the pictures that stand within another file."""
_LEAST_SIDE, _NARROWEST, _LONGEST_SIDE = 64, 12, 1_400
"""Pixels of the shorter side below which a picture is an icon, times that side from which it is a rule or a banner, and
pixels of the longer side to which a figure is made small: it is shown about 700 wide, on fine screens twice as fine."""
_LEAST_DPI, _MOST_DPI = 100, 1_200
"""Resolutions that are believed: screens and cameras write 72 or 96 whatever the size of what they show."""
_SHORTEST, _LONGEST, _USUAL = 144.0, 2_880.0, 842.0
"""Points of the longer side, at least and at most, that a stated resolution may make; else it is that of A4."""
_LEAST_LINE = 12
"""Pixels of the shorter side below which a picture holds no line of text: the smallest letters that are recognised are
eight pixels high."""
_MOST_ENLARGED = 4.0
"""Times that a picture is enlarged for reading: beyond that, letters of three pixels stay unreadable."""
_SMALLER = 1.4
"""Times READING_DPI above which a picture is made smaller before it is read."""
_DAMAGE = (SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError, struct.error, zlib.error)
"""What Pillow raises of broken files, besides its own OSError."""


@dataclass(frozen=True, slots=True)
class PicturePages:
    """The pages of a picture file, empty before they are read, how to read each, and remarks on what was left out."""

    pages: list[Page]
    scans: list[Scan]
    remarks: list[str]


def read_picture(path: Path, *, limits: CompileLimits) -> PicturePages:
    """The pages of a picture file. UnreadableDocument: `damaged_picture`, `picture_too_large`, `too_many_pages`."""
    with _open_picture(path, limits.pixels) as image:
        count = _count_pages(image)
        if count > limits.pages:
            raise UnreadableDocument(
                f"This file has {count:,} pictures; at most {limits.pages:,} can be read.",
                remedy="Split it into smaller files.",
                code="too_many_pages",
            )
        is_moving = image.format != "TIFF" and getattr(image, "n_frames", 1) > 1 and image.format != "MPO"
        frames = [_measure_frame(image, number, limits.pixels) for number in range(count)]
    pages = [Page(number, *frame.shown, "", frame.shown) for number, frame in enumerate(frames)]
    scans = [
        Scan(page.index, page.shown, partial(_read_grey, path, page, limits.pixels))
        for page, frame in zip(pages, frames, strict=True)
        if frame.narrowest >= _LEAST_LINE
    ]
    remarks = ["This picture moves; its first frame was read."] if is_moving else []
    return PicturePages(pages, scans, remarks)


def draw_picture(path: Path, page_index: int, scale: float, *, limits: CompileLimits) -> Image.Image:
    """A page of a picture file in colour, at most `scale` pixels a point. IndexError where there is none."""
    with _open_picture(path, limits.pixels) as image:
        count = _count_pages(image)
        page = page_index if 0 <= page_index < count else 0
        width, height = _measure_frame(image, page, limits.pixels).shown
        size = (max(round(width * scale), 1), max(round(height * scale), 1))
        if image.format == "JPEG":
            image.draft("RGB", _turn_like(image, size))
        shown = _flatten(image, "RGB")
    if page != page_index:
        raise IndexError(page_index)
    shown.thumbnail(size)
    return shown


@dataclass(frozen=True, slots=True)
class ShrunkPicture:
    """A picture made small, or None where it is too small to be a figure; `pixels` were unpacked."""

    picture: FigurePicture | None
    pixels: int


Cut = tuple[float, float, float, float]
"""What is cut away from a picture at the left, top, right and bottom, as shares of its sides."""
WHOLE: Cut = (0.0, 0.0, 0.0, 0.0)


def shrink_picture(data: bytes, *, pixels: int, cut: Cut = WHOLE) -> ShrunkPicture | None:
    """A picture that is within another file as a small JPEG; None for bytes that are no readable picture."""
    try:
        with _open_picture(io.BytesIO(data), pixels, _HELD_KINDS) as image:
            width, height = image.size
            if min(width, height) < _LEAST_SIDE or max(width, height) > _NARROWEST * min(width, height):
                return ShrunkPicture(None, 0)
            if image.format == "JPEG":
                image.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))
            shown = _cut_away(_flatten(image, "RGB"), cut)
    except (UnreadableDocument, OSError):
        return None
    shown.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    encoded = io.BytesIO()
    shown.save(encoded, "JPEG", quality=85)
    return ShrunkPicture(FigurePicture(shown.width, shown.height, encoded.getvalue()), width * height)


def _cut_away(image: Image.Image, cut: Cut) -> Image.Image:
    left, top, right, bottom = (min(max(share, 0.0), 1.0) for share in cut)
    edges = (
        round(image.width * left),
        round(image.height * top),
        round(image.width * (1 - right)),
        round(image.height * (1 - bottom)),
    )
    if edges[2] - edges[0] < 1 or edges[3] - edges[1] < 1:
        return image.crop((0, 0, 1, 1))
    return image if not any(cut) else image.crop(edges)


@contextmanager
def _open_picture(path: Path | io.BytesIO, pixels: int, kinds: tuple[str, ...] = _KINDS) -> Iterator[Image.Image]:
    """Open a picture file; turn each way in which Pillow fails into UnreadableDocument."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=kinds) as image:
                _check_size(image.size, pixels)
                yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _make_size_error(pixels) from error
    except OSError as error:
        if error.errno is not None:  # the system refused the file; nothing is wrong with it
            raise
        raise _make_damage_error() from error
    except _DAMAGE as error:
        raise _make_damage_error() from error


def _make_damage_error() -> UnreadableDocument:
    return UnreadableDocument(
        "This picture is damaged or cut short.",
        remedy="Save or scan it again and upload the new copy.",
        code="damaged_picture",
    )


def _check_size(size: tuple[int, int], pixels: int) -> None:
    if size[0] * size[1] > pixels:
        raise _make_size_error(pixels, size)


def _make_size_error(pixels: int, size: tuple[int, int] | None = None) -> UnreadableDocument:
    has = f"is {size[0]:,} by {size[1]:,} pixels large" if size else "has far too many pixels"
    return UnreadableDocument(
        f"This picture {has}; at most {pixels // 1_000_000:,} million pixels can be read.",
        remedy="Save it in a lower resolution and upload that.",
        code="picture_too_large",
    )


def _count_pages(image: Image.Image) -> int:
    """Only a TIFF has pages; in the other kinds further pictures are frames of a film, or a small preview."""
    return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


class _Frame(NamedTuple):
    shown: tuple[float, float]
    narrowest: int


def _measure_frame(image: Image.Image, number: int, pixels: int) -> _Frame:
    if number or image.format == "TIFF":
        image.seek(number)
    _check_size(image.size, pixels)
    width, height = _turn_like(image, image.size)
    across, down = _read_resolution(image)
    if across and down:
        size = width * 72 / across, height * 72 / down
        if _SHORTEST <= max(size) <= _LONGEST:
            return _Frame(size, min(image.size))
    scale = _USUAL / max(width, height)
    return _Frame((width * scale, height * scale), min(image.size))


def _read_resolution(image: Image.Image) -> tuple[float, float]:
    """Pixels an inch as the file states them; (0, 0) if they are missing or implausible."""
    try:
        across, down = (float(number) for number in image.info.get("dpi", ()))
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0, 0.0
    believed = all(_LEAST_DPI <= number <= _MOST_DPI for number in (across, down))
    return (across, down) if believed else (0.0, 0.0)


_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)
"""The EXIF field in which a camera says how it was held, and its values for a picture that lies on its side."""


def _turn_like(image: Image.Image, size: tuple[int, int]) -> tuple[int, int]:
    return size[::-1] if image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE else size


def _flatten(image: Image.Image, mode: str) -> Image.Image:
    """The picture turned as its EXIF data says, with white behind transparent pixels."""
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith(("I", "F")):
        numbers = np.asarray(upright).astype(np.float32)
        upright = Image.fromarray(
            (numbers * (255 / max(float(numbers.max(initial=0)), 1.0))).clip(0, 255).astype(np.uint8)
        )
    if upright.has_transparency_data:
        coloured = upright.convert("RGBA")
        upright = Image.new("RGB", coloured.size, "white")
        upright.paste(coloured, mask=coloured.getchannel("A"))
    return upright.convert(mode)


def _read_grey(path: Path, page: Page, pixels: int) -> GreyPicture:
    with _open_picture(path, pixels) as image:
        if page.index:
            image.seek(page.index)
        _check_size(image.size, pixels)
        grey = _flatten(image, "L")
    dpi = 72 * grey.width / page.shown[0]
    if dpi > _SMALLER * READING_DPI:
        grey = grey.reduce(max(1, round(dpi / READING_DPI)))
    elif dpi < READING_DPI:
        times = min(READING_DPI / dpi, _MOST_ENLARGED, (pixels / 2 / (grey.width * grey.height)) ** 0.5)
        if times > 1:
            grey = grey.resize((round(grey.width * times), round(grey.height * times)), Image.Resampling.LANCZOS)
    return GreyPicture(np.asarray(grey), page.shown[0] / grey.width)
