"""A row that an address names, or the page that says there is none."""

from typing import Any, TypeVar

from django.db.models import Manager, Model, QuerySet
from django.http import Http404

Row = TypeVar("Row", bound=Model)


def one_or_404(rows: QuerySet[Row] | Manager[Row], missing: str, **which: Any) -> Row:
    """The first of the rows that fit; Http404 with that sentence where there is none."""
    row = rows.filter(**which).first()
    if row is None:
        raise Http404(missing)
    return row
