"""Every kind of page, light on a desk and dark on a phone: axe-core finds nothing serious, nothing overflows."""

import re
import sqlite3
from contextlib import closing
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from tests.e2e.test_main_job import ask, upload

pytest.importorskip("axe_playwright_python", reason="the package brings axe-core")
pytestmark = pytest.mark.e2e
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


def findings(page) -> list[str]:
    """What axe-core calls serious or critical, and whether the page is wider than its window."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    serious = [f"{row['id']} {row['nodes'][0]['target']}" for row in found if row["impact"] in ("serious", "critical")]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return serious + ([f"{wide} px too wide"] if wide > 0 else [])


def audit(page, address: str) -> dict[str, list[str]]:
    page.goto(address)
    wrong = {}
    for scheme, window in (("light", DESK), ("dark", PHONE)):  # Contrast hangs on the scheme, overflow on the width.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(window)
        if found := findings(page):
            wrong[f"{address} {scheme} {window['width']}"] = found
    page.set_viewport_size(DESK)
    return wrong


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/help/",
        "/w/demo/",
        "/w/demo/runs/",
        "/w/demo/settings/",
        "/w/demo/settings/members/",
        "/w/demo/settings/models/",
        "/w/demo/settings/models/meaning/",
        "/w/demo/settings/budgets/",
        "/w/demo/settings/danger/",
        "/workspaces/new/",
        "/accounts/password/change/",
    ],
)
def test_a_page_has_no_serious_finding(signed_in, site, path):
    assert audit(signed_in, site.address + path) == {}


def test_documents_and_the_reader_have_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    wrong = audit(page, f"{site.address}/w/demo/documents/")
    address = page.locator("#documents .title a").first.get_attribute("href")
    for more in ("?page=3", "?page=3&view=text", "?find=revenue"):
        wrong |= audit(page, site.address + address + more)
    assert wrong == {}


def in_every_light(page, panes=()) -> list[str]:
    """Findings as the page stands, light and dark, on a desk; and of each pane on a phone."""
    wrong = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for window, pane in [(DESK, ""), *((PHONE, pane) for pane in panes)]:
            page.set_viewport_size(window)
            page.evaluate("pane => { if (pane) location.hash = pane }", pane)
            wrong += [f"{scheme} {pane} {finding}" for finding in findings(page)]
        page.set_viewport_size(DESK)
    return wrong


def test_a_run_has_no_serious_finding_while_it_goes_on_and_when_it_is_done(signed_in, site):
    page = signed_in
    upload(page, site)
    site.pause(1.5)
    ask(page, site, "How much free cash flow was there in 2024?")
    page.locator("#steps > li.step.done").first.wait_for()
    wrong = in_every_light(page)
    site.pause(0)
    expect(page.locator("#outcome")).to_contain_text(re.compile("Answered"), timeout=60_000)
    assert wrong == []
    assert in_every_light(page, ("#answer", "#trace", "#source")) == []
    page.eval_on_selector_all("#steps details, #conf, .legend", "all => all.forEach(one => { one.open = true })")
    assert in_every_light(page, ("#trace",)) == []


def test_the_list_of_keys_and_open_menus_have_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    ask(page, site)
    expect(page.locator("#outcome")).to_contain_text(re.compile("Answered"), timeout=60_000)
    page.keyboard.press("?")
    assert in_every_light(page) == []
    page.keyboard.press("Escape")
    menus = page.locator("#run-acts details.menu, .follow details.menu")
    for number in range(menus.count()):
        menus.nth(number).locator("summary").first.click()
        assert in_every_light(page) == []
        page.keyboard.press("Escape")


def test_a_run_that_found_nothing_was_stopped_or_failed_has_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    ask(page, site, "Which airports does the company operate?")
    expect(page.locator("#outcome")).to_contain_text("Closest passages", timeout=60_000)
    assert in_every_light(page, ("#answer",)) == []
    ask(page, site, "Who tamed the giraffes?")
    expect(page.locator("#outcome")).to_contain_text("Not in these documents", timeout=60_000)
    assert in_every_light(page, ("#answer",)) == []
    site.pause(2)
    ask(page, site)
    page.locator("#steps > li.step.done").first.wait_for()
    page.locator("#run-acts button", has_text="Stop").click()
    expect(page.locator("#outcome")).to_contain_text("Stopped", timeout=10_000)
    site.pause(0)
    assert in_every_light(page) == []
    fail(site, int(page.url.rstrip("/").split("/")[-1]))
    page.reload()
    expect(page.locator("#outcome")).to_contain_text("Failed")
    assert in_every_light(page) == []


def fail(site, run_id: int) -> None:
    """Make a run one that failed, as its worker would have written it."""
    told = ("The model did not answer in time.", "model_timeout", run_id)
    with closing(sqlite3.connect(site.var / "db.sqlite3", timeout=20)) as database, database:
        change = "UPDATE runs_run SET status = 'failed', retryable = 1, reason = ?, error_code = ? WHERE id = ?"
        database.execute(change, told)


def test_the_gate_has_no_serious_finding(page, site):
    assert audit(page, f"{site.address}/accounts/login/") == {}
