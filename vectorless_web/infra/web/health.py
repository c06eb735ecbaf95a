"""Health of the site, for load balancers and the operator: see docs/health.md."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_address
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from vectorless_web.infra.web import health_checks
from vectorless_web.infra.web.health_checks import Check, Finding, IntegrityCheck, Level
from vectorless_web.infra.web.request_limits import signed_in_account

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 2.0
"""All checks together may take this long; one that takes longer has failed."""
KEPT_SECONDS = 1.0
"""A report serves everybody who asks within this time, so that asking often costs nothing."""
GRACE_SECONDS = 30.0
"""How long a process may be away before it counts: a restart takes one second to thirty (infra.site.supervisor)."""
STATUS = {Level.OK: "ok", Level.DEGRADED: "degraded", Level.UNAVAILABLE: "unavailable"}


class Health:
    """Runs checks beside each other, within a time, and says how the site is.

    A check in `restarting` that fails is only a warning while it was fine less than GRACE_SECONDS ago.
    """

    def __init__(
        self, checks: Mapping[str, Check], *, restarting: set[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
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
            if self._clock() - self._reported_at >= KEPT_SECONDS:
                self._report = {name: self._judge(name, finding) for name, finding in self._look().items()}
                self._reported_at = self._clock()
            return self._report

    def _look(self) -> dict[str, Finding]:
        deadline = time.monotonic() + ANSWER_SECONDS
        for name, check in self._checks.items():
            before = self._running.get(name)
            if before is not None and before.is_alive():
                continue  # It hangs; asking again would add one more that does.
            self._found.pop(name, None)
            self._running[name] = threading.Thread(target=self._run, args=(name, check), daemon=True)
            self._running[name].start()
        for thread in self._running.values():
            thread.join(max(deadline - time.monotonic(), 0))
        late = Finding(Level.UNAVAILABLE, f"No answer within {ANSWER_SECONDS:g} s.")
        return {name: late if self._running[name].is_alive() else self._found.get(name, late) for name in self._checks}

    def _run(self, name: str, check: Check) -> None:
        try:
            self._found[name] = check()
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
WORKERS = {f"workers:{queue}": partial(health_checks.check_workers, queue) for queue in QUEUES}
health = Health(
    {
        "database": health_checks.check_database,
        "migrations": health_checks.check_migrations,
        "integrity": integrity,
        "redis": health_checks.check_redis,
        **WORKERS,
        **{f"queue:{queue}": partial(health_checks.check_queue, queue) for queue in QUEUES},
        "sweep": health_checks.check_sweep,
        "render": health_checks.check_render,
        "disk": health_checks.check_disk,
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

    VIEWS = {"/health/live": live, "/health/ready": ready}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        view = self.VIEWS.get(request.path_info)
        if view is None:
            return self.get_response(request)
        response: HttpResponse = view(request)
        response["Cache-Control"] = "no-store"
        return response
