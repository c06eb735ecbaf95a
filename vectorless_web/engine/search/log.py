"""Keeps a search's events until they are yielded, and its account."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.pilot.decision import PilotDecision
from vectorless_web.engine.search.events import EventKind, RankedNode, Rejection, SearchEvent
from vectorless_web.engine.search.route import Route, by_merit
from vectorless_web.engine.search.words import lower_than, name_of, place


class Log:
    """Turns what happens into events; `told` hands over those not yet yielded."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._untold: list[SearchEvent] = []
        self._noted: set[str] = set()

    def told(self) -> Iterator[SearchEvent]:
        """The events since the last call."""
        events, self._untold = self._untold, []
        return iter(events)

    def note(self, say: str) -> None:
        """Something the reader should know; said once."""
        if say in self._noted:
            return
        self._noted.add(say)
        self._untold.append(SearchEvent(EventKind.NOTE, say))

    def compared(self, route: Route, scored: Sequence[Route], decision: PilotDecision | None) -> None:
        """The children of a node were scored."""
        if not scored:
            return
        best = min(scored, key=by_merit)
        count = f"{len(scored)} section{'s' if len(scored) != 1 else ''}"
        say = f"Compared {count} of {name_of(self._tree, route.key)}; {name_of(self._tree, best.key)} comes first"
        ranked = tuple(RankedNode(found.key, found.scores[-1], found.keys, found.reason) for found in scored)
        self._add(EventKind.SCORING, say, route, decision, scored=ranked)

    def chosen(self, route: Route) -> None:
        """A branch is taken."""
        self._add(EventKind.CHOOSING, self._with_reason("Took", route), route)

    def jumped(self, route: Route) -> None:
        """The walk goes straight to a node."""
        self._add(EventKind.JUMPING, self._with_reason("Went straight to", route), route)

    def returned(self, route: Route, decision: PilotDecision | None) -> None:
        """A branch that had been put aside is taken up."""
        why = decision.reasoning if decision else ""
        say = f"Went back to {place(self._tree, route.key)}"
        self._add(EventKind.BACKTRACKING, f"{say}: {why}" if why else say, route, decision)

    def rejected(self, routes: Sequence[Route], chosen: int | None, why: str = "") -> None:
        """Branches are not taken; each with its own reason, else the common one."""
        if not routes:
            return
        common = why or (
            lower_than(self._tree, chosen) if chosen is not None else "nothing in it speaks of the question"
        )
        listed = tuple(Rejection(route.key, route.score, route.reason or common) for route in routes)
        names = ", ".join(name_of(self._tree, route.key) for route in routes[:3])
        more = f" and {len(routes) - 3} more" if len(routes) > 3 else ""
        self._untold.append(SearchEvent(EventKind.REJECTING, f"Put aside {names}{more}", rejected=listed))

    def dropped(self, keys: Sequence[int], why: str) -> None:
        """Children that were not even compared."""
        if not keys:
            return
        listed = tuple(Rejection(key, 0.0, why) for key in keys)
        self._untold.append(SearchEvent(EventKind.REJECTING, f"Left out {len(keys)} sections: {why}", rejected=listed))

    def entered(self, node: RankedNode, decision: PilotDecision | None) -> None:
        """A section is read."""
        say = f"Opened {place(self._tree, node.key)}"
        route = Route(node.path, (node.score,) * len(node.path))
        self._add(EventKind.ENTERING, say, route, decision, score=node.score)

    def finished(self, event: SearchEvent) -> None:
        """The last event."""
        self._untold.append(event)

    def _with_reason(self, verb: str, route: Route) -> str:
        say = f"{verb} {place(self._tree, route.key)}"
        return f"{say}: {route.reason}" if route.reason else say

    def _add(
        self,
        kind: EventKind,
        say: str,
        route: Route,
        decision: PilotDecision | None = None,
        *,
        scored: tuple[RankedNode, ...] = (),
        score: float | None = None,
    ) -> None:
        event = SearchEvent(
            kind,
            say,
            key=route.key,
            path=route.keys,
            score=route.score if score is None else score,
            confidence=decision.confidence if decision else None,
            point=decision.intervention_point if decision else None,
            scored=scored,
            engine=decision.engine if decision else "offline",
            tokens=decision.tokens if decision else 0,
            cost_usd=decision.cost_usd if decision else 0.0,
        )
        self._untold.append(event)
