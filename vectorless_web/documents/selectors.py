"""Selectors of documents. Whatever a URL or a socket names is looked up with the rights of the asking user."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Max, Min, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from vectorless_web.documents.line import UPLOADS
from vectorless_web.documents.models import (
    Document,
    DocumentVersion,
    Enclosure,
    Folder,
    FolderGrant,
    PartialUpload,
    QueuePlace,
    Section,
)
from vectorless_web.documents.storage.files import open_version
from vectorless_web.documents.storage.snapshots import snapshot_of
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow
from vectorless_web.infra.letters import JSONText
from vectorless_web.infra.limits import LARGEST, parse_whole_number
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.notices.models import Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import User, role_in, workspace_for, workspaces_of

Status = DocumentVersion.Status

PAGE_SIZE = 50
"""Documents on one page of the list."""
SORTS = {
    "-added": ("-pk",),
    "added": ("pk",),
    "title": ("title", "pk"),
    "-title": ("-title", "-pk"),
    "pages": ("current_version__pages", "pk"),
    "-pages": (F("current_version__pages").desc(nulls_last=True), "-pk"),
}
DEFAULT_SORT = "-added"
STATUSES = {
    "ready": Q(latest_status=DocumentVersion.Status.READY),
    "busy": Q(latest_status__in=DocumentVersion.BUSY),
    "failed": Q(latest_status=DocumentVersion.Status.FAILED),
}
DELETED = "deleted"
"""The status under which editors find what was deleted and can still come back."""


@dataclass(frozen=True)
class ListQuery:
    """What the list of documents is asked for; unknown values fall back to the first choice."""

    search: str = ""
    status: str = ""
    folder: int | None = None
    tag: str = ""
    sort: str = DEFAULT_SORT
    page: int = 1


OUTLINE_WHOLE, OUTLINE_ROWS, OUTLINE_ABOVE = 1_500, 500, 20
"""Headings up to which an outline is one list (0.3 MB of page; long filings have 200 to 1,000), those of one part
of a longer one, and the headings above the first that tell where it is."""


@dataclass(frozen=True)
class OutlineWindow:
    """Headings in reading order, and how many there are.

    `first` and `last` count from 1; they are 0 for a whole outline. After a search, `found` headings hold its words.
    """

    rows: Sequence[Section]
    total: int
    first: int = 0
    last: int = 0
    search: str = ""
    found: int = 0

    @property
    def is_part(self) -> bool:
        """Whether there are headings besides those shown."""
        return bool(self.first or self.search)

    @property
    def query(self) -> str:
        """What an address carries besides the page to show the same part again; "" for a whole outline."""
        return f"&headings={self.first}" if self.first else ""

    @property
    def previous(self) -> int:
        """The first heading of the part before; 0 when there is none."""
        return max(1, self.first - OUTLINE_ROWS) if self.first > 1 else 0

    @property
    def following(self) -> int:
        """The first heading of the part behind; 0 when there is none."""
        return self.last + 1 if self.first and self.last < self.total else 0


def closed_folders(account: int | None, workspaces: Iterable[int] | None = None) -> QuerySet[Folder]:
    """The restricted folders whose documents do not exist for an account; for nobody (None) all that are restricted.

    `workspaces` narrows them to those of these workspaces.
    """
    rows = Folder.objects.filter(restricted=True)
    if workspaces is not None:
        rows = rows.filter(workspace__in=list(workspaces))
    if account is None:
        return rows
    named = FolderGrant.objects.filter(Q(user=account) | Q(group__people=account))
    return rows.exclude(pk__in=named.values("folder"))


def open_to(user: User, folder: str = "folder") -> Q:
    """Rows whose folder, in the column of that name, is not closed to this account. The one rule of folder access.

    Every list, count and page of documents comes by here, or by `documents_in`, which does, and `readable_versions`.
    """
    return ~Q(**{f"{folder}__in": closed_folders(user.pk)})


def documents_in(workspace: Workspace, user: User, *, deleted: bool = False) -> QuerySet[Document]:
    """The documents that exist for the user; none for somebody who is no member. `deleted`: those deleted instead."""
    if not (workspace.role or role_in(workspace, user)):
        return Document.objects.none()
    rows = Document.objects.filter(open_to(user), workspace=workspace, deleted_at__isnull=not deleted)
    return rows.select_related("workspace")


def versions_in(workspace: Workspace, user: User) -> QuerySet[DocumentVersion]:
    """The versions of the documents that exist for the user and are not deleted."""
    return DocumentVersion.objects.filter(
        open_to(user, "document__folder"), document__workspace=workspace, document__deleted_at=None
    )


def visible_snapshot(workspace_id: int, hidden: QuerySet[Folder]) -> Snapshot:
    """The workspace's newest snapshot as if the documents of these folders, and those in quarantine, were not there.

    They are taken out of it, not passed over: no count, mean or rarity of a word tells that they are there.
    """
    snapshot = snapshot_of(workspace_id)
    out = Q(folder__in=hidden) | Q(quarantined_at__isnull=False)
    closed = Document.objects.filter(out, workspace=workspace_id).values_list("pk", flat=True)
    gone = [DeltaRow(pk, Change.REMOVE) for pk in closed]
    return snapshot.with_changes(gone) if gone else snapshot


def readable_documents(workspace: Workspace, user: User, ids: Iterable[int] | None = None) -> QuerySet[Document]:
    """The documents a question may read: not deleted, not in quarantine, with a ready version. `ids` narrows them."""
    rows = documents_in(workspace, user).filter(
        current_version__status=DocumentVersion.Status.READY, quarantined_at=None
    )
    if ids is not None:
        rows = rows.filter(pk__in=list(ids))
    return rows.select_related("workspace", "current_version", "current_version__card").order_by("pk")


def readable_versions(workspace: Workspace, user: User, ids: Sequence[int]) -> dict[int, DocumentVersion]:
    """The current versions of those of these documents that `readable_documents` gives now, by document, to be opened.

    Grants are asked for only where a document lies in a restricted folder: asking takes longer than opening.
    """
    if not (workspace.role or role_in(workspace, user)):
        return {}
    rows = Document.objects.filter(
        workspace=workspace,
        pk__in=ids,
        deleted_at=None,
        quarantined_at=None,
        current_version__status=DocumentVersion.Status.READY,
    )
    opened = (f"current_version__{name}" for name in ("status", "artefact", "artefact_sha256"))
    found = list(rows.select_related("current_version", "folder").only("folder__restricted", *opened).order_by())
    is_any_restricted = any(row.folder is not None and row.folder.restricted for row in found)
    closed = set(closed_folders(user.pk, [workspace.pk]).values_list("pk", flat=True)) if is_any_restricted else set()
    return {row.pk: row.current_version for row in found if row.current_version and row.folder_id not in closed}


def document_for(user: User, slug: str, pk: int, needs: str = Role.VIEWER, *, deleted: bool = False) -> Document:
    """One document of a workspace the user belongs to; Http404 for a stranger, PermissionDenied below `needs`.

    `deleted` fetches from among the deleted documents instead.
    """
    workspace = workspace_for(user, slug, needs)
    rows = documents_in(workspace, user, deleted=deleted).filter(pk=pk)
    document = one_or_404(
        _with_versions(rows.select_related("current_version", "folder", "added_by")), "There is no such document here."
    )
    document.workspace = workspace
    return document


def version_for(document: Document, number: int) -> DocumentVersion:
    """One version of a document; Http404 when there is none of that number."""
    version = one_or_404(document.versions, "This document has no such version.", number=number)
    version.document = document
    return version


def shown_version(document: Document, number: int | None) -> DocumentVersion:
    """The version asked for, else the current one, else the newest; Http404 when there is none."""
    if number is not None:
        return version_for(document, number)
    version = document.current_version or document.latest
    if version is None:
        raise Http404("This document has no file.")
    version.document = document
    return version


def ready_version(document: Document, number: int | None) -> DocumentVersion:
    """The version that is shown, if it has been read; else Http404."""
    version = shown_version(document, number)
    if version.status != DocumentVersion.Status.READY:
        raise Http404("This version has not been read.")
    return version


def ready_versions(document: Document) -> list[DocumentVersion]:
    """The versions that have been read, newest first."""
    found = [version for version in document.versions.all() if version.status == DocumentVersion.Status.READY]
    for version in found:
        version.document = document
    return found


def partial_upload(workspace: Workspace, pk: int) -> PartialUpload | None:
    """An upload in pieces of a workspace, no matter who sends it; None when there is none or it has waited too long."""
    rows = PartialUpload.objects.select_related("workspace", "folder", "version__document")
    return rows.filter(workspace=workspace, pk=pk, expires_at__gt=timezone.now()).first()


def listed_documents(workspace: Workspace, user: User, query: ListQuery) -> "Page[Document]":
    """One page of the list, each document with `latest` ready to show; a page beyond the end is the last one."""
    deleted = query.status == DELETED and workspace.allows(Role.EDITOR)
    rows = _filter_documents(documents_in(workspace, user, deleted=deleted), query)
    rows = rows.order_by(*SORTS.get(query.sort, SORTS[DEFAULT_SORT]))
    page = Paginator(_for_rows(rows), PAGE_SIZE).get_page(query.page)
    documents = _join_rows(page.object_list, workspace)
    places = queue_places(documents)
    for document in documents:
        document.queue_place = places.get(document.pk)
    page.object_list = documents
    return page


def rows_for(workspace: Workspace, user: User, ids: Iterable[int]) -> list[Document]:
    """Those documents, not deleted, as the list shows them."""
    return _join_rows(_for_rows(documents_in(workspace, user).filter(pk__in=list(ids))), workspace)


def busy_ids(workspace: Workspace, user: User) -> list[int]:
    """Documents with a version that is waiting or being read, for the first time or again."""
    busy = Q(versions__status__in=DocumentVersion.BUSY) | Q(versions__repair__in=DocumentVersion.BUSY)
    rows = documents_in(workspace, user).filter(busy)
    return list(rows.values_list("pk", flat=True).distinct())


def totals_of(workspace: Workspace, user: User) -> dict[str, int]:
    """How many documents there are (`total`) and how many pages the current versions have (`total_pages`)."""
    found = documents_in(workspace, user).aggregate(documents=Count("pk"), pages=Sum("current_version__pages"))
    return {"total": found["documents"], "total_pages": found["pages"] or 0}


def open_folders(workspace: Workspace, user: User) -> QuerySet[Folder]:
    """The folders of the workspace that are open to the user."""
    return workspace.folders.exclude(pk__in=closed_folders(user.pk).values("pk"))


def folders_of(workspace: Workspace, user: User) -> list[Folder]:
    """The folders that are open to the user, with how many documents each holds, as `document_count`."""
    visible = Count("documents", filter=Q(documents__deleted_at=None))
    return list(open_folders(workspace, user).annotate(document_count=visible))


def folder_in(workspace: Workspace, user: User, pk: int) -> Folder:
    """One folder of the workspace that is open to the user; Http404 for any other."""
    return one_or_404(open_folders(workspace, user), "There is no such folder here.", pk=pk)


def folder_named(workspace: Workspace, user: User, text: str) -> Folder | None:
    """The folder whose number a form holds; None for no number, Http404 for one of no folder here."""
    number = parse_whole_number(text)
    return folder_in(workspace, user, LARGEST if number is None else number) if text.isdecimal() else None


def governed_folders(workspace: Workspace) -> QuerySet[Folder]:
    """All folders with who is named for each, for the owners' page of folder access; nothing of what is in them."""
    grants = Prefetch("grants", queryset=FolderGrant.objects.select_related("user", "group"))
    return workspace.folders.prefetch_related(grants)


