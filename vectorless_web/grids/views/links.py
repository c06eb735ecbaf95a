"""Sharing a grid, and reading a shared one without an account."""

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.grids import selectors
from vectorless_web.grids.models import Grid
from vectorless_web.grids.rendering import shown_value
from vectorless_web.grids.services import links
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import counted_address
from vectorless_web.sharing.services import count_request
from vectorless_web.sharing.views import mark_private
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context


def _shareable_grid(request: HttpRequest, slug: str, pk: int) -> Grid:
    """A grid that the user may share: a member their own, an editor any."""
    grid = selectors.grid_for(request.user, slug, pk, Role.MEMBER)
    if grid.created_by_id != request.user.pk and not grid.workspace.allows(Role.EDITOR):
        raise PermissionDenied("A member can share the grids they made themselves.")
    return grid


@require_GET
def share(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _render_menu(request, _shareable_grid(request, slug, pk))


@require_POST
def make(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    grid = _shareable_grid(request, slug, pk)
    try:
        _link, token = links.make_link(
            user=request.user, grid=grid, days=parse_whole_number(request.POST.get("days")) or 0
        )
    except Problem as problem:
        return _render_menu(request, grid, error=problem.message, status=problem.status)
    return _render_menu(request, grid, new_link=request.build_absolute_uri(reverse("grids:shared", args=[token])))


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int, link: int) -> HttpResponse:
    grid = _shareable_grid(request, slug, pk)
    found = one_or_404(links.links_of(grid), "There is no such link here.", pk=link)
    links.revoke_link(user=request.user, link=found)
    return redirect("grids:share", slug=slug, pk=pk)


def _render_menu(request: HttpRequest, grid: Grid, status: int = 200, **shown: str) -> HttpResponse:
    context = workspace_context(request.user, grid.workspace, "grids")
    context |= {"grid": grid, "links": list(links.links_of(grid)), **shown}
    return render(request, "grids/share.html", context, status=status)


@login_not_required
@require_GET
def shared(request: HttpRequest, token: str) -> HttpResponse:
    count_request(counted_address(request))
    link = links.open_link(token)
    if link is None:
        return mark_private(render(request, "sharing/gone.html", status=404))
    rows = selectors.filled_rows(link.grid, None)
    for row in rows:
        row.shown = [(cell, shown_value(cell)) for cell in row.shown_cells]  # type: ignore[attr-defined]
    context = {"grid": link.grid, "link": link, "columns": list(link.grid.columns.all()), "rows": rows}
    return mark_private(render(request, "grids/shared.html", context))
