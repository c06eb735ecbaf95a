"""Usage in the admin site: rows to look at."""

from django.contrib import admin

from vectorless_web.console.models import DayUsage
from vectorless_web.infra.admin import ReadOnlyAdmin


@admin.register(DayUsage)
class DayUsageAdmin(ReadOnlyAdmin):
    list_display = ["day", "workspace_key", "person_key", "model", "runs", "tokens", "cost_usd"]
    date_hierarchy = "day"
