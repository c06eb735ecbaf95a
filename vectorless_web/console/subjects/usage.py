"""What was used: a rollup by day, workspace, person and model, that a job fills; sums, charts and forecasts from it."""

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.formats import date_format

from vectorless_web.console.models import DayUsage
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.web.charts import Bar, draw_bars
from vectorless_web.runs.models import ModelCall, Run
from vectorless_web.workspaces.models import Budget, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

Status = Run.Status
ROWS_SHOWN = 25
"""Rows of a table by workspace, person or model."""
STAMP = "usage-counted"
"""Key in the cache of when the rollup was counted last."""
KEPT_SECONDS = 600
"""Seconds that a report is kept at most, for names that change meanwhile."""
GROUPS = {"workspace": "workspace_key", "person": "person_key", "model": "model"}
COUNTED = ("runs", "answered", "partial", "not_found", "failed", "cancelled", "tokens", "cost_usd", "pages", "bytes")


def count_usage() -> int:
    """Bring the rollup up to now: the days since the last that is in it, that one anew; how many days.

    Days before it are left as they are, also when their runs were deleted since.
    """
    last = DayUsage.objects.aggregate(last=Max("day"))["last"]
    return _count_days(last) if last is not None else rebuild_usage()


def rebuild_usage() -> int:
    """Count every day anew from the runs and documents that are there; how many days."""
    first = Run.objects.aggregate(first=Min("finished_at"))["first"]
    read = DocumentVersion.objects.aggregate(first=Min("ready_at"))["first"]
    earliest = min((moment for moment in (first, read) if moment is not None), default=None)
    if earliest is None:
        return 0
    DayUsage.objects.filter(day__lt=earliest.astimezone(UTC).date()).delete()
    return _count_days(earliest.astimezone(UTC).date())


def recount_usage(*, actor: User) -> int:
    """The same, because somebody asked for it on the page."""
    days = count_usage()
    record(actor=actor, verb="usage.counted", details={"days": days})
    return days


def _count_days(first: date) -> int:
    today = timezone.now().astimezone(UTC).date()
    days = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    for day in days:
        _count_day(day)
    cache.set(STAMP, timezone.now().timestamp(), None)
    return len(days)


@transaction.atomic
def _count_day(day: date) -> None:
    """Write the rows of one day in place of those that are there."""
    begin = datetime.combine(day, time.min, tzinfo=UTC)
    rows: dict[tuple[int, int, str], dict[str, Any]] = {}
    for row in _sum_runs(begin, begin + timedelta(days=1)):
        key = (row.pop("workspace_id") or 0, row.pop("asked_by_id") or 0, row.pop("model"))
        rows[key] = {**row, "tokens": row["used_tokens"] or 0, "cost_usd": row["used_usd"] or 0}
    for row in _sum_second_readers(begin, begin + timedelta(days=1)):
        person = (row["run__workspace_id"] or 0, row["run__asked_by_id"] or 0)
        theirs = rows.setdefault((*person, row["model"]), {})
        for values, sign in ((theirs, 1), (rows[(*person, row["run__model"])], -1)):
            values["tokens"] = values.get("tokens", 0) + sign * row["used_tokens"]
            values["cost_usd"] = values.get("cost_usd", 0) + sign * row["used_usd"]
    for row in _sum_uploads(begin, begin + timedelta(days=1)):
        key = (row.pop("document__workspace_id") or 0, row.pop("added_by_id") or 0, "")
        rows.setdefault(key, {}).update(pages=row["read_pages"] or 0, bytes=row["read_bytes"] or 0)
    # A day without use keeps an empty row, which says that it was counted.
    rows = rows or {(0, 0, ""): {}}
    DayUsage.objects.filter(day=day).delete()
    DayUsage.objects.bulk_create(
        [
            DayUsage(
                day=day,
                workspace_key=workspace,
                person_key=person,
                model=model,
                **{name: value for name, value in values.items() if name in COUNTED},
            )
            for (workspace, person, model), values in rows.items()
        ],
        ignore_conflicts=True,
        batch_size=500,
    )


def _sum_runs(begin: datetime, end: datetime) -> Iterable[Any]:
    ended = Run.objects.filter(finished_at__gte=begin, finished_at__lt=end, status__in=Run.ENDED).order_by()
    nothing = (Status.NOT_FOUND, Status.PASSAGES)
    return ended.values("workspace_id", "asked_by_id", "model").annotate(
        runs=Count("pk"),
        answered=Count("pk", filter=Q(status=Status.ANSWERED)),
        partial=Count("pk", filter=Q(status=Status.PARTIAL)),
        not_found=Count("pk", filter=Q(status__in=nothing)),
        failed=Count("pk", filter=Q(status=Status.FAILED)),
        cancelled=Count("pk", filter=Q(status=Status.CANCELLED)),
        used_tokens=Sum("tokens"),
        used_usd=Sum("cost_usd"),
    )


def _sum_second_readers(begin: datetime, end: datetime) -> Iterable[Any]:
    """What second readers of their own took of the runs of `_sum_runs`: it counts under their model."""
    calls = ModelCall.objects.filter(
        run__finished_at__gte=begin,
        run__finished_at__lt=end,
        run__status__in=Run.ENDED,
        run__settings__has_key="second_reader",
        purpose__startswith="verify",
    ).exclude(model__in=("", F("run__model")))
    sums = calls.order_by().values("run__workspace_id", "run__asked_by_id", "run__model", "model")
    return sums.annotate(used_tokens=Sum(F("tokens_in") + F("tokens_out")), used_usd=Sum("cost_usd"))


