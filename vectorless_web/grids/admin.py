"""Grids in the admin site: looked at by administrators who may read them as members, and not changed."""

from typing import Any

from django.db.models import QuerySet

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import open_to
from vectorless_web.grids.models import Cell, Column, Grid, GridLink, Row
from vectorless_web.infra.admin import MembersAdmin, list_rows
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin
from vectorless_web.workspaces.selectors import User, workspaces_of


class DocumentRowsAdmin(MembersAdmin):
    """What is of one document: hidden with it."""

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The documents that exist for the administrator."""
        places = [workspace.pk for workspace in workspaces_of(user)]
        return Document.objects.filter(open_to(user), workspace__in=places, deleted_at=None)


list_rows(WorkspaceRowsAdmin, (Grid, "name workspace folder created_by created_at", "workspace created_at", "name"))
list_rows(
    WorkspaceRowsAdmin,
    (Column, "label grid kind question", "kind", "label question"),
    path="grid__workspace",
)
list_rows(
    WorkspaceRowsAdmin,
    (GridLink, "grid created_by created_at expires_at revoked_at", "", ""),
    path="grid__workspace",
    exclude=["token_hash"],
)
list_rows(
    DocumentRowsAdmin,
    (Row, "document grid version", "", "document__title"),
    path="document",
    list_select_related=["version__document"],
)
list_rows(
    DocumentRowsAdmin,
    (Cell, "row column state verdict reviewed_by changed_at", "state verdict", "text corrected"),
    path="row__document",
    list_select_related=["row__document"],
)
