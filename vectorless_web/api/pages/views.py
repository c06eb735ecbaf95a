"""Pages of tokens, service accounts and webhooks: lists, single ones, and the acts of people and owners."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.api import services
from vectorless_web.api.models import ApiToken, Webhook
from vectorless_web.api.pages.forms import AccountForm, ServiceTokenForm, TokenForm, WebhookForm
from vectorless_web.api.services import open_tokens
from vectorless_web.api.webhooks import services as hooks
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import selectors
from vectorless_web.workspaces.models import Role, ServiceAccount, Workspace
from vectorless_web.workspaces.services import add_service_account, remove_service_account

TOKENS_SHOWN = 50
"""Tokens on an administrator's page."""
Made = tuple[ApiToken, str]
"""A token that was made just now, with its text."""


@require_GET
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own open tokens, and a form for another."""
    return _show_tokens(request, TokenForm(user=request.user))


@require_POST
@never_cache
def make(request: HttpRequest) -> HttpResponse:
    """Make a token; its text is on the page that comes back, and never again."""
    form = TokenForm(request.POST, user=request.user)
    made = _carry_out(form, services.make_token, user=request.user)
    return _show_tokens(request, TokenForm(user=request.user) if made else form, made)


@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Close one of one's own tokens for good."""
    found = open_tokens(request.user).filter(pk=pk).first()
    if found is None:  # Perhaps of a page that was left open.
        messages.info(request, _("You have no such token."))
    else:
        _revoke(request, found)
    return redirect("api:tokens")


@staff_page("api.view_apitoken")
def live_tokens(request: HttpRequest) -> HttpResponse:
    """Every token that lets somebody in, of people and of programs, for the site's administrators."""
    tokens = Paginator(services.live_tokens(), TOKENS_SHOWN).get_page(request.GET.get("page"))
    return show_page(request, "api:live_tokens", {"tokens": tokens}, template="api/live_tokens.html")


@staff_act("api.change_apitoken")
def close_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Close anybody's token for good, as when it was found where it should not be."""
    _revoke(request, one_or_404(services.live_tokens(), "There is no such token.", pk=pk))
    return redirect("api:live_tokens")


@require_GET
def accounts(request: HttpRequest, slug: str) -> HttpResponse:
    """The programs that belong to a workspace, and a form for another."""
    return _list_accounts(request, _govern(request, slug), AccountForm())


