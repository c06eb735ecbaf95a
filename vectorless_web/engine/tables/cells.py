"""What is understood of a table's cell: the labels and headers above it, its period, unit and scale."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.tables.periods import NET, ColumnPeriod, is_period_only, read_header, spans_years
from vectorless_web.engine.tables.units import (
    THOUSAND,
    code_in,
    find_units,
    holds_figure,
    is_for_shares,
    is_per_share,
    is_scale,
    is_unit,
    own_unit,
    says_count,
    says_number,
    says_percent,
    says_price,
    says_scale,
    says_shares,
    strip_units,
    tells_units,
    unit_in,
    units_currency,
    units_scale,
)
from vectorless_web.engine.tables.view import (
    DAY_ALONE,
    LEAD_IN,
    LONG_WORD,
    SHARE_BESIDE,
    UNITS_ABOVE,
    ColumnKind,
    Footnote,
    TableView,
    find_exceptions,
)


@dataclass(frozen=True, slots=True)
class CellReading:
    """What is understood of one cell.

    `row_path` ends with the row's own label; `unit` is "%", "per share", "kg", a currency's code, or "" where none
    is known; `scale` multiplies the printed number into units.
    """

    row_path: tuple[str, ...]
    column_path: tuple[str, ...]
    period: ColumnPeriod
    unit: str
    scale: Decimal
    currency: str
    footnotes: tuple[Footnote, ...] = ()


def read_cell(view: TableView, row: Row, place: int) -> CellReading:
    """What is understood of the cell at a place of a row."""
    below = next((later for offset, later in reversed(view.later) if offset < row.offset), view)
    return _read_cell(below, row, place)


def _read_cell(view: TableView, row: Row, place: int) -> CellReading:
    column = view.table.columns[place] if place < len(view.table.columns) else None
    cell = row.cells[place]
    path = column.path if column else ()
    unit, scale, currency = _cell_unit(view, row, place)
    label = _label_of(view, row, place)
    row_path = (*row.path, label) if label and row.path[-1:] != (label,) else row.path
    parting = view.parting_column
    if parting < place and label == row.label != row.cells[parting].text and row.cells[parting].length:
        row_path = (*row_path, row.cells[parting].text)
    period = view.periods[place] if place < len(view.periods) else read_header("")
    if not period.year or not (column and read_header(column.header, column.period).year):
        # What holds for the whole table yields to what a row says.
        period = _row_period(row, view.periods_between.get(row.offset, period))
    period = _narrow_to_quarter(row, period)
    notes = view.notes_of((cell.text if place else "", row.label, *path))
    return CellReading(row_path, path, period, unit, scale, currency, notes)


def _label_of(view: TableView, row: Row, place: int) -> str:
    for before in range(place - 1, 0, -1):
        text = row.cells[before].text.strip()
        if text.endswith(":") and len(text) > 1:
            return text
    for before in range(min(place, len(view.table.columns) - 1), 0, -1):
        if row.cells[before].length and _begins_again(view, before, place):
            return row.cells[before].text
    words = _words_before(view, row, place)
    if _ORDINAL.match(row.label):
        return f"{row.label} {words[0]}" if words else row.label
    return row.label or (words[-1] if words else "")


_ORDINAL = re.compile(r"^\(?\d{1,2}(?:\.\d{1,2})*[.)]?(?:\s?[A-Za-z])?$")
"""A number that counts rows and names none: "7.", "4.2", "4.4 B"."""


def _begins_again(view: TableView, before: int, place: int) -> bool:
    """Whether a table set beside another begins at a column: it is headed as the first one is.

    Where nothing heads the labels, the columns behind them must be headed alike.
    """
    columns = view.table.columns
    if columns[before].path != columns[0].path:
        return False
    headed = columns[place].path if 0 < place - before < before and place < len(columns) else ()
    alike = bool(headed) and headed == columns[place - before].path
    return bool(columns[0].path) or (alike and view.kinds[before] is ColumnKind.WORDS)


def _words_before(view: TableView, row: Row, place: int) -> list[str]:
    last = min(place, len(view.kinds))
    words = (row.cells[k] for k in range(1, last) if view.kinds[k] is ColumnKind.WORDS)
    return [cell.text for cell in words if cell.length]


def _row_period(row: Row, period: ColumnPeriod) -> ColumnPeriod:
    """The period of a row whose label is one ("2019", "Q2 2023", "Year ended ..."), where the column names none."""
    said = [label for label in (*row.path, row.label) if _PERIOD_LABEL.match(label) or is_period_only((label,))]
    said += [match[1] for label in (*row.path, row.label) if (match := _AT_DATE.search(label)) and label not in said]
    said += [match[1] for label in (row.label,) if not said and (match := _DASH_DATE.search(label))]
    told = read_header(" / ".join(said))
    return replace(told, is_change=period.is_change) if told.year else period


def _narrow_to_quarter(row: Row, period: ColumnPeriod) -> ColumnPeriod:
    """The quarter that a row's label names and nothing else, of the year that the column or the whole table names."""
    if not period.year or period.quarter or period.months not in (0, 12) or period.is_instant:
        return period
    told = read_header(row.label) if row.label and is_period_only((row.label,)) else None
    if told is None or not told.quarter or told.year:
        return period
    return replace(period, quarter=told.quarter, months=told.months, month=0, day=0)


