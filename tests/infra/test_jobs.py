"""Jobs are enqueued once, after the commit, and never break a request."""

import os
import subprocess
import sys

import django_rq
import pytest
from django.conf import settings as site
from django.db import transaction
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq.job import Job

from tests.conftest import ROOT
from vectorless_web.infra.queues import control, jobs

pytestmark = pytest.mark.one_database
ALONE = ["unshare", "--user", "--map-root-user", "--fork", "--pid", "--mount-proc"]
"""Starts a command as process 1 of a space of its own, as a container does; some systems do not let anybody."""


def job_ids(queue: str) -> list[str]:
    return django_rq.get_queue(queue).get_job_ids()


@pytest.mark.django_db(transaction=True)
def test_a_job_waits_for_the_commit_and_exists_until_it_is_stopped():
    with pytest.raises(RuntimeError), transaction.atomic():
        jobs.enqueue("builtins.print", "x", queue="runs", job_id="run-2-1")
        raise RuntimeError("rolled back")
    assert job_ids("runs") == []

    with transaction.atomic():
        jobs.enqueue("builtins.print", "x", queue="runs", job_id="run-1-1")
        assert job_ids("runs") == []
    assert job_ids("runs") == ["run-1-1"]

    jobs.enqueue("builtins.print", "x", queue="runs", job_id="run-3-1")
    assert jobs.exists("run-3-1", queue="runs")
    jobs.stop("run-3-1", queue="runs")
    assert not jobs.exists("run-3-1", queue="runs")


@pytest.mark.django_db(transaction=True)
def test_lost_jobs_are_found_in_few_questions_however_many_wait():
    jobs.enqueue("builtins.print", "x", queue="runs", job_id="run-5-1")
    asked = ["run-5-1", *(f"run-{number}-1" for number in range(100, 1_300))]

    assert jobs.find_lost_jobs(asked, queue="runs") == set(asked[1:])
    assert jobs.find_lost_jobs(asked[:1], queue="runs", alive=("started",)) == {"run-5-1"}
    assert jobs.find_lost_jobs([], queue="runs") == set()


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_worker_ended_before_it_began_goes_back_to_its_queue():
    jobs.enqueue("builtins.print", "x", queue="runs", job_id="run-7-1")
    queue = django_rq.get_queue("runs")
    queue.connection.lmove(queue.key, queue.intermediate_queue_key)  # What a worker does first of all.
    assert jobs.exists("run-7-1", queue="runs"), "by its state it waits"

    assert control.give_back_dropped_jobs() == 0, "a worker has a moment to begin it"
    assert control.give_back_dropped_jobs() == 0
    assert control.give_back_dropped_jobs(after=0.0) == 1
    assert job_ids("runs") == ["run-7-1"]
    assert queue.intermediate_queue.get_job_ids() == []
    assert control.give_back_dropped_jobs() == 0


def test_with_redis_away_no_job_is_called_lost(monkeypatch):
    nobody = Redis(unix_socket_path="/nonexistent.sock", retry=Retry(NoBackoff(), 0))
    monkeypatch.setattr(jobs, "connection_to", lambda _queue: nobody)
    assert jobs.find_lost_jobs(["run-6-1"], queue="runs") == set()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("queue", "forks"), [("documents", 1), ("runs", 2)])
def test_short_documents_share_a_fork_and_questions_have_one_each(queue, forks):
    names = [f"{queue}-{number}" for number in range(2)]
    for name in names:
        jobs.enqueue("os.getpid", queue=queue, job_id=name)
    work = [sys.executable, "manage.py", "work", queue, "--burst"]
    subprocess.run(work, cwd=ROOT, env={**os.environ, "REDIS_URL": site.REDIS_URL}, timeout=60, check=True)
    done = [Job.fetch(name, connection=jobs.connection_to(queue)) for name in names]
    assert [job.get_status() for job in done] == ["finished", "finished"]
    assert len({job.return_value() for job in done}) == forks


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_may_be_process_one_as_in_a_container():
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody make a space of processes")
    jobs.enqueue("time.sleep", 0, queue="backups", job_id="backup-1-1")
    work = [*ALONE, sys.executable, "manage.py", "work", "backups", "--burst"]
    subprocess.run(work, cwd=ROOT, env={**os.environ, "REDIS_URL": site.REDIS_URL}, timeout=60, check=True)
    assert Job.fetch("backup-1-1", connection=django_rq.get_connection("backups")).get_status() == "finished"
