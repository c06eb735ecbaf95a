"""A file whose pages take for ever to draw delays nobody but its own readers."""

import threading
import time

import pytest

from tests.conftest import end_group, start_drawing
from tests.support.files import REPORT
from tests.support.hostile.pdfs import pdf, stream
from vectorless_web.documents.drawing.client import RenderUnavailable
from vectorless_web.documents.rendering.page import boxes, page_image

pytestmark = [pytest.mark.one_database, pytest.mark.django_db, pytest.mark.slow]

PAGES = 12
LIMIT_SECONDS = 3


@pytest.fixture
def render_server(tmp_path, settings):
    """A server that gives a page three seconds."""
    settings.RENDER_SECONDS = LIMIT_SECONDS
    process = start_drawing(tmp_path, VECTORLESS_RENDER_SECONDS=str(LIMIT_SECONDS))
    yield
    end_group(process)


def test_six_requests_for_hostile_pages_hold_nobody_else(ready, render_server):
    hostile = ready(endless_pattern(), "pattern.pdf").current_version
    good = ready(REPORT, "report.pdf").current_version
    refusals: list[str] = []
    readers = [threading.Thread(target=_read, args=(hostile, number, refusals), daemon=True) for number in range(6)]
    for reader in readers:
        reader.start()
    time.sleep(0.5)

    started = time.monotonic()
    assert page_image(good, 0).exists()
    assert boxes(good, [[1, 0, 10]])
    assert page_image(good, 1).exists()
    assert time.monotonic() - started < LIMIT_SECONDS

    for reader in readers:
        reader.join(4 * LIMIT_SECONDS)
    assert len(refusals) == 6
    assert set(refusals) == {"render_timeout", "render_busy"}
    assert page_image(good, 2).exists()


def _read(version, page_index, refusals):
    try:
        page_image(version, page_index)
    except RenderUnavailable as refusal:
        refusals.append(refusal.code)


def endless_pattern(*, words: bool = True) -> bytes:
    """A PDF of two kilobytes: each page is filled with a pattern of a pattern, in steps of less than a point.

    Without words a page has as many shapes as one whose letters are drawn.
    """
    pages = range(7, 7 + PAGES)
    tile = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 900 900]/XStep 0.7/YStep 0.7/Resources<<%s>>"
    fill = "/Pattern cs /P scn 0 0 900 900 re f "
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 6 0 R/Resources<<{}>>>>"
    return pdf(
        {
            1: "<</Type/Catalog/Pages 2 0 R>>",
            2: f"<</Type/Pages/Kids[{' '.join(f'{number} 0 R' for number in pages)}]/Count {PAGES}>>",
            3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            4: stream(fill, tile % "/Pattern<</P 5 0 R>>"),
            5: stream("0 0 m 1 1 l S", tile % ""),
            6: stream(fill + "BT /F 12 Tf 72 700 Td (1. Overview of patterns) Tj ET" if words else fill * 40),
            **dict.fromkeys(pages, page.format("/Font<</F 3 0 R>>/Pattern<</P 4 0 R>>")),
        }
    )
