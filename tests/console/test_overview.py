"""The console's first page says how every part of the site is."""

import pytest
from django.db import connection

from tests.console.conftest import ask
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.services import record

pytestmark = pytest.mark.django_db


def test_staff_see_only_the_places_they_may_open(client, alice, give):
    client.force_login(give(alice, "workspaces.view_auditevent"))
    page = client.get("/console/").content.decode()
    assert "/console/audit/" in page
    assert "/console/people/" not in page
    assert client.get("/console/audit/").status_code == 200


def test_it_names_parts_failures_versions_backups_and_pending_migrations(staff, workspace):
    page = staff.get("/console/").content.decode()
    assert "never verified" in page
    assert "none pending" in page
    assert "0.1.0" in page
    record(actor=None, verb="backup.verified", name="/backups/1")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'console'")
    page = staff.get("/console/").content.decode()
    assert "never verified" not in page
    assert "console.0001_squashed" in page

    for code in ("model_down", "model_down", "limit"):
        ask(workspace, status="failed", error_code=code)
    ModelProvider.objects.create(
        name="Big", base_url="https://m.example", model="m1", capabilities={"works": False, "tested_at": "x"}
    )
    record(actor=None, verb="backup.made", name="/backups/1")
    page = staff.get("/console/").content.decode()
    parts = ("Database", "Redis", "Workers on questions", "Page pictures", "Mail")
    for words in (*parts, "No worker works", "model_down"):
        assert words in page
    assert "just now" in page
    assert ">fails<" in page
