"""The run page's socket, and the feed and hub of a run that all its pages in this process share."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import BaseChannelLayer, get_channel_layer
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language_from_request
from redis.exceptions import RedisError

from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.live import REFUSED
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import forget
from vectorless_web.runs import selectors
from vectorless_web.runs.line import group_of
from vectorless_web.runs.models import Claim, Run, Step
from vectorless_web.runs.page import page_context, rendering
from vectorless_web.runs.selectors import Waiting, find_watched_run, watchers_of
from vectorless_web.workspaces.selectors import May, may_as, may_in

T = TypeVar("T")


@dataclass(frozen=True)
class Audience:
    """Those who see the same fragments: what they may do here, their language, and whether they asked (`mine`)."""

    may: May
    language: str
    mine: bool = False


@dataclass(frozen=True)
class State:
    """A run's row and what it looks like at one moment; two equal ones show the same."""

    status: str
    phase: str
    cancel_requested: bool
    attempt: int
    sequence: int
    waiting: Waiting | None = None
    asked_model_at: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether the run has ended, so that nothing more is added."""
        return self.status in Run.ENDED

    @property
    def token(self) -> str:
        """The state in a word that a page can hold and give back."""
        place = f"{self.waiting.place}{'h' * bool(self.waiting.hold)}" if self.waiting else 0
        asked = int(self.asked_model_at.timestamp()) if self.asked_model_at else 0
        return f"{self.sequence}-{self.status}-{self.phase}-{self.attempt}-{int(self.cancel_requested)}-{place}-{asked}"


@dataclass(frozen=True)
class FeedRow:
    """A step or a claim as it is now, the sequence number it carries, and its number on the page.

    A step about one document alone also has its number among those of that document, `of_one`.
    """

    sequence: int
    number: int
    step: Step | None = None
    claim: Claim | None = None
    of_one: int = 0


@dataclass(frozen=True)
class News:
    """Fragments that bring a page up to a state."""

    state: State
    html: str


@dataclass(frozen=True)
class Around:
    """The parts that are redrawn as a whole, as they look in a state."""

    state: State
    parts: Sequence[str]


class Feed:
    """The rows of one run beyond `floor`, and what is rendered from them, kept for all its pages in this process.

    Fragments are kept by (element, sequence, audience), whole messages by what they
    bring a page to, so that many viewers cost one rendering.
    """

    def __init__(self, run: Run, floor: int) -> None:
        self.state: State | None = None
        self.run_id = run.pk
        self._run = run
        self._wanted = self._floor = self._upto = floor
        self._rows: dict[str, FeedRow] = {}
        self._fragments: dict[tuple[str, int, Audience], str] = {}
        self._news_kept: dict[tuple[int, Audience], News] = {}
        self._around_kept: dict[Audience, Around] = {}
        self._cards: rendering.StepCardMaker | None = None
        self._documents: set[str] = set()
        self._numbered: list[list[str]] | None = None
        self._read_at = float("-inf")

    def reach_back(self, after: int) -> None:
        """Lower `floor` to `after` for a page that holds fewer rows; the next read begins there."""
        self._wanted = min(self._wanted, after)

    async def refresh(self, page_context: Iterable[tuple[int, Audience]]) -> None:
        """Read what is new and render it for pages of these audiences that hold everything up to these numbers."""
        await in_shared_thread(self._read_and_render, page_context)
        self._read_at = time.monotonic()

    def knows(self, sequence: int) -> bool:
        """Whether the row of a notification has been read; false for number 0, which names no row."""
        return self._reaches and self.state is not None and (self.state.ended or 0 < sequence <= self._upto)

    def is_fresh(self, seconds: float) -> bool:
        """Whether the rows were read within the last `seconds`."""
        return self._reaches and time.monotonic() - self._read_at < seconds

    def covers(self, after: int) -> bool:
        """Whether what was read goes back as far as a page that holds everything up to `after` needs."""
        return self._floor <= after

    @property
    def _reaches(self) -> bool:
        """Whether the rows go back as far as every page needs."""
        return self._floor <= self._wanted

    async def news(self, after: int, audience: Audience) -> News:
        """The fragments of the steps and claims beyond a sequence number, then what the run is doing now.

        Only after a read: `state` is not None.
        """
        kept = self._news_kept.get((after, audience))
        if kept is not None and kept.state == self.state:
            return kept
        return await in_shared_thread(self._news, after, audience)

    def around(self, audience: Audience) -> Around | None:
        """The larger parts as they were last rendered for this audience; None before they ever were."""
        return self._around_kept.get(audience)

    async def surround(self, audience: Audience) -> None:
        """Render the larger parts that follow the steps: maps, source, and at the end the answer and the acts.

        Done outside the thread that all pages share: a page's boxes may have to be asked for.
        """
        state, kept = self.state, self._around_kept.get(audience)
        if state is None or (kept is not None and kept.state == state):
            return
        render = database_sync_to_async(self._surroundings, thread_sensitive=False)
        self._around_kept[audience] = Around(state, await render(audience, state))

    def render_news(self, after: int, token: str, audience: Audience) -> tuple[State, str]:
        """For a page that asks by itself: the state, and all fragments it lacks, "" when it holds that state.

        A page that names no state is told only when there are rows beyond `after` or the run has ended.
        """
        self._read()
        state = self.state
        assert state is not None
        is_news = token != state.token if token else state.ended or state.sequence > after
        parts = [self._news(after, audience).html, *self._surroundings(audience, state)] if is_news else []
        return state, "".join(parts)

    def _read_and_render(self, page_context: Iterable[tuple[int, Audience]]) -> None:
        before = self.state
        self._read()
        if self.state != before:
            self._news_kept.clear()
            for after, audience in page_context:
                self._news(after, audience)

    def _read(self) -> None:
        # Everything is read before anything is kept: an outage in between must leave the feed as it was.
        after = self._upto if self._reaches else self._wanted
        run = Run.objects.get(pk=self._run.pk)
        run.workspace, run.asked_by = self._run.workspace, self._run.asked_by
        # The bound comes first: a step stored between the two reads would else be passed over for ever.
        upto = selectors.last_sequence(run.pk)
        steps, claims = selectors.steps_of(run, after, upto), selectors.claims_of(run, after, upto)
        numbered = self._numbered
        if numbered is None or after < self._upto:
            numbered = selectors.documents_of_steps(run, upto=after)
        self._floor, self._upto = min(self._floor, after), after
        for step in steps:
            numbered = [*numbered, step.documents]
            of_one = numbered.count(step.documents) if len(step.documents) == 1 else 0
            self._rows[f"step-{step.sequence}"] = FeedRow(step.sequence, len(numbered), step=step, of_one=of_one)
        self._numbered = numbered
        for claim in claims:
            self._rows[f"claim-{claim.order}"] = FeedRow(claim.sequence, claim.order, claim=claim)
        self._upto = max([self._upto, *(row.sequence for row in self._rows.values())])
        self._run = run
        line = selectors.waiting_of(run)
        told = (run.status, run.phase, run.cancel_requested, run.attempt)
        self.state = State(*told, self._upto, line, run.asked_model_at)

    def _news(self, after: int, audience: Audience) -> News:
        """Rendered once for all who hold the same; later ones find it kept. In the shared thread alone."""
        state, kept = self.state, self._news_kept.get((after, audience))
        assert state is not None
        if kept is None or kept.state != state:
            kept = self._news_kept[after, audience] = News(state, self._render_news(after, audience))
        return kept

    def _render_news(self, after: int, audience: Audience) -> str:
        with translation.override(audience.language):
            fresh = [(name, row) for name, row in self._rows.items() if row.sequence > after]
            fresh.sort(key=lambda item: (item[1].claim is not None, item[1].number))
            parts = [self._fragment(name, row, audience) for name, row in fresh]
            context = page_context.state_context(self._run, audience.may, mine=audience.mine)
            return "".join([*parts, *(render_to_string(template, context) for template in STATE)])

    def _fragment(self, name: str, row: FeedRow, audience: Audience) -> str:
        key = (name, row.sequence, audience)
        if key not in self._fragments:
            self._fragments[key] = self._render(row, audience)
        return self._fragments[key]

    def _render(self, row: FeedRow, audience: Audience) -> str:
        context = {"run": self._run, "workspace": self._run.workspace, "may": audience.may}
        if row.step is not None:
            card = self._make_cards(row.step).card(row.step, row.number)
            named = card.documents[0] if card.is_of_one and len(self._documents) > 1 else None
            if named and row.of_one == 1:
                group = rendering.TraceRow([card], named, open=True)
                return render_to_string("runs/_of_document.html", {**context, "row": group})
            count = render_to_string("runs/_of_count.html", {"document": named, "n": row.of_one}) if named else ""
            return render_to_string("runs/_step.html", {**context, "step": card}) + count
        assert row.claim is not None
        rendering.name_documents([each.claim for each in self._rows.values() if each.claim is not None])
        quotes = [{**context, "citation": citation} for citation in rendering.citations_in([row.claim])]
        claim = render_to_string("runs/_claim.html", {**context, "claim": row.claim})
        return claim + "".join(render_to_string("runs/_citation.html", quote) for quote in quotes)

    def _make_cards(self, step: Step) -> rendering.StepCardMaker:
        """The maker of cards; its versions are read again when a step touches a document for the first time."""
        documents = {*step.documents, *(ref["document"] for ref in step.refs)}
        if self._cards is None or not documents <= self._documents:
            versions = selectors.versions_read(self._run)
            self._documents = documents | {str(version.document_id) for version in versions}
            self._cards = rendering.StepCardMaker(self._run, versions)
        return self._cards

    def _surroundings(self, audience: Audience, state: State) -> Sequence[str]:
        """The larger parts; at the end of a run that was taken up again all its steps, some of which were rewritten."""
        build, templates = (page_context.run_context, ENDING) if state.ended else (page_context.around_context, AROUND)
        if state.ended and state.attempt > 1:
            templates = ("runs/_steps.html", *templates)
        with translation.override(audience.language):
            context = {**build(self._run, audience.may, mine=audience.mine), "redrawn": True}
            return [render_to_string(template, context) for template in templates]


STATE = ("runs/_now.html", "runs/_totals.html", "runs/_outcome.html")
AROUND = ("runs/_maps.html", "runs/_source.html", "runs/_acts.html")
ENDING = (
    "runs/_maps.html",
    "runs/_answer.html",
    "runs/_acts.html",
    "runs/_verify.html",
    "runs/_source.html",
)


async def in_shared_thread(act: Callable[..., T], *values: Any) -> T:
    """Run in the thread that all sockets of this process share, on one connection that stays open.

    `database_sync_to_async` would open and prepare a connection for every notification. A broken
    one is closed, so that the next look opens a new one.
    """

    def call() -> T:
        try:
            return act(*values)
        except DatabaseTrouble:
            connection.close()
            raise

    return await sync_to_async(call)()


logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""How often an open run is looked at without a notification, so that a lost one costs two seconds at most."""
HEAR_SECONDS_MOST = 30.0
"""How long notifications are left alone at most when listening to them fails again and again."""
MEMBER_SECONDS = 4.0
"""How often it is asked whether the readers still belong to the workspace: one question for all of a run."""
DEBOUNCE_SECONDS = 0.25
"""How long the larger parts wait at most until every page has its steps."""
ENDED, BROKEN = 1000, 1011
"""Close codes of a websocket (RFC 6455): the run has ended and all was sent; it could not be drawn, so try again."""


