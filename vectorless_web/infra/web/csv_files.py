"""Tables as CSV files that a spreadsheet program opens without running anything in them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

_FORMULA_SIGNS = tuple("=+-@\t\r")
"""Signs by which a spreadsheet program takes a cell for a formula."""
_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?")


def csv_line(values: Iterable[Any]) -> str:
    """Values as a line of CSV; one that looks like a formula and is no number begins with an apostrophe."""
    line = io.StringIO()
    csv.writer(line).writerow([_escape_formula(value) for value in values])
    return line.getvalue()


def csv_response(lines: Sequence[str], name: str) -> HttpResponse:
    """Lines of CSV as a download of that file name."""
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _escape_formula(value: Any) -> Any:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA_SIGNS) and not _NUMBER.fullmatch(text) else value
