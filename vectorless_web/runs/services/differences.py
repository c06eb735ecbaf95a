"""The first difference between two values or two runs, as a sentence."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST = 160
"""Characters of a value that a sentence shows."""
CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values part (`observation.ranked[2].score`), and what stands on either side."""

    where: str
    stored: Any
    replayed: Any

    def said(self, what: str) -> str:
        """The difference in one sentence: "Step 7 NAVIGATE, say: stored '...', replayed '...'"."""
        where = f", {self.where}" if self.where else ""
        return f"{what}{where}: stored {_shown(self.stored)}, replayed {_shown(self.replayed)}."


def first_difference(stored: Any, replayed: Any, where: str = "") -> Difference | None:
    """Where the values part first, reading objects by their keys and lists in their order."""
    return next(_differences(stored, replayed, where), None)


def _differences(stored: Any, replayed: Any, where: str) -> Iterator[Difference]:
    if isinstance(stored, Mapping) and isinstance(replayed, Mapping):
        for key in dict.fromkeys((*stored, *replayed)):
            yield from _differences(stored.get(key), replayed.get(key), f"{where}.{key}" if where else str(key))
    elif _are_lists(stored, replayed):
        for place, pair in enumerate(zip(stored, replayed, strict=False)):
            yield from _differences(*pair, f"{where}[{place}]")
        if len(stored) != len(replayed):
            yield Difference(f"entries of {where}", len(stored), len(replayed))
    elif not _same(stored, replayed):
        yield Difference(where, stored, replayed)


def _are_lists(stored: Any, replayed: Any) -> bool:
    return all(isinstance(value, Sequence) and not isinstance(value, str) for value in (stored, replayed))


def _same(stored: Any, replayed: Any) -> bool:
    if isinstance(stored, float) and isinstance(replayed, float):
        return abs(stored - replayed) <= CLOSE * max(1.0, abs(stored))
    return bool(stored == replayed)


def _shown(value: Any) -> str:
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
