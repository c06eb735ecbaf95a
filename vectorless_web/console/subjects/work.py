"""Documents, runs, share links, workspaces and models of the whole site, what needs a look first; acts are recorded."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.utils import timezone

from vectorless_web.console.models import DayUsage
from vectorless_web.console.subjects import names
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.services import (
    quarantine_document,
    queue_outdated,
    repair_counts,
    retry_version,
)
from vectorless_web.engine.documents.artefact import ENGINE_VERSION
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import cancel_run, start_replay
from vectorless_web.sharing.models import ShareLink
from vectorless_web.sharing.services import revoke_link
from vectorless_web.workspaces.models import ModelHost, ModelProvider, Role, Visit, Workspace
from vectorless_web.workspaces.selectors import User, visits_in
from vectorless_web.workspaces.services import record

SHOWN = 25
"""Rows of each list of the page."""
PAGE = 50
LATELY = timedelta(days=7)
SLOWEST_OF = 2000
"""Runs, the newest, among which the slowest are looked for."""


def report_work(user: User) -> dict[str, Any]:
    """Open runs, those that failed in the last week, the slowest of the newest; documents that need a look."""
    runs = Run.objects.select_related("workspace", "asked_by")
    newest = Run.objects.order_by("-pk").values_list("pk", flat=True)[SLOWEST_OF : SLOWEST_OF + 1]
    oldest = next(iter(newest), 0)
    timed = runs.filter(pk__gt=oldest, started_at__isnull=False, finished_at__isnull=False)
    failed = DocumentVersion.objects.filter(status=DocumentVersion.Status.FAILED, document__deleted_at=None)
    failed_versions = list(failed.select_related("document__workspace").order_by("-pk")[:SHOWN])
    old = DocumentVersion.objects.filter(status=DocumentVersion.Status.READY, document__deleted_at=None, repair="")
    old_versions = list(old.exclude(engine_version=ENGINE_VERSION).select_related("document__workspace")[:SHOWN])
    quarantined = list(Document.objects.exclude(quarantined_at=None).select_related("workspace")[:PAGE])
    told = [*(row.document_id for row in (*failed_versions, *old_versions)), *(row.pk for row in quarantined)]
    return {
        "open_runs": runs.filter(status__in=Run.OPEN).order_by("pk")[:SHOWN],
        "failed_runs": runs.filter(status=Run.Status.FAILED, created_at__gte=timezone.now() - LATELY)[:SHOWN],
        "slow_runs": timed.order_by((F("finished_at") - F("started_at")).desc())[:5],
        "failed_versions": failed_versions,
        "old_versions": old_versions,
        "quarantined": quarantined,
        "named": names.readable_documents_of(user, told),
        "repairs": repair_counts(),
    }


def stop_run(*, actor: User, pk: int) -> None:
    """Ask an open run to stop; Problem (409) when it has ended."""
    run = one_or_404(Run.objects.select_related("workspace"), "There is no such run.", pk=pk)
    if not cancel_run(user=actor, run=run):
        raise Problem("This run has ended already.", remedy="Load the page again.", code="run_ended", status=409)


def read_again(*, actor: User, pk: int) -> None:
    """Queue a document version to be read again; Problem when that cannot help."""
    version = one_or_404(
        DocumentVersion.objects.select_related("document__workspace"), "There is no such document.", pk=pk
    )
    retry_version(actor=actor, version=version)


def find_document(pk: int) -> Document:
    """A document of any workspace, unless deleted; Http404 when there is none."""
    return one_or_404(
        Document.objects.select_related("workspace"), "There is no document of that number.", pk=pk, deleted_at=None
    )


def quarantine(*, actor: User, number: str, reason: str) -> Document:
    """Keep the document of that number from answering; Problem (422) when there is none."""
    document = (
        Document.objects.select_related("workspace").filter(pk=parse_whole_number(number) or 0, deleted_at=None).first()
    )
    if document is None:
        raise Problem(
            "There is no document of that number.",
            remedy="Take the number from the document's address.",
            code="no_such_document",
        )
    quarantine_document(actor=actor, document=document, reason=reason)
    return document


def replay_run(*, actor: User, pk: int) -> None:
    """Have a finished run replayed from what was kept of it; Problem (409) for one under way."""
    run = one_or_404(Run.objects.select_related("workspace"), "There is no such run.", pk=pk)
    start_replay(user=actor, run=run)


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
    """Revoke a link of any workspace; revoking it twice changes nothing."""
    link = one_or_404(ShareLink.objects.select_related("run__workspace"), "There is no such link.", pk=pk)
    revoke_link(user=actor, link=link)


@dataclass(frozen=True)
class Place:
    """One workspace as an administrator sees it: its size, its owners, and who has it open."""

    workspace: Workspace
    members: int
    documents: int
    stored_bytes: int
    owners: list[str]
    visits: list[Visit]
    purged_at: datetime | None
    """When it is removed for good; None for one that is not in the bin."""


def find_workspace(pk: int) -> Place:
    """One workspace, also one in the bin; Http404 when there is none."""
    workspace = one_or_404(_measure_workspaces(), "There is no such workspace.", pk=pk)
    owners = workspace.memberships.filter(role=Role.OWNER).select_related("user")
    gone = workspace.deleted_at
    return Place(
        workspace=workspace,
        members=workspace.member_count or 0,
        documents=workspace.document_count or 0,
        stored_bytes=workspace.stored_bytes or 0,
        owners=[membership.user.get_username() for membership in owners[:SHOWN]],
        visits=list(visits_in(workspace)),
        purged_at=gone + timedelta(days=Workspace.BIN_DAYS) if gone else None,
    )


def list_workspaces(number: str) -> Page[Workspace]:
    """A page of workspaces with `member_count`, `document_count`, `stored_bytes` and `last_asked`; the bin's last."""
    rows = _measure_workspaces().order_by(F("deleted_at").asc(nulls_first=True), "name", "pk")
    return Paginator(rows, PAGE).get_page(number)


