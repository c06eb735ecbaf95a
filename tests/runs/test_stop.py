"""Stopping a run: it ends within two seconds, keeps its steps, and says that it was stopped."""

import time

import django_rq
import pytest

from tests.conftest import join, make_user, wait_until
from vectorless_web.runs.line import enqueue
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import cancel_run
from vectorless_web.runs.services.leases import claim
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db(transaction=True)

STOPPED_WITHIN = 5.0
"""Seconds: two are promised, the rest is for a busy machine."""


def status(run: Run) -> str:
    return Run.objects.values_list("status", flat=True).get(pk=run.pk)


def test_a_waiting_run_is_stopped_at_once_for_good_and_once(make_run, bob):
    run = make_run()
    enqueue(run)

    assert cancel_run(user=bob, run=run)
    cancel_run(user=bob, run=run)

    run.refresh_from_db()
    assert (run.status, run.reason != "", run.finished_at is not None) == ("cancelled", True, True)
    assert django_rq.get_queue("runs").job_ids == []
    assert claim(run.pk) is None
    assert AuditEvent.objects.filter(verb="run.stopped", actor=bob).count() == 1


def test_a_run_whose_worker_is_gone_is_stopped_at_once(make_run, bob, settings):
    settings.RUN_LEASE_SECONDS = -1
    run = make_run()
    claim(run.pk)

    assert cancel_run(user=bob, run=run)

    assert status(run) == "cancelled"


def test_a_run_that_has_ended_stays_as_it_is(make_run, bob):
    run = make_run(status="answered")

    assert not cancel_run(user=bob, run=run)

    assert status(run) == "answered"
    assert not AuditEvent.objects.filter(verb="run.stopped").exists()


def test_a_run_that_hangs_ends_soon_and_frees_its_worker_for_the_next(make_run, bob, spawn):
    first, second = make_run(), make_run()
    spawn("work", "runs", VECTORLESS_ENGINE_FACTORY="tests.support.engines.build_deaf", STORY_PAUSE="0.2")
    enqueue(first)
    enqueue(second)
    wait_until(first.steps.exists, seconds=20)

    asked = time.monotonic()
    cancel_run(user=bob, run=first)
    wait_until(lambda: status(first) == "cancelled", seconds=10, pause=0.02)
    assert time.monotonic() - asked < STOPPED_WITHIN
    kept = first.steps.count()
    assert kept >= 1
    wait_until(second.steps.exists, seconds=20)
    cancel_run(user=bob, run=second)
    wait_until(lambda: status(second) == "cancelled", seconds=10)
    assert first.steps.count() == kept, "nothing is written after the end"


@pytest.fixture
def people(workspace, alice, bob, dora, django_user_model):
    """Mara is a member like Bob."""
    mara = join(workspace, make_user(django_user_model, "mara"), "member")
    return {"alice": alice, "bob": bob, "dora": dora, "mara": mara}


def test_who_asked_editors_and_owners_stop_a_run_and_other_members_do_not(make_run, people, client):
    for name, allowed in (("bob", True), ("dora", True), ("alice", True), ("mara", False)):
        run = make_run()
        address = f"/w/{run.workspace.slug}/runs/{run.pk}/"
        client.force_login(people[name])
        offered = f"{address}stop/" in client.get(address).content.decode()

        answer = client.post(f"{address}stop/")

        assert (offered, answer.status_code) == ((True, 302) if allowed else (False, 403))
        assert status(run) == ("cancelled" if allowed else "queued")


def test_the_page_says_who_stopped_it(make_run, people, client):
    run = make_run()
    client.force_login(people["dora"])
    client.post(f"/w/{run.workspace.slug}/runs/{run.pk}/stop/")

    client.force_login(people["bob"])
    assert "Stopped by dora." in client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/").content.decode()
