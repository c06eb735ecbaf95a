"""Questions, their runs and conversations: ask, wait, follow, stop, take along, replay, share by links."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal

from channels.layers import get_channel_layer
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from ninja import Query, Router, Schema, Status
from pydantic import Field

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import ApiToken, Scope
from vectorless_web.api.replies import Number, Paged, PageOut, PageQuery, answers, once, take_page
from vectorless_web.api.routes.places import ForMember, ForViewer
from vectorless_web.api.routes.schemas import NO_NUL, Cap, FilterIn, FusionName, PilotName, Share, StrategyName
from vectorless_web.infra.limits import LARGEST, STEPS_MAX, STEPS_MIN, parse_whole_number
from vectorless_web.runs import selectors, services
from vectorless_web.runs.export import exports
from vectorless_web.runs.line import group_of
from vectorless_web.runs.live.consumers import in_shared_thread
from vectorless_web.runs.models import Answer, Claim, Run, Thread
from vectorless_web.sharing import services as sharing
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Role

router = Router(tags=["Runs"])
PLACE, THREADS = "/workspaces/{slug:slug}/runs", "/workspaces/{slug:slug}/threads"
ONE = PLACE + "/{run}"
asking, editors = Bearer(Scope.ASK), Bearer(Scope.WRITE)
After = Annotated[int, Query(ge=0, le=LARGEST)]
Seconds = Annotated[int, Query(ge=0, le=60)]
LOOK_SECONDS = 0.5
"""How often a request that waits looks whether its run has ended."""
EVENTS_SECONDS = 2.0
"""How often the rows are looked at without an announcement, so that a lost one costs two seconds at most."""
EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "event": {"enum": [f"reasoning/{kind}" for kind in ("step", "claim", "complete", "error")]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["id", "event", "data"],
}
"""One server-sent event, as its lines hold it."""


class SearchIn(FilterIn):
    """How a question is searched; what is left out is as the workspace has it."""

    pilot: PilotName | None = None
    strategy: StrategyName | None = None
    fusion: FusionName | None = None
    graph_expand: Literal["", "decay", "ppr"] | None = None
    community: bool | None = None
    min_confidence: Share | None = None
    summary_cap: Cap | None = None


class AskIn(Schema):
    """A question; without `documents` the whole workspace is asked. `thread` follows up on its last answer."""

    question: Annotated[str, Field(max_length=20_000)]
    documents: Annotated[list[Number] | None, Field(max_length=1000)] = None
    thread: Number | None = None
    max_steps: Annotated[int | None, Field(ge=STEPS_MIN, le=STEPS_MAX)] = None
    money_usd: Annotated[float | None, Field(gt=0, le=10_000)] = None
    answerer: Annotated[str, Field(max_length=40, pattern=NO_NUL)] = ""
    search: SearchIn | None = None


class RunOut(Schema):
    """A run in short. `answer` and what stands beside it are empty while it is open."""

    id: int
    thread: int
    question: str
    status: str
    ended: bool
    reason: str
    answer: str
    value: str
    verdict: str
    tokens: int
    cost_usd: float
    asked_at: datetime
    finished_at: datetime | None
    page: str


class ClaimOut(Schema):
    """A sentence of the answer, whether its evidence supports it, and the quotes that it cites."""

    sequence: int
    order: int
    text: str
    support: str
    citations: list[dict[str, Any]]


class ThreadOut(Schema):
    """A conversation."""

    id: int
    created_at: datetime


class LinkIn(Schema):
    """What a link shows, to whom, and for how many days."""

    days: Annotated[int, Field(ge=1, le=sharing.DAYS_MAX)] = 7
    password: Annotated[str, Field(max_length=200, pattern=NO_NUL)] = ""
    redact: bool = False
    hide_trace: bool = False
    label: Annotated[str, Field(max_length=sharing.LABEL_MAX, pattern=NO_NUL)] = ""
    views_max: Annotated[int | None, Field(ge=1, le=sharing.VIEWS_MAX)] = None


class LinkOut(Schema):
    """A link to a run for people without an account."""

    id: int
    label: str
    expires_at: datetime
    redact: bool
    hide_trace: bool
    views: int = Field(0, alias="view_count")
    views_max: int | None


class LinkMadeOut(LinkOut):
    """A link that was made just now, with its address."""

    address: str


class ReplayOut(Schema):
    """What a replay found; null where there was none."""

    verdict: str | None = None
    difference: str | None = None
    note: str | None = None
    steps: int | None = None
    asked_at: datetime | None = None
    ended_at: datetime | None = None


def show_run(run: Run) -> dict[str, Any]:
    """A run in short, with its answer once it has ended."""
    answer = getattr(run, "answer", None) or Answer()
    return {
        **{name: getattr(run, name) for name in ("id", "question", "status", "reason", "tokens", "finished_at")},
        **{name: getattr(answer, name) for name in ("value", "verdict")},
        "answer": answer.markdown,
        "ended": run.status in Run.ENDED,
        "thread": run.thread_id,
        "cost_usd": float(run.cost_usd),
        "asked_at": run.created_at,
        "page": reverse("runs:detail", args=[run.workspace.slug, run.pk]),
    }


def show_claim(claim: Claim) -> dict[str, Any]:
    """A sentence of the answer with what it cites."""
    names = ("sequence", "order", "text", "support")
    citations = [exports.citation_row(citation) for citation in claim.citations.all()]
    return {**{name: getattr(claim, name) for name in names}, "citations": citations}


@router.get(PLACE, response=PageOut[RunOut])
def list_runs(request: HttpRequest, workspace: ForViewer, asked: PageQuery = Paged) -> dict[str, Any]:
    """The runs of a workspace that the person may see, the newest first."""
    rows = selectors.asked_runs(request.user.pk, [workspace.pk]).select_related("workspace", "answer")
    return take_page(rows, asked, show_run)


@router.post(PLACE, response={201: RunOut}, auth=asking)
@once
def ask(request: HttpRequest, workspace: ForMember, asked: AskIn) -> Status[Any]:
    """Ask a question; the run is queued. With the header Idempotency-Key a repeated request gives the first reply."""
    thread = selectors.thread_for(request.user, workspace.slug, asked.thread) if asked.thread else None
    search = asked.search.model_dump(mode="json", exclude_unset=True, exclude_none=True) if asked.search else {}
    given = {**asked.dict(exclude={"thread"}), "follows": thread, "search": search}
    return Status(201, show_run(services.start_run(user=request.user, workspace=workspace, **given)))


@router.get(ONE, response=RunOut)
async def show_one(request: HttpRequest, slug: str, run: Number, wait: Seconds = 0) -> dict[str, Any]:
    """One run; with `wait` the reply comes when it has ended, or after so many seconds."""
    until = time.monotonic() + wait
    while True:
        found = await in_shared_thread(_read_run, request, slug, run)
        if found["ended"] or time.monotonic() >= until:
            return found
        await asyncio.sleep(LOOK_SECONDS)


def _read_run(request: HttpRequest, slug: str, run: int) -> dict[str, Any]:
    return show_run(selectors.run_for(request.user, slug, run))


@router.get(ONE + "/events", openapi_extra=answers("text/event-stream", EVENT, empty="It has ended"))
async def follow_run(request: HttpRequest, slug: str, run: Number) -> HttpResponseBase:
    """The run's events from the start, or after the header Last-Event-ID, until it has ended; 204 after its end.

    `id` is the event's sequence. Types: reasoning/step, reasoning/claim, reasoning/complete, reasoning/error.
    """
    found = await in_shared_thread(selectors.run_for, request.user, slug, run)
    after = parse_whole_number(request.headers.get("Last-Event-ID", "")) or 0
    if found.status in Run.ENDED and after > await in_shared_thread(selectors.last_sequence, found.pk):
        return HttpResponse(status=204)  # A browser's EventSource then does not come again.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(
        send_events(request, slug, found, after), content_type="text/event-stream", headers=headers
    )


async def send_events(request: HttpRequest, slug: str, run: Run, after: int) -> AsyncIterator[bytes]:
    """The events beyond a sequence as they are stored, each as text; ends after the run's own end.

    Whether the token is still open, and its person may still see the run, is asked each time.
    """
    layer = get_channel_layer()
    assert layer is not None
    channel, group = await layer.new_channel(), group_of(run.pk)
    await layer.group_add(group, channel)
    try:
        while True:
            try:
                events, has_ended = await in_shared_thread(_read, request, slug, run.pk, after)
            except (Http404, PermissionDenied):
                return
            for sequence, kind, data in events:
                after = max(after, sequence)
                told = json.dumps(data, ensure_ascii=False, default=datetime.isoformat)
                yield f"id: {sequence}\nevent: {kind}\ndata: {told}\n\n".encode()
            if has_ended:
                return
            if not events:
                yield b": waiting\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(layer.receive(channel), EVENTS_SECONDS)
    finally:
        await layer.group_discard(group, channel)


def _read(request: HttpRequest, slug: str, pk: int, after: int) -> tuple[list[tuple[int, str, dict[str, Any]]], bool]:
    token: ApiToken = request.auth  # type: ignore[attr-defined]
    token.refresh_from_db(fields=["revoked_at", "expires_at"])
    if not token.is_open:
        raise PermissionDenied("The token was closed.")
    # The state is read before the rows: what was stored before the end is then never missed.
    run = selectors.run_for(request.user, slug, pk)
    rows = [(step.sequence, "reasoning/step", exports.step_row(step)) for step in selectors.steps_of(run, after)]
    rows += [(claim.sequence, "reasoning/claim", show_claim(claim)) for claim in selectors.claims_of(run, after)]
    rows.sort(key=lambda row: row[0])
    has_ended = run.status in Run.ENDED
    if has_ended:
        failed = run.status == Run.Status.FAILED
        told = {"code": run.error_code, "message": run.reason, "retryable": run.retryable} if failed else {}
        kind = "reasoning/error" if failed else "reasoning/complete"
        rows.append((selectors.last_sequence(run.pk) + 1, kind, {**show_run(run), **told}))
    return rows, has_ended


@router.get(ONE + "/steps", response=list[dict[str, Any]])
def list_steps(request: HttpRequest, slug: str, run: Number, after: After = 0) -> list[dict[str, Any]]:
    """The steps of a run in order: its thought, the act, what was seen; `after` a sequence, those beyond it."""
    return [exports.step_row(step) for step in selectors.steps_of(selectors.run_for(request.user, slug, run), after)]


@router.get(ONE + "/claims", response=list[ClaimOut])
def list_claims(request: HttpRequest, slug: str, run: Number) -> list[dict[str, Any]]:
    """The sentences of the answer with their checked quotes."""
    return [show_claim(claim) for claim in selectors.claims_of(selectors.run_for(request.user, slug, run), 0)]


@router.get(ONE + "/citations", response=list[dict[str, Any]])
def list_citations(request: HttpRequest, slug: str, run: Number) -> list[dict[str, Any]]:
    """Each quote once with document, page and how it was checked; of a run without an answer, the closest passages."""
    return exports.list_citations(selectors.run_for(request.user, slug, run))


@router.get(ONE + "/export", response=dict[str, Any])
def export_run(request: HttpRequest, slug: str, run: Number) -> dict[str, Any]:
    """Everything about a run: claims, citations with page and quote, steps, documents read, settings, cost."""
    return exports.as_json(selectors.run_for(request.user, slug, run))


@router.get(ONE + "/markdown", openapi_extra=answers("text/markdown"))
def export_markdown(request: HttpRequest, slug: str, run: Number) -> HttpResponse:
    """The answer with its quotes as Markdown."""
    text = exports.as_markdown(selectors.run_for(request.user, slug, run))
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


@router.get(ONE + "/bundle", openapi_extra=answers("application/zip"))
def export_bundle(request: HttpRequest, slug: str, run: Number) -> HttpResponse:
    """The evidence bundle: the run, its quotes and the pages quoted, to be checked with `manage.py verify`."""
    body = exports.bundle_of(selectors.run_for(request.user, slug, run))
    return HttpResponse(body, content_type="application/zip")


@router.post(ONE + "/cancel", response=RunOut, auth=asking)
def cancel_run(request: HttpRequest, slug: str, run: Number) -> dict[str, Any]:
    """Ask a run to stop; one that has ended stays as it is."""
    services.stop_run(user=request.user, run=selectors.run_for(request.user, slug, run, Role.MEMBER))
    return _read_run(request, slug, run)


@router.post(ONE + "/replay", response={202: ReplayOut}, auth=asking)
def start_replay(request: HttpRequest, slug: str, run: Number) -> Any:
    """Have a finished run worked out once more from its stored model calls, to see that it comes out the same."""
    return services.start_replay(user=request.user, run=selectors.run_for(request.user, slug, run, Role.MEMBER))


@router.get(ONE + "/replay", response=ReplayOut)
def show_replay(request: HttpRequest, slug: str, run: Number) -> Any:
    """What the last replay of a run found; an empty verdict while it is under way, or when there was none."""
    return selectors.replay_of(selectors.run_for(request.user, slug, run)) or {}


@router.get(ONE + "/links", response=list[LinkOut])
def list_links(request: HttpRequest, slug: str, run: Number) -> Any:
    """The open links to a run that the person may share."""
    return sharing.links_of(sharing.shareable_run(request.user, slug, run))


@router.post(ONE + "/links", response={201: LinkMadeOut}, auth=editors)
def make_link(request: HttpRequest, slug: str, run: Number, asked: LinkIn) -> ShareLink:
    """Make a link to a finished run; its address is in this reply alone."""
    found = sharing.shareable_run(request.user, slug, run)
    link, token = sharing.make_link(user=request.user, run=found, terms=sharing.LinkTerms(**asked.dict()))
    link.address = request.build_absolute_uri(reverse("sharing:view", args=[token]))  # type: ignore[attr-defined]
    return link


@router.delete(ONE + "/links/{link}", response={204: None}, auth=editors)
def revoke_link(request: HttpRequest, slug: str, run: Number, link: Number) -> None:
    """Close a link for good."""
    sharing.revoke_link(user=request.user, link=sharing.link_of(sharing.shareable_run(request.user, slug, run), link))


@router.get(THREADS, response=PageOut[ThreadOut])
def list_threads(request: HttpRequest, workspace: ForViewer, asked: PageQuery = Paged) -> dict[str, Any]:
    """The conversations of a workspace in which the person may see a question, the newest first."""
    seen = selectors.visible_runs(request.user.pk, [workspace.pk])
    return take_page(Thread.objects.filter(pk__in=seen.values("thread")), asked)


@router.get(THREADS + "/{thread}/runs", response=list[RunOut])
def list_thread(request: HttpRequest, slug: str, thread: Number) -> list[dict[str, Any]]:
    """The questions of a conversation that the person may see, the first one first."""
    found = selectors.thread_for(request.user, slug, thread)
    rows = selectors.runs_in(found, request.user).select_related("workspace", "answer").order_by("pk")
    return [show_run(row) for row in rows]
