"""What owners are shown of a workspace's sources. A source of a folder that is closed to somebody is not there."""

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import Http404

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import documents_in, open_to
from vectorless_web.sources.models import Source, SourceFile
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User

SHOWN = 200
"""Files on a source's page."""


def sources_of(workspace: Workspace, user: User) -> QuerySet[Source]:
    """The sources that exist for an owner, with how many files failed and are gone."""
    rows = Source.objects.filter(open_to(user), workspace=workspace).select_related("workspace", "folder", "user")
    failed, gone = Q(rows__state=SourceFile.State.FAILED), Q(rows__state=SourceFile.State.GONE)
    return rows.annotate(failed=Count("rows", filter=failed), gone=Count("rows", filter=gone))


def source_in(workspace: Workspace, user: User, pk: int) -> Source:
    """One of them; Http404 for another."""
    found = sources_of(workspace, user).filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such source here.")
    return found


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
