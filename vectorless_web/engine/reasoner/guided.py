"""Walks led by a chat model: it plans, it guides the search at forks, it writes; all under one budget."""

import threading

from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.pilot import LexicalPilot, ModelPilot, PilotBudget, PilotConfig
from vectorless_web.engine.pilot.protocol import MinimalPilot
from vectorless_web.engine.reasoner.model_planner import ModelPlanner
from vectorless_web.engine.reasoner.walk import Walk
from vectorless_web.engine.reasoner.walking import Walking


class ModelPilots:
    """One ModelPilot per walk, kept as long as the walk; all of them share the run's PilotBudget."""

    def __init__(self, caller: Caller, *, config: PilotConfig | None = None) -> None:
        self._model = caller.as_model("pilot")
        self._config = config or PilotConfig()
        self._budget = PilotBudget.from_config(self._config)
        self._pilots: dict[int, ModelPilot] = {}
        self._lock = threading.Lock()

    def __call__(self, walk: Walk) -> MinimalPilot:
        """The pilot of a walk."""
        with self._lock:
            if walk.number not in self._pilots:
                self._pilots[walk.number] = ModelPilot(
                    self._model,
                    budget=self._budget,
                    fallback=LexicalPilot(walk.finder.scorer),
                    config=self._config,
                    walk=walk.number,
                )
            return self._pilots[walk.number]


def model_walking(caller: Caller, *, at_once: int = 4, config: PilotConfig | None = None) -> Walking:
    """Walks led by the caller's model, at most `at_once` side by side. One per run: it holds the run's budgets."""
    return Walking(planner=ModelPlanner(caller), pilot_for=ModelPilots(caller, config=config), at_once=at_once)
