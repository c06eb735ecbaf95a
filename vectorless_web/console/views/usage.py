"""Usage, cost and budgets."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse

from vectorless_web.console.subjects import usage
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.csv_files import csv_line, csv_response
from vectorless_web.infra.web.pages import go_saying

RIGHT = "console.view_dayusage"
SPANS = (7, 30, 90)
"""Days that the page can show."""


def read_report(
    request: HttpRequest, groups: Sequence[str] = tuple(usage.GROUPS), workspace: int | None = None
) -> tuple[usage.UsageReport, str]:
    """The report that the address asks for, by one of these groups, and that group; of one workspace or of all."""
    asked = request.GET.get("days", "")
    days = int(asked) if asked in map(str, SPANS) else 30
    group = request.GET.get("by", "")
    group = group if group in groups else groups[0]
    return usage.report_usage(days=days, group=group, workspace=workspace), group


def make_csv(report: usage.UsageReport, group: str) -> HttpResponse:
    """The table by day and the table of the largest, as a CSV file."""
    lines = [csv_line(["day", *usage.COUNTED])]
    lines += [csv_line([row["day"].isoformat(), *(row[name] for name in usage.COUNTED)]) for row in report.by_day]
    lines += ["\r\n", csv_line([group, *usage.COUNTED])]
    lines += [csv_line([row.name, *(row.values[name] for name in usage.COUNTED)]) for row in report.largest]
    return csv_response(lines, f"usage-{report.days}-days.csv")


@staff_page(RIGHT)
def show(request: HttpRequest) -> HttpResponse:
    """What was used, by day and by workspace, person or model; budgets."""
    report, group = read_report(request)
    context = {"report": report, "group": group, "groups": usage.GROUPS, "spans": SPANS}
    return show_page(request, "usage", {**context, "budgets": usage.list_budgets()})


@staff_page(RIGHT)
def export(request: HttpRequest) -> HttpResponse:
    """The table by day and the table of the largest, as CSV."""
    return make_csv(*read_report(request))


@staff_act(RIGHT)
def recount(request: HttpRequest) -> HttpResponse:
    """Bring the figures up to now."""
    usage.recount_usage(actor=request.user)
    return go_saying(request, "The figures are up to date now.", "console:usage")
