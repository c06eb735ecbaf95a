"""One table of a document: its page, which sorts, filters and sums it up, and its rows as a file."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from vectorless_web.documents import selectors
from vectorless_web.documents.forms import ReaderForm, TableForm
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.rendering.tables import (
    TableQuery,
    WholeTable,
    WorkedSheet,
    find_table,
    work_table,
)
from vectorless_web.documents.views.rights import document_shown_to
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.operations import Comparison
from vectorless_web.infra.web.csv_files import csv_line, csv_response
from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context


@document_shown_to(Role.VIEWER)
def show(request: HttpRequest, document: Document, key: int) -> HttpResponse:
    """A table with the rows that the address asks for; whole, with a sentence why, when it asks for what cannot be."""
    version, table = _find_table(request, document, key)
    asked = _read_request(request, table)
    context = {
        **workspace_context(request.user, document.workspace, "documents"),
        "document": document,
        "version": version,
        "table": table,
        "form": asked.form,
        "query": asked.query,
        "problems": asked.problems,
        "sheet": asked.sheet,
        "rows": asked.sheet.lay_out_rows(),
    }
    template = "documents/_worked_table.html" if is_htmx(request) else "documents/table.html"
    return render(request, template, context, status=422 if asked.problems else 200)


@document_shown_to(Role.VIEWER)
def download(request: HttpRequest, document: Document, key: int) -> HttpResponse:
    """The rows that the page with the same query shows, as a CSV file."""
    version, table = _find_table(request, document, key)
    sheet = _read_request(request, table).sheet
    lines = [csv_line(column.name for column in sheet.columns), *map(csv_line, sheet.rows)]
    return csv_response(lines, f"table-{document.pk}-{version.number}-{key}.csv")


def _find_table(request: HttpRequest, document: Document, key: int) -> tuple[DocumentVersion, WholeTable]:
    form = ReaderForm(request.GET)
    form.is_valid()
    version = selectors.ready_version(document, form.cleaned_data.get("version"))
    table = find_table(version, key)
    if table is None:
        raise Http404("This version has no such table.")
    return version, table


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request read: its form, the query in it, what the table comes to, and what was wrong with it."""

    form: TableForm
    query: TableQuery
    sheet: WorkedSheet
    problems: list[str]


def _read_request(request: HttpRequest, table: WholeTable) -> _Asked:
    form = TableForm(request.GET, columns=table.columns)
    problems = [] if form.is_valid() else [str(error) for errors in form.errors.values() for error in errors]
    query = TableQuery() if problems else _read_query(form.cleaned_data)
    try:
        sheet = work_table(table, query)
    except InvalidInput as refused:
        query, problems = replace(query, value=""), [refused.message]
        sheet = work_table(table, query)
    return _Asked(form, query, sheet, problems)


def _read_query(values: dict[str, Any]) -> TableQuery:
    return TableQuery(
        sort=values["sort"],
        descending=values["order"] == "desc",
        column=values["column"] or 0,
        comparison=Comparison(values["comparison"] or Comparison.CONTAINS),
        value=values["value"],
    )
