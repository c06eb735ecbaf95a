"""Tables as CSV files that a spreadsheet program opens without running anything in them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse
from django.utils.http import content_disposition_header

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
    return download("".join(lines), "text/csv; charset=utf-8", name)


def download(content: str | bytes, media_type: str, name: str) -> HttpResponse:
    """Content as a file of that name, which the browser stores."""
    told = content_disposition_header(True, name)
    return HttpResponse(content, content_type=media_type, headers={"Content-Disposition": told})


def _escape_formula(value: Any) -> Any:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA_SIGNS) and not _NUMBER.fullmatch(text) else value
