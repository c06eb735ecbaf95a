"""The straight lines drawn on a PDF page: stroked lines, thin filled rectangles, and the edges of stroked boxes."""

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

_MOST_OBJECTS, _MOST_RULES = 1_500, 4_000
"""Drawn objects of a page above which its lines are not looked for: each letter is an object of its own then, and
asking for all of them takes as long as reading the text (filings of 4,000 objects a page). Rules kept of one page."""
_THIN = 2.5
"""Points up to which a filled rectangle is a line; printers' lines have half a point to two."""
_MOST_SEGMENTS = 400
"""Segments of one path that are looked at; what has more is a drawing."""
_RECTANGLE = 6
"""Segments of a path up to which a stroked one is a box, if it is no line."""
_address, _number = ctypes.c_void_p, ctypes.c_int


def _bind(function: object, *arguments: type) -> Callable[..., int]:
    """A PDFium function with plain integer arguments, which is called for each object of a page."""
    return ctypes.CFUNCTYPE(_number, *arguments)(ctypes.cast(function, _address).value or 0)  # type: ignore[arg-type]


_count_objects = _bind(pdfium_c.FPDFPage_CountObjects, _address)
_object_at = ctypes.CFUNCTYPE(_address, _address, _number)(
    ctypes.cast(pdfium_c.FPDFPage_GetObject, _address).value or 0
)
_type_of = _bind(pdfium_c.FPDFPageObj_GetType, _address)
_bounds_of = _bind(pdfium_c.FPDFPageObj_GetBounds, _address, _address, _address, _address, _address)
_count_segments = _bind(pdfium_c.FPDFPath_CountSegments, _address)
_draw_mode = _bind(pdfium_c.FPDFPath_GetDrawMode, _address, _address, _address)

Edges = tuple[float, float, float, float]


def read_rules(page: pdfium_c.FPDF_PAGE) -> NDArray[np.float32]:
    """The lines of a page as thin boxes (left, top, right, bottom) in page space, y upwards; none on crowded pages."""
    handle = ctypes.cast(page, _address).value or 0
    count = _count_objects(handle)
    found: list[Edges] = []
    if count <= _MOST_OBJECTS:
        bounds = (ctypes.c_float * 4)()
        for number in range(count):
            item = _object_at(handle, number)
            if _type_of(item) == pdfium_c.FPDF_PAGEOBJ_PATH:
                found.extend(_rules_of(item, bounds))
            if len(found) > _MOST_RULES:
                found.clear()
                break
    return np.array(found, dtype=np.float32).reshape(-1, 4)


def _rules_of(path: int, bounds: "ctypes.Array[ctypes.c_float]") -> Iterator[Edges]:
    """The rules of one path; `bounds` is room for four numbers."""
    base = ctypes.addressof(bounds)
    if not _bounds_of(path, base, base + 4, base + 8, base + 12):
        return
    left, bottom, right, top = bounds
    if top - bottom < _THIN or right - left < _THIN:
        yield left, top, right, bottom
        return
    count = _count_segments(path)
    if count > _MOST_SEGMENTS or not _is_stroked(path):
        return
    if count <= _RECTANGLE:
        yield from (
            (left, top, right, top),
            (left, bottom, right, bottom),
            (left, top, left, bottom),
            (right, top, right, bottom),
        )
        return
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
