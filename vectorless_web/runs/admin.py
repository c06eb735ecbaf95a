"""Runs in the admin site: what was asked, every step and claim, what it cost. Histories are only looked at."""

from django.contrib import admin
from django.http import HttpRequest

from vectorless_web.infra.admin import ReadOnlyAdmin, stop_jobs_by
from vectorless_web.runs.line import JOB
from vectorless_web.runs.models import (
    Answer,
    Citation,
    Claim,
    Comment,
    Feedback,
    ModelCall,
    Replay,
    Run,
    RunInputs,
    Step,
    Thread,
    Verification,
)
from vectorless_web.runs.services import cancel_run
from vectorless_web.workspaces.selectors import User


class StepInline(admin.TabularInline):
    model = Step
    fields = ["sequence", "walk", "index", "kind", "say", "latency_ms", "tokens", "engine"]
    readonly_fields = ["sequence", "walk", "index", "kind", "say", "latency_ms", "tokens", "engine"]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = [
        "question",
        "workspace",
        "asked_by",
        "status",
        "engine",
        "step_count",
        "tokens",
        "cost_usd",
        "created_at",
    ]
    list_filter = ["status", "engine", "error_code", "workspace", "created_at"]
    search_fields = ["question", "asked_by__username"]
    list_select_related = ["workspace", "asked_by"]
    date_hierarchy = "created_at"
    exclude = ["lease"]
    inlines = [StepInline]


def _stop_run(user: User, pk: int) -> bool:
    run = Run.objects.select_related("workspace").filter(pk=pk).first()
    return run is not None and cancel_run(user=user, run=run)


stop_jobs_by(JOB, _stop_run)


@admin.register(Thread)
class ThreadAdmin(ReadOnlyAdmin):
    list_display = ["title", "workspace", "created_by", "created_at"]
    list_filter = ["workspace"]
    search_fields = ["title"]
    list_select_related = ["workspace", "created_by"]


@admin.register(Step)
class StepAdmin(ReadOnlyAdmin):
    list_display = ["run", "sequence", "walk", "kind", "say", "latency_ms", "engine"]
    list_filter = ["kind", "engine"]
    search_fields = ["say"]
    list_select_related = ["run"]


@admin.register(Answer)
class AnswerAdmin(ReadOnlyAdmin):
    list_display = ["run", "value", "verdict", "grounded", "abstained"]
    list_filter = ["verdict", "grounded", "abstained"]
    search_fields = ["run__question", "markdown"]
    list_select_related = ["run"]


@admin.register(Claim)
class ClaimAdmin(ReadOnlyAdmin):
    list_display = ["run", "order", "text", "state", "support", "maker"]
    list_filter = ["state", "support", "maker"]
    search_fields = ["text"]
    list_select_related = ["run"]


@admin.register(Citation)
class CitationAdmin(ReadOnlyAdmin):
    list_display = ["run", "marker", "document_title", "page", "quote", "check_result"]
    list_filter = ["check_result"]
    search_fields = ["quote", "document_title", "sha256"]
    list_select_related = ["run"]


@admin.register(ModelCall)
class ModelCallAdmin(ReadOnlyAdmin):
    list_display = [
        "run",
        "purpose",
        "model",
        "tokens_in",
        "tokens_out",
        "cost_usd",
        "latency_ms",
        "cached",
        "error_code",
    ]
    list_filter = ["purpose", "model", "cached", "error_code"]
    list_select_related = ["run"]


@admin.register(RunInputs)
class RunInputsAdmin(ReadOnlyAdmin):
    list_display = ["run", "considered", "program"]
    list_select_related = ["run"]


@admin.register(Replay)
class ReplayAdmin(ReadOnlyAdmin):
    list_display = ["run", "verdict", "difference", "steps", "asked_at", "ended_at"]
    list_filter = ["verdict"]
    list_select_related = ["run"]


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    list_display = ["run", "user", "good", "reason", "created_at"]
    list_filter = ["good", "reason"]
    search_fields = ["comment"]
    list_select_related = ["run", "user"]


@admin.register(Verification)
class VerificationAdmin(ReadOnlyAdmin):
    list_display = ["run", "user", "at"]
    list_select_related = ["run", "user"]


@admin.register(Comment)
class CommentAdmin(ReadOnlyAdmin):
    list_display = ["run", "author", "text", "created_at"]
    search_fields = ["text"]
    list_select_related = ["run", "author"]
