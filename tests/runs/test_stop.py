"""Stopping a run: it ends within two seconds, in the middle of a model's call too, and keeps its steps."""

import os
import signal
import subprocess
import sys
import time

import django_rq
import pytest

from tests.conftest import ROOT, join, make_user, wait_until
from tests.support.silent_server import SilentServer
from vectorless_web.runs.line import enqueue
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.runs.page.rendering import now_of, takeover_of
from vectorless_web.runs.services import cancel_run
from vectorless_web.runs.services.leases import claim
from vectorless_web.workspaces.models import AuditEvent, ModelProvider

pytestmark = pytest.mark.django_db(transaction=True)

STOPPED_WITHIN = 5.0
"""Seconds: two are promised, the rest is for a busy machine; a model's server would be waited for a minute."""


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


def test_who_asked_editors_and_owners_stop_a_run_and_other_members_do_not(make_run, people, client, html):
    for name, allowed in (("bob", True), ("dora", True), ("alice", True), ("mara", False)):
        run = make_run()
        address = f"/w/{run.workspace.slug}/runs/{run.pk}/"
        offered = f"{address}stop/" in html(people[name], address)

        answer = client.post(f"{address}stop/")

        assert (offered, answer.status_code) == ((True, 302) if allowed else (False, 403))
        assert status(run) == ("cancelled" if allowed else "queued")
        if name != "bob":  # Who asked it is told who else has stopped it.
            assert (f"Stopped by {name}." in html(people["bob"], address)) == allowed


@pytest.mark.one_database
def test_a_stop_inside_a_call_hangs_up_and_keeps_what_was_spent(make_run, read_report, bob, spawn, workspace, settings):
    pieces = ["Let me ", "think about this for a while."]
    server = SilentServer(pieces)
    ModelProvider.objects.create(
        workspace=workspace, name="Slow", base_url=server.url, model="tiny", price_in=1, price_out=10
    )
    run = make_run(question="What was revenue in 2024?")
    spawn("work", "runs", VECTORLESS_MODEL_SECONDS="60", VECTORLESS_VAR=str(settings.MEDIA_ROOT.parent))
    enqueue(run)
    assert server.asked.acquire(timeout=60)
    time.sleep(0.3)
    run.refresh_from_db()
    now = now_of(run)
    assert (now.say, now.since) == ("Waiting for tiny", run.asked_model_at)

    asked = time.monotonic()
    assert cancel_run(user=bob, run=run)
    wait_until(lambda: Run.objects.filter(pk=run.pk, status="cancelled").exists(), seconds=10, pause=0.02)
    wait_until(lambda: server.hung_up_at, seconds=10, pause=0.02)

    assert max(server.hung_up_at) - asked < STOPPED_WITHIN
    run.refresh_from_db()
    call = ModelCall.objects.get(run=run)
    assert (call.error_code, call.reply) == ("cancelled", "".join(pieces))
    assert call.tokens_in > 100
    assert run.tokens == call.tokens_in + call.tokens_out
    assert run.cost_usd == call.cost_usd > 0
    assert run.steps.count() >= 1, "the steps before the call are kept"
    assert takeover_of(run, None) is None, "nobody took over, and the model did not fail"
    assert run.asked_model_at is None, "nothing is waited for any more"
    server.close()


@pytest.mark.one_database
def test_ctrl_c_in_a_terminal_hangs_up_at_once():
    server = SilentServer(None)
    environment = {"OPENAI_BASE_URL": server.url, "VECTORLESS_MODEL": "tiny", "VECTORLESS_MODEL_SECONDS": "60"}
    command = [sys.executable, "manage.py", "ask", "How often may crew travel home?", "docs/demo/field-handbook.md"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    assert server.asked.acquire(timeout=30)
    time.sleep(0.2)

    asked = time.monotonic()
    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=10) == 130
    assert time.monotonic() - asked < STOPPED_WITHIN
    wait_until(lambda: server.hung_up_at, seconds=5)
    server.close()
