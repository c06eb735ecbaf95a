"""Text recognition of filing pages: words and digits right, highlights in place, seconds and memory a page.

    python benchmarks/ocr.py --pdfs DIR [--pages 20] [--dpi 200] [--tilt 0]

One page of each of so many filings, evenly spread: by turns the middle one and the one with the most digits. Each is
drawn at `--dpi`, tilted by so many degrees, and put as a picture into a PDF without text, which the compiler reads as
any scan. The gold is the filing's own text. A word (letters) or number counts as right when it stands on the page as
often as in the gold; digits are counted by number. A highlight is right when it lies within the box that PDFium gives
the same word, 2 points aside; asked are the words that stand once on a page, of scans that are not tilted.
"""

import argparse
import io
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.documents.recognised import RecognisedWord
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.pdf.text import Box, highlight_boxes, raw_text

TOKEN = re.compile(r"[^\W\d_]+|\d[\d,.]*\d|\d")
SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "ﬁ": "fi", "ﬂ": "fl"})
ASIDE = 2.0
"""Points by which a highlight may stand out of the word's own box."""


@dataclass(frozen=True)
class GoldPage:
    """A page of a filing that was drawn: the file, the page's index, its text by PDFium's characters."""

    path: Path
    index: int
    text: str


def main() -> None:
    options = _options()
    gold, scan = make_scan(options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scan.pdf"
        path.write_bytes(scan)
        document, seconds, cpu = read_scan(path, options.languages)
    found: Counter[str] = Counter()
    for number, page in enumerate(gold):
        own = compare(page, document, number)
        found.update(own)
        if options.verbose:
            print(f"{page.path.stem:32} p. {page.index + 1:4}", {name: own[name] for name in sorted(own)})
    pages = len(gold)
    print(f"{pages} pages at {options.dpi} dpi, tilted {options.tilt} degrees")
    print(f"words right       {found['words right'] / found['words']:.4f} of {found['words']:,}")
    print(f"digits right      {found['digits right'] / found['digits']:.4f} of {found['digits']:,}")
    print(f"highlights within {found['lit right'] / found['lit']:.4f} of {found['lit']:,}")
    print(f"wrong numbers     {found['wrong']}, of which marked unsure {found['wrong marked']}")
    print(f"right numbers     {found['fine']}, of which marked unsure {found['fine marked']}")
    print(f"seconds a page    {seconds / pages:.2f} ({cpu / pages:.2f} of processor time)")
    own, child = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"memory            {own:.0f} MB reading, {child:.0f} MB the program beside it")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, help="A folder of PDFs with text.")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--dpi", type=int, default=200)
    parser.add_argument("--tilt", type=float, default=0.0)
    parser.add_argument("--languages", default="eng")
    parser.add_argument("--verbose", action="store_true", help="A line a page.")
    return parser.parse_args()


def make_scan(options: argparse.Namespace) -> tuple[list[GoldPage], bytes]:
    """The gold pages, and a PDF of their pictures."""
    paths = sorted(options.pdfs.glob("*.pdf"))
    step = max(1, len(paths) // options.pages)
    gold, pictures = [], []
    for number, path in enumerate(paths[::step][: options.pages]):
        with pdfium.PdfDocument(path) as document:
            index = len(document) // 2 if number % 2 else _find_most_digits(document)
            page = document[index]
            gold.append(GoldPage(path, index, raw_text(page.get_textpage())))
            picture = page.render(scale=options.dpi / 72, grayscale=True).to_pil()
        pictures.append(picture.rotate(options.tilt, Image.Resampling.BICUBIC, fillcolor=255))
    scan = io.BytesIO()
    pictures[0].save(scan, "PDF", save_all=True, append_images=pictures[1:], resolution=options.dpi)
    return gold, scan.getvalue()


def _find_most_digits(document: pdfium.PdfDocument) -> int:
    counts = [sum(map(str.isdigit, page.get_textpage().get_text_range())) for page in document]
    return counts.index(max(counts))


def read_scan(path: Path, languages: str) -> tuple[CompiledDocument, float, float]:
    """The compiled scan, the seconds and the processor seconds it took."""
    recogniser = find_recogniser(languages=languages, seconds=60)
    begun, used = time.monotonic(), _processor_seconds()
    document = CompiledDocument(compile_file(path, name=path.name, recogniser=recogniser))
    return document, time.monotonic() - begun, _processor_seconds() - used


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def compare(page: GoldPage, document: CompiledDocument, number: int) -> Counter[str]:
    """Counts of one page."""
    text = document.page_text(number).translate(SAME)
    gold, read = _tokens(page.text.translate(SAME)), _tokens(text)
    wanted, got = Counter(word for word, _ in gold), Counter(word for word, _ in read)
    found: Counter[str] = Counter()
    for word, count in wanted.items():
        right = min(count, got[word])
        if word[0].isdigit():
            found.update({"digits": count * len(word), "digits right": right * len(word)})
        else:
            found.update({"words": count, "words right": right})
    found.update(_count_marks(read, wanted, document, number))
    once = [(word, start) for word, start in gold if wanted[word] == got[word] == 1]
    places = dict(read)
    for word, start in once:
        lit = list(document.recognised.boxes([GlyphSpan(number, places[word], len(word))]))
        own = highlight_boxes(page.path, [GlyphSpan(page.index, start, len(word))])
        found.update({"lit": 1, "lit right": int(_is_within(lit, own))})
    return found


def _count_marks(
    read: Sequence[tuple[str, int]], wanted: Counter[str], document: CompiledDocument, number: int
) -> Iterator[str]:
    """Numbers read that the gold does not have, and those it has, each with whether they are marked as unsure."""
    for word, start in read:
        if word[0].isdigit():
            sure = document.recognition_confidence([GlyphSpan(number, start, len(word))])
            kind = "fine" if wanted[word] else "wrong"
            yield kind
            if sure is not None and sure < 90:
                yield f"{kind} marked"


def _tokens(text: str) -> list[tuple[str, int]]:
    return [(match.group(), match.start()) for match in TOKEN.finditer(text)]


def _is_within(lit: Sequence[RecognisedWord], own: Sequence[Box]) -> bool:
    """Whether the boxes of a highlight lie within the smallest box around PDFium's, which parts a word at commas."""
    across = min(box.left for box in own) - ASIDE, max(box.right for box in own) + ASIDE
    down = min(box.top for box in own) - ASIDE, max(box.bottom for box in own) + ASIDE
    return all(across[0] <= box.left and box.right <= across[1] for box in lit) and all(
        down[0] <= box.top and box.bottom <= down[1] for box in lit
    )


if __name__ == "__main__":
    main()
