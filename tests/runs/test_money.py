"""The most a run may spend: typed with the question, set for the workspace, kept to, and shown."""

import pytest

from tests.support.model_server import ModelServer
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs import jobs
from vectorless_web.runs.forms import refill_form
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import ask_again, limits_of, start_run
from vectorless_web.workspaces.models import ModelProvider

pytestmark = pytest.mark.django_db


@pytest.fixture
def priced(own_model) -> ModelServer:
    """A model with a price, and its server."""
    server = ModelServer(prose=True)
    own_model(server, price_in=100, price_out=100)
    return server


def test_a_question_carries_the_most_it_may_cost_which_is_typed_under_options(client, html, bob, place, priced):
    page = html(bob, f"/w/{place.slug}/")
    shown, _, options = page.partition('<details class="menu left options">')
    assert 'name="money_usd"' in options and 'name="max_steps"' in options and 'name="expand"' in options
    assert 'name="scope"' in shown and "money_usd" not in shown and "max_steps" not in shown

    client.post(f"/w/{place.slug}/ask/", {"question": "What was revenue?", "money_usd": "0,25"})

    assert limits_of(Run.objects.get()).money_usd == 0.25
    ModelProvider.objects.all().delete()
    shown = client.get(f"/w/{place.slug}/").content.decode()
    assert 'name="money_usd"' not in shown, "without a price there is nothing to limit"


def test_what_is_no_amount_is_refused(place, bob):
    for typed in ("much", "-1", "0", "nan", "inf", "1e9", "1,000", "$12,500", "1,000,000"):
        with pytest.raises(Problem) as caught:
            start_run(user=bob, workspace=place, question="What was revenue?", money_usd=typed)

        assert (caught.value.code, caught.value.status) == ("invalid_amount", 422)
        assert not Run.objects.exists()


def test_asked_again_a_question_keeps_what_was_typed_and_follows_the_workspace_s_limit_of_today(place, bob):
    place.settings["money_usd"] = 0.1
    place.save()
    usual = start_run(user=bob, workspace=place, question="What was revenue?")
    more = start_run(user=bob, workspace=place, question="What was revenue?", money_usd="5")
    place.settings["money_usd"] = 2.0
    place.save()
    for run in (usual, more):
        run.workspace = place

    assert [limits_of(ask_again(user=bob, run=run)).money_usd for run in (usual, more)] == [2.0, 2.0]
    assert refill_form(usual).money_usd == ""
    del place.settings["money_usd"]
    place.save()
    assert [limits_of(ask_again(user=bob, run=run)).money_usd for run in (usual, more)] == [None, 5.0]


@pytest.mark.parametrize(("most", "calls"), [(0.000001, 0), (None, 1)])
def test_a_run_makes_no_call_that_it_could_not_pay(place, make_run, read_report, priced, most, calls, html, bob):
    settings = {"max_steps": 6} | ({"money_usd": most} if most else {})
    run = make_run(question="What was revenue in 2024?", settings=settings)

    jobs.execute_run(run.pk)

    run.refresh_from_db()
    assert run.status == "passages", "without a reply the closest passages are shown"
    assert (len(priced.requests) > 0) == bool(calls)
    assert float(run.cost_usd) <= (most or 100)
    if most:
        assert "$0.00 of " in html(bob, f"/w/{place.slug}/runs/{run.pk}/")
