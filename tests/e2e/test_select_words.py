"""The words of a page's picture can be selected where they are printed, and copied; lit quotes stay on top."""

import pytest
from playwright.sync_api import expect

from tests.e2e.test_main_job import squeezed, upload

pytestmark = pytest.mark.e2e

OVER = """() => {
  const words = document.querySelector(".words"), picture = document.querySelector(".drawn > img");
  const run = [...words.querySelectorAll("tspan")].find((tspan) => tspan.textContent.trim().split(" ").length > 5);
  const [box, page] = [run.getBoundingClientRect(), picture.getBoundingClientRect()];
  const scale = page.width / words.viewBox.baseVal.width;
  const printed = { x: Number(run.getAttribute("x")) * scale, width: Number(run.getAttribute("textLength")) * scale };
  return { text: run.textContent.trim(), x: box.x, y: box.y + box.height / 2, width: box.width,
           off: Math.abs(box.x - page.x - printed.x), longer: Math.abs(box.width - printed.width) };
}"""


def test_words_are_selected_with_the_mouse_and_copied(signed_in, site):
    page = signed_in
    upload(page, site)
    page.goto(f"{site.address}/w/demo/documents/")
    page.locator("tr[id^=document-] a", has_text="2024").first.click()
    expect(page.locator(".words text").first).to_be_attached()

    run = page.evaluate(OVER)
    assert run["off"] < 1.5, "the words begin where they are printed"
    assert run["longer"] < 3, "and are as long"
    page.mouse.move(run["x"] + 1, run["y"])
    page.mouse.down()
    page.mouse.move(run["x"] + run["width"] - 1, run["y"], steps=4)
    page.mouse.up()

    chosen = page.evaluate("getSelection().toString()")
    assert squeezed(run["text"])[:-3] in squeezed(chosen)
    layers = page.evaluate("[...document.querySelector('.drawn').children].map((own) => own.getAttribute('class'))")
    assert layers == [None, "words", "hits", "flags"]
