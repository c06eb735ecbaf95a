"""Retention and maintenance: how long things are kept, read-only mode, announcements, backups."""

import os

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.console.forms import PeriodForm
from vectorless_web.console.subjects import retention
from vectorless_web.console.views import show_page, staff_only
from vectorless_web.infra.web.pages import go_to
from vectorless_web.infra.web.problems import Problem

SEE, CHANGE = "workspaces.view_sitesetting", "workspaces.change_sitesetting"


@require_GET
@staff_only(SEE)
def show_periods(request: HttpRequest) -> HttpResponse:
    """How long each kind of things is kept; with a kind and days, what would go."""
    name = request.GET.get("kind", "")
    if name not in retention.KINDS:
        return _periods_page(request)
    form = PeriodForm(request.GET)
    kind = retention.KINDS[name]
    try:
        days = retention.check_days(kind, form.cleaned_data["days"] if form.is_valid() else -1)
    except Problem as problem:
        return _periods_page(request, kind=kind, problem=problem)
    return _periods_page(request, kind=kind, days=days)


@require_POST
@staff_only(CHANGE)
def set_period(request: HttpRequest, kind: str) -> HttpResponse:
    """Keep things of a kind for so many days."""
    chosen, form = _find_kind(kind), PeriodForm(request.POST)
    valid = form.is_valid()
    try:
        days = retention.check_days(chosen, form.cleaned_data["days"] if valid else -1)
        retention.set_period(actor=request.user, kind=chosen, days=days, seen=form.cleaned_data["seen"])
    except Problem as problem:
        asked = form.cleaned_data.get("days") if problem.status == 409 else None
        return _periods_page(request, kind=chosen, days=asked, problem=problem)
    kept = f"for {days} day{'' if days == 1 else 's'}" if days else "for ever"
    messages.success(request, f"{chosen.label} are kept {kept}. What is older goes within the hour.")
    return go_to(request, "console:retention")


@require_POST
@staff_only(CHANGE)
def clear_period(request: HttpRequest, kind: str) -> HttpResponse:
    """Keep things of a kind as long as the environment or the default says."""
    retention.clear_period(actor=request.user, kind=_find_kind(kind))
    return go_to(request, "console:retention")


def _find_kind(name: str) -> retention.Kind:
    if name not in retention.KINDS:
        raise Http404("There is no such kind.")
    return retention.KINDS[name]


def _periods_page(
    request: HttpRequest,
    *,
    kind: retention.Kind | None = None,
    days: int | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    periods = retention.list_periods(dict(os.environ))
    context = {"periods": periods, "chosen": kind, "days": days, "problem": problem}
    if kind is not None and days is not None:
        context["going"] = retention.preview(kind, days)
    return show_page(request, "retention", context, status=problem.status if problem else 200)
