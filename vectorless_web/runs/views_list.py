"""The list of all runs of a workspace."""

from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_GET

from vectorless_web.lib.whole import whole
from vectorless_web.runs import listing
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.selectors import workspace_context, workspace_for

FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


@require_GET
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    return list_page(request, slug)


def list_page(request: HttpRequest, slug: str, *, refused: bool = False) -> HttpResponse:
    """The list as the address asks for it; `refused` says that other than two runs were ticked for comparing."""
    place = workspace_for(request.user, slug)
    query = _run_query(request)
    context = {
        **workspace_context(request.user, place, "runs"),
        "runs": listing.listed_runs(place, query),
        "asked": query,
        "outcomes": [(status.value, status.label) for status in Run.Status],
        "people": listing.people_of(place),
        "documents": listing.documents_of(place, query.document),
        "from_date": query.since.isoformat() if query.since else "",
        "to_date": query.until.isoformat() if query.until else "",
        "refused": refused,
    }
    return render(request, "runs/list.html", context, status=422 if refused else 200)


def _run_query(request: HttpRequest) -> listing.RunQuery:
    """The list's filters from the address; what makes no sense does not filter."""
    values = request.GET
    return listing.RunQuery(
        search=values.get("q", "").replace("\0", "")[:200].strip(),
        outcome=values.get("outcome", "") if values.get("outcome") in Run.Status.values else "",
        person=whole(values.get("person")),
        document=whole(values.get("document")),
        feedback=values.get("feedback", "") if values.get("feedback") in listing.FEEDBACK else "",
        since=_day(values.get("from", "")),
        until=_day(values.get("to", "")),
        page=whole(values.get("page")) or 1,
    )


def _day(text: str) -> date | None:
    """A day on which something can have been asked; None for all else."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day is not None and FIRST_DAY <= day <= LAST_DAY else None
