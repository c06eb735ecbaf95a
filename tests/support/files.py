"""Files to upload: made in memory, as small as the test allows."""

import io
from collections.abc import Sequence

import pypdfium2 as pdfium
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

HANDBOOK = b"""# Handbook

Welcome to the works.

## Leave

Everybody has 30 days of leave a year.

## Safety

Helmets are worn in hall B at all times.
"""


def pdf(pages: Sequence[Sequence[str]] = (("Annual report",),), *, password: str = "") -> bytes:
    """A PDF with one page for each sequence of lines, the first line of a page bold and large."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=StandardEncryption(password) if password else None)
    for lines in pages:
        canvas.setFont("Helvetica-Bold", 18)
        for number, line in enumerate(lines):
            canvas.drawString(72, 760 - 28 * number, line)
            canvas.setFont("Helvetica", 11)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


REPORT = pdf(
    [
        ("1. Overview", "The company makes cold stores.", "It has 14 sites in Norway."),
        ("2. Financial review", "Net debt fell to 1,577 million in 2023.", "Leverage was 2.1 times."),
        ("3. Outlook", "Capital expenditure stays at 200 million."),
    ]
)


def scan(pages: int = 3, *, read: int = 0) -> bytes:
    """A PDF of pages that are pictures without text; the first `read` of them have text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for number in range(pages):
        if number < read:
            canvas.drawString(72, 760, "The lease begins in May.")
        canvas.drawInlineImage(Image.new("L", (600, 800), "grey"), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def no_pages() -> bytes:
    """A sound PDF without a single page."""
    buffer = io.BytesIO()
    document = pdfium.PdfDocument.new()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


def upload(content: bytes, name: str) -> SimpleUploadedFile:
    """A file as a browser sends it."""
    return SimpleUploadedFile(name, content)


def charted(
    heights: Sequence[int] = (30, 50, 80),
    *,
    words: str = "Deliveries by quarter",
    title: str = "Harbour report",
    pages: int = 2,
) -> bytes:
    """A PDF of a page of text, then pages with a bar chart and `words` that are drawn, without any text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setTitle(title)
    for number, line in enumerate((title, "The harbour was dredged in March.", "The chart is on page 2.")):
        canvas.drawString(72, 760 - 28 * number, line)
    canvas.showPage()
    picture = Image.new("RGB", (600, 400), "white")
    draw = ImageDraw.Draw(picture)
    draw.text((40, 20), words, fill="black", font_size=28)
    for number, height in enumerate(heights):
        left = 80 + 160 * number
        draw.rectangle((left, 380 - 3 * height, left + 90, 380), fill="steelblue")
        draw.text((left + 20, 340 - 3 * height), str(height), fill="black", font_size=28)
    for _ in range(pages - 1):
        canvas.drawInlineImage(picture, 60, 300, 480, 320)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
