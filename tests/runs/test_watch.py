"""Watching a run over its socket, or by asking for its news where the socket is refused on the way."""

import re
import threading
import time
from contextlib import contextmanager
from copy import copy
from dataclasses import replace

import pytest
from django.db import connection
from selectolax.lexbor import LexborHTMLParser
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.conftest import wait_until
from tests.runs.conftest import work
from tests.support.engines import StoryReasoner, TestEngine, claim, complete, long_story, step
from vectorless_web.runs.line import enqueue
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.services import claim_run, execute_run
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db(transaction=True)

STEP = re.compile(r'id="step-(\d+)"')


class Page:
    """A page as the browser keeps it: the last element of each id, in the order in which they first came."""

    def __init__(self, socket) -> None:
        self.socket = socket
        self.elements: dict[str, str] = {}
        self.closed: int | None = None

    def read(self, seconds: float = 1.0) -> bool:
        """Take the next message in; false when none comes in time or the socket closed."""
        try:
            text = self.socket.recv(timeout=seconds)
        except TimeoutError:
            return False
        except ConnectionClosed as closed:
            self.closed = closed.rcvd.code if closed.rcvd else 1006
            return False
        for element in LexborHTMLParser(text).body.iter():
            self.elements[element.id] = element.html
        return True

    def read_to_the_end(self, seconds: float = 60) -> "Page":
        deadline = time.monotonic() + seconds
        while self.closed is None:
            assert time.monotonic() < deadline, f"still open with {sorted(self.elements)}"
            self.read(0.5)
        return self

    @property
    def steps(self) -> list[int]:
        return [int(name.removeprefix("step-")) for name in self.elements if re.fullmatch(r"step-\d+", name)]


@pytest.fixture
def open_page(server, client, bob):
    """Open the socket of a run as Bob, from a page of the site: `with open_page(run, after=3) as page`."""

    @contextmanager
    def opened(run: Run, *, after: int | str | None = None, origin: str | None = None):
        client.force_login(bob)
        cookie = f"sessionid={client.cookies['sessionid'].value}"
        query = "" if after is None else f"?after={after}"
        address = f"{server.replace('http', 'ws', 1)}/ws/w/{run.workspace.slug}/runs/{run.pk}/{query}"
        with connect(address, additional_headers={"Cookie": cookie}, origin=origin or server) as socket:
            yield Page(socket)

    return opened


def slowly(run: Run, pause: float = 0.05) -> threading.Thread:
    def go() -> None:
        execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(long_story, pause)))
        connection.close()

    thread = threading.Thread(target=go)
    thread.start()
    return thread


def test_every_step_arrives_as_it_happens_and_is_what_the_page_renders(make_run, open_page, html, bob):
    run = make_run()
    with open_page(run, after=0) as page:
        page.read()
        worker = slowly(run)
        page.read_to_the_end()
        worker.join()

    assert page.steps == list(run.steps.values_list("sequence", flat=True))
    assert {"claim-0", "claim-1", "cite-1", "outcome", "run-answer", "totals", "source"} <= set(page.elements)
    assert page.closed == 1000
    shown = LexborHTMLParser(html(bob, f"/w/{run.workspace.slug}/runs/{run.pk}/"))
    for name in ("step-2", "step-7", "step-13", "claim-0", "claim-1", "totals", "outcome"):
        assert page.elements[name] == shown.css_first(f"#{name}").html, f"{name} is not what the page shows"


def test_a_reload_in_mid_run_and_what_comes_after_make_the_whole(make_run, open_page, html, bob):
    run = make_run()
    worker = slowly(run, pause=0.1)
    wait_until(lambda: run.steps.count() >= 4, seconds=60)
    html = html(bob, f"/w/{run.workspace.slug}/runs/{run.pk}/")
    held = int(re.search(r'data-after="(\d+)"', html)[1])

    with open_page(run, after=held) as page:
        page.read_to_the_end()
    worker.join()

    shown = {int(number) for number in STEP.findall(html)}
    assert shown.isdisjoint(page.steps)
    assert shown | set(page.steps) == set(run.steps.values_list("sequence", flat=True))


def test_without_any_hint_everything_arrives_all_the_same(make_run, open_page, monkeypatch):
    monkeypatch.setattr("vectorless_web.runs.line.publish", lambda *_values: False)
    run = make_run()

    with open_page(run, after=0) as page:
        page.read()
        work(run, long_story)
        page.read_to_the_end(seconds=8)

    assert len(page.steps) == 13


