"""What a team's programs keep in order: who belongs, folders, tags, settings."""

import json

import pytest

from tests.api.conftest import ROOT
from vectorless_web.documents.services import restrict_folder
from vectorless_web.sources.models import Source
from vectorless_web.workspaces.models import AuditEvent, Membership
from vectorless_web.workspaces.selectors import invitation_by
from vectorless_web.workspaces.services import accept_invitation

pytestmark = pytest.mark.django_db


def change(program, path, body, **headers):
    return program.client.patch(ROOT + path, json.dumps(body), content_type="application/json", headers=headers)


def test_a_person_is_invited_made_editor_and_removed(program, alice, bob, charlie, workspace):
    importer, place = program(alice), f"/workspaces/{workspace.slug}"
    made = importer.post(f"{place}/invitations", {"role": "viewer", "days": 1}).json()
    [open_one] = importer.get(f"{place}/invitations").json()
    assert (open_one["id"], open_one["role"], "address" in open_one) == (made["id"], "viewer", False)
    accept_invitation(user=charlie, invitation=invitation_by(made["address"].rstrip("/").rpartition("/")[2]))
    own = next(row for row in importer.get(f"{place}/members").json() if row["user"] == "charlie")
    assert own["role"] == "viewer"
    one = f"{place}/members/{own['id']}"
    assert change(importer, one, {"role": "editor"}).json()["role"] == "editor"
    assert change(importer, one, {"role": "king"}).status_code == 422
    assert importer.send("delete", one).status_code == 204
    assert not Membership.objects.filter(workspace=workspace, user=charlie).exists()
    other = importer.post(f"{place}/invitations", {"email": "d@example.com", "days": 30}).json()
    assert importer.send("delete", f"{place}/invitations/{other['id']}").status_code == 204
    assert importer.get(f"{place}/invitations").json() == []
    assert importer.post(f"{place}/invitations", {"days": 8}).json()["errors"][0]["field"] == "days"


def test_staff_keep_groups_and_owners_let_their_people_in(program, alice, bob, charlie, workspace, django_user_model):
    keeper = program(django_user_model.objects.create_superuser("keeper", password="x"))
    made = keeper.post("/groups", {"name": "Crew"}).json()
    group, place = f"/groups/{made['id']}", f"/workspaces/{workspace.slug}"
    assert keeper.post("/groups", {"name": "Crew"}).json()["errors"][0]["field"] == "name"
    named = keeper.send("put", group, json.dumps({"name": "Deck crew", "description": "Who moors ships"})).json()
    assert named == {**made, "name": "Deck crew", "description": "Who moors ships"}
    unknown = keeper.send("put", f"{group}/people", json.dumps({"people": ["charlie", "nobody"]})).json()
    assert (unknown["status"], unknown["code"]) == (422, "no_such_account")
    assert keeper.get(f"{group}/people").json() == []
    assert keeper.send("put", f"{group}/people", json.dumps({"people": ["charlie"]})).json() == ["charlie"]

    owner, crew = program(alice), program(charlie)
    assert crew.get(place).status_code == 404
    assert owner.get(f"{place}/groups/others").json() == [{"id": made["id"], "name": "Deck crew"}]
    let_in = owner.post(f"{place}/groups", {"group": made["id"], "role": "viewer"})
    row = {"id": let_in.json()["id"], "group": made["id"], "name": "Deck crew", "role": "viewer", "people": 1}
    assert (let_in.status_code, let_in.json(), owner.get(f"{place}/groups").json()) == (201, row, [row])
    again = owner.post(f"{place}/groups", {"group": made["id"], "role": "viewer"}).json()
    assert (again["code"], again["errors"][0]["field"]) == ("invalid_fields", "group")
    assert crew.get(place).json()["role"] == "viewer"
    assert change(owner, f"{place}/groups/{row['id']}", {"role": "editor"}).json() == {**row, "role": "editor"}
    assert crew.get(place).json()["role"] == "editor"
    assert owner.send("delete", f"{place}/groups/{row['id']}").status_code == 204
    assert crew.get(place).status_code == 404
    assert keeper.send("delete", group).status_code == 204
    assert keeper.get("/groups").json() == []


