"""Workers that are killed or frozen in mid-run: the sweep finds it, the run ends, each step is there once."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

import django_rq
import psutil
import pytest
from django.utils import timezone

from tests.conftest import ROOT, database_url, wait_until
from vectorless_web.runs.line import enqueue
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.services import hand_back_run, recover_runs
from vectorless_web.runs.services.leases import claim

pytestmark = pytest.mark.django_db(transaction=True)
both = pytest.mark.both_databases
"""Not for those that start workers: of SQLite, tests/infra/test_leases.py shows that the fence holds, and
tests/e2e/test_live_run.py that a run whose worker was killed is told once."""

LEASE = 2
ENGINE = {
    "VECTORLESS_ENGINE_FACTORY": "tests.support.engines.build_slow",
    "VECTORLESS_RUN_LEASE_SECONDS": str(LEASE),
    "STORY_STEPS": "10",
}


@pytest.fixture(autouse=True)
def _short_lease(settings):
    settings.RUN_LEASE_SECONDS = LEASE


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def places(run: Run) -> list[tuple]:
    return list(Step.objects.filter(run=run).values_list("walk", "index", "kind"))


def assert_told_once(run: Run, steps: int = 11) -> None:
    """The whole story is there, nothing twice, numbers ascending without a gap in what was shown."""
    found = places(run)
    assert len(found) == len(set(found)) == steps
    numbers = list(Step.objects.filter(run=run).values_list("sequence", flat=True))
    assert numbers == sorted(set(numbers))
    assert fresh(run).step_count == steps


def test_a_zombie_that_wakes_after_its_lease_writes_nothing(make_run):
    """SIGSTOP past the lease, another attempt finishes, SIGCONT: rows stay exactly as they are."""
    run = make_run()
    zombie = start_attempt(run, pause="0.2")
    wait_until(lambda: len(places(run)) >= 3, seconds=60, pause=0.01)
    os.kill(zombie.pid, signal.SIGSTOP)
    time.sleep(LEASE + 0.3)
    assert recover_runs() == 1
    second = start_attempt(run, pause="0.01")
    second.wait(60)
    before = snapshot(run)
    assert fresh(run).status == "answered"

    os.kill(zombie.pid, signal.SIGCONT)
    zombie.wait(60)

    assert zombie.returncode == 0, "it notices by itself and leaves"
    assert snapshot(run) == before
    assert_told_once(run)


def test_a_frozen_worker_is_freed_for_other_work(make_run, spawn):
    """The sweep kills the frozen work-horse through its worker, so the run goes on at once there."""
    run = make_run()
    worker = spawn("work", "runs", **ENGINE, STORY_PAUSE="0.1")
    enqueue(run)
    wait_until(lambda: len(places(run)) >= 2, seconds=60, pause=0.01)
    horse = psutil.Process(worker.pid).children(recursive=True)[-1].pid
    os.kill(horse, signal.SIGSTOP)

    wait_until(recover_runs, seconds=60, pause=0.1)

    wait_until(lambda: not fresh(run).is_open, seconds=60)
    assert (fresh(run).status, fresh(run).attempt) == ("answered", 2)
    assert_told_once(run)


@both
def test_a_run_whose_job_was_lost_is_enqueued_again(make_run):
    run = make_run()
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=1))

    assert recover_runs() == 1
    assert recover_runs() == 0, "one job is enough"
    assert django_rq.get_queue("runs").job_ids == [f"run-{run.pk}-1"]


@both
def test_after_its_attempts_a_run_fails_and_says_so(make_run, settings):
    run = make_run(attempt=settings.RUN_ATTEMPTS)
    settings.RUN_LEASE_SECONDS = -1
    claim(run.pk)

    assert recover_runs() == 1

    assert (fresh(run).status, fresh(run).error_code, fresh(run).retryable) == ("failed", "lease_lost", True)


@both
def test_a_stopped_run_whose_worker_died_ends_as_stopped(make_run, settings):
    run = make_run(cancel_requested=True)
    settings.RUN_LEASE_SECONDS = -1
    claim(run.pk)

    assert recover_runs() == 1

    assert fresh(run).status == "cancelled"


@both
def test_a_held_lease_is_left_alone_and_a_lost_one_given_back_once(make_run):
    run = make_run()
    claim(run.pk)
    assert recover_runs() == 0
    # As it stands when the clock was set back since.
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() + timedelta(hours=2))

    assert [recover_runs(), recover_runs()] == [1, 0]
    assert (fresh(run).status, fresh(run).attempt) == ("queued", 2)


def start_attempt(run: Run, *, pause: str) -> subprocess.Popen:
    """One attempt at a run in a process of its own, without a worker around it that could end it."""
    code = f"import django; django.setup(); from vectorless_web.runs.jobs import execute_run; execute_run({run.pk})"
    environment = {**os.environ, **ENGINE, "STORY_PAUSE": pause, "DATABASE_URL": database_url()}
    environment["DJANGO_SETTINGS_MODULE"] = "vectorless_web.settings"
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)


def snapshot(run: Run) -> list:
    return [list(model.values()) for model in (Run.objects.filter(pk=run.pk), run.steps, run.claims, run.citations)]


@both
def test_a_stopped_worker_hands_its_run_back_however_often_it_was_tried(make_run, settings):
    run = make_run(attempt=settings.RUN_ATTEMPTS)
    lease = claim(run.pk)
    assert not hand_back_run(run.pk, f"run-{run.pk}-{run.attempt - 1}")
    assert fresh(run).lease == lease.token
    assert hand_back_run(run.pk, f"run-{run.pk}-{run.attempt}")
    assert (fresh(run).status, fresh(run).attempt, fresh(run).lease) == (Run.Status.QUEUED, run.attempt + 1, "")
    assert claim(run.pk) is not None
    assert not hand_back_run(run.pk, f"run-{run.pk}-{run.attempt}")
