"""From 1,000 and more documents to the few worth opening, with the reasons."""

from vectorless_web.engine.router.config import RouteMode, RouterConfig
from vectorless_web.engine.router.result import RouteResult, ScoredCandidate

__all__ = ["RouteMode", "RouteResult", "RouterConfig", "ScoredCandidate"]
