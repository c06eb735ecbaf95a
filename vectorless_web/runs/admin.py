"""Runs in the admin site: what was asked, every step and claim, what it cost. Histories are only looked at."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery

from vectorless_web.infra.admin import LookedAt, MembersAdmin, list_rows
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


list_rows(
    RunRowsAdmin,
    (
        models.Run,
        "question workspace asked_by status engine step_count tokens cost_usd created_at",
        "status engine error_code workspace created_at",
        "question asked_by__username",
    ),
    path="pk",
    date_hierarchy="created_at",
    exclude=["lease"],
    inlines=[StepInline],
)
list_rows(
    RunRowsAdmin,
    (models.Step, "run sequence walk kind say latency_ms engine", "kind engine", "say"),
    (models.Answer, "run value verdict grounded abstained", "verdict grounded abstained", "run__question markdown"),
    (models.Claim, "run order text state support maker", "state support maker", "text"),
    (
        models.Citation,
        "run marker document_title page quote check_result",
        "check_result",
        "quote document_title sha256",
    ),
    (
        models.ModelCall,
        "run purpose model tokens_in tokens_out cost_usd latency_ms cached error_code",
        "purpose model cached error_code",
        "",
    ),
    (models.RunInputs, "run considered program", "", ""),
    (models.Replay, "run verdict difference steps asked_at ended_at", "verdict", ""),
    (models.Feedback, "run user good reason created_at", "good reason", "comment"),
    (models.Verification, "run user at", "", ""),
    (models.Comment, "run author text created_at", "", "text"),
)
