"""Documents, runs, share links, workspaces and models of the whole site, what needs a look first; acts are recorded."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.http import Http404
from django.utils import timezone

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services import RepairCounts, queue_outdated, repair_counts, retry_version
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import cancel_run
from vectorless_web.sharing.models import ShareLink
from vectorless_web.sharing.services import revoke_link
from vectorless_web.workspaces.models import ModelProvider, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

SHOWN = 25
"""Rows of each list of the page."""
PAGE = 50
LATELY = timedelta(days=7)
SLOWEST_OF = 2000
"""Runs, the newest, among which the slowest are looked for."""


@dataclass(frozen=True)
class WorkReport:
    """What of documents and runs needs a look."""

    open_runs: list[Run]
    failed_runs: list[Run]
    slow_runs: list[Run]
    failed_versions: list[DocumentVersion]
    repairs: RepairCounts


def report_work() -> WorkReport:
    """Open runs, those that failed in the last week, the slowest of the newest; failed and outdated documents."""
    runs = Run.objects.select_related("workspace", "asked_by")
    newest = Run.objects.order_by("-pk").values_list("pk", flat=True)[SLOWEST_OF : SLOWEST_OF + 1]
    oldest = next(iter(newest), 0)
    timed = runs.filter(pk__gt=oldest, started_at__isnull=False, finished_at__isnull=False)
    failed = DocumentVersion.objects.filter(status=DocumentVersion.Status.FAILED, document__deleted_at=None)
    return WorkReport(
        open_runs=list(runs.filter(status__in=Run.OPEN).order_by("pk")[:SHOWN]),
        failed_runs=list(runs.filter(status=Run.Status.FAILED, created_at__gte=timezone.now() - LATELY)[:SHOWN]),
        slow_runs=list(timed.order_by((F("finished_at") - F("started_at")).desc())[:5]),
        failed_versions=list(failed.select_related("document__workspace").order_by("-pk")[:SHOWN]),
        repairs=repair_counts(),
    )


def stop_run(*, actor: User, pk: int) -> None:
    """Ask an open run to stop; Problem (409) when it has ended."""
    run = Run.objects.select_related("workspace").filter(pk=pk).first()
    if run is None:
        raise Http404("There is no such run.")
    if not cancel_run(user=actor, run=run):
        raise Problem("This run has ended already.", code="run_ended", status=409)


def read_again(*, actor: User, pk: int) -> None:
    """Queue a document version to be read again; Problem when that cannot help."""
    version = DocumentVersion.objects.select_related("document__workspace").filter(pk=pk).first()
    if version is None:
        raise Http404("There is no such document.")
    retry_version(actor=actor, version=version)


@transaction.atomic
def recompile_outdated(*, actor: User) -> int:
    """Queue every document that another compiler made; how many. They stay readable meanwhile."""
    queued = queue_outdated()
    record(actor=actor, verb="documents.recompiled", details={"versions": queued})
    return queued


def live_links(number: str) -> Page[ShareLink]:
    """A page of the links that still show their run, newest first, with what they are of."""
    rows: QuerySet[Any] = ShareLink.objects.filter(revoked_at=None, expires_at__gt=timezone.now())
    named = rows.select_related("run__workspace", "created_by").annotate(view_count=Count("views"))
    return Paginator(named.order_by("-pk"), PAGE).get_page(number)


def close_link(*, actor: User, pk: int) -> None:
    """Revoke a link of whatever workspace; closing it twice changes nothing."""
    link = ShareLink.objects.select_related("run__workspace").filter(pk=pk).first()
    if link is None:
        raise Http404("There is no such link.")
    revoke_link(user=actor, link=link)


def list_workspaces(number: str) -> Page[Workspace]:
    """A page of workspaces with `member_count`, `document_count`, `stored_bytes` and `last_asked`."""
    versions = DocumentVersion.objects.filter(document__workspace=OuterRef("pk")).order_by()
    documents = versions.values("document__workspace")
    newest = Run.objects.filter(workspace=OuterRef("pk")).order_by("-pk").values("created_at")[:1]
    members = Workspace.objects.filter(pk=OuterRef("pk")).order_by().values("pk")
    rows: QuerySet[Any] = Workspace.objects.annotate(
        member_count=_first(members.annotate(n=Count("memberships")), "n"),
        document_count=_first(documents.annotate(n=Count("document", distinct=True)), "n"),
        stored_bytes=_first(documents.annotate(n=Sum(F("bytes") + F("artefact_bytes"))), "n"),
        last_asked=Subquery(newest),
    )
    return Paginator(rows.order_by("name", "pk"), PAGE).get_page(number)


def _first(rows: QuerySet[Any], name: str) -> Subquery:
    return Subquery(rows.values(name), output_field=IntegerField())


def list_models() -> list[ModelProvider]:
    """Every provider, those of the whole site first, with `workspace`."""
    rows = ModelProvider.objects.select_related("workspace")
    return list(rows.order_by(F("workspace__name").asc(nulls_first=True), "name"))
