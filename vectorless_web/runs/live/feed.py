"""The feed of one run, shared by all its sockets in a process: rows are read once, fragments rendered once."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.template.loader import render_to_string
from django.utils import translation

from vectorless_web.runs import selectors
from vectorless_web.runs.models import Claim, Run, Step
from vectorless_web.runs.page import page_context, rendering
from vectorless_web.runs.selectors import Waiting
from vectorless_web.workspaces.selectors import May

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

    @property
    def ended(self) -> bool:
        """Whether the run has ended, so that nothing more is added."""
        return self.status in Run.ENDED

    @property
    def token(self) -> str:
        """The state in a word that a page can hold and give back."""
        place = self.waiting.place if self.waiting else 0
        return f"{self.sequence}-{self.status}-{self.phase}-{self.attempt}-{int(self.cancel_requested)}-{place}"


@dataclass(frozen=True)
class FeedRow:
    """A step or a claim as it is now, the sequence number it carries, and its number on the page."""

    sequence: int
    number: int
    step: Step | None = None
    claim: Claim | None = None


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
        self._run = run
        self._wanted = self._floor = self._upto = floor
        self._rows: dict[str, FeedRow] = {}
        self._fragments: dict[tuple[str, int, Audience], str] = {}
        self._news_kept: dict[tuple[int, Audience], News] = {}
        self._around_kept: dict[Audience, Around] = {}
        self._cards: rendering.StepCardMaker | None = None
        self._documents: set[str] = set()
        self._numbered: int | None = None
        self._read_at = float("-inf")

    @property
    def run_id(self) -> int:
        """The run's primary key."""
        return self._run.pk

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
            numbered = selectors.count_steps(run, upto=after)
        self._floor, self._upto = min(self._floor, after), after
        for step in steps:
            numbered += 1
            self._rows[f"step-{step.sequence}"] = FeedRow(step.sequence, numbered, step=step)
        self._numbered = numbered
        for claim in claims:
            self._rows[f"claim-{claim.order}"] = FeedRow(claim.sequence, claim.order, claim=claim)
        self._upto = max([self._upto, *(row.sequence for row in self._rows.values())])
        self._run = run
        line = selectors.waiting_of(run)
        self.state = State(run.status, run.phase, run.cancel_requested, run.attempt, self._upto, line)

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
            return render_to_string("runs/_step.html", {**context, "step": card})
        assert row.claim is not None
        quotes = [{**context, "citation": citation} for citation in rendering.citations_in([row.claim])]
        claim = render_to_string("runs/_claim.html", {**context, "claim": row.claim})
        return claim + "".join(render_to_string("runs/_citation.html", quote) for quote in quotes)

    def _make_cards(self, step: Step) -> rendering.StepCardMaker:
        """The maker of cards; its versions are read again when a step touches a document for the first time."""
        documents = {ref["document"] for ref in step.refs}
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
ENDING = ("runs/_maps.html", "runs/_answer.html", "runs/_acts.html", "runs/_source.html", "runs/_follow.html")


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