_PERIOD_LABEL = re.compile(
    r"^\W*(?:balances?|(?:as )?(?:of|at)|(?:fiscal |calendar |half )?year|quarter|Q[1-4]|FY|H[12]"
    r"|(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:quarter|half)|(?:three|six|nine|twelve) months)\b",
    re.I,
)


_AT_DATE = re.compile(
    r"\b((?:(?:as )?(?:of|at)|(?<=outstanding )on|(?<=vested )on|(?<=balance )on|(?<=exercisable )on)"
    rf" [a-z]{{3,9}}\.? \d{{1,2}}, (?:19|20)\d\d)\W*(?:\(\w\)\s*)?{NET}$",
    re.I,
)
"""The day at the end of a label: "Outstanding at December 28, 2019"."""
_DASH_DATE = re.compile(r"\w\s[-–—]\s([a-z]{3,9}\.? \d{1,2}, (?:19|20)\d\d)\W*$", re.I)
"""The day behind a dash at the end of a label: "Stock of boats - December 28, 2019"."""
_ASIDE = re.compile(r"\([^()]*\d[^()]*\)|,?\s[$€£¥]\s?\d+(?:\.\d+)? per \w+(?: share)?", re.I)
"""What a label says besides: "Dividends ($1.08 per share)" are no amounts per share."""


def _text_with_unit(text: str) -> str:
    """What of a cell may state its unit: not the share behind a figure, and nothing that a sentence mentions."""
    said = SHARE_BESIDE.sub("", text)
    return _WORDS if len(said) > _LONGEST_AMOUNT and not holds_figure(said) else said


