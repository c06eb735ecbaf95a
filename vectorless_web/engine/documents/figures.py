"""The pictures that figures of a document show: a place on a printed page, or a small JPEG kept in the artefact."""

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FigurePicture:
    """What a figure shows.

    `box` is (left, top, right, bottom) in points from the top left of a printed page; a file without printed pages
    has none, and `data` instead: a JPEG. `width` and `height` are points of the box, or pixels of the JPEG.
    """

    width: float
    height: float
    data: bytes = b""
    box: tuple[float, float, float, float] | None = None


def encode_pictures(pictures: Mapping[int, FigurePicture]) -> dict[str, bytes]:
    """The blocks `figures` and `pictures` of an artefact by the keys of nodes; none for a document without figures."""
    if not pictures:
        return {}
    rows = [
        [key, picture.width, picture.height, len(picture.data), picture.box]
        for key, picture in sorted(pictures.items())
    ]
    data = b"".join(picture.data for _, picture in sorted(pictures.items()))
    return {"figures": json.dumps(rows, separators=(",", ":")).encode(), "pictures": data}


def decode_pictures(figures: bytes | memoryview, data: bytes | memoryview) -> dict[int, FigurePicture]:
    """The pictures by the keys of their nodes; {} for an artefact made before there were any."""
    found: dict[int, FigurePicture] = {}
    place = 0
    for key, width, height, length, box in json.loads(bytes(figures) or b"[]"):
        found[key] = FigurePicture(width, height, bytes(data[place : place + length]), tuple(box) if box else None)
        place += length
    return found
