"""What the admin site lets staff do: accounts and their rights, by the rules; everything else is looked at."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.test_admin import MODELS
from tests.test_permissions import world  # noqa: F401 - a fixture
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


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


class TestPeople:
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


def test_what_a_service_owns_is_only_looked_at(staff, world):  # noqa: F811 - the fixture
    for model in (each for each in MODELS if each._meta.app_label != "auth"):
        row = model._default_manager.first()
        assert staff.get(admin(model, "add")).status_code == 403, model
        assert "_selected_action" not in staff.get(admin(model, "changelist")).content.decode(), model
        for page in ("change", "delete") if row else ():
            assert staff.post(admin(model, page, row.pk), {"post": "yes"}).status_code == 403, model
