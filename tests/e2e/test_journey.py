"""The whole way through the product, as two people and a reader without an account walk it."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import REPORT
from tests.e2e.test_live_run import assert_ends_whole, shown, wait_for_steps
from tests.e2e.test_main_job import QUESTION, squeezed, text_under

pytestmark = pytest.mark.e2e
NAME, PASSWORD = "erin", "a long pass phrase of hers"


def test_from_an_invitation_to_a_revoked_link(signed_in, browser, site):
    hers = browser.new_context(viewport={"width": 1440, "height": 900})
    outside = browser.new_context(viewport={"width": 1440, "height": 900})
    page = hers.new_page()
    page.set_default_timeout(20_000)
    home = make_workspace(signed_in, site)
    sign_up(page, invite(signed_in, home), home)
    upload_and_watch(page, home)
    ask_and_watch(page, site, home)
    assert_highlight_covers_the_quote(page)
    stop_another(page, site, home)
    share_and_revoke(page, outside.new_page())
    hers.close()
    outside.close()


def make_workspace(page, site) -> str:
    page.goto(f"{site.address}/workspaces/new/")
    page.fill("input[name=name]", "Journey")
    page.locator("main button[type=submit]").click()
    page.wait_for_url(re.compile(r"/w/[^/]+/$"))
    return page.url


def invite(page, home: str) -> str:
    page.goto(f"{home}settings/members/")
    page.select_option("form[action$='/invitations/new/'] select[name=role]", label="Editor")
    page.click("form[action$='/invitations/new/'] button[type=submit]")
    return page.locator("#new-link").input_value()


def sign_up(page, link: str, home: str) -> None:
    """By the link alone: whoever holds it may make an account, and belongs to the workspace with it."""
    page.goto(link)
    if page.locator("input[name=password1]").count() == 0:
        page.get_by_role("link", name=re.compile("account", re.IGNORECASE)).first.click()
    page.fill("input[name=username]", NAME)
    if page.locator("input[name=email]").count():
        page.fill("input[name=email]", f"{NAME}@example.com")
    page.fill("input[name=password1]", PASSWORD)
    if page.locator("input[name=password2]").count():
        page.fill("input[name=password2]", PASSWORD)
    page.locator("main button[type=submit], form button[type=submit]").last.click()
    join = page.get_by_role("button", name="Join")
    page.wait_for_load_state()
    if join.count():
        join.click()
    page.wait_for_url(home)


def upload_and_watch(page, home: str) -> None:
    page.goto(f"{home}documents/")
    page.evaluate("document.body.dataset.stayed = 'yes'")
    page.set_input_files("input[type=file]", str(REPORT))
    row = page.locator("tr[id^=document-]")
    expect(row.first.locator("[data-status=ready]")).to_be_visible(timeout=60_000)
    assert page.evaluate("document.body.dataset.stayed") == "yes"


def ask_and_watch(page, site, home: str) -> None:
    site.gate(2)
    ask_here(page, home)
    page.evaluate("document.body.dataset.stayed = 'yes'")
    wait_for_steps(page, 2)
    site.gate(4)
    wait_for_steps(page, 4)
    assert page.evaluate("document.body.dataset.stayed") == "yes", "the steps came by the socket"
    page.reload()
    assert shown(page) == [1, 2, 3, 4]
    site.gate(10_000)
    assert_ends_whole(page, site)


def ask_here(page, home: str) -> None:
    page.goto(home)
    page.fill("#question", QUESTION)
    page.click("#ask button[type=submit]")
    page.wait_for_url(re.compile(r"/runs/\d+/"))


def assert_highlight_covers_the_quote(page) -> None:
    page.locator("#claims a.cite").first.click()
    expect(page.locator("#hit-1")).to_have_class(re.compile(r"\bon\b"))
    assert squeezed(text_under(page, 1)) == squeezed(page.locator("#cite-1 blockquote").inner_text())


def stop_another(page, site, home: str) -> None:
    answered = page.url
    site.gate(1)
    ask_here(page, home)
    wait_for_steps(page, 1)
    page.locator("#run-acts button", has_text="Stop").click()
    expect(page.locator("#outcome")).to_contain_text("Stopped", timeout=5_000)
    site.gate(10_000)
    page.goto(answered)


def share_and_revoke(page, reader) -> None:
    claim = page.locator("#claims .said").first.inner_text()
    page.locator("#share > summary").click()
    page.locator("#share-menu form button[type=submit]", has_text="Make a link").click()
    link = page.locator("#new-link").input_value()
    reader.goto(link)
    expect(reader.locator("body")).to_contain_text(claim)
    expect(reader.locator("#ask")).to_have_count(0)
    page.locator("#share-menu button", has_text="Revoke").click()
    expect(page.locator("#share-menu button", has_text="Revoke")).to_have_count(0)
    assert reader.goto(link).status in (404, 410)
    expect(reader.locator("body")).to_contain_text("This link is closed")
    expect(reader.locator("body")).not_to_contain_text(claim)
