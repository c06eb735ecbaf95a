"""Reads about documents. Whatever a URL or a socket names is reached through the asking user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.http import Http404

from vectorless_web.documents.models import Document, DocumentVersion, Folder, Section
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, role_in, workspace_for

PAGE_SIZE = 50
SORTS = {
    "newest": ("-pk",),
    "oldest": ("pk",),
    "title": ("title", "pk"),
    "-title": ("-title", "-pk"),
    "pages": ("current_version__pages", "pk"),
    "-pages": ("-current_version__pages", "-pk"),
}
STATUSES = {
    "ready": Q(latest_status=DocumentVersion.Status.READY),
    "busy": Q(latest_status__in=DocumentVersion.BUSY),
    "failed": Q(latest_status=DocumentVersion.Status.FAILED),
}


@dataclass(frozen=True)
class ListQuery:
    """What the list of documents is asked for; unknown values fall back to the first choice."""

    search: str = ""
    status: str = ""
    folder: int | None = None
    sort: str = "newest"
    page: int = 1


@dataclass(frozen=True)
class Totals:
    """Documents and pages of a workspace."""

    documents: int
    pages: int


def documents_in(workspace: Workspace, user: User) -> QuerySet[Document]:
    """The documents that are not deleted; none for somebody who is not a member."""
    if not (workspace.role or role_in(workspace, user)):
        return Document.objects.none()
    return Document.objects.filter(workspace=workspace, deleted_at=None).select_related("workspace")


def readable_documents(workspace: Workspace, user: User, ids: Iterable[int] | None = None) -> QuerySet[Document]:
    """The documents a question may read: in the workspace, not deleted, with a ready version. `ids` narrows them."""
    rows = documents_in(workspace, user).filter(current_version__status=DocumentVersion.Status.READY)
    if ids is not None:
        rows = rows.filter(pk__in=list(ids))
    return rows.select_related("workspace", "current_version", "current_version__card").order_by("pk")


def document_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER, *, deleted: bool = False) -> Document:
    """One document of a workspace the user belongs to; Http404 for a stranger, PermissionDenied below `needs`.

    `deleted` fetches from among the deleted documents instead.
    """
    workspace = workspace_for(user, slug, needs)
    rows = Document.objects.filter(workspace=workspace, deleted_at__isnull=not deleted, pk=pk)
    document = _with_versions(rows.select_related("current_version", "folder", "added_by")).first()
    if document is None:
        raise Http404("There is no such document here.")
    document.workspace = workspace
    return document


def version_for(document: Document, number: int) -> DocumentVersion:
    """One version of a document; Http404 when there is none of that number."""
    version = document.versions.filter(number=number).first()
    if version is None:
        raise Http404("This document has no such version.")
    version.document = document
    return version


def listed_documents(workspace: Workspace, user: User, query: ListQuery) -> Page[Document]:
    """One page of the list, each document with `latest` ready to show; a page beyond the end is the last one."""
    rows = _filtered(documents_in(workspace, user), query)
    rows = rows.order_by(*SORTS.get(query.sort, SORTS["newest"]))
    page = Paginator(_for_rows(rows), PAGE_SIZE).get_page(query.page)
    page.object_list = list(page.object_list)
    return page


def rows_for(workspace: Workspace, user: User, ids: Iterable[int]) -> list[Document]:
    """Those documents, not deleted, as the list shows them."""
    return list(_for_rows(documents_in(workspace, user).filter(pk__in=list(ids))))


def busy_ids(workspace: Workspace, user: User) -> list[int]:
    """Documents with a version that is waiting or being read."""
    rows = documents_in(workspace, user).filter(versions__status__in=DocumentVersion.BUSY)
    return list(rows.values_list("pk", flat=True).distinct())


def totals_of(workspace: Workspace, user: User) -> Totals:
    """How many documents there are and how many pages the current versions have."""
    found = documents_in(workspace, user).aggregate(documents=Count("pk"), pages=Sum("current_version__pages"))
    return Totals(documents=found["documents"], pages=found["pages"] or 0)


def folders_of(workspace: Workspace) -> list[Folder]:
    """The folders with how many documents each holds, as `count`."""
    visible = Count("documents", filter=Q(documents__deleted_at=None))
    return list(workspace.folders.annotate(count=visible))


def latest_version(document: Document) -> DocumentVersion | None:
    """The newest version, ready or not; uses versions that were fetched along."""
    return next(iter(document.versions.all()), None)


def same_content(workspace: Workspace, sha256: str, size: int) -> DocumentVersion | None:
    """A version with the same bytes in a document that is not deleted, failed ones left aside."""
    rows = DocumentVersion.objects.filter(
        document__workspace=workspace, document__deleted_at=None, sha256=sha256, bytes=size
    ).exclude(status=DocumentVersion.Status.FAILED)
    return rows.select_related("document", "document__added_by").order_by("pk").first()


def outline_of(version: DocumentVersion, search: str = "") -> Sequence[Section]:
    """The headings in reading order; with `search`, those whose title holds every word, and their ancestors."""
    rows = list(version.sections.order_by("position"))
    words = search.casefold().split()
    if not words:
        return rows
    by_key = {row.key: row for row in rows}
    kept: set[int] = set()
    for row in rows:
        if all(word in row.title.casefold() for word in words):
            kept |= _with_ancestors(row, by_key)
    return [row for row in rows if row.key in kept]


def section_at(version: DocumentVersion, page_index: int) -> list[Section]:
    """The path of headings, outermost first, that a page stands under."""
    rows = version.sections.filter(page_start__lte=page_index, page_end__gte=page_index).order_by("-position")
    last = rows.filter(page_start__lt=page_index).first() or rows.last()
    if last is None:
        return []
    path = version.sections.filter(position__lte=last.position, subtree_end__gt=last.key)
    return list(path.order_by("position"))


def _with_ancestors(section: Section, by_key: dict[int, Section]) -> set[int]:
    keys = {section.key}
    while (parent := by_key.get(section.parent_key)) is not None:
        keys.add(parent.key)
        section = parent
    return keys


def _filtered(rows: QuerySet[Document], query: ListQuery) -> QuerySet[Document]:
    for word in query.search.split():
        rows = rows.filter(Q(title__icontains=word) | Q(name__icontains=word))
    if query.folder is not None:
        rows = rows.filter(folder_id=query.folder)
    if query.status in STATUSES:
        latest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-number")
        rows = rows.annotate(latest_status=Subquery(latest.values("status")[:1])).filter(STATUSES[query.status])
    return rows


def _for_rows(rows: QuerySet[Document]) -> QuerySet[Document]:
    return _with_versions(rows.select_related("workspace", "current_version", "folder", "added_by"))


def _with_versions(rows: QuerySet[Document]) -> QuerySet[Document]:
    newest = DocumentVersion.objects.order_by("-number")
    return rows.prefetch_related(Prefetch("versions", queryset=newest))
