"""Rows of the console in the admin site: to look at."""

from django.contrib import admin

from vectorless_web.console.models import BackupTask, DayUsage, SavedSearch
from vectorless_web.infra.admin import ReadOnlyAdmin

admin.site.register(
    DayUsage,
    ReadOnlyAdmin,
    list_display=["day", "workspace_key", "person_key", "model", "runs", "tokens", "cost_usd"],
    date_hierarchy="day",
)
admin.site.register(
    BackupTask, ReadOnlyAdmin, list_display=["act", "status", "done", "total", "asked_by", "asked_at", "ended_at"]
)
admin.site.register(SavedSearch, ReadOnlyAdmin, list_display=["name", "owner"])
