"""Grids, evaluations, service accounts and webhooks by program."""

import json
import os
from datetime import timedelta

import pytest
from django.utils import timezone

from vectorless_web.api.models import ApiToken, Delivery, Webhook
from vectorless_web.workspaces.models import AuditEvent

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def told(workspace):
    """What a webhook of the workspace is told, by the kind of event."""
    from vectorless_web.workspaces.storage import encrypt

    events = ["grid.finished", "evaluation.finished"]
    Webhook.objects.create(workspace=workspace, address="https://x.test/", events=events, encrypted_secret=encrypt("s"))
    return lambda: [(row.kind, row.payload["data"]) for row in Delivery.objects.order_by("pk")]


def test_a_grid_is_made_filled_and_taken_along(program, bob, alice, workspace, report, work_off, told):
    importer, place = program(bob, "ask"), f"/workspaces/{workspace.slug}/grids"
    columns = [{"question": "How many berths has the harbour?", "label": "Berths", "kind": "number"}]
    made = importer.post(place, {"name": "Harbours", "columns": columns, "search": "harbour"}).json()
    assert (made["documents"], made["columns"], made["progress"]["unasked"]) == (1, 1, 1)
    one = f"{place}/{made['id']}"
    assert importer.post(f"{one}/fill").json()["progress"]["left"] == 1
    assert importer.post(f"{one}/stop").json()["progress"]["unasked"] == 1 and told() == []
    importer.post(f"{one}/fill")
    work_off("background")
    read = importer.get(one).json()
    [cell] = read["rows"][0]["cells"]
    assert read["progress"]["done"] == 1 and "14 berths" in cell["text"] and cell["page"] == 1
    assert cell["link"].startswith("http") and read["head"][0]["label"] == "Berths"
    assert told() == [("grid.finished", {"workspace": workspace.slug, "grid": made["id"], "cells": {cell["state"]: 1}})]
    assert importer.get(f"{one}/xlsx").content.startswith(b"PK")
    assert [row["id"] for row in importer.get(place).json()["items"]] == [made["id"]]
    assert importer.send("delete", one).status_code == 403
    assert program(alice).send("delete", one).status_code == 204 and importer.get(one).status_code == 404


def test_a_grid_that_cannot_be_made_names_the_field(program, bob, workspace, report):
    importer, place = program(bob, "ask"), f"/workspaces/{workspace.slug}/grids"
    choice = {"name": "X", "columns": [{"question": "Which?", "kind": "choice", "choices": ["one"]}]}
    assert importer.post(place, choice).json()["errors"][0]["field"] == "choices"
    wrong = importer.post(place, {"name": "X", "documents": [report.pk + 1]})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["field"] == "documents"
    assert importer.post(place, {"name": "X", "search": "nothing like it"}).json()["code"] == "no_documents"


def test_a_set_is_made_asked_and_scored(program, alice, bob, workspace, report, work_off, told):
    editor, place = program(alice, "write"), f"/workspaces/{workspace.slug}"
    made = editor.post(f"{place}/golden-sets", {"name": "Harbour"}).json()
    one = f"{place}/golden-sets/{made['id']}"
    rows = [
        {"question": "How many berths for ferries?", "documents": ["harbour.md"], "pages": ["1"]},
        {"question": "Which submarines were sold?", "documents": ["harbour.md"], "is_absent": True},
    ]
    assert len(editor.post(f"{one}/questions", {"questions": rows}).json()) == 2
    refused = editor.post(f"{one}/questions", {"questions": [{"question": "What?", "documents": ["harbour.md"]}]})
    assert (refused.status_code, refused.json()["code"]) == (422, "nothing_expected")
    kept = editor.get(f"{one}/questions").json()["items"]
    assert kept[1]["pages"] == ["harbour.md: 1"] and kept[0]["is_absent"]
    started = editor.post(f"{one}/evaluations", {}, **{"Idempotency-Key": "night"}).json()
    again = editor.post(f"{one}/evaluations", {}, **{"Idempotency-Key": "night"}).json()
    assert started["id"] == again["id"] and started["state"] == "running"
    place = f"{place}/evaluations/{started['id']}"
    assert editor.post(f"{place}/stop").json()["state"] == "stopped"
    assert editor.post(f"{place}/resume").json()["state"] == "running"
    work_off("background")
    read = program(bob, "read").get(place).json()
    assert (read["state"], read["asked"]) == ("ended", 2)
    assert read["figures"]["abstained"] == {"right": 1, "of": 1} and read["figures"]["page"] == {"right": 1, "of": 1}
    results = editor.get(f"{place}/results").json()["items"]
    assert {row["question"] for row in results} == {row["question"] for row in rows}
    [(kind, data)] = told()
    assert kind == "evaluation.finished" and (data["evaluation"], data["questions"]) == (started["id"], 2)
    assert "berths" not in json.dumps(data)


