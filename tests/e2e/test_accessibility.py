"""Every kind of page, light on a desk and dark on a phone: axe-core finds nothing serious, nothing overflows."""

import sqlite3
from contextlib import closing
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from tests.e2e.test_main_job import ask, open_answered, upload
from tests.support.browser import ENDED

pytest.importorskip("axe_playwright_python", reason="the package brings axe-core")
pytestmark = pytest.mark.e2e
PATHS = (
    *("/", "/help/", "/w/demo/", "/w/demo/runs/", "/w/demo/evaluations/", "/w/demo/documents/", "/workspaces/new/"),
    *("/account/tokens/", "/account/notices/", "/accounts/password/change/", "/notices/"),
    *("/w/demo/settings/models/meaning/", "/w/demo/settings/sources/"),
    *("/console/people/1/", "/console/groups/1/", "/console/workspaces/1/", "/console/models/1/"),
    *("/console/sign-in/providers/1/", "/console/retention/?kind=runs&days=1"),
)
"""Pages that no menu of the console or the settings names."""
OPEN = "all => all.forEach(one => { one.open = true })"
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
WAYS = [("light", DESK, ""), ("dark", PHONE, "")]
PANES = [WAYS[0], *(("dark", PHONE, pane) for pane in ("#answer", "#trace", "#source"))]


def findings(page) -> list[str]:
    """What axe-core calls serious or critical, and whether the page is wider than its window."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)")
    serious = [f"{row['id']} {row['nodes'][0]['target']}" for row in found if row["impact"] in ("serious", "critical")]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return serious + ([f"{wide} px too wide"] if wide > 0 else [])


def audit(page, addresses) -> dict[str, list[str]]:
    """What is wrong with pages, looked at by turns: all share their colours, and test_layout.py measures widths."""
    wrong = {}
    for number, address in enumerate(addresses):
        page.goto(address)
        if found := look(page, [WAYS[number % 2]]):
            wrong[address] = found
    return wrong


def look(page, ways=WAYS) -> list[str]:
    """Findings as the page stands, in each scheme, window and pane. Contrast hangs on the scheme, overflow on width."""
    wrong = []
    for scheme, window, pane in ways:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(window)
        page.evaluate("pane => { if (pane) location.hash = pane }", pane)
        wrong += [f"{scheme} {pane} {finding}" for finding in findings(page)]
    page.set_viewport_size(DESK)
    return wrong


def test_the_api_s_own_page_shows_its_operations(signed_in, site):
    page = signed_in
    page.goto(f"{site.address}/api/v1/docs")
    expect(page.locator("body")).to_contain_text("/retrieve", timeout=30_000)


def test_a_run_has_no_serious_finding_while_it_goes_on_when_it_is_done_and_with_its_menus_open(signed_in, site):
    page = signed_in
    upload(page, site)
    site.gate(2)
    ask(page, site, "How much free cash flow was there in 2024?")
    page.locator("#steps li.step.done").first.wait_for()
    assert look(page) == []
    site.pause(0)
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=60_000)
    page.eval_on_selector_all("#steps details, .legend", OPEN)
    assert look(page, PANES) == []
    page.keyboard.press("?")
    assert look(page) == []
    page.keyboard.press("Escape")
    page.eval_on_selector_all("#run-acts details.menu, .follow details.menu", OPEN)
    assert look(page) == []


def test_a_run_that_found_nothing_was_stopped_or_failed_has_no_serious_finding(signed_in, site):
    page = signed_in
    upload(page, site)
    for question, told in (
        ("Which airports does the company operate?", "Closest passages"),
        ("Who tamed the giraffes?", "Not in these documents"),
    ):
        ask(page, site, question)
        expect(page.locator("#outcome")).to_contain_text(told, timeout=60_000)
        assert look(page) == []
    site.gate(1)
    ask(page, site)
    page.locator("#steps li.step.done").first.wait_for()
    page.locator("#run-acts button", has_text="Stop").click()
    expect(page.locator("#outcome")).to_contain_text("Stopped", timeout=10_000)
    site.pause(0)
    assert look(page) == []
    fail(site, int(page.url.rstrip("/").split("/")[-1]))
    page.reload()
    expect(page.locator("#outcome")).to_contain_text("Failed")
    assert look(page) == []


def fail(site, run_id: int) -> None:
    """Make a run one that failed, as its worker would have written it."""
    told = ("The model did not answer in time.", "model_timeout", run_id)
    with closing(sqlite3.connect(site.var / "db.sqlite3", timeout=20)) as database, database:
        change = "UPDATE runs_run SET status = 'failed', retryable = 1, reason = ?, error_code = ? WHERE id = ?"
        database.execute(change, told)


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
    open_answered(signed_in, site)
    site.manage("shell", "-c", FILL)
    yield signed_in
    site.manage("shell", "-c", EMPTY)


@pytest.mark.timeout(400)
def test_no_page_has_a_serious_finding(filled, browser, site):
    page, paths = filled, [*PATHS]
    for start in ("/console/", "/w/demo/settings/"):
        page.goto(site.address + start)
        paths += page.locator(".side-nav nav a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert len(paths) > len(PATHS) + 25
    page.goto(f"{site.address}/w/demo/documents/")
    address = page.locator("#documents tr", has_text="2024").locator(".title a").first.get_attribute("href")
    paths += [address + more for more in ("?page=3", "?page=3&view=text", "?find=revenue", "changes/")]
    page.goto(f"{site.address}{address}?page=15")
    paths.append(page.locator(".understood a[href*='/tables/']").first.get_attribute("href") + "?sort=1")
    own = [site.address + path for path in paths if not path.startswith("/admin/")]  # Those are the framework's.
    stranger = browser.new_page()
    assert audit(page, own) | audit(stranger, [f"{site.address}/accounts/login/"]) == {}
    stranger.close()
