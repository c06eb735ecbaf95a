"""Grids in the admin site: looked at, not changed."""

from django.contrib import admin

from vectorless_web.documents.admin import DocumentRowsAdmin
from vectorless_web.grids.models import Cell, Column, Grid, Row
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin


@admin.register(Grid)
class GridAdmin(WorkspaceRowsAdmin):
    list_display = ["name", "workspace", "folder", "created_by", "created_at"]
    list_filter = ["workspace", "created_at"]
    search_fields = ["name"]
    list_select_related = ["workspace", "folder", "created_by"]


@admin.register(Column)
class ColumnAdmin(WorkspaceRowsAdmin):
    path = "grid__workspace"
    list_display = ["label", "grid", "kind", "question"]
    list_filter = ["kind"]
    search_fields = ["label", "question"]
    list_select_related = ["grid"]


@admin.register(Row)
class RowAdmin(DocumentRowsAdmin):
    path = "document"
    list_display = ["document", "grid", "version"]
    search_fields = ["document__title"]
    list_select_related = ["document", "grid", "version__document"]


@admin.register(Cell)
class CellAdmin(DocumentRowsAdmin):
    path = "row__document"
    list_display = ["row", "column", "state", "verdict", "reviewed_by", "changed_at"]
    list_filter = ["state", "verdict"]
    search_fields = ["text", "corrected"]
    list_select_related = ["row__document", "column", "reviewed_by"]
