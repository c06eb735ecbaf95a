"""What owners are shown of a workspace's sources. A source of a folder that is closed to somebody is not there."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import documents_in, open_to
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.notices.models import Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.sources.models import Source, SourceFile
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, workspaces_of

SHOWN = 200
"""Files on a source's page."""


def sources_of(workspace: Workspace, user: User) -> QuerySet[Source]:
    """The sources that exist for an owner, with how many files failed and are gone."""
    rows = Source.objects.filter(open_to(user), workspace=workspace).select_related("workspace", "folder", "user")
    failed, gone = Q(rows__state=SourceFile.State.FAILED), Q(rows__state=SourceFile.State.GONE)
    return rows.annotate(failed=Count("rows", filter=failed), gone=Count("rows", filter=gone))


def source_in(workspace: Workspace, user: User, pk: int) -> Source:
    """One of them; Http404 for another."""
    return one_or_404(sources_of(workspace, user), "There is no such source here.", pk=pk)


def files_of(source: Source, user: User) -> QuerySet[SourceFile]:
    """The files of a source, each with its document where that exists for the user."""
    open_documents: QuerySet[Document] = documents_in(source.workspace, user)
    return source.rows.prefetch_related(Prefetch("document", queryset=open_documents))


def show_files(source: Source, user: User, state: str = "") -> dict[str, Any]:
    """The files of a source in one state ("" for all), the last that changed first, and how many each state has."""
    counted = dict(source.rows.order_by().values_list("state").annotate(Count("pk")))
    rows = files_of(source, user)
    rows = rows.filter(state=state) if state in SourceFile.State.values else rows
    return {
        "rows": list(rows[:SHOWN]),
        "states": [(each, each.label, counted.get(each, 0)) for each in SourceFile.State if counted.get(each)],
        "state": state,
        "shown": SHOWN,
    }


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of sources tell an owner of their workspace, while the source cannot be read."""
    governed = [workspace.pk for workspace in workspaces_of(user) if workspace.allows(Role.OWNER)]
    rows = Source.objects.filter(open_to(user), pk__in=[row.about for row in notices], workspace__in=governed)
    found = {row.pk: row for row in rows.exclude(error="").select_related("workspace")}
    told = {}
    for notice in notices:
        if row := found.get(notice.about):
            url = reverse("sources:source", args=[row.workspace.slug, row.pk])
            told[notice.pk] = Told(_("A source cannot be read any more"), row.address, url)
    return told
