"""What the pages of a grid show: a cell as the table has it, values in the format of their column, the progress."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from vectorless_web.engine.tables.arithmetic import round_half_up
from vectorless_web.grids import selectors
from vectorless_web.grids.models import Cell, Column, Grid
from vectorless_web.infra.charts import Bar, draw_bars
from vectorless_web.infra.queues.jobs import find_hold
from vectorless_web.runs.line import BACKGROUND_QUEUE
from vectorless_web.workspaces.selectors import User, may_in

SHOWN = 160
"""Characters of an answer that its cell shows; the drawer has all of it."""
CHECKED = ("exact", "verified")
"""Verdicts that give a cell its tick."""
SCALES = {1_000: _("thousand"), 1_000_000: _("million"), 1_000_000_000: _("billion")}
"""What the numbers of a column are shown in."""
YES_NO = {"yes": _("Yes"), "no": _("No")}


_CELL = (
    '<div class="cell {}{}" id="cell-{}" data-state="{}" data-verdict="{}" data-sort="{}"{}{}>'
    '<a href="cells/{}/" tabindex="-1">{}{}</a></div>'
)
_PLACE = '<td role="gridcell" tabindex="-1" data-label="{}">{}</td>'
_WORDS, _REMARK = '<span dir="auto">{}</span>', '{}<span class="fact">{}</span>'
_LIVE = mark_safe('<i class="dot live"></i>')


def show_cell(cell: Cell) -> SafeString:
    """The cell as the table shows it.

    A page may have thousands: no template is asked, which takes 60 µs, and the tick is a sign and no picture.
    """
    words, sort = shown_value(cell), sort_key(cell)
    remark = "" if words and cell.state == Cell.State.ANSWERED else cell.get_state_display()
    is_number = cell.column.is_numeric and cell.number is not None
    is_checked = cell.verdict in CHECKED and cell.state == Cell.State.ANSWERED
    return format_html(
        _CELL,
        cell.state,
        " ticked" if is_checked else "",
        cell.pk,
        cell.state,
        cell.verdict,
        sort,
        format_html(' data-number="{}"', sort) if is_number else "",
        mark_safe(" data-reviewed") if cell.reviewed_by_id else "",
        cell.pk,
        format_html(_WORDS, words) if words else "",
        format_html(_REMARK, _LIVE if cell.is_open else "", remark) if remark else "",
    )


def show_cells(cells: Iterable[Cell]) -> SafeString:
    """The cells of a row in their places."""
    return format_html_join("", _PLACE, ((cell.column.label, show_cell(cell)) for cell in cells))


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
