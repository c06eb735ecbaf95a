"""Golden questions in a browser: a set is made, a run is kept in it, all questions are asked while one watches."""

import os
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.test_accessibility import DESK, PHONE, findings
from tests.e2e.test_main_job import ask, upload
from tests.support.browser import ENDED

pytestmark = pytest.mark.e2e


def look(page, name: str) -> list[str]:
    """What is wrong with the page on a desk in the light and on a phone in the dark; pictures where they are wanted."""
    wrong = []
    for scheme, window in (("light", DESK), ("dark", PHONE)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(window)
        wrong += findings(page)
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/{name}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESK)
    return wrong


def test_a_run_is_kept_and_asked_again_with_its_set(signed_in, site):
    page = signed_in
    upload(page, site)
    ask(page, site, "What was capital expenditure in 2024?")
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)

    page.locator("#run-acts summary", has_text="Export").click()
    page.get_by_role("link", name="Keep as golden question").click()
    page.fill("main [name=name]", "Figures")
    page.get_by_role("button", name="Make the set").click()
    page.wait_for_url(re.compile("/evaluations/sets/"))
    empty = look(page, "set-empty")
    page.go_back()
    page.reload()
    page.get_by_role("button", name=re.compile("Keep here")).click()
    expect(page.locator("main")).to_contain_text("What is expected")
    question = look(page, "question")

    page.get_by_role("link", name="Figures").click()
    page.get_by_role("button", name="Ask all questions").click()
    expect(page.locator("#figures")).to_contain_text("Ended", timeout=60_000)
    expect(page.locator("#figures")).to_contain_text("1 of 1 asked")
    page.reload()
    evaluation = look(page, "evaluation")
    page.get_by_role("link", name="Figures").click()
    golden_set = look(page, "set")
    page.goto(f"{site.address}/w/demo/evaluations/")
    assert [*empty, *question, *evaluation, *golden_set, *look(page, "sets")] == []
