"""The characters of PDF pages: words gathered into printed lines, pictures of pages, and the boxes of quotes on them.

PDFium's own line breaks cannot be trusted (it joins list items and table rows), so lines
are found again from the words' boxes. Styles are looked up at a few words of a line.

PDFium is not thread-safe: call these from one thread of one process at a time.
Boxes are in PDF points with the origin at the top left of the page as displayed
(crop box and rotation applied).
"""

import ctypes
import io
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import groupby, repeat
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.lines import Line, Page, Style, Tone
from vectorless_web.engine.parsing.pdf.figures import list_drawings, list_pictures, names_figure
from vectorless_web.engine.parsing.pdf.rules import bind_function, is_crowded, list_objects, read_rules

# Characters PDFium puts where a word was divided at a line's end.
HYPHENS = "\x02\ufffe"
_BOLD = re.compile(r"bold|black|heavy|semib|demi", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique", re.IGNORECASE)
_FORCE_BOLD, _ITALIC_FLAG = 1 << 18, 1 << 6
_SAME_LINE = 0.5
"""Share of the lower of two words by which they must overlap in height to stand on one line."""
_SAME_HEIGHT = 0.1
"""Share of the lower word within which feet of words are at the same height; a jump back on one line is no new line."""
_SAMPLES = 8
"""Words of a page whose direction is looked at, evenly spread, to find out how the page is turned."""
_GAP = 0.33
"""Heights of a word above which a gap is wider than a space, so that the line may be a row of a table."""
_NEAR_BLACK = 90
"""Greatest part of red, green or blue, of 255, up to which text counts as black."""
_CONTROL = re.compile(r"[\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f]")
PLAIN = Style(10.0, False, False, Tone.BLACK, "")
"""Style of a page without text."""

_address, _number = ctypes.c_void_p, ctypes.c_int


_loose_box = bind_function(pdfium_c.FPDFText_GetLooseCharBox, _number, _address, _number, _address)
_text_object = bind_function(pdfium_c.FPDFText_GetTextObject, _address, _address, _number)
_paint_of = bind_function(pdfium_c.FPDFTextObj_GetTextRenderMode, _number, _address)
_font_of = bind_function(pdfium_c.FPDFTextObj_GetFont, _address, _address)
_matrix_of = bind_function(pdfium_c.FPDFText_GetMatrix, _number, _address, _number, _address)
_font_size = bind_function(pdfium_c.FPDFText_GetFontSize, ctypes.c_double, _address, _number)
_colour_of = bind_function(pdfium_c.FPDFPageObj_GetFillColor, _number, _address, _address, _address, _address, _address)


def read_pages(document: pdfium.PdfDocument, fences: Fences, *, pictures: bool = False) -> Iterator[Page]:
    """The pages of an open document, one at a time; with the places of their pictures if they are wanted."""
    for index in range(len(document)):
        page = pdfium_c.FPDF_LoadPage(document, index)
        if not page:
            yield Page(index, 612.0, 792.0, "", (612.0, 792.0))
            continue
        textpage = pdfium_c.FPDFText_LoadPage(page)
        try:
            reader = _PageReader(index, page, textpage, fences)
            read = reader.read()
            fences.read("places of pictures", index, partial(_add_pictures, reader, page, read, pictures), None)
            yield read
        finally:
            pdfium_c.FPDFText_ClosePage(textpage)
            pdfium_c.FPDF_ClosePage(page)


def _add_pictures(reader: "_PageReader", page: pdfium_c.FPDF_PAGE, read: Page, pictures: bool) -> None:
    if pictures:
        read.pictures = list_pictures(page, reader.objects, reader.corner(), read.shown)
    if names_figure(read.text):
        read.drawings = list_drawings(page, reader.objects, reader.corner(), read.shown)


def raw_text(textpage: pdfium_c.FPDF_TEXTPAGE) -> str:
    """The text of a page: character i is the one with PDFium's character index i."""
    count = pdfium_c.FPDFText_CountChars(textpage)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium_c.FPDFText_GetText(textpage, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * written].decode("utf-16-le", "replace") if written == count else ""
    if len(text) == count:
        return text
    # Surrogate pairs and characters PDFium leaves out shift its text; ask for each character then.
    return "".join(_character(pdfium_c.FPDFText_GetUnicode(textpage, index)) for index in range(count))


def _character(code: int) -> str:
    return "\ufffd" if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code or 0)


