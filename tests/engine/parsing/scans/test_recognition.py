"""Pages that are pictures become text with places, whichever way they lie; what cannot be read is told."""

import io
import itertools
from functools import partial

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from tests.support.files import charted, pdf
from tests.support.scans import DPI, HARBOUR, FixedRecogniser, page, picture_file, scanned_pdf, words_of
from vectorless_web.documents.compiling.tesseract import find_recogniser
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import GlyphSpan
from vectorless_web.engine.errors import RecognitionFailed
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.scans.pages import is_garbage

pytestmark = pytest.mark.slow

TESSERACT = find_recogniser(languages="eng", seconds=60)
FEES = "Ships that called there paid 1,577 million crowns in fees,"


@pytest.fixture
def compiled(compiled):
    """Compile bytes, with tesseract unless another recogniser is given."""
    return partial(compiled, name="scan.pdf", recogniser=TESSERACT)


def box_of(document: CompiledDocument, word: str, page_index: int = 0):
    """Where a word of a page stands, as quotes are lit."""
    start = document.page_text(page_index).index(word)
    (found,) = document.recognised.boxes([GlyphSpan(page_index, start, len(word))])
    return found


@pytest.mark.parametrize(("tilt", "turn"), [(2, 0), (1.5, 1), (0, 2), (-2, 3)])
def test_a_scan_is_read_and_lit_whichever_way_it_lies(compiled, tilt, turn):
    document = compiled(scanned_pdf([page(tilt=tilt, turn=turn)]))
    assert document.page_text(0).split("\n") == list(HARBOUR)
    assert document.report.recognised == (0,)
    assert document.report.unread_pages == ()

    # On the upright page the word begins 140 + 360 pixels from the left in the fourth line, 338 pixels from the top.
    word = box_of(document, "1,577")
    width, height = document.pages[0].width, document.pages[0].height
    across, down = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    for _ in range(turn):
        across, down, width, height = down, width - across, height, width
    assert 480 < across * DPI / 72 < 590
    assert 325 < down * DPI / 72 < 382
    assert word.confidence > 80
    neighbours = box_of(document, "1,577 million")
    assert max(neighbours.right - neighbours.left, neighbours.bottom - neighbours.top) > 60


def test_only_pages_without_text_are_recognised(compiled):
    reader = FixedRecogniser(words_of("Bergen has four cranes."))
    document = compiled(charted(), recogniser=reader)

    assert reader.pages_read == 1
    assert document.page_text(0).startswith("Harbour report")
    assert document.page_text(1) == "Bergen has four cranes."
    assert document.report.recognised == (1,)
    assert document.recognised.pages == {1}


def test_a_page_with_text_of_its_own_is_left_alone(compiled):
    reader = FixedRecogniser(words_of("Something else."))
    document = compiled(pdf([HARBOUR, HARBOUR]), recogniser=reader)

    assert reader.pages_read == 0
    assert len(document.recognised) == 0


def test_a_garbage_text_layer_gives_way_to_what_is_seen(compiled):
    moved = ["".join(chr(ord(letter) + 3) if letter.isalpha() else letter for letter in line) for line in HARBOUR]
    document = compiled(scanned_pdf([page()], under=moved))

    assert FEES in document.page_text(0)
    assert moved[0] not in document.page_text(0)


def test_a_stamp_on_a_scan_does_not_pass_for_its_text(compiled):
    document = compiled(scanned_pdf([page()], under=["Received 4 May"]))

    assert FEES in document.page_text(0)


def test_text_in_other_languages_is_no_garbage():
    assert not is_garbage("Der Hafen wurde im März von zwei Schiffen ausgebaggert. " * 10)
    assert not is_garbage("V přístavu bylo letos vyplaceno více než tisíc korun za každou loď. " * 10)
    assert not is_garbage("港は三月に浚渫された。" * 10)
    assert not is_garbage("1,577 1,204 373 12 % " * 50)
    assert is_garbage("\ue001\ue002\ue003 \ue004\ue005" * 20)
    assert is_garbage("\ufffd\ufffd\ufffd words \ufffd\ufffd\ufffd\ufffd" * 20)


def test_a_table_on_a_scan_is_a_table(compiled):
    rows = [("", "2024", "2023"), ("Fees", "1,577", "1,204"), ("Rents", "310", "295"), ("Total", "1,887", "1,499")]
    placed = []
    for number, row in enumerate(rows):
        for left, cell in zip((50, 600, 800), row, strict=True):
            for word in words_of(cell, top=100 + 50 * number):
                shift = left - word.left
                placed.append(type(word)(word.text, number, left, word.top, word.right + shift, word.bottom, 96))
    document = compiled(scanned_pdf([page()]), recogniser=FixedRecogniser(placed))
    (table,) = [node.table for node in map(document.tree.node, range(len(document.tree))) if node.table]

    assert [[cell.text for cell in row.cells] for row in table.body][-1] == ["Total", "1,887", "1,499"]
    assert [column.header for column in table.columns][1:] == ["2024", "2023"]


