"""What was used, by day, workspace, person and model; and budgets of the site and of people everywhere."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests.console.conftest import ask
from vectorless_web.console.models import DayUsage
from vectorless_web.console.subjects.usage import count_usage, list_budgets, rebuild_usage
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.runs.models import ModelCall
from vectorless_web.workspaces.models import AuditEvent, Budget, Workspace
from vectorless_web.workspaces.services import release_all, reserve, settle
from vectorless_web.workspaces.services.settings import period_start

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(workspace):
    """A question of somebody's: `asked(alice, "failed", days_ago=2)`."""
    return lambda person, status="answered", **values: ask(
        workspace, person, status=status, **{"model": "m1", **values}
    )


def test_runs_and_pages_are_counted_by_day_and_person(asked, alice, bob, workspace):
    asked(alice, "not_found", tokens=5)
    asked(alice, tokens=10, cost_usd=Decimal("0.5"), days_ago=2)
    asked(alice, "passages")
    asked(bob, "failed", model="")
    asked(bob, "queued")
    document = Document.objects.create(workspace=workspace, title="d", name="d.pdf")
    DocumentVersion.objects.create(
        document=document, bytes=9, pages=4, sha256="x", added_by=bob, ready_at=timezone.now(), status="ready"
    )
    assert count_usage() == 3
    today = timezone.now().date()
    rows = {(row.day == today, row.person_key, row.model): row for row in DayUsage.objects.all()}
    assert (rows[True, alice.pk, "m1"].runs, rows[True, alice.pk, "m1"].not_found) == (2, 2)
    assert rows[False, alice.pk, "m1"].cost_usd == Decimal("0.5")
    mine = rows[True, bob.pk, ""]
    assert (mine.runs, mine.failed, mine.pages, mine.bytes) == (1, 1, 4, 9)


def test_what_a_second_reader_took_counts_under_its_own_model(asked, alice):
    run = asked(alice, tokens=3000, cost_usd=Decimal("0.5"), settings={"second_reader": "provider:2"})
    for purpose, model in (("turn", "m1-2026"), ("verify", "owl")):
        ModelCall.objects.create(run=run, purpose=purpose, model=model, tokens_in=1000, cost_usd=Decimal("0.2"))
    count_usage()
    counted = {row.model: (row.runs, row.tokens, row.cost_usd) for row in DayUsage.objects.all()}
    assert counted == {"m1": (1, 2000, Decimal("0.3")), "owl": (0, 1000, Decimal("0.2"))}


def test_counting_again_adds_what_is_new_and_keeps_what_was_deleted(asked, alice):
    old = asked(alice, days_ago=3)
    count_usage()
    old.delete()
    asked(alice)
    assert count_usage() == 1
    assert sum(row.runs for row in DayUsage.objects.all()) == 2
    assert count_usage() == 1
    assert sum(row.runs for row in DayUsage.objects.all()) == 2, "counting twice counts nothing twice"
    rebuild_usage()
    assert sum(row.runs for row in DayUsage.objects.all() if row.day == timezone.now().date()) == 1


def test_the_page_names_who_used_most_also_when_they_are_deleted(staff, asked, alice, bob, workspace):
    asked(alice, cost_usd=Decimal("2"))
    asked(bob)
    staff.post("/console/usage/count/")
    assert AuditEvent.objects.latest("pk").verb == "usage.counted"
    page = staff.get("/console/usage/", {"by": "person"}).content.decode()
    assert page.index("alice") < page.index("bob")
    assert "$2.00" in page
    assert "Acme diligence" in staff.get("/console/usage/", {"by": "workspace", "days": "7"}).content.decode()
    assert staff.get("/console/usage/", {"by": "rubbish", "days": "x"}).status_code == 200

    asked(bob)
    count_usage()
    number = bob.pk
    bob.delete()
    assert f"deleted, number {number}" in staff.get("/console/usage/", {"by": "person"}).content.decode()


