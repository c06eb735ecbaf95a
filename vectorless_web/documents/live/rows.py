"""What the socket of a workspace's documents sends: the list's own row, the progress, the counts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.template.loader import render_to_string

from vectorless_web.documents import selectors
from vectorless_web.documents.models import Document
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, may_in, member_workspace

State = tuple[Any, ...]
GONE: State = ()
"""The state of a row that says the document was deleted."""


@dataclass
class ListViewer:
    """One open page: who looks, at which workspace, and the state of each row as it was last sent.

    With `only`, the page shows that one document, so its progress is sent and no row.
    """

    user: User
    slug: str
    only: int | None = None
    sent: dict[int, State] = field(default_factory=dict)
    busy: set[int] = field(default_factory=set)

    def workspace(self) -> Workspace | None:
        """The workspace, asked anew each time: membership and role may have changed; None for a stranger."""
        return member_workspace(self.user, self.slug)


def first_fragments(viewer: ListViewer, workspace: Workspace) -> str:
    """What is under way, for a page that may have been rendered a moment ago."""
    return changed_fragments(viewer, workspace, selectors.busy_ids(workspace, viewer.user))


def changed_fragments(viewer: ListViewer, workspace: Workspace, ids: Iterable[int]) -> str:
    """The fragments of those documents that look different from what was last sent; "" when none does."""
    wanted = {pk for pk in ids if viewer.only in (None, pk)}
    rows = selectors.rows_for(workspace, viewer.user, wanted)
    changed = [row for row in rows if viewer.sent.get(row.pk) != _state(row)]
    gone = [pk for pk in wanted - {row.pk for row in rows} if viewer.sent.get(pk) != GONE]
    if not changed and not gone:
        return ""
    places = selectors.queue_places(changed)
    parts = [_row(viewer, workspace, row, places.get(row.pk, 0)) for row in changed]
    parts += [_render_deleted_row(viewer, workspace, pk) for pk in gone]
    if viewer.only is None:
        parts.append(_render_counts(viewer, workspace))
    return "".join(parts)


def _row(viewer: ListViewer, workspace: Workspace, document: Document, queue_place: int) -> str:
    """The row; its progress alone when nothing else of it can have changed since it was last sent."""
    before, now = viewer.sent.get(document.pk, GONE), _state(document)
    ticked = viewer.only is not None or (bool(before) and before[0] == now[0])
    viewer.sent[document.pk] = now
    version = document.latest
    viewer.busy.discard(document.pk)
    if version is not None and (version.is_busy or version.is_being_repaired):
        viewer.busy.add(document.pk)
    context = {
        "workspace": workspace,
        "document": document,
        "version": version,
        "may": may_in(workspace),
        "queue_place": queue_place,
    }
    if ticked:
        return render_to_string("documents/_stage.html", context)
    # A page that has just sent the file says under its name what became of it.
    return "".join(render_to_string(f"documents/_{part}.html", context) for part in ("row", "upload_state"))


def _render_deleted_row(viewer: ListViewer, workspace: Workspace, pk: int) -> str:
    """The row of a document that was deleted, with its undo; "" when it is of another workspace or purged."""
    viewer.sent[pk] = GONE
    viewer.busy.discard(pk)
    document = Document.objects.filter(workspace=workspace, pk=pk).exclude(deleted_at=None).first()
    if document is None or viewer.only is not None:
        return ""
    context = {"workspace": workspace, "document": document, "may": may_in(workspace), "deleted": True}
    return render_to_string("documents/_row.html", context)


def _render_counts(viewer: ListViewer, workspace: Workspace) -> str:
    """The card of the workspace's page; the head and the folders of the list."""
    counts = selectors.card_context(workspace, viewer.user)
    totals = selectors.totals_of(workspace, viewer.user)
    folders = [("all", totals.documents)]
    for folder in selectors.folders_of(workspace):
        folders.append((str(folder.pk), folder.document_count))  # type: ignore[attr-defined]
    return "".join(
        (
            render_to_string("documents/_card.html", {"workspace": workspace, **counts}),
            render_to_string("documents/_totals.html", {"total": totals.documents, "total_pages": totals.pages}),
            *(render_to_string("documents/_folder_count.html", {"name": n, "count": count}) for n, count in folders),
        )
    )


def _state(document: Document) -> State:
    """What a row shows: first what makes it another row, then its progress."""
    version = document.latest
    if version is None:
        return ((document.title,),)
    reading = (version.number, version.status, version.attempt, version.repair, version.repair_tries)
    shown = (document.title, document.folder_id, tuple(document.tags), *reading)
    return (shown, version.stage_done, version.stage_total)
