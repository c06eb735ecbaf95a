"""Service accounts under a workspace's settings: the list, one with its tokens, and the acts of owners."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.api import services
from vectorless_web.api.forms import AccountForm, ServiceTokenForm
from vectorless_web.api.models import ApiToken
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, ServiceAccount, Workspace
from vectorless_web.workspaces.selectors import (
    service_account_in,
    service_accounts_of,
    workspace_context,
    workspace_for,
)
from vectorless_web.workspaces.services import add_service_account, remove_service_account


@require_GET
def accounts(request: HttpRequest, slug: str) -> HttpResponse:
    """The programs that belong to a workspace, and a form for another."""
    return _list(request, workspace_for(request.user, slug, Role.OWNER), AccountForm())


@require_POST
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a service account."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _list(request, workspace, form, status=422)
    try:
        row = add_service_account(actor=request.user, workspace=workspace, **form.cleaned_data)
    except Problem as problem:
        form.add_error(None, problem.message)
        return _list(request, workspace, form, status=problem.status)
    return redirect("api:service_account", slug=slug, pk=row.pk)


@require_GET
def account(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One service account with its tokens."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _show(request, workspace, service_account_in(workspace, pk), ServiceTokenForm())


@require_POST
@never_cache
def make(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a token; its text is on the page that comes back, and never again."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    row, form = service_account_in(workspace, pk), ServiceTokenForm(request.POST)
    if not form.is_valid():
        return _show(request, workspace, row, form, status=422)
    chosen = form.cleaned_data
    try:
        _token, text = services.make_token(
            user=request.user, account=row, name=chosen["name"], scope=chosen["scope"], days=chosen["days"] or None
        )
    except Problem as problem:
        form.add_error(None, problem.message)
        return _show(request, workspace, row, form, status=problem.status)
    return _show(request, workspace, row, ServiceTokenForm(), made=text)


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int, token: int) -> HttpResponse:
    """Close a token for good."""
    row = service_account_in(workspace_for(request.user, slug, Role.OWNER), pk)
    found = ApiToken.objects.filter(user=row.user_id, pk=token).first()
    if found is None:
        raise Http404("There is no such token.")
    services.revoke_token(user=request.user, token=found, account=row)
    messages.info(request, _("“%(name)s” lets nobody in any more.") % {"name": found.name})
    return redirect("api:service_account", slug=slug, pk=pk)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End a service account with its tokens."""
    row = service_account_in(workspace_for(request.user, slug, Role.OWNER), pk)
    remove_service_account(actor=request.user, account=row)
    messages.info(request, _("The service account was removed. What it added and asked stays."))
    return redirect("api:service_accounts", slug=slug)


def _list(request: HttpRequest, workspace: Workspace, form: AccountForm, *, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "programs",
        "form": form,
        "accounts": service_accounts_of(workspace),
    }
    return render(request, "api/service_accounts.html", context, status=status)


def _show(
    request: HttpRequest,
    workspace: Workspace,
    row: ServiceAccount,
    form: ServiceTokenForm,
    *,
    made: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "programs",
        "account": row,
        "form": form,
        "made": made,
        "tokens": ApiToken.objects.filter(user=row.user_id, revoked_at=None),
    }
    return render(request, "api/service_account.html", context, status=status)
