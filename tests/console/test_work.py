"""Documents and runs, links, workspaces, models and settings of the whole site; and every act is recorded."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.utils import timezone

from tests.console.conftest import text
from tests.console.test_models import MODEL
from tests.console.test_sign_in_rules import PROVIDER
from tests.test_permissions import MATRIX, STAFF, undone, world  # noqa: F401 - a fixture
from vectorless_web.console.models import SavedSearch
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.runs.models import Run
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import AuditEvent, PeopleGroup, SiteSetting, TwoStepRule, Visit, Workspace

pytestmark = pytest.mark.django_db
REFUSED_WITHOUT_A_JOB = {"console:drain_worker", "console:stop_job", "console:retry_job", "console:forget_job"}
"""Acts that the rows of the matrix ask of nothing; tests/console/test_queues.py asks them of something."""


def test_what_needs_a_look_is_shown_and_put_right_and_links_are_closed(staff, world):  # noqa: F811
    run = Run.objects.get(pk=world.keys["run"])
    page = text(staff.get("/console/work/"))
    assert "Zebrafish failed" not in page, "a document's title is its workspace's members' to read"
    for words in ("Zebrafish works", f"Question</b> {run.pk}", "Waiting"):
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

    assert "Zebrafish works" in text(staff.get("/console/links/"))
    with undone():
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert "Nothing is shared" in text(staff.get("/console/links/"))
    staff.post(f"/console/links/{world.keys['link']}/revoke/")
    assert "Nothing is shared" in text(staff.get("/console/links/"))
    assert staff.post("/console/links/99999/revoke/").status_code == 404

    page = staff.get("/console/workspaces/")
    row = page.context["workspaces"][0]
    assert (row.member_count, row.document_count) == (6, 3)
    assert row.stored_bytes > 2
    assert "Zebrafish works" in text(page)

    page = text(staff.get("/console/models/"))
    assert "Zebrafish model" in page
    assert "not tried" in page

    DocumentVersion.objects.filter(status="ready").update(engine_version="old")
    assert "Read all of them again" in text(staff.get("/console/work/"))
    staff.post("/console/work/recompile/")
    assert DocumentVersion.objects.get(pk=world.keys["version"]).repair == "queued"
    assert AuditEvent.objects.get(verb="documents.recompiled").details == {"versions": 1}


def test_settings_show_values_never_secrets_and_combinations_that_lose_or_open_things(staff, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    settings.DEBUG, settings.ALLOWED_HOSTS, settings.HTTPS = False, ["testserver", "ask.example"], False
    page = text(staff.get("/console/settings/"))
    assert "ask.example" in page
    assert "set, not shown" in page
    assert "sk-very-secret" not in page
    assert settings.SECRET_KEY not in page
    assert "passwords go over the network" in page

    settings.BACKUPS = settings.VAR / "backups"
    settings.KEEP_DAYS, settings.AUDIT_STREAM = {**settings.KEEP_DAYS, "audit": 90}, ""
    page = text(staff.get("/console/settings/"))
    assert "one broken disk takes both" in page
    assert "nothing keeps them" in page
    settings.AUDIT_STREAM = "rubbish"
    assert "VECTORLESS_AUDIT_STREAM is a path" in text(staff.get("/console/settings/"))


def test_a_test_mail_goes_to_who_asks(staff, grace):
    staff.post("/console/settings/test-mail/")
    assert mail.outbox[0].to == [grace.email]
    grace.email = ""
    grace.save()
    assert staff.post("/console/settings/test-mail/").status_code == 409


ACTS = [row for row in MATRIX if row.needs == STAFF and row.method == "post" and row.name not in REFUSED_WITHOUT_A_JOB]


SENT = {
    "console:invite": lambda here: {"workspace": here.keys["workspace"], "role": "viewer", "days": 7},
    "console:hand_over": lambda here: {"to": "owner"},
    "console:quarantine": lambda here: {"document": here.keys["document"], "reason": "wrong"},
    "console:delete_workspace": lambda here: {"name": "Zebrafish works"},
    "console:add_model": lambda here: {**MODEL, "base_url": "https://m.example/v1"},
    "console:change_model": lambda here: {**MODEL, "base_url": "https://m.example/v1"},
    "console:allow_host": lambda here: {"host": "n.example"},
    "console:add_sign_on": lambda here: PROVIDER,
    "console:change_sign_on": lambda here: PROVIDER,
    "console:plan_read_only": lambda here: {"reason": "a new disk"},
}
"""What is sent where the matrix sends too little for the act to be done."""


CLOSED_BY = {"console:reopen_workspace": "archived_at", "console:restore_workspace": "deleted_at"}
SITE = {
    "console:clear_period": [("keep.runs", {"days": 9})],
    "console:end_read_only": [("read_only", {"begins": "2020-01-01T00:00:00+00:00"})],
}
"""What of the site must be set before it can be taken back."""


def set_up(here, grace, name: str) -> None:
    """What must be there before an act changes something."""
    workspace = Workspace.objects.filter(pk=here.keys["workspace"])
    group, person = here.keys["people_group"], here.keys["person"]
    for setting, value in SITE.get(name, ()):
        SiteSetting.objects.create(name=setting, value=value)
    match name:
        case "console:remove_two_step":
            Authenticator.objects.create(user_id=person, type="totp", data={})
        case "console:release":
            Document.objects.filter(pk=here.keys["document"]).update(quarantined_at=timezone.now())
        case "console:replay_run":
            Run.objects.filter(pk=here.keys["run"]).update(status="answered")
        case "console:end_visit":
            end = timezone.now() + timedelta(minutes=5)
            Visit.objects.create(workspace=workspace.get(), user=grace, reason="x", ends_at=end)
        case "console:reopen_workspace" | "console:restore_workspace":
            workspace.update(**{CLOSED_BY[name]: timezone.now()})
        case "console:waive_for_group" | "console:waive_two_step":
            TwoStepRule.objects.create(**({"group_id": group} if "group" in name else {"user_id": person}))
        case "console:waive_for_all":
            TwoStepRule.objects.create()
            Authenticator.objects.create(user=grace, type="totp", data={})
        case "console:take_from_group":
            PeopleGroup.objects.get(pk=group).people.add(person)


def test_every_act_is_recorded_with_who_did_it(staff, grace, world):  # noqa: F811
    for row in ACTS:
        with undone():
            SavedSearch.objects.create(pk=1, owner=grace, name="Mine")
            set_up(world, grace, row.name)
            before = AuditEvent.objects.filter(actor=grace).count()
            response = staff.post(world.address(row), SENT[row.name](world) if row.name in SENT else row.data)
            assert response.status_code in (200, 302), row.name
            assert AuditEvent.objects.filter(actor=grace).count() > before, row.name