def _cell_unit(view: TableView, row: Row, place: int) -> tuple[str, Decimal, str]:
    text = _text_with_unit(row.cells[place].text)
    column = view.table.columns[place] if place < len(view.table.columns) else None
    levels = column.path if column else ()
    one, own = Decimal(1), _settle_dollars(units_currency(text), text, (view.units, *levels))
    itself = "%" if "%" in text else own_unit(text)
    if not itself and not own and holds_figure(text):
        itself = _unit_named(view, row, place)
    if itself:
        is_money = says_scale(itself) or units_currency(itself)
        return _told_unit(view, itself, view.currency) if is_money else (itself, one, "")
    is_words = not holds_figure(text) or DAY_ALONE.match(text) or spans_years(text)
    if is_words or (not own and _is_left_out(view, row, levels)):
        return own, one, own  # words may name units of their own: "up to 4 weeks" in a column of days
    label = " ".join((*row.path[-1:], row.label))
    counts = not own and says_shares(label)
    if not counts and any(is_per_share(_ASIDE.sub("", said)) for said in (row.label, *row.path[-1:])):
        return "per share", one, own or view.currency
    named = () if code_in(row.label) == row.label else (row.label,)  # a currency alone names what is counted
    told = next((unit for said in (*named, *reversed(levels)) if (unit := unit_in(said))), "")
    if own and units_currency(told) not in ("", own):
        told = ""  # a label that ends with another currency's code names no unit of this figure
    percent = says_percent(told) or (column is not None and column.unit == "%")
    percent = percent or (not told and (place in view.percent_columns or _is_among_percentages(view, row, place)))
    if not own and (percent or _is_percent_row(row, levels)):
        return "%", one, ""
    if told and not own and any(says_shares(strip_units(said).strip()) for said in (told, *levels)):
        return "shares", units_scale(told) if says_scale(told) else _scale_of_shares(view, text), ""
    if told:
        unit, scale, currency = _told_unit(view, told, own or ("" if says_count(row.label) else view.currency))
        return unit, one if currency and _is_each(view, row, levels) else scale, currency
    if says_shares(label) or (not own and any(says_shares(level) for level in levels)):
        return "shares", _scale_of_shares(view, text), ""
    return _table_unit(view, row, place, levels)


_LONGEST_AMOUNT = 60
"""Characters of a cell of words that may still state one amount: "+/- 4.8 % points, both years"."""
_WORDS = "words"
"""Stands for a sentence, which has no unit."""
_IN_FULL = re.compile(r"\d,\d{3},\d{3}")
"""A number that is printed to its last place: no count of millions."""


def _scale_of_shares(view: TableView, text: str) -> Decimal:
    """The factor on numbers of shares: what a line above says, else that of the table unless it leaves them out."""
    for said in (view.table.units, view.table.columns[0].header):
        if is_for_shares(said):
            return units_scale(said)
    for key in range(view.node.key - 1, max(0, view.node.key - UNITS_ABOVE - 1), -1):
        told = find_units(view.tree.node(key).text[-LEAD_IN:])
        if told and is_for_shares(told[0]):
            return units_scale(told[0])
    return Decimal(1) if view.scale > THOUSAND and _IN_FULL.search(text) else view.scale


_MONEY_PATH = re.compile(r"\b(?:sales|revenues?|income|expenses?|costs?|earnings|profits?)\b", re.I)
"""Groups whose rows are amounts, no matter what the rows name: "Net sales: Physical stores"."""


def is_count(row: Row, text: str) -> bool:
    """Whether a cell with this text counts things, by its row's names: no units line of the table is about it."""
    counted = says_count(row.label) or any(map(says_number, row.path[-1:]))
    return counted and not units_currency(text) and not any(map(_MONEY_PATH.search, row.path[-1:]))


def _table_unit(view: TableView, row: Row, place: int, levels: tuple[str, ...]) -> tuple[str, Decimal, str]:
    text, one = row.cells[place].text, Decimal(1)
    signed = bool(units_currency(text))
    over_labels = view.table.columns[0].header
    if not signed and says_shares(_THOUSAND_OF.sub("", over_labels).strip()):
        return "shares", THOUSAND if _THOUSAND_OF.search(over_labels) else _scale_of_shares(view, text), ""
    if not signed and row.offset in view.added_shares:
        return "shares", _scale_of_shares(view, text), ""
    if not signed and not view.currency and _AWARDS.search(row.label):
        return "shares", view.scale, ""
    if not holds_figure(text) or is_count(row, text) or place in view.note_columns:
        return "", one, ""
    currency = _settle_dollars(units_currency(text), text, (view.units, *levels)) or view.currency
    unsigned = not units_currency(view.units) and place not in view.signed_columns
    if unsigned and view.scale > THOUSAND and _IN_FULL.search(text):
        return "", one, ""
    if unsigned and view.scale == 1:
        currency = ""  # the signs of other columns say nothing of this one
    if not currency and view.scale == 1:
        money = "" if view.measure in _WEIGHTS else units_currency(view.measure)
        return money or view.measure, one, money
    return currency, one if _is_each(view, row, levels) else view.scale, currency


