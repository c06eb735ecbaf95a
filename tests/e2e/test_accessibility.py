"""Every kind of page, light on a desk and dark on a phone: axe-core finds nothing serious, nothing overflows."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from tests.conftest import ROOT
from tests.e2e.test_main_job import ask, upload
from tests.support.browser import ENDED

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
        "/w/demo/evaluations/",
        "/w/demo/settings/",
        "/w/demo/settings/members/",
        "/w/demo/settings/models/",
        "/w/demo/settings/models/meaning/",
        "/w/demo/settings/budgets/",
        "/w/demo/settings/danger/",
        "/w/demo/settings/webhooks/",
        "/w/demo/settings/sources/",
        "/w/demo/settings/programs/",
        "/account/tokens/",
        "/workspaces/new/",
        "/accounts/password/change/",
    ],
)
def test_a_page_has_no_serious_finding(signed_in, site, path):
    assert audit(signed_in, site.address + path) == {}


def test_the_api_s_own_page_shows_its_operations(signed_in, site):
    page = signed_in
    page.goto(f"{site.address}/api/v1/docs")
    expect(page.locator("body")).to_contain_text("/retrieve", timeout=30_000)


def test_documents_and_the_reader_have_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    wrong = audit(page, f"{site.address}/w/demo/documents/")
    address = page.locator("#documents .title a").first.get_attribute("href")
    for more in ("?page=3", "?page=3&view=text", "?find=revenue", "changes/"):
        wrong |= audit(page, site.address + address + more)
    page.goto(f"{site.address}{address}?page=15")
    table = page.locator(".understood a[href*='/tables/']").first.get_attribute("href")
    wrong |= audit(page, f"{site.address}{table}?sort=1")
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
    page.locator("#steps li.step.done").first.wait_for()
    wrong = in_every_light(page)
    site.pause(0)
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)
    assert wrong == []
    assert in_every_light(page, ("#answer", "#trace", "#source")) == []
    page.eval_on_selector_all("#steps details, .legend", "all => all.forEach(one => { one.open = true })")
    assert in_every_light(page, ("#trace",)) == []


def test_the_list_of_keys_and_open_menus_have_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    ask(page, site)
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)
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
    page.locator("#steps li.step.done").first.wait_for()
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


FILL = """
from django.contrib.auth import get_user_model
from vectorless_web.console.subjects import maintenance
from vectorless_web.console.subjects.usage import count_usage
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.profiles.services import save_sign_on
from vectorless_web.workspaces import services
from vectorless_web.workspaces.models import Budget, ModelProvider, PeopleGroup, Workspace

people = get_user_model().objects
demo, place = people.get(username="demo"), Workspace.objects.get(slug="demo")
person = people.create_user("ada", "ada@example.com", "a long pass phrase")
group = services.save_group(actor=demo, group=PeopleGroup(name="Auditors", description="From outside"))
services.set_people(actor=demo, group=group, people=[person])
services.add_group(actor=demo, workspace=place, group=group, role="viewer")
for workspace, user, spent in ((None, None, 60), (place, None, 85), (None, person, 100)):
    limit = Budget(workspace=workspace, user=user, limit_usd=100, period="month", by_staff=True)
    Budget.objects.filter(pk=services.set_budget(actor=demo, budget=limit).pk).update(spent_usd=spent)
model = ModelProvider(name="House", base_url="https://models.example.com/v1", model="large", enabled=False)
services.save_provider(actor=demo, provider=model, api_key="k")
services.allow_host(actor=demo, host="models.example.com")
identity = SignOnProvider(key="acme", name="Acme", issuer="https://id.example.com", client="x", enabled=False)
save_sign_on(actor=demo, provider=identity, secret="s")
maintenance.announce(actor=demo, text="New disks come on Friday.", until=None)
count_usage()
"""
EMPTY = """
from django.contrib.auth import get_user_model
from vectorless_web.console.subjects import maintenance
from vectorless_web.workspaces.models import ModelHost
from vectorless_web.workspaces.services.settings import forbid_host
demo = get_user_model().objects.get(username="demo")
maintenance.announce(actor=demo, text="", until=None)
for row in ModelHost.objects.all():
    forbid_host(actor=demo, row=row)
"""


@pytest.fixture
def filled(signed_in, site):
    """A browser page of an administrator, on a site with something on every page of the console."""
    upload(signed_in, site)
    ask(signed_in, site)
    expect(signed_in.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)
    run_there(site, FILL)
    yield signed_in
    run_there(site, EMPTY)


def run_there(site, program: str) -> None:
    """Run a program in the site's own installation."""
    environment = {**os.environ, "VECTORLESS_VAR": str(site.var)}
    for name in ("DATABASE_URL", "REDIS_URL", "VECTORLESS_STATIC"):
        environment.pop(name, None)
    command = [sys.executable, "manage.py", "shell", "-c", program]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=60)


@pytest.mark.timeout(400)
def test_the_console_and_the_settings_of_a_workspace_have_no_serious_finding(filled, site):
    page, wrong, paths = filled, {}, []
    for start in ("/console/", "/w/demo/settings/"):
        page.goto(site.address + start)
        paths += page.locator(".side-nav nav a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert len(paths) > 25
    more = (
        "people/1/",
        "groups/1/",
        "workspaces/1/",
        "models/1/",
        "sign-in/providers/1/",
        "retention/?kind=runs&days=1",
    )
    for path in (*paths, *(f"/console/{each}" for each in more), "/account/notices/", "/notices/"):
        if not path.startswith("/admin/"):  # The framework's own pages.
            wrong |= audit(page, site.address + path)
    assert wrong == {}
