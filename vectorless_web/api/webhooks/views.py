"""Webhooks under a workspace's settings: the list, one with its log of deliveries, and the acts of its owners."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.api.models import Webhook
from vectorless_web.api.webhooks import services
from vectorless_web.api.webhooks.forms import WebhookForm
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_context, workspace_for


@require_GET
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The webhooks of a workspace, and a form for another."""
    return _list(request, workspace_for(request.user, slug, Role.OWNER), WebhookForm())


@require_POST
@never_cache
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a webhook; its secret is on the page that comes back, and never again."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _list(request, workspace, form, status=422)
    try:
        row, secret = services.add_webhook(actor=request.user, workspace=workspace, **form.cleaned_data)
    except Problem as problem:
        form.add_error("address", problem.message)
        return _list(request, workspace, form, status=problem.status)
    return _show(request, workspace, row, secret=secret)


@require_GET
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One webhook with its latest deliveries."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    return _show(request, workspace, services.webhook_in(workspace, pk))


@require_POST
@never_cache
def rotate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a new secret, shown on the page that comes back."""
    workspace = workspace_for(request.user, slug, Role.OWNER)
    row = services.webhook_in(workspace, pk)
    return _show(request, workspace, row, secret=services.rotate_secret(actor=request.user, webhook=row))


@require_POST
def switch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Switch a webhook on or off."""
    row = services.webhook_in(workspace_for(request.user, slug, Role.OWNER), pk)
    services.switch_webhook(actor=request.user, webhook=row, on=request.POST.get("on") == "yes")
    return redirect("api:webhook", slug=slug, pk=pk)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a webhook."""
    row = services.webhook_in(workspace_for(request.user, slug, Role.OWNER), pk)
    services.remove_webhook(actor=request.user, webhook=row)
    messages.info(request, _("Nothing is sent to %(address)s any more.") % {"address": row.address})
    return redirect("api:webhooks", slug=slug)


@require_POST
def redeliver(request: HttpRequest, slug: str, pk: int, delivery: int) -> HttpResponse:
    """Send one event again."""
    row = services.webhook_in(workspace_for(request.user, slug, Role.OWNER), pk)
    services.redeliver(actor=request.user, delivery=services.delivery_of(row, delivery))
    messages.info(request, _("It is sent again."))
    return redirect("api:webhook", slug=slug, pk=pk)


def _list(request: HttpRequest, workspace: Workspace, form: WebhookForm, *, status: int = 200) -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "webhooks",
        "form": form,
        "webhooks": services.webhooks_of(workspace),
    }
    return render(request, "api/webhooks.html", context, status=status)


def _show(request: HttpRequest, workspace: Workspace, row: Webhook, *, secret: str = "") -> HttpResponse:
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "webhooks",
        "webhook": row,
        "secret": secret,
        "deliveries": row.deliveries.all()[: services.SHOWN],
    }
    return render(request, "api/webhook.html", context)
