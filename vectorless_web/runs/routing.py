"""The workspace's router for one run: its settings, its documents, the newest snapshot of their cards."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.documents.snapshots import snapshot_of
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.index.snapshot import Snapshot
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.routing import DocumentRouter, RouteMode, RouterConfig, RouteResult, ScoredCandidate
from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import documents_in_scope

WEIGHTS = ("w_bm25", "w_keyword", "w_graph", "w_fields")
COUNTS = ("activate_threshold", "max_candidates", "bm25_top_k")
ROUTER_SETTINGS = ("route_mode", *COUNTS, *WEIGHTS)
"""Names of the router's settings in a workspace and in a run."""
NOT_INDEXED = "its card is not indexed yet"


def router_config(settings: Mapping[str, Any]) -> RouterConfig:
    """The router's settings among those of a run; what is missing is the default."""
    given = {name: settings[name] for name in (*COUNTS, *WEIGHTS) if name in settings}
    return RouterConfig(mode=RouteMode(settings.get("route_mode", RouteMode.FAST)), **given)


class RunRouter:
    """Routes the documents of one run. The snapshot is that of the first question put to it."""

    def __init__(self, run: Run, *, cards: Callable[[int], Card]) -> None:
        self._run, self._cards = run, cards
        self._config = router_config(run.settings)
        self._snapshot: Snapshot | None = None

    def route(self, plan: QueryPlan, *, model: ChatModel | None) -> RouteResult:
        """The shortlist; documents of a small scope that have no card in the snapshot yet go on too."""
        ids = self._ids()
        return self._with_unindexed(self._router(model).route(plan, ids), ids)

    def reroute(
        self,
        plan: QueryPlan,
        *,
        gaps: Sequence[str],
        read: Collection[int],
        yielded: Sequence[int],
        model: ChatModel | None,
    ) -> RouteResult:
        """The second pass."""
        ids = self._ids()
        found = self._router(model).reroute(plan, gaps=gaps, read=read, yielded=yielded, doc_ids=ids)
        return self._with_unindexed(found, None if ids is None else [pk for pk in ids if pk not in read])

    @property
    def snapshot(self) -> Snapshot:
        """The cards that all passes of the run look at."""
        if self._snapshot is None:
            self._snapshot = snapshot_of(self._run.workspace_id)
        return self._snapshot

    def _router(self, model: ChatModel | None) -> DocumentRouter:
        return DocumentRouter(self.snapshot, self._config, model=model, cards=self._cards)

    def _ids(self) -> list[int] | None:
        """The documents of the scope, ascending; None for the whole of a large workspace, whose ids nobody lists."""
        rows = documents_in_scope(self._run).filter(current_version__isnull=False).order_by("pk")
        ids = list(rows.values_list("pk", flat=True)[: self._config.activate_threshold + 1])
        if len(ids) <= self._config.activate_threshold:
            return ids
        return None if self._run.whole_workspace else list(rows.values_list("pk", flat=True))

    def _with_unindexed(self, found: RouteResult, ids: Sequence[int] | None) -> RouteResult:
        if ids is None or found.activated:
            return found
        known = {candidate.doc_id for candidate in found.candidates}
        missing = [ScoredCandidate(pk, 0.0, 0.0, 0.0, 0.0, NOT_INDEXED) for pk in ids if pk not in known]
        return replace(found, candidates=(*found.candidates, *missing)) if missing else found
