"""Rows of the console in the admin site: to look at."""

from vectorless_web.console.models import BackupTask, DayUsage, SavedSearch
from vectorless_web.infra.admin import ReadOnlyAdmin, list_rows

list_rows(
    ReadOnlyAdmin,
    (DayUsage, "day workspace_key person_key model runs tokens cost_usd", "", ""),
    date_hierarchy="day",
)
list_rows(
    ReadOnlyAdmin,
    (BackupTask, "act status done total asked_by asked_at ended_at", "", ""),
    (SavedSearch, "name owner", "", ""),
)
