"""The ways in which a run's question can be asked once more, as its page offers them."""

from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.agent.limits import Limits
from vectorless_web.infra.limits import STEPS_MAX
from vectorless_web.runs.answerers import Answerer, answerers_of, estimate_of
from vectorless_web.runs.models import Run
from vectorless_web.runs.question import WALKS_MAX


@dataclass(frozen=True)
class Depth:
    """How far a run goes: steps in each document, documents opened."""

    steps: int
    walks: int


@dataclass(frozen=True)
class Again:
    """What the menu offers. `deeper` is None when the run went as far as any can."""

    depth: Depth
    deeper: Depth | None
    others: Sequence[tuple[Answerer, str]]
    """Who else can be asked, and what that costs at most, in words."""


def find_ways(run: Run) -> Again:
    """The ways to ask this run's question again."""
    depth = _depth_of(run)
    deeper = Depth(_double_limit(depth.steps, STEPS_MAX), _double_limit(depth.walks, WALKS_MAX))
    answerers = answerers_of(run.workspace)
    asked = run.settings.get("answerer") or answerers[0].value
    others = [(row, estimate_of(row)) for row in answerers if row.value != asked]
    return Again(depth, deeper if deeper != depth else None, others)


def _depth_of(run: Run) -> Depth:
    limits = Limits()
    return Depth(run.settings.get("max_steps") or limits.max_steps, run.settings.get("max_walks") or limits.max_walks)


def _double_limit(present: int, most: int) -> int:
    """Twice as far, within what can be asked for."""
    return max(present, min(2 * present, most))
