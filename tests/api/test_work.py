"""Grids, evaluations and webhooks by program."""

import json

import pytest

from vectorless_web.api.models import Delivery, Webhook
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


def test_a_program_signs_itself_up_for_events_and_off(program, alice, workspace, settings):
    settings.ALLOW_PRIVATE_WEBHOOK_HOSTS = True
    owner, place = program(alice, "admin"), f"/workspaces/{workspace.slug}/webhooks"
    made = owner.post(place, {"address": "https://127.0.0.1/", "events": ["grid.finished"]}).json()
    secret = made.pop("secret")
    assert secret.startswith("whsec_") and owner.get(place).json() == [made]
    assert owner.post(place, {"address": "https://127.0.0.1/", "events": ["all"]}).status_code == 422
    assert owner.send("delete", f"{place}/{made['id']}").status_code == 204 and owner.get(place).json() == []
    assert AuditEvent.objects.filter(verb="webhook.added", details__token="importer").exists()
