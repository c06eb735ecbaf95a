"""Workspaces and people in the admin site. Every act goes through the services, which keep the rules and the record."""

from typing import Any

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers

from vectorless_web.infra.admin import ReadOnlyAdmin, ServiceAdmin
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces import services
from vectorless_web.workspaces.forms import BudgetForm, ProviderForm
from vectorless_web.workspaces.models import (
    AuditEvent,
    AuditHead,
    Budget,
    GroupMembership,
    Invitation,
    LexiconEntry,
    Membership,
    ModelProvider,
    PeopleGroup,
    Role,
    SiteSetting,
    Workspace,
)
from vectorless_web.workspaces.selectors import is_only_owner, people_in

# Its pages would show the secrets; an administrator switches two-step sign-in off with an account's page.
admin.site.unregister(Authenticator)
User = get_user_model()
admin.site.unregister(User)
RIGHTS = ("is_superuser", "groups", "user_permissions")


@admin.register(User)
class AccountAdmin(UserAdmin, ServiceAdmin):
    """People. Only superusers give rights or touch a superuser's account, so that no staff can raise themselves."""

    actions = ("make_reset_link", "switch_two_step_off")
    remove_notice = "Runs and documents stay, without the name. Switching an account off keeps the name."

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

    def why_kept(self, obj: Any) -> list[str]:
        """The only owner of a workspace stays."""
        return services.describe_orphaned_workspaces(obj)

    def remove(self, request: HttpRequest, obj: Any) -> None:
        """Delete the account."""
        kept = self.why_kept(obj)
        if kept:
            raise Problem(kept[0], code="account_needed", status=409)
        if obj.is_superuser and not request.user.is_superuser:
            raise Problem(f"{obj} is a superuser. Ask a superuser.", code="forbidden", status=403)
        services.record(actor=request.user, verb="account.deleted", target=obj)
        obj.delete()

    @admin.action(description="Make a link to choose a new password", permissions=["change"])
    def make_reset_link(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Show a one-time link for one account."""
        person = self._one(request, chosen)
        if person is None:
            return None
        try:
            path = services.make_reset_link(actor=request.user, user=person)
        except Problem as problem:
            self.message_user(request, problem.message, messages.ERROR)
            return None
        context = {**self.admin_site.each_context(request), "title": f"A new password for {person}", "person": person}
        link = request.build_absolute_uri(path)
        response = TemplateResponse(request, "admin/reset_link.html", {**context, "link": link, "opts": self.opts})
        add_never_cache_headers(response)
        return response

    @admin.action(description="Switch two-step sign-in off", permissions=["change"])
    def switch_two_step_off(self, request: HttpRequest, chosen: QuerySet[Any]) -> None:
        """For somebody who has lost the phone."""
        person = self._one(request, chosen)
        if person is not None:
            removed = services.remove_two_step(actor=request.user, user=person)
            sentence = f"Two-step sign-in is off for {person}." if removed else f"{person} has no two-step sign-in."
            self.message_user(request, sentence)

    def _one(self, request: HttpRequest, chosen: QuerySet[Any]) -> Any:
        """The one account that was ticked; None, and a notice, for several."""
        found = list(chosen[:2])
        if len(found) != 1:
            self.message_user(request, "Tick one account.", messages.WARNING)
            return None
        if not self.has_change_permission(request, found[0]):
            raise PermissionDenied
        return found[0]


class MembershipInline(admin.TabularInline):
    """Who belongs to a workspace; each is changed on a page of its own, where the rules hold."""

    model = Membership
    extra = 0
    can_delete = False
    show_change_link = True
    readonly_fields = ["user", "role", "joined_at"]
    fields = ["user", "role", "joined_at"]

    def has_add_permission(self, request: HttpRequest, obj: Workspace | None = None) -> bool:
        return False


@admin.register(Workspace)
class WorkspaceAdmin(ServiceAdmin):
    """Its limits are changed in its own settings, where they are checked; its address stays, so that links hold."""

    list_display = ["name", "slug", "created_by", "created_at"]
    list_select_related = ["created_by"]
    search_fields = ["name", "slug"]
    fields = ["name", "description", "slug", "settings", "created_by", "created_at"]
    readonly_fields = ["slug", "settings", "created_by", "created_at"]
    inlines = [MembershipInline]
    remove_notice = "Its documents, runs and links go with it, for everyone, at once. It cannot be undone."

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A workspace is made by whoever will own it."""
        return False

    def save_model(self, request: HttpRequest, obj: Workspace, form: forms.ModelForm, change: bool) -> None:
        """Store name and description."""
        services.update_workspace(
            actor=request.user, workspace=obj, name=obj.name, description=obj.description, settings={}
        )

    def remove(self, request: HttpRequest, obj: Workspace) -> None:
        """Delete the workspace."""
        services.delete_workspace(actor=request.user, workspace=obj)


class MembershipForm(forms.ModelForm):
    """A member's role, with the rule of the last owner."""

    class Meta:
        model = Membership
        fields = ["workspace", "user", "role"]

    def clean_role(self) -> str:
        """A workspace keeps an owner."""
        role: str = self.cleaned_data["role"]
        before = Membership.objects.filter(pk=self.instance.pk).select_related("user", "workspace").first()
        if before is not None and role != Role.OWNER and is_only_owner(before):
            raise ValidationError(services.needs_owner(before).message)
        return role


@admin.register(Membership)
class MembershipAdmin(ServiceAdmin):
    form = MembershipForm
    list_display = ["user", "workspace", "role", "joined_at"]
    list_filter = ["role", "workspace"]
    search_fields = ["user__username", "workspace__name"]
    autocomplete_fields = ["user", "workspace"]
    list_select_related = ["user", "workspace"]

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        """A membership stays that of its account in its workspace."""
        return ["workspace", "user", "joined_at"] if obj is not None else []

    def save_model(self, request: HttpRequest, obj: Membership, form: forms.ModelForm, change: bool) -> None:
        """Let somebody in, or give another role."""
        if change:
            services.change_role(actor=request.user, membership=obj, role=obj.role)
            return
        stored = services.add_member(workspace=obj.workspace, user=obj.user, role=obj.role, actor=request.user)
        obj.pk = stored.pk

    def why_kept(self, obj: Membership) -> list[str]:
        """The only owner stays."""
        return [services.needs_owner(obj).message] if is_only_owner(obj) else []

    def remove(self, request: HttpRequest, obj: Membership) -> None:
        """Take the member out."""
        services.remove_member(actor=request.user, membership=obj)


class GroupMembershipInline(admin.TabularInline):
    """The workspaces that a group is let into; owners do that on their members page."""

    model = GroupMembership
    extra = 0
    can_delete = False
    readonly_fields = ["workspace", "role", "joined_at"]
    fields = ["workspace", "role", "joined_at"]

    def has_add_permission(self, request: HttpRequest, obj: PeopleGroup | None = None) -> bool:
        return False


@admin.register(PeopleGroup)
class PeopleGroupAdmin(ServiceAdmin):
    """Groups of people, who are let into workspaces and folders together."""

    list_display = ["name", "description", "created_at"]
    search_fields = ["name"]
    autocomplete_fields = ["people"]
    fields = ["name", "description", "people"]
    inlines = [GroupMembershipInline]
    remove_notice = "Its people lose the workspaces and folders that they reach by this group alone."

    def save_model(self, request: HttpRequest, obj: PeopleGroup, form: forms.ModelForm, change: bool) -> None:
        """Store name and description."""
        services.save_group(actor=request.user, group=obj)

    def save_related(self, request: HttpRequest, form: forms.ModelForm, formsets: Any, change: bool) -> None:
        """Store who belongs to it."""
        services.set_people(actor=request.user, group=form.instance, people=form.cleaned_data["people"])
        for formset in formsets:
            self.save_formset(request, form, formset, change=change)

    def remove(self, request: HttpRequest, obj: PeopleGroup) -> None:
        """Delete the group."""
        services.delete_group(actor=request.user, group=obj)


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Read-only but for revoking: an invitation is made where its link can be shown."""

    list_display = ["workspace", "role", "email", "created_by", "expires_at", "accepted_by", "revoked_at"]
    list_select_related = ["workspace", "created_by", "accepted_by"]
    list_filter = ["role", "workspace"]
    exclude = ["token_hash"]
    actions = ["revoke"]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Who may change invitations may close them."""
        return request.user.has_perm("workspaces.change_invitation")

    @admin.action(description="Revoke the chosen invitations", permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Invitation]) -> None:
        """Close their links."""
        for invitation in chosen.select_related("workspace"):
            services.revoke_invitation(actor=request.user, invitation=invitation)


