"""What a pilot is, how one that says little is completed, and the one without opinions."""

from collections.abc import Sequence
from typing import Any, Protocol

from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.navigation.pilots.config import PilotConfig, PilotMode
from vectorless_web.engine.navigation.pilots.decision import InterventionPoint, NodeId, PilotDecision, SearchState
from vectorless_web.engine.questions.plan import QueryPlan


class MinimalPilot(Protocol):
    """The least a pilot must bring; `PilotExt` supplies the rest."""

    name: str
    config: PilotConfig

    def should_intervene(self, state: SearchState) -> bool:
        """Whether advice at this state is worth its cost."""
        ...

    def decide(self, state: SearchState) -> PilotDecision:
        """Rank the candidates and say where to go; on any error keep their order, never raise."""
        ...


class Pilot(MinimalPilot, Protocol):
    """Judgement for a walk: asked where it pays, obeyed when it speaks, harmless when it fails."""

    @property
    def is_active(self) -> bool:
        """False for a pilot without opinions, or when its budget is spent."""
        ...

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """Judge the children of `start_node` before the first step; None for no opinion."""
        ...

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """Say why the path failed and rank the other branches, which are the candidates."""
        ...

    def binary_prune(self, state: SearchState) -> Sequence[NodeId] | None:
        """The candidates of a wide node worth keeping; None for no opinion."""
        ...

    def reset(self) -> None:
        """Forget this pilot's own caches and counters before a new query; a budget it was given stays."""
        ...


class PilotExt:
    """Helpers around a pilot, and defaults for whatever it leaves out."""

    def __init__(self, pilot: Any) -> None:
        self._pilot = pilot

    @property
    def name(self) -> str:
        """The pilot's own name."""
        return str(self._pilot.name)

    @property
    def config(self) -> PilotConfig:
        """The pilot's own configuration; the balanced preset if it brings none."""
        config = getattr(self._pilot, "config", None)
        return config if isinstance(config, PilotConfig) else PilotConfig()

    @property
    def is_active(self) -> bool:
        """The pilot's own word, else whether its mode asks at all."""
        return bool(getattr(self._pilot, "is_active", self.config.asks))

    @property
    def fallback(self) -> Any:
        """The pilot to ask where this one is spent or not worth its cost; None unless it brings one."""
        return getattr(self._pilot, "fallback", None)

    @property
    def last_prune(self) -> Any:
        """What the last pruning cost and has to say; None unless the pilot keeps it."""
        return getattr(self._pilot, "last_prune", None)

    def can_intervene(self, state: SearchState) -> bool:
        """Whether the pilot is active and finds this state worth its advice."""
        return self.is_active and bool(self._pilot.should_intervene(state))

    @staticmethod
    def intervention_point(state: SearchState) -> InterventionPoint:
        """The point at which a pilot asked in this state intervenes."""
        return state.point

    def should_intervene(self, state: SearchState) -> bool:
        """The pilot's own word."""
        return bool(self._pilot.should_intervene(state))

    def decide(self, state: SearchState) -> PilotDecision:
        """The pilot's own decision."""
        decision: PilotDecision = self._pilot.decide(state)
        return decision

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """The pilot's own, else its decision over the children of the start node."""
        if hasattr(self._pilot, "guide_start"):
            found: PilotDecision | None = self._pilot.guide_start(tree, query, start_node)
            return found
        return self._decision_if_wanted(SearchState.for_start(tree, query, start_node))

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """The pilot's own, else its decision over the other branches."""
        if hasattr(self._pilot, "guide_backtrack"):
            found: PilotDecision | None = self._pilot.guide_backtrack(state)
            return found
        return self._decision_if_wanted(state)

    def binary_prune(self, state: SearchState) -> Sequence[NodeId] | None:
        """The pilot's own, else no opinion."""
        if hasattr(self._pilot, "binary_prune"):
            kept: Sequence[NodeId] | None = self._pilot.binary_prune(state)
            return kept
        return None

    def reset(self) -> None:
        """The pilot's own, else nothing."""
        if hasattr(self._pilot, "reset"):
            self._pilot.reset()

    def _decision_if_wanted(self, state: SearchState) -> PilotDecision | None:
        return self._pilot.decide(state) if self.can_intervene(state) else None


class NoopPilot:
    """Inactive; asked all the same, it keeps the candidates' order."""

    name = "none"
    is_active = False

    def __init__(self, config: PilotConfig | None = None) -> None:
        self.config = config or PilotConfig.preset(PilotMode.ALGORITHM_ONLY)

    def should_intervene(self, state: SearchState) -> bool:
        """Never."""
        return False

    def decide(self, state: SearchState) -> PilotDecision:
        """The candidates as they stand."""
        return PilotDecision.preserve_order(state.candidates, point=state.point)

    def guide_start(self, tree: Tree, query: QueryPlan, start_node: NodeId) -> PilotDecision | None:
        """No opinion."""
        return None

    def guide_backtrack(self, state: SearchState) -> PilotDecision | None:
        """No opinion."""
        return None

    def binary_prune(self, state: SearchState) -> list[NodeId] | None:
        """No opinion."""
        return None

    def reset(self) -> None:
        """Nothing to forget."""