def test_the_tables_are_taken_along_and_a_page_costs_no_query_for_each_row(
    staff, asked, alice, django_assert_max_num_queries
):
    asked(alice, tokens=7)
    count_usage()
    lines = staff.get("/console/usage/export.csv", {"days": "7", "by": "person"}).content.decode().splitlines()
    assert lines[0].startswith("day,runs,answered")
    assert lines[7].split(",")[1:3] == ["1", "1"]
    assert lines[-1].startswith("alice,1,1")

    for number in range(20):
        asked(alice, model=f"m{number}", days_ago=number)
    count_usage()
    with django_assert_max_num_queries(12):
        staff.get("/console/usage/", {"by": "model"})


def test_a_budget_says_what_it_will_come_to_but_for_what_was_spent_before(workspace, bob):
    start = period_start("day")
    day = Budget.objects.create(workspace=workspace, period="day", limit_usd=1, spent_usd=1, period_start=start)
    Budget.objects.create(workspace=workspace, user=bob, limit_usd=5, spent_usd=0, period_start=period_start("month"))
    full, free = list_budgets()
    assert (full.tone, free.tone) == ("bad", "")
    assert full.forecast_usd >= 1
    day.period_start = start - timedelta(days=3)
    day.save()
    assert list_budgets()[0].forecast_usd == 0


TERMS = {"period": "month", "limit_usd": "10", "warn_percent": 50}


def test_one_budget_is_set_for_each_place_and_person_but_nobody_and_strangers(staff, workspace, bob, charlie):
    for place in ({}, {"workspace": workspace.pk}, {"person": "bob"}, {"workspace": workspace.pk, "person": "bob"}):
        assert staff.post("/console/budgets/save/", {**TERMS, **place}).status_code == 302
    assert Budget.objects.count() == 4
    staff.post("/console/budgets/save/", {**TERMS, "limit_usd": "3"})
    assert Budget.objects.get(workspace=None, user=None).limit_usd == 3
    assert Budget.objects.count() == 4

    for place in ({"person": "nobody"}, {"workspace": workspace.pk, "person": "charlie"}, {"limit_usd": "-1"}):
        assert staff.post("/console/budgets/save/", {**TERMS, **place}).status_code == 422


def test_a_call_must_fit_into_every_budget_that_covers_it(staff, workspace, alice, bob):
    other = Workspace.objects.create(name="Other", slug="other")
    staff.post("/console/budgets/save/", {**TERMS, "limit_usd": "1"})
    staff.post("/console/budgets/save/", {**TERMS, "limit_usd": "0.4", "person": "bob"})
    assert not reserve(workspace=workspace, user=bob, usd=Decimal("0.5"))
    assert reserve(workspace=workspace, user=bob, usd=Decimal("0.3"))
    settle(workspace=workspace, user=bob, reserved_usd=Decimal("0.3"), spent_usd=Decimal("0.3"))
    assert not reserve(workspace=other, user=bob, usd=Decimal("0.2"))
    assert reserve(workspace=other, user=alice, usd=Decimal("0.6"))
    assert not reserve(workspace=workspace, user=alice, usd=Decimal("0.2"))


def test_a_budget_warns_then_blocks_and_what_a_dead_worker_put_aside_is_given_back(staff, workspace):
    staff.post("/console/budgets/save/", TERMS)
    for spent, word in ((0, ""), (6, "over 50 %"), (10, "used up")):
        Budget.objects.update(spent_usd=spent)
        states = {state.word for state in list_budgets()}
        assert word in states or (spent == 0 and states <= {""})
    page = staff.get("/console/budgets/").content.decode()
    assert "used up" in page and "Lift" in page
    staff.post(f"/console/budgets/{Budget.objects.get().pk}/lift/")
    assert not Budget.objects.exists()

    staff.post("/console/budgets/save/", TERMS)
    reserve(workspace=workspace, user=None, usd=Decimal(2))
    release_all(workspace=None, unless=lambda: True)
    assert Budget.objects.get().reserved_usd == 2
    release_all(workspace=None, unless=lambda: False)
    assert Budget.objects.get().reserved_usd == 0
