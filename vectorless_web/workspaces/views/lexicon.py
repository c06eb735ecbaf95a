"""The workspace's own words, and what a question expands to with them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.infra.web.htmx import go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import LexiconEntryForm, PreviewForm
from vectorless_web.workspaces.models import LexiconEntry, Role, Workspace
from vectorless_web.workspaces.rendering import preview_of
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def entries(request: HttpRequest, slug: str) -> HttpResponse:
    """All entries, a form for another one, and a question tried out when the address holds one."""
    workspace = workspace_for(request.user, slug)
    tried = _read_preview(request, workspace) if "question" in request.GET else {}
    status = 422 if "preview_form" in tried and tried["preview_form"].errors else 200
    return _page(request, workspace, LexiconEntryForm(), status=status, **tried)


@require_GET
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """What a question expands to, as a fragment."""
    workspace = workspace_for(request.user, slug)
    context = _read_preview(request, workspace)
    status = 422 if context["preview_form"].errors else 200
    return render(request, "workspaces/_try.html", {"workspace": workspace, **context}, status=status)


@require_POST
def add_entry(request: HttpRequest, slug: str) -> HttpResponse:
    """Add an entry."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    return _save(request, workspace, LexiconEntryForm(request.POST, instance=LexiconEntry(workspace=workspace)))


@require_GET
def entry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The form of one entry."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    row = selectors.entry_in(workspace, pk)
    return _page(request, workspace, LexiconEntryForm(instance=row), editing=row)


@require_POST
def change_entry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change an entry."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    stored = selectors.entry_in(workspace, pk)
    form = LexiconEntryForm(request.POST, instance=selectors.entry_in(workspace, pk))
    return _save(request, workspace, form, editing=stored)


@require_POST
def remove_entry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an entry."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    row = selectors.entry_in(workspace, pk)
    services.remove_entry(actor=request.user, entry=row)
    messages.success(request, f"{row.concept} was removed.")
    return go_to(request, "workspaces:lexicon", slug=slug)


def _save(
    request: HttpRequest, workspace: Workspace, form: LexiconEntryForm, editing: LexiconEntry | None = None
) -> HttpResponse:
    save = services.change_entry if editing else services.add_entry
    if form.is_valid():
        try:
            row = save(actor=request.user, entry=form.save(commit=False))
        except Problem as problem:
            form.add_error("concept", problem.message)
        else:
            messages.success(request, f"{row.concept} was saved.")
            return go_to(request, "workspaces:lexicon", slug=workspace.slug)
    return _page(request, workspace, form, editing=editing, status=422)


def _read_preview(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    """The preview's form as sent, with the preview when it holds a question."""
    form = PreviewForm(request.GET)
    if not form.is_valid():
        return {"preview_form": form, "preview": None}
    shown = preview_of(form.cleaned_data["question"], selectors.lexicon_of(workspace))
    return {"preview_form": form, "preview": shown}


def _page(
    request: HttpRequest, workspace: Workspace, form: LexiconEntryForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "lexicon",
        "entries": selectors.entries_of(workspace),
        "form": form,
        "preview_form": PreviewForm(),
        **more,
    }
    return render(request, "workspaces/lexicon.html", context, status=status)