def governed_folder(workspace: Workspace, pk: int) -> Folder:
    """One folder for the owners' page of folder access; Http404 for one of another workspace."""
    return one_or_404(governed_folders(workspace), "There is no such folder here.", pk=pk)


def tags_of(workspace: Workspace, user: User) -> list[tuple[str, int]]:
    """The tags in use with how many documents bear each, by name."""
    found: Counter[str] = Counter()
    tagged = documents_in(workspace, user).exclude(tags=[]).order_by().values_list("tags").annotate(n=Count("pk"))
    for tags, count in tagged:
        found.update(dict.fromkeys(tags, count))
    return sorted(found.items())


def card_context(workspace: Workspace, user: User) -> dict[str, Any]:
    """The context of `documents/_card.html` besides the workspace: how the reading of its documents stands.

    Counts by state of the newest versions, up to three that are being read (`documents_busy`), and how many are read
    again, waiting ones included (`documents_again`), or could not be and cannot be shown (`documents_broken`).
    """
    latest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-number").values("status")[:1]
    counts: Counter[str] = Counter()
    states = documents_in(workspace, user).annotate(state=Subquery(latest)).values("state")
    for row in states.annotate(count=Count("pk")).order_by("state"):
        counts[row["state"]] = row["count"]
    active = DocumentVersion.objects.filter(status__in=DocumentVersion.ACTIVE)
    reading = _those_few(workspace, user, active).select_related("document")
    return {
        "documents_ready": counts[Status.READY],
        "documents_busy": list(reading.order_by("pk")[:3]),
        "documents_waiting": counts[Status.QUEUED],
        "documents_failed": counts[Status.FAILED],
        **_repairs(workspace, user),
    }