_THOUSAND_OF = re.compile(r"\s*\((?:in )?(?:['’‘]?1?,?000s?|thousands?)\)", re.I)
"""A thousand in brackets behind what is counted: "Number of shares (1,000)"."""


_AWARDS = re.compile(r"\b(?:stock|share) (?:units|options|awards)\b(?!.*\b(?:expenses?|costs?|compensation)\b)", re.I)
_WEIGHTS = ("pound", "pounds")
"""What may be money or weight."""


def _told_unit(view: TableView, told: str, usual: str) -> tuple[str, Decimal, str]:
    """A unit that a row or column states for itself; one of money keeps the table's scale where it names none.

    `usual` is the currency of a figure that has a scale and no unit besides; "" for a number of things.
    """
    currency, scale = _settle_dollars(units_currency(told), told, (view.units,)), units_scale(told)
    if scale == 1 and currency and is_unit(told):
        scale = view.scale
    money = currency or (usual if scale != 1 and not re.search(r"shares|units", told, re.I) else "")
    return (money or ("" if is_scale(told) else told), scale, money)


def _settle_dollars(currency: str, text: str, told: Iterable[str]) -> str:
    """Whose dollars a bare "$" means: those that the table's units line or the column's header names."""
    if currency != "USD" or not text.strip(" -–—(").startswith("$"):
        return currency
    said = (units_currency(words) for words in told)
    return next((code for code in said if code in _OTHER_DOLLARS), currency)


_OTHER_DOLLARS = ("CAD", "AUD", "SGD", "TWD", "HKD", "NZD")


def _is_each(view: TableView, row: Row, levels: tuple[str, ...]) -> bool:
    """Whether a cell states an amount for one piece, which the units line does not scale."""
    if any(says_price(_ASIDE.sub("", said)) for said in (row.label, " ".join(levels))):
        return True
    return "per " in find_exceptions(view.units) and bool(_PER.search(row.label))


_PER = re.compile(r"\bper\s+[a-z]", re.I)


def _is_percent_row(row: Row, levels: tuple[str, ...]) -> bool:
    said = (row.label, *(group for group in row.path[-1:] if group.endswith(":")), *levels[-1:])
    return any(says_percent(text) and not tells_units(text) for text in said)


_FOUR_DIGITS = re.compile(r"\d,?\d{3}(?!\d)")


def _is_among_percentages(view: TableView, row: Row, place: int) -> bool:
    """Whether a row states percentages in a table of them, and no number of things or shares.

    A column with a number of four digits before the point holds something else.
    """
    label = " ".join((*row.path[-1:], row.label))
    counts = says_count(row.label) or says_shares(label)
    if counts or not view.is_of_percentages or not any("%" in cell.text for cell in row.cells[1:]):
        return False
    column = (other.cells[place].text for other in view.table.body if place < len(other.cells))
    return not any(map(_FOUR_DIGITS.search, column))


_LONGEST_UNIT = 12
"""Characters of a cell that names a unit, at most."""


def _unit_named(view: TableView, row: Row, place: int) -> str:
    """The unit that the row's cell in a column of units names, or the points that only the first figure prints."""
    for column in view.unit_columns:
        said = row.cells[column].text.strip() if column != place and column < len(row.cells) else ""
        if 0 < len(said) <= _LONGEST_UNIT and (says_scale(said) or not any(map(str.isdigit, said))):
            return said
    return view.points[place] if place < len(view.points) else ""


def _is_left_out(view: TableView, row: Row, levels: tuple[str, ...]) -> bool:
    """Whether a row or a column has the name of things that the units line leaves out: "except employees"."""
    things = view.things_left_out
    if not things:
        return False
    names = (LONG_WORD.findall(said.casefold()) for said in (row.label, *levels))
    return any(next((name for name in own if name not in _COUNTING), "") in things for own in names)


_COUNTING = ("number", "total", "average")
"""Words before the name of what is counted."""
