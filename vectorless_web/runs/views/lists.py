"""The list of all runs of a workspace, and the search in everything: what is asked for, and one page of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_GET

from vectorless_web.documents.models import Document
from vectorless_web.documents.selectors import documents_in, open_to
from vectorless_web.infra.limits import SEARCH_MAX, parse_whole_number
from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.runs.models import Comment, Feedback, Run, Verification
from vectorless_web.runs.search import KINDS, SearchQuery, search_workspace
from vectorless_web.runs.search import PAGE_SIZE as RESULTS
from vectorless_web.runs.selectors import asked_runs
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User, may_in, workspace_context, workspace_for

PAGE_SIZE = 30
"""Runs on one page of the list."""
DOCUMENTS_OFFERED, TITLES_OFFERED = 200, 30
"""Documents that the filter of the list offers in one menu; of more it is typed, and so many titles are offered that
have what was typed."""
WORDS_SEARCHED = 8
"""Words of a typed title that count."""
TITLE_MAX = 300
"""Characters of a title, all of which are sent where one is chosen."""
GOOD, BAD, NONE = "good", "bad", "none"
FEEDBACK = (GOOD, BAD, NONE)
MARKS: dict[str, Callable[[int | None], Q]] = {
    "favourite": lambda account: Q(pk__in=Run.favoured_by.through.objects.filter(user=account).values("run")),
    "verified": lambda _account: Q(pk__in=Verification.objects.values("run")),
    "mention": lambda account: Q(pk__in=Comment.objects.filter(mentions=account).values("run")),
    "private": lambda _account: Q(private=True),
}
"""Marks by which the list can be narrowed, for the account that looks."""
_SERIES = re.compile(r"[0-9a-f]{1,16}")


@dataclass(frozen=True)
class RunQuery:
    """What the list of runs is asked for; empty values do not filter. `since` and `until` are whole days."""

    search: str = ""
    outcome: str = ""
    person: int | None = None
    document: int | None = None
    title: str = ""
    """Words of the titles of documents, where there are too many for a menu."""
    feedback: str = ""
    mark: str = ""
    since: date | None = None
    until: date | None = None
    page: int = 1

    @property
    def narrows(self) -> bool:
        """Whether some runs may be left out."""
        filters = [self.search, self.outcome, self.person, self.document, self.title, self.feedback, self.mark]
        return any([*filters, self.since, self.until])


def listed_runs(workspace: Workspace, user: User, query: RunQuery) -> Page[Run]:
    """One page of the list, each run with `good` and `bad`, what people said; a page beyond the end is the last one."""
    marked = MARKS[query.mark](user.pk) if query.mark else Q()
    rows = asked_runs(user.pk, [workspace.pk]).filter(marked)
    narrowed = _filter_runs(workspace, user, rows, query)
    shown = Paginator(narrowed.order_by("-pk"), PAGE_SIZE).get_page(query.page)
    runs = {run.pk: run for run in shown}
    for run in runs.values():
        run.workspace = workspace
        run.good = run.bad = 0  # type: ignore[attr-defined]
    said = Feedback.objects.filter(run__in=runs).order_by().values_list("run", "good").annotate(n=Count("pk"))
    for pk, good, count in said:
        setattr(runs[pk], GOOD if good else BAD, count)
    return shown


def people_of(workspace: Workspace, user: User) -> list[tuple[int, str]]:
    """Those who asked something here, for the list's filter."""
    rows = asked_runs(user.pk, [workspace.pk]).filter(asked_by__isnull=False)
    people = rows.values_list("asked_by", "asked_by__first_name", "asked_by__last_name", "asked_by__username")
    named = {pk: f"{first} {last}".strip() or username for pk, first, last, username in people.order_by().distinct()}
    return sorted(named.items(), key=lambda item: (item[1], item[0]))


@dataclass(frozen=True)
class DocumentFilter:
    """What the list's filter by document offers: (id, title) by title; `is_typed` when there are too many for a menu.

    Then `offered` are those whose titles have the words typed, and `title` is in the field.
    """

    offered: list[tuple[int, str]]
    is_typed: bool = False
    title: str = ""


def documents_of(workspace: Workspace, user: User, query: RunQuery) -> DocumentFilter:
    """The documents that runs read, and always the chosen one, of those that exist for the user."""
    read = Run.versions.through.objects.filter(run__in=asked_runs(user.pk, [workspace.pk]))
    rows = documents_in(workspace, user).filter(pk__in=read.values("documentversion__document")).order_by("title", "pk")
    found = dict(rows.values_list("pk", "title")[: DOCUMENTS_OFFERED + 1])
    chosen: dict[int, str] = {}
    if query.document and query.document not in found:
        asked = Document.objects.filter(open_to(user), workspace=workspace, pk=query.document)
        chosen = dict(asked.values_list("pk", "title"))
    if len(found) <= DOCUMENTS_OFFERED:
        return DocumentFilter(list((found | chosen).items()))
    titles = _with_words(rows, query.title).values_list("pk", "title")[:TITLES_OFFERED]
    named = found.get(query.document or 0) or next(iter(chosen.values()), "")
    return DocumentFilter(list(titles), True, query.title or named)


