"""Documents and runs, links, workspaces, models and settings of the whole site; and every act is recorded."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from tests.test_permissions import MATRIX, STAFF, world  # noqa: F401 - a fixture
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.runs.models import Run
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import AuditEvent, SiteSetting

pytestmark = pytest.mark.django_db
REFUSED_WITHOUT_A_JOB = {"console:drain_worker", "console:stop_job", "console:retry_job", "console:forget_job"}
"""Acts that the rows of the matrix ask of nothing; tests/console/test_queues.py asks them of something."""


def text(response) -> str:
    return response.content.decode()


def test_what_needs_a_look_is_shown_and_put_right(staff, world):  # noqa: F811
    run = Run.objects.get(pk=world.keys["run"])
    page = text(staff.get("/console/work/"))
    for words in ("Zebrafish failed", "Zebrafish works", f"Question</b> {run.pk}", "Waiting"):
        assert words.replace("</b>", "") in page.replace("</b>", "")
    assert run.question not in page, "what people ask is not the administrator's to read"
    staff.post(f"/console/work/runs/{run.pk}/stop/")
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert staff.post(f"/console/work/runs/{run.pk}/stop/").status_code == 409
    failed = DocumentVersion.objects.get(document=world.keys["failed"])
    staff.post(f"/console/work/versions/{failed.pk}/read-again/")
    failed.refresh_from_db()
    assert failed.status == "queued"


def test_everything_of_an_old_compiler_is_compiled_again(staff, world):  # noqa: F811
    DocumentVersion.objects.filter(status="ready").update(engine_version="old")
    assert "Compile all old ones again" in text(staff.get("/console/work/"))
    staff.post("/console/work/recompile/")
    assert DocumentVersion.objects.get(pk=world.keys["version"]).repair == "queued"
    assert AuditEvent.objects.get(verb="documents.recompiled").details == {"versions": 1}


def test_live_links_are_listed_and_closed(staff, world):  # noqa: F811
    assert "Zebrafish works" in text(staff.get("/console/links/"))
    staff.post(f"/console/links/{world.keys['link']}/revoke/")
    assert "Nothing is shared" in text(staff.get("/console/links/"))
    assert staff.post("/console/links/99999/revoke/").status_code == 404


def test_links_that_have_ended_are_not_listed(staff, world):  # noqa: F811
    ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "Nothing is shared" in text(staff.get("/console/links/"))


def test_workspaces_say_how_large_they_are(staff, world):  # noqa: F811
    page = staff.get("/console/workspaces/")
    row = page.context["workspaces"][0]
    assert (row.member_count, row.document_count) == (5, 3)
    assert row.stored_bytes > 2
    assert "Zebrafish works" in text(page)


def test_models_are_listed_without_their_keys(staff, world):  # noqa: F811
    page = text(staff.get("/console/models/"))
    assert "Zebrafish model" in page
    assert "not tried" in page


def test_settings_show_values_and_never_secrets(staff, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    settings.DEBUG, settings.ALLOWED_HOSTS, settings.HTTPS = False, ["testserver", "ask.example"], False
    page = text(staff.get("/console/settings/"))
    assert "ask.example" in page
    assert "set, not shown" in page
    assert "sk-very-secret" not in page
    assert settings.SECRET_KEY not in page
    assert "passwords go over the network" in page


def test_a_test_mail_goes_to_who_asks(staff, grace):
    staff.post("/console/settings/test-mail/")
    assert mail.outbox[0].to == [grace.email]
    grace.email = ""
    grace.save()
    assert staff.post("/console/settings/test-mail/").status_code == 409


ACTS = [row for row in MATRIX if row.needs == STAFF and row.method == "post" and row.name not in REFUSED_WITHOUT_A_JOB]


@pytest.mark.parametrize("row", ACTS, ids=lambda row: row.name)
def test_every_act_is_recorded_with_who_did_it(staff, grace, world, row):  # noqa: F811
    DocumentVersion.objects.filter(pk=world.keys["version"]).update(error_code="")
    data = {
        "console:invite": {"workspace": world.keys["workspace"], "role": "viewer", "days": 7},
        "console:hand_over": {"to": "owner"},
        "console:remove_two_step": {},
        "console:plan_read_only": {"reason": "a new disk"},
    }.get(row.name, row.data)
    if row.name in ("console:clear_period", "console:end_read_only"):
        SiteSetting.objects.create(name="keep.runs", value={"days": 9})
        SiteSetting.objects.create(name="read_only", value={"begins": timezone.now().isoformat()})
    if row.name == "console:remove_two_step":
        from allauth.mfa.models import Authenticator

        Authenticator.objects.create(user_id=world.keys["person"], type="totp", data={})
    before = AuditEvent.objects.count()
    response = staff.post(world.address(row), data)
    assert response.status_code in (200, 302)
    assert AuditEvent.objects.filter(actor=grace).count() >= 1
    assert AuditEvent.objects.count() > before
