"""Many pages of one run in one process: each gets every row once and in order, whatever the others do."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from channels.layers import InMemoryChannelLayer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.runs.conftest import work
from tests.support.engines import long_story
from vectorless_web.infra.live import REFUSED
from vectorless_web.runs.line import group_of
from vectorless_web.runs.live import consumers as hub_module
from vectorless_web.runs.live.consumers import BROKEN, ENDED, Around, Audience, Hub, Hubs, News, RunViewer, State
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.selectors import may_as

READS = Audience(may_as("viewer"), "en")
ASKS = Audience(may_as("member"), "en")
RUNNING = State("running", "", cancel_requested=False, attempt=1, sequence=0)


@dataclass
class Rows:
    """A feed over a list of numbers: what it sends is the numbers beyond what a page holds."""

    run_id: int = 1
    stored: int = 0
    ended: bool = False
    state: State | None = None
    reads: int = 0
    outage: bool = False
    deleted: bool = False
    drawn: dict[Audience, Around] = field(default_factory=dict)
    floor: float = float("inf")
    wanted: float = float("inf")

    def reach_back(self, after: int) -> None:
        self.wanted = min(self.wanted, after)

    def covers(self, after: int) -> bool:
        return self.floor <= after

    def knows(self, sequence: int) -> bool:
        return self.state is not None and 0 < sequence <= self.state.sequence

    def is_fresh(self, _seconds: float) -> bool:
        return False

    async def refresh(self, _pages) -> None:
        from django.db import DatabaseError

        self.reads += 1
        await asyncio.sleep(0)
        if self.outage:
            raise DatabaseError
        if self.deleted:
            raise Run.DoesNotExist
        status = "answered" if self.ended else "running"
        self.floor = self.wanted
        self.state = replace(RUNNING, status=status, sequence=self.stored)

    async def news(self, after: int, _audience: Audience) -> News:
        await asyncio.sleep(0)
        held = range(max(after, int(self.floor)) + 1, self.state.sequence + 1)
        return News(self.state, ",".join(map(str, held)))

    def around(self, audience: Audience) -> Around | None:
        return self.drawn.get(audience)

    async def surround(self, audience: Audience) -> None:
        self.drawn[audience] = Around(self.state, ["around"])


class Page:
    """A browser's page: the numbers it was sent; it may take its time or break."""

    def __init__(self, *, pause: float = 0, breaks: bool = False) -> None:
        self.numbers: list[int] = []
        self.closed: int | None = None
        self.pause, self.breaks = pause, breaks

    async def send(self, text_data: str) -> None:
        await asyncio.sleep(self.pause)
        if self.breaks:
            raise RuntimeError("this page is gone")
        self.numbers += [int(part) for part in text_data.split(",") if part.isdecimal()]

    async def close(self, code: int) -> None:
        self.closed = code


