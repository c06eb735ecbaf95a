"""Budgets: set by owners, reserved before a call, settled after it."""

from datetime import date
from decimal import Decimal

import pytest
from django.db import connection

from vectorless_web.infra.money import money
from vectorless_web.workspaces.models import Budget
from vectorless_web.workspaces.services import WorkspaceCostBudget, reserve, settle
from vectorless_web.workspaces.services.settings import period_start

pytestmark = pytest.mark.django_db


@pytest.fixture
def limit(act, alice):
    def set_limit(usd, user="", period="month"):
        return act(alice, "budgets/save/", user=user, period=period, limit_usd=usd)

    return set_limit


def test_a_budget_is_set_once_for_the_same_people_and_never_negative(workspace, bob, limit, charlie):
    assert reserve(workspace=workspace, user=bob, usd=Decimal(1000))

    assert limit(-1).status_code == 422
    assert limit(5, user=charlie.pk).status_code == 422

    limit(10)
    limit(20)
    limit(5, user=bob.pk)
    rows = [(row.user, row.limit_usd) for row in Budget.objects.all()]
    assert rows == [(None, 20), (bob, 5)]


def test_the_last_of_a_budget_is_given_once(limit, workspace, bob):
    limit(1)
    assert reserve(workspace=workspace, user=bob, usd=Decimal("0.6"))
    assert not reserve(workspace=workspace, user=bob, usd=Decimal("0.6"))
    settle(workspace=workspace, user=bob, reserved_usd=Decimal("0.6"), spent_usd=Decimal("0.1"))
    assert reserve(workspace=workspace, user=bob, usd=Decimal("0.6"))
    row = Budget.objects.get()
    assert (row.spent_usd, row.reserved_usd) == (Decimal("0.1"), Decimal("0.6"))


def test_changing_a_limit_keeps_the_share_at_which_it_warns(limit, act, see, alice, bob):
    bob.first_name, bob.last_name = "Bob", "Builder"
    bob.save()
    act(alice, "budgets/save/", user="", period="month", limit_usd=10, warn_percent=50)
    limit(20)
    act(alice, "budgets/save/", user="", period="month", limit_usd=30, warn_percent="")
    row = Budget.objects.get()
    assert (row.limit_usd, row.warn_percent) == (30, 50)
    shown = see(alice, f"budgets/?change={row.pk}").content.decode()
    assert 'value="50"' in shown and 'value="30' in shown
    assert ">Bob Builder</option>" in shown
    for wrong in ("0", "101", "<b>"):
        answer = act(alice, "budgets/save/", user="", period="month", limit_usd=10, warn_percent=wrong)
        assert answer.status_code == 422


def test_a_limit_of_administrators_is_seen_by_owners_and_not_theirs_to_change(limit, act, see, alice, workspace, bob):
    Budget.objects.create(workspace=workspace, limit_usd=5, period_start=period_start("month"), by_staff=True)
    set_by_staff = Budget.objects.get()
    assert "set by administrators of this site" in see(alice, "budgets/").content.decode()
    assert act(alice, f"budgets/{set_by_staff.pk}/remove/").status_code == 404
    limit(100)
    limit(1, period="day")
    assert [(row.limit_usd, row.by_staff) for row in Budget.objects.order_by("pk")] == [(5, True), (1, False)]
    assert not reserve(workspace=workspace, user=bob, usd=Decimal(2)), "the tighter of both holds"
    limit(100)
    assert not reserve(workspace=workspace, user=bob, usd=Decimal(6)), "and a wider one widens nothing"
    assert reserve(workspace=workspace, user=bob, usd=Decimal(5))
    assert set(Budget.objects.values_list("reserved_usd", flat=True)) == {5}


def test_a_members_budget_holds_even_when_the_workspace_has_more(limit, workspace, alice, bob):
    limit(100)
    limit(1, user=bob.pk)
    assert not reserve(workspace=workspace, user=bob, usd=Decimal(2))
    assert Budget.objects.get(user=None).reserved_usd == 0
    assert reserve(workspace=workspace, user=alice, usd=Decimal(2))


def test_a_budget_is_lifted_and_begins_anew_each_period(limit, act, alice, workspace, bob):
    limit(0)
    assert not reserve(workspace=workspace, user=bob, usd=Decimal("0.01"))
    act(alice, f"budgets/{Budget.objects.get().pk}/remove/")
    assert reserve(workspace=workspace, user=bob, usd=Decimal("0.01"))

    limit(1, period="day")
    Budget.objects.update(spent_usd=1, period_start=date(2020, 1, 1))
    assert reserve(workspace=workspace, user=bob, usd=Decimal(1))
    assert Budget.objects.get().period_start == period_start("day")

    assert period_start("month", date(2026, 11, 20)) == date(2026, 11, 1)
    assert period_start("day", date(2026, 11, 20)) == date(2026, 11, 20)


@pytest.mark.parametrize("usd", [1e9, 1e30, float("inf"), float("nan")])
def test_whatever_a_call_is_said_to_have_cost_its_reservation_is_given_back(limit, see, alice, workspace, bob, usd):
    limit(10)
    cost_budget = WorkspaceCostBudget(workspace, bob)
    assert cost_budget.reserve(2.0)

    cost_budget.settle(2.0, usd)

    row = Budget.objects.get()
    assert (row.reserved_usd, row.spent_usd) == (0, money(usd))
    cost_budget.settle(0.0, usd)
    assert Budget.objects.get().spent_usd == money(usd)
    assert see(alice, "budgets/").status_code == 200


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL stores no such amount")
def test_an_amount_beyond_its_column_is_shown_all_the_same(limit, see, alice):
    limit(10)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workspaces_budget SET spent_usd = 2000000000.5")

    assert Budget.objects.get().spent_usd == Decimal("2000000000.5")
    assert see(alice, "budgets/").status_code == 200
