"""The admin site: every model has its list and its page; accounts are changed by the rules, all else is looked at."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD
from tests.test_permissions import SECRET, world  # noqa: F401 - a fixture
from vectorless_web.workspaces.models import AuditEvent, Workspace

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

OURS = {app.label for app in apps.get_app_configs() if app.name.startswith("vectorless_web.")}
ALL = [model for model in apps.get_models() if model._meta.app_label in OURS and not model._meta.auto_created]
MODELS = [model for model in ALL if admin.site.is_registered(model)]


def address(model, page: str, *args) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_every_model_has_a_page_or_a_place_on_another():
    placed = {inline.model for model in MODELS for inline in admin.site.get_model_admin(model).inlines}
    assert set(ALL) == set(MODELS) | placed


def test_every_model_can_be_looked_at_in_few_queries(client, world, django_assert_max_num_queries):  # noqa: F811
    """By an administrator who belongs to the workspace and asked what was asked there."""
    client.force_login(raise_up(world.people["owner"]))
    for model in MODELS:
        with django_assert_max_num_queries(20):
            assert client.get(address(model, "changelist")).status_code == 200, model
        for row in model._default_manager.all()[:1]:
            assert client.get(address(model, "change", row.pk)).status_code == 200, model


CONFIGURATION = {"ModelProvider", "EmbeddingChoice", "ApiToken", "Webhook", "Delivery", "SignOnProvider"}
"""Named by who set them up, and of no document and no question."""


def test_texts_of_a_workspace_are_shown_to_administrators_who_belong_to_it_alone(admin_client, world):  # noqa: F811
    Workspace.objects.update(name="Quiet works")
    told = []
    for model in (model for model in MODELS if model.__name__ not in CONFIGURATION):
        pages = [address(model, "changelist")]
        pages += [address(model, "change", row.pk) for row in model._default_manager.all()]
        told += [page for page in pages if SECRET in admin_client.get(page, follow=True).content.decode()]
        if admin.site.get_model_admin(model).search_fields:
            found = admin_client.get(pages[0], {"q": SECRET}).context["cl"].result_count
            told += [f"{pages[0]} finds {found}"] if found else []
    assert told == []


def raise_up(person):
    """The same person as an administrator with every right."""
    person.is_staff = person.is_superuser = True
    person.save()
    return person


def test_staff_see_only_what_they_were_given(client, world):  # noqa: F811
    person = world.people["owner"]
    person.is_staff = True
    person.save()
    client.force_login(person)
    assert client.get(reverse("admin:documents_document_changelist")).status_code == 403


def tick(client, model, action: str, *rows, **more):
    """Choose an act for ticked rows in a list."""
    data = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(address(model, "changelist"), data, follow=True)


def verbs() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))


@pytest.fixture
def staff(django_user_model) -> Client:
    """Somebody of the staff who may change and delete everything, but is no superuser."""
    person = django_user_model.objects.create_user("sam", "sam@example.com", PASSWORD, is_staff=True)
    person.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(person)
    return client


def test_an_account_that_a_workspace_needs_is_not_deleted(staff, workspace, alice, bob, django_user_model):
    for person in (alice, bob):
        staff.post(address(django_user_model, "delete", person.pk), {"post": "yes"})
    tick(staff, django_user_model, "delete_selected", alice, post="yes")
    assert set(django_user_model.objects.values_list("username", flat=True)) == {"alice", "sam"}
    assert verbs().count("account.deleted") == 1


def test_staff_cannot_raise_themselves_nor_touch_superusers(staff, django_user_model):
    root = django_user_model.objects.create_superuser("root", "root@example.com", PASSWORD)
    sam = django_user_model.objects.get(username="sam")
    data = {"username": "sam", "is_active": "on", "is_superuser": "on", "is_staff": "on"}
    dates = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    staff.post(address(django_user_model, "change", sam.pk), {**data, **dates})
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
        assert staff.get(address(model, "add")).status_code == 403, model
        assert "_selected_action" not in staff.get(address(model, "changelist")).content.decode(), model
        for page in ("change", "delete") if row else ():
            assert staff.post(address(model, page, row.pk), {"post": "yes"}).status_code == 403, model