def _those_few(workspace: Workspace, user: User, versions: QuerySet[DocumentVersion]) -> QuerySet[DocumentVersion]:
    """Those of few versions of the whole site that are here: found by these, not by looking at each that is here."""
    return versions_in(workspace, user).filter(pk__in=versions.order_by().values("pk"))


def _repairs(workspace: Workspace, user: User) -> dict[str, int]:
    rows = _those_few(workspace, user, DocumentVersion.objects.exclude(repair=""))
    broken = Q(repair=Status.FAILED) & ~Q(
        repair_reason__in=(DocumentVersion.RepairReason.OUTDATED, DocumentVersion.RepairReason.LATE)
    )
    return rows.aggregate(
        documents_again=Count("pk", filter=Q(repair__in=DocumentVersion.BUSY)),
        documents_broken=Count("pk", filter=broken),
    )


def queue_places(documents: Iterable[Document]) -> dict[int, QueuePlace]:
    """For each of the documents whose newest version waits, where it stands in the line of the whole site."""
    newest = ((document.latest, document.pk) for document in documents)
    waiting = {version.pk: pk for version, pk in newest if version is not None and version.status == Status.QUEUED}
    hold = find_hold(UPLOADS.queue) if waiting else None
    return {waiting[pk]: QueuePlace(place, hold) for pk, place in UPLOADS.places(waiting).items()}


