"""Pictures of pages, drawn as small as text recognition can read them."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from vectorless_web.engine.parsing.scans.recognition import SeenWord
from vectorless_web.engine.parsing.scans.straighten import GreyPicture

DPI = 150
"""Pixels an inch of the pictures."""
HARBOUR = (
    "Harbour report for the year 2024",
    "The harbour was dredged in March and in April by two ships.",
    "Its depth is now 14.5 metres at every quay of the port.",
    "Ships that called there paid 1,577 million crowns in fees,",
    "which is more than the 1,204 million of the year before.",
)
LETTER_PIXELS = 26


def page(lines: Sequence[str] = HARBOUR, *, tilt: float = 0.0, turn: int = 0) -> Image.Image:
    """A page of A4 with the lines on it, tilted by degrees (rising to the right), turned clockwise by quarters."""
    size = (round(A4[0] / 72 * DPI), round(A4[1] / 72 * DPI))
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(LETTER_PIXELS)
    for number, line in enumerate(lines):
        draw.text((140, 200 + 46 * number), line, fill=0, font=font)
    if tilt:
        image = image.rotate(tilt, resample=Image.Resampling.BICUBIC, fillcolor=255)
    return image.rotate(-90 * turn, expand=True) if turn else image


def scanned_pdf(pages: Sequence[Image.Image], *, under: Sequence[str] = ()) -> bytes:
    """A PDF of pictures, each on a page of its own size; `under`: text of the first page that the picture hides."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for number, picture in enumerate(pages):
        size = picture.width * 72 / DPI, picture.height * 72 / DPI
        canvas.setPageSize(size)
        for place, line in enumerate(under if number == 0 else ()):
            canvas.drawString(60, 700 - 14 * place, line)
        canvas.drawInlineImage(picture, 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def picture_file(*images: Image.Image, kind: str = "PNG", dpi: int = DPI) -> bytes:
    """The images as one file; only a TIFF holds several."""
    buffer = io.BytesIO()
    more = {"save_all": True, "append_images": images[1:]} if len(images) > 1 else {}
    images[0].save(buffer, kind, dpi=(dpi, dpi), **more)
    return buffer.getvalue()


def grey(image: Image.Image) -> GreyPicture:
    """The image as the recogniser gets it."""
    return GreyPicture(np.asarray(image), 72 / DPI)


class FixedRecogniser:
    """Says the same of every picture, and counts how often it was asked."""

    def __init__(self, words: Sequence[SeenWord] = (), *, turn: int = 0) -> None:
        self.words, self.turn = words, turn
        self.turns_asked = self.pages_read = 0

    def draw(self, make: Callable[[], GreyPicture]) -> GreyPicture:
        return make()

    def find_turn(self, picture: GreyPicture) -> int:
        self.turns_asked += 1
        return self.turn

    def read_words(self, picture: GreyPicture) -> Sequence[SeenWord]:
        self.pages_read += 1
        return self.words


def words_of(text: str, *, confidence: int = 95, top: float = 100.0) -> list[SeenWord]:
    """Words of 10-pixel letters, 20 pixels high, a line each 40 pixels."""
    found = []
    for line, words in enumerate(text.splitlines()):
        left = 50.0
        for word in words.split():
            right = left + 10.0 * len(word)
            found.append(SeenWord(word, line, left, top + 40 * line, right, top + 40 * line + 20, confidence))
            left = right + 8.0
    return found


def program(folder: Path, script: str) -> Path:
    """A program in a folder that stands for tesseract: the lines of a shell script."""
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
