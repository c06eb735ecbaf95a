"""A folder is renamed and deleted; owners name who may see it, and its documents exist for nobody else."""

import pytest

from tests.support.files import upload
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, Folder
from vectorless_web.documents.selectors import (
    documents_in,
    folders_of,
    readable_documents,
    readable_versions,
    same_content,
)
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import AuditEvent, PeopleGroup, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(client, workspace, alice, ready):
    """A folder "Letters" with one document, as Alice sees it."""
    folder = services.create_folder(actor=alice, workspace=workspace, name="Letters")
    document = ready(b"# Hello\n\nDear all.\n", "hello.md")
    services.move_documents(actor=alice, workspace=workspace, documents=[document], folder=folder)
    client.force_login(alice)
    return folder


@pytest.fixture
def do(client, workspace, letters):
    """Post to the folder's address."""

    def post(act, **data):
        return client.post(f"/w/{workspace.slug}/documents/folders/{letters.pk}/{act}/", data, follow=True)

    return post


def test_a_folder_gets_another_name_and_is_shown_with_it(do, letters):
    page = do("rename", name="Mail").content.decode()
    letters.refresh_from_db()
    assert letters.name == "Mail"
    assert 'value="Mail"' in page
    assert "Hello" in page


@pytest.mark.parametrize(("name", "status"), [("", 422), ("x" * 121, 422), ("Board", 409)])
def test_a_name_that_cannot_be_is_refused_with_a_sentence_and_changes_nothing(
    do, letters, alice, workspace, name, status
):
    services.create_folder(actor=alice, workspace=workspace, name="Board")
    refused = do("rename", name=name)
    assert (refused.status_code, Folder.objects.get(pk=letters.pk).name) == (status, "Letters")


def test_a_deleted_folder_leaves_its_documents_in_no_folder(do, letters, workspace):
    page = do("delete").content.decode()
    assert "The folder Letters is deleted." in page
    assert not Folder.objects.filter(pk=letters.pk).exists()
    assert [document.folder for document in workspace.documents.all()] == [None]
    assert "Hello" in page


def test_a_restricted_folder_is_not_deleted_and_its_menu_says_what_comes_first(do, client, alice, letters, workspace):
    services.restrict_folder(actor=alice, folder=letters, people=[alice])
    shown = client.get(f"/w/{workspace.slug}/documents/?folder={letters.pk}").content.decode()
    assert "an owner lets everyone in first" in shown
    assert do("delete").status_code == 409
    assert Folder.objects.filter(pk=letters.pk).exists()


TEXT = b"# Pay\n\nThe director is paid 90,000.\n"


@pytest.fixture
def pay(workspace, alice, ready) -> Document:
    """A document in the folder "Board", which nobody has restricted."""
    document = ready(TEXT, "pay.md")
    folder = services.create_folder(actor=alice, workspace=workspace, name="Board")
    services.move_documents(actor=alice, workspace=workspace, documents=[document], folder=folder)
    document.refresh_from_db()
    return document


def exists_for(user, document) -> bool:
    return documents_in(document.workspace, user).filter(pk=document.pk).exists()


def test_an_owner_restricts_it_to_people_or_to_a_group_and_names_no_stranger(pay, bob, charlie, act, alice, workspace):
    assert exists_for(bob, pay)
    assert act(alice, f"folders/{pay.folder_id}/restrict/", people=[charlie.pk]).status_code == 422
    assert not Folder.objects.get().restricted

    act(alice, f"folders/{pay.folder_id}/restrict/", people=[bob.pk])
    assert exists_for(bob, pay) and not exists_for(alice, pay)
    assert folders_of(workspace, alice) == []
    event = AuditEvent.objects.get(verb="folder.restricted")
    assert event.details == {"people": ["bob"], "groups": []}

    counsel = PeopleGroup.objects.create(name="Counsel")
    act(alice, f"folders/{pay.folder_id}/restrict/", groups=[counsel.pk])
    assert not exists_for(bob, pay)
    counsel.people.add(bob)
    assert exists_for(bob, pay)


def test_a_program_opens_what_a_question_may_read_and_nothing_else(pay, ready, workspace, alice, bob, charlie, dora):
    secret = services.create_folder(actor=alice, workspace=workspace, name="Counsel's")
    open_one, closed = ready(b"# Open\n\nFor all.\n", "open.md"), ready(b"# Closed\n\nFor some.\n", "closed.md")
    gone, held = ready(b"# Gone\n\nDeleted.\n", "gone.md"), ready(b"# Held\n\nHeld back.\n", "held.md")
    services.move_documents(actor=alice, workspace=workspace, documents=[closed], folder=secret)
    counsel = PeopleGroup.objects.create(name="Counsel")
    counsel.people.add(dora)
    services.restrict_folder(actor=alice, folder=pay.folder, people=[bob])
    services.restrict_folder(actor=alice, folder=secret, people=[alice], groups=[counsel])
    services.delete_document(actor=alice, document=gone)
    Document.objects.filter(pk=held.pk).update(quarantined_at=held.created_at)
    asked = [row.pk for row in (pay, open_one, closed, gone, held)]
    seen = {alice: {open_one, closed}, bob: {open_one, pay}, dora: {open_one, closed}, charlie: set()}
    for person, expected in seen.items():
        place = Workspace.objects.get(pk=workspace.pk)
        opened = readable_versions(place, person, asked)
        assert opened == {row.pk: row.current_version for row in expected}
        assert set(readable_documents(place, person, asked)) == expected
    assert readable_versions(Workspace.objects.get(pk=workspace.pk), bob, [closed.pk]) == {}


def test_it_is_opened_again_unless_everyone_has_a_folder_of_that_name(act, pay, alice, bob, workspace):
    act(alice, f"folders/{pay.folder_id}/restrict/")
    twin = services.create_folder(actor=alice, workspace=workspace, name="Board")
    assert twin.pk != pay.folder_id, "its name is not to be learned by trying it"
    refused = act(alice, f"folders/{pay.folder_id}/open/")
    assert refused.status_code == 409 and "Move the documents there instead." in refused.content.decode()
    twin.delete()
    act(alice, f"folders/{pay.folder_id}/open/")
    assert exists_for(bob, pay)


def test_the_same_file_uploaded_by_who_may_not_see_it_is_a_new_document(act, alice, pay, dora, workspace):
    act(alice, f"folders/{pay.folder_id}/restrict/")
    version = pay.current_version
    assert same_content(workspace, dora, version.sha256, version.bytes) is None
    added = services.add_document(workspace=workspace, user=dora, upload=upload(TEXT, "pay.md"))
    assert added.added and added.document.pk != pay.pk


def test_a_full_workspace_does_not_say_how_full_once_a_folder_is_restricted(act, alice, pay, dora, workspace, settings):
    settings.WORKSPACE_MAX_BYTES = 10
    act(alice, f"folders/{pay.folder_id}/restrict/")
    with pytest.raises(Problem, match="has no room left"):
        services.add_document(workspace=workspace, user=dora, upload=upload(b"# Other\n\nText.\n", "other.md"))