def _with_words(rows: QuerySet[Document], title: str) -> QuerySet[Document]:
    """The documents of exactly that title, else those whose titles have its words."""
    exact = rows.filter(title=title)
    if title and exact.exists():
        return exact
    for word in title.split()[:WORDS_SEARCHED]:
        rows = rows.filter(title__icontains=word)
    return rows


def _filter_runs(workspace: Workspace, user: User, rows: QuerySet[Run], query: RunQuery) -> QuerySet[Run]:
    rows = rows.select_related("asked_by", "answer")
    for word in query.search.split():
        rows = rows.filter(Q(question__icontains=word) | Q(answer__markdown__icontains=word))
    exact = {"status": query.outcome, "asked_by": query.person}
    rows = rows.filter(**{name: value for name, value in exact.items() if value})
    if query.title:
        meant = _with_words(documents_in(workspace, user), query.title)
        read = Run.versions.through.objects.filter(documentversion__document__in=meant.values("pk"))
        rows = rows.filter(pk__in=read.values("run"))
    elif query.document:
        read = Run.versions.through.objects.filter(documentversion__document=query.document)
        rows = rows.filter(pk__in=read.values("run"))
    if query.feedback:
        rows = _by_feedback(rows, query.feedback)
    if query.since:
        rows = rows.filter(created_at__gte=_midnight(query.since))
    if query.until:
        rows = rows.filter(created_at__lt=_midnight(query.until, days=1))
    return rows


def _by_feedback(rows: QuerySet[Run], feedback: str) -> QuerySet[Run]:
    if feedback == NONE:
        return rows.exclude(pk__in=Feedback.objects.values("run"))
    return rows.filter(pk__in=Feedback.objects.filter(good=feedback == GOOD).values("run"))


def _midnight(day: date, days: int = 0) -> datetime:
    start = datetime(day.year, day.month, day.day, tzinfo=timezone.get_current_timezone())
    return start + timedelta(days=days)


FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)
"""Days between which a filter by date may lie: databases refuse others with an error of their own."""


@require_GET
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    return list_page(request, slug)


def list_page(request: HttpRequest, slug: str, *, refused: bool = False) -> HttpResponse:
    """The list as the address asks for it; `refused` says that other than two runs were ticked for comparing.

    htmx gets the titles alone that the filter by document offers.
    """
    place = workspace_for(request.user, slug)
    query = _run_query(request)
    if is_htmx(request):
        return render(request, "runs/_titles.html", {"documents": documents_of(place, request.user, query)})
    context = {
        **workspace_context(request.user, place, "runs"),
        "runs": listed_runs(place, request.user, query),
        "asked": query,
        "outcomes": [(status.value, status.label) for status in Run.Status],
        "people": people_of(place, request.user),
        "documents": documents_of(place, request.user, query),
        "from_date": query.since.isoformat() if query.since else "",
        "to_date": query.until.isoformat() if query.until else "",
        "refused": refused,
    }
    return render(request, "runs/list.html", context, status=422 if refused else 200)


@require_GET
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """Documents, runs and threads that fit `?q=`; htmx gets the results alone."""
    place = workspace_for(request.user, slug)
    query = _search_query(request)
    found = search_workspace(place, request.user, query)
    context = {
        "query": query,
        "found": found,
        "pager": Paginator(range(found.total), RESULTS).get_page(found.page),
        "chosen": {name: request.GET.get(name, "") for name in ("folder", "tag", "kind", "year")},
    }
    if is_htmx(request):
        return render(request, "runs/_search_results.html", {**context, "workspace": place, "may": may_in(place)})
    return render(request, "runs/search.html", {**workspace_context(request.user, place, "search"), **context})


def _search_query(request: HttpRequest) -> SearchQuery:
    values = request.GET
    series = values.get("series", "")
    return SearchQuery(
        text=" ".join(values.get("q", "").replace("\0", "")[:SEARCH_MAX].split()),
        folder=parse_whole_number(values.get("folder")),
        tag=values.get("tag", "").replace("\0", "")[:SEARCH_MAX],
        kind=values.get("kind", "") if values.get("kind") in KINDS else "",
        year=parse_whole_number(values.get("year")),
        series=int(series, 16) if _SERIES.fullmatch(series) else 0,
        page=parse_whole_number(values.get("page")) or 1,
    )


def _run_query(request: HttpRequest) -> RunQuery:
    """The list's filters from the address; what makes no sense does not filter."""
    values = request.GET
    return RunQuery(
        search=values.get("q", "").replace("\0", "")[:SEARCH_MAX].strip(),
        outcome=values.get("outcome", "") if values.get("outcome") in Run.Status.values else "",
        person=parse_whole_number(values.get("person")),
        document=parse_whole_number(values.get("document")),
        title=" ".join(values.get("title", "").replace("\0", "")[:TITLE_MAX].split()),
        feedback=values.get("feedback", "") if values.get("feedback") in FEEDBACK else "",
        mark=values.get("mark", "") if values.get("mark") in MARKS else "",
        since=_day(values.get("from", "")),
        until=_day(values.get("to", "")),
        page=parse_whole_number(values.get("page")) or 1,
    )


def _day(text: str) -> date | None:
    """A day on which something can have been asked; None for all else."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day is not None and FIRST_DAY <= day <= LAST_DAY else None
