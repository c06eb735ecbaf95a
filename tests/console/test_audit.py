"""The record is searched, filtered, paged, checked and taken along."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from tests.console.conftest import ask
from vectorless_web.console.models import SavedSearch
from vectorless_web.console.subjects import audit
from vectorless_web.workspaces.models import AuditEvent, Membership, Role
from vectorless_web.workspaces.services import prune_record, record, verify_export

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
    assert "newest 3 of 3 events are unchanged" in staff.get("/console/audit/", {"verify": 1}).content.decode()
    pk = AuditEvent.objects.earliest("pk").pk
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workspaces_auditevent SET verb = 'x.y' WHERE id = %s", [pk])
    assert f"Event {pk} was changed" in staff.get("/console/audit/", {"verify": 1}).content.decode()


def test_exports_hold_what_the_filters_name_without_formulas_and_are_recorded(staff, alice, bob):
    write(alice, 3)
    write(bob, 1, "run.asked", details={"steps": 6})
    lines = b"".join(staff.get("/console/audit/export.jsonl", {"person": "bob"})).decode().splitlines()
    assert [json.loads(line)["details"] for line in lines] == [{"steps": 6}]
    rows = list(csv.DictReader(io.StringIO(b"".join(staff.get("/console/audit/export.csv")).decode())))
    assert [row["verb"] for row in rows][:4] == ["document.added"] * 3 + ["run.asked"]
    event = AuditEvent.objects.filter(verb="audit.exported").last()
    assert event.details == {"form": "jsonl", "person": "bob"}

    record(actor=alice, verb="x", name="=HYPERLINK(1)")
    assert "'=HYPERLINK(1)" in b"".join(staff.get("/console/audit/export.csv")).decode()


def test_a_page_costs_no_query_for_each_event(staff, alice, bob, django_assert_max_num_queries):
    write(alice, 30)
    write(bob, 30)
    with django_assert_max_num_queries(16):
        assert len(names(staff.get("/console/audit/"))) == 50


class TestKeptSearches:
    def test_one_is_kept_replaced_by_its_name_found_again_and_forgotten(self, staff, grace, alice, monkeypatch):
        record(actor=alice, verb="member.removed", name="bob")
        filters = {"verb": "member.removed", "q": "bob"}
        kept = staff.post("/console/audit/searches/", {**filters, "name": "Who left"})
        assert len(names(staff.get(kept["Location"]))) == 1
        page = staff.get("/console/audit/")
        (saved,) = page.context["searches"]
        assert saved.filters == filters
        assert "Who left" in page.content.decode()
        staff.post(f"/console/audit/searches/{saved.pk}/remove/")
        assert staff.get("/console/audit/").context["searches"] == []
        verbs = list(AuditEvent.objects.values_list("verb", flat=True))
        assert {"audit.search_saved", "audit.search_removed"} <= set(verbs)

        monkeypatch.setattr(audit, "SEARCHES_MAX", 1)
        staff.post("/console/audit/searches/", {"q": "a", "name": "Mine"})
        assert staff.post("/console/audit/searches/", {"q": "b", "name": "Mine"}).status_code == 302
        assert SavedSearch.objects.get().filters == {"q": "b"}
        assert staff.post("/console/audit/searches/", {"q": "c", "name": "Other"}).status_code == 422
        assert staff.post("/console/audit/searches/", {"q": "c", "name": ""}).status_code == 422

    def test_nobody_sees_or_removes_those_of_somebody_else(self, staff, client, alice, give):
        staff.post("/console/audit/searches/", {"q": "a", "name": "Mine"})
        saved = SavedSearch.objects.get()
        client.force_login(give(alice, "workspaces.view_auditevent"))
        assert client.get("/console/audit/").context["searches"] == []
        client.post(f"/console/audit/searches/{saved.pk}/remove/")
        assert SavedSearch.objects.exists()


class TestVerifiedExports:
    """Whoever has the exported lines alone can tell that nobody changed them, hidden names included."""

    def lines(self, staff, **filters) -> list[str]:
        exported = b"".join(staff.get("/console/audit/export.jsonl", filters)).decode()
        return exported.splitlines(keepends=True)

    @pytest.fixture
    def hidden(self, workspace, bob):
        """An event about a question that is private to Bob, among others."""
        run = ask(workspace, bob, question="Is it gentian?", private=True)
        write(bob, 2)
        return record(actor=bob, verb="run.asked", workspace=workspace, target=run, details={"word": "gentian"})

    def test_each_line_is_recomputed_and_a_hidden_name_stays_hidden(self, staff, hidden, bob, tmp_path):
        write(bob, 2)
        lines = self.lines(staff)
        assert "gentian" not in "".join(lines)
        found = verify_export(lines)
        assert (found.problem, found.lines, found.following, found.hidden) == ("", len(lines), len(lines) - 1, 1)
        told = json.loads(lines[[json.loads(line)["id"] for line in lines].index(hidden.pk)])
        assert told["hidden"] and told["seal"] and not told["salt"], "who knew the salt could try names"
        path = tmp_path / "audit.jsonl"
        path.write_text("".join(lines))
        call_command("verify_audit", export=path)

    @pytest.mark.parametrize(
        ("place", "column", "value"),
        [
            (0, "object_name", "other"),
            (0, "details", {"n": 1}),
            (1, "verb", "x.y"),
            (0, "salt", "x"),
            (2, "seal", "0" * 64),
        ],
    )
    def test_a_changed_line_is_named(self, staff, hidden, tmp_path, place, column, value):
        lines = self.lines(staff, person="bob")
        changed = {**json.loads(lines[place]), column: value}
        lines[place] = json.dumps(changed) + "\n"
        assert f"Line {place + 1}" in verify_export(lines).problem
        path = tmp_path / "audit.jsonl"
        path.write_text("".join(lines))
        with pytest.raises(CommandError, match=f"Line {place + 1}"):
            call_command("verify_audit", export=path)

    @pytest.mark.parametrize("line", ["", "[]", "{}", "7", '{"id": 1}', '"x"'])
    def test_what_is_no_event_is_said(self, line):
        assert verify_export([line]).problem == "Line 1 is no event of an export."

    def test_after_old_events_went_the_first_that_stays_is_recomputed_too(self, staff, bob, monkeypatch):
        write(bob, 3)
        prune_record(before=timezone.now(), most=2)
        assert verify_export(self.lines(staff)).problem == ""


def test_what_was_asked_is_named_to_the_members_of_its_workspace_alone(staff, grace, alice, workspace):
    run = ask(workspace, alice, question="Is Gentian sold?")
    record(actor=alice, verb="run.asked", workspace=workspace, target=run, name=run.question)
    for address in ("/console/audit/", "/console/audit/export.csv", "/console/audit/?q=Gentian"):
        answer = staff.get(address)
        shown = b"".join(answer)
        assert b"Is Gentian sold?" not in shown, address
    Membership.objects.create(workspace=workspace, user=grace, role=Role.VIEWER)
    assert "Is Gentian sold?" in staff.get("/console/audit/").content.decode()