def test_without_a_program_the_pages_are_told_to_be_unread(compiled):
    document = compiled(scanned_pdf([page(), page()]), recogniser=find_recogniser(languages="xxq", seconds=5))

    assert document.report.unread_pages == (0, 1)
    assert document.report.because == "text recognition lacks the data of the language “xxq”"
    assert document.report.verdict == (
        "2 of 2 pages are pictures whose text was not read: text recognition lacks the data of the language “xxq”."
    )


def test_a_page_that_fails_is_unread_and_the_others_are_read(compiled):
    class Stumbling(FixedRecogniser):
        def read_words(self, picture):
            super().read_words(picture)
            if self.pages_read == 2:
                raise RecognitionFailed("text recognition took longer than 60 s")
            return self.words

    document = compiled(scanned_pdf([page()] * 3), recogniser=Stumbling(words_of("Four cranes.")))

    assert (document.report.recognised, document.report.unread_pages) == ((0, 2), (1,))
    assert "took longer than 60 s" in document.report.warnings[0]


@pytest.mark.parametrize(
    ("limits", "recognised", "told"),
    [
        ({"scans": 2}, 2, "at most 2 pages"),
        ({"seconds": 45}, 1, "Text was read up to page 1 of 3: the time limit of 45 seconds was reached."),
        ({"pixels": 100_000}, 0, "too many pixels"),
    ],
    ids=["pages", "seconds", "pixels"],
)
def test_pages_are_recognised_up_to_each_limit_and_it_is_told_how_far(compiled, limits, recognised, told):
    clock, reader = itertools.count(0.0, 10.0), FixedRecogniser(words_of("Four cranes."))
    document = compiled(
        scanned_pdf([page()] * 3), recogniser=reader, limits=CompileLimits(**limits), clock=lambda: next(clock)
    )

    assert reader.pages_read == recognised
    assert (document.report.recognised, document.report.unread_pages) == (
        tuple(range(recognised)), tuple(range(recognised, 3)),
    )  # fmt: skip
    assert document.report.late == ("seconds" in limits)
    assert told in document.report.warnings[0]


def test_pictures_too_small_for_a_line_of_text_are_not_recognised(compiled):
    reader = FixedRecogniser(words_of("Four cranes."))
    compiled(picture_file(*[Image.new("1", (300, 8), 1)] * 4, kind="TIFF"), name="specks.tiff", recogniser=reader)
    tiles = io.BytesIO()
    canvas = Canvas(tiles, pagesize=(595, 842))
    for step in range(20):
        canvas.drawInlineImage(Image.new("L", (2, 2), "grey"), 0, 42 * step, 595, 42)
    canvas.save()
    compiled(tiles.getvalue(), name="tiles.pdf", recogniser=reader)

    assert reader.pages_read == 0


def test_progress_is_told_page_by_page(compiled):
    told = []
    reader = FixedRecogniser(words_of("Four cranes."))
    compiled(scanned_pdf([page()] * 2), recogniser=reader, progress=lambda *step: told.append(step))

    assert [step for step in told if step[0] == "scanning"] == [
        ("scanning", 0, 2),
        ("scanning", 1, 2),
        ("scanning", 2, 2),
    ]


def test_progress_goes_on_while_the_outline_and_the_index_are_made(compiled):
    told = []
    compiled(pdf([("1. Fees", "The fee is due in May.")] * 9), progress=lambda *step: told.append(step))

    outlining = [done for stage, done, _ in told if stage == "outlining"]
    assert outlining == sorted(outlining)
    assert set(range(10)) <= set(outlining)
    assert len({done for stage, done, _ in told if stage == "indexing"}) >= 4


def test_the_least_sure_word_of_a_quote_is_known(compiled):
    words = [*words_of("The fees were"), *words_of("1,577 crowns", confidence=61)]
    document = compiled(scanned_pdf([page()]), recogniser=FixedRecogniser(words))
    text = document.page_text(0)

    assert document.recognition_confidence([GlyphSpan(0, text.index("The"), 13)]) == 95
    assert document.recognition_confidence([GlyphSpan(0, 0, len(text))]) == 61
    assert document.recognition_confidence([GlyphSpan(1, 0, 5)]) is None


def test_a_part_of_a_word_is_lit_within_the_word(compiled):
    document = compiled(scanned_pdf([page()]), recogniser=FixedRecogniser(words_of("(1,577)")))
    whole, part = box_of(document, "(1,577)"), box_of(document, "1,577")

    assert whole.left < part.left < part.right < whole.right
    assert (part.top, part.bottom) == (whole.top, whole.bottom)
