"""Every kind of page, light on a desk and dark on a phone: axe-core finds nothing serious, nothing overflows."""

import re
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


def test_a_run_has_no_serious_finding_while_it_goes_on_and_when_it_is_done(signed_in, site):
    page = signed_in
    upload(page, site)
    site.pause(1.5)
    ask(page, site)
    page.locator("#steps > li.step.done").first.wait_for()
    wrong = findings(page)
    site.pause(0)
    expect(page.locator("#outcome")).to_contain_text(re.compile("Answered"), timeout=60_000)
    assert wrong == []
    assert audit(page, page.url) == {}


def test_the_gate_has_no_serious_finding(page, site):
    assert audit(page, f"{site.address}/accounts/login/") == {}
