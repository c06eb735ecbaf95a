"""Reads the words of PDF pages with their boxes and styles, and gathers them into printed lines.

PDFium's own line breaks cannot be trusted (it joins list items and table rows), so lines
are found again from the words' boxes. Styles are looked up at a few words of a line.
"""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from vectorless_web.engine.parsing.lines import Line, Page, Style, Tone

# Characters PDFium puts where a word was divided at a line's end.
HYPHENS = "\x02\ufffe"
_WORD = re.compile(rf"[^\s{HYPHENS}]+[{HYPHENS}]?|[{HYPHENS}]")
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

# Functions called for each word or style are bound with plain integer arguments: three times quicker.
_address, _number = ctypes.c_void_p, ctypes.c_int


def _bind_function(function: object, result: type, *arguments: type) -> Callable[..., int]:
    address = ctypes.cast(function, _address).value or 0  # type: ignore[arg-type]
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_loose_box = _bind_function(pdfium_c.FPDFText_GetLooseCharBox, _number, _address, _number, _address)
_text_object = _bind_function(pdfium_c.FPDFText_GetTextObject, _address, _address, _number)
_font_of = _bind_function(pdfium_c.FPDFTextObj_GetFont, _address, _address)
_matrix_of = _bind_function(pdfium_c.FPDFText_GetMatrix, _number, _address, _number, _address)
_colour_of = _bind_function(
    pdfium_c.FPDFPageObj_GetFillColor, _number, _address, _address, _address, _address, _address
)


def read_pages(document: pdfium.PdfDocument) -> Iterator[Page]:
    """The pages of an open document, one at a time."""
    for index in range(len(document)):
        page = pdfium_c.FPDF_LoadPage(document, index)
        if not page:
            yield Page(index, 612.0, 792.0, "", (612.0, 792.0))
            continue
        textpage = pdfium_c.FPDFText_LoadPage(page)
        try:
            yield _PageReader(index, page, textpage).read()
        finally:
            pdfium_c.FPDFText_ClosePage(textpage)
            pdfium_c.FPDF_ClosePage(page)


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
    """Reads one loaded page."""

    def __init__(self, index: int, page: pdfium_c.FPDF_PAGE, textpage: pdfium_c.FPDF_TEXTPAGE) -> None:
        self._index, self._page, self._textpage = index, page, textpage
        self._handle = ctypes.cast(textpage, _address).value or 0
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, tuple[bool, bool, str]] = {}
        self._matrix, self._colour = (ctypes.c_float * 6)(), (ctypes.c_uint * 4)()
        self._matrix_address, self._colour_address = ctypes.addressof(self._matrix), ctypes.addressof(self._colour)
        self._text = ""

    def read(self) -> Page:
        shown = pdfium_c.FPDF_GetPageWidthF(self._page), pdfium_c.FPDF_GetPageHeightF(self._page)
        rotated = pdfium_c.FPDFPage_GetRotation(self._page) % 2 == 1
        width, height = shown[::-1] if rotated else shown
        self._text = _CONTROL.sub(" ", raw_text(self._textpage))
        ranges = [list(match.span()) for match in _WORD.finditer(self._text)]
        turns = self._turns(ranges)
        boxes = self._upright(self._boxes(ranges), turns, width, height)
        page = Page(self._index, *((height, width) if turns % 2 else (width, height)), self._text, shown)
        page.spans, page.boxes = np.array(ranges, dtype=np.int32).reshape(-1, 2), boxes
        if ranges:
            page.lines = list(self._lines(ranges, boxes))
        return page

    def _lines(self, spans: list[list[int]], boxes: NDArray[np.float32]) -> Iterator[Line]:
        """The lines of a page; their boxes and gaps are found for all of them at once."""
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

    def _boxes(self, spans: list[list[int]]) -> NDArray[np.float32]:
        """Boxes of words in page space (left, top, right, bottom), from those of their first and last characters."""
        count = len(spans)
        ends = np.zeros((2 * count, 4), dtype=np.float32)
        base, handle, box = ends.ctypes.data, self._handle, _loose_box
        for number, (start, end) in enumerate(spans):
            box(handle, start, base + 32 * number)
            box(handle, end - 1, base + 32 * number + 16)
        pairs = ends.reshape(count, 2, 4)  # left, top, right, bottom; y grows upwards
        left, right = pairs[:, :, 0].min(axis=1), pairs[:, :, 2].max(axis=1)
        top, bottom = pairs[:, :, 1].max(axis=1), pairs[:, :, 3].min(axis=1)
        return np.stack([left, top, right, bottom], axis=1)

    def _upright(self, boxes: NDArray[np.float32], turns: int, width: float, height: float) -> NDArray[np.float32]:
        """Turn page space so that the text reads from left to right: origin top left, crop box applied."""
        left_edge, bottom_edge = self._corner()
        left, top, right, bottom = (boxes - np.array([left_edge, bottom_edge] * 2, dtype=np.float32)).T
        turned = {
            0: (left, height - top, right, height - bottom),
            1: (bottom, left, top, right),
            2: (width - right, bottom, width - left, top),
            3: (width - top, height - right, width - bottom, height - left),
        }[turns]
        return np.stack(turned, axis=1).astype(np.float32)

    def _corner(self) -> tuple[float, float]:
        crop = [ctypes.c_float() for _ in range(4)]
        if not pdfium_c.FPDFPage_GetCropBox(self._page, *map(ctypes.byref, crop)):
            pdfium_c.FPDFPage_GetMediaBox(self._page, *map(ctypes.byref, crop))
        return crop[0].value, crop[1].value

    def _turns(self, spans: list[list[int]]) -> int:
        """Quarter turns (clockwise) that make most of the text upright, from the text matrices of a few words."""
        sampled = spans[:: max(1, len(spans) // _SAMPLES)]
        found = Counter(self._direction(start) for start, _ in sampled)
        return found.most_common(1)[0][0] if found else 0

    def _direction(self, index: int) -> int:
        if not _matrix_of(self._handle, index, self._matrix_address):
            return 0
        return round(math.atan2(self._matrix[1], self._matrix[0]) / (math.pi / 2)) % 4

    def _line_style(self, spans: list[list[int]], first: int, last: int) -> tuple[Style, int, bool]:
        """The style of most of the line, where a differently styled beginning ends, and whether it ends as it looks."""
        start = spans[first][0]
        opening, closing = self._style(start), self._style(spans[last - 1][0])
        style = self._style(spans[(first + last) // 2][0])
        if opening.weight == closing.weight == style.weight:
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
        bold, italic, name = self._fonts[font]
        return Style(self._size(index), bold, italic, self._tone(address), name)

    def _read_font(self, index: int) -> tuple[bool, bool, str]:
        """Whether a font is bold and italic, by its name and flags, and the name without its subset's prefix."""
        buffer, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        pdfium_c.FPDFText_GetFontInfo(self._textpage, index, buffer, 128, ctypes.byref(flags))
        name = buffer.value.decode("utf-8", "replace")
        bold = bool(_BOLD.search(name)) or bool(flags.value & _FORCE_BOLD)
        italic = bool(_ITALIC.search(name)) or bool(flags.value & _ITALIC_FLAG)
        return bold, italic, name.partition("+")[2] or name

    def _size(self, index: int) -> float:
        size = float(pdfium_c.FPDFText_GetFontSize(self._textpage, index))
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
