"""Rows of the console in the admin site: to look at."""

from django.contrib import admin

from vectorless_web.console.models import BackupTask, DayUsage, SavedSearch
from vectorless_web.infra.admin import ReadOnlyAdmin


@admin.register(DayUsage)
class DayUsageAdmin(ReadOnlyAdmin):
    list_display = ["day", "workspace_key", "person_key", "model", "runs", "tokens", "cost_usd"]
    date_hierarchy = "day"


@admin.register(BackupTask)
class BackupTaskAdmin(ReadOnlyAdmin):
    list_display = ["act", "status", "done", "total", "asked_by", "asked_at", "ended_at"]


@admin.register(SavedSearch)
class SavedSearchAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner"]
