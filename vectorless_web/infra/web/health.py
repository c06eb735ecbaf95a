"""Health of the site, for load balancers and the operator: the checks, and their answer. See docs/health.md."""

import json
import logging
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.worker_registration import get_keys

from vectorless_web.infra.queues.jobs import SILENT_SECONDS, age_of
from vectorless_web.infra.web.request_limits import signed_in_account

SIGN_OF_LIFE_SECONDS = 24 * 3600
"""Seconds that Redis keeps a sign of life; after a day without one a process is forgotten and no longer reported."""
WAIT_SECONDS = 1.0
"""Longest wait for Redis: a sign of life must not hold up what it is a sign of."""


def connect() -> "Redis":
    """A connection whose commands end in time, for code that must not wait for a Redis that hangs."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=WAIT_SECONDS, socket_connect_timeout=WAIT_SECONDS)


def record_heartbeat(name: str) -> None:
    """Say that the process called `name` is alive; quiet when Redis is away."""
    with suppress(RedisError), connect() as redis:
        redis.set(_key(name), time.time(), ex=SIGN_OF_LIFE_SECONDS)


def _key(name: str) -> str:
    return f"vectorless:beat:{name}"


logger = logging.getLogger(__name__)

NEEDED_QUEUES = ("runs", "documents")
"""Queues without whose workers people wait for ever; the others do what nobody waits for."""
SWEEP_SECONDS = 120.0
"""The sweep gives one before each act; its longest lists the whole storage."""
LONG_QUEUE_SECONDS = {"long": 24 * 3600.0}
"""A job that waits this long tells of too few workers, or of one that hangs; QUEUE_SECONDS where nothing is said."""
QUEUE_SECONDS = 600.0
JOBS_LOOKED_AT = 100
"""Jobs, the oldest of a queue, whose waiting time is looked at; bounds the time of a check."""
SCARCE_BYTES, FULL_BYTES = 2**30, 100 * 2**20
"""Free space below which an operator should look, and below which an upload or a write may fail."""
BUSY_SECONDS = 0.3
"""Seconds that the check of the database waits for a lock: well below ANSWER_SECONDS."""
INTEGRITY_SECONDS = 900.0
"""The database is read whole this often: a 600 MB file takes about a second from the page cache."""


class Level(IntEnum):
    """Severity of a finding; the site has the worst one."""

    OK = 0
    DEGRADED = 1
    UNAVAILABLE = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, in a sentence for the operator."""

    level: Level
    text: str


Check = Callable[[], Finding]


def ok(text: str = "ok") -> Finding:
    """Nothing is wrong."""
    return Finding(Level.OK, text)


