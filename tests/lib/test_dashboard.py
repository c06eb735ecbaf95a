"""The queues' dashboard is for superusers alone."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db
DASHBOARD = "/admin/django_rq/dashboard/"


def test_a_superuser_sees_the_queues(admin_client):
    assert admin_client.get(DASHBOARD).status_code == 200


def test_staff_with_every_permission_but_no_superuser_is_refused_everywhere(client, django_user_model):
    from django.contrib.auth.models import Permission

    staff = django_user_model.objects.create_user("staff", password="correct horse battery", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client.force_login(staff)
    addresses = [
        DASHBOARD,
        reverse("admin:django_rq_home"),
        reverse("admin:django_rq_jobs", args=[0]),
        f"{DASHBOARD}stats.json",
    ]
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(addresses, 403)
