"""Pictures of PDF pages and the boxes of quotes on them, by character position.

PDFium is not thread-safe: call these from one thread of one process at a time.
Boxes are in PDF points with the origin at the top left of the page as displayed
(crop box and rotation applied).
"""

import ctypes
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.errors import UnreadableDocument

_DEVICE_SCALE = 1000
"""Device units a point in which places are asked for: PDFium rounds them to whole numbers."""
_MAX_PIXELS = 40_000_000
"""Pixels of a page image at most, 120 MB while it is drawn; a larger page is drawn smaller."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points from its top left corner."""

    page_index: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageImage:
    """An encoded picture of a page; width and height in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int


@contextmanager
def _open_document(path: Path) -> Iterator[pdfium.PdfDocument]:
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise UnreadableDocument("This PDF can no longer be opened. Upload it again.", code="damaged_pdf") from error
    try:
        yield document
    finally:
        document.close()


def render_page(path: Path, page_index: int, scale: float = 1.6) -> PageImage:
    """A page as JPEG at `scale` pixels per point (lowered for huge pages)."""
    with _open_document(path) as document:
        page = document[page_index]
        width, height = page.get_size()
        scale = min(scale, (_MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
        image = page.render(scale=scale).to_pil().convert("RGB")
    encoded = io.BytesIO()
    image.save(encoded, "JPEG", quality=80)
    return PageImage(encoded.getvalue(), "image/jpeg", image.width, image.height)


def highlight_boxes(path: Path, spans: Sequence[GlyphSpan]) -> list[Box]:
    """Boxes in points (origin top left) of the spans' characters, one for each printed line, in the order given."""
    boxes: list[Box] = []
    with _open_document(path) as document:
        for page_index in dict.fromkeys(span.page_index for span in spans):
            page = document[page_index]
            textpage = page.get_textpage()
            own = [span for span in spans if span.page_index == page_index]
            upright = _reads_across(page, textpage, own[0].char_index)
            found = [box for span in own for box in _span_boxes(page, textpage, span)]
            boxes.extend(merge_lines(found, upright=upright))
    return boxes


def _span_boxes(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, span: GlyphSpan) -> Iterator[Box]:
    """PDFium's rectangles of a span; many PDFs give one for each glyph."""
    for number in range(textpage.count_rects(span.char_index, span.length)):
        left, bottom, right, top = textpage.get_rect(number)
        yield to_display(page, left, top, right, bottom, span.page_index)


def to_display(page: pdfium.PdfPage, left: float, top: float, right: float, bottom: float, page_index: int = 0) -> Box:
    """A rectangle of page space (origin bottom left) as a box of the displayed page."""
    (x0, y0), (x1, y1) = _to_device(page, left, top), _to_device(page, right, bottom)
    return Box(page_index, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def _to_device(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
    width, height = page.get_size()
    across, down = ctypes.c_int(), ctypes.c_int()
    size = (round(width * _DEVICE_SCALE), round(height * _DEVICE_SCALE))
    pdfium_c.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, ctypes.byref(across), ctypes.byref(down))
    return across.value / _DEVICE_SCALE, down.value / _DEVICE_SCALE


def _reads_across(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, index: int) -> bool:
    """Whether a character's line runs from side to side of the displayed page, not up or down."""
    matrix = pdfium_c.FS_MATRIX()
    sideways = bool(pdfium_c.FPDFText_GetMatrix(textpage, index, matrix)) and abs(matrix.b) > abs(matrix.a)
    return sideways is (int(page.get_rotation()) % 180 != 0)


def merge_lines(boxes: Iterable[Box], *, upright: bool = True) -> list[Box]:
    """Join neighbouring boxes of one printed line: they overlap by half across it and follow each other closely."""
    merged: list[Box] = []
    for box in boxes:
        if merged and _continues_line(merged[-1], box, upright=upright):
            merged[-1] = _union(merged[-1], box)
        else:
            merged.append(box)
    return merged


def _continues_line(before: Box, after: Box, *, upright: bool) -> bool:
    one, other = (_measure_across(box) if upright else _measure_down(box) for box in (before, after))
    sizes = [box[3] - box[2] for box in (one, other)]
    overlap = min(one[3], other[3]) - max(one[2], other[2])
    gap = max(one[0], other[0]) - min(one[1], other[1])
    return before.page_index == after.page_index and overlap >= min(sizes) / 2 and gap <= 2 * max(sizes)


def _measure_across(box: Box) -> tuple[float, float, float, float]:
    """Along the line (from, to), then across it (from, to), for a line that runs from side to side."""
    return box.left, box.right, box.top, box.bottom


def _measure_down(box: Box) -> tuple[float, float, float, float]:
    return box.top, box.bottom, box.left, box.right


def _union(one: Box, other: Box) -> Box:
    return Box(
        one.page_index,
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
