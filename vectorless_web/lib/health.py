"""Health of the site, for load balancers and the operator."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_GET

from vectorless_web.lib import jobs


@login_not_required
@require_GET
def live(_request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_GET
def ready(_request: HttpRequest) -> JsonResponse:
    """The process can do its work: database and Redis answer. 503 when one does not."""
    checks = {"database": _database_is_up(), "redis": jobs.queue_is_up()}
    ok = all(checks.values())
    return JsonResponse({"status": "ok" if ok else "unavailable", "checks": checks}, status=200 if ok else 503)


def _database_is_up() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
