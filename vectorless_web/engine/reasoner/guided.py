"""Walks led by a chat model: it plans, it guides the search at forks, it writes; all under one budget."""

import threading
from dataclasses import replace

from vectorless_web.engine.llm.budget import Keep
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.pilot import LexicalPilot, ModelPilot, PilotBudget, PilotConfig
from vectorless_web.engine.pilot.protocol import MinimalPilot
from vectorless_web.engine.reasoner.meaning import Meaning
from vectorless_web.engine.reasoner.model_planner import ModelPlanner, Sizes
from vectorless_web.engine.reasoner.walk import Walk
from vectorless_web.engine.reasoner.walking import Walking

GRACE_SECONDS = 60.0
"""The pilot's own patience ends after the caller's, which alone decides and keeps what it decided."""


PILOTS_LEAVE = Keep(calls=2, tokens=16_000)
"""What pilots leave in the run's budget: a step and the answer."""


class ModelPilots:
    """One ModelPilot per walk, kept as long as the walk, with its share of what the run's pilots may spend.

    Shared out beforehand: what one walk may ask must not depend on how fast another is,
    or no replay would fit. Walks of a second pass share what those before them left.
    """

    def __init__(self, caller: Caller, *, config: PilotConfig | None = None) -> None:
        self._config = config or PilotConfig()
        self._model = caller.as_model("pilot", keep=PILOTS_LEAVE, seconds=self._config.call_seconds)
        self._budgets: dict[int, PilotBudget] = {}
        self._pilots: dict[int, ModelPilot] = {}
        self._lock = threading.Lock()

    def __call__(self, walk: Walk) -> MinimalPilot:
        """The pilot of a walk."""
        with self._lock:
            if walk.number not in self._pilots:
                share = self._share(walk)
                self._budgets[walk.number] = PilotBudget.from_config(share)
                self._pilots[walk.number] = ModelPilot(
                    self._model,
                    budget=self._budgets[walk.number],
                    fallback=LexicalPilot(walk.finder.scorer),
                    config=share,
                    walk=walk.number,
                )
            return self._pilots[walk.number]

    def _share(self, walk: Walk) -> PilotConfig:
        """What the walk's pilot may spend: an even part of the calls left (the first walks one more), and tokens."""
        turn, walks = walk.turn
        before = [budget.spending for number, budget in self._budgets.items() if number < walk.number - turn]
        calls_left = max(0, self._config.calls_per_query - sum(spent.calls for spent in before))
        tokens_left = max(0, self._config.tokens_per_query - sum(spent.tokens for spent in before))
        calls = calls_left // walks + (turn < calls_left % walks)
        tokens = tokens_left * calls // max(1, calls_left)
        return replace(
            self._config,
            call_seconds=self._config.call_seconds + GRACE_SECONDS,
            calls_per_query=calls,
            tokens_per_query=tokens,
            tokens_per_call=min(tokens, self._config.tokens_per_call),
        )


def model_walking(
    caller: Caller,
    *,
    at_once: int = 4,
    config: PilotConfig | None = None,
    meaning: Meaning | None = None,
    sizes: Sizes | None = None,
) -> Walking:
    """Walks led by the caller's model, at most `at_once` side by side. One per run: it holds the run's budgets.

    `meaning` embeds what is searched for, under the same budget. `sizes` bounds prompts and replies.
    """
    pilots = ModelPilots(caller, config=config)
    return Walking(planner=ModelPlanner(caller, sizes=sizes), pilot_for=pilots, at_once=at_once, meaning=meaning)
