"""Amounts (US dollars) and token counts brought into the range that the database columns can hold."""

import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cached_property
from typing import Any

from django.db import models

MOST_USD = Decimal("999999.999999")
"""What a column of twelve digits, six of them after the point, holds at most."""

MOST_TOKENS = 2**31 - 1
"""What an integer column of PostgreSQL holds at most."""

PARTS = Decimal("0.000001")
MILLION = 1_000_000
"""Tokens that a price is stated for."""
_READABLE = Context(prec=40)
"""Digits with which amounts are read before they are rounded to the column: more than any column holds."""


def money(usd: float | Decimal, *, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """An amount as it is stored: rounded to a millionth, from 0 to MOST_USD; no number at all counts as 0."""
    if math.isnan(usd) or usd <= 0:
        return Decimal(0)
    if usd >= MOST_USD:
        return MOST_USD
    return min(MOST_USD, Decimal(str(usd)).quantize(PARTS, rounding=rounding))


def token_count(tokens: int) -> int:
    """A count of tokens as it is stored: from 0 to MOST_TOKENS."""
    return max(0, min(tokens, MOST_TOKENS))


class MoneyField(models.DecimalField):
    """A decimal column whose rows are read even when they hold more digits than it has.

    SQLite keeps any number in any column; a plain decimal field refuses to read it, and
    with it the whole page. In migrations it is the plain field.
    """

    @cached_property
    def context(self) -> Context:
        """How amounts are rounded when they are read."""
        return _READABLE

    def deconstruct(self) -> Any:
        """Name, path and arguments as those of the plain field."""
        name, _path, positional, named = super().deconstruct()
        return name, "django.db.models.DecimalField", positional, named
