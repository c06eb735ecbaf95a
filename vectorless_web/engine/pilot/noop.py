"""A pilot without opinions: the algorithm walks on the scorer alone."""

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.config import PilotConfig, PilotMode
from vectorless_web.engine.pilot.decision import NodeId, PilotDecision
from vectorless_web.engine.pilot.state import SearchState
from vectorless_web.engine.query.plan import QueryPlan


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