def same_content(workspace: Workspace, user: User, sha256: str, size: int) -> DocumentVersion | None:
    """A version with the same bytes in a document that exists for the user, failed ones left aside."""
    rows = versions_in(workspace, user).filter(sha256=sha256, bytes=size).exclude(status=DocumentVersion.Status.FAILED)
    return rows.select_related("document", "document__added_by").order_by("pk").first()


def same_name(workspace: Workspace, user: User, folder: Folder | None, name: str) -> Document | None:
    """The newest document that exists for the user, of that file name in that folder (None: in none)."""
    rows = documents_in(workspace, user).filter(folder=folder, name__iexact=name)
    return rows.order_by("-pk").first()


def waiting_uploads(workspace: Workspace, user: User) -> QuerySet[PartialUpload]:
    """The user's own files of which they are to say whether each is a new version; the first sent comes first."""
    rows = PartialUpload.objects.filter(open_to(user, "same_name_as__folder"), workspace=workspace, user=user.pk)
    rows = rows.filter(same_name_as__isnull=False, version=None, expires_at__gt=timezone.now())
    return rows.select_related("workspace", "folder", "same_name_as").order_by("pk")


def enclosed_files(version: DocumentVersion, user: User) -> list[Enclosure]:
    """The files that a version held, in their order; those whose document does not exist for the user have none."""
    rows = list(version.enclosures.select_related("document"))
    ids = [row.document_id for row in rows if row.document_id is not None]
    here = set(Document.objects.filter(open_to(user), pk__in=ids, deleted_at=None).values_list("pk", flat=True))
    for row in rows:
        if row.document_id not in here:
            row.document = None
    return rows


