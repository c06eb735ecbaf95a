"""Accounts in the admin site, where rights are given, and rows of workspaces and people to look at.

What is changed by a rule is changed on the pages of the site and of the console.
"""

from collections.abc import Iterable
from typing import Any

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from vectorless_web.infra.admin import LookedAt, MembersAdmin, ReadOnlyAdmin
from vectorless_web.workspaces import services
from vectorless_web.workspaces.models import (
    AuditEvent,
    AuditHead,
    Budget,
    GroupMembership,
    Invitation,
    LexiconEntry,
    Membership,
    ModelHost,
    ModelProvider,
    PeopleGroup,
    ServiceAccount,
    SiteSetting,
    TwoStepRule,
    Visit,
    Workspace,
)
from vectorless_web.workspaces.selectors import User as AnyUser
from vectorless_web.workspaces.selectors import workspaces_of

# Its pages would show the secrets; an administrator switches two-step sign-in off with an account's page.
admin.site.unregister(Authenticator)
User = get_user_model()
admin.site.unregister(User)
RIGHTS = ("is_superuser", "groups", "user_permissions")


@admin.register(User)
class AccountAdmin(UserAdmin):
    """People. Only superusers give rights or touch a superuser's account, so that no staff can raise themselves."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not for a superuser's account, but by superusers."""
        allowed: bool = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not for a superuser's account, but by superusers."""
        allowed: bool = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Rights are a superuser's to give."""
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if request.user.is_superuser else (*fields, "is_staff", *RIGHTS)

    def save_model(self, request: HttpRequest, obj: Any, form: forms.ModelForm, change: bool) -> None:
        """Store the account and what was changed of it; say when a workspace has no owner left who can sign in."""
        super().save_model(request, obj, form, change)
        verb = "account.changed" if change else "account.added"
        changed = sorted(set(form.changed_data) - {"password", "password1", "password2"})
        services.record(actor=request.user, verb=verb, target=obj, details={"fields": changed})
        if not obj.is_active:
            for sentence in services.describe_orphaned_workspaces(obj):
                self.message_user(request, sentence, messages.WARNING)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """The page on which a password is set for somebody; recorded once it was."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            services.record(actor=request.user, verb="account.password_set", target=self.get_object(request, id))
        return response

    def get_deleted_objects(self, objs: Iterable[Any], request: HttpRequest) -> tuple[Any, Any, set[Any], list[str]]:
        """What the page that asks again shows: the accounts, what stays, which workspaces would lose their owner."""
        people = list(objs)
        notice = "Runs and documents stay, without the name. Switching an account off keeps the name."
        names = [*map(str, people), notice]
        kept = [sentence for person in people for sentence in services.describe_orphaned_workspaces(person)]
        return names, {self.opts.verbose_name_plural: len(people)}, set(), kept

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete one account."""
        self.delete_queryset(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: Iterable[Any]) -> None:
        """Delete the ticked accounts but for those that a workspace needs, and superusers unless by one of them."""
        for person in queryset:
            kept = services.describe_orphaned_workspaces(person)
            if person.is_superuser and not request.user.is_superuser:
                kept = [f"{person} is a superuser. Ask a superuser."]
            if kept:
                self.message_user(request, kept[0], messages.ERROR)
            else:
                services.delete_and_record(person, actor=request.user, verb="account.deleted")


class WorkspaceRowsAdmin(MembersAdmin):
    """Rows with texts of the administrator's workspaces."""

    path = "workspace"

    def list_readable(self, user: AnyUser) -> QuerySet[Workspace]:
        """The administrator's workspaces."""
        return Workspace.objects.filter(pk__in=[workspace.pk for workspace in workspaces_of(user)])


class MembershipInline(LookedAt):
    model = Membership
    fields = ["user", "role", "joined_at"]


@admin.register(Workspace)
class WorkspaceAdmin(ReadOnlyAdmin):
    list_display = ["name", "slug", "created_by", "created_at"]
    search_fields = ["name", "slug"]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ["user", "workspace", "role", "joined_at"]
    list_filter = ["role", "workspace"]
    search_fields = ["user__username", "workspace__name"]


class GroupMembershipInline(LookedAt):
    model = GroupMembership
    fields = ["workspace", "role", "joined_at"]


@admin.register(ServiceAccount)
class ServiceAccountAdmin(ReadOnlyAdmin):
    list_display = ("user", "workspace", "created_by", "created_at")
    search_fields = ("user__username", "workspace__name")


@admin.register(PeopleGroup)
class PeopleGroupAdmin(ReadOnlyAdmin):
    list_display = ["name", "description", "created_at"]
    search_fields = ["name"]
    inlines = [GroupMembershipInline]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "role", "email", "created_by", "expires_at", "accepted_by", "revoked_at"]
    list_filter = ["role", "workspace"]
    exclude = ["token_hash"]


@admin.register(ModelProvider)
class ModelProviderAdmin(ReadOnlyAdmin):
    """The stored key is never shown, not even as it is stored."""

    list_display = ["name", "workspace", "base_url", "model", "enabled"]
    list_filter = ["enabled"]
    search_fields = ["name", "model", "base_url"]
    exclude = ["encrypted_key"]


@admin.register(Budget)
class BudgetAdmin(ReadOnlyAdmin):
    list_display = ["workspace", "user", "period", "limit_usd", "spent_usd", "reserved_usd"]
    list_filter = ["period", "workspace"]


@admin.register(LexiconEntry)
class LexiconEntryAdmin(WorkspaceRowsAdmin):
    list_display = ["concept", "workspace", "statement", "created_by", "at"]
    list_filter = ["workspace"]
    search_fields = ["concept", "note"]


@admin.register(Visit, TwoStepRule, ModelHost)
class ConsoleRowAdmin(ReadOnlyAdmin):
    """What is changed in the console alone."""

    list_display = ["__str__"]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """What was done and by whom; the console's record also names what it was done to, to those who may read that."""

    list_display = ["at", "actor", "verb", "object_type", "object_id", "workspace"]
    fields = ["at", "actor", "verb", "object_type", "object_id", "workspace", "address"]
    list_filter = ["verb", "workspace"]
    search_fields = ["verb", "actor__username"]
    date_hierarchy = "at"


admin.site.register(AuditHead, ReadOnlyAdmin, list_display=["count", "digest"])
admin.site.register(SiteSetting, ReadOnlyAdmin, list_display=["name", "value", "changed_by", "changed_at"])
