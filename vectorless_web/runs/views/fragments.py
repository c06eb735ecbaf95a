"""Parts of pages that are fetched on their own: news of a run, choices, the replay's verdict."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.selectors import document_for, readable_documents
from vectorless_web.infra.limits import SEARCH_MAX, parse_whole_number
from vectorless_web.infra.web.htmx import is_htmx
from vectorless_web.runs import selectors, services
from vectorless_web.runs.forms import AskedForm, choices_of
from vectorless_web.runs.live.feed import Audience, Feed
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import may_in, workspace_context, workspace_for


@require_GET
def choices(request: HttpRequest, slug: str) -> HttpResponse:
    """Documents to tick: the rows alone for the ask box, a page of its own without a script."""
    place = workspace_for(request.user, slug, Role.MEMBER)
    chosen = AskedForm.read(request.GET).chosen
    ticked = readable_documents(place, request.user).filter(pk__in=chosen).order_by("title", "pk")
    search, page = (
        request.GET.get("q", "").replace("\0", "")[:SEARCH_MAX],
        parse_whole_number(request.GET.get("page")) or 1,
    )
    found = choices_of(place, request.user, ticked, search=search, page=page)
    if is_htmx(request):
        return render(request, "runs/_choices.html", {"workspace": place, "choices": found})
    context = workspace_context(request.user, place, "ask")
    return render(request, "runs/choose.html", {**context, "choices": found})


@require_GET
def used_pages(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    document = document_for(request.user, slug, pk)
    context = {"workspace": document.workspace, "document": document, "used_pages": selectors.used_pages(document)}
    return render(request, "runs/_used_pages.html", context)


STATE, ENDED = "X-Run-State", "X-Run-Ended"


@require_GET
@never_cache
def news(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the socket would send beyond `?after=`: fragments, or 204 while the page's `?state=` still stands."""
    run = selectors.run_for(request.user, slug, pk)
    audience = Audience(may_in(run.workspace), get_language() or "", run.asked_by_id == request.user.pk)
    after = parse_whole_number(request.GET.get("after")) or 0
    state, html = Feed(run, after).render_news(after, request.GET.get("state", ""), audience)
    headers = {STATE: state.token, ENDED: str(int(state.ended))}
    return HttpResponse(html, headers=headers) if html else HttpResponse(status=204, headers=headers)


@require_POST
def replay(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.run_for(request.user, slug, pk, Role.MEMBER)
    services.start_replay(user=request.user, run=run)
    return _render_replay(request, run) if is_htmx(request) else redirect("runs:detail", slug=slug, pk=pk)


@require_GET
def replay_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _render_replay(request, selectors.run_for(request.user, slug, pk))


def _render_replay(request: HttpRequest, run: Run) -> HttpResponse:
    context = {"run": run, "workspace": run.workspace, "may": may_in(run.workspace), "replay": selectors.replay_of(run)}
    return render(request, "runs/_replay.html", context)