def holders_of(document: Document, user: User) -> list[Document]:
    """The messages and archives of the workspace that a document came in, of those that exist for the user."""
    rows = Document.objects.filter(
        open_to(user), workspace=document.workspace_id, deleted_at=None, versions__enclosures__document=document
    )
    return list(rows.distinct().order_by("pk"))


def outline_of(version: DocumentVersion) -> list[Section]:
    """The headings in reading order."""
    return list(version.sections.order_by("position"))


def outline_window(version: DocumentVersion, *, key: int | None, first: int | None, search: str = "") -> OutlineWindow:
    """The headings that one page shows: all of a usual document, else OUTLINE_ROWS of them with the way to the others.

    With `search` the first whose titles hold all of its words; else those from `first` (from 1) on,
    else those around the heading `key`. Headings that hold the first one stand above it.
    """
    total = version.sections.count()
    if total <= OUTLINE_WHOLE:
        return OutlineWindow(outline_of(version), total)
    rows = version.sections.order_by("position")
    if search.split():
        words = search.casefold().split()
        titles = rows.values_list("position", "title").iterator()
        places = [place for place, title in titles if all(word in title.casefold() for word in words)]
        shown = list(rows.filter(position__in=places[:OUTLINE_ROWS]))
        return OutlineWindow(shown, total, search=search, found=len(places))
    if first is None:
        place = rows.filter(key=key).values_list("position", flat=True).first() if key else 0
        first = (place or 0) // OUTLINE_ROWS * OUTLINE_ROWS + 1
    start = min(first, total) - 1
    shown = list(rows.filter(position__gte=start)[:OUTLINE_ROWS])
    above = rows.filter(position__lt=start, subtree_end__gt=shown[0].key).order_by("-position")[:OUTLINE_ABOVE]
    return OutlineWindow([*reversed(above), *shown], total, start + 1, start + len(shown))


def section_path(version: DocumentVersion, page_index: int) -> list[Node]:
    """The headings, outermost first, under which the first words of a page's own text stand.

    ArtefactDamaged when the compiled file cannot be read.
    """
    document = open_version(version)
    own = (key for key in document.on_page(page_index) if document.tree.kind(key) is not NodeKind.RUNNING)
    first = next(own, None)
    if first is None:
        return []
    section = document.tree.section_of(first)
    return [document.tree.node(key) for key in (*document.tree.ancestors(section), section) if key]


def found_documents(workspace: Workspace, user: User, query: ListQuery) -> QuerySet[Document]:
    """The documents that a query asks for, in no order, each with its versions at hand, the newest first."""
    return _with_versions(_filter_documents(documents_in(workspace, user), query))


def _filter_documents(rows: QuerySet[Document], query: ListQuery) -> QuerySet[Document]:
    rows = rows.annotate(tags_text=JSONText("tags"))
    for word in query.search.split():
        tagged = Q(tags_text__icontains=_encode_as_stored(word)[1:-1])
        rows = rows.filter(Q(title__icontains=word) | Q(name__icontains=word) | tagged)
    if query.folder is not None:
        rows = rows.filter(folder_id=query.folder)
    if query.tag:
        rows = rows.filter(tags_text__contains=_encode_as_stored(query.tag))
    if query.status in STATUSES:
        latest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-number")
        rows = rows.annotate(latest_status=Subquery(latest.values("status")[:1])).filter(STATUSES[query.status])
    return rows


