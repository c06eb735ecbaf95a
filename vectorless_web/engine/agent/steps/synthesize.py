"""SYNTHESIZE: what a walk brings to the answer, and what it still lacks."""

from collections.abc import Mapping
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, say_count, shorten_title
from vectorless_web.engine.agent.events import StepResult
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.figures.figure import Figure


def synthesize(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Sum up a walk: figures and passages found, gaps left."""
    figures = [fact for fact in walk.facts if isinstance(fact, Figure)]
    passages = len(walk.facts) - len(figures)
    gaps = walk.gaps()
    return StepResult(
        say=_describe_synthesis(walk, len(figures), passages, gaps),
        observation={"figures": len(figures), "passages": passages, "missing": list(gaps)},
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys(fact.key for fact in walk.facts))[:8],
        confidence=round(max((fact.fit for fact in walk.facts), default=0.0), 4),
    )


def _describe_synthesis(walk: Walk, figures: int, passages: int, gaps: tuple[str, ...]) -> str:
    if not figures and not passages:
        return f"Found nothing in {shorten_title(walk.entry.title)} that answers"
    parts = ([say_count(figures, "figure")] if figures else []) + ([say_count(passages, "passage")] if passages else [])
    missing = f"; still missing: {join_names([shorten_title(gap) for gap in gaps[:3]])}" if gaps else ""
    return f"Put together {join_names(parts)} from {shorten_title(walk.entry.title)}{missing}"