def test_neither_a_run_elsewhere_nor_a_page_of_another_site_is_served(make_run, open_page, bob):
    run, other = make_run(), create_workspace(user=bob, name="Bob's own")
    elsewhere, missing = copy(run), copy(run)
    elsewhere.workspace, missing.pk = other, 999_999

    for asked, site in ((elsewhere, None), (missing, None), (run, "http://evil.example")):
        with pytest.raises(InvalidStatus) as caught, open_page(asked, origin=site):
            pass
        assert caught.value.response.status_code == 403


def test_the_whole_way_from_ask_to_answer_is_told_once_though_enqueued_twice(
    open_page, spawn, client, bob, workspace, report
):
    """Ask over HTTP, a worker process, the socket: nothing is called by hand."""
    client.force_login(bob)
    client.post(f"/w/{workspace.slug}/ask/", {"question": "What was revenue?"})
    run = Run.objects.get()
    enqueue(run)
    spawn("work", "runs", VECTORLESS_ENGINE_FACTORY="tests.support.engines.build_slow", STORY_PAUSE="0.05")

    with open_page(run, after=0) as page:
        page.read_to_the_end(seconds=60)

    assert len(page.steps) == Step.objects.count() == 13
    assert "Answered" in page.elements["outcome"]


# The watch over a run has a connection of its own, which takes a run that is not committed for one that is gone.


@pytest.fixture
def ask_for_news(client, bob):
    client.force_login(bob)

    def ask(run, after: int, state: str = ""):
        return client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/news/", {"after": after, "state": state})

    return ask


def test_everything_beyond_what_the_page_holds_comes_at_once_and_nonsense_holds_nothing(make_run, ask_for_news):
    run = make_run()
    work(run, long_story)
    stored = list(run.steps.values_list("sequence", flat=True))

    for after, held in ((5, 5), (0, 0), ("", 0), ("-1", 0), ("none", 0), ("9" * 40, 0)):
        answer = ask_for_news(run, after)
        shown = answer.content.decode()
        assert [int(number) for number in STEP.findall(shown)] == [each for each in stored if each > held], after
        assert 'id="outcome"' in shown
        assert 'id="steps"' not in shown, "what no attempt rewrote is not sent twice"
    assert answer["X-Run-Ended"] == "1"


def test_a_page_that_holds_the_state_is_told_nothing(make_run, ask_for_news):
    run = make_run()
    first = ask_for_news(run, 0)
    assert (first.status_code, first["X-Run-Ended"]) == (204, "0")

    assert ask_for_news(run, 0, first["X-Run-State"]).status_code == 204
    run.phase = "walk"
    run.save()
    changed = ask_for_news(run, 0, first["X-Run-State"])
    assert changed.status_code == 200
    assert 'id="step-now"' in changed.content.decode()


def test_whoever_watched_it_end_can_verify_it_without_loading_the_page_again(client, make_run, ask_for_news, bob):
    run = make_run()
    assert "Verify" not in client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()
    work(run, long_story)

    brought = ask_for_news(run, 0).content.decode()
    address = re.search(r'<form[^>]* id="verify-run"[^>]* hx-post="([^"]+)"', " ".join(brought.split()))[1]
    answer = client.post(address, headers={"HX-Request": "true"})

    assert answer["HX-Redirect"] == f"/w/{run.workspace.slug}/runs/{run.pk}/people/"
    assert list(run.verifications.values_list("user", flat=True)) == [bob.pk]


def test_what_a_second_attempt_rewrote_or_dropped_reaches_the_pages_that_hold_the_first(make_run, ask_for_news):
    run = make_run()

    def dies(document):
        yield from (step(number, document) for number in range(3))
        Run.objects.filter(pk=run.pk).update(lease="", status="queued", attempt=2)
        yield step(50, document)

    def again(document):
        return [
            step(0, document),
            replace(step(1, document), say="Read it better"),
            claim(0, "checked", document),
            complete(),
        ]

    work(run, dies)
    held = max(Step.objects.filter(run=run).values_list("sequence", flat=True))
    work(run, again)

    html = ask_for_news(run, held).content.decode()
    steps = html[re.search(r'<ol\s+class="steps"\s+id="steps"\s+hx-swap-oob="innerHTML"', html).start() :]
    assert "Read it better" in steps
    assert [int(number) for number in STEP.findall(steps)] == [1, 2]
