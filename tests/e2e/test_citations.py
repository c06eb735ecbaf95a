"""Every citation lands on its quote: on a desk and on phones, over several documents and pages, at every zoom."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.conftest import wait_until
from tests.e2e.test_main_job import ask, open_answered, squeezed, text_under, upload
from tests.support.browser import ENDED

pytestmark = pytest.mark.e2e

QUESTION = "What does seasonality do to winter orders of survey vessels?"
WINDOWS = {
    "desk": {"viewport": {"width": 1440, "height": 900}},
    "zoomed to 200 %": {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2},
    "small phone": {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 3, "has_touch": True},
}
LANDED = """marker => {
  const hit = document.getElementById(`hit-${marker}`), sheet = hit.closest(".sheet");
  const box = (hit.querySelector("rect") ?? hit).getBoundingClientRect();
  const seen = document.elementsFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, 8) / 2);
  const text = (selector) => document.querySelector(selector).textContent.trim();
  return {
    open: seen.length > 0 && sheet.contains(seen[0]),
    head: [text("[data-source-title]"), text("[data-source-page]").split(" ")[0]],
    sheet: [sheet.dataset.title, sheet.dataset.page],
    quote: text("[data-now-marker]"),
  };
}"""
"""Whether nothing lies over the quote on the screen, and which page the bars name beside the page it is on."""


def write_letter(number: int) -> str:
    """A letter of many screens that speaks of the matter near its end."""
    filling = "\n\n".join(f"Paragraph {n} of letter {number} thanks for the tea and the biscuits." for n in range(90))
    seasonal = f"Seasonality cuts winter orders of survey vessels by {number}0 percent, as every year before."
    return f"Letter {number} on seasonality\n======================\n\n{filling}\n\n{seasonal}\n\nYours, Ann\n"


def add_letters(page, site, folder) -> None:
    page.goto(f"{site.address}/w/demo/documents/")
    for number in (3, 4):
        name = f"letter-{number}-on-seasonality.txt"
        row = page.locator("tr[id^=document-]", has_text=f"Letter {number} on seasonality")
        if not row.count():
            (folder / name).write_text(write_letter(number))
            page.set_input_files("input[type=file]", str(folder / name))
        expect(row.first.locator("[data-status=ready]")).to_be_visible(timeout=60_000)


@pytest.fixture
def asked(signed_in, site, tmp_path):
    """A page on which the question over a report and two long letters is being answered."""
    upload(signed_in, site)
    add_letters(signed_in, site, tmp_path)
    ask(signed_in, site, QUESTION)
    return signed_in


def test_citations_land_on_their_quotes_the_moment_a_run_ends_and_in_every_window(asked, browser, site):
    expect(asked.locator("#outcome")).to_contain_text(ENDED, timeout=30_000)
    assert asked.locator("#follow textarea").is_visible()
    expect(asked.locator("#source .hit.on").first).to_be_in_viewport()
    landed = asked.evaluate(LANDED, "1")
    assert is_landed(landed, "1"), landed
    scattered = asked.url.split("#")[0]
    open_answered(asked, site)
    of_a_table = asked.url
    for name, window in WINDOWS.items():
        context = browser.new_context(**window)
        context.add_cookies(asked.context.cookies())
        page = context.new_page()
        page.goto(scattered)
        markers = page.eval_on_selector_all("#passages > li > .cite", "all => all.map(cite => cite.dataset.marker)")
        assert markers == [str(number) for number in range(1, len(markers) + 1)]
        seen = {check_landing(page, "#passages", marker, name) for marker in [*markers, markers[0]]}
        assert len({title for title, _page in seen}) >= 2 and len(seen) >= 4, "several documents and pages are quoted"
        page.goto(of_a_table)
        check_landing(page, "#claims", "1", name)
        context.close()


def test_a_guest_with_a_phone_is_led_to_the_quote_and_back_until_the_link_is_revoked(signed_in, browser, site):
    open_answered(signed_in, site)
    claim = signed_in.locator("#claims .said").first.inner_text()
    signed_in.locator("#share > summary").click()
    signed_in.locator("#share-menu form button[type=submit]", has_text="Make a link").click()
    link = signed_in.locator("#new-link").input_value()
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(link)
    expect(page.locator("body")).to_contain_text(claim)
    expect(page.locator("#ask")).to_have_count(0)
    page.locator("#claims .cite").first.tap()
    expect(page.locator(".hit.on").first).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#claims .cite").first).to_be_in_viewport()
    signed_in.locator("#share-menu button", has_text="Revoke").click()
    expect(signed_in.locator("#share-menu button", has_text="Revoke")).to_have_count(0)
    assert page.goto(link).status in (404, 410)
    expect(page.locator("body")).to_contain_text("This link is closed")
    expect(page.locator("body")).not_to_contain_text(claim)
    context.close()


def is_landed(found: dict, marker: str) -> bool:
    return found["open"] and found["head"] == found["sheet"] and found["quote"] == marker


def check_landing(page, list_: str, marker: str, window: str) -> tuple[str, str]:
    """Press a citation as a reader does, and the Source tab of a phone after it; the page it stands on.

    In the report, whose pages are pictures, the highlight lies over the printed words of the quote.
    """
    page.evaluate("location.hash = '#answer'")
    page.locator(f"{list_} .cite[data-marker='{marker}']").first.click()
    page.locator(f"#hit-{marker}").wait_for(state="attached")
    for _again in range(2):
        with suppress(AssertionError):
            wait_until(lambda: is_landed(page.evaluate(LANDED, marker), marker), seconds=5)
        landed = page.evaluate(LANDED, marker)
        assert is_landed(landed, marker), (window, marker, landed)
        if (tabs := page.locator(".pane-tabs a", has_text="Source")).is_visible():
            page.evaluate("location.hash = '#answer'")
            tabs.click()
    expect(page.locator(f"#hit-{marker}")).to_have_class(re.compile(r"\bon\b"))
    if page.locator(f"#hit-{marker} rect").count():
        quoted = page.locator(f"#cite-{marker}")
        quote = quoted.get_attribute("data-quote") or quoted.locator("blockquote").text_content()
        lit, whole = squeezed(text_under(page, marker)), squeezed(quote)
        assert lit == whole or (len(lit) > 40 and whole.startswith(lit)), (window, marker, "it may go on overleaf")
    return tuple(landed["sheet"])
