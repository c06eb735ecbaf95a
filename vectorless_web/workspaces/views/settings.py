"""Making a workspace, its settings: its own words, its chat models, what it may spend; and deleting it."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.forms import BaseForm, model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.engine.llm.capability import PRESETS, Preset, preset
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.pages import go_saying, go_to, is_htmx, offer_undo
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import (
    BudgetForm,
    DeleteForm,
    LexiconEntryForm,
    PreviewForm,
    ProviderForm,
    SettingsForm,
    WorkspaceForm,
)
from vectorless_web.workspaces.models import LexiconEntry, ModelProvider, Role, Workspace
from vectorless_web.workspaces.rendering import preview_of
from vectorless_web.workspaces.selectors import workspace_context, workspaces_of
from vectorless_web.workspaces.views.rights import done_by, shown_to


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of a workspace's settings: one form, what is beside it, and the address to which its acts lead back.

    `name` is the tab that is lit, `template` its page, `beside` what the page shows beside its form.
    """

    name: str
    address: str
    template: str
    beside: Callable[[HttpRequest, Workspace], dict[str, Any]] = lambda _request, _workspace: {}

    def show(
        self,
        request: HttpRequest,
        workspace: Workspace,
        form: BaseForm | None = None,
        /,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        """The page with a form; what `more` names is in place of what `beside` gives."""
        context = {
            **workspace_context(request.user, workspace, "settings"),
            "tab": self.name,
            "form": form,
            **self.beside(request, workspace),
            **more,
        }
        return render(request, self.template, context, status=status)

    def save(
        self, request: HttpRequest, workspace: Workspace, form: BaseForm, store: Callable[[], str], **more: Any
    ) -> HttpResponse:
        """Store a form that is right and say what `store` says; show one that is not with its errors (422)."""
        if not form.is_valid():
            return self.show(request, workspace, form, status=422, **more)
        return self.leave(request, workspace, store())

    def leave(self, request: HttpRequest, workspace: Workspace, said: str) -> HttpResponse:
        """Go back to the page after an act, and say there what was done."""
        return go_saying(request, said, self.address, slug=workspace.slug)


@require_GET
def new(request: HttpRequest) -> HttpResponse:
    """The form for a new workspace."""
    return _new_page(request, WorkspaceForm())


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Make a workspace; anybody who makes it owns it."""
    form = WorkspaceForm(request.POST)
    if not form.is_valid():
        return _new_page(request, form, status=422)
    workspace = services.create_workspace(user=request.user, **form.cleaned_data)
    return go_to(request, "runs:workspace", slug=workspace.slug)


@shown_to(Role.OWNER)
def settings(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Name, description and limits."""
    return GENERAL.show(request, workspace, SettingsForm(instance=workspace))


@done_by(Role.OWNER)
def save_settings(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Change name, description and limits."""
    form = SettingsForm(request.POST, instance=copy(workspace))

    def store() -> str:
        services.update_workspace(
            actor=request.user,
            workspace=workspace,
            name=form.cleaned_data["name"],
            description=form.cleaned_data["description"],
            settings=form.limits(),
        )
        return "The settings were saved."

    return GENERAL.save(request, workspace, form, store)


@shown_to(Role.OWNER)
def danger(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """The page from which a workspace is deleted."""
    return DANGER.show(request, workspace, DeleteForm(workspace=workspace))


@done_by(Role.OWNER)
def delete(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Delete a workspace for good, once its name was typed."""
    form = DeleteForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return DANGER.show(request, workspace, form, status=422)
    services.delete_workspace(actor=request.user, workspace=workspace)
    return go_saying(request, f"{workspace.name} was deleted.", "/")


def _new_page(request: HttpRequest, form: BaseForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "my_workspaces": workspaces_of(request.user)}
    return render(request, "workspaces/create.html", context, status=status)


@shown_to(Role.VIEWER)
def entries(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """All entries, a form for another one, and a question tried out when the address holds one."""
    tried = _read_preview(request, workspace) if "question" in request.GET else {}
    status = 422 if "preview_form" in tried and tried["preview_form"].errors else 200
    return LEXICON.show(request, workspace, LexiconEntryForm(), status=status, **tried)


@shown_to(Role.VIEWER)
def preview(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """What a question expands to, as a fragment."""
    context = _read_preview(request, workspace)
    status = 422 if context["preview_form"].errors else 200
    return render(request, "workspaces/_try.html", {"workspace": workspace, **context}, status=status)


@done_by(Role.EDITOR)
def add_entry(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Add an entry."""
    return _save_entry(request, workspace, LexiconEntryForm(request.POST, instance=LexiconEntry(workspace=workspace)))


@shown_to(Role.EDITOR)
def entry(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """The form of one entry."""
    row = selectors.entry_in(workspace, pk)
    return LEXICON.show(request, workspace, LexiconEntryForm(instance=row), editing=row)


@done_by(Role.EDITOR)
def change_entry(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Change an entry."""
    stored = selectors.entry_in(workspace, pk)
    form = LexiconEntryForm(request.POST, instance=selectors.entry_in(workspace, pk))
    return _save_entry(request, workspace, form, editing=stored)


@done_by(Role.EDITOR)
def remove_entry(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Delete an entry."""
    row = selectors.entry_in(workspace, pk)
    services.remove_entry(actor=request.user, entry=row)
    return LEXICON.leave(request, workspace, f"{row.concept} was removed.")


def _save_entry(
    request: HttpRequest, workspace: Workspace, form: LexiconEntryForm, editing: LexiconEntry | None = None
) -> HttpResponse:
    save = services.change_entry if editing else services.add_entry
    if form.is_valid():
        try:
            row = save(actor=request.user, entry=form.save(commit=False))
        except Problem as problem:
            form.add_error("concept", problem.message)
        else:
            return LEXICON.leave(request, workspace, f"{row.concept} was saved.")
    return LEXICON.show(request, workspace, form, editing=editing, status=422)


def _read_preview(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    """The preview's form as sent, with the preview when it holds a question."""
    form = PreviewForm(request.GET)
    if not form.is_valid():
        return {"preview_form": form, "preview": None}
    shown = preview_of(form.cleaned_data["question"], selectors.lexicon_of(workspace))
    return {"preview_form": form, "preview": shown}


@shown_to(Role.OWNER)
def providers(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """The models in use, and a form for another one, filled in for a known kind of server when one was chosen."""
    return MODELS.show(request, workspace, ProviderForm(workspace=workspace, preset=_chosen_preset(request)))


@done_by(Role.OWNER)
def save_provider(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Add a model."""
    return _save_model(request, workspace, ProviderForm(request.POST, workspace=workspace))


@shown_to(Role.OWNER)
def provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """The form of one model; its key is never shown."""
    row = selectors.provider_in(workspace, pk)
    return MODELS.show(request, workspace, ProviderForm(instance=row, workspace=workspace), editing=row)


@done_by(Role.OWNER)
def change_provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Change a model."""
    row = selectors.provider_in(workspace, pk)
    return _save_model(request, workspace, ProviderForm(request.POST, instance=row, workspace=workspace), editing=row)


@done_by(Role.OWNER)
def remove_provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Take a model out of use, to be forgotten with its key."""
    row = selectors.provider_in(workspace, pk)
    services.remove_provider(actor=request.user, provider=row)
    undo = reverse("workspaces:restore_provider", args=[workspace.slug, pk])
    offer_undo(request, f"{row.name} was removed. Its key is forgotten in an hour.", undo)
    return go_to(request, MODELS.address, slug=workspace.slug)


@done_by(Role.OWNER)
def restore_provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Undo the removal of a model."""
    row = selectors.removed_provider(workspace, pk)
    services.restore_provider(actor=request.user, provider=row)
    return MODELS.leave(request, workspace, f"{row.name} is back.")


@done_by(Role.OWNER)
def test_provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Have a worker try the model; the row asks again until the result is there."""
    row = selectors.provider_in(workspace, pk)
    services.start_test(actor=request.user, provider=row)
    if not is_htmx(request):
        messages.info(request, "The model is being tried. Look again in a moment.")
        return go_to(request, "workspaces:providers", slug=workspace.slug)
    return _show_provider(request, workspace, pk)


@shown_to(Role.OWNER)
def provider_row(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """One model as the list shows it."""
    return _show_provider(request, workspace, pk)


def _show_provider(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    selectors.provider_in(workspace, pk)
    row = next(row for row in _list_providers(workspace) if row.pk == pk)
    return render(request, "workspaces/_provider.html", {"workspace": workspace, "provider": row})


@done_by(Role.OWNER)
def look_for_models(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Have a worker look for models on this machine; the section asks again until the result is there."""
    services.start_look(actor=request.user, workspace=workspace, unasked="unasked" in request.POST)
    if not is_htmx(request):
        messages.info(request, "Models are being looked for. Look again in a moment.")
        return go_to(request, "workspaces:providers", slug=workspace.slug)
    return _show_nearby(request, workspace)


@shown_to(Role.OWNER)
def nearby_models(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """The models that were found on this machine, as the page shows them."""
    return _show_nearby(request, workspace)


@done_by(Role.OWNER)
def use_nearby_model(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Connect a model that was found on this machine."""
    address, model = request.POST.get("address", ""), request.POST.get("model", "")
    row = services.use_nearby(actor=request.user, workspace=workspace, base_url=address, model=model)
    return MODELS.leave(request, workspace, f"{row.name} was connected and is being tried.")


def _show_nearby(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    context = {"workspace": workspace, "nearby": services.describe_nearby(workspace)}
    return render(request, "workspaces/_nearby.html", context)


@shown_to(Role.OWNER)
def budgets(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """What the workspace and its members may spend, and have spent."""
    changed = selectors.budgets_of(workspace).filter(pk=parse_whole_number(request.GET.get("change")) or 0).first()
    initial = model_to_dict(changed) if changed else {}
    return BUDGETS.show(request, workspace, BudgetForm(workspace=workspace, initial=initial))


@done_by(Role.OWNER)
def save_budget(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Set a limit, in place of the one there is for the same people."""
    form = BudgetForm(request.POST, workspace=workspace)

    def store() -> str:
        services.set_budget(actor=request.user, budget=form.budget())
        return "The budget was set."

    return BUDGETS.save(request, workspace, form, store)


@done_by(Role.OWNER)
def remove_budget(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Lift a limit."""
    services.remove_budget(actor=request.user, budget=selectors.budget_in(workspace, pk))
    return BUDGETS.leave(request, workspace, "The budget was lifted.")


def _save_model(
    request: HttpRequest, workspace: Workspace, form: ProviderForm, editing: ModelProvider | None = None
) -> HttpResponse:
    def store() -> str:
        row = form.save(commit=False)
        services.save_provider(actor=request.user, provider=row, api_key=form.cleaned_data["api_key"])
        return f"{row.name} was saved."

    return MODELS.save(request, workspace, form, store, editing=editing)


def _chosen_preset(request: HttpRequest) -> Preset | None:
    return preset(request.GET.get("preset", ""))


def _entries_beside(_request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    return {"entries": selectors.entries_of(workspace), "preview_form": PreviewForm()}


def _models_beside(request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    return {
        "providers": _list_providers(workspace),
        "nearby": services.describe_nearby(workspace),
        "presets": PRESETS,
        "preset": _chosen_preset(request),
    }


def _list_providers(workspace: Workspace) -> list[ModelProvider]:
    """The models with what depends on each: `uses`, and `is_asked` of the one that answers by itself."""
    rows = list(selectors.providers_for(workspace))
    asked = next(iter(selectors.usable_providers(workspace)), None)
    for row in rows:
        row.is_asked = row == asked
        row.is_second_reader = workspace.setting("second_reader") == selectors.provider_choice(row)
        row.uses = services.describe_uses(row) if row.workspace_id else []
    return rows


def _budgets_beside(_request: HttpRequest, workspace: Workspace) -> dict[str, Any]:
    return {"budgets": selectors.budgets_of(workspace)}


GENERAL = Tab("general", "workspaces:settings", "workspaces/settings.html")
DANGER = Tab("danger", "workspaces:danger", "workspaces/danger.html")
LEXICON = Tab("lexicon", "workspaces:lexicon", "workspaces/lexicon.html", _entries_beside)
MODELS = Tab("models", "workspaces:providers", "workspaces/providers.html", _models_beside)
BUDGETS = Tab("budgets", "workspaces:budgets", "workspaces/budgets.html", _budgets_beside)