def check_database() -> Finding:
    """Whether the database answers and can be written to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        if connection.vendor == "postgresql":
            cursor.execute("SHOW transaction_read_only")
            if cursor.fetchone()[0] == "on":
                return Finding(Level.UNAVAILABLE, "The database is read-only.")
    return _check_sqlite_writes(str(connection.settings_dict["NAME"])) if connection.vendor == "sqlite" else ok()


def _check_sqlite_writes(name: str) -> Finding:
    """Take the lock that a write needs, and give it back; somebody else's write is a good sign too."""
    try:
        with closing(sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            return Finding(Level.UNAVAILABLE, f"The database cannot be written to: {error}")
    except sqlite3.DatabaseError as error:
        return Finding(Level.UNAVAILABLE, f"The database cannot be read: {error}")
    return ok()


def check_migrations() -> Finding:
    """Whether the database has the tables that this version needs."""
    if missing := pending_migrations():
        return Finding(Level.UNAVAILABLE, f"{len(missing)} migrations are missing; run `manage.py migrate`.")
    return ok()


def pending_migrations() -> list[str]:
    """Migrations that this program has and the database lacks, as "app.name"; they wait for `manage.py migrate`."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def check_redis() -> Finding:
    """Whether Redis answers."""
    with connect() as redis:
        redis.ping()
    return ok()


def check_workers(queue: str) -> Finding:
    """Whether a worker of the queue gave a sign of life lately."""
    alive = count_alive_workers(queue)
    if not alive:
        level = Level.UNAVAILABLE if queue in NEEDED_QUEUES else Level.DEGRADED
        return Finding(level, f"No worker works on the queue “{queue}”.")
    return ok(f"{alive} alive")


def count_alive_workers(queue: str) -> int:
    """How many workers of the queue gave a sign of life lately; RedisError when Redis is away."""
    with connect() as redis:
        keys = sorted(get_keys(queue=Queue(queue, connection=redis)))
        with redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.hget(key, "last_heartbeat")
            return sum(age_of(heartbeat) < SILENT_SECONDS for heartbeat in pipeline.execute())


def check_queue(queue: str) -> Finding:
    """How long the oldest of the jobs at the queue's head has waited."""
    count, oldest = measure_queue(queue)
    text = f"{count} waiting, the oldest for {oldest:.0f} s"
    is_late = oldest > LONG_QUEUE_SECONDS.get(queue, QUEUE_SECONDS)
    return Finding(Level.DEGRADED if is_late else Level.OK, text)


def measure_queue(queue: str) -> tuple[int, float]:
    """How many jobs wait, and for how many seconds the oldest at the head has; RedisError when Redis is away."""
    with connect() as redis:
        waiting = Queue(queue, connection=redis)
        count = waiting.count
        with redis.pipeline(transaction=False) as pipeline:
            for job_id in waiting.get_job_ids(0, JOBS_LOOKED_AT):
                pipeline.hget(Job.key_for(job_id), "enqueued_at")
            return count, max((age_of(stamp, unknown=0.0) for stamp in pipeline.execute()), default=0.0)


def check_sweep() -> Finding:
    """Whether the sweep, which takes up what crashed, gave a sign of life lately."""
    with connect() as redis:
        recorded = redis.get(_key("sweep"))
    age = None if recorded is None else max(time.time() - float(recorded), 0.0)
    if age is None or age > SWEEP_SECONDS:
        return Finding(Level.DEGRADED, "The sweep does not run: what a crash leaves behind stays as it is.")
    return ok(f"{age:.0f} s ago")


def check_render() -> Finding:
    """Whether the render child replies."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(1)
            asking.connect(str(settings.RENDER_SOCKET))
            asking.sendall(b'{"op": "ping"}\n')
            with asking.makefile("rb") as lines:
                json.loads(lines.readline(1000))
    except (OSError, ValueError) as error:
        return Finding(Level.DEGRADED, f"The render child does not reply, so pages have no pictures: {error}")
    return ok()


def check_disk() -> Finding:
    """Whether there is room for uploads and for the database."""
    try:
        free = shutil.disk_usage(settings.VAR).free
    except OSError as error:
        return Finding(Level.UNAVAILABLE, f"The data folder is away: {error}")
    text = f"{free / 2**30:.1f} GB free"
    if free < FULL_BYTES:
        return Finding(Level.UNAVAILABLE, text)
    return Finding(Level.DEGRADED if free < SCARCE_BYTES else Level.OK, text)


class IntegrityCheck:
    """Reads an SQLite database whole at the start and every quarter of an hour, beside the requests.

    PostgreSQL checks its pages itself; there it is always fine.
    """

    def __init__(self, database: Path | None) -> None:
        self._database = database
        self._finding = ok("not looked at yet") if database else ok("left to the server")

    def start(self) -> None:
        """Look in a thread of its own from now on; call it once, in the process that serves."""
        if self._database is not None:
            threading.Thread(target=self._keep_looking, name="integrity", daemon=True).start()

    def __call__(self) -> Finding:
        """What was found last."""
        return self._finding

    def look(self) -> None:
        """Read the database once."""
        try:
            with closing(sqlite3.connect(f"file:{self._database}?mode=rw", uri=True, timeout=20)) as database:
                rows = database.execute("PRAGMA quick_check(3)").fetchall()
        except sqlite3.OperationalError as error:
            logger.warning("the database could not be looked through: %s", error)
            return
        except sqlite3.DatabaseError as error:
            rows = [(str(error),)]
        if rows == [("ok",)]:
            self._finding = ok()
            return
        found = "; ".join(str(row[0]) for row in rows)[:300]
        self._finding = Finding(Level.UNAVAILABLE, f"The database is damaged; restore a backup. {found}")
        logger.error("the database is damaged: %s", found)

    def _keep_looking(self) -> None:
        while True:
            self.look()
            time.sleep(INTEGRITY_SECONDS)


ANSWER_SECONDS = 2.0
"""All checks together may take this long; one that takes longer has failed."""
REPORT_SECONDS = 1.0
"""A report serves everybody who asks within this time, so that asking often costs nothing."""
GRACE_SECONDS = 30.0
"""How long a process may be away before it counts: a restart takes one second to thirty (infra.site.supervisor)."""
STATUS = {Level.OK: "ok", Level.DEGRADED: "degraded", Level.UNAVAILABLE: "unavailable"}


class Health:
    """Runs checks beside each other, within a time, and says how the site is.

    A check in `restarting` that fails is only a warning while it was fine less than GRACE_SECONDS ago.
    """

    def __init__(
        self,
        checks: Mapping[str, Check],
        *,
        restarting: set[str],
        clock: Callable[[], float] = time.monotonic,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._answer_seconds = answer_seconds
        self._checks, self._restarting, self._clock = dict(checks), restarting, clock
        self._lock = threading.Lock()
        self._running: dict[str, threading.Thread] = {}
        self._found: dict[str, Finding] = {}
        self._fine_at: dict[str, float] = {}
        self._report: dict[str, Finding] = {}
        self._reported_at = float("-inf")

    def add(self, name: str, check: Check) -> None:
        """Run one more check from now on; for apps that bring checks of their own."""
        with self._lock:
            self._checks[name] = check

    def report(self) -> dict[str, Finding]:
        """The finding of each check by its name, at most KEPT_SECONDS old."""
        with self._lock:
            if self._clock() - self._reported_at >= REPORT_SECONDS:
                self._report = {name: self._judge(name, finding) for name, finding in self._look().items()}
                self._reported_at = self._clock()
            return self._report

    def _look(self) -> dict[str, Finding]:
        deadline = time.monotonic() + self._answer_seconds
        for name, check in self._checks.items():
            before = self._running.get(name)
            if before is not None and before.is_alive():
                continue  # It hangs; asking again would add one more that does.
            self._found.pop(name, None)
            self._running[name] = threading.Thread(target=self._run, args=(name, check), daemon=True)
            self._running[name].start()
        for thread in self._running.values():
            thread.join(max(deadline - time.monotonic(), 0))
        late = Finding(Level.UNAVAILABLE, f"No answer within {self._answer_seconds:g} s.")
        return {name: late if self._running[name].is_alive() else self._found.get(name, late) for name in self._checks}

    def _run(self, name: str, check: Check) -> None:
        try:
            self._found[name] = check()
        except RedisError as error:
            self._found[name] = Finding(Level.UNAVAILABLE, f"Redis does not answer: {error}")
        except DatabaseError as error:
            self._found[name] = Finding(Level.UNAVAILABLE, f"The database does not answer: {error}")
        except Exception as error:  # The edge of a thread: a check that breaks has found something.
            logger.exception("the health check %s broke", name)
            self._found[name] = Finding(Level.UNAVAILABLE, f"The check broke: {error}")
        finally:
            connections.close_all()  # Each check has a thread of its own, and with it connections of its own.

    def _judge(self, name: str, finding: Finding) -> Finding:
        now = self._clock()
        if finding.level is Level.OK:
            self._fine_at[name] = now
        elif name in self._restarting and now - self._fine_at.get(name, float("-inf")) < GRACE_SECONDS:
            return Finding(Level.DEGRADED, f"{finding.text} It may be starting again.")
        return finding


def _database_file() -> Path | None:
    database = settings.DATABASES["default"]
    return Path(database["NAME"]) if database["ENGINE"].endswith("sqlite3") else None


integrity = IntegrityCheck(_database_file())
QUEUES = sorted(settings.RQ_QUEUES)
WORKERS = {f"workers:{queue}": partial(check_workers, queue) for queue in QUEUES}
health = Health(
    {
        "database": check_database,
        "migrations": check_migrations,
        "integrity": integrity,
        "redis": check_redis,
        **WORKERS,
        **{f"queue:{queue}": partial(check_queue, queue) for queue in QUEUES},
        "sweep": check_sweep,
        "render": check_render,
        "disk": check_disk,
    },
    restarting=set(WORKERS),
)


@login_not_required
@require_GET
def live(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_GET
def ready(request: HttpRequest) -> HttpResponse:
    """Whether the site can do its work: 503 when it cannot. What is wrong is told on this machine and to staff."""
    report = health.report()
    worst = max(finding.level for finding in report.values())
    answer: dict[str, object] = {"status": STATUS[worst]}
    if _may_see_details(request):
        answer["checks"] = {
            name: {"status": STATUS[finding.level], "detail": finding.text} for name, finding in report.items()
        }
    return JsonResponse(answer, status=503 if worst is Level.UNAVAILABLE else 200)


def _may_see_details(request: HttpRequest) -> bool:
    """Whether the request comes from this machine itself, not through a proxy, or from staff."""
    address = request.META.get("REMOTE_ADDR", "")
    forwarded = {"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"} & set(request.headers)
    try:
        if not forwarded and ip_address(address).is_loopback:
            return True
        account = signed_in_account(request.COOKIES)
    except (ValueError, DatabaseError):
        return False
    return bool(account and getattr(account, "is_staff", False))


class HealthMiddleware:
    """Answers probes before anything else looks at them: they come by IP address, without TLS, and very often."""

    VIEWS: ClassVar[dict[str, Callable[[HttpRequest], HttpResponse]]] = {"/health/live": live, "/health/ready": ready}
    """The views by path; apps that bring addresses of this kind add theirs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = self.VIEWS.get(request.path_info)
        if view is None:
            return self.get_response(request)
        response = view(request)
        response["Cache-Control"] = "no-store"
        return response
