"""Draws the pages of the files that have any: PDFs and pictures. PDFium is not thread-safe: one thread at a time."""

import io
from pathlib import Path

from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.pdf.text import PageImage, render_page
from vectorless_web.engine.parsing.scans.pictures import draw_picture
from vectorless_web.engine.parsing.sniff import PDF, sniff

_HEAD_BYTES = 1024
_USUAL_LIMITS = CompileLimits()


def draw_page(path: Path, page_index: int, scale: float = 1.6, *, limits: CompileLimits = _USUAL_LIMITS) -> PageImage:
    """A page of a PDF or of a picture file as JPEG at `scale` pixels a point. IndexError where there is none."""
    with path.open("rb") as file:
        kind = sniff(file.read(_HEAD_BYTES), name=path.name)
    if kind == PDF:
        return render_page(path, page_index, scale)
    image = draw_picture(path, page_index, scale, limits=limits)
    encoded = io.BytesIO()
    image.save(encoded, "JPEG", quality=80)
    return PageImage(encoded.getvalue(), "image/jpeg", image.width, image.height)
