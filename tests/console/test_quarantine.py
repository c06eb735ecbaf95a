"""A document in quarantine is listed and shown, and answers nothing until it is released."""

import pytest

from tests.console.conftest import ask, text
from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Folder
from vectorless_web.documents.selectors import closed_folders, readable_documents, visible_snapshot
from vectorless_web.documents.services import restrict_folder
from vectorless_web.runs.selectors import documents_in_scope
from vectorless_web.workspaces.models import AuditEvent, Membership, Role
from vectorless_web.workspaces.selectors import member_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(workspace, alice, settings, tmp_path):
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    return compiled_document(workspace, alice, b"# Leave handbook\n\nEverybody has 30 days of leave.\n", "leave.md")


def test_it_answers_nothing_until_it_is_released(staff, document, workspace, alice):
    place = member_workspace(alice, workspace.slug)
    run = ask(workspace, alice, whole_workspace=True)

    def answering() -> list:
        found = [*readable_documents(place, alice), *documents_in_scope(run)]
        rows = visible_snapshot(workspace.pk, closed_folders(alice.pk))
        return [*(row.pk for row in found), *rows.row_ids(rows.all_rows()).tolist()]

    assert answering() == [document.pk] * 3
    sent = {"document": document.pk, "reason": "It was withdrawn."}
    assert staff.post("/console/work/quarantine/", sent).status_code == 302
    assert answering() == []
    staff.post(f"/console/work/documents/{document.pk}/release/")
    assert answering() == [document.pk] * 3
    verbs = AuditEvent.objects.filter(verb__in=("document.quarantined", "document.released")).order_by("pk")
    assert [event.verb for event in verbs] == ["document.quarantined", "document.released"]


def test_it_is_shown_as_such_to_those_who_may_read_it_and_nothing_is_done_without_a_reason(
    staff, document, client, workspace, alice
):
    for wrong in ({"document": document.pk, "reason": " "}, {"document": "999", "reason": "x"}, {"reason": "x"}):
        assert staff.post("/console/work/quarantine/", wrong).status_code == 422

    staff.post("/console/work/quarantine/", {"document": document.pk, "reason": "It was withdrawn."})
    client.force_login(alice)
    for page in ("documents/", f"documents/{document.pk}/", "settings/health/"):
        assert "It was withdrawn." in text(client.get(f"/w/{workspace.slug}/{page}")), page
    assert client.post(f"/w/{workspace.slug}/settings/health/{document.pk}/release/").status_code == 302
    assert "It was withdrawn." not in text(client.get(f"/w/{workspace.slug}/documents/"))
    at = f"/w/{workspace.slug}/settings/health/{document.pk}/quarantine/"
    assert client.post(at, {"reason": " "}).status_code == 422


def test_the_console_names_no_document_of_a_folder_that_is_closed_to_the_administrator(
    staff, grace, document, workspace, alice
):
    staff.post("/console/work/quarantine/", {"document": document.pk, "reason": "Gentian was withdrawn."})
    assert "Leave handbook" not in text(staff.get("/console/work/")), "the administrator is no member"
    Membership.objects.create(workspace=workspace, user=grace, role=Role.VIEWER)
    assert "Leave handbook" in text(staff.get("/console/work/"))
    folder = Folder.objects.create(workspace=workspace, name="Board")
    restrict_folder(actor=alice, folder=folder, people=[alice])
    workspace.documents.update(folder=folder)
    page = text(staff.get("/console/work/"))
    assert "Leave handbook" not in page
    assert "Gentian" not in page
    assert f"Document {document.pk}" in page
