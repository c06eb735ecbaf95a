"""Asking again in a browser: the menu, the thread, two runs side by side, the bundle; and all of it without script."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.e2e.test_accessibility import audit
from tests.e2e.test_main_job import ask, upload

pytestmark = pytest.mark.e2e
OUTCOME = re.compile("Answered|Closest passages|Not in these documents")


@pytest.fixture
def answered(signed_in, site):
    """A browser page on a finished run."""
    upload(signed_in, site)
    ask(signed_in, site)
    expect(signed_in.locator("#outcome")).to_contain_text(OUTCOME, timeout=60_000)
    return signed_in


def press_again(page, label: str) -> None:
    """Choose a way from the menu, and wait for the new run's end."""
    before = page.url
    page.get_by_title("Ask again", exact=True).click()
    page.locator(".ways").get_by_text(label).click()
    page.wait_for_url(lambda url: url != before)
    expect(page.locator("#outcome")).to_contain_text(OUTCOME, timeout=60_000)


def test_another_try_is_compared_with_the_first(answered, site):
    page = answered
    first = page.url
    press_again(page, "The same again")
    page.get_by_role("link", name="compare with the earlier answer").click()

    expect(page.get_by_role("heading", name="What they say")).to_be_visible()
    expect(page.locator(".aligned > li.same")).to_have_count(1)
    page.locator(".aligned .side .cite").first.click()
    page.wait_for_url(lambda url: url.startswith(first))


def test_an_edited_question_stays_in_its_thread(answered, site):
    page = answered
    page.get_by_title("Ask again", exact=True).click()
    page.get_by_role("link", name="Edit the question").click()
    page.fill("#question", "What was net revenue in 2024?")
    page.click("#ask button[type=submit]")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    expect(page.locator("#outcome")).to_contain_text(OUTCOME, timeout=60_000)
    page.get_by_title("Ask again", exact=True).click()
    page.get_by_role("link", name="The whole thread").click()

    expect(page.locator(".thread-runs > li")).to_have_count(2)
    expect(page.locator(".knows")).to_contain_text("builds on what was asked")


def test_pages_of_threads_and_comparing_have_no_serious_finding(answered, site):
    page = answered
    press_again(page, "The same again")
    second = page.url
    thread = page.locator(".ways a[href*='/threads/']").get_attribute("href")
    compared = page.locator(".from a[href*='/compare/']").get_attribute("href")
    wrong = {}
    for address in (site.address + thread, site.address + compared, f"{second}compare/", f"{second}edit/"):
        wrong |= audit(page, address)

    assert wrong == {}


def test_without_script_two_ticked_runs_are_compared_and_feedback_is_changed(answered, site, browser):
    page = answered
    press_again(page, "The same again")
    state = page.context.storage_state()
    plain = browser.new_context(java_script_enabled=False, storage_state=state)
    quiet = plain.new_page()
    quiet.goto(f"{site.address}/w/demo/runs/")
    for number in (0, 1):
        quiet.locator(".tick").nth(number).check()
    quiet.get_by_role("button", name="Compare the two ticked").click()
    expect(quiet.get_by_role("heading", name="Who answered, and what it took")).to_be_visible()

    quiet.goto(page.url)
    quiet.locator("#feedback form button").first.click()
    expect(quiet.locator("#feedback")).to_contain_text("Noted as right")
    quiet.locator("#feedback summary").click()
    quiet.get_by_role("button", name="Wrong page").click()
    expect(quiet.locator("#feedback")).to_contain_text("Noted: wrong page")
    plain.close()


def test_the_evidence_bundle_holds_the_page_as_a_picture(answered, site, tmp_path):
    page = answered
    page.get_by_title("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Evidence bundle").click()
    path = tmp_path / "bundle.zip"
    download.value.save_as(path)

    assert download.value.suggested_filename.endswith(".zip")
    assert any(name.endswith(".jpg") for name in zipfile.ZipFile(path).namelist())
