"""Writes small PDFs for tests: lines of text, rules and pictures at chosen places, with bookmarks if wanted."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = 612, 792
_FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "italic": "Helvetica-Oblique", "typed": "Courier"}
_PICTURE = ImageReader(Image.frombytes("RGB", (2, 2), bytes.fromhex("ff000000ff000000ffffff00")))


@dataclass(frozen=True)
class Text:
    """One stretch of text: left edge and baseline in points from the top left of the page.

    One that is not painted is what a machine has read, under the picture of a scan.
    """

    x: float
    y: float
    words: str
    size: float = 10
    font: str = "plain"
    painted: bool = True

    def draw(self, canvas: Canvas) -> None:
        canvas.setFont(_FONTS[self.font], self.size)
        canvas.drawString(self.x, HEIGHT - self.y, self.words, mode=0 if self.painted else 3)


@dataclass(frozen=True)
class Rule:
    """A line drawn from one point to another, in points from the top left of the page."""

    x: float
    y: float
    to_x: float
    to_y: float

    def draw(self, canvas: Canvas) -> None:
        canvas.setLineWidth(0.5)
        canvas.line(self.x, HEIGHT - self.y, self.to_x, HEIGHT - self.to_y)


@dataclass(frozen=True)
class Drawn:
    """A picture of four coloured squares: its left and upper edge and its size in points."""

    x: float
    y: float
    width: float
    height: float

    def draw(self, canvas: Canvas) -> None:
        canvas.drawImage(_PICTURE, self.x, HEIGHT - self.y - self.height, self.width, self.height)


def prose(
    x: float, y: float, count: int, words: str = "The committee read the measured tides and noted them."
) -> list[Text]:
    """`count` lines of a paragraph of about 90 characters each."""
    line = (words + " ") * 2
    return [Text(x, y + 12 * number, line[:90].strip()) for number in range(count)]


def pdf(
    pages: Sequence[Sequence[Text | Rule | Drawn]], *, bookmarks: Sequence[tuple[str, int]] = (), rotate: int = 0
) -> bytes:
    """The bytes of a PDF; `bookmarks` are (title, page index)."""
    buffer = io.BytesIO()
    # The library gives a page that lies on its side the size that it is shown in.
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT) if rotate % 180 == 0 else (HEIGHT, WIDTH))
    canvas.setPageRotation(rotate)
    for title, _page in bookmarks:
        canvas.addOutlineEntry(title, title)
    for number, items in enumerate(pages):
        for title, page in bookmarks:
            if page == number:
                canvas.bookmarkPage(title)
        for item in items:
            item.draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
