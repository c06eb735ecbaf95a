"""The record is searched, filtered, paged, checked and taken along."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from vectorless_web.workspaces.models import AuditEvent
from vectorless_web.workspaces.services import record

pytestmark = pytest.mark.django_db


def names(response) -> list[str]:
    return [event.object_name for event in response.context["page"].events]


def write(actor, count: int, verb: str = "document.added", **more) -> None:
    for number in range(count):
        record(actor=actor, verb=verb, name=f"{verb} {number}", **more)


def test_the_newest_come_first_and_pages_go_both_ways(staff, alice):
    write(alice, 120)
    first = staff.get("/console/audit/")
    assert names(first)[0] == "document.added 119"
    second = staff.get("/console/audit/", {"before": first.context["page"].older})
    assert names(second)[0] == "document.added 69"
    back = staff.get("/console/audit/", {"after": second.context["page"].newer})
    assert names(back) == names(first)
    last = staff.get("/console/audit/", {"before": second.context["page"].older})
    assert last.context["page"].older is None


def test_acts_people_workspaces_words_and_days_narrow_it(staff, alice, bob, workspace):
    write(alice, 2)
    write(bob, 1, "run.asked", workspace=workspace)
    assert names(staff.get("/console/audit/", {"verb": "run.asked"})) == ["run.asked 0"]
    assert names(staff.get("/console/audit/", {"person": "Bob"})) == ["run.asked 0"]
    assert names(staff.get("/console/audit/", {"workspace": workspace.slug}))[0] == "run.asked 0"
    assert names(staff.get("/console/audit/", {"q": "ADDED 1"})) == ["document.added 1"]
    assert names(staff.get("/console/audit/", {"person": "nobody"})) == []
    today = timezone.localdate()
    assert len(names(staff.get("/console/audit/", {"since": today}))) == 4
    assert names(staff.get("/console/audit/", {"since": today + timedelta(days=1)})) == []
    assert names(staff.get("/console/audit/", {"until": today - timedelta(days=1)})) == []
    assert staff.get("/console/audit/", {"since": "rubbish", "before": "x"}).status_code == 200


def test_each_word_begins_a_word_of_the_name_or_the_act_whatever_its_capitals(staff, alice):
    record(actor=alice, verb="document.added", name="Übersicht_2026 of harbour dues")
    record(actor=alice, verb="run.asked", name="What are the dues?")
    assert len(names(staff.get("/console/audit/", {"q": "dues"}))) == 2
    assert len(names(staff.get("/console/audit/", {"q": "DUE doc"}))) == 1
    assert len(names(staff.get("/console/audit/", {"q": "übers 2026"}))) == 1
    assert names(staff.get("/console/audit/", {"q": "ues"})) == []
    assert names(staff.get("/console/audit/", {"q": '"* OR : ) --'})) == [], "a word that nothing begins with"
    assert names(staff.get("/console/audit/", {"q": "?!"})) == []


def test_the_page_checks_the_chain(staff, alice):
    write(alice, 3)
    assert "newest 3 of 3 events stand" in staff.get("/console/audit/", {"verify": 1}).content.decode()
    pk = AuditEvent.objects.earliest("pk").pk
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workspaces_auditevent SET verb = 'x.y' WHERE id = %s", [pk])
    assert f"Event {pk} was changed" in staff.get("/console/audit/", {"verify": 1}).content.decode()


def test_exports_hold_what_the_filters_name_and_are_recorded(staff, alice, bob):
    write(alice, 3)
    write(bob, 1, "run.asked", details={"steps": 6})
    lines = b"".join(staff.get("/console/audit/export.jsonl", {"person": "bob"})).decode().splitlines()
    assert [json.loads(line)["details"] for line in lines] == [{"steps": 6}]
    rows = list(csv.DictReader(io.StringIO(b"".join(staff.get("/console/audit/export.csv")).decode())))
    assert [row["verb"] for row in rows][:4] == ["document.added"] * 3 + ["run.asked"]
    event = AuditEvent.objects.filter(verb="audit.exported").last()
    assert event.details == {"form": "jsonl", "person": "bob"}


def test_no_cell_of_an_export_is_a_formula(staff, alice):
    record(actor=alice, verb="x", name="=HYPERLINK(1)")
    assert "'=HYPERLINK(1)" in b"".join(staff.get("/console/audit/export.csv")).decode()


def test_a_page_costs_no_query_for_each_event(staff, alice, bob, django_assert_max_num_queries):
    write(alice, 30)
    write(bob, 30)
    with django_assert_max_num_queries(12):
        staff.get("/console/audit/")