@pytest.fixture(autouse=True)
def _quick_looks(monkeypatch):
    monkeypatch.setattr(hub_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(hub_module, "MEMBER_SECONDS", 1e9)


def hub_of(rows: Rows) -> Hub:
    return Hub(rows, run=None, layer=InMemoryChannelLayer())


def enter(hub: Hub, page: Page, after: int = 0, audience: Audience = READS) -> RunViewer:
    viewer = RunViewer(page, user_id=1, audience=audience, after=after)
    hub.join(viewer)
    return viewer


async def until(condition, seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.002)


acts = st.lists(
    st.one_of(
        st.tuples(st.just("store"), st.integers(1, 4)),
        st.tuples(st.just("join"), st.integers(0, 9)),
        st.tuples(st.just("join slow"), st.integers(0, 9)),
        st.tuples(st.just("join broken"), st.integers(0, 9)),
        st.tuples(st.just("leave"), st.integers(0, 9)),
        st.tuples(st.just("outage"), st.integers(0, 1)),
        st.tuples(st.just("wait"), st.integers(0, 8)),
    ),
    max_size=25,
)


@given(acts)
@example([("join", 0), ("wait", 1), ("store", 1), ("outage", 1), ("store", 1), ("join", 1)])
@example([("store", 2), ("join", 2), ("wait", 5), ("outage", 1), ("join", 0), ("wait", 8)])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_page_gets_every_row_once_and_in_order(told):
    pages, stored = asyncio.run(play(told))
    for page, after in pages:
        if page.breaks:
            assert page.closed in (BROKEN, ENDED)
        else:
            assert (page.numbers, page.closed) == (list(range(after + 1, stored + 1)), ENDED)


async def play(told) -> tuple[list[tuple[Page, int]], int]:
    """The pages that stayed to the end, each with the row it had before, and how many rows there were."""
    rows = Rows()
    hub = hub_of(rows)
    here: list[tuple[RunViewer, Page, int]] = []
    for act, number in told:
        match act:
            case "store":
                rows.stored += number
                await hub._layer.group_send(group_of(1), {"type": "run.changed", "sequence": rows.stored})
            case "join" | "join slow" | "join broken":
                page = Page(pause=0.004 if act == "join slow" else 0, breaks=act == "join broken")
                after = min(number, rows.stored)
                here.append((enter(hub, page, after, ASKS if number % 2 else READS), page, after))
            case "leave" if here:
                hub.leave(here.pop(number % len(here))[0])
            case "outage":
                rows.outage = bool(number)
            case "wait":
                await asyncio.sleep(number / 1000)
    rows.outage, rows.ended = False, True
    await until(lambda: all(page.closed for _, page, _ in here))
    for viewer, _, _ in here:
        hub.leave(viewer)
    return [(page, after) for _, page, after in here], rows.stored


def test_a_run_that_is_deleted_under_its_pages_closes_them():
    async def scene() -> None:
        rows = Rows(stored=2)
        hub = hub_of(rows)
        page = Page()
        viewer = enter(hub, page)
        await until(lambda: page.numbers == [1, 2])
        rows.deleted = True
        await until(lambda: page.closed)
        assert page.closed == REFUSED
        hub.leave(viewer)

    asyncio.run(scene())


@pytest.mark.django_db(transaction=True)
def test_the_last_page_out_leaves_nothing_behind(workspace, make_run):
    run = make_run()

    async def scene() -> None:
        hubs = Hubs()
        for _ in range(3):
            viewers = [RunViewer(Page(), user_id=1, audience=READS, after=0) for _ in range(20)]
            for viewer in viewers:
                hubs.join(run, viewer)
            await asyncio.sleep(0.02)
            for viewer in viewers:
                hubs.leave(run.pk, viewer)
            assert len(hubs) == 0
        await until(lambda: not [task for task in asyncio.all_tasks() if _is_of_a_hub(task)])

    asyncio.run(scene())


@pytest.mark.django_db(transaction=True)
class TestWithRows:
    def test_a_feed_whose_read_fails_does_not_claim_rows_it_has_not_read(self, make_run, monkeypatch):
        from django.db import DatabaseError

        from vectorless_web.runs import selectors
        from vectorless_web.runs.live.consumers import Feed

        run = work(make_run(), long_story)

        async def scene() -> None:
            feed = Feed(run, 8)
            await feed.refresh(set())
            assert (feed.covers(8), feed.covers(3)) == (True, False)
            feed.reach_back(3)
            with monkeypatch.context() as away:
                away.setattr(selectors, "steps_of", _raise(DatabaseError))
                with pytest.raises(DatabaseError):
                    await feed.refresh(set())
            assert not feed.covers(3)
            await feed.refresh(set())
            assert feed.covers(3)

        asyncio.run(scene())

    def test_who_was_put_out_is_closed_within_the_stated_time_and_the_others_stay(
        self, monkeypatch, make_run, alice, bob, workspace
    ):
        monkeypatch.setattr(hub_module, "MEMBER_SECONDS", 0.05)
        run = make_run(status="running")

        async def scene() -> tuple[Page, Page]:
            hub = Hub(Rows(run_id=run.pk), run=run, layer=InMemoryChannelLayer())
            pages = Page(), Page()
            people = (bob.pk, alice.pk)
            viewers = [
                RunViewer(page, user_id=pk, audience=ASKS, after=0) for page, pk in zip(pages, people, strict=True)
            ]
            for viewer in viewers:
                hub.join(viewer)
            await asyncio.to_thread(_put_out, workspace, bob)
            await until(lambda: pages[0].closed)
            hub.feed.stored = 3
            await until(lambda: pages[1].numbers == [1, 2, 3])
            assert viewers[1].audience.may.govern, "alice is shown what an owner may do"
            for viewer in viewers:
                hub.leave(viewer)
            return pages

        gone, stays = asyncio.run(scene())
        assert (gone.closed, gone.numbers, stays.closed) == (REFUSED, [], None)


def _is_of_a_hub(task: asyncio.Task) -> bool:
    return task.get_coro().__qualname__.split(".")[0] in ("Hub", "RunViewer")


def _raise(error: type[Exception]):
    def act(*_values, **_named):
        raise error

    return act


def _put_out(workspace, user) -> None:
    from django.db import connection

    workspace.memberships.filter(user=user).delete()
    connection.close()
