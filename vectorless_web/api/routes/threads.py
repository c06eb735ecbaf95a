"""Conversations, links to runs for people without an account, replays and evidence bundles."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Status

from vectorless_web.api.authentication import Bearer
from vectorless_web.api.models import Scope
from vectorless_web.api.paging import Number, Paged, PageOut, PageQuery, answers, take_page
from vectorless_web.api.routes.runs import ONE, show_run
from vectorless_web.api.routes.schemas import LinkIn, LinkMadeOut, LinkOut, ReplayOut, RunOut, ThreadOut
from vectorless_web.runs import selectors
from vectorless_web.runs import services as runs
from vectorless_web.runs.export.exports import bundle_of
from vectorless_web.runs.models import Thread
from vectorless_web.sharing import services
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_for

router = Router(tags=["Runs"])
PLACE = "/workspaces/{slug:slug}/threads"


@router.get(PLACE, response=PageOut[ThreadOut])
def list_threads(request: HttpRequest, slug: str, asked: PageQuery = Paged) -> dict[str, Any]:
    """The conversations of a workspace in which the person may see a question, the newest first."""
    workspace = workspace_for(request.user, slug)
    seen = selectors.visible_runs(request.user.pk, [workspace.pk])
    rows = Thread.objects.filter(pk__in=seen.values("thread"))
    return take_page(rows, asked, lambda row: {"id": row.pk, "created_at": row.created_at})


@router.get(PLACE + "/{thread}/runs", response=list[RunOut])
def list_thread(request: HttpRequest, slug: str, thread: Number) -> list[dict[str, Any]]:
    """The questions of a conversation that the person may see, the first one first."""
    found = selectors.thread_for(request.user, slug, thread)
    rows = selectors.runs_in(found, request.user).select_related("workspace", "answer").order_by("pk")
    return [show_run(row) for row in rows]


@router.get(ONE + "/links", response=list[LinkOut])
def list_links(request: HttpRequest, slug: str, run: Number) -> list[dict[str, Any]]:
    """The open links to a run that the person may share."""
    return [_show_link(row) for row in services.links_of(services.shareable_run(request.user, slug, run))]


@router.post(ONE + "/links", response={201: LinkMadeOut}, auth=Bearer(Scope.WRITE))
def make_link(request: HttpRequest, slug: str, run: Number, asked: LinkIn) -> Status[dict[str, Any]]:
    """Make a link to a finished run; its address is in this reply alone."""
    found = services.shareable_run(request.user, slug, run)
    link, token = services.make_link(user=request.user, run=found, terms=services.LinkTerms(**asked.dict()))
    address = request.build_absolute_uri(reverse("sharing:view", args=[token]))
    return Status(201, {**_show_link(link), "address": address})


@router.delete(ONE + "/links/{link}", response={204: None}, auth=Bearer(Scope.WRITE))
def revoke_link(request: HttpRequest, slug: str, run: Number, link: Number) -> Status[None]:
    """Close a link for good."""
    found = services.shareable_run(request.user, slug, run)
    services.revoke_link(user=request.user, link=services.link_of(found, link))
    return Status(204, None)


def _show_link(row: ShareLink) -> dict[str, Any]:
    names = ("label", "expires_at", "redact", "hide_trace", "views_max")
    return {"id": row.pk, "views": getattr(row, "view_count", 0), **{name: getattr(row, name) for name in names}}


@router.post(ONE + "/replay", response={202: ReplayOut}, auth=Bearer(Scope.ASK))
def start_replay(request: HttpRequest, slug: str, run: Number) -> Status[dict[str, Any]]:
    """Have a finished run worked out once more from its stored model calls, to see that it comes out the same."""
    found = selectors.run_for(request.user, slug, run, Role.MEMBER)
    return Status(202, _show_replay(runs.start_replay(user=request.user, run=found)))


@router.get(ONE + "/replay", response=ReplayOut)
def show_replay(request: HttpRequest, slug: str, run: Number) -> dict[str, Any]:
    """What the last replay of a run found; an empty verdict while it is under way, or when there was none."""
    return _show_replay(selectors.replay_of(selectors.run_for(request.user, slug, run)))


def _show_replay(row: Any) -> dict[str, Any]:
    names = ("verdict", "difference", "note", "steps", "asked_at", "ended_at")
    return {name: getattr(row, name, None) for name in names}


@router.get(ONE + "/bundle", openapi_extra=answers("application/zip"))
def export_bundle(request: HttpRequest, slug: str, run: Number) -> HttpResponse:
    """The evidence bundle: the run, its quotes and the pages quoted, to be checked with `manage.py verify`."""
    body = bundle_of(selectors.run_for(request.user, slug, run))
    return HttpResponse(body, content_type="application/zip")