class RunViewer:
    """One open page: what it holds, and its socket. It is brought up to the feed by a task of its own.

    So a page that takes its messages slowly, or breaks, holds up no other, and one that
    was held up gets what it missed in one message.
    """

    def __init__(self, socket: AsyncWebsocketConsumer, *, user_id: int, audience: Audience, after: int) -> None:
        self.user_id, self.audience, self.sent = user_id, audience, after
        self._socket = socket
        self._shown: State | None = None
        self._around: Around | None = None
        self._behind = self._over = False
        self._task: asyncio.Task[None] | None = None

    def wake(self, feed: Feed) -> None:
        """Start sending the page what it lacks of the feed; returns at once."""
        self._behind = True
        if not self.is_busy and not self._over:
            self._task = asyncio.create_task(self._catch_up(feed))

    @property
    def is_busy(self) -> bool:
        """Whether the page is being sent something now."""
        return self._task is not None and not self._task.done()

    def stop(self) -> None:
        """Stop sending to this page."""
        self._over = True
        if self._task is not None:
            self._task.cancel()

    def end(self, code: int) -> None:
        """Send nothing more, and end the connection with REFUSED or BROKEN."""
        self.stop()
        self._task = asyncio.create_task(self._close(code))

    async def _close(self, code: int) -> None:
        """End the connection, which may have ended by itself."""
        self._over = True
        with suppress(Exception):
            await self._socket.close(code)

    async def _catch_up(self, feed: Feed) -> None:
        try:
            while self._behind and not self._over:
                self._behind = False
                await self._send_news(feed)
                await self._send_around(feed)
        except DatabaseTrouble as error:
            logger.warning("run %d: a page waits for the next look: %s", feed.run_id, error)
        except Exception:
            # The socket's edge: whatever is wrong with this page must not reach the others.
            logger.exception("run %d: a page could not be served", feed.run_id)
            await self._close(BROKEN)

    async def _send_news(self, feed: Feed) -> None:
        """Steps and claims beyond what the page holds, and what the run is doing now.

        A feed that knows less than the page, or whose rows begin later than the page's end,
        has nothing to say to it before its next read.
        """
        if feed.state is None or feed.state == self._shown or not feed.covers(self.sent):
            return
        if feed.state.sequence < self.sent and not feed.state.ended:
            return
        news = await feed.news(self.sent, self.audience)
        await self._socket.send(text_data=news.html)
        self.sent, self._shown = max(self.sent, news.state.sequence), news.state

    async def _send_around(self, feed: Feed) -> None:
        """What differs, of the parts that are redrawn as a whole, from what this page was sent before."""
        around = feed.around(self.audience)
        if around is None or around is self._around:
            return
        before = self._around.parts if self._around else ()
        self._around = around
        if changed := [part for part in around.parts if part not in before]:
            await self._socket.send(text_data="".join(changed))
        if around.state.ended:
            if self.audience.mine:  # They have seen the run end on this page, and need no notice of it.
                await in_shared_thread(partial(forget, user_id=self.user_id, kind=Kind.RUN_ENDED, about=feed.run_id))
            await self._close(ENDED)