def test_the_only_owner_stays_and_the_refusal_names_cause_and_remedy(program, alice, workspace):
    importer, place = program(alice), f"/workspaces/{workspace.slug}/members"
    own = next(row for row in importer.get(place).json() if row["user"] == "alice")
    refused = importer.send("delete", f"{place}/{own['id']}").json()
    assert (refused["status"], refused["code"]) == (422, "last_owner")
    assert (refused["detail"].split()[0], refused["remedy"]) == ("alice", "Make somebody else owner first.")


def test_folders_are_renamed_and_deleted_and_their_documents_stay(program, alice, workspace, report):
    importer, place = program(alice), f"/workspaces/{workspace.slug}"
    folder, other = (importer.post(f"{place}/folders", {"name": name}).json()["id"] for name in ("Old", "Other"))
    document = f"{place}/documents/{report.pk}"
    assert change(importer, document, {"folder": folder}).json()["folder"] == folder
    assert change(importer, f"{place}/folders/{folder}", {"name": " New  name "}).json()["name"] == "New name"
    assert change(importer, f"{place}/folders/{folder}", {"name": "Other"}).json()["code"] == "folder_name_taken"
    assert importer.send("delete", f"{place}/folders/{folder}").status_code == 204
    assert importer.get(document).json()["folder"] is None
    assert AuditEvent.objects.get(verb="folder.deleted").details["documents"] == [report.pk]

    restrict_folder(actor=alice, folder=workspace.folders.get(pk=other), people=[alice])
    assert importer.send("delete", f"{place}/folders/{other}").json()["code"] == "folder_restricted"


def test_a_folder_that_a_source_fills_stays_until_the_workspace_goes(program, alice, workspace):
    importer, place = program(alice), f"/workspaces/{workspace.slug}"
    folder = importer.post(f"{place}/folders", {"name": "Filings"}).json()["id"]
    Source.objects.create(workspace=workspace, kind="webdav", address="https://example.com/dav", folder_id=folder)
    assert importer.send("delete", f"{place}/folders/{folder}").json()["code"] == "folder_in_use"
    workspace.delete()
    assert not Source.objects.exists()


def test_tags_are_set_as_a_whole(program, alice, workspace, report):
    importer, one = program(alice), f"/workspaces/{workspace.slug}/documents/{report.pk}"
    assert change(importer, one, {"tags": ["port", "2024", "port"]}).json()["tags"] == ["2024", "port"]
    assert change(importer, one, {"tags": []}).json()["tags"] == []
    verbs = AuditEvent.objects.filter(verb="documents.tagged").values_list("details", flat=True)
    assert {"from": ["2024", "port"], "to": []}.items() <= verbs.order_by("-pk")[0].items()


def test_settings_are_read_and_changed_by_the_rules_of_their_page(program, alice, workspace):
    importer, place = program(alice), f"/workspaces/{workspace.slug}/settings"
    read = importer.get(place)
    before = read.json()
    assert before["settings"]["same_name"] == "version" and before["name"] == workspace.name
    changed = change(importer, place, {"settings": {"same_name": "keep", "max_steps": 9}, "description": "Ports"})
    after = changed.json()
    expected = {**before["settings"], "same_name": "keep", "max_steps": 9}
    assert after == {"name": workspace.name, "description": "Ports", "settings": expected} == importer.get(place).json()
    late = change(importer, place, {"name": "Late"}, **{"If-Match": read.headers["ETag"]})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    wrong = change(importer, place, {"settings": {"max_steps": 900}}).json()
    assert (wrong["code"], wrong["errors"][0]["field"]) == ("invalid_fields", "max_steps")
    unknown = change(importer, place, {"settings": {"colour": "red"}}).json()
    assert unknown["errors"][0]["field"] == "settings.colour"


def test_a_slash_too_much_leads_to_the_operation(program, alice, workspace):
    importer = program(alice)
    led = importer.client.get(f"{ROOT}/workspaces/{workspace.slug}/documents/?limit=3")
    assert (led.status_code, led.headers["Location"]) == (308, f"{ROOT}/workspaces/{workspace.slug}/documents?limit=3")
    asked = importer.client.post(f"{ROOT}/workspaces/{workspace.slug}/folders/", {}, content_type="application/json")
    assert asked.status_code == 308
    assert importer.get("/nowhere/").json()["code"] == "not_found"
