"""Sets and evaluations in the admin site: looked at by administrators who may read them as members, and not changed."""

from django.contrib import admin

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin


@admin.register(GoldenSet)
class GoldenSetAdmin(WorkspaceRowsAdmin):
    list_display = ("name", "workspace", "schedule", "created_by", "created_at")


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(WorkspaceRowsAdmin):
    path = "golden_set__workspace"
    list_display = ("question", "golden_set", "is_absent", "created_by", "created_at")


@admin.register(Evaluation)
class EvaluationAdmin(WorkspaceRowsAdmin):
    path = "golden_set__workspace"
    list_display = ("golden_set", "label", "state", "trigger", "asked_by", "created_at", "ended_at")
    list_filter = ("state", "trigger")


@admin.register(Result)
class ResultAdmin(WorkspaceRowsAdmin):
    path = "evaluation__golden_set__workspace"
    list_display = ("golden", "evaluation", "state", "right", "verdict", "tokens", "cost_usd", "seconds")
    list_filter = ("state", "right", "verdict")
    list_select_related = ["evaluation__golden_set"]
