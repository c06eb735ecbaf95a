"""What the health addresses tell: what is really so, in time, and details only to those whom they concern."""

import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import django_rq
import pytest
from django.conf import settings as site
from redis import Redis
from rq.utils import utcformat

from vectorless_web.infra.queues.jobs import StoppableWorker
from vectorless_web.infra.web import health
from vectorless_web.infra.web.health import GRACE_SECONDS, Finding, Health, IntegrityCheck, Level, ok
from vectorless_web.runs.management.commands.sweep import sweep

BAD = Finding(Level.UNAVAILABLE, "It is away.")


@pytest.fixture
def redis(db):
    with Redis.from_url(site.REDIS_URL) as client:
        yield client


def test_a_check_that_hangs_fails_in_time_and_is_not_asked_twice():
    asked, over = [], threading.Event()
    clock = iter(range(0, 1000, 10))
    health = Health(
        {"fine": ok, "hung": lambda: asked.append(1) or over.wait() or ok()},
        restarting=set(),
        clock=lambda: next(clock),
        answer_seconds=0.2,
    )
    for _ in range(2):
        started = time.monotonic()
        report = health.report()
        assert time.monotonic() - started < 1
        assert (report["fine"].level, report["hung"].level) == (Level.OK, Level.UNAVAILABLE)
    over.set()
    assert len(asked) == 1


def test_a_check_that_breaks_and_a_database_that_is_damaged_or_cannot_be_written_to_are_noticed(tmp_path):
    assert Health({"broken": lambda: 1 / 0}, restarting=set()).report()["broken"].level == Level.UNAVAILABLE

    path = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table words (word text)")
    assert health._check_sqlite_writes(str(path)).level == Level.OK
    assert health._check_sqlite_writes(str(tmp_path)).level == Level.UNAVAILABLE

    path = tmp_path / "damaged.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table words (word text)")
        database.executemany("insert into words values (?)", [("word" * 500,)] * 200)
        database.commit()
    check = IntegrityCheck(path)
    check.look()
    assert check().level == Level.OK
    with path.open("r+b") as file:
        file.seek(20 * 4096)
        file.write(b"\xff" * 4096 * 20)
    check.look()
    assert check().level == Level.UNAVAILABLE
    assert "damaged" in check().text


def test_a_restart_is_forgiven_and_a_loss_is_not():
    now, found = [1000.0], [BAD]
    health = Health({"workers": lambda: found[0]}, restarting={"workers"}, clock=lambda: now[0])

    def level(seconds: float) -> Level:
        now[0] += seconds
        return health.report()["workers"].level

    assert level(0) == Level.UNAVAILABLE, "what never was there is not starting again"
    found[0] = ok()
    assert level(5) == Level.OK
    found[0] = BAD
    assert level(5) == Level.DEGRADED
    assert level(GRACE_SECONDS) == Level.UNAVAILABLE


def test_workers_count_while_they_give_signs_of_life_and_register_again_after_redis_was_emptied(redis):
    assert health.check_workers("runs").level == Level.UNAVAILABLE
    worker = django_rq.get_worker("runs")
    worker.register_birth()
    assert health.check_workers("runs") == ok("1 alive")
    assert health.check_workers("documents").level == Level.UNAVAILABLE
    redis.hset(worker.key, "last_heartbeat", utcformat(datetime.now(UTC) - timedelta(seconds=90)))
    assert health.check_workers("runs").level == Level.UNAVAILABLE

    worker = django_rq.get_worker("runs", worker_class=StoppableWorker)
    worker.register_birth()
    assert health.check_workers("runs") == ok("1 alive")
    redis.flushdb()
    assert health.check_workers("runs").level == Level.UNAVAILABLE
    worker.heartbeat()
    assert health.check_workers("runs") == ok("1 alive")


def test_a_job_that_waits_long_and_a_sweep_that_rests_are_told(redis):
    assert health.check_queue("runs") == ok("0 waiting, the oldest for 0 s")
    job = django_rq.get_queue("runs").enqueue("time.sleep", 0)
    assert health.check_queue("runs").level == Level.OK
    redis.hset(job.key, "enqueued_at", utcformat(datetime.now(UTC) - timedelta(hours=1)))
    assert health.check_queue("runs") == Finding(Level.DEGRADED, "1 waiting, the oldest for 3600 s")

    assert health.check_sweep().level == Level.DEGRADED
    sweep([lambda: 0])
    assert health.check_sweep().level == Level.OK


@pytest.mark.django_db
def test_strangers_are_told_the_state_alone(client, alice):
    local = client.get("/health/ready").json()
    assert {"database", "redis", "workers:runs", "disk", "storage", "integrity", "sweep"} <= set(local["checks"])
    for more in ({"REMOTE_ADDR": "203.0.113.7"}, {"HTTP_X_FORWARDED_FOR": "203.0.113.7"}):
        client.force_login(alice)
        assert set(client.get("/health/ready", **more).json()) == {"status"}
    alice.is_staff = True
    alice.save()
    assert "checks" in client.get("/health/ready", REMOTE_ADDR="203.0.113.7").json()


@pytest.mark.django_db
def test_probes_need_neither_tls_nor_a_host_name(client, settings):
    settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS = True, ["docs.example.com"]
    assert client.get("/health/live", HTTP_HOST="10.1.2.3:8000").status_code == 200
    assert client.get("/health/ready", HTTP_HOST="10.1.2.3:8000").json()["status"] in ("unavailable", "degraded", "ok")
    assert client.get("/help/", HTTP_HOST="10.1.2.3:8000").status_code == 400
