"""Admin pages: rows that people only look at, and the queues' dashboard."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.apps import apps
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from rq.exceptions import NoSuchJobError
from rq.job import Job

from vectorless_web.infra.queues import jobs


class ReadOnlyAdmin(admin.ModelAdmin):
    """Lists and pages without adding, changing or deleting."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


class LookedAt(admin.TabularInline):
    """Rows of another model that are only shown, with their `fields`, under the row that they belong to."""

    extra = 0
    can_delete = False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """All of them, also those that no form could have."""
        return self.fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False


class MembersAdmin(ReadOnlyAdmin):
    """Rows that hold texts of workspaces: administrators look at those that they may read as members, and at no others.

    `path` leads from a row to the rows of `list_readable`, which an app defines once.
    """

    path = "pk"

    def list_readable(self, user: Any) -> QuerySet[Any]:
        """What an account may read."""
        raise NotImplementedError

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of what the administrator may read."""
        # A page asks several times; who belongs where is looked up once.
        kept = vars(request).setdefault("readable", {})
        if self not in kept:
            kept[self] = self.list_readable(request.user).order_by().values("pk")
        return super().get_queryset(request).filter(**{f"{self.path}__in": kept[self]})


DashboardView = Callable[..., HttpResponse]
Stop = Callable[[Any, int], bool]
"""Ends the row of a number in somebody's name; false when it has ended already."""

WHERE = (
    "Questions and files are stopped in the console, under Queues; files are read again there, under Documents and "
    "runs, and questions that failed are asked again on their own page."
)
REFUSED = {
    "clear": "The queue was not emptied: it would be filled again from the database within seconds. ",
    "requeue_all": "Nothing was put back: what still waits in the database gets its job by itself. ",
    "requeue_job": "Nothing was put back: what still waits in the database gets its job by itself. ",
    "enqueue_job": "Nothing was put back: what still waits in the database gets its job by itself. ",
    "delete_job": "The job was not deleted: it would come back from the database within seconds. ",
}
NO_ACT = "Nothing was done: here, jobs can only be stopped. "
ENDED = ("finished", "failed", "stopped", "canceled")
"""States of jobs that are records only; these may be deleted."""

_stops: dict[str, Stop] = {}


def stop_jobs_by(path: str, stop: Stop) -> None:
    """Say how the work of the job function at `path`, whose first argument is a row's number, is ended."""
    _stops[path] = stop


def acting_on_rows(name: str, view: DashboardView) -> DashboardView:
    """The dashboard's view of that name, with what misleads refused and a stop carried out on the row."""

    @wraps(view)
    def handle_rows(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return _handle_act(name, view, request, kwargs) or view(request, *args, **kwargs)
        except (NoSuchJobError, IndexError) as error:
            raise Http404("There is no such queue or job (any more).") from error

    return handle_rows


def _handle_act(name: str, view: DashboardView, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponse | None:
    """The answer to an act; None for pages that only show."""
    if name == "delete_job" and _fetch(kwargs["job_id"]).get_status() in ENDED:
        return None
    if name in REFUSED:
        return _refuse_act(request, REFUSED[name])
    if name == "stop_job" and request.method == "POST":
        return _stop_jobs(request, [kwargs["job_id"]])
    if name in ("actions", "confirm_action"):
        if request.POST.get("action") != "stop":
            return _refuse_act(request, NO_ACT)
        return _stop_jobs(request, request.POST.getlist("job_ids")) if name == "actions" else None
    return None


def _refuse_act(request: HttpRequest, why: str) -> HttpResponse:
    messages.error(request, why + WHERE)
    return redirect("admin:django_rq_home")


def _stop_jobs(request: HttpRequest, names: Sequence[str]) -> HttpResponse:
    ended = [name for name in names if _stop(request.user, _fetch(name))]
    left = [name for name in names if name not in ended]
    if ended:
        messages.success(request, f"Asked to stop: {', '.join(ended)}. What was found is kept.")
    if left:
        messages.error(request, f"Not stopped, because it has ended or cannot be stopped: {', '.join(left)}. {WHERE}")
    return redirect("admin:django_rq_home")


def stop_work_of(user: Any, name: str) -> bool:
    """End the work of a job in somebody's name, by its row; false when it ended or cannot be ended."""
    return _stop(user, _fetch(name))


def _stop(user: Any, job: Job) -> bool:
    stop = _stops.get(job.func_name or "")
    return stop is not None and stop(user, job.args[0])


def _fetch(name: str) -> Job:
    """The job of that name, whichever queue it is in; NoSuchJobError when Redis knows of none."""
    return Job.fetch(name, connection=jobs.connection_to("runs"))


View = Callable[..., HttpResponse]
Dashboard = apps.get_model("django_rq", "Dashboard")
StaffDashboardAdmin: Any = type(admin.site.get_model_admin(Dashboard))


def superusers_only(view: View) -> View:
    """Refuse everyone else with 403, also those whom the view itself would let in."""

    @wraps(view)
    def check_superuser(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not (request.user.is_active and request.user.is_superuser):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return check_superuser


class DashboardAdmin(StaffDashboardAdmin):
    """The dashboard with every one of its addresses guarded, and acts that end rows instead of jobs."""

    def get_urls(self) -> list[Any]:
        """The dashboard's addresses."""
        patterns: list[Any] = super().get_urls()
        for pattern in patterns:
            name = (pattern.name or "").removeprefix("django_rq_")
            pattern.callback = superusers_only(acting_on_rows(name, pattern.callback))
        return patterns

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the admin index shows it."""
        return bool(request.user.is_active and request.user.is_superuser)


admin.site.unregister(Dashboard)
admin.site.register(Dashboard, DashboardAdmin)