@require_POST
def add_account(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a service account."""
    workspace, form = _govern(request, slug), AccountForm(request.POST)
    row = _carry_out(form, add_service_account, actor=request.user, workspace=workspace)
    if row is None:
        return _list_accounts(request, workspace, form)
    return redirect("api:service_account", slug=slug, pk=row.pk)


@require_GET
def account(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One service account with its tokens."""
    return _show_account(request, selectors.service_account_in(_govern(request, slug), pk), ServiceTokenForm())


@require_POST
@never_cache
def make_account_token(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a token; its text is on the page that comes back, and never again."""
    row, form = selectors.service_account_in(_govern(request, slug), pk), ServiceTokenForm(request.POST)
    made = _carry_out(form, services.make_token, user=request.user, account=row)
    return _show_account(request, row, ServiceTokenForm() if made else form, made)


@require_POST
def revoke_account_token(request: HttpRequest, slug: str, pk: int, token: int) -> HttpResponse:
    """Close a token for good."""
    row = selectors.service_account_in(_govern(request, slug), pk)
    _revoke(request, one_or_404(open_tokens(row.user), "There is no such token.", pk=token))
    return redirect("api:service_account", slug=slug, pk=pk)


@require_POST
def remove_account(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End a service account with its tokens."""
    remove_service_account(actor=request.user, account=selectors.service_account_in(_govern(request, slug), pk))
    messages.info(request, _("The service account was removed. What it added and asked stays."))
    return redirect("api:service_accounts", slug=slug)


@require_GET
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks of a workspace, and a form for another."""
    return _list_webhooks(request, _govern(request, slug), WebhookForm())


@require_POST
@never_cache
def add_webhook(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a webhook; its secret is on the page that comes back, and never again."""
    workspace, form = _govern(request, slug), WebhookForm(request.POST)
    made = _carry_out(form, hooks.add_webhook, "address", actor=request.user, workspace=workspace)
    return _list_webhooks(request, workspace, form) if made is None else _show_webhook(request, *made)


@require_GET
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One webhook with its latest deliveries."""
    return _show_webhook(request, _find(request, slug, pk))


@require_POST
@never_cache
def rotate_webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a new secret, shown on the page that comes back."""
    row = _find(request, slug, pk)
    return _show_webhook(request, row, hooks.rotate_secret(actor=request.user, webhook=row))


@require_POST
def switch_webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Switch a webhook on or off."""
    hooks.switch_webhook(actor=request.user, webhook=_find(request, slug, pk), on=request.POST.get("on") == "yes")
    return redirect("api:webhook", slug=slug, pk=pk)


@require_POST
def remove_webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a webhook."""
    row = _find(request, slug, pk)
    hooks.remove_webhook(actor=request.user, webhook=row)
    messages.info(request, _("Nothing is sent to %(address)s any more.") % {"address": row.address})
    return redirect("api:webhooks", slug=slug)


@require_POST
def redeliver(request: HttpRequest, slug: str, pk: int, delivery: int) -> HttpResponse:
    """Send one event again."""
    found = hooks.delivery_of(_find(request, slug, pk), delivery)
    hooks.redeliver(actor=request.user, delivery=found)
    messages.info(request, _("It is sent again."))
    return redirect("api:webhook", slug=slug, pk=pk)


def _carry_out(form: Form, act: Callable[..., Any], field: str | None = None, **known: Any) -> Any:
    """What a service makes of what was typed; None where it cannot be used, with the reason in the form, at `field`."""
    if not form.is_valid():
        return None
    try:
        return act(**known, **form.cleaned_data)
    except Problem as problem:
        form.add_error(field, problem.message)
        return None


def _revoke(request: HttpRequest, token: ApiToken) -> None:
    services.revoke_token(user=request.user, token=token)
    messages.info(request, _("“%(name)s” lets nobody in any more.") % {"name": token.name})


def _govern(request: HttpRequest, slug: str) -> Workspace:
    return selectors.workspace_for(request.user, slug, Role.OWNER)


def _find(request: HttpRequest, slug: str, pk: int) -> Webhook:
    return hooks.webhook_in(_govern(request, slug), pk)


def _show_tokens(request: HttpRequest, form: Form, made: Made | None = None) -> HttpResponse:
    rows: QuerySet[ApiToken] = open_tokens(request.user).prefetch_related("workspaces")
    context = {"form": form, "made": made and made[1], "tokens": rows, "tab": "tokens"}
    return render(request, "api/tokens.html", context, status=422 if form.errors else 200)


def _list_accounts(request: HttpRequest, workspace: Workspace, form: Form) -> HttpResponse:
    rows = selectors.service_accounts_of(workspace)
    return _show(request, workspace, "programs", "service_accounts", form=form, accounts=rows)


def _show_account(request: HttpRequest, row: ServiceAccount, form: Form, made: Made | None = None) -> HttpResponse:
    shown = {"account": row, "form": form, "made": made and made[1], "tokens": open_tokens(row.user)}
    return _show(request, row.workspace, "programs", "service_account", **shown)


def _list_webhooks(request: HttpRequest, workspace: Workspace, form: Form) -> HttpResponse:
    return _show(request, workspace, "webhooks", "webhooks", form=form, webhooks=hooks.webhooks_of(workspace))


def _show_webhook(request: HttpRequest, row: Webhook, secret: str = "") -> HttpResponse:
    workspace = _govern(request, row.workspace.slug)
    shown = {"webhook": row, "secret": secret, "deliveries": row.deliveries.all()[: hooks.SHOWN]}
    return _show(request, workspace, "webhooks", "webhook", **shown)


def _show(request: HttpRequest, workspace: Workspace, tab: str, template: str, **shown: Any) -> HttpResponse:
    context = {**selectors.workspace_context(request.user, workspace, "settings"), "tab": tab, **shown}
    is_refused = "form" in shown and bool(shown["form"].errors)
    return render(request, f"api/{template}.html", context, status=422 if is_refused else 200)
