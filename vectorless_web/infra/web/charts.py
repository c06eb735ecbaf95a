"""Bars of a chart, drawn by the server as SVG."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

BAR_STEP = 10
"""Units of a chart's viewBox that one bar takes, air included."""


@dataclass(frozen=True)
class Bar:
    """A bar at its place `at`; `start` and `length` are of 100, from the chart's foot. `text` says its value."""

    label: str
    text: str
    at: int
    start: float
    length: float

    @property
    def top(self) -> float:
        """Where an upright bar begins, counted from above."""
        return 100 - self.start - self.length


def draw_bars(rows: Iterable[tuple[str, str, Decimal]], *, most: Decimal | None = None) -> list[Bar]:
    """A bar for each label, text and number, on one scale that holds 0 and, if given, `most`."""
    told = list(rows)
    numbers = [Decimal(0), *(number for _label, _text, number in told), *([] if most is None else [most])]
    low = min(numbers)
    unit = 100 / ((max(numbers) - low) or Decimal(1))
    return [
        Bar(label, text, place * BAR_STEP, float((min(number, Decimal(0)) - low) * unit), float(abs(number) * unit))
        for place, (label, text, number) in enumerate(told)
    ]
