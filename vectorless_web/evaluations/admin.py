"""Sets and evaluations in the admin site: looked at by administrators who may read them as members, and not changed."""

from django.contrib import admin

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin

admin.site.register(
    GoldenSet, WorkspaceRowsAdmin, list_display=["name", "workspace", "schedule", "created_by", "created_at"]
)
admin.site.register(
    GoldenQuestion,
    WorkspaceRowsAdmin,
    list_display=["question", "golden_set", "is_absent", "created_by", "created_at"],
    path="golden_set__workspace",
)
admin.site.register(
    Evaluation,
    WorkspaceRowsAdmin,
    list_display=["golden_set", "label", "state", "trigger", "asked_by", "created_at", "ended_at"],
    list_filter=["state", "trigger"],
    path="golden_set__workspace",
)
admin.site.register(
    Result,
    WorkspaceRowsAdmin,
    list_display=["golden", "evaluation", "state", "right", "verdict", "tokens", "cost_usd", "seconds"],
    list_filter=["state", "right", "verdict"],
    path="evaluation__golden_set__workspace",
    list_select_related=["evaluation__golden_set"],
)
