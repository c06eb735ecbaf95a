"""Asking again in a browser: the menu, the thread, two runs side by side, the bundle."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.e2e.test_accessibility import audit
from tests.e2e.test_main_job import open_answered

pytestmark = pytest.mark.e2e
OUTCOME = re.compile("Answered|Closest passages|Not in these documents")


def press_again(page, label: str) -> None:
    """Choose a way from the menu, and wait for the new run's end."""
    before = page.url
    page.get_by_title("Ask again", exact=True).click()
    page.locator(".ways").get_by_text(label).click()
    page.wait_for_url(lambda url: url != before)
    expect(page.locator("#outcome")).to_contain_text(OUTCOME, timeout=60_000)


def test_another_try_is_compared_and_an_edited_question_stays_in_its_thread(signed_in, site):
    page = signed_in
    open_answered(page, site)
    first = page.url
    press_again(page, "The same again")
    second = page.url
    page.get_by_role("link", name="compare with the earlier answer").click()
    expect(page.get_by_role("heading", name="What they say")).to_be_visible()
    expect(page.locator(".aligned > li.same")).to_have_count(1)
    compared = page.url
    page.locator(".aligned .side .cite").first.click()
    page.wait_for_url(lambda url: url.startswith(first))

    page.goto(second)
    page.get_by_title("Ask again", exact=True).click()
    page.get_by_role("link", name="Edit the question").click()
    page.fill("#question", "What was net revenue in 2024?")
    page.click("#ask button[type=submit]")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    expect(page.locator("#outcome")).to_contain_text(OUTCOME, timeout=60_000)
    page.get_by_title("Ask again", exact=True).click()
    page.get_by_role("link", name="The whole thread").click()
    expect(page.locator(".thread-runs > li")).to_have_count(3)
    expect(page.locator(".knows")).to_contain_text("builds on what was asked")

    pages = (page.url, compared, f"{second}compare/", f"{second}edit/")
    assert audit(page, pages) == {}


def test_the_evidence_bundle_holds_the_page_as_a_picture(signed_in, site, tmp_path):
    page = signed_in
    open_answered(page, site)
    page.get_by_title("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Evidence bundle").click()
    path = tmp_path / "bundle.zip"
    download.value.save_as(path)
    assert any(name.endswith(".jpg") for name in zipfile.ZipFile(path).namelist())
