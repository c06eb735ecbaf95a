"""The chat models a workspace uses, and what it may spend on them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.engine.llm.presets import PRESETS, Preset, preset
from vectorless_web.infra.site.local_model import find_local_model
from vectorless_web.infra.web.pages import go_to, is_htmx
from vectorless_web.workspaces import selectors, services
from vectorless_web.workspaces.forms import BudgetForm, ProviderForm
from vectorless_web.workspaces.models import ModelProvider, Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def providers(request: HttpRequest, slug: str) -> HttpResponse:
    """The models in use, and a form for another one, filled in for a known kind of server when one was chosen."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _providers_page(request, workspace, ProviderForm(workspace=workspace, preset=_chosen_preset(request)))


@require_POST
def save_provider(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a model."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _save(request, workspace, ProviderForm(request.POST, workspace=workspace))


@require_GET
def provider(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The form of one model; its key is never shown."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    row = selectors.provider_in(workspace, pk)
    return _providers_page(request, workspace, ProviderForm(instance=row, workspace=workspace), editing=row)


@require_POST
def change_provider(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a model."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    row = selectors.provider_in(workspace, pk)
    return _save(request, workspace, ProviderForm(request.POST, instance=row, workspace=workspace), editing=row)


@require_POST
def remove_provider(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Forget a model and its key."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.remove_provider(actor=request.user, provider=selectors.provider_in(workspace, pk))
    messages.success(request, "The model and its key were removed.")
    return go_to(request, "workspaces:providers", slug=slug)


@require_POST
def test_provider(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have a worker try the model; the row asks again until the result is there."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    row = selectors.provider_in(workspace, pk)
    services.start_test(actor=request.user, provider=row)
    if not is_htmx(request):
        messages.info(request, "The model is being tried. Look again in a moment.")
        return go_to(request, "workspaces:providers", slug=slug)
    return render(request, "workspaces/_provider.html", {"workspace": workspace, "provider": row})


@require_GET
def provider_row(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One model as the list shows it."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    context = {"workspace": workspace, "provider": selectors.provider_in(workspace, pk)}
    return render(request, "workspaces/_provider.html", context)


@require_GET
def budgets(request: HttpRequest, slug: str) -> HttpResponse:
    """What the workspace and its members may spend, and have spent."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _budgets_page(request, workspace, BudgetForm(workspace=workspace))


@require_POST
def save_budget(request: HttpRequest, slug: str) -> HttpResponse:
    """Set a limit, in place of the one there is for the same people."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = BudgetForm(request.POST, workspace=workspace)
    if not form.is_valid():
        return _budgets_page(request, workspace, form, status=422)
    services.set_budget(actor=request.user, budget=form.save(commit=False))
    messages.success(request, "The budget was set.")
    return go_to(request, "workspaces:budgets", slug=slug)


@require_POST
def remove_budget(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Lift a limit."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    services.remove_budget(actor=request.user, budget=selectors.budget_in(workspace, pk))
    messages.success(request, "The budget was lifted.")
    return go_to(request, "workspaces:budgets", slug=slug)


def _save(
    request: HttpRequest, workspace: Workspace, form: ProviderForm, editing: ModelProvider | None = None
) -> HttpResponse:
    if not form.is_valid():
        return _providers_page(request, workspace, form, editing=editing, status=422)
    row = form.save(commit=False)
    services.save_provider(actor=request.user, provider=row, api_key=form.cleaned_data["api_key"])
    messages.success(request, f"{row.name} was saved.")
    return go_to(request, "workspaces:providers", slug=workspace.slug)


def _providers_page(
    request: HttpRequest,
    workspace: Workspace,
    form: ProviderForm,
    *,
    editing: ModelProvider | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "models",
        "providers": selectors.providers_for(workspace),
        "form": form,
        "editing": editing,
        "presets": PRESETS,
        "local": find_local_model(),
        "preset": _chosen_preset(request),
    }
    return render(request, "workspaces/providers.html", context, status=status)


def _chosen_preset(request: HttpRequest) -> Preset | None:
    return preset(request.GET.get("preset", ""))


def _budgets_page(request: HttpRequest, workspace: Workspace, form: BudgetForm, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "budgets",
        "budgets": selectors.budgets_of(workspace),
        "form": form,
    }
    return render(request, "workspaces/budgets.html", context, status=status)
