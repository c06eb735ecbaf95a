"""Grids in the admin site: looked at by administrators who may read them as members, and not changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import open_to
from vectorless_web.grids.models import Cell, Column, Grid, GridLink, Row
from vectorless_web.infra.admin import MembersAdmin
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin
from vectorless_web.workspaces.selectors import User, workspaces_of


class DocumentRowsAdmin(MembersAdmin):
    """What is of one document: hidden with it."""

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The documents that exist for the administrator."""
        places = [workspace.pk for workspace in workspaces_of(user)]
        return Document.objects.filter(open_to(user), workspace__in=places, deleted_at=None)


@admin.register(Grid)
class GridAdmin(WorkspaceRowsAdmin):
    list_display = ["name", "workspace", "folder", "created_by", "created_at"]
    list_filter = ["workspace", "created_at"]
    search_fields = ["name"]


@admin.register(Column)
class ColumnAdmin(WorkspaceRowsAdmin):
    path = "grid__workspace"
    list_display = ["label", "grid", "kind", "question"]
    list_filter = ["kind"]
    search_fields = ["label", "question"]


@admin.register(GridLink)
class GridLinkAdmin(WorkspaceRowsAdmin):
    path = "grid__workspace"
    list_display = ["grid", "created_by", "created_at", "expires_at", "revoked_at"]
    exclude = ["token_hash"]


@admin.register(Row)
class RowAdmin(DocumentRowsAdmin):
    path = "document"
    list_display = ["document", "grid", "version"]
    search_fields = ["document__title"]
    list_select_related = ["version__document"]


@admin.register(Cell)
class CellAdmin(DocumentRowsAdmin):
    path = "row__document"
    list_display = ["row", "column", "state", "verdict", "reviewed_by", "changed_at"]
    list_filter = ["state", "verdict"]
    search_fields = ["text", "corrected"]
    list_select_related = ["row__document"]
