"""How far a run may go and what it may cost, wherever it is asked for."""

import re

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.infra.limits import RUN_USD_MAX, STEPS_MAX, STEPS_MIN

WALKS_MAX = 10
"""Documents that a run may open when it is asked to look further: twice the engine's own limit."""
_TWO_WAYS = re.compile(r"[1-9]\d*,\d{3}(?!\d)")


def check_steps(steps: int) -> int:
    """The step limit; InvalidInput when it is out of range."""
    if not STEPS_MIN <= steps <= STEPS_MAX:
        raise InvalidInput(f"The step limit goes from {STEPS_MIN} to {STEPS_MAX}.")
    return steps


def check_money(typed: str | float | None) -> float | None:
    """US dollars as they were typed, with a point or a comma before the cents; None for nothing.

    InvalidInput for what is no amount, and for "1,000", which is a thousand to some and one to others.
    """
    if typed is None or typed == "":
        return None
    try:
        usd = -1.0 if _TWO_WAYS.search(str(typed)) else float(str(typed).replace(",", ".").removeprefix("$"))
    except ValueError:
        usd = -1.0
    if not 0 < usd <= RUN_USD_MAX:
        raise InvalidInput("Type the most to spend in US dollars, for example 0.25, or nothing.", code="invalid_amount")
    return usd
