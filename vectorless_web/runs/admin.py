"""Runs in the admin site: what was asked, every step and claim, what it cost. Histories are only looked at."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery

from vectorless_web.infra.admin import LookedAt, MembersAdmin
from vectorless_web.runs import models
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.workspaces.selectors import User, workspaces_of


class RunRowsAdmin(MembersAdmin):
    """Rows of runs that exist for the administrator."""

    path = "run"

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The runs of the administrator's workspaces, but for those that privacy or a folder closes to them."""
        return visible_runs(user.pk, [workspace.pk for workspace in workspaces_of(user)])


class StepInline(LookedAt):
    model = models.Step
    fields = ["sequence", "walk", "index", "kind", "say", "latency_ms", "tokens", "engine"]
    show_change_link = True


@admin.register(models.Thread)
class ThreadAdmin(RunRowsAdmin):
    path = "pk"
    list_display = ["title", "workspace", "created_by", "created_at"]
    list_filter = ["workspace"]
    search_fields = ["title"]

    def list_readable(self, user: User) -> QuerySet[Any]:
        """The threads whose first question, which is their title, exists for the administrator."""
        first = models.Run.objects.filter(thread=OuterRef("pk")).order_by("pk").values("pk")[:1]
        threads = models.Thread.objects.alias(first=Subquery(first))
        return threads.filter(first__in=super().list_readable(user).values("pk"))


admin.site.register(
    models.Run,
    RunRowsAdmin,
    list_display=[
        "question",
        "workspace",
        "asked_by",
        "status",
        "engine",
        "step_count",
        "tokens",
        "cost_usd",
        "created_at",
    ],
    list_filter=["status", "engine", "error_code", "workspace", "created_at"],
    search_fields=["question", "asked_by__username"],
    path="pk",
    date_hierarchy="created_at",
    exclude=["lease"],
    inlines=[StepInline],
)
admin.site.register(
    models.Step,
    RunRowsAdmin,
    list_display=["run", "sequence", "walk", "kind", "say", "latency_ms", "engine"],
    list_filter=["kind", "engine"],
    search_fields=["say"],
)
admin.site.register(
    models.Answer,
    RunRowsAdmin,
    list_display=["run", "value", "verdict", "grounded", "abstained"],
    list_filter=["verdict", "grounded", "abstained"],
    search_fields=["run__question", "markdown"],
)
admin.site.register(
    models.Claim,
    RunRowsAdmin,
    list_display=["run", "order", "text", "state", "support", "maker"],
    list_filter=["state", "support", "maker"],
    search_fields=["text"],
)
admin.site.register(
    models.Citation,
    RunRowsAdmin,
    list_display=["run", "marker", "document_title", "page", "quote", "check_result"],
    list_filter=["check_result"],
    search_fields=["quote", "document_title", "sha256"],
)
admin.site.register(
    models.ModelCall,
    RunRowsAdmin,
    list_display=[
        "run",
        "purpose",
        "model",
        "tokens_in",
        "tokens_out",
        "cost_usd",
        "latency_ms",
        "cached",
        "error_code",
    ],
    list_filter=["purpose", "model", "cached", "error_code"],
)
admin.site.register(models.RunInputs, RunRowsAdmin, list_display=["run", "considered", "program"])
admin.site.register(
    models.Replay,
    RunRowsAdmin,
    list_display=["run", "verdict", "difference", "steps", "asked_at", "ended_at"],
    list_filter=["verdict"],
)
admin.site.register(
    models.Feedback,
    RunRowsAdmin,
    list_display=["run", "user", "good", "reason", "created_at"],
    list_filter=["good", "reason"],
    search_fields=["comment"],
)
admin.site.register(models.Verification, RunRowsAdmin, list_display=["run", "user", "at"])
admin.site.register(
    models.Comment, RunRowsAdmin, list_display=["run", "author", "text", "created_at"], search_fields=["text"]
)
