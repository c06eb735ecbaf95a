"""Servers that lie about tokens: the run ends, is paid for truly, and is shown."""

import json
from decimal import Decimal

import pytest
from django.db import connection
from werkzeug import Response

from tests.runs.test_model import TODAY, Script, _patience, good_answer, led_by, reply, report  # noqa: F401
from vectorless_web.runs.models import Step
from vectorless_web.workspaces.models import Budget

pytestmark = pytest.mark.django_db


def counting(read: object, written: object):
    """A good answer that is said to have taken so many tokens."""

    def act(prompt: str) -> Response:
        body = json.loads(reply(good_answer(prompt)).get_data())
        body["usage"] = {"prompt_tokens": read, "completion_tokens": written}
        return Response(json.dumps(body), content_type="application/json")

    return act


@pytest.fixture
def budget(workspace):
    return Budget.objects.create(workspace=workspace, period="month", period_start=TODAY, limit_usd=100)


@pytest.mark.parametrize("usage", [(10**30, 1), (1, 10**9), (True, True)])
def test_a_server_that_lies_about_its_tokens_is_paid_what_it_can_have_read(
    led_by,  # noqa: F811
    client,
    alice,
    workspace,
    budget,
    usage,
):
    run = led_by(Script(turn=counting(*usage)))

    budget.refresh_from_db()
    assert run.status == "answered"
    assert 0 < run.cost_usd < Decimal("0.2") and run.tokens < 100_000
    assert (budget.spent_usd, budget.reserved_usd) == (run.cost_usd, 0)
    client.force_login(alice)
    home = f"/w/{workspace.slug}/"
    for address in ("/", home, f"{home}runs/", f"{home}runs/{run.pk}/", f"{home}settings/budgets/"):
        assert client.get(address, follow=True).status_code == 200


@pytest.mark.one_database
def test_rows_that_hold_too_much_money_are_shown_all_the_same(make_run, client, alice):
    run = make_run(status="failed")
    step = Step.objects.create(run=run, sequence=1, walk=0, index=0, kind="route", say="x")
    with connection.cursor() as cursor:  # SQLite stores what the field of the model refuses.
        cursor.execute("UPDATE runs_run SET cost_usd = %s WHERE id = %s", [3e20, run.pk])
        cursor.execute("UPDATE runs_step SET cost_usd = %s WHERE id = %s", [3e20, step.pk])

    client.force_login(alice)
    home = f"/w/{run.workspace.slug}/"
    for address in ("/", home, f"{home}runs/", f"{home}runs/{run.pk}/"):
        assert client.get(address, follow=True).status_code == 200
