"""API tokens in the admin site: to look at, never to read or make one."""

from django.contrib import admin

from vectorless_web.api.models import ApiToken, Delivery, KeptReply, Webhook
from vectorless_web.infra.admin import LookedAt, ReadOnlyAdmin


class KeptReplyInline(LookedAt):
    """Which requests were repeated safely; what they were answered is their person's alone."""

    model = KeptReply
    fields = ("key", "status", "created_at")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "user", "scope", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("scope", "revoked_at")
    search_fields = ("name", "user__username")
    fields = ("name", "prefix", "user", "scope", "workspaces", "created_at", "last_used_at", "expires_at", "revoked_at")
    inlines = (KeptReplyInline,)


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ("address", "workspace", "enabled", "failing_since", "created_at")
    list_filter = ("enabled",)
    search_fields = ("address", "workspace__name")
    fields = ("address", "workspace", "events", "enabled", "failing_since", "created_by", "created_at")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("message", "kind", "webhook", "status", "attempts", "reply", "created_at")
    list_filter = ("status", "kind")
    search_fields = ("message", "webhook__address")
    exclude = ("payload",)
