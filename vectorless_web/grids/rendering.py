"""What the pages of a grid show: a cell as the table has it, values in the format of their column, the progress."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from html import escape
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from vectorless_web.engine.tables.arithmetic import round_half_up
from vectorless_web.engine.text.numbers import MEASURES
from vectorless_web.grids import selectors
from vectorless_web.grids.models import Cell, Column, Grid
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.infra.web.charts import Bar, draw_bars
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.workspaces.selectors import User, may_in

SHOWN = 160
"""Characters of an answer that its cell shows; the drawer has all of it."""
CHECKED = ("exact", "verified")
"""Verdicts that give a cell its tick."""
SCALES = {1_000: gettext_lazy("thousand"), 1_000_000: gettext_lazy("million"), 1_000_000_000: gettext_lazy("billion")}
"""What the numbers of a column are shown in."""
YES_NO = {"yes": gettext_lazy("Yes"), "no": gettext_lazy("No")}


def show_cell(cell: Cell) -> SafeString:
    """The cell as the table shows it.

    A page may have thousands: no template is asked, which takes 60 µs, each text is escaped once, and the tick is a
    sign and no picture.
    """
    words, state, number = shown_value(cell), cell.state, cell.number
    remark = "" if words and state == Cell.State.ANSWERED else str(cell.get_state_display())
    marks = [
        "" if number is None or not cell.column.is_numeric else " data-number" if fits_column(cell) else " data-other",
        " data-reviewed" if cell.reviewed_by_id else "",
    ]
    ticked = " ticked" if cell.verdict in CHECKED and state == Cell.State.ANSWERED else ""
    live = '<i class="dot live"></i>' if cell.is_open else ""
    return mark_safe(  # noqa: S308 - every text in it is escaped.
        f'<a class="cell {state}{ticked}" id="cell-{cell.pk}" href="cells/{cell.pk}/" tabindex="-1" '
        f'data-state="{state}" data-verdict="{cell.verdict}" data-sort="{escape(sort_key(cell))}"{"".join(marks)}>'
        + (f'<span dir="auto">{escape(words)}</span>' if words else "")
        + (f'{live}<span class="fact">{escape(remark)}</span>' if remark else "")
        + "</a>"
    )


def show_cells(cells: Iterable[Cell], labels: Mapping[int, str]) -> SafeString:
    """The cells of a row in their places; `labels` are the names of their columns, escaped."""
    places = (
        f'<td role="gridcell" tabindex="-1" data-label="{labels[cell.column_id]}">{show_cell(cell)}</td>'
        for cell in cells
    )
    return mark_safe("".join(places))  # noqa: S308 - names and cells are escaped.


def shown_value(cell: Cell) -> str:
    """The typed value in its column's format; else the words, cut."""
    value = cell.value or {}
    if cell.number is not None:
        return format_number(cell.number, value.get("unit", ""), cell.column)
    if cell.column.kind == Column.Kind.YES_NO and value.get("text") in YES_NO:
        return str(YES_NO[value["text"]])
    words: str = value.get("text") or cell.shown
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


def convert_number(number: Decimal, unit: str, column: Column) -> Decimal | None:
    """The number in the column's unit; None where it is in another, and not exactly so much of the column's.

    Weeks are days and years are months; no currency is another, no month a number of days, and a number without a unit
    is in none.
    """
    if not column.unit or unit in (column.unit, "percent"):
        return number
    (kind, worth), (other, divisor) = (MEASURES.get(name, ("", Decimal(1))) for name in (unit, column.unit))
    shown = number * worth / divisor
    return shown if kind and kind == other and shown * divisor == number * worth else None


def fits_column(cell: Cell) -> bool:
    """Whether the cell has a number that can be summed, compared and drawn with the others of its column."""
    if cell.number is None or not cell.column.is_numeric:
        return False
    return convert_number(cell.number, (cell.value or {}).get("unit", ""), cell.column) is not None


def format_number(number: Decimal, unit: str, column: Column) -> str:
    """A number in the column's unit, divided by its scale, with its decimal places, or as exact as it is.

    One that is not exactly so much of the column's unit stays as it is and says so.
    """
    converted = convert_number(number, unit, column)
    if converted is None:
        told = _join_number(number, unit, None)
        return _("%(number)s (not in %(unit)s)") % {"number": told, "unit": column.unit}
    shown, scale = unit if unit == "percent" else column.unit or unit, str(SCALES.get(column.scale, ""))
    return _join_number(converted / column.scale, shown, column.decimals, scale)


def _join_number(number: Decimal, unit: str, decimals: int | None, scale: str = "") -> str:
    if decimals is None:
        decimals = max(0, -int(number.normalize().as_tuple().exponent))
    digits = number_format(round_half_up(number, decimals), decimal_pos=decimals, use_l10n=True, force_grouping=True)
    return " ".join(word for word in (digits, scale, "%" if unit == "percent" else unit) if word)


def sort_key(cell: Cell) -> str:
    """What the table sorts by: numbers as numbers in the column's unit, days as ISO dates, words in small letters."""
    number = cell.number
    if number is None:
        return ((cell.value or {}).get("text") or cell.shown).casefold()[:80]
    unit, column = (cell.value or {}).get("unit", ""), cell.column
    converted = convert_number(number, unit, column) if column.unit else None
    if converted is None:
        converted = number * SPAN_DAYS.get(unit, Decimal(1)) / SPAN_DAYS.get(column.unit, Decimal(1))
    return format(converted, "f")


SPAN_DAYS = {"week": Decimal(7), "fortnight": Decimal(14), "month": Decimal("30.4"), "year": Decimal("365.25")}
"""Days of a time span, for the order of rows only."""


def list_bars(cells: Sequence[Cell]) -> list[Bar]:
    """A bar for each cell whose number fits its column, on one scale that holds 0."""
    numbered = [cell for cell in cells if fits_column(cell)]
    return draw_bars((cell.row.document.title, shown_value(cell), Decimal(sort_key(cell))) for cell in numbered)


def progress_context(grid: Grid, user: User) -> dict[str, Any]:
    """What the fragment with progress and acts shows."""
    progress = selectors.progress_of(grid, user)
    return {
        "grid": grid,
        "workspace": grid.workspace,
        "may": may_in(grid.workspace),
        "progress": progress,
        "hold": find_hold(BACKGROUND_QUEUE) if progress.left else None,
        "estimate": selectors.estimate_of(grid, user),
    }
