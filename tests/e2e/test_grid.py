"""A grid in a browser: made, filled before one's eyes, read with the keyboard, corrected, sorted; nothing serious."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.test_accessibility import audit
from tests.e2e.test_main_job import upload

pytestmark = pytest.mark.e2e


def test_a_grid_is_made_filled_read_and_corrected_with_the_keyboard(signed_in, site):
    page = grid = signed_in
    upload(page, site)
    page.goto(f"{site.address}/w/demo/grids/new/")
    page.fill("[name=name]", "At a glance")
    page.fill("[name=questions]", "How much free cash flow was there in 2024?\nWhat was the gross margin in 2024?")
    page.click(".grid-form [type=submit]")
    page.get_by_role("button", name=re.compile("Ask .* cells")).click()
    expect(page.locator("#progress")).to_contain_text(re.compile(r"(\d+) of \1 cells done"), timeout=30_000)

    rows = grid.locator("#grid tbody tr").count()
    assert grid.locator(".cell.stale").count() == 0
    grid.locator("td[role=gridcell]").first.focus()
    grid.keyboard.press("ArrowRight")
    grid.keyboard.press("Enter")
    expect(grid.locator(".drawer")).to_contain_text("gross margin")
    grid.keyboard.press("Escape")
    expect(grid.locator(".drawer")).to_have_count(0)

    grid.keyboard.press("e")
    expect(grid.locator(".drawer [name=text]")).to_be_focused()
    grid.keyboard.type("48.4 %")
    grid.fill("[name=reason]", "As in the letter to shareholders")
    grid.get_by_role("button", name="Save the correction").click()

    expect(grid.locator(".cell.corrected")).to_contain_text("48.4 %")
    grid.get_by_role("button", name="What was the gross margin").click()
    expect(grid.locator("th[aria-sort]")).to_contain_text("gross margin")
    grid.select_option("#grid-group", index=2)
    headings = grid.locator("tbody tr.group")
    expect(headings.filter(has_text="48.4 % · 1")).to_be_visible()
    assert sum(int(text.rpartition("·")[2].split()[0]) for text in headings.all_text_contents()) == rows
    grid.fill("#grid-find", "nothing has these words")
    expect(grid.locator("tbody tr:visible")).to_have_count(0)
    address = grid.url
    pages = [address, f"{site.address}/w/demo/grids/", f"{site.address}/w/demo/grids/new/", f"{address}columns/"]
    assert audit(grid, pages) == {}