class Hub:
    """What the pages of one run share: notifications heard, rows read and fragments rendered once for all of them."""

    def __init__(self, feed: Feed, *, run: Run, layer: BaseChannelLayer) -> None:
        self.feed = feed
        self.viewers: set[RunViewer] = set()
        self._run, self._layer = run, layer
        self._wanted, self._changed = asyncio.Event(), asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def join(self, viewer: RunViewer) -> None:
        """Add a page and send it what it does not hold yet."""
        self.feed.reach_back(viewer.sent)
        self.viewers.add(viewer)
        if not self._tasks:
            loops = (self._read, self._surround, self._hear, self._look)
            self._tasks = [asyncio.create_task(self._keep(loop)) for loop in loops]
        if self.feed.is_fresh(LOOK_SECONDS / 2):
            viewer.wake(self.feed)
            self._changed.set()
        else:
            self._wanted.set()

    def leave(self, viewer: RunViewer) -> None:
        """Remove a page; when it was the last one, stop the hub's tasks."""
        viewer.stop()
        self.viewers.discard(viewer)
        if not self.viewers:
            for task in self._tasks:
                task.cancel()
            self._tasks = []

    async def _keep(self, loop: Callable[[], Awaitable[None]]) -> None:
        """Go on with a loop, no matter what happens in it, as long as a page is here.

        The client of Redis may take the end of its task for a failed connection.
        """
        while self.viewers:
            try:
                await loop()
            except DatabaseTrouble as error:
                logger.warning("run %d: its pages wait for the next look: %s", self.feed.run_id, error)
            except Run.DoesNotExist:
                self._end_all(REFUSED)
            except Exception:
                # The sockets' edge: the pages keep their steps and are told that the rest did not come.
                logger.exception("run %d: its pages could not be served", self.feed.run_id)
                self._end_all(BROKEN)
            await asyncio.sleep(LOOK_SECONDS)

    async def _read(self) -> None:
        """Read what is new whenever somebody wants it; notifications that come during a read make one more."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self.feed.refresh({(viewer.sent, viewer.audience) for viewer in self.viewers})
            self._wake_all()
            self._changed.set()

    async def _surround(self) -> None:
        """After the steps, and never in their way: the larger parts."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._debounce()
            for audience in {viewer.audience for viewer in self.viewers}:
                await self.feed.surround(audience)
            self._wake_all()

    async def _debounce(self) -> None:
        """Wait until the steps are on their way to every page that takes them."""
        deadline = time.monotonic() + DEBOUNCE_SECONDS
        while any(viewer.is_busy for viewer in self.viewers) and time.monotonic() < deadline:
            await asyncio.sleep(0.005)

    async def _hear(self) -> None:
        """Listen for notifications, which cost nothing to miss: whatever is wrong, the pages get all, only later."""
        pause = LOOK_SECONDS
        while self.viewers:
            try:
                with suppress(RedisError, OSError):
                    await self._listen()
                pause = LOOK_SECONDS
            except Exception:
                # The sockets' edge: what a client or a notification did must not reach the pages.
                logger.exception("run %d: its notifications are not heard", self.feed.run_id)
                pause = min(2 * pause, HEAR_SECONDS_MOST)
            await asyncio.sleep(pause)

    async def _listen(self) -> None:
        layer, group = self._layer, group_of(self.feed.run_id)
        channel = await layer.new_channel()
        await layer.group_add(group, channel)
        self._wanted.set()  # What happened before this moment was not heard.
        try:
            while self.viewers:
                notification: dict[str, Any] = await layer.receive(channel)
                if not self.feed.knows(notification.get("sequence", 0)):
                    self._wanted.set()
        finally:
            with suppress(RedisError, OSError):
                await layer.group_discard(group, channel)

    async def _look(self) -> None:
        """Look without a notification now and then: notifications get lost, members are put out."""
        asked_at = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self.feed.is_fresh(LOOK_SECONDS / 2):
                self._wanted.set()
            if time.monotonic() - asked_at >= MEMBER_SECONDS:
                asked_at = time.monotonic()
                await self._ask_who_may()

    async def _ask_who_may(self) -> None:
        """Put out for whom the run exists no more, follow changes of roles. An outage changes nothing."""
        asked = list(self.viewers)
        roles = await in_shared_thread(watchers_of, self._run, {viewer.user_id for viewer in asked})
        for viewer in asked:
            if role := roles.get(viewer.user_id):
                viewer.audience = replace(viewer.audience, may=may_as(role))
            else:
                viewer.end(REFUSED)
        self._changed.set()

    def _wake_all(self) -> None:
        for viewer in self.viewers:
            viewer.wake(self.feed)

    def _end_all(self, code: int) -> None:
        for viewer in self.viewers:
            viewer.end(code)


