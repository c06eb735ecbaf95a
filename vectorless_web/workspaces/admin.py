"""Workspaces in the admin site; the record can be read there and never changed."""

from django.contrib import admin
from django.http import HttpRequest

from vectorless_web.workspaces.models import (
    AuditEvent,
    Budget,
    Invitation,
    LexiconEntry,
    Membership,
    ModelProvider,
    Workspace,
)


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):
    list_display = ["name", "slug", "created_by", "created_at"]
    list_select_related = ["created_by"]
    search_fields = ["name", "slug"]
    readonly_fields = ["created_at"]
    autocomplete_fields = ["created_by"]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["user", "workspace", "role", "joined_at"]
    list_filter = ["role", "workspace"]
    search_fields = ["user__username", "workspace__name"]
    autocomplete_fields = ["user", "workspace"]
    list_select_related = ["user", "workspace"]


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):
    """Read-only but for deleting: an invitation is made where its link can be shown."""

    list_display = ["workspace", "role", "email", "created_by", "expires_at", "accepted_by", "revoked_at"]
    list_select_related = ["workspace", "created_by", "accepted_by"]
    list_filter = ["role", "workspace"]
    exclude = ["token_hash"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False


@admin.register(ModelProvider)
class ModelProviderAdmin(admin.ModelAdmin):
    """The stored key has no field here: it can be replaced in the workspace's settings, never seen."""

    list_display = ["name", "workspace", "base_url", "model", "enabled"]
    list_select_related = ["workspace"]
    list_filter = ["enabled"]
    search_fields = ["name", "model", "base_url"]
    readonly_fields = ["capabilities", "created_at"]


@admin.register(Budget)
class BudgetAdmin(admin.ModelAdmin):
    list_display = ["workspace", "user", "period", "limit_usd", "spent_usd", "reserved_usd"]
    list_select_related = ["workspace", "user"]
    list_filter = ["period", "workspace"]
    readonly_fields = ["spent_usd", "reserved_usd", "period_start"]


@admin.register(LexiconEntry)
class LexiconEntryAdmin(admin.ModelAdmin):
    """Read-only but for deleting: entries are written where they are checked and can be tried."""

    list_display = ["concept", "workspace", "statement", "created_by", "at"]
    list_select_related = ["workspace", "created_by"]
    list_filter = ["workspace"]
    search_fields = ["concept", "note"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: LexiconEntry | None = None) -> bool:
        return False


@admin.register(AuditEvent)
class AuditEventAdmin(admin.ModelAdmin):
    list_display = ["at", "actor", "verb", "object_type", "object_name", "workspace"]
    list_select_related = ["actor", "workspace"]
    list_filter = ["verb", "workspace"]
    search_fields = ["object_name", "verb", "actor__username"]
    date_hierarchy = "at"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: AuditEvent | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AuditEvent | None = None) -> bool:
        return False
