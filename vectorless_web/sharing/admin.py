"""Share links in the admin site: to look at, never to read their tokens."""

from django.contrib import admin

from vectorless_web.infra.admin import LookedAt
from vectorless_web.runs.admin import RunRowsAdmin
from vectorless_web.sharing.models import ShareLink, ShareView


class ViewInline(LookedAt):
    model = ShareView
    fields = ("at", "ip_prefix", "agent", "pages")


@admin.register(ShareLink)
class ShareLinkAdmin(RunRowsAdmin):
    list_display = ("run", "created_by", "created_at", "expires_at", "revoked_at")
    list_filter = ("revoked_at", "expires_at")
    search_fields = ("run__question", "created_by__username")
    fields = ("run", "created_by", "created_at", "expires_at", "revoked_at", "redact")
    readonly_fields = fields
    inlines = (ViewInline,)
