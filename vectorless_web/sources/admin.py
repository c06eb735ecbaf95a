"""Sources in the admin site: looked at by administrators who may read them as owners, and not changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet

from vectorless_web.documents.selectors import open_to
from vectorless_web.infra.admin import MembersAdmin
from vectorless_web.sources.models import Source, SourceFile
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import User, workspaces_of


class SourceRowsAdmin(MembersAdmin):
    """Sources of the workspaces that the administrator owns, and their files."""

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The sources that their pages would show."""
        owned = [workspace.pk for workspace in workspaces_of(user) if workspace.allows(Role.OWNER)]
        return Source.objects.filter(open_to(user), workspace__in=owned)


admin.site.register(
    Source,
    SourceRowsAdmin,
    list_display=["address", "kind", "workspace", "enabled", "looked_at", "error"],
    list_filter=["kind", "enabled"],
)
admin.site.register(
    SourceFile,
    SourceRowsAdmin,
    list_display=["path", "source", "state", "size", "error", "at"],
    list_filter=["state"],
    path="source",
)
