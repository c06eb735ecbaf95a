"""When asking a pilot pays: pure tests of a state against a configuration."""

from collections.abc import Sequence

from vectorless_web.engine.pilot.config import PilotConfig
from vectorless_web.engine.pilot.decision import InterventionPoint
from vectorless_web.engine.pilot.state import SearchState


def scores_are_close(scores: Sequence[float], gap: float) -> bool:
    """Whether the two best scores lie closer together than `gap`; false for fewer than two."""
    best = sorted(scores, reverse=True)[:2]
    return len(best) == 2 and best[0] - best[1] < gap


def is_worth_asking(state: SearchState, config: PilotConfig) -> bool:
    """Whether a state calls for advice: its point, its depth, how many candidates, how close, how weak."""
    if not config.asks or state.depth > config.max_depth:
        return False
    if state.point is InterventionPoint.START:
        return config.guide_start and state.is_fork_point
    if state.point is InterventionPoint.BACKTRACK:
        return config.guide_backtrack and bool(state.candidates)
    if state.point is InterventionPoint.EVALUATE:
        # A section that was entered is judged; an only child is simply walked into.
        return not state.candidates
    return _is_open_fork(state, config)


def needs_pruning(count: int, config: PilotConfig) -> bool:
    """Whether a node with so many children is pruned before anything else."""
    return config.asks and count > config.prune_above


def needs_prefilter(count: int, config: PilotConfig) -> bool:
    """Whether so many candidates are cut to the best-scored before they go before the pilot."""
    return count > config.prefilter


def _is_open_fork(state: SearchState, config: PilotConfig) -> bool:
    best = max(state.scores, default=state.best_score)
    return (
        len(state.candidates) >= config.fork_threshold
        or scores_are_close(state.scores, config.closeness_gap)
        or best < config.low_score
    )
