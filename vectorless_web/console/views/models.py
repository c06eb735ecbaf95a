"""Models of the whole site: adding, changing, trying and removing them, and the hosts at which any may be asked."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from vectorless_web.console.subjects import work
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.pages import go_saying, go_to, offer_undo
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import services
from vectorless_web.workspaces.forms import ProviderForm
from vectorless_web.workspaces.models import ModelHost, ModelProvider
from vectorless_web.workspaces.selectors import removed_provider

SEE, CHANGE = "workspaces.view_modelprovider", "workspaces.change_modelprovider"


@staff_page(SEE)
def show(request: HttpRequest) -> HttpResponse:
    """Every provider with what its test found and who uses it."""
    return _page(request, ProviderForm(workspace=None))


@staff_page(CHANGE)
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """The form of a provider of the whole site; its key is never shown."""
    row = _of_site(pk)
    return _page(request, ProviderForm(instance=row, workspace=None), editing=row)


@staff_act(CHANGE)
def add(request: HttpRequest) -> HttpResponse:
    """Add a provider of the whole site."""
    return _save(request, ProviderForm(request.POST, workspace=None))


@staff_act(CHANGE)
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a provider of the whole site, or switch it off."""
    return _save(request, ProviderForm(request.POST, instance=_of_site(pk), workspace=None), editing=_of_site(pk))


@staff_act(CHANGE)
def test(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a worker try a provider, also one of a workspace."""
    services.start_test(actor=request.user, provider=work.find_provider(pk))
    messages.info(request, "The model is being tried. Look again in a moment.")
    return go_to(request, "console:models")


@staff_act(CHANGE)
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a provider of the whole site out of use, to be forgotten with its key."""
    row = _of_site(pk)
    services.remove_provider(actor=request.user, provider=row)
    undo = reverse("console:restore_model", args=[pk])
    offer_undo(request, f"{row.name} was removed. Its key is forgotten in an hour.", undo)
    return go_to(request, "console:models")


@staff_act(CHANGE)
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Undo the removal of a provider of the whole site."""
    row = removed_provider(None, pk)
    services.restore_provider(actor=request.user, provider=row)
    return go_saying(request, f"{row.name} is back.", "console:models")


@staff_act(CHANGE)
def allow_host(request: HttpRequest) -> HttpResponse:
    """Add a host to those at which models may be asked."""
    try:
        row = services.allow_host(actor=request.user, host=request.POST.get("host", ""))
    except Problem as problem:
        return _page(request, ProviderForm(workspace=None), problem=problem)
    return go_saying(request, f"Models at {row.host} may be asked.", "console:models")


@staff_act(CHANGE)
def forbid_host(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a host from the list."""
    row = one_or_404(ModelHost.objects, "There is no such host.", pk=pk)
    services.forbid_host(actor=request.user, row=row)
    return go_saying(request, f"{row.host} was taken from the list.", "console:models")


def _of_site(pk: int) -> ModelProvider:
    row = work.find_provider(pk)
    if row.workspace_id is not None:
        raise Http404("This model is a workspace's own; its owners change it.")
    return row


def _save(request: HttpRequest, form: ProviderForm, editing: ModelProvider | None = None) -> HttpResponse:
    if not form.is_valid():
        return _page(request, form, editing=editing)
    row = form.save(commit=False)
    services.save_provider(actor=request.user, provider=row, api_key=form.cleaned_data["api_key"])
    return go_saying(request, f"{row.name} was saved.", "console:models")


def _page(
    request: HttpRequest, form: ProviderForm, *, editing: ModelProvider | None = None, problem: Problem | None = None
) -> HttpResponse:
    context = {"models": work.list_models(), "hosts": ModelHost.objects.all(), "form": form, "editing": editing}
    return show_page(request, "models", {**context, "problem": problem})
