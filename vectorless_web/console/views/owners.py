"""What the owners of a workspace see of it under Settings: usage, the record, and the health of its documents."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.console.forms import AuditForm
from vectorless_web.console.subjects import audit, health, retention, usage
from vectorless_web.console.views.upkeep import find_kind, read_choice, store_period
from vectorless_web.console.views.usage import SPANS, make_csv, read_report
from vectorless_web.documents import services as documents
from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import document_for
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import visits_in, workspace_context, workspace_for

GROUPS = ("person", "model")
"""By what a workspace's usage is grouped."""


def _show(request: HttpRequest, workspace: Workspace, tab: str, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {**workspace_context(request.user, workspace, "settings"), "tab": tab, **more}
    return render(request, f"console/owner/{tab}.html", context, status=status)


@require_GET
def show_usage(request: HttpRequest, slug: str) -> HttpResponse:
    """What the workspace used, by day, person and model, and its budgets with a forecast."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    report, group = read_report(request, GROUPS, workspace.pk)
    shown: dict[str, Any] = {"report": report, "group": group, "groups": GROUPS, "spans": SPANS}
    return _show(request, workspace, "usage", **shown, budgets=usage.list_budgets(workspace))


@require_GET
def export_usage(request: HttpRequest, slug: str) -> HttpResponse:
    """The same as CSV."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return make_csv(*read_report(request, GROUPS, workspace.pk))


@require_GET
def show_record(request: HttpRequest, slug: str) -> HttpResponse:
    """What was done in the workspace, by whom and when; nothing of what is hidden from the owner."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = AuditForm(request.GET)
    query = form.query()
    page = audit.page_of_workspace(workspace, request.user, query, before=form.number("before"))
    visits = visits_in(workspace)
    return _show(request, workspace, "record", page=page, events=page.events, query=query, visits=visits)


@require_GET
def show_periods(request: HttpRequest, slug: str) -> HttpResponse:
    """How long the workspace keeps each kind of things; with a kind and days, what would go."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _periods_page(request, workspace, read_choice(request, workspace))


@require_POST
def set_period(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Keep things of a kind for a shorter time than the site does; 0 keeps them as long as the site."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    refused = store_period(request, find_kind(kind), workspace)
    if refused:
        return _periods_page(request, workspace, refused)
    return go_to(request, "console:workspace_retention", slug=slug)


def _periods_page(request: HttpRequest, workspace: Workspace, choice: dict[str, Any]) -> HttpResponse:
    problem: Problem | None = choice.get("problem")
    periods = retention.list_periods_in(workspace, request.user)
    status = problem.status if problem else 200
    return _show(request, workspace, "retention", status=status, periods=periods, **choice)


@require_GET
def show_health(request: HttpRequest, slug: str) -> HttpResponse:
    """Which documents need a look."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _show(request, workspace, "health", report=health.report_health(workspace, request.user))


@require_POST
def recompile_all(request: HttpRequest, slug: str) -> HttpResponse:
    """Have all documents compiled again that another compiler made."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    count = health.recompile_workspace(actor=request.user, workspace=workspace)
    messages.success(request, f"{count} documents wait to be compiled again. They stay readable meanwhile.")
    return go_to(request, "console:health", slug=slug)


@require_POST
def recompile_one(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have one document read again."""
    document = _find_owned(request, slug, pk)
    if document.latest is not None:
        documents.retry_version(actor=request.user, version=document.latest)
        messages.success(request, f"{document.title} waits to be read again.")
    return go_to(request, "console:health", slug=slug)


@require_POST
def quarantine(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Keep one document from answering."""
    document = _find_owned(request, slug, pk)
    documents.quarantine_document(actor=request.user, document=document, reason=request.POST.get("reason", ""))
    messages.success(request, f"{document.title} answers nothing until it is released.")
    return go_to(request, "documents:detail", slug=slug, pk=pk)


@require_POST
def release(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let one document answer again."""
    document = _find_owned(request, slug, pk)
    documents.release_document(actor=request.user, document=document)
    return go_saying(request, f"{document.title} answers again.", "console:health", slug=slug)


def _find_owned(request: HttpRequest, slug: str, pk: int) -> Document:
    return document_for(request.user, slug, pk, Role.OWNER)
