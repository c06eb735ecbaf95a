"""Exports in the admin site: administrators look at their own, and change none."""

from django.contrib import admin
from django.db.models import QuerySet

from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.backups.selectors import exports_of
from vectorless_web.infra.admin import MembersAdmin
from vectorless_web.workspaces.selectors import User


@admin.register(WorkspaceExport)
class WorkspaceExportAdmin(MembersAdmin):
    list_display = ("workspace", "user", "status", "bytes", "outcome", "asked_at")
    list_filter = ("status",)
    list_select_related = ("workspace", "user")

    def list_readable(self, user: User) -> QuerySet[WorkspaceExport]:
        """The administrator's own."""
        return exports_of(user)
