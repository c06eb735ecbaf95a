"""Share links in the admin site: to look at, never to read their tokens."""

from django.contrib import admin
from django.http import HttpRequest

from vectorless_web.runs.admin import RunRowsAdmin
from vectorless_web.sharing.models import ShareLink, ShareView


class ViewInline(admin.TabularInline):
    model = ShareView
    extra = 0
    can_delete = False
    readonly_fields = ("at", "ip_prefix", "agent")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Views are counted, not entered."""
        return False


@admin.register(ShareLink)
class ShareLinkAdmin(RunRowsAdmin):
    list_display = ("run", "created_by", "created_at", "expires_at", "revoked_at")
    list_filter = ("revoked_at", "expires_at")
    search_fields = ("run__question", "created_by__username")
    fields = ("run", "created_by", "created_at", "expires_at", "revoked_at", "redact")
    readonly_fields = fields
    inlines = (ViewInline,)
