"""A folder is renamed and deleted on the page of documents; its documents stay."""

import pytest

from vectorless_web.documents import services
from vectorless_web.documents.models import Folder

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
def act(client, workspace, letters):
    """Post to the folder's address."""

    def post(act, **data):
        return client.post(f"/w/{workspace.slug}/documents/folders/{letters.pk}/{act}/", data, follow=True)

    return post


def test_a_folder_gets_another_name_and_is_shown_with_it(act, letters):
    page = act("rename", name="Mail").content.decode()
    letters.refresh_from_db()
    assert letters.name == "Mail"
    assert 'value="Mail"' in page
    assert "Hello" in page


@pytest.mark.parametrize(("name", "status"), [("", 422), ("x" * 121, 422), ("Board", 409)])
def test_a_name_that_cannot_be_is_refused_with_a_sentence_and_changes_nothing(
    act, letters, alice, workspace, name, status
):
    services.create_folder(actor=alice, workspace=workspace, name="Board")
    refused = act("rename", name=name)
    assert (refused.status_code, Folder.objects.get(pk=letters.pk).name) == (status, "Letters")


def test_a_deleted_folder_leaves_its_documents_in_no_folder(act, letters, workspace):
    page = act("delete").content.decode()
    assert "The folder Letters is deleted." in page
    assert not Folder.objects.filter(pk=letters.pk).exists()
    assert [document.folder for document in workspace.documents.all()] == [None]
    assert "Hello" in page


def test_a_restricted_folder_is_not_deleted_and_its_menu_says_what_comes_first(act, client, alice, letters, workspace):
    services.restrict_folder(actor=alice, folder=letters, people=[alice])
    shown = client.get(f"/w/{workspace.slug}/documents/?folder={letters.pk}").content.decode()
    assert "an owner lets everyone in first" in shown
    assert act("delete").status_code == 409
    assert Folder.objects.filter(pk=letters.pk).exists()
