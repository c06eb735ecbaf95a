"""Sets and evaluations in the admin site: looked at by administrators who may read them as members, and not changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.infra.admin import MembersAdmin
from vectorless_web.workspaces.selectors import User, workspaces_of


class SetRowsAdmin(MembersAdmin):
    """Sets of the administrator's workspaces, and what belongs to them alone."""

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The sets of the administrator's workspaces."""
        return GoldenSet.objects.filter(workspace__in=[workspace.pk for workspace in workspaces_of(user)])


@admin.register(GoldenSet)
class GoldenSetAdmin(SetRowsAdmin):
    list_display = ("name", "workspace", "schedule", "created_by", "created_at")
    list_select_related = ("workspace", "created_by")


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(SetRowsAdmin):
    path = "golden_set"
    list_display = ("question", "golden_set", "is_absent", "created_by", "created_at")
    list_select_related = ("golden_set", "created_by")


@admin.register(Evaluation)
class EvaluationAdmin(SetRowsAdmin):
    path = "golden_set"
    list_display = ("golden_set", "label", "state", "trigger", "asked_by", "created_at", "ended_at")
    list_filter = ("state", "trigger")
    list_select_related = ("golden_set", "asked_by")


@admin.register(Result)
class ResultAdmin(SetRowsAdmin):
    path = "evaluation__golden_set"
    list_display = ("golden", "evaluation", "state", "right", "verdict", "tokens", "cost_usd", "seconds")
    list_filter = ("state", "right", "verdict")
    list_select_related = ("golden", "evaluation__golden_set")
