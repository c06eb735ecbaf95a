"""Golden questions in a browser: a set is made, a run is kept in it, all questions are asked while one watches."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.test_accessibility import audit
from tests.e2e.test_main_job import open_answered

pytestmark = pytest.mark.e2e


def test_a_run_is_kept_and_asked_again_with_its_set(signed_in, site):
    page = signed_in
    open_answered(page, site)
    page.locator("#run-acts summary", has_text="Export").click()
    page.get_by_role("link", name="Keep as golden question").click()
    page.fill("main [name=name]", "Figures")
    page.get_by_role("button", name="Make the set").click()
    page.get_by_role("button", name=re.compile("Keep here")).click()
    expect(page.locator("main")).to_contain_text("What is expected")
    question = page.url

    page.get_by_role("link", name="Figures").click()
    page.get_by_role("button", name="Ask all questions").click()
    expect(page.locator("#figures")).to_contain_text("Ended", timeout=60_000)
    expect(page.locator("#figures")).to_contain_text("1 of 1 asked")
    page.reload()
    evaluation = page.url
    page.get_by_role("link", name="Figures").click()
    golden_set = page.url
    page.goto(f"{site.address}/w/demo/evaluations/")
    pages = [page.url, question, evaluation, golden_set]
    assert audit(page, pages) == {}
