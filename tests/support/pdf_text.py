"""What a reader sees of a PDF under a highlight."""

from pathlib import Path

import pypdfium2 as pdfium

from vectorless_web.engine.parsing.pdf.text import Box, to_display


def text_under(path: Path, box: Box) -> str:
    """The text whose characters' centres lie inside a box."""
    with pdfium.PdfDocument(path) as document:
        page = document[box.page_index]
        textpage = page.get_textpage()
        count = textpage.count_chars()
        text = textpage.get_text_range(0, count)
        return "".join(text[i] for i in range(count) if _lies_inside(page, textpage.get_charbox(i), box))


def _lies_inside(page: pdfium.PdfPage, character: tuple[float, float, float, float], box: Box) -> bool:
    left, bottom, right, top = character
    own = to_display(page, left, top, right, bottom)
    across, down = (own.left + own.right) / 2, (own.top + own.bottom) / 2
    return box.left <= across <= box.right and box.top <= down <= box.bottom
