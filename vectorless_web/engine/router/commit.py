"""Commitment: when the typed fields single out one document."""

import numpy as np

from vectorless_web.engine.router.signals import Signals
from vectorless_web.engine.router.typed import Wanted

_SURE_NAME = 0.95
_SURE_YEAR = 0.6
_MARGIN = 0.06
"""How far the second must stand behind in agreement of fields."""


def committed(signals: Signals, wanted: Wanted) -> int | None:
    """The document that the question names beyond doubt, or None.

    It is first by score, bears every name the question mentions, covers the period if one
    is asked for, and no other document agrees nearly as well.
    """
    if signals.fields is None or "name" not in signals.parts or not len(signals.rows):
        return None
    first = signals.order()[0]
    names = signals.parts["name"]
    if names[first] < _SURE_NAME:
        return None
    if wanted.year is not None and ("year" not in signals.parts or signals.parts["year"][first] < _SURE_YEAR):
        return None
    others = np.delete(signals.fields, first)
    if len(others) and others.max() > signals.fields[first] - _MARGIN:
        return None
    return int(signals.ids[first])