def _encode_as_stored(tag: str) -> str:
    """A tag as it is in the text of the JSON column."""
    return json.dumps(tag, ensure_ascii=False)


def count_waiting_files() -> Coalesce:
    """Of a version that holds files: how many of their documents are not read yet, as an expression."""
    waiting = Enclosure.objects.filter(
        version=OuterRef("pk"),
        document__deleted_at__isnull=True,
        document__versions__status__in=DocumentVersion.BUSY,
    )
    each = waiting.order_by().values("version").annotate(count=Count("document", distinct=True)).values("count")
    return Coalesce(Subquery(each), 0)


def _for_rows(rows: QuerySet[Document]) -> QuerySet[Document]:
    return _with_versions(rows.select_related(None).select_related("folder")).prefetch_related("added_by")


def _join_rows(rows: Iterable[Document], workspace: Workspace) -> list[Document]:
    """Rows of one workspace with it and with their current version, which is among their versions: neither is read
    once more for each."""
    documents = list(rows)
    for document in documents:
        versions = {version.pk: version for version in document.versions.all()}
        document.workspace = workspace
        document.current_version = versions.get(document.current_version_id or 0)
    return documents


def _with_versions(rows: QuerySet[Document]) -> QuerySet[Document]:
    newest = DocumentVersion.objects.order_by("-number").annotate(enclosed_waiting=count_waiting_files())
    return rows.prefetch_related(Prefetch("versions", queryset=newest))


UPLOAD_SPAN = timedelta(minutes=10)
"""Files that one person adds to a workspace within this time of each other count as one upload. Half of it parts the
hundreds of files of a folder that a slow line sends; twice joins what somebody added before and after a meeting."""


def list_uploaded_with(documents: Collection[int], person: int) -> list[int]:
    """The documents that an account added within UPLOAD_SPAN of these, which are of one workspace; they are among them.

    Empty where it added none of these.
    """
    added = DocumentVersion.objects.filter(added_by=person)
    span = added.filter(document__in=documents).aggregate(
        place=Min("document__workspace"), first=Min("created_at"), last=Max("created_at")
    )
    if span["place"] is None:
        return []
    times = (span["first"] - UPLOAD_SPAN, span["last"] + UPLOAD_SPAN)
    rows = added.filter(document__workspace=span["place"], created_at__range=times)
    return list(rows.order_by().values_list("document", flat=True).distinct())


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of failed documents tell the user: as long as these exist for them and are still unread."""
    about = {row.pk: [row.about, *row.details.get("also", [])] for row in notices}
    newest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-number").values("status")[:1]
    rows = Document.objects.filter(
        open_to(user), workspace__in=workspaces_of(user), pk__in=set().union(*about.values()), deleted_at=None
    )
    found = rows.annotate(state=Subquery(newest)).filter(state=Status.FAILED).select_related("workspace").in_bulk()
    told = {}
    for notice in notices:
        failed = [found[number] for number in about[notice.pk] if number in found]
        if len(failed) == 1:
            url = reverse("documents:detail", args=[failed[0].workspace.slug, failed[0].pk])
            told[notice.pk] = Told(_("A document that you uploaded could not be read"), failed[0].title, url)
        elif failed:
            told[notice.pk] = _tell_of_upload(failed, notice.user_id)
    return told


def _tell_of_upload(failed: Sequence[Document], person: int) -> Told:
    """What a notice of several failed documents of one upload tells; it leads to the list of them."""
    uploaded = len(list_uploaded_with([document.pk for document in failed], person))
    name = _("%(failed)d of %(all)d files") % {"failed": len(failed), "all": max(uploaded, len(failed))}
    url = reverse("documents:list", args=[failed[0].workspace.slug])
    return Told(_("Documents that you uploaded could not be read"), name, f"{url}?status=failed")