class _PageReader:
    def __init__(self, index: int, page: pdfium_c.FPDF_PAGE, textpage: pdfium_c.FPDF_TEXTPAGE, fences: Fences) -> None:
        self._index, self._page, self._textpage, self._fences = index, page, textpage, fences
        self._handle = ctypes.cast(textpage, _address).value or 0
        self._styles: dict[int, Style] = {}
        self._known: dict[tuple[float, bool, bool, str, Tone], Style] = {}
        self._fonts: dict[int, tuple[bool, bool, str]] = {}
        self._matrix, self._colour = (ctypes.c_float * 6)(), (ctypes.c_uint * 4)()
        self._matrix_address, self._colour_address = ctypes.addressof(self._matrix), ctypes.addressof(self._colour)
        self._text = ""

    def read(self) -> Page:
        shown = pdfium_c.FPDF_GetPageWidthF(self._page), pdfium_c.FPDF_GetPageHeightF(self._page)
        rotated = pdfium_c.FPDFPage_GetRotation(self._page) % 2 == 1
        width, height = shown[::-1] if rotated else shown
        self._text = _CONTROL.sub(" ", raw_text(self._textpage))
        spans = find_words(self._text)
        ranges = spans.tolist()
        turns = self._turns(ranges)
        boxes = self._upright(self._boxes(spans), turns, width, height)
        page = Page(self._index, *((height, width) if turns % 2 else (width, height)), self._text, shown)
        page.spans, page.boxes = spans, boxes
        if ranges:
            page.lines = list(self._lines(ranges, boxes))
        # Where words stand apart the page may hold a table.
        if any(line.gapped for line in page.lines):
            page.is_scanned = self._is_unseen(ranges)
            page.rules = self._fences.read(
                "drawn lines", self._index, lambda: self._find_rules(turns, width, height), page.rules
            )
        return page

    def _find_rules(self, turns: int, width: float, height: float) -> NDArray[np.float32]:
        """The drawn lines of the page as upright boxes (left, top, right, bottom); none on a crowded page."""
        if is_crowded(self._page):
            return np.zeros((0, 4), dtype=np.float32)
        return self._upright(read_rules(self.objects), turns, width, height)

    @cached_property
    def objects(self) -> Sequence[tuple[int, int]]:
        """(address, type) of what is drawn on the page besides text."""
        return list_objects(self._page)

    def _lines(self, spans: Sequence[tuple[int, int]], boxes: NDArray[np.float32]) -> Iterator[Line]:
        starts = _line_starts(boxes)
        ends = [*starts[1:], len(boxes)]
        low = np.minimum.reduceat(boxes, starts, axis=0)[:, :2].tolist()
        high = np.maximum.reduceat(boxes, starts, axis=0)[:, 2:].tolist()
        gaps = _gaps_before(boxes)
        for first, last, (left, top), (right, bottom) in zip(starts, ends, low, high, strict=True):
            start, end = spans[first][0], spans[last - 1][1]
            style, lead, even = self._line_style(spans, first, last)
            gapped = bool(gaps[last - 1] > gaps[first])
            text, words = self._text[start:end], (first, last)
            yield Line(self._index, start, end, text, left, top, right, bottom, style, words, lead, gapped, even)

    def _boxes(self, spans: NDArray[np.int32]) -> NDArray[np.float32]:
        asked = (spans - np.array([0, 1], dtype=np.int32)).ravel().tolist()
        ends = np.zeros((len(asked), 4), dtype=np.float32)
        base = ends.ctypes.data
        places = range(base, base + ends.nbytes, ends.itemsize * 4)
        deque(map(_loose_box, repeat(self._handle), asked, places), maxlen=0)
        first, last = ends[::2], ends[1::2]  # left, top, right, bottom; y grows upwards
        boxes = np.maximum(first, last)
        np.minimum(first[:, ::3], last[:, ::3], out=boxes[:, ::3])
        return boxes

    def _upright(self, boxes: NDArray[np.float32], turns: int, width: float, height: float) -> NDArray[np.float32]:
        """Turn page space so that the text reads from left to right: origin top left, crop box applied."""
        left_edge, bottom_edge = self.corner()
        left, top, right, bottom = (boxes - np.array([left_edge, bottom_edge] * 2, dtype=np.float32)).T
        turned = {
            0: (left, height - top, right, height - bottom),
            1: (bottom, left, top, right),
            2: (width - right, bottom, width - left, top),
            3: (width - top, height - right, width - bottom, height - left),
        }[turns]
        return np.stack(turned, axis=1).astype(np.float32)

    def corner(self) -> tuple[float, float]:
        """The lower left corner of what is displayed of the page, in page space."""
        crop = [ctypes.c_float() for _ in range(4)]
        if not pdfium_c.FPDFPage_GetCropBox(self._page, *map(ctypes.byref, crop)):
            pdfium_c.FPDFPage_GetMediaBox(self._page, *map(ctypes.byref, crop))
        return crop[0].value, crop[1].value

    def _turns(self, spans: Sequence[tuple[int, int]]) -> int:
        """Quarter turns (clockwise) that make most of the text upright, from the text matrices of a few words."""
        sampled = spans[:: max(1, len(spans) // _SAMPLES)]
        found = Counter(self._direction(start) for start, _ in sampled)
        return found.most_common(1)[0][0] if found else 0

    def _is_unseen(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether the text is invisible, as under a scan: none of a few sampled words is painted."""
        sampled = (_text_object(self._handle, start) for start, _ in spans[:: max(1, len(spans) // _SAMPLES)])
        return all(found and _paint_of(found) == pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE for found in sampled)

    def _direction(self, index: int) -> int:
        if not _matrix_of(self._handle, index, self._matrix_address):
            return 0
        return round(math.atan2(self._matrix[1], self._matrix[0]) / (math.pi / 2)) % 4

    def _line_style(self, spans: Sequence[tuple[int, int]], first: int, last: int) -> tuple[Style, int, bool]:
        """(style of the middle, end of a differently styled beginning, whether the line ends in the same style)."""
        start = spans[first][0]
        opening, closing = self._style(start), self._style(spans[last - 1][0])
        style = self._style(spans[(first + last) // 2][0])
        if opening is closing is style or opening.weight == closing.weight == style.weight:
            return style, start, True
        even = (closing.bold, closing.italic, closing.tone) == (style.bold, style.italic, style.tone)
        for number in range(first + 1, last):
            if self._style(spans[number][0]).weight != opening.weight:
                return style, spans[number - 1][1], even
        return style, start, even

    def _style(self, index: int) -> Style:
        address = _text_object(self._handle, index) or 0
        style = self._styles.get(address)
        if style is None:
            style = self._styles[address] = self._read_style(index, address) if address else PLAIN
        return style

    def _read_style(self, index: int, address: int) -> Style:
        font = _font_of(address) or 0
        if font not in self._fonts:
            self._fonts[font] = self._read_font(index)
        looks = (self._size(index), *self._fonts[font], self._tone(address))
        style = self._known.get(looks)
        if style is None:
            size, bold, italic, name, tone = looks
            style = self._known[looks] = Style(size, bold, italic, tone, name)
        return style

    def _read_font(self, index: int) -> tuple[bool, bool, str]:
        buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._textpage, index, buffer, 128, ctypes.byref(flags))
        name = buffer.value.decode("utf-8", "replace")
        bold = bool(_BOLD.search(name)) or bool(flags.value & _FORCE_BOLD)
        italic = bool(_ITALIC.search(name)) or bool(flags.value & _ITALIC_FLAG)
        return bold, italic, name.partition("+")[2] or name

    def _size(self, index: int) -> float:
        size: float = _font_size(self._handle, index)
        if _matrix_of(self._handle, index, self._matrix_address):
            size *= float(self._matrix[1] ** 2 + self._matrix[3] ** 2) ** 0.5
        return round(size * 2) / 2

    def _tone(self, address: int) -> Tone:
        base = self._colour_address
        if not _colour_of(address, base, base + 4, base + 8, base + 12):
            return Tone.BLACK
        red, green, blue = self._colour[:3]
        if max(red, green, blue) <= _NEAR_BLACK:
            return Tone.BLACK
        if blue > 170 and red < 70 and green < 130:
            return Tone.LINK
        return Tone.REVERSED if min(red, green, blue) > 240 else Tone.COLOUR


_PRINTED, _SPACE, _HYPHEN = range(3)
_KINDS = np.full((1 << 16) + 1, _PRINTED, dtype=np.uint8)
_KINDS[[code for code in range(1 << 16) if chr(code).isspace()]] = _SPACE
_KINDS[[ord(mark) for mark in HYPHENS]] = _HYPHEN
"""What a character is to words, by its code; the last entry stands for all beyond."""


def find_words(text: str) -> NDArray[np.int32]:
    """(start, end) of each word: printed characters between white space, up to a mark of HYPHENS and with it.

    As the pattern `[^\\s{HYPHENS}]+[{HYPHENS}]?|[{HYPHENS}]` finds them one by one, at half its time.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = np.full(len(codes) + 2, _SPACE, dtype=_KINDS.dtype)
    kinds[1:-1] = _KINDS[np.minimum(codes, len(_KINDS) - 1)]
    own, before, after = kinds[1:-1], kinds[:-2], kinds[2:]
    starts = (own != _SPACE) & (before != _PRINTED)
    ends = (own == _HYPHEN) | ((own == _PRINTED) & (after == _SPACE))
    return np.stack([np.flatnonzero(starts), np.flatnonzero(ends) + 1], axis=1).astype(np.int32)


def _line_starts(boxes: NDArray[np.float32]) -> list[int]:
    """Numbers of the words that start a printed line.

    The boxes of neighbours overlap vertically by half of the smaller height; a jump back to
    the left starts a new line unless both stand at the very same height (right-to-left text).
    """
    left, top, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 3]
    overlap = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    height = bottom - top
    smaller = np.minimum(height[1:], height[:-1])
    back = (left[1:] < left[:-1] - 2 * smaller) & (np.abs(bottom[1:] - bottom[:-1]) > _SAME_HEIGHT * smaller)
    breaks = np.nonzero((overlap < _SAME_LINE * smaller) | back)[0] + 1
    return [0, *breaks.tolist()]


def _gaps_before(boxes: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each word how many words up to it stand apart from the word before them."""
    height = boxes[:, 3] - boxes[:, 1]
    gap = boxes[1:, 0] - boxes[:-1, 2]
    apart = (gap > _GAP * height[1:]) | (gap < -height[1:])
    return np.concatenate([[0], np.cumsum(apart)])


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
        raise UnreadableDocument(
            "This PDF can no longer be opened.", remedy="Upload it again.", code="damaged_pdf"
        ) from error
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


def word_boxes(path: Path, spans: Sequence[GlyphSpan]) -> list[Box | None]:
    """One box in points (origin top left) around each span's characters; None for one that shows nothing."""
    boxes: list[Box | None] = []
    with _open_document(path) as document:
        for page_index, own in groupby(spans, key=lambda span: span.page_index):
            page = document[page_index]
            textpage = page.get_textpage()
            for span in own:
                found = list(_span_boxes(page, textpage, span))
                boxes.append(reduce(_union, found) if found else None)
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
