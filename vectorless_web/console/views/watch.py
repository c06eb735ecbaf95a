"""Pages that show: the overview, the record, and figures for Prometheus."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from vectorless_web.console import selectors
from vectorless_web.console.forms import AuditForm, SearchForm
from vectorless_web.console.models import SavedSearch
from vectorless_web.console.subjects import audit, metrics, stream
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.csv_files import csv_line
from vectorless_web.infra.web.health import pending_migrations
from vectorless_web.infra.web.pages import go_saying, go_to
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.services import verify_record

VERIFIED = 20_000
"""Events, the newest, that the page's check follows: a million take longer than a page may."""
FORMS = {
    "csv": ("text/csv", audit.write_csv_row, csv_line(audit.FIELDS)),
    "jsonl": ("application/x-ndjson", audit.write_json_line, ""),
}


@login_not_required
@require_GET
def tell_metrics(request: HttpRequest) -> HttpResponse:
    """The site's figures as Prometheus reads them. A request needs VECTORLESS_METRICS_TOKEN as its bearer token."""
    if not settings.METRICS_TOKEN:
        return HttpResponseNotFound("VECTORLESS_METRICS_TOKEN is not set.\n", content_type="text/plain")
    sent = request.headers.get("Authorization", "")
    if not secrets.compare_digest(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        refusal = "Send the value of VECTORLESS_METRICS_TOKEN as a bearer token.\n"
        return HttpResponse(refusal, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(generate_latest(metrics.registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@staff_page()
def overview(request: HttpRequest) -> HttpResponse:
    """How the site is."""
    parts = selectors.check_parts()
    context = {
        "parts": parts,
        **selectors.summarise_parts(parts),
        "providers": selectors.list_providers(),
        "failures": selectors.count_failures(),
        "stored": selectors.sum_stored_bytes(),
        "backup": selectors.last_event("backup.made"),
        "verified": selectors.last_event("backup.verified"),
        "pending": pending_migrations(),
        "versions": selectors.versions_in_use(),
    }
    return show_page(request, "overview", context)


@staff_page("workspaces.view_auditevent")
def record(request: HttpRequest) -> HttpResponse:
    """Who did what to what, when, and from where."""
    form = AuditForm(request.GET)
    query = form.query()
    page = audit.page_of_events(query, reader=request.user, before=form.number("before"), after=form.number("after"))
    context: dict[str, Any] = {"page": page, "query": query, "form": form, "verbs": audit.list_verbs()}
    context["stream"] = stream.describe_stream()
    context["filters"] = [(name, request.GET[name]) for name in form.fields if request.GET.get(name)]
    context["searches"] = list(SavedSearch.objects.filter(owner=request.user.pk))
    context["workspaces"] = Workspace.objects.order_by("name").values_list("slug", "name")[:200]
    if request.GET.get("verify"):
        context["check"] = verify_record(newest=VERIFIED)
    return show_page(request, "audit", context)


@staff_act("workspaces.view_auditevent")
def save_search(request: HttpRequest) -> HttpResponse:
    """Keep the page's filters under a name."""
    form = SearchForm(request.POST)
    if not form.is_valid():
        raise Problem("The name of a search has 1 to 120 characters.", remedy="Give it another.", code="invalid_name")
    saved = audit.save_search(actor=request.user, name=form.cleaned_data["name"], filters=form.query())
    return go_saying(request, f"“{saved.name}” is kept.", f"{reverse('console:audit')}?{urlencode(saved.filters)}")


@staff_act("workspaces.view_auditevent")
def remove_search(request: HttpRequest, pk: int) -> HttpResponse:
    """Forget a search that was kept."""
    audit.remove_search(actor=request.user, pk=pk)
    return go_to(request, "console:audit")


@staff_page("workspaces.view_auditevent")
def export(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """The events that the page's filters name, as a file, streamed."""
    query = AuditForm(request.GET).query()
    audit.note_export(actor=request.user, kind=form, filters=query)
    media_type, write, head = FORMS[form]
    response = StreamingHttpResponse(
        audit.stream_events(query, request.user, write, head), content_type=f"{media_type}; charset=utf-8"
    )
    name = f"audit-{timezone.now():%Y-%m-%d}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
