"""Budgets of the site and of people everywhere: set in the console, paid beside those of the workspace."""

from decimal import Decimal

import pytest

from vectorless_web.console.subjects.usage import list_budgets
from vectorless_web.workspaces.models import Budget, Workspace
from vectorless_web.workspaces.services import release_all, reserve, settle

pytestmark = pytest.mark.django_db
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