class ProviderAdminForm(ProviderForm):
    """The provider's form of the settings pages, for a provider of any workspace or of the whole site."""

    class Meta(ProviderForm.Meta):
        fields = ["workspace", *ProviderForm.Meta.fields]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = kwargs.get("instance")
        super().__init__(*args, workspace=given.workspace if given is not None else None, **kwargs)
        self.fields[
            "api_key"
        ].help_text = "Never shown. Empty keeps the stored key; with another address the stored key is forgotten."


@admin.register(ModelProvider)
class ModelProviderAdmin(ServiceAdmin):
    """The stored key can be replaced here, never seen; with another address it is forgotten."""

    form = ProviderAdminForm
    list_display = ["name", "workspace", "base_url", "model", "enabled"]
    list_select_related = ["workspace"]
    list_filter = ["enabled"]
    search_fields = ["name", "model", "base_url"]
    readonly_fields = ["capabilities", "created_at"]

    def get_readonly_fields(self, request: HttpRequest, obj: ModelProvider | None = None) -> list[str]:
        """A provider, and with it its key, stays with its workspace."""
        return [*self.readonly_fields, "workspace"] if obj is not None else list(self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: ModelProvider, form: forms.ModelForm, change: bool) -> None:
        """Store the provider; the service decides what becomes of the key."""
        services.save_provider(actor=request.user, provider=obj, api_key=form.cleaned_data["api_key"])

    def remove(self, request: HttpRequest, obj: ModelProvider) -> None:
        """Forget the provider and its key."""
        services.remove_provider(actor=request.user, provider=obj)


