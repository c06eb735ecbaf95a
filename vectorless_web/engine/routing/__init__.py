"""From 1,000 and more documents to the few worth opening, with the reasons."""

from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow
from vectorless_web.engine.routing.card_keys import card_row
from vectorless_web.engine.routing.config import RouteMode, RouterConfig
from vectorless_web.engine.routing.links import links_for
from vectorless_web.engine.routing.result import RouteResult, ScoredCandidate
from vectorless_web.engine.routing.router import DocumentRouter

__all__ = [
    "Change",
    "DeltaRow",
    "DocumentRouter",
    "RouteMode",
    "RouteResult",
    "RouterConfig",
    "ScoredCandidate",
    "Snapshot",
    "build_snapshot",
    "card_row",
    "links_for",
]