def _sum_uploads(begin: datetime, end: datetime) -> Iterable[Any]:
    read = DocumentVersion.objects.filter(ready_at__gte=begin, ready_at__lt=end).order_by()
    sums = read.values("document__workspace_id", "added_by_id")
    return sums.annotate(read_pages=Sum("pages"), read_bytes=Sum("bytes"))


@dataclass(frozen=True)
class UsageRow:
    """What was used under one name."""

    name: str
    values: dict[str, Any]


@dataclass(frozen=True)
class UsageReport:
    """What was used within some days: sums, one row a day, and the largest by workspace, person or model."""

    days: int
    totals: dict[str, Any]
    by_day: list[dict[str, Any]]
    largest: list[UsageRow]
    runs_chart: list[Bar]
    cost_chart: list[Bar]
    counted_to: date | None


def report_usage(*, days: int, group: str, workspace: int | None = None) -> UsageReport:
    """The last `days` days, today included, and the largest by `group`, a key of GROUPS; kept until the next count.

    `workspace` narrows it to the workspace of that number.
    """
    # Redis may have been emptied since the count: the report is then made once, and kept until the next one.
    stamp = cache.get_or_set(STAMP, lambda: timezone.now().timestamp(), None)
    key = f"usage-bars-{stamp}-{timezone.now().astimezone(UTC).date()}-{days}-{group}-{workspace}"
    kept: UsageReport | None = cache.get(key) if stamp else None
    if kept is not None:
        return kept
    made = _make_report(days, group, workspace)
    cache.set(key, made, KEPT_SECONDS)
    return made


def _make_report(days: int, group: str, workspace: int | None) -> UsageReport:
    today = timezone.now().astimezone(UTC).date()
    first = today - timedelta(days=days - 1)
    rows = DayUsage.objects.filter(day__gte=first).order_by()
    if workspace is not None:
        rows = rows.filter(workspace_key=workspace)
    fields: dict[str, Any] = {name: DayUsage._meta.get_field(name) for name in COUNTED}
    sums: dict[str, Any] = {name: Coalesce(Sum(name), 0, output_field=fields[name]) for name in COUNTED}
    found: dict[date, dict[str, Any]] = {row["day"]: dict(row) for row in rows.values("day").annotate(**sums)}
    empty = dict.fromkeys(COUNTED, 0)
    by_day = [found.get(day, {"day": day, **empty}) for day in (first + timedelta(days=n) for n in range(days))]
    return UsageReport(
        days=days,
        totals={name: sum(row[name] for row in by_day) for name in COUNTED},
        by_day=by_day,
        largest=_name_groups(rows, group, sums),
        runs_chart=_draw(by_day, "runs", "{:,} questions"),
        cost_chart=_draw(by_day, "cost_usd", "${:,.2f}"),
        counted_to=DayUsage.objects.aggregate(last=Max("day"))["last"],
    )


def _name_groups(rows: QuerySet[DayUsage], group: str, sums: dict[str, Any]) -> list[UsageRow]:
    key = GROUPS[group]
    used = rows.exclude(runs=0, pages=0)
    largest = list(used.values(key).annotate(**sums).order_by("-cost_usd", "-runs", key)[:ROWS_SHOWN])
    names = _names_of(group, [row[key] for row in largest])
    return [UsageRow(names[row.pop(key)], row) for row in [dict(row) for row in largest]]


def _names_of(group: str, keys: list[Any]) -> dict[Any, str]:
    if group == "model":
        return {key: key or "Offline reasoner, documents" for key in keys}
    if group == "workspace":
        known = dict(Workspace.objects.filter(pk__in=keys).values_list("pk", "name"))
    else:
        known = dict(get_user_model()._default_manager.filter(pk__in=keys).values_list("pk", "username"))
    return {key: known.get(key, f"deleted, number {key}" if key else "nobody") for key in keys}


def _draw(by_day: list[dict[str, Any]], name: str, text: str) -> list[Bar]:
    return draw_bars((date_format(row["day"], "j M Y"), text.format(row[name]), Decimal(row[name])) for row in by_day)


@dataclass(frozen=True)
class BudgetState:
    """A budget with what it will come to at the present pace."""

    budget: Budget
    spent_usd: Decimal
    """Spent in the period that runs now."""
    forecast_usd: Decimal
    tone: str
    word: str
    """How it stands, "" for well."""


def list_budgets(workspace: Workspace | None = None) -> list[BudgetState]:
    """The budgets of a workspace or of all, those closest to their limit first, each with a straight-line forecast."""
    rows = Budget.objects.select_related("workspace", "user")
    if workspace is not None:
        rows = rows.filter(workspace=workspace)
    nearest = rows.order_by((F("spent_usd") + F("reserved_usd") - F("limit_usd")).desc(), "pk")[:ROWS_SHOWN]
    return [_forecast(budget) for budget in nearest]


def _forecast(budget: Budget) -> BudgetState:
    now = timezone.now().astimezone(UTC)
    begin = datetime.combine(budget.period_start, time.min, tzinfo=UTC)
    days = 1 if budget.period == Budget.Period.DAY else monthrange(begin.year, begin.month)[1]
    passed = max((now - begin) / timedelta(days=days), 0.02)
    # A period that is over begins anew with the next call: nothing of it counts.
    spent = budget.spent_usd if passed <= 1 else Decimal(0)
    forecast = spent / Decimal(min(passed, 1.0))
    return BudgetState(budget, spent, forecast, *_judge(budget, spent + budget.reserved_usd, forecast))


def _judge(budget: Budget, taken: Decimal, forecast: Decimal) -> tuple[str, str]:
    if taken >= budget.limit_usd:
        return "bad", "used up"
    if taken * 100 >= budget.limit_usd * budget.warn_percent:
        return "warn", f"over {budget.warn_percent} %"
    return ("warn", "will not last") if forecast > budget.limit_usd else ("", "")
