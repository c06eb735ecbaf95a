"""What a pilot is shown: where the walk stands and what it can choose from."""

from collections.abc import Set
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import InterventionPoint, NodeId
from vectorless_web.engine.query.plan import QueryPlan


@dataclass(frozen=True)
class SearchState:
    """One moment of a walk.

    `path` are the keys walked, without the node the walk started from when that is the
    root. `candidates` are the keys to choose from and `scores` what the scorer gave
    them, in the same order (empty when unscored). `step_reasons` says, for each step of
    the path, why it was taken, or None. `best_score` in [0, 1].
    """

    tree: Tree
    query: QueryPlan
    path: tuple[NodeId, ...] = ()
    candidates: tuple[NodeId, ...] = ()
    visited: Set[NodeId] = frozenset()
    depth: int = -1
    """The length of the path unless given."""
    iteration: int = 0
    best_score: float = 0.0
    is_backtracking: bool = False
    step_reasons: tuple[str | None, ...] | None = None
    _: KW_ONLY
    scores: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", tuple(self.path))
        object.__setattr__(self, "candidates", tuple(self.candidates))
        if self.depth < 0:
            object.__setattr__(self, "depth", len(self.path))

    @classmethod
    def for_start(cls, tree: Tree, query: QueryPlan, start: NodeId = 0) -> "SearchState":
        """The state before the first step below `start`: its child sections are the candidates."""
        path = (start,) if start else ()
        return cls(tree, query, path=path, candidates=tuple(tree.child_sections(start)))

    @property
    def is_at_root(self) -> bool:
        """Whether nothing has been walked yet."""
        return not self.path

    @property
    def is_fork_point(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.candidates) > 1

    @property
    def current_node(self) -> NodeId | None:
        """The last node of the path; None at the root."""
        return self.path[-1] if self.path else None

    @cached_property
    def point(self) -> InterventionPoint:
        """START (at the root or in iteration 0) before BACKTRACK before FORK before EVALUATE."""
        if self.is_at_root or self.iteration == 0:
            return InterventionPoint.START
        if self.is_backtracking:
            return InterventionPoint.BACKTRACK
        if self.is_fork_point:
            return InterventionPoint.FORK
        return InterventionPoint.EVALUATE
