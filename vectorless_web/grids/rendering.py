"""What the pages of a grid show: a cell as the table has it, values in the format of their column, the progress."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from html import escape
from typing import Any

from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from vectorless_web.engine.tables.arithmetic import round_half_up
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
SCALES = {1_000: _("thousand"), 1_000_000: _("million"), 1_000_000_000: _("billion")}
"""What the numbers of a column are shown in."""
YES_NO = {"yes": _("Yes"), "no": _("No")}


def show_cell(cell: Cell) -> SafeString:
    """The cell as the table shows it.

    A page may have thousands: no template is asked, which takes 60 µs, each text is escaped once, and the tick is a
    sign and no picture.
    """
    words, state, number = shown_value(cell), cell.state, cell.number
    remark = "" if words and state == Cell.State.ANSWERED else str(cell.get_state_display())
    marks = [
        " data-number" if number is not None and cell.column.is_numeric else "",
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


def format_number(number: Decimal, unit: str, column: Column) -> str:
    """A number with its unit: divided by the column's scale, with its decimal places, or as exact as it is."""
    shown = number / column.scale
    decimals = column.decimals if column.decimals is not None else max(0, -int(shown.normalize().as_tuple().exponent))
    digits = number_format(round_half_up(shown, decimals), decimal_pos=decimals, use_l10n=True, force_grouping=True)
    words = [digits, str(SCALES.get(column.scale, "")), "%" if unit == "percent" else unit]
    return " ".join(word for word in words if word)


def sort_key(cell: Cell) -> str:
    """What the table sorts by: numbers as numbers, days as ISO dates, words in small letters."""
    number = cell.number
    if number is not None:
        return format(number * SPAN_DAYS.get((cell.value or {}).get("unit", ""), Decimal(1)), "f")
    return ((cell.value or {}).get("text") or cell.shown).casefold()[:80]


SPAN_DAYS = {"week": Decimal(7), "fortnight": Decimal(14), "month": Decimal("30.4"), "year": Decimal("365.25")}
"""Days of a time span, for the order of rows only."""


def list_bars(cells: Sequence[Cell]) -> list[Bar]:
    """A bar for each cell with a number, on one scale that holds 0."""
    numbered = [cell for cell in cells if cell.number is not None]
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
