"""A figure: one table cell that states a number, with everything needed to read it."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Figure:
    """One table cell that states a figure, with everything needed to read it.

    `amount` is the number as printed (parentheses negative); `scale` multiplies it into
    units (1000000 for a table in millions). `start`/`end` delimit the whole row in the
    node's text and `quote` is that row, verbatim. `need` is the index of the figure
    wanted (`QueryPlan.figures`), or -1. `fit` in [0, 1] says how well item, period and
    statement agree with the question.
    """

    document: str
    key: int
    page_index: int
    label: str
    column: str
    period: str
    amount: Decimal
    scale: Decimal
    currency: str
    percent: bool
    per_share: bool
    quote: str
    start: int
    end: int
    where: str
    fit: float
    need: int = -1

    @property
    def value(self) -> Decimal:
        """The figure in units: amount x scale."""
        return self.amount * self.scale