class BudgetAdminForm(BudgetForm):
    """The budget's form of the settings pages, for any workspace."""

    class Meta(BudgetForm.Meta):
        fields = ["workspace", *BudgetForm.Meta.fields]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = kwargs.get("instance")
        super().__init__(*args, workspace=given.workspace if given is not None else None, **kwargs)

    def clean(self) -> dict[str, Any]:
        """A budget is a member's of its workspace."""
        values = super().clean() or self.cleaned_data
        person, workspace = values.get("user"), values.get("workspace")
        if person and workspace and not people_in(workspace).filter(pk=person.pk).exists():
            self.add_error("user", f"{person} does not belong to {workspace}.")
        return values


@admin.register(Budget)
class BudgetAdmin(ServiceAdmin):
    form = BudgetAdminForm
    list_display = ["workspace", "user", "period", "limit_usd", "spent_usd", "reserved_usd"]
    list_select_related = ["workspace", "user"]
    list_filter = ["period", "workspace"]
    readonly_fields = ["spent_usd", "reserved_usd", "period_start"]

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> list[str]:
        """A budget stays that of its workspace or member."""
        return [*self.readonly_fields, "workspace", "user"] if obj is not None else list(self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: Budget, form: forms.ModelForm, change: bool) -> None:
        """Set the limit, in place of the one there is."""
        obj.pk = services.set_budget(actor=request.user, budget=obj).pk

    def remove(self, request: HttpRequest, obj: Budget) -> None:
        """Lift the limit."""
        services.remove_budget(actor=request.user, budget=obj)


@admin.register(LexiconEntry)
class LexiconEntryAdmin(ServiceAdmin):
    """Read-only but for deleting: entries are written where they are checked and can be tried."""

    list_display = ["concept", "workspace", "statement", "created_by", "at"]
    list_select_related = ["workspace", "created_by"]
    list_filter = ["workspace"]
    search_fields = ["concept", "note"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: LexiconEntry | None = None) -> bool:
        return False

    def remove(self, request: HttpRequest, obj: LexiconEntry) -> None:
        """Delete the entry."""
        services.remove_entry(actor=request.user, entry=obj)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "verb", "object_type", "object_name", "workspace"]
    list_select_related = ["actor", "workspace"]
    list_filter = ["verb", "workspace"]
    search_fields = ["object_name", "verb", "actor__username"]
    date_hierarchy = "at"


@admin.register(AuditHead)
class AuditHeadAdmin(ReadOnlyAdmin):
    list_display = ["count", "digest"]


@admin.register(SiteSetting)
class SiteSettingAdmin(ReadOnlyAdmin):
    list_display = ["name", "value", "changed_by", "changed_at"]
    list_select_related = ["changed_by"]
