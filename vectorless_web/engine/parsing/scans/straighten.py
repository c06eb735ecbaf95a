"""Makes the picture of a page read from left to right: turned by quarters, its tilt taken out, places mapped back."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class GreyPicture:
    """Brightness (0 black) of each pixel, rows from the top, and how many points of the page a pixel takes."""

    pixels: Grey
    points_a_pixel: float

    @property
    def width(self) -> int:
        """Pixels from side to side."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return int(self.pixels.shape[0])

    @property
    def dpi(self) -> int:
        """Pixels an inch."""
        return round(72 / self.points_a_pixel)

    def encode(self) -> bytes:
        """The picture as a PGM file (netpbm, binary form)."""
        return b"P5 %d %d 255\n" % (self.width, self.height) + self.pixels.tobytes()


@dataclass(frozen=True, slots=True)
class Upright:
    """A straightened picture, and how it was made: quarter turns clockwise, then degrees about its middle."""

    picture: GreyPicture
    turn: int
    tilt: float

    def to_page(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        """A box in pixels of the straightened picture as the smallest box around it in points of the displayed page."""
        corners = [self._to_page(x, y) for x in (left, right) for y in (top, bottom)]
        across, down = zip(*corners, strict=True)
        scale = self.picture.points_a_pixel
        return min(across) * scale, min(down) * scale, max(across) * scale, max(down) * scale

    def _to_page(self, x: float, y: float) -> tuple[float, float]:
        width, height = self.picture.width, self.picture.height
        x, y = rotate_point(x, y, self.tilt, (width / 2, height / 2))
        return ((x, y), (y, width - x), (width - x, height - y), (height - y, x))[self.turn]


def rotate_point(x: float, y: float, degrees: float, middle: tuple[float, float]) -> tuple[float, float]:
    """Where a point of the straightened picture lies in the tilted one."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    across, down = x - middle[0], y - middle[1]
    return middle[0] + cos * across + sin * down, middle[1] - sin * across + cos * down


_COPY = 1000
"""Pixels of the longer side of the copy in which tilt is measured: the best tilt is found within 0.1 degrees."""
_MOST_TILT, _STEP, _FINE_STEP = 5.0, 0.5, 0.1
"""Degrees: greatest tilt that is looked for, steps over all of them, and steps about the best."""
_LEAST_TILT = 0.15
"""Degrees below which a picture is left as it is: turning blurs it more than the tilt harms."""
_INK = 0.45
"""Share of the greatest contrast to the background from which a pixel is ink."""
_TURNED = 0.8
"""How even rows of ink may be, as a share of how uneven its columns are, before the lines may run up and down."""


def straighten(picture: GreyPicture, turn: int) -> Upright:
    """Turn a picture clockwise by `turn` quarters and take out its tilt, of up to 5 degrees either way."""
    turned = GreyPicture(np.ascontiguousarray(np.rot90(picture.pixels, -turn)), picture.points_a_pixel)
    tilt = _find_tilt(*_find_ink(turned.pixels))
    if abs(tilt) < _LEAST_TILT:
        return Upright(turned, turn, 0.0)
    middle = (turned.width / 2, turned.height / 2)
    x, y = rotate_point(0, 0, tilt, middle)
    cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    image = Image.fromarray(turned.pixels)
    background = int(np.median(turned.pixels[::8, ::8]))
    straight = image.transform(
        image.size,
        Image.Transform.AFFINE,
        (cos, sin, x, -sin, cos, y),
        resample=Image.Resampling.BICUBIC,
        fillcolor=background,
    )
    return Upright(GreyPicture(np.asarray(straight), picture.points_a_pixel), turn, tilt)


def may_be_turned(picture: GreyPicture) -> bool:
    """Whether lines of text seem to run up and down: then ink is spread over rows more evenly than over columns."""
    ys, xs, width, height = _find_ink(picture.pixels)
    if not len(ys):
        return False
    rows = max(_measure_sharpness(ys, xs, width, tilt) for tilt in (-2.0, -1.0, 0.0, 1.0, 2.0))
    columns = max(_measure_sharpness(xs, ys, height, tilt) for tilt in (-2.0, -1.0, 0.0, 1.0, 2.0))
    return rows * height < _TURNED * columns * width


Places = NDArray[np.float64]


def _find_ink(pixels: Grey) -> tuple[Places, Places, int, int]:
    """(rows, columns) of the pixels that are ink in a small copy, and its width and height."""
    shrink = max(1, -(-max(pixels.shape) // _COPY))
    image = Image.fromarray(pixels).reduce(shrink)
    grey = np.asarray(image).astype(np.int16)
    contrast = np.abs(grey - np.median(grey))
    ys, xs = np.nonzero(contrast > max(_INK * contrast.max(initial=0), 1))
    return ys.astype(np.float64), xs.astype(np.float64), grey.shape[1], grey.shape[0]


def _find_tilt(ys: Places, xs: Places, width: int, height: int) -> float:
    """Degrees by which lines rise to the right; 0 for a picture without ink."""
    if not len(ys):
        return 0.0
    best = max(
        np.arange(-_MOST_TILT, _MOST_TILT + _STEP / 2, _STEP), key=lambda tilt: _measure_sharpness(ys, xs, width, tilt)
    )
    near = np.arange(best - _STEP, best + _STEP + _FINE_STEP / 2, _FINE_STEP)
    return float(max(near, key=lambda tilt: _measure_sharpness(ys, xs, width, tilt)))


def _measure_sharpness(ys: Places, xs: Places, width: int, tilt: float) -> float:
    """How much the ink of neighbouring rows differs when rows rise by `tilt` degrees: most along lines of text.

    The projection profile of W. Postl, "Detection of linear oblique structures and skew scan in digitized documents"
    (1986): the sum of squared differences of neighbours.
    """
    rows = np.round(ys + (xs - width / 2) * np.tan(np.radians(tilt))).astype(np.int64)
    profile = np.bincount(rows - rows.min()).astype(np.float64)
    return float((np.diff(profile) ** 2).sum())
