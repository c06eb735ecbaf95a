"""Each citation's highlight lies over its quote's words: whatever the page, the window and the zoom."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.test_main_job import QUESTION, ask, squeezed, text_under, upload
from tests.support.browser import ENDED

pytestmark = pytest.mark.e2e

QUESTIONS = (QUESTION, "What does the company say about seasonality?")
"""A table's row, and sentences that run over the ends of lines, on another page."""
WINDOWS = {
    "desk": {"viewport": {"width": 1440, "height": 900}},
    "zoomed to 200 %": {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "has_touch": True},
}


@pytest.fixture
def runs(signed_in, site) -> list[str]:
    """The addresses of answered runs."""
    page, addresses = signed_in, []
    upload(page, site)
    for question in QUESTIONS:
        ask(page, site, question)
        expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=30_000)
        addresses.append(page.url)
    return addresses


@pytest.mark.parametrize("window", WINDOWS)
def test_highlights_cover_their_quotes_on_every_page(signed_in, browser, runs, window):
    context = browser.new_context(**WINDOWS[window])
    context.add_cookies(signed_in.context.cookies())
    page, sheets = context.new_page(), set()
    for address in runs:
        page.goto(address)
        sheets |= {check(page, marker) for marker in markers_of(page)}
    assert len(sheets) >= 2, "the questions ask for facts of two pages"
    context.close()


def markers_of(page) -> list[int]:
    chips = page.locator("#claims a.cite, #passages a.cite").all_inner_texts()
    return sorted({int(chip) for chip in chips})


def check(page, marker: int) -> str:
    """Open a citation as a reader does; the page it stands on."""
    page.evaluate("location.hash = '#answer'")
    page.locator(f".answer a.cite[data-marker='{marker}']").first.click()
    hit = page.locator(f"#hit-{marker}")
    expect(hit).to_have_class(re.compile(r"\bon\b"))
    expect(hit.locator("rect").first).to_be_in_viewport()
    row = page.locator(f"#cite-{marker}")
    quote = row.get_attribute("data-quote") or row.locator("blockquote").text_content()
    assert squeezed(text_under(page, marker)) == squeezed(quote), f"citation {marker}"
    return page.locator("figure.sheet", has=hit).get_attribute("data-place")
