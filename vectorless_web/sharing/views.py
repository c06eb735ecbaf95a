"""Sharing a run, and reading a shared one without an account."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.rendering.page import RenderUnavailable, page_image
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import client_address, counted_address
from vectorless_web.runs.models import Run
from vectorless_web.sharing import rendering, selectors, services
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context, workspace_for

IMAGE_SECONDS = 24 * 3600
"""Seconds that a browser may keep a page image of a shared run. A page seen before its link was revoked may be seen so
long after."""


@require_GET
def menu(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.shareable_run(request.user, slug, pk)
    return _menu(request, run)


@require_POST
def make(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = selectors.shareable_run(request.user, slug, pk)
    try:
        _link, token = services.make_link(
            user=request.user,
            run=run,
            days=parse_whole_number(request.POST.get("days")) or 0,
            password=request.POST.get("password", ""),
            redact=bool(request.POST.get("redact")),
        )
    except Problem as problem:
        return _menu(request, run, error=problem.message, status=problem.status)
    return _menu(request, run, new_link=request.build_absolute_uri(reverse("sharing:view", args=[token])))


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int, link: int) -> HttpResponse:
    run = selectors.shareable_run(request.user, slug, pk)
    services.revoke_link(user=request.user, link=selectors.link_of(run, link))
    if is_htmx(request):
        return _menu(request, run)
    back = request.POST.get("back")
    return redirect("sharing:links", slug=slug) if back == "links" else redirect("sharing:menu", slug=slug, pk=pk)


@require_GET
def links(request: HttpRequest, slug: str) -> HttpResponse:
    workspace = workspace_for(request.user, slug, Role.OWNER)
    context = workspace_context(request.user, workspace, "settings")
    return render(request, "sharing/links.html", {**context, "tab": "links", "links": selectors.links_in(workspace)})


@login_not_required
@require_GET
def view(request: HttpRequest, token: str) -> HttpResponse:
    services.count_request(counted_address(request))
    link = selectors.open_link(token)
    if link is None:
        return _mark_private(render(request, "sharing/gone.html", status=404))
    if not _may_read(request, link):
        return _mark_private(render(request, "sharing/password.html", {"token": token}))
    services.note_view(link=link, address=client_address(request), agent=request.headers.get("User-Agent", ""))
    return _mark_private(render(request, "sharing/view.html", rendering.shared_context(link, token)))


@login_not_required
@require_POST
def unlock(request: HttpRequest, token: str) -> HttpResponse:
    services.count_request(counted_address(request))
    link = selectors.open_link(token)
    if link is None:
        return _mark_private(render(request, "sharing/gone.html", status=404))
    password = request.POST.get("password", "")
    try:
        fits = services.password_fits(link=link, password=password, address=client_address(request))
        error = "" if fits else "That is not the password."
        status = 200 if fits else 422
    except Problem as problem:
        error, status = problem.message, problem.status
    if error:
        return _mark_private(render(request, "sharing/password.html", {"token": token, "error": error}, status=status))
    request.session[_session_key(link)] = link.password_hash
    return _mark_private(redirect("sharing:view", token=token))


@login_not_required
@require_GET
def image(request: HttpRequest, token: str, version: int, page: int) -> HttpResponse:
    services.count_request(counted_address(request))
    link = selectors.open_link(token)
    if link is None or not _may_read(request, link):
        raise Http404("There is no such page.")
    shown = rendering.find_quoted_version(link.run, version, page - 1)
    if shown is None:
        raise Http404("There is no such page.")
    try:
        picture = page_image(shown, page - 1)
    except RenderUnavailable as problem:
        return HttpResponse(problem.message, status=problem.status, content_type="text/plain; charset=utf-8")
    response = HttpResponse(picture.read_bytes(), content_type="image/jpeg")
    patch_cache_control(response, private=True, max_age=IMAGE_SECONDS)
    return _mark_unlisted(response)


def _menu(request: HttpRequest, run: Run, *, status: int = 200, **more: Any) -> HttpResponse:
    """The share menu of a run: a fragment for htmx, a page of its own otherwise."""
    context = {**workspace_context(request.user, run.workspace, "runs"), "run": run, "links": selectors.links_of(run)}
    template = "sharing/_menu.html" if is_htmx(request) else "sharing/menu.html"
    return render(request, template, {**context, **more}, status=status)


def _may_read(request: HttpRequest, link: ShareLink) -> bool:
    """Whether the link has no password, or this session gave the one it has now."""
    return not link.password_hash or request.session.get(_session_key(link)) == link.password_hash


def _session_key(link: ShareLink) -> str:
    return f"share-{link.pk}"


def _mark_private(response: HttpResponse) -> HttpResponse:
    """Kept by no cache, found by no search engine, its address told to no other site."""
    patch_cache_control(response, private=True, no_store=True)
    return _mark_unlisted(response)


def _mark_unlisted(response: HttpResponse) -> HttpResponse:
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    # "no-referrer" would make browsers post the password form without an origin, which CSRF protection refuses.
    response["Referrer-Policy"] = "same-origin"
    return response
