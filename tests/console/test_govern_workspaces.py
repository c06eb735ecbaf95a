"""Administrators and workspaces: an hour inside, limits, the archive, and a bin from which all comes back."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.console.conftest import ask, text
from vectorless_web.documents.services import add_document
from vectorless_web.infra.web.problems import Problem
from vectorless_web.sharing.services import LinkTerms, make_link, open_link
from vectorless_web.workspaces.models import AuditEvent, Visit, Workspace
from vectorless_web.workspaces.services import purge_workspaces

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(alice):
    browser = Client()
    browser.force_login(alice)
    return browser


@pytest.fixture
def act(staff, workspace):
    """Do something to the workspace in the console."""
    return lambda what, **data: staff.post(f"/console/workspaces/{workspace.pk}/{what}/", data)


def test_an_administrator_opens_a_workspace_for_an_hour_but_no_private_question_and_its_owners_are_told(
    staff, act, owner, workspace, bob
):
    inside = f"/w/{workspace.slug}/"
    assert staff.get(inside).status_code == 404
    assert act("visit", reason=" ").status_code == 422
    assert act("visit", reason="Bob cannot upload.").status_code == 302
    assert staff.get(inside).status_code == 200
    assert staff.get(f"{inside}settings/").status_code == 200
    told = text(owner.get(f"{inside}settings/record/"))
    assert "grace" in told and "Bob cannot upload." in told
    Visit.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert staff.get(inside).status_code == 404
    assert AuditEvent.objects.get(verb="workspace.visited").details["reason"] == "Bob cannot upload."

    run = ask(workspace, bob, private=True)
    act("visit", reason="To look.")
    assert staff.get(f"/w/{workspace.slug}/runs/{run.pk}/").status_code == 404
    act("visit/end")
    assert staff.get(f"/w/{workspace.slug}/").status_code == 404


def test_an_archived_workspace_is_read_and_not_changed(act, owner, workspace):
    act("archive")
    assert owner.get(f"/w/{workspace.slug}/").status_code == 200
    refused = owner.post(f"/w/{workspace.slug}/ask/", {"question": "How many?", "scope": "all"})
    assert refused.status_code == 403
    assert "archived" in text(owner.get(f"/w/{workspace.slug}/"))
    assert owner.get(f"/w/{workspace.slug}/settings/").status_code == 403
    act("reopen")
    assert owner.get(f"/w/{workspace.slug}/settings/").status_code == 200


def test_a_deleted_workspace_is_closed_to_all_comes_back_whole_and_goes_after_its_days(act, owner, workspace, alice):
    run = ask(workspace, alice)
    token = make_link(user=alice, run=run, terms=LinkTerms(days=7))[1]
    assert act("delete", name="wrong").status_code == 422
    act("delete", name=workspace.name)
    assert owner.get(f"/w/{workspace.slug}/").status_code == 404
    assert open_link(token) is None
    assert purge_workspaces() == 0
    act("restore")
    assert owner.get(f"/w/{workspace.slug}/runs/{run.pk}/").status_code == 200
    assert open_link(token) is not None
    assert act("restore").status_code == 409

    act("delete", name=workspace.name)
    Workspace.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    assert purge_workspaces() == 1
    assert not Workspace.objects.exists()
    assert AuditEvent.objects.filter(verb="workspace.purged", object_name=workspace.name).exists()


def test_a_limit_refuses_what_goes_beyond_it(act, workspace, alice, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path

    def upload(name: str) -> None:
        add_document(workspace=workspace, user=alice, upload=SimpleUploadedFile(name, f"# {name}".encode()))

    act("limit", max_documents=1, gigabytes="")
    upload("one.md")
    with pytest.raises(Problem) as refused:
        upload("two.md")
    assert refused.value.code == "workspace_full"
    act("limit", max_documents="", gigabytes="")
    upload("two.md")
    assert act("limit", max_documents=-1).status_code == 422
