"""The straight lines drawn on a PDF page: stroked lines, thin filled rectangles, and the edges of stroked boxes."""

import ctypes
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

_MOST_OBJECTS, _MOST_RULES = 1_500, 4_000
"""Drawn objects of a page above which its lines are not looked for: each letter is an object of its own then, and
asking for all of them takes as long as reading the text (filings of 4,000 objects a page). Rules kept of one page."""
_LOOKED_AT = 6_000
"""Objects of a page that are looked at for whatever is no text; more are strips of one picture or strokes of a map."""
_THIN = 2.5
"""Points up to which a filled rectangle is a line; printers' lines have half a point to two."""
_MOST_SEGMENTS = 400
"""Segments of one path that are looked at; what has more is a drawing."""
_RECTANGLE = 6
"""Segments of a path up to which a stroked one is a box, if it is no line."""
_address, _number = ctypes.c_void_p, ctypes.c_int


def bind_function(function: object, result: type, *arguments: type) -> Callable[..., Any]:
    """A PDFium function with plain integer arguments, three times quicker, for each object or word of a page.

    It keeps the interpreter's lock: to give it up and take it again costs a tenth of so short a call.
    """
    address = ctypes.cast(function, _address).value or 0  # type: ignore[arg-type]
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


_count_objects = bind_function(pdfium_c.FPDFPage_CountObjects, _number, _address)
_object_at = bind_function(pdfium_c.FPDFPage_GetObject, _address, _address, _number)
_type_of = bind_function(pdfium_c.FPDFPageObj_GetType, _number, _address)
_bounds_of = bind_function(pdfium_c.FPDFPageObj_GetBounds, _number, _address, _address, _address, _address, _address)
_count_segments = bind_function(pdfium_c.FPDFPath_CountSegments, _number, _address)
_draw_mode = bind_function(pdfium_c.FPDFPath_GetDrawMode, _number, _address, _address, _address)

Edges = tuple[float, float, float, float]


def list_objects(page: pdfium_c.FPDF_PAGE) -> list[tuple[int, int]]:
    """(address, type) of what is drawn on a page besides text, among its first objects."""
    handle = ctypes.cast(page, _address).value or 0
    text = pdfium_c.FPDF_PAGEOBJ_TEXT
    count = min(_count_objects(handle), _LOOKED_AT)
    things = list(map(_object_at, repeat(handle, count), range(count)))
    return [(thing, kind) for thing, kind in zip(things, map(_type_of, things), strict=True) if kind != text]


def is_crowded(page: pdfium_c.FPDF_PAGE) -> bool:
    """Whether a page has so many objects that its lines are not looked for."""
    return bool(_count_objects(ctypes.cast(page, _address).value or 0) > _MOST_OBJECTS)


def read_rules(objects: Iterable[tuple[int, int]]) -> NDArray[np.float32]:
    """The lines among the objects of a page as thin boxes (left, top, right, bottom) in page space, y upwards.

    None of a page with more of them than any table has.
    """
    found: list[Edges] = []
    bounds = (ctypes.c_float * 4)()
    base = ctypes.addressof(bounds)
    for item, kind in objects:
        if kind != pdfium_c.FPDF_PAGEOBJ_PATH or not _bounds_of(item, base, base + 4, base + 8, base + 12):
            continue
        left, bottom, right, top = bounds
        if top - bottom < _THIN or right - left < _THIN:
            found.append((left, top, right, bottom))
        elif _is_stroked(item):
            found.extend(_rules_of(item, (left, top, right, bottom)))
        if len(found) > _MOST_RULES:
            return np.zeros((0, 4), dtype=np.float32)
    return np.array(found, dtype=np.float32).reshape(-1, 4)


def _rules_of(path: int, box: Edges) -> Iterator[Edges]:
    """The lines of a stroked path that fills a box: the box's edges, or the straight ones among its segments."""
    left, top, right, bottom = box
    count = _count_segments(path)
    if count <= _RECTANGLE:
        yield from ((left, top, right, top), (left, bottom, right, bottom))
        yield from ((left, top, left, bottom), (right, top, right, bottom))
    elif count <= _MOST_SEGMENTS:
        yield from _segments_of(path, count)


def _is_stroked(path: int) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    _draw_mode(path, ctypes.addressof(fill), ctypes.addressof(stroke))
    return bool(stroke.value)


def _segments_of(path: int, count: int) -> Iterator[Edges]:
    """The upright and level lines among the segments of a path, turned into page space."""
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFPageObj_GetMatrix(ctypes.cast(path, pdfium_c.FPDF_PAGEOBJECT), matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    before: tuple[float, float] | None = None
    for number in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(ctypes.cast(path, pdfium_c.FPDF_PAGEOBJECT), number)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if kind == pdfium_c.FPDF_SEGMENT_LINETO and before is not None:
            (left, right), (bottom, top) = sorted((before[0], point[0])), sorted((before[1], point[1]))
            if right - left < _THIN or top - bottom < _THIN:
                yield left, top, right, bottom
        before = point
