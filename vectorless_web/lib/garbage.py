"""Garbage collection in a process that has loaded what it needs and now does one short job after another."""

import gc

COLLECTING = (20_000, 20, 20)
"""Objects made between collections: a run makes some ten thousand that stay to its end, and 700 looks at them often."""


def settle() -> None:
    """Keep what is loaded now out of all collections, so that forks share its pages, and collect more seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)
