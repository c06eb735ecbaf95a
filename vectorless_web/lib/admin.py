"""The queues' dashboard, kept from everyone but superusers: a job can be run, stopped and read there."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from vectorless_web.lib.dashboard_acts import acting_on_rows

View = Callable[..., HttpResponse]
Dashboard = apps.get_model("django_rq", "Dashboard")
StaffDashboardAdmin: Any = type(admin.site.get_model_admin(Dashboard))


def superusers_only(view: View) -> View:
    """Refuse everyone else with 403, also those whom the view itself would let in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not (request.user.is_active and request.user.is_superuser):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


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