class Hubs:
    """The hubs of this process, each kept while a page needs it."""

    def __init__(self) -> None:
        self._hubs: dict[int, Hub] = {}

    def join(self, run: Run, viewer: RunViewer) -> None:
        """Add a page to its run's hub."""
        if run.pk not in self._hubs:
            feed = Feed(run, viewer.sent)
            self._hubs[run.pk] = Hub(feed, run=run, layer=get_channel_layer())
        self._hubs[run.pk].join(viewer)

    def leave(self, run_id: int, viewer: RunViewer) -> None:
        """Take a page out; the last one out removes the hub."""
        hub = self._hubs[run_id]
        hub.leave(viewer)
        if not hub.viewers:
            del self._hubs[run_id]

    def __len__(self) -> int:
        return len(self._hubs)


hubs = Hubs()


class RunConsumer(AsyncWebsocketConsumer):
    """One open page of one run. Notifications are heard by the hub, once for all pages, so a socket has no channel."""

    channel_layer_alias = "none"
    viewer: RunViewer | None = None

    async def connect(self) -> None:
        """Refuse before accepting anybody who may not see the run; else send what the page does not hold yet."""
        run = await self._find_watched_run()
        if run is None:
            raise DenyConnection
        self.run_id = run.pk
        await self.accept()
        mine = run.asked_by_id == self.scope["user"].pk
        audience = Audience(may_in(run.workspace), _language(self.scope), mine)
        self.viewer = RunViewer(self, user_id=self.scope["user"].pk, audience=audience, after=_read_after(self.scope))
        hubs.join(run, self.viewer)

    async def disconnect(self, _code: int) -> None:
        """Leave the hub."""
        if self.viewer is not None:
            hubs.leave(self.run_id, self.viewer)

    @database_sync_to_async
    def _find_watched_run(self) -> Run | None:
        values = self.scope["url_route"]["kwargs"]
        return find_watched_run(self.scope["user"], values["slug"], values["pk"])


def _read_after(scope: dict[str, Any]) -> int:
    """The greatest sequence number that the page holds; 0 for anything that is no number."""
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return parse_whole_number(query.get("after", [""])[0]) or 0


def _language(scope: dict[str, Any]) -> str:
    """The reader's language, as the page itself was served."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    headers = dict(scope.get("headers", []))
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    return get_language_from_request(request) or settings.LANGUAGE_CODE
