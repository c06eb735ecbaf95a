"""A live run page through whatever happens: every step of the database once, in order, on the screen."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import answers, wait_until
from tests.e2e.test_main_job import ask, upload
from tests.support.browser import ENDED
from tests.support.network import kill, redis_server, web_server

pytestmark = pytest.mark.e2e

STEPS = "items => items.map(item => Number(item.dataset.sequence))"
DOUBLED = """() => {
  const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place);
}"""
OPEN_GATE = 10_000


@pytest.fixture
def watching(owner, site):
    """A browser page whose scripts may not fail; what the browser says of lost connections is no failure."""
    page = owner
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    upload(page, site)
    yield page
    site.pause(0)
    assert errors == []


def run_on(page) -> int:
    return int(re.search(r"/runs/(\d+)/", page.url)[1])


def shown(page) -> list[int]:
    """The steps on the screen by their numbers; those of one document stand together there."""
    return sorted(page.eval_on_selector_all("#steps li.step.done", STEPS))


def wait_for_steps(page, count: int) -> None:
    page.locator("#steps li.step.done").nth(count - 1).wait_for(state="attached")


def assert_holds_what_is_stored(page, site) -> None:
    """Wait a moment for what is under way, then compare: the screen, the rows, the ids."""
    run = run_on(page)
    wait_until(lambda: shown(page) == site.sequences(run), seconds=20)
    assert page.evaluate(DOUBLED) == []


def assert_ends_whole(page, site) -> None:
    """The run's end on the screen is the run's end in the database, and a reload changes nothing."""
    run = run_on(page)
    expect(page.locator("#outcome")).to_contain_text(ENDED, timeout=40_000)
    for _look in range(2):
        assert_holds_what_is_stored(page, site)
        assert page.locator("#claims .said").all_inner_texts() == site.claims(run)
        assert site.claims(run)
        assert site.status(run) == "answered"
        expect(page.locator("#socket-away")).to_be_hidden(timeout=10_000)
        page.reload()


def test_a_run_that_waits_and_is_reloaded_at_every_phase_is_whole_in_two_tabs(watching, site):
    page = watching
    site.gate(1)
    ask(page, site)
    wait_for_steps(page, 1)
    first = page.url
    ask(page, site)
    assert site.status(run_on(page)) == "queued"
    page.reload()
    assert shown(page) == []
    second_tab = page.context.new_page()
    second_tab.goto(first)
    count = 1
    while not second_tab.locator("#claims .claim").count():
        count += 1
        site.gate(count)
        second_tab.wait_for_timeout(150)
        second_tab.reload()
        assert_holds_what_is_stored(second_tab, site)
    site.gate(OPEN_GATE)
    assert_ends_whole(second_tab, site)
    second_tab.goto(page.url)
    for tab in (page, second_tab):
        assert_ends_whole(tab, site)
    second_tab.close()


def test_a_lost_network_and_killed_servers_are_caught_up(watching, site, network):
    page = watching
    site.gate(1)
    ask(page, site, address=network.address)
    wait_for_steps(page, 1)
    run = run_on(page)
    page.evaluate("document.body.dataset.stayed = 'yes'")
    network.cut()
    site.gate(3)
    expect(page.locator("#socket-away")).to_have_text("connecting again")
    wait_until(lambda: len(site.sequences(run)) == 3)
    assert shown(page) == [1], "steps were made meanwhile"
    network.mend()
    # It stands for four seconds, which catching up may take, so it is looked for first.
    expect(page.locator("#socket-away")).to_have_text("connected again", timeout=20_000)
    assert_holds_what_is_stored(page, site)
    expect(page.locator("#socket-away")).to_be_hidden()

    for count, killed in ((4, web_server(site.process.pid, site.port)), (5, redis_server(site.process.pid))):
        kill(killed)
        site.gate(count)
        wait_until(lambda: answers(f"{site.address}/health/ready"), seconds=30)
        assert_holds_what_is_stored(page, site)
    assert page.evaluate("document.body.dataset.stayed") == "yes"
    site.gate(OPEN_GATE)
    assert_ends_whole(page, site)


def test_where_websockets_are_refused_the_page_asks_by_itself(watching, site, network):
    page = watching
    network.refuses_sockets = True
    site.gate(1)
    ask(page, site, address=network.address)
    page.evaluate("document.body.dataset.stayed = 'yes'")
    wait_for_steps(page, 1)
    site.gate(3)
    wait_for_steps(page, 3)
    expect(page.locator("#socket-away")).to_be_hidden()
    site.gate(OPEN_GATE)
    expect(page.locator("#outcome")).to_contain_text(ENDED)
    assert page.evaluate("document.body.dataset.stayed") == "yes"
    assert_ends_whole(page, site)


def test_a_worker_killed_in_mid_run_shows_each_step_once(watching, site):
    page = watching
    site.gate(3)
    ask(page, site)
    wait_for_steps(page, 3)
    before = (site.var / "horse").read_text()
    horse, worker = map(int, before.split())
    kill(worker, horse)
    wait_until(lambda: (site.var / "horse").read_text() != before, seconds=30)
    assert_holds_what_is_stored(page, site)
    site.gate(OPEN_GATE)
    assert_ends_whole(page, site)
