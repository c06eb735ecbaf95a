"""SYNTHESIZE: what a walk brings to the answer, and what it still lacks."""

from collections.abc import Mapping
from typing import Any

from vectorless_web.engine.agent.context.outline import count, listed, short
from vectorless_web.engine.agent.events import StepResult
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.figures.figure import Figure


def synthesize(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Sum up a walk: figures and passages found, gaps left."""
    figures = [fact for fact in walk.facts if isinstance(fact, Figure)]
    passages = len(walk.facts) - len(figures)
    gaps = walk.gaps()
    return StepResult(
        say=_say(walk, len(figures), passages, gaps),
        observation={"figures": len(figures), "passages": passages, "missing": list(gaps)},
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys(fact.key for fact in walk.facts))[:8],
        confidence=round(max((fact.fit for fact in walk.facts), default=0.0), 4),
    )


def _say(walk: Walk, figures: int, passages: int, gaps: tuple[str, ...]) -> str:
    if not figures and not passages:
        return f"Found nothing in {short(walk.entry.title)} that answers"
    parts = ([count(figures, "figure")] if figures else []) + ([count(passages, "passage")] if passages else [])
    missing = f"; still missing: {listed([short(gap) for gap in gaps[:3]])}" if gaps else ""
    return f"Put together {listed(parts)} from {short(walk.entry.title)}{missing}"