def test_owners_set_up_programs_by_a_program(program, alice, workspace, report):
    owner, place = program(alice, "admin"), f"/workspaces/{workspace.slug}/service-accounts"
    account = owner.post(place, {"name": "Nightly", "role": "viewer"}).json()
    assert owner.get(place).json() == [account] and account["role"] == "viewer"
    assert owner.post(place, {"name": "Boss", "role": "owner"}).status_code == 422
    tokens = f"{place}/{account['id']}/tokens"
    made = owner.post(tokens, {"name": "night", "scope": "read", "days": 7}).json()
    nightly = type(owner)(made["token"])
    assert nightly.get("/me").json()["user"] == account["user"]
    assert nightly.get(f"/workspaces/{workspace.slug}/documents").json()["items"][0]["id"] == report.pk
    assert [row["prefix"] for row in owner.get(tokens).json()] == [made["token"][:12]]
    assert owner.send("delete", f"{tokens}/{made['id']}").status_code == 204
    assert nightly.get("/me").status_code == 401
    mine = ApiToken.objects.get(user=alice)
    assert owner.send("delete", f"{tokens}/{mine.pk}").status_code == 404
    assert owner.send("delete", f"{place}/{account['id']}").status_code == 204 and owner.get(place).json() == []
    assert AuditEvent.objects.filter(verb="token.made", details__token="importer").exists()


def test_owners_set_up_webhooks_by_a_program(program, alice, workspace, settings):
    settings.ALLOW_PRIVATE_WEBHOOK_HOSTS = True
    owner, place = program(alice, "admin"), f"/workspaces/{workspace.slug}/webhooks"
    made = owner.post(place, {"address": "https://127.0.0.1/", "events": ["grid.finished"]}).json()
    one = f"{place}/{made['id']}"
    assert made["secret"].startswith("whsec_") and "secret" not in owner.get(one).json()
    assert owner.post(f"{one}/secret").json()["secret"] != made["secret"]
    assert owner.post(place, {"address": "https://127.0.0.1/", "events": ["all"]}).status_code == 422
    row = Delivery.objects.create(webhook_id=made["id"], message="msg_1", kind="grid.finished", payload={}, attempts=8)
    Delivery.objects.update(status="failed", due_at=timezone.now() - timedelta(days=1))
    assert [each["status"] for each in owner.get(f"{one}/deliveries").json()["items"]] == ["failed"]
    assert owner.post(f"{one}/deliveries/{row.pk}/again").status_code == 202
    row.refresh_from_db()
    assert (row.status, row.attempts) == ("waiting", 0)
    assert owner.send("patch", one, b'{"enabled": false}').json()["enabled"] is False
    assert owner.post(f"{one}/deliveries/{row.pk}/again").json()["code"] == "webhook_off"
    assert owner.send("delete", one).status_code == 204 and owner.get(place).json() == []


def test_owners_set_up_sources_by_a_program(program, alice, workspace, settings, tmp_path, work_off):
    settings.SOURCE_FOLDERS = [str(tmp_path)]
    (tmp_path / "berths.md").write_text("# Berths\n\nThe harbour has 14 berths.", encoding="utf-8")
    os.utime(tmp_path / "berths.md", (1, 1))  # A file that changed just now may still be written.
    owner, place = program(alice), f"/workspaces/{workspace.slug}/sources"
    ports = owner.post(f"/workspaces/{workspace.slug}/folders", {"name": "Ports"}).json()["id"]
    asked = {"kind": "folder", "address": str(tmp_path), "folder": ports, "secret": "s3cret"}
    made = owner.post(place, asked).json()
    one = f"{place}/{made['id']}"
    work_off("background")
    seen = owner.get(one).json()
    assert (seen["files"], seen["enabled"], seen["is_looking"], "s3cret" in str(seen)) == (1, False, False, False)
    assert owner.get(f"{one}/files").json()["items"] == []
    assert owner.send("patch", one, b'{"enabled": true}').json()["is_looking"]
    work_off("background")
    [came] = owner.get(f"{one}/files").json()["items"]
    document = owner.get(f"/workspaces/{workspace.slug}/documents/{came['document']}").json()
    assert (came["state"], document["name"], document["folder"]) == ("came", "berths.md", ports)
    assert owner.post(f"{one}/look").status_code == 202
    assert owner.send("put", f"{one}/secret", b'{"account": "anna", "secret": "other"}').json()["account"] == "anna"
    assert owner.post(place, {**asked, "address": "/etc"}).json()["code"] == "folder_not_allowed"
    assert [row["id"] for row in owner.get(place).json()] == [made["id"]]
    assert owner.send("delete", one).status_code == 204 and owner.get(place).json() == []
