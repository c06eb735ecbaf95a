"""Sets and evaluations in the admin site: to look at. Questions and answers are their workspace's own."""

from django.contrib import admin

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.infra.admin import ReadOnlyAdmin


@admin.register(GoldenSet)
class GoldenSetAdmin(ReadOnlyAdmin):
    list_display = ("pk", "workspace", "schedule", "created_by", "created_at")
    fields = ("workspace", "schedule", "created_by", "created_at")
    readonly_fields = fields


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(ReadOnlyAdmin):
    list_display = ("pk", "is_absent", "created_by", "created_at")
    fields = ("is_absent", "created_by", "created_at")
    readonly_fields = fields


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = ("pk", "label", "state", "trigger", "asked_by", "created_at", "ended_at")
    list_filter = ("state", "trigger")
    fields = ("label", "state", "trigger", "asked_by", "created_at", "ended_at")
    readonly_fields = fields


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ("pk", "evaluation_id", "state", "right", "verdict", "tokens", "cost_usd", "seconds")
    list_filter = ("state", "right", "verdict")
    fields = ("state", "right", "verdict", "tokens", "cost_usd", "seconds")
    readonly_fields = fields
