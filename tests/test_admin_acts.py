"""What is done in the admin site is done by the services: the same rules, the same record."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.documents.conftest import add, ready  # noqa: F401 - fixtures
from vectorless_web.documents.models import Document
from vectorless_web.documents.services import restore_document
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import (
    AuditEvent,
    Budget,
    LexiconEntry,
    Membership,
    ModelProvider,
    Role,
    Workspace,
)
from vectorless_web.workspaces.selectors import settings_of
from vectorless_web.workspaces.storage import encrypt

pytestmark = pytest.mark.django_db

KEY = "sk-very-secret-1234567890"


def admin(model, page: str, *args) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def tick(client, model, action: str, *rows, **more):
    """Choose an act for ticked rows in a list."""
    data = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(admin(model, "changelist"), data, follow=True)


def verbs() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))


@pytest.fixture
def staff(django_user_model) -> Client:
    """Somebody of the staff who may change and delete everything, but is no superuser."""
    from django.contrib.auth.models import Permission

    person = django_user_model.objects.create_user("sam", "sam@example.com", PASSWORD, is_staff=True)
    person.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(person)
    return client


class TestProviders:
    @pytest.fixture
    def provider(self, workspace) -> ModelProvider:
        return ModelProvider.objects.create(
            workspace=workspace, name="M", base_url="https://m.example/v1", model="m", encrypted_key=encrypt(KEY)
        )

    def change(self, client, provider, **values):
        data = {"name": "M", "base_url": provider.base_url, "model": "m", "price_in": 0, "price_out": 0}
        data |= {"context_size": 9000, "enabled": "on", "api_key": "", **values}
        return client.post(admin(ModelProvider, "change", provider.pk), data)

    def test_another_address_forgets_the_key_and_is_recorded(self, staff, provider):
        assert self.change(staff, provider, base_url="https://evil.example/v1").status_code == 302

        provider.refresh_from_db()
        assert (settings_of(provider).base_url, settings_of(provider).api_key) == ("https://evil.example/v1", "")
        event = AuditEvent.objects.get(verb="provider.changed")
        assert (event.actor.username, event.details["from"]) == ("sam", "https://m.example/v1")

    def test_a_new_key_may_be_given_in_the_same_act(self, staff, provider):
        self.change(staff, provider, base_url="https://new.example/v1", api_key="sk-new")
        provider.refresh_from_db()
        assert settings_of(provider).api_key == "sk-new"

    def test_other_changes_keep_the_key(self, staff, provider):
        assert self.change(staff, provider, model="larger").status_code == 302
        provider.refresh_from_db()
        assert (provider.model, settings_of(provider).api_key) == ("larger", KEY)

    def test_it_stays_with_its_workspace(self, staff, provider, bob):
        from vectorless_web.workspaces.services import create_workspace

        other = create_workspace(user=bob, name="Other")
        self.change(staff, provider, workspace=other.pk)
        provider.refresh_from_db()
        assert provider.workspace.name == "Acme diligence"

    def test_addresses_are_checked_as_on_the_page(self, staff, provider):
        for address in ("https://m.example/v1\r\nX: y", "http://10.1.2.3/v1"):
            assert self.change(staff, provider, base_url=address).status_code == 200
        provider.refresh_from_db()
        assert provider.base_url == "https://m.example/v1"

    def test_one_for_the_whole_site_is_added_with_its_key(self, staff):
        data = {"name": "Site", "base_url": "https://s.example/v1", "model": "s", "price_in": 0, "price_out": 0}
        staff.post(admin(ModelProvider, "add"), {**data, "context_size": 9000, "enabled": "on", "api_key": KEY})
        row = ModelProvider.objects.get(workspace=None)
        assert settings_of(row).api_key == KEY
        assert verbs() == ["provider.added"]

    def test_deleting_is_recorded_one_or_many(self, staff, provider, workspace):
        other = ModelProvider.objects.create(workspace=workspace, name="N", base_url="https://n.example", model="n")
        staff.post(admin(ModelProvider, "delete", provider.pk), {"post": "yes"})
        tick(staff, ModelProvider, "delete_selected", other, post="yes")
        assert not ModelProvider.objects.exists()
        assert verbs().count("provider.removed") == 2


@pytest.mark.django_db(transaction=True)
class TestDocuments:
    def test_deleting_hides_them_and_can_be_undone(self, staff, ready, alice):  # noqa: F811
        document = ready()
        page = staff.get(admin(Document, "delete", document.pk)).content.decode()
        assert "kept in the bin" in page

        staff.post(admin(Document, "delete", document.pk), {"post": "yes"})

        document.refresh_from_db()
        assert document.deleted_at is not None
        assert AuditEvent.objects.get(verb="document.deleted").actor.username == "sam"
        restore_document(actor=alice, document=document)
        tick(staff, Document, "delete_selected", document, post="yes")
        document.refresh_from_db()
        assert document.deleted_at is not None
        tick(staff, Document, "restore", document)
        document.refresh_from_db()
        assert document.deleted_at is None
        assert verbs().count("document.deleted") == verbs().count("document.restored") == 2

    def test_another_title_and_folder_are_recorded(self, staff, ready, workspace, bob):  # noqa: F811
        from vectorless_web.documents.models import Folder
        from vectorless_web.workspaces.services import create_workspace

        document = ready()
        own = Folder.objects.create(workspace=workspace, name="Reports")
        foreign = Folder.objects.create(workspace=create_workspace(user=bob, name="Other"), name="Theirs")
        address = admin(Document, "change", document.pk)
        versions = {f"versions-{name}": 0 for name in ("TOTAL_FORMS", "INITIAL_FORMS")}
        assert staff.post(address, {"title": "New", "folder": foreign.pk, **versions}).status_code == 200
        assert staff.post(address, {"title": "New", "folder": own.pk, **versions}).status_code == 302
        document.refresh_from_db()
        assert (document.title, document.folder) == ("New", own)
        assert {"document.renamed", "documents.moved"} <= set(verbs())


class TestPeople:
    def test_the_only_owner_is_not_deleted_nor_given_another_role(self, staff, workspace, alice, bob):
        own = Membership.objects.get(user=alice)
        page = staff.get(admin(Membership, "delete", own.pk)).content.decode()
        assert "alice is the only owner of Acme diligence" in page

        staff.post(admin(Membership, "delete", own.pk), {"post": "yes"})
        tick(staff, Membership, "delete_selected", own, post="yes")
        refused = staff.post(admin(Membership, "change", own.pk), {"role": "viewer"})

        assert "only owner" in refused.content.decode()
        assert Membership.objects.get(user=alice).role == Role.OWNER

    def test_two_owners_ticked_together_leave_one(self, staff, workspace, alice, bob):
        Membership.objects.filter(user=bob).update(role=Role.OWNER)
        answer = tick(staff, Membership, "delete_selected", *Membership.objects.all(), post="yes")
        assert "is the only owner" in answer.content.decode()
        assert Membership.objects.get().role == Role.OWNER

    def test_roles_and_members_are_recorded(self, staff, workspace, bob, charlie):
        row = Membership.objects.get(user=bob)
        staff.post(admin(Membership, "change", row.pk), {"role": "editor", "user": charlie.pk})
        staff.post(admin(Membership, "add"), {"workspace": workspace.pk, "user": charlie.pk, "role": "viewer"})
        staff.post(admin(Membership, "delete", row.pk), {"post": "yes"})
        assert dict(Membership.objects.values_list("user__username", "role")) == {"alice": "owner", "charlie": "viewer"}
        assert verbs()[-3:] == ["member.role_changed", "member.added", "member.removed"]
        assert AuditEvent.objects.first().actor.username == "sam"

    def test_an_account_that_a_workspace_needs_is_not_deleted(self, staff, workspace, alice, bob, django_user_model):
        for person in (alice, bob):
            staff.post(admin(django_user_model, "delete", person.pk), {"post": "yes"})
        tick(staff, django_user_model, "delete_selected", alice, post="yes")
        assert set(django_user_model.objects.values_list("username", flat=True)) == {"alice", "sam"}
        assert verbs().count("account.deleted") == 1

    def test_staff_cannot_raise_themselves_nor_touch_superusers(self, staff, django_user_model):
        root = django_user_model.objects.create_superuser("root", "root@example.com", PASSWORD)
        sam = django_user_model.objects.get(username="sam")
        data = {"username": "sam", "is_active": "on", "is_superuser": "on", "is_staff": "on"}
        dates = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
        staff.post(admin(django_user_model, "change", sam.pk), {**data, **dates})
        sam.refresh_from_db()
        assert not sam.is_superuser
        assert staff.post(f"/admin/auth/user/{root.pk}/password/", {"password1": "x" * 12}).status_code == 403
        tick(staff, django_user_model, "make_reset_link", root)
        tick(staff, django_user_model, "delete_selected", root, post="yes")
        assert django_user_model.objects.filter(username="root").exists()
        assert "account.reset_link_made" not in verbs()

    def test_a_link_to_choose_a_new_password_is_shown_once_and_recorded(self, staff, alice, django_user_model):
        answer = tick(staff, django_user_model, "make_reset_link", alice)
        path = "/accounts/password/reset/key/"
        assert path in answer.content.decode()
        assert path not in staff.get(admin(django_user_model, "changelist")).content.decode()
        assert verbs() == ["account.reset_link_made"]

    def test_a_lost_second_step_is_switched_off(self, staff, alice, django_user_model):
        from allauth.mfa.models import Authenticator

        Authenticator.objects.create(user=alice, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        tick(staff, django_user_model, "switch_two_step_off", alice)
        assert not Authenticator.objects.exists()


class TestRest:
    def test_budgets_are_set_and_lifted_by_the_service(self, staff, workspace, bob, charlie):
        data = {"workspace": workspace.pk, "period": "month", "limit_usd": "5"}
        assert staff.post(admin(Budget, "add"), {**data, "user": charlie.pk}).status_code == 200, "no member"
        assert staff.post(admin(Budget, "add"), {**data, "limit_usd": "-1"}).status_code == 200
        staff.post(admin(Budget, "add"), {**data, "user": bob.pk})
        row = Budget.objects.get()
        staff.post(admin(Budget, "change", row.pk), {"period": "month", "limit_usd": "7"})
        row.refresh_from_db()
        assert (row.user, row.limit_usd) == (bob, 7)
        staff.post(admin(Budget, "delete", row.pk), {"post": "yes"})
        assert verbs()[-3:] == ["budget.set", "budget.set", "budget.removed"]

    def test_a_workspace_keeps_its_address_and_limits_and_its_end_is_recorded(self, staff, workspace):
        members = {f"memberships-{name}": 0 for name in ("TOTAL_FORMS", "INITIAL_FORMS")}
        values = {"name": "New name", "description": "", "slug": "x", "settings": '{"max_steps": 999}', **members}
        assert staff.post(admin(Workspace, "change", workspace.pk), values).status_code == 302
        workspace.refresh_from_db()
        assert (workspace.name, workspace.slug, workspace.setting("max_steps")) == ("New name", "acme-diligence", 6)
        staff.post(admin(Workspace, "delete", workspace.pk), {"post": "yes"})
        assert not Workspace.objects.exists()
        assert verbs()[-2:] == ["workspace.changed", "workspace.deleted"]

    def test_words_of_a_workspace_are_removed_on_the_record(self, staff, workspace):
        entry = LexiconEntry.objects.create(workspace=workspace, concept="leave", phrases=["days off"])
        tick(staff, LexiconEntry, "delete_selected", entry, post="yes")
        assert verbs()[-1] == "lexicon.removed"

    def test_share_links_are_revoked_and_not_deleted(self, staff):
        assert "delete_selected" not in staff.get(admin(ShareLink, "changelist")).content.decode()
