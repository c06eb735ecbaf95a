"""Asks the same questions of documents as printed PDFs and as scans of these: what text recognition costs.

    python benchmarks/scanned.py --questions 60 [--show]

The documents of `scanned_data/` are set as PDFs, every other one in two columns, with bold headings of the text's size
and tables; then drawn at 200 dpi, tilted, blurred, with noise and a stamp. Questions are drawn with a seed. Printed is
for how many of them the passages shown hold every point that is asked for.
"""

import argparse
import io
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answering import find_place
from tests.support.engine_documents import Shelf
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.engine.agent.reasoner import Reasoner
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.compile import compile_file

HERE = Path(__file__).parent / "scanned_data"
_DPI = 200
_TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=18, leading=24, spaceAfter=10)
_HEADING = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=10.5, leading=14, spaceBefore=10, spaceAfter=4)
_TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=10.5, leading=14, spaceAfter=7)


def set_pages(source: str, *, columns: int) -> bytes:
    """A Markdown document as a PDF."""
    out = io.BytesIO()
    width = 455.0 / columns - 10 * (columns - 1)
    frames = [Frame(70 + number * (width + 20), 60, width, 720) for number in range(columns)]
    document = BaseDocTemplate(out, pagesize=(595, 842))
    document.addPageTemplates(PageTemplate(frames=frames))
    document.build(list(_flow(source)))
    return out.getvalue()


def _flow(source: str) -> Iterator[Flowable]:
    for is_table, lines in groupby(source.splitlines(), key=lambda line: line.startswith("|")):
        if is_table:
            rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
            yield Table([row for row in rows if not re.fullmatch(r"[-: ]*", "".join(row))], hAlign="LEFT")
        else:
            for part in re.split(r"\n\s*\n|\n(?=#|- |\d+\. )|(?<=\S)\n(?=#)", "\n".join(lines)):
                yield from _set_part(part.strip())


def _set_part(part: str) -> Iterator[Flowable]:
    head, _, rest = part.partition("\n") if part.startswith("#") else ("", "", part)
    if head:
        yield Paragraph(_escape(head.lstrip("# ")), _TITLE if head.startswith("# ") else _HEADING)
    if rest.strip():
        yield Paragraph(_escape(rest), _TEXT)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("**", "").replace("`", "")


def scan_pages(content: bytes, draw: random.Random) -> bytes:
    """The pages as pictures: drawn, stamped, tilted by up to 1.5 degrees, blurred, with noise, as JPEG."""
    out, noise = io.BytesIO(), np.random.default_rng(draw.randint(0, 10**6))
    canvas = Canvas(out)
    for number, page in enumerate(pdfium.PdfDocument(content)):
        image = page.render(scale=_DPI / 72, grayscale=True).to_pil().convert("L")
        if number == 0:
            stamp = ImageDraw.Draw(image)
            stamp.rectangle((image.width - 560, 30, image.width - 60, 120), outline=110, width=5)
            stamp.text((image.width - 535, 48), "RECEIVED 12 MAY", fill=110, font=ImageFont.load_default(48))
        image = image.rotate(draw.uniform(-1.5, 1.5), resample=Image.Resampling.BICUBIC, fillcolor=250)
        grey = np.asarray(image.filter(ImageFilter.GaussianBlur(0.8))).astype(float)
        grain = (grey + noise.normal(0, 8, grey.shape)).clip(0, 255).astype("uint8")
        held = io.BytesIO()
        Image.fromarray(grain).save(held, "JPEG", quality=70)
        size = image.width * 72 / _DPI, image.height * 72 / _DPI
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(held), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def main() -> None:
    """Print for how many questions the passages shown hold the answer, of the PDFs and of the scans."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    lines = [line for line in (HERE / "questions.txt").read_text().splitlines() if line and line[0] != "#"]
    rows = [[part.strip() for part in line.split("|", 3)] for line in lines]
    rows = [row for row in rows if row[1] != "absent"]
    drawn = draw.sample(rows, min(arguments.questions, len(rows)))
    documents = _compile_both(sorted({row[0] for row in drawn}), draw)
    places: dict[str, list[int]] = {"printed": [], "scanned": []}
    for name, _, question, wanted in drawn:
        for kind, document in zip(places, documents[name], strict=True):
            *_, end = Reasoner().run(question, Shelf({"a": document}), Limits())
            places[kind].append(find_place(end.passages, wanted))
            if arguments.show and places[kind][-1] != 1:
                sys.stdout.write(f"  {kind} {name}: {question} | {wanted}: at {places[kind][-1]}\n")
    for kind, found in places.items():
        at = [sum(0 < place <= most for place in found) for most in (1, 3)]
        sys.stdout.write(f"{kind}: answer shown first {at[0]}, in the first three {at[1]} of {len(drawn)}\n")


def _compile_both(names: list[str], draw: random.Random) -> dict[str, tuple[CompiledDocument, CompiledDocument]]:
    recogniser = find_recogniser(languages="eng", seconds=60)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.pdf"
        for number, name in enumerate(names):
            printed = set_pages((HERE / "documents" / f"{name}.md").read_text(), columns=1 + number % 2)
            both = []
            for content in (printed, scan_pages(printed, draw)):
                path.write_bytes(content)
                both.append(CompiledDocument(compile_file(path, name=f"{name}.pdf", recogniser=recogniser)))
            found[name] = (both[0], both[1])
            titles = [_list_headings(document) for document in both]
            same = len(set(titles[0]) & set(titles[1]))
            sys.stdout.write(f"{name}: {same} of {len(titles[0])} headings found on the scan, {len(titles[1])} there\n")
    return found


def _list_headings(document: CompiledDocument) -> list[str]:
    nodes = (document.tree.node(key) for key in range(1, len(document.tree)))
    return [node.title for node in nodes if node.kind is NodeKind.SECTION]


if __name__ == "__main__":
    main()
