"""The router's part of a run: a shortlist of documents, the first time and, once, a second time."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.corpus import Corpus
from vectorless_web.engine.router import DocumentRouter, RouterConfig, RouteResult, ScoredCandidate
from vectorless_web.engine.router.card_keys import card_row

Route = Callable[[QueryPlan, Corpus], RouteResult]
"""A router over the workspace's snapshot, narrowed to the corpus; document ids are the corpus ids as numbers."""


class Reroute(Protocol):
    """The one second pass of a router."""

    def __call__(
        self, plan: QueryPlan, corpus: Corpus, *, gaps: Sequence[str], read: Collection[str], yielded: Sequence[str]
    ) -> RouteResult:
        """Documents not `read` yet, asked for `gaps` (analysed words) too; `yielded` brought evidence."""
        ...


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Documents whose cards are worth reading, best first, with score in [0, 1] and reason.

    `committed` is to be walked alone; `missed` are (id, why) of those just below the cut.
    """

    names: tuple[str, ...]
    scores: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    committed: str = ""
    activated: bool = False
    missed: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    mode: str = ""
    """Who ranked: `fast` the scores, `balanced` and `precise` a model."""
    note: str = ""
    """Why it was not the mode that the workspace asks for."""
    version: str = ""
    """The version of the cards that were looked at."""


def shortlist_of(result: RouteResult, name_of: Callable[[int], str] = str) -> Shortlist:
    """A router's result in the corpus' own ids."""
    named = [(name_of(candidate.doc_id), candidate) for candidate in result.candidates]
    return Shortlist(
        names=tuple(name for name, _ in named),
        scores={name: candidate.score for name, candidate in named},
        reasons={name: candidate.reason for name, candidate in named},
        committed="" if result.committed is None else name_of(result.committed),
        activated=result.activated,
        missed=tuple((name_of(candidate.doc_id), _short_of(candidate)) for candidate in result.tail),
        seconds=result.seconds,
        mode=result.mode_used.value,
        note=result.note,
        version=result.index_version,
    )


def _short_of(candidate: ScoredCandidate) -> str:
    return f"just missed the cut: {candidate.reason}" if candidate.reason else "just missed the cut"


class CardRouter:
    """A router over the cards of a small corpus, made on the spot: files on the command line, a chosen few."""

    def __init__(self, corpus: Corpus) -> None:
        self._names = [entry.id for entry in corpus.entries()]
        rows = [
            card_row(number, corpus.card(entry.id), name=entry.name)
            for number, entry in enumerate(corpus.entries(), start=1)
        ]
        snapshot = Snapshot.open(build_snapshot(rows), version=corpus.fingerprint)
        self._router = DocumentRouter(snapshot, RouterConfig())

    def route(self, plan: QueryPlan) -> Shortlist:
        """The shortlist for a question."""
        return shortlist_of(self._router.route(plan), self._name)

    def reroute(
        self, plan: QueryPlan, *, gaps: Sequence[str], read: Collection[str], yielded: Sequence[str]
    ) -> Shortlist:
        """The second pass, as Reroute says."""
        numbers = {name: number for number, name in enumerate(self._names, start=1)}
        result = self._router.reroute(
            plan,
            gaps=gaps,
            read=[numbers[name] for name in read if name in numbers],
            yielded=[numbers[name] for name in yielded if name in numbers],
        )
        return shortlist_of(result, self._name)

    def _name(self, number: int) -> str:
        return self._names[number - 1]
