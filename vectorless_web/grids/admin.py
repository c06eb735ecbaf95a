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


admin.site.register(
    Grid,
    WorkspaceRowsAdmin,
    list_display=["name", "workspace", "folder", "created_by", "created_at"],
    list_filter=["workspace", "created_at"],
    search_fields=["name"],
)
admin.site.register(
    Column,
    WorkspaceRowsAdmin,
    list_display=["label", "grid", "kind", "question"],
    list_filter=["kind"],
    search_fields=["label", "question"],
    path="grid__workspace",
)
admin.site.register(
    GridLink,
    WorkspaceRowsAdmin,
    list_display=["grid", "created_by", "created_at", "expires_at", "revoked_at"],
    path="grid__workspace",
    exclude=["token_hash"],
)
admin.site.register(
    Row,
    DocumentRowsAdmin,
    list_display=["document", "grid", "version"],
    search_fields=["document__title"],
    path="document",
    list_select_related=["version__document"],
)
admin.site.register(
    Cell,
    DocumentRowsAdmin,
    list_display=["row", "column", "state", "verdict", "reviewed_by", "changed_at"],
    list_filter=["state", "verdict"],
    search_fields=["text", "corrected"],
    path="row__document",
    list_select_related=["row__document"],
)
