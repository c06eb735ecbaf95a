"""Replaying a run from its page: a press starts it, the fragment asks until the verdict is there."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.htmx import is_htmx
from vectorless_web.runs import selectors, services
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import may_in


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
