"""The owners' pages of sources: set up, test, see what came, switch, and remove."""

import pytest

from tests.sources.conftest import look, put
from vectorless_web.documents.models import Folder
from vectorless_web.sources.models import Source
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


def test_an_owner_sets_a_source_up_tests_it_and_sees_what_came(client, alice, workspace, folder, work_off):
    put(folder / "lease.md", "# Lease\n\nThirty days.")
    put(folder / "empty.md", "")
    client.force_login(alice)
    home = f"/w/{workspace.slug}/settings/sources/"
    form = {"kind": "folder", "address": str(folder), "every_minutes": "60"}
    page = client.post(f"{home}add/", form)["Location"]
    assert "It is being looked at" in client.get(page).content.decode()
    work_off("background")
    assert "It has 2 files" in client.get(f"{page}state/").content.decode() and workspace.documents.count() == 0
    client.post(f"{page}switch/", {"on": "yes"})
    work_off("background")
    shown = client.get(page).content.decode()
    assert "lease.md" in shown and "Not taken in" in shown and workspace.documents.count() == 1
    assert "lease.md" not in client.get(f"{page}?state=failed").content.decode()
    client.post(f"{page}remove/")
    assert not Source.objects.exists() and workspace.documents.count() == 1
    told = list(AuditEvent.objects.filter(verb__startswith="source.").values_list("verb", flat=True))
    assert told == ["source.removed", "source.switched_on", "source.added"]


def test_a_secret_is_stored_encrypted_and_shown_nowhere(client, alice, workspace, httpserver):
    client.force_login(alice)
    form = {
        "kind": "webdav",
        "address": httpserver.url_for("/dav"),
        "account": "anna",
        "secret": "hush-hush",
        "every_minutes": "5",
    }
    page = client.post(f"/w/{workspace.slug}/settings/sources/add/", form)["Location"]
    row = Source.objects.get()
    assert "hush-hush" not in row.encrypted_secret
    client.post(f"{page}secret/", {"account": "anna", "secret": "hush-again"})
    shown = client.get(page).content.decode()
    assert "hush" not in shown and "anna" in shown
    assert "hush" not in str(list(AuditEvent.objects.values()))


def test_a_refused_place_says_why_at_its_field(client, alice, workspace):
    client.force_login(alice)
    form = {"kind": "s3", "address": "https://s3.example.com/", "every_minutes": "60"}
    answer = client.post(f"/w/{workspace.slug}/settings/sources/add/", form)
    assert answer.status_code == 422 and "Name the bucket" in answer.content.decode()


def test_a_source_of_a_folder_that_is_closed_to_an_owner_is_not_there(client, alice, workspace, source, folder):
    put(folder / "lease.md", "# Lease")
    look(source)
    closed = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    Source.objects.update(folder=closed)
    client.force_login(alice)
    home = f"/w/{workspace.slug}/settings/sources/"
    assert client.get(f"{home}{source.pk}/").status_code == 404
    assert str(folder) not in client.get(home).content.decode()
