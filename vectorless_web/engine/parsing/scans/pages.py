"""Which pages of a PDF are pictures of text, and what became of reading them."""

import math
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from vectorless_web.engine.documents.recognised import RecognisedWord
from vectorless_web.engine.errors import RecognitionFailed
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.lines import Page
from vectorless_web.engine.parsing.scans.recognition import RecognisedPage, Recogniser, recognise_page
from vectorless_web.engine.parsing.scans.straighten import GreyPicture

READING_DPI = 300
"""Pixels an inch in which pages are read. Of 20 filing pages scanned at 200 dpi, 99 % of the digits are right when the
scan is enlarged to it, 97 % when it is read as it is; at 400 reading takes a third longer and gains nothing."""
_LEAST_DPI = 100
"""Pixels an inch below which a scan is drawn as any page is."""
_COARSEST_DPI = 20
"""Pixels an inch below which pictures hold no letters: those of a title of 40 points have six pixels there, which
nobody reads. A page tiled with a picture of a few pixels is coarser."""
_COVERED = 0.2
"""Share of a page that pictures must cover for one without characters to be a picture of text, or a figure."""
_DRAWN = 30
"""Shapes from which a page without characters has its letters drawn; a frame and a line make fewer."""
_FEW_CHARACTERS, _WHOLE = 150, 0.8
"""A page with fewer characters whose picture covers at least this share may be a scan with a stamp or a page number
printed on it: it is looked at, and what was recognised counts when it says at least three times as much."""
_TIMES = 3
_OBJECTS = 3_000
"""Objects of a page that are looked at: a page of that many characters and shapes is drawn, not scanned."""
_GARBAGE = 0.3
"""Share of characters that stand for nothing from which a text layer is garbage."""
_NO_VOWEL, _FEWEST_WORDS = 0.4, 25
"""Share of words without a vowel, of at least so many, from which letters are those of another code. Ten languages in
the Latin script have at most .08; a text whose letters are moved by a fixed number has .5 and more."""
_WORDS_LOOKED_AT = 200
"""Words of a page by which that is told: the codes of a font hold for all of it."""
_VOWELS = frozenset("aeiouyæœøåáàâäãāéèêëēíìîïīóòôöõōúùûüūýÿ")
_NO_CHARACTER = frozenset(("Cn", "Co", "Cs", "Cc"))
_GIVE_UP = 3
"""Pages one after the other that could not be read, after which the others are not tried."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ScannedPages:
    """What became of a document's pages that are pictures: read or not, and why not (a part of a sentence).

    Page numbers are indexes. `words` are those of the pages read, in their order.
    """

    words: Sequence[RecognisedWord] = ()
    recognised: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    because: str = ""
    lacking: bool = False
    """Whether the program or its languages were missing: once they are there, the pages can be read."""
    late: bool = False
    """Whether time was up: with more of it, the pages can be read."""


NO_SCANS = ScannedPages()
"""What is said of a document without scanned pages."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A page to be read: its index, how it is displayed in points, its picture when it is asked for.

    `least` characters must be recognised for the reading to take the place of what the page has: 0 where that is
    nothing. A page that has something is not counted as unread.
    """

    index: int
    shown: tuple[float, float]
    picture: Callable[[], GreyPicture]
    least: int = 0


@dataclass(frozen=True, slots=True)
class PageReading:
    """What reading the pages of a file needs: `tell(stage, done, total)` is told how far it is, `clock` counts seconds.

    `ends_at` is the time at which no further page is begun.
    """

    tell: Progress
    limits: CompileLimits
    recogniser: Recogniser
    fences: Fences
    clock: Callable[[], float] = time.monotonic
    ends_at: float = math.inf

    @property
    def is_over(self) -> bool:
        """Whether the time for reading pages is up."""
        return self.clock() >= self.ends_at

    @property
    def told_limit(self) -> str:
        """Why no further page is read when time is up, as a part of a sentence."""
        seconds = self.limits.seconds
        told = f"{seconds / 60:.0f} minutes" if seconds >= _TOLD_IN_MINUTES else f"{seconds:g} seconds"
        return f"the time limit of {told} was reached"


_TOLD_IN_MINUTES = 120
"""Seconds from which a time limit is told in minutes."""


def _recognise(scan: Scan, recogniser: Recogniser) -> RecognisedPage:
    picture = recogniser.draw(scan.picture)
    return recognise_page(picture, index=scan.index, shown=scan.shown, recogniser=recogniser)


@dataclass(frozen=True, slots=True)
class ReadScans:
    """The pages that were read, by their index, and what became of all."""

    pages: dict[int, Page]
    told: ScannedPages


def read_scans(scans: Sequence[Scan], reading: PageReading) -> ReadScans:
    """Read as many pages as are allowed, one after the other, telling `("scanning", done, total)`."""
    reader = _ScanReader(reading)
    total = min(len(scans), reading.limits.scans)
    for number, scan in enumerate(scans):
        if reader.goes_on(number):
            reading.tell("scanning", number, total)
            reader.read(scan)
        else:
            reader.leave(scan)
    if scans:
        reading.tell("scanning", total, total)
    return ReadScans(reader.pages, reader.report())


@dataclass(slots=True)
class _ScanReader:
    reading: PageReading
    pages: dict[int, Page] = field(default_factory=dict)
    words: list[RecognisedWord] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    because: str = ""
    lacking: bool = False
    late: bool = False
    failures: int = 0

    def goes_on(self, number: int) -> bool:
        """Whether the page of this number, from 0, is to be read."""
        if self.late or self.failures >= _GIVE_UP:
            return False
        if number >= self.reading.limits.scans:
            most = self.reading.limits.scans
            self.because = self.because or f"at most {most:,} pages of a document are read by text recognition (OCR)"
            return False
        if self.reading.is_over:
            self.late, self.because = True, self.reading.told_limit
        return not self.late

    def leave(self, scan: Scan) -> None:
        """Note a page that stays as it is."""
        if not scan.least:
            self.unread.append(scan.index)

    def read(self, scan: Scan) -> None:
        """Read a page, or note why it could not be read."""
        recognise = partial(_recognise, scan, self.reading.recogniser)
        try:
            found = self.reading.fences.read("scanned text", scan.index, recognise, None)
        except RecognitionFailed as failure:
            self.leave(scan)
            self.because = self.because or failure.message
            self.lacking = self.lacking or failure.code == "recognition_missing"
            self.failures += _GIVE_UP if self.lacking else 1
            return
        self.failures = 0
        if found is None:
            self.leave(scan)
        elif len(found.page.text) >= scan.least:
            self.pages[scan.index] = found.page
            self.words.extend(found.words)
            self.recognised.append(scan.index)

    def report(self) -> ScannedPages:
        """What became of the pages; without a reason where every page was read or had text of its own."""
        unread = tuple(self.unread)
        told = ScannedPages(self.words, tuple(self.recognised), unread, self.because, self.lacking, self.late)
        return told if unread else replace(told, because="", lacking=False, late=False)


def add_late_pages(told: ScannedPages, late: Sequence[int], reading: PageReading) -> ScannedPages:
    """The report with the pages for which no time was left, whatever is on them."""
    if not late:
        return told
    return replace(told, unread=(*told.unread, *late), because=reading.told_limit, late=True)


def find_scans(document: pdfium.PdfDocument, pages: Sequence[Page], *, pixels: int) -> list[Scan]:
    """The pages of an open PDF whose characters are missing or garbage; a picture of one has at most `pixels`.

    Pages whose pictures are too coarse to hold letters are none.
    """
    found = (_scan_of(document, page, pixels) for page in pages)
    return [scan for scan in found if scan is not None]


def _scan_of(document: pdfium.PdfDocument, page: Page, pixels: int) -> Scan | None:
    characters = _count_printed(page.text)
    garbage = is_garbage(page.text)
    if characters >= _FEW_CHARACTERS and not garbage:
        return None
    seen = _measure_pictures(document, page)
    covered = seen.share >= (_WHOLE if characters else _COVERED)
    drawn = not characters and seen.shapes >= _DRAWN
    if not (garbage or drawn or (covered and seen.dpi >= _COARSEST_DPI)):
        return None
    least = 0 if garbage else _TIMES * characters
    return Scan(page.index, page.shown, lambda: _draw_grey(document, page, seen, pixels), least)


def is_garbage(text: str) -> bool:
    """Whether a text layer is garbage: unassigned characters, or letters in place of others."""
    printed = _count_printed(text)
    if not printed:
        return False
    # A page has thousands of characters and some eighty different ones: each is looked up once.
    strange = sum(text.count(character) for character in set(text) if _is_strange(character))
    return strange > _GARBAGE * printed or _lacks_vowels(text)


def _count_printed(text: str) -> int:
    return len(text) - sum(text.count(character) for character in set(text) if character.isspace())


def _is_strange(character: str) -> bool:
    no_character = character == "\ufffd" or unicodedata.category(character) in _NO_CHARACTER
    return no_character and not character.isspace()


def _lacks_vowels(text: str) -> bool:
    """Whether most of the first Latin words of three letters or more have no vowel."""
    first = text.casefold().split(maxsplit=_WORDS_LOOKED_AT)[:_WORDS_LOOKED_AT]
    words = [word for word in first if len(word) > 2 and word.isalpha() and word < "\u0250"]
    return len(words) >= _FEWEST_WORDS and sum(_VOWELS.isdisjoint(word) for word in words) > _NO_VOWEL * len(words)


@dataclass(frozen=True, slots=True)
class _PagePictures:
    """Share (0..1) of a page that its pictures cover, pixels of the largest, how many other shapes the page has.

    `scale`: pixels a point of a picture that covers the whole page; 0 where there is none. `dpi`: pixels an inch of all
    pictures together.
    """

    share: float = 0.0
    pixels: int = 0
    shapes: int = 0
    scale: float = 0.0
    dpi: float = 0.0


def _measure_pictures(document: pdfium.PdfDocument, page: Page) -> _PagePictures:
    area = max(page.shown[0] * page.shown[1], 1.0)
    share, pixels, most, shapes, scale = 0.0, 0, 0, 0, 0.0
    try:
        loaded = document[page.index]
    except pdfium.PdfiumError:  # a damaged page, which has no text either
        return _PagePictures()
    for thing in islice(loaded.get_objects(max_depth=4), _OBJECTS):
        if thing.type != pdfium_c.FPDF_PAGEOBJ_IMAGE:
            shapes += 1
            continue
        left, bottom, right, top = thing.get_bounds()
        own = max(right - left, 0) * max(top - bottom, 0)
        across, down = thing.get_px_size()
        share, pixels, most = share + own / area, pixels + across * down, max(most, across * down)
        if own > _WHOLE * area:
            scale = float((across * down / own) ** 0.5)
    dpi = 72 * (pixels / max(share * area, 1.0)) ** 0.5
    return _PagePictures(min(share, 1.0), most, shapes, scale, dpi)


def _draw_grey(document: pdfium.PdfDocument, page: Page, seen: _PagePictures, pixels: int) -> GreyPicture:
    """The page as it is displayed, in READING_DPI or as many pixels as are allowed.

    A scan of fewer pixels is drawn in its own and enlarged then: PDFium enlarges so roughly that of 20 filing pages at
    200 dpi 15 words and 3 digits in a thousand more are misread.
    """
    if seen.pixels > 2 * pixels:
        raise RecognitionFailed("a picture has too many pixels to be drawn")
    width, height = page.shown
    most = min(READING_DPI / 72, (pixels / max(width * height, 1.0)) ** 0.5)
    scale = seen.scale if _LEAST_DPI / 72 <= seen.scale < most else most
    try:
        drawn = document[page.index].render(scale=scale, grayscale=True).to_pil().convert("L")
    except pdfium.PdfiumError as error:
        raise RecognitionFailed("its picture cannot be drawn") from error
    if scale < most:
        drawn = drawn.resize((round(width * most), round(height * most)), Image.Resampling.LANCZOS)
    return GreyPicture(np.asarray(drawn), width / drawn.width)
