"""Retention and maintenance: how long things are kept, read-only mode, announcements, backups."""

import os
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from vectorless_web.console.forms import AnnouncementForm, PeriodForm, ReadOnlyForm
from vectorless_web.console.models import BackupTask
from vectorless_web.console.subjects import maintenance, retention
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.site import announcement, is_read_only

SEE, CHANGE = "workspaces.view_sitesetting", "workspaces.change_sitesetting"


@staff_page(SEE)
def show_periods(request: HttpRequest) -> HttpResponse:
    """How long each kind of things is kept; with a kind and days, what would go."""
    return _periods_page(request, read_choice(request))


def read_choice(request: HttpRequest, workspace: Workspace | None = None) -> dict[str, Any]:
    """What would go under the period that the address asks for, if it does: of the site, or of a workspace."""
    kind, form = retention.KINDS.get(request.GET.get("kind", "")), PeriodForm(request.GET)
    if kind is None or (workspace is not None and kind.place is None):
        return {}
    try:
        days = retention.check_days(kind, form.cleaned_data["days"] if form.is_valid() else -1)
    except Problem as problem:
        return {"chosen": kind, "problem": problem}
    return {"chosen": kind, "days": days, "going": _preview(request, kind, days, workspace)}


def _preview(request: HttpRequest, kind: retention.Kind, days: int, workspace: Workspace | None) -> retention.Held:
    if workspace is None or kind.place is None:
        return retention.preview(kind, days)
    return retention.preview(kind, days, kind.place(workspace, request.user))


@staff_act(CHANGE)
def set_period(request: HttpRequest, kind: str) -> HttpResponse:
    """Keep things of a kind for so many days."""
    refused = store_period(request, find_kind(kind))
    return _periods_page(request, refused) if refused else go_to(request, "console:retention")


def store_period(request: HttpRequest, kind: retention.Kind, workspace: Workspace | None = None) -> dict[str, Any]:
    """Set the period that was sent, of the site or of a workspace; what the page shows when it is refused, else {}."""
    form = PeriodForm(request.POST)
    valid = form.is_valid()
    days, seen = form.cleaned_data.get("days", -1) if valid else -1, form.cleaned_data.get("seen")
    try:
        retention.check_days(kind, days)
        if workspace is None:
            retention.set_period(actor=request.user, kind=kind, days=days, seen=seen)
        else:
            retention.set_period_in(actor=request.user, workspace=workspace, kind=kind, days=days, seen=seen)
    except Problem as problem:
        if problem.status != 409:
            return {"chosen": kind, "problem": problem}
        return {"chosen": kind, "problem": problem, "days": days, "going": _preview(request, kind, days, workspace)}
    kept = (
        f"for {days} day{'' if days == 1 else 's'}" if days else "as long as on the site" if workspace else "for ever"
    )
    messages.success(request, f"{kind.label} are kept {kept}. What is older goes within the hour.")
    return {}


@staff_act(CHANGE)
def clear_period(request: HttpRequest, kind: str) -> HttpResponse:
    """Keep things of a kind as long as the environment or the default says."""
    retention.clear_period(actor=request.user, kind=find_kind(kind))
    return go_to(request, "console:retention")


def find_kind(name: str) -> retention.Kind:
    """The kind of that name; Http404 when there is none."""
    if name not in retention.KINDS:
        raise Http404("There is no such kind.")
    return retention.KINDS[name]


def _periods_page(request: HttpRequest, choice: dict[str, Any]) -> HttpResponse:
    return show_page(request, "retention", {"periods": retention.list_periods(dict(os.environ)), **choice})


@staff_page(SEE)
def show_maintenance(request: HttpRequest) -> HttpResponse:
    """Read-only mode, the announcement, and backups."""
    return _maintenance_page(request)


@staff_act(CHANGE)
def plan_read_only(request: HttpRequest) -> HttpResponse:
    """Make the site read-only, at a time or now."""
    form = ReadOnlyForm(request.POST)
    try:
        maintenance.plan_read_only(actor=request.user, **_check(form))
    except Problem as problem:
        return _maintenance_page(request, read_only_form=form, problem=problem)
    begun = "The site is read-only now" if is_read_only() else "Read-only mode is planned"
    return go_saying(request, f"{begun}. Every page says so, and staff can end it here.", "console:maintenance")


@staff_act(CHANGE)
def end_read_only(request: HttpRequest) -> HttpResponse:
    """Let everybody write again."""
    ended = maintenance.end_read_only(actor=request.user)
    messages.success(request, "Everybody can write again." if ended else "The site was not read-only.")
    return go_to(request, "console:maintenance")


@staff_act(CHANGE)
def announce(request: HttpRequest) -> HttpResponse:
    """Show a sentence on every page."""
    form = AnnouncementForm(request.POST)
    try:
        maintenance.announce(actor=request.user, **_check(form))
    except Problem as problem:
        return _maintenance_page(request, announcement_form=form, problem=problem)
    shown = bool(form.cleaned_data["text"])
    return go_saying(request, "Every page shows it." if shown else "No announcement is shown.", "console:maintenance")


@staff_act(CHANGE)
def back_up(request: HttpRequest) -> HttpResponse:
    """Have a backup made now."""
    return _ask_for(request, BackupTask.Act.BACK_UP)


@staff_act(CHANGE)
def verify_backup(request: HttpRequest) -> HttpResponse:
    """Have the newest backup verified."""
    return _ask_for(request, BackupTask.Act.VERIFY)


def _ask_for(request: HttpRequest, act: str) -> HttpResponse:
    try:
        maintenance.ask_for(actor=request.user, act=act)
    except Problem as problem:
        return _maintenance_page(request, problem=problem)
    messages.success(request, "A worker begins with it in a moment. This page shows how far it is.")
    return go_to(request, "console:maintenance")


def _check(form: forms.Form) -> dict[str, Any]:
    if not form.is_valid():
        sentences = [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
        raise Problem(" ".join(sentences), remedy="Correct that, then send it again.", code="invalid_input")
    return form.cleaned_data


def _maintenance_page(
    request: HttpRequest,
    *,
    read_only_form: ReadOnlyForm | None = None,
    announcement_form: AnnouncementForm | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    told = announcement()
    context = {
        "backups": maintenance.describe_backups(),
        "read_only_form": read_only_form or ReadOnlyForm(),
        "announcement_form": announcement_form
        or AnnouncementForm(initial={"text": told.text, "until": told.until} if told else None),
        "told": told,
        "zone": timezone.get_current_timezone_name(),
        "problem": problem,
    }
    return show_page(request, "maintenance", context)
