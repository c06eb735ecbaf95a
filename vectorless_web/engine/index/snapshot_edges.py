"""Links between documents in a card snapshot: mapped ones, and those that changes lay over them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vectorless_web.engine.index.snapshot_rows import Array, Row


@dataclass(frozen=True, slots=True)
class FreshEdges:
    """Edges of changed documents as three parallel arrays."""

    owners: Array
    targets: Array
    weights: Array

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "FreshEdges":
        """The edges of these rows."""
        ids = np.array([row.doc_id for row in rows], np.int64)
        return cls(
            np.repeat(ids, [len(row.targets) for row in rows]),
            np.concatenate([np.empty(0, np.int64), *(row.targets for row in rows)]),
            np.concatenate([np.empty(0, np.float32), *(row.weights for row in rows)]),
        )


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """Mapped edges (arrays of the snapshot) whose owner is not `replaced`, and fresh ones."""

    arrays: Mapping[str, Array]
    fresh: FreshEdges
    replaced: frozenset[int]

    def __len__(self) -> int:
        return len(self.arrays["owners"]) + len(self.fresh.owners)

    def around(self, doc_id: int) -> dict[int, float]:
        """Documents at the other end of an edge of this one, with the greatest weight."""
        found: dict[int, float] = {}
        for other, weight in [*self._owned(doc_id), *self._incoming(doc_id)]:
            found[other] = max(weight, found.get(other, 0.0))
        return found

    def _owned(self, doc_id: int) -> list[tuple[int, float]]:
        own = self.fresh.owners == doc_id
        edges = _pairs(self.fresh.targets[own], self.fresh.weights[own])
        if doc_id in self.replaced:
            return edges
        low, high = np.searchsorted(self.arrays["owners"], [doc_id, doc_id + 1])
        return edges + _pairs(self.arrays["targets"][low:high], self.arrays["weights"][low:high])

    def _incoming(self, doc_id: int) -> list[tuple[int, float]]:
        aimed = self.fresh.targets == doc_id
        low, high = np.searchsorted(self.arrays["in_targets"], [doc_id, doc_id + 1])
        mapped = _pairs(self.arrays["in_owners"][low:high], self.arrays["in_weights"][low:high])
        kept = [(other, weight) for other, weight in mapped if other not in self.replaced]
        return kept + _pairs(self.fresh.owners[aimed], self.fresh.weights[aimed])

    def all(self, exists: Callable[[int], bool]) -> tuple[Array, Array, Array]:
        """Owners, targets and weights of every edge whose owner exists."""
        replaced = np.fromiter(sorted(self.replaced), np.int64, len(self.replaced))
        kept = ~np.isin(self.arrays["owners"], replaced)
        fresh = np.array([exists(owner) for owner in self.fresh.owners.tolist()], np.bool_)
        return (
            np.concatenate([self.arrays["owners"][kept], self.fresh.owners[fresh]]),
            np.concatenate([self.arrays["targets"][kept], self.fresh.targets[fresh]]),
            np.concatenate([self.arrays["weights"][kept], self.fresh.weights[fresh]]),
        )


def _pairs(ids: Array, weights: Array) -> list[tuple[int, float]]:
    return list(zip(ids.tolist(), weights.tolist(), strict=True))