def _measure_workspaces() -> QuerySet[Any]:
    versions = DocumentVersion.objects.filter(document__workspace=OuterRef("pk")).order_by()
    documents = versions.values("document__workspace")
    newest = Run.objects.filter(workspace=OuterRef("pk")).order_by("-pk").values("created_at")[:1]
    members = Workspace.objects.filter(pk=OuterRef("pk")).order_by().values("pk")
    return Workspace.objects.annotate(
        member_count=_first(members.annotate(n=Count("memberships")), "n"),
        document_count=_first(documents.annotate(n=Count("document", distinct=True)), "n"),
        stored_bytes=_first(documents.annotate(n=Sum(F("bytes") + F("artefact_bytes"))), "n"),
        last_asked=Subquery(newest),
    )


def _first(rows: QuerySet[Any], name: str) -> Subquery:
    return Subquery(rows.values(name), output_field=IntegerField())


USED_WITHIN = timedelta(days=30)


@dataclass(frozen=True)
class UsedModel:
    """A provider with who used a model of its name within USED_WITHIN: workspaces with their questions, most first."""

    provider: ModelProvider
    used_by: list[tuple[str, int]]
    is_allowed: bool
    """Whether its host is among those that administrators allow."""


def list_models() -> list[UsedModel]:
    """Every provider, those of the whole site first, with `workspace`."""
    rows = ModelProvider.objects.select_related("workspace")
    found = list(rows.order_by(F("workspace__name").asc(nulls_first=True), "name"))
    since = timezone.now().date() - USED_WITHIN
    used = DayUsage.objects.filter(day__gte=since, model__in={row.model for row in found}).order_by()
    sums = used.values_list("model", "workspace_key").annotate(n=Sum("runs"))
    places = dict(Workspace.objects.values_list("pk", "name"))
    by_model: dict[str, list[tuple[int, int]]] = {}
    for model, place, count in sums:
        by_model.setdefault(model, []).append((place, count))
    hosts = set(ModelHost.objects.values_list("host", flat=True))
    return [
        UsedModel(row, _name_users(row, by_model, places), not hosts or urlsplit(row.base_url).hostname in hosts)
        for row in found
    ]


def _name_users(
    row: ModelProvider, by_model: dict[str, list[tuple[int, int]]], places: dict[int, str]
) -> list[tuple[str, int]]:
    """Who used a model of the row's name; of a workspace's own row that workspace alone."""
    used = [pair for pair in by_model.get(row.model, []) if row.workspace_id in (None, pair[0])]
    return [(places[pk], count) for pk, count in sorted(used, key=lambda pair: -pair[1]) if pk in places]


def find_provider(pk: int) -> ModelProvider:
    """One provider, of the site or a workspace; Http404 when there is none."""
    return one_or_404(ModelProvider.objects.select_related("workspace"), "There is no such model.", pk=pk)
