"""Correcting the outline of a document by hand, as a new version with its author."""

import pytest

from tests.documents.conftest import stored_files
from tests.support.files import HANDBOOK, upload
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.storage.files import open_version
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture
def document(ready) -> Document:
    return ready(HANDBOOK, "handbook.md")


@pytest.fixture
def act(client, workspace, dora, document):
    """Post to an address of the outline as Dora, who edits."""
    client.force_login(dora)

    def post(path, /, **data):
        return client.post(f"/w/{workspace.slug}/documents/{document.pk}/outline/{path}", data)

    return post


def key_of(document, title: str) -> int:
    return document.current_version.sections.get(title=title).key


def leaf_with(document, words: str) -> int:
    tree = open_version(document.current_version).tree
    return next(key for key in tree.leaves() if words in tree.node(key).text)


def outline(document) -> list[tuple[int, str]]:
    document.refresh_from_db()
    return list(document.current_version.sections.values_list("depth", "title"))


def test_corrections_are_gathered_and_become_one_version(client, workspace, document, act, dora, read_waiting):
    act("correct/", key=key_of(document, "Leave"), act="rename", title="Days off")
    act("correct/", key=key_of(document, "Safety"), act="move", depth=2)
    answer = act("correct/", key=leaf_with(document, "Helmets"), act="split")
    assert answer.status_code == 302
    page = client.get(f"/w/{workspace.slug}/documents/{document.pk}/outline/").content.decode()
    assert "3 corrections" in page
    assert "“Leave” is called “Days off”" in page
    assert document.versions.count() == 1
    act("apply/")
    read_waiting()
    version = DocumentVersion.objects.get(number=2)
    assert (version.status, version.added_by, len(version.corrections)) == ("ready", dora, 3)
    assert outline(document) == [
        (1, "Handbook"), (2, "Days off"), (3, "Safety"), (4, "Helmets are worn in hall B at all times."),
    ]  # fmt: skip
    assert version.coverage == 1.0
    assert AuditEvent.objects.filter(verb="document.outline_corrected", actor=dora).exists()


def test_discarded_corrections_are_forgotten_and_none_are_taken_while_a_newer_version_is_read(
    client, workspace, document, act, alice
):
    act("correct/", key=key_of(document, "Leave"), act="join")
    act("discard/")
    assert act("apply/").status_code == 422
    assert document.versions.count() == 1

    services.add_version(document=document, user=alice, upload=upload(HANDBOOK + b"more", "handbook.md"))
    assert act("correct/", key=1, act="join").status_code == 409


def test_the_shared_file_goes_with_the_last_version(document, act, read_waiting, django_capture_on_commit_callbacks):
    act("correct/", key=key_of(document, "Leave"), act="join")
    act("apply/")
    read_waiting()
    file = document.current_version.file.name
    with django_capture_on_commit_callbacks(execute=True):
        DocumentVersion.objects.get(number=2).delete()
    assert file in stored_files()
    with django_capture_on_commit_callbacks(execute=True):
        services.purge_document(Document.objects.get())
    assert stored_files() == []


def test_missed_headings_are_offered_and_what_does_not_fit_is_refused(client, workspace, document, act):
    key = key_of(document, "Safety")
    page = client.get(f"/w/{workspace.slug}/documents/{document.pk}/outline/?section={key}").content.decode()
    assert "Helmets are worn" in page
    assert "Make it a heading" in page

    leave = key_of(document, "Leave")
    leaf = leaf_with(document, "30 days")
    for wrong in (
        {"key": 999, "act": "join"}, {"key": leaf, "act": "join"}, {"key": leave, "act": "split"},
        {"key": leave, "act": "rename", "title": " "}, {"key": leave, "act": "move"}, {"key": leave, "act": "dance"},
        {"key": "x", "act": "join"},
    ):  # fmt: skip
        assert act("correct/", **wrong).status_code == 422
    act("correct/", key=leave, act="join")
    assert act("correct/", key=leave, act="rename", title="x").status_code == 422
