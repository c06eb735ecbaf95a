"""Cells of one column or row as figures of one unit, so that they may be ranked or added up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.relations.rows import EMPTY, Grid, cell_at, terms_of
from vectorless_web.engine.text.quantities import quantities_in

MONEY = "money"
"""The dimension of sums of money."""

_FIGURE = re.compile(
    r"^(?P<bound>(?:up to|at least|at most|no more than|max(?:imum)?\.?|about|around|approx\.?)\s+)?"
    r"(?P<sign>[+−–-])?\s?(?P<currency>[£$€¥]|(?:USD|EUR|GBP|CHF)\s)?\s?(?P<number>\d[\d,]*(?:\.\d+)?)"
    r"(?P<behind>\s?%|\s?[^\d\W][^\d,;:()]{0,23})?(?:\s*\((?P<remark>[^()]{0,24})\))?$",
    re.IGNORECASE,
)
"""A cell that is one figure: "£18 each", "2.5 hours", "Up to 12", "680 (expected)", and no sentence with a number."""

_HOURS_AND_MINUTES = re.compile(
    r"^(\d{1,3})\s?(?:h|hrs?|hours?)\s?(?:and\s)?(\d{1,2})\s?(?:min|mins|minutes?|m)\.?$", re.IGNORECASE
)
"""A length of time in two units: "3 h 20 min"."""
_EACH = re.compile(
    r"\b(?:each|apiece|flat|only|incl(?:\.|uding)?.*)$|\b(?:an?|per|for each|for every)\s+.*$", re.IGNORECASE
)
"""What stands behind a unit without being another one: "each", "a night", "per person"."""

CURRENCY = re.compile(r"[£$€¥]|\b(?:EUR|USD|GBP|CHF)\b")
"""How a text says that its figures are sums of money."""
_NONE = re.compile(r"^(?:none|nil|no)$", re.IGNORECASE)
_MONTH = Decimal(2629800)
"""Seconds of a month, on the average."""

_MOST_WORDS = 3
"""Words behind a number that may be its unit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one dimension in its smallest unit, None for a blank.

    `is_rough` tells that months or years stand beside days or hours, `is_bare` that no cell says a unit.
    """

    values: tuple[Decimal | None, ...]
    dimension: str
    is_rough: bool = False
    is_bare: bool = False


def measure_cells(texts: Sequence[str], head: str = "", unit: str = "") -> Measured | None:
    """The cells as figures of one unit, which `head` or the table's own `unit` may say for all; None for any other."""
    values: list[Decimal | None] = []
    dimensions: set[str] = set()
    bounds: set[bool] = set()
    for text in texts:
        if EMPTY.match(text) or _NONE.match(text):
            values.append(None)
            continue
        read = _read_cell(text)
        if read is None:
            return None
        value, dimension, is_bound = read
        values.append(value)
        dimensions.add(dimension)
        bounds.add(is_bound)
    is_rough = dimensions == {"time", "months"}
    values = [value * _MONTH if value is not None and dimensions == {"months"} else value for value in values]
    if is_rough:
        values = [_in_seconds(value, text) for value, text in zip(values, texts, strict=True)]
    if dimensions and dimensions <= {"time", "months"}:
        dimensions = {"time"}
    if len(dimensions) != 1:
        return None
    dimension = dimensions.pop()
    return Measured(tuple(values), dimension or _dimension_of(head, unit), is_rough, is_bare=not dimension)


def _read_cell(text: str) -> tuple[Decimal, str, bool] | None:
    """The value of a cell in the smallest unit of its dimension, the dimension, and whether it is a bound."""
    if (clock := _HOURS_AND_MINUTES.match(text.strip())) is not None:
        return Decimal(int(clock[1]) * 3600 + int(clock[2]) * 60), "time", False
    match = _FIGURE.match(text.strip())
    if match is None:
        return None
    behind = _EACH.sub("", (match["behind"] or "").strip()).strip()
    if len(behind.split()) > _MOST_WORDS or (match["remark"] and any(c.isdigit() for c in match["remark"])):
        return None
    value = Decimal(match["number"].replace(",", "")) * (-1 if match["sign"] in ("−", "–", "-") else 1)
    if match["currency"]:
        return (value, f"{MONEY}", bool(match["bound"])) if not behind else None
    found = quantities_in(f"1 {behind}") if behind else []
    quantity = found[0] if found else None
    if quantity is not None and quantity.dimension:
        scale = quantity.value if quantity.value > 1 else Decimal(1)
        return value * quantity.factor * scale, quantity.dimension, bool(match["bound"])
    return value, behind.lower().rstrip("s"), bool(match["bound"])


def _in_seconds(value: Decimal | None, text: str) -> Decimal | None:
    read = _read_cell(text)
    return value * _MONTH if value is not None and read is not None and read[1] == "months" else value


def _dimension_of(head: str, unit: str) -> str:
    """What figures without a unit measure, by the header of their column or the unit of their table."""
    for text in (head, unit):
        if CURRENCY.search(text):
            return MONEY
        if "%" in text or re.search(r"\bper\s?cent", text, re.IGNORECASE):
            return "percent"
        told = re.search(r"\(([^()]{1,20})\)\s*$", text)
        words = told[1] if told else re.split(r"\s+(?:at|an?|per|in|of|for|to)\b", text)[0]
        found = [quantity for quantity in quantities_in(f"1 {words}") if quantity.dimension]
        if found:
            return "time" if found[0].dimension == "months" else found[0].dimension
    return ""


_UNIT_IN_NAME = re.compile(r"(?:,\s*|\()(?P<unit>%|[A-Za-z/%³²]{1,8})\)?\s*$")
_UNITS = frozenset({"%", "km", "kg", "m", "t", "h", "l", "km/h", "mwh", "kwh", "m³", "m²", "million", "thousand"})


def mixes_units(grid: Grid) -> bool:
    """Whether rows are measures of several kinds: a column of units that differ, or names that end in units."""
    for place, head in enumerate(grid.heads):
        if place and terms_of(head) == terms_of("unit") and len({cell_at(row, place) for row in grid.rows}) > 1:
            return True
    told = (_UNIT_IN_NAME.search(row.name) for row in grid.rows)
    return any(match and match["unit"].lower() in _UNITS for match in told)
