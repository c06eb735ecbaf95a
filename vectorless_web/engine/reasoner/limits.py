"""What a run may spend, and how it is told to stop."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run. Reaching one ends the walk with what was found, never with an error page."""

    max_steps: int = 6
    """Steps of one walk, 1..30: SCAN, RETRIEVE, NAVIGATE, EXTRACT and SYNTHESIZE count."""
    max_walks: int = 5
    """Documents walked in one run."""
    max_run_steps: int = 60
    token_budget: int = 8000
    """Tokens of context packed for synthesis."""
    wall_seconds: float = 300.0
    model_calls: int = 40
    model_tokens: int = 30000
    money_usd: float | None = None


Cancelling = Callable[[], bool]
"""Asked before every step: true when the run should stop."""
