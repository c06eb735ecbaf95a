"""Writes small PDFs for tests: lines of Helvetica at chosen places, with bookmarks if wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 612, 792
_FONTS = {"plain": "F1", "bold": "F2", "italic": "F3", "typed": "F4"}
_NAMES = ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
_TYPED = "Courier"


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


@dataclass(frozen=True)
class Rule:
    """A line drawn from one point to another, in points from the top left of the page."""

    x: float
    y: float
    to_x: float
    to_y: float


@dataclass(frozen=True)
class Drawn:
    """A picture of four coloured squares: its left and upper edge and its size in points."""

    x: float
    y: float
    width: float
    height: float


def prose(
    x: float, y: float, count: int, words: str = "The committee read the measured tides and noted them."
) -> list[Text]:
    """`count` lines of a paragraph of about 90 characters each."""
    line = (words + " ") * 2
    return [Text(x, y + 12 * number, line[:90].strip()) for number in range(count)]


def pdf(
    pages: Sequence[Sequence[Text | Rule | Drawn]],
    *,
    bookmarks: Sequence[tuple[str, int]] = (),
    rotate: int = 0,
    trailer: str = "",
) -> bytes:
    """The bytes of a PDF; `bookmarks` are (title, page index); `trailer` is added to the trailer dictionary."""
    typed = any(isinstance(item, Text) and item.font == "typed" for page in pages for item in page)
    names = (*_NAMES, _TYPED) if typed else _NAMES
    fonts = " ".join(f"/F{number + 1} {number + 3} 0 R" for number in range(len(names)))
    objects = ["", ""] + [f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>" for name in names]
    held = ""
    if any(isinstance(item, Drawn) for page in pages for item in page):
        pixels = "ff000000ff000000ffffff00>"
        objects.append(
            "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceRGB /BitsPerComponent 8"
            f" /Filter /ASCIIHexDecode /Length {len(pixels)} >>\nstream\n{pixels}\nendstream"
        )
        held = f" /XObject << /Im {len(objects)} 0 R >>"
    first = len(objects) + 1
    kids = [first + 2 * number for number in range(len(pages))]
    for number, page in enumerate(pages):
        stream = "\n".join(map(_operators, page))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotate}"
            f" /Resources << /Font << {fonts} >>{held} >> /Contents {kids[number] + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream.encode('latin-1'))} >>\nstream\n{stream}\nendstream")
    outlines = _add_bookmarks(objects, kids, bookmarks)
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R{outlines} >>"
    objects[1] = f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>"
    return _file(objects, trailer)


def _operators(text: Text | Rule | Drawn) -> str:
    if isinstance(text, Rule):
        return f"0.5 w {text.x} {HEIGHT - text.y} m {text.to_x} {HEIGHT - text.to_y} l S"
    if isinstance(text, Drawn):
        return f"q {text.width} 0 0 {text.height} {text.x} {HEIGHT - text.y - text.height} cm /Im Do Q"
    words = text.words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    unseen = "" if text.painted else "3 Tr "
    return f"BT {unseen}/{_FONTS[text.font]} {text.size} Tf {text.x} {HEIGHT - text.y} Td ({words}) Tj ET"


def _add_bookmarks(objects: list[str], kids: Sequence[int], bookmarks: Sequence[tuple[str, int]]) -> str:
    if not bookmarks:
        return ""
    root = len(objects) + 1
    first, last = root + 1, root + len(bookmarks)
    objects.append(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>")
    for number, (title, page) in enumerate(bookmarks):
        own = first + number
        beside = (f" /Prev {own - 1} 0 R" if own > first else "") + (f" /Next {own + 1} 0 R" if own < last else "")
        objects.append(f"<< /Title ({title}) /Parent {root} 0 R /Dest [{kids[page]} 0 R /Fit]{beside} >>")
    return f" /Outlines {root} 0 R"


def _file(objects: Sequence[str], trailer: str) -> bytes:
    body = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + head.encode() + tail.encode("latin-1")
