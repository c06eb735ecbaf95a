"""The socket of a workspace's documents: each change of a row arrives as the list's own row."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.exceptions import DenyConnection
from django.template.loader import render_to_string

from vectorless_web.documents import selectors
from vectorless_web.documents.line import documents_group
from vectorless_web.documents.models import Document, DocumentVersion, QueuePlace
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.live import LiveConsumer
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, may_in, member_workspace
from vectorless_web.workspaces.site import time_kept

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


def changed_fragments(viewer: ListViewer, workspace: Workspace, ids: Iterable[int] | None = None) -> str:
    """The fragments of those documents that look different from what was last sent; "" when none does.

    Without `ids` those of what is under way, for a page that may have been rendered a moment ago.
    """
    asked = selectors.busy_ids(workspace, viewer.user) if ids is None else ids
    wanted = {pk for pk in asked if viewer.only in (None, pk)}
    rows = selectors.rows_for(workspace, viewer.user, wanted)
    changed = [row for row in rows if viewer.sent.get(row.pk) != _state(row)]
    gone = _find_gone(viewer, workspace, wanted - {row.pk for row in rows})
    if not changed and not gone:
        return ""
    places = selectors.queue_places(changed)
    parts = [_row(viewer, workspace, row, places.get(row.pk)) for row in changed]
    parts += [_render_deleted_row(viewer, workspace, pk, document) for pk, document in gone.items()]
    if viewer.only is None:
        parts.append(_render_counts(viewer, workspace))
    return "".join(parts)


def _find_gone(viewer: ListViewer, workspace: Workspace, missing: set[int]) -> dict[int, Document | None]:
    """Documents that are there no more, by number, None for those that were purged or closed to the viewer since.

    One that never existed for the viewer is not among them: not even its news are told.
    """
    fresh = [pk for pk in missing if viewer.sent.get(pk) != GONE]
    if not fresh:
        return {}
    deleted = {row.pk: row for row in selectors.documents_in(workspace, viewer.user, deleted=True).filter(pk__in=fresh)}
    return {pk: deleted.get(pk) for pk in fresh if pk in deleted or pk in viewer.sent}


def _row(viewer: ListViewer, workspace: Workspace, document: Document, queue_place: QueuePlace | None) -> str:
    """The row; its progress alone when nothing else of it can have changed since it was last sent."""
    before, now = viewer.sent.get(document.pk, GONE), _state(document)
    ticked = viewer.only is not None or (bool(before) and before[0] == now[0])
    viewer.sent[document.pk] = now
    version = document.latest
    viewer.busy.discard(document.pk)
    holds_waiting = bool(getattr(version, "enclosed_waiting", 0))
    if version is not None and (version.is_busy or version.is_being_repaired or holds_waiting):
        viewer.busy.add(document.pk)
    context = {
        "workspace": workspace,
        "document": document,
        "version": version,
        "may": may_in(workspace),
        "queue_place": queue_place,
    }
    is_unpacking = version is not None and version.status == DocumentVersion.Status.UNPACKING
    # Of an archive the files in it are counted: while they are added, and then those that still wait to be read.
    counts_on = is_unpacking or (bool(before) and before[-1] != now[-1])
    parts = ["stage" if ticked else "row"]
    # A page that has just sent the file says under its name what became of it.
    if not ticked or (counts_on and viewer.only is None):
        parts.append("upload_state")
    return "".join(render_to_string(f"documents/_{part}.html", context) for part in parts)


def _render_deleted_row(viewer: ListViewer, workspace: Workspace, pk: int, document: Document | None) -> str:
    """The row of a document that was deleted, with its undo; "" when it is there no more for the viewer."""
    viewer.sent[pk] = GONE
    viewer.busy.discard(pk)
    if document is None or viewer.only is not None:
        return ""
    context = {"workspace": workspace, "document": document, "may": may_in(workspace), "deleted": True}
    return render_to_string("documents/_row.html", context | {"kept": time_kept("bin", workspace)})


def _render_counts(viewer: ListViewer, workspace: Workspace) -> str:
    """The card of the workspace's page; the head and the folders of the list."""
    counts = selectors.card_context(workspace, viewer.user)
    totals = selectors.totals_of(workspace, viewer.user)
    folders = [("all", totals["total"])]
    for folder in selectors.folders_of(workspace, viewer.user):
        folders.append((str(folder.pk), folder.document_count))  # type: ignore[attr-defined]
    shown = [("card", {"workspace": workspace, **counts}), ("totals", totals)]
    shown += [("folder_count", {"name": name, "count": count}) for name, count in folders]
    return "".join(render_to_string(f"documents/_{part}.html", context) for part, context in shown)


def _state(document: Document) -> State:
    """What a row shows: first what makes it another row, then its progress."""
    version = document.latest
    if version is None:
        return ((document.title,),)
    reading = (version.number, version.status, version.attempt, version.repair, version.repair_tries)
    shown = (document.title, document.folder_id, tuple(document.tags), *reading)
    return (shown, version.stage_done, version.stage_total, getattr(version, "enclosed_waiting", 0))


LOOK_AGAIN_SECONDS = 3.0
"""A notification may be lost: what was busy is looked at again this often."""


class DocumentsConsumer(LiveConsumer):
    """Sends rows as they change; `?document=` narrows it to the progress of one document."""

    async def connect(self) -> None:
        """Refuse strangers before the handshake; else join, accept and send what is under way."""
        self.viewer = ListViewer(self.scope["user"], self.scope["url_route"]["kwargs"]["slug"], self._only())
        workspace = await database_sync_to_async(self.viewer.workspace)()
        if workspace is None:
            raise DenyConnection
        self.turn = asyncio.Lock()
        await self.join(documents_group(workspace.pk))
        await self.accept()
        await self._send_changed()
        self.looking = asyncio.create_task(self._look_again())

    async def document_changed(self, event: dict[str, Any]) -> None:
        """Handle a notification: read that document's row and send it if it looks different."""
        await self._send_changed({int(event["document"])})

    def _only(self) -> int | None:
        value = parse_qs(self.scope.get("query_string", b"").decode("ascii", "ignore")).get("document", [""])[0]
        return parse_whole_number(value)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            if self.viewer.busy:
                await self._send_changed(set(self.viewer.busy))

    async def _send_changed(self, ids: set[int] | None = None) -> None:
        """Send those documents that look different; None for all that are under way."""
        async with self.turn:
            await self.send_html(await self._render_changed(ids))

    @database_sync_to_async
    def _render_changed(self, ids: set[int] | None) -> str | None:
        """The fragments to send; None for somebody who is no longer a member."""
        workspace = self.viewer.workspace()
        return None if workspace is None else changed_fragments(self.viewer, workspace, ids)
