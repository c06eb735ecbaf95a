"""The step ROUTE: ask the router which documents are worth opening, open them, and say why."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from vectorless_web.engine.agent.corpus import Corpus, CorpusRouter, DocumentEntry, SecondPass
from vectorless_web.engine.agent.events import Rejected, StepResult
from vectorless_web.engine.agent.search import read_bounds
from vectorless_web.engine.agent.state import OFFLINE, OUTSIDE_WALK, RunState
from vectorless_web.engine.agent.wording import join_names, say_count, shorten_title
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.finding.retrieval.corpus import CREATED_AT, stated_time
from vectorless_web.engine.finding.routing import DocumentRouter, RouteMode, RouterConfig, RouteResult
from vectorless_web.engine.finding.routing.router import CardedDocument, index_documents
from vectorless_web.engine.llm.model import ChatModel, serve_place
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import expansions
from vectorless_web.engine.text.analyser import analyse

SHOWN = 15
"""Documents that were not opened and are named in the step; the rest are counted. About one screen."""
AS_LIKELY = 0.5
"""Share of the best score that a document has at least which a model opens later: of 22 documents it opens those that
are of the kind looked for, and of others that share a word or two of the query the best one."""


@dataclass(frozen=True, slots=True)
class RoutedDocument:
    """A document of the shortlist: its entry, its score in [0, 1], why it is there, and its best passage, if known."""

    entry: DocumentEntry
    score: float
    reason: str
    key: int = -1
    """Node of the passage that says most of the question; -1 where the router looked into none."""
    page_index: int = -1
    passage: str = ""

    @property
    def id(self) -> str:
        """The document's id in the corpus."""
        return self.entry.id


@dataclass(frozen=True, slots=True)
class Routed:
    """What a ROUTE step decided. `documents` were opened, best first; `others` came close and were not.

    `left_out` cannot be read at present. `committed` says that the question singles out one document. `steering` are
    terms of the question that chose the documents and need not stand in them.
    """

    documents: tuple[RoutedDocument, ...]
    others: tuple[RoutedDocument, ...] = ()
    left_out: tuple[RoutedDocument, ...] = ()
    considered: int = 0
    committed: bool = False
    steering: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    """Index terms of the question that no document of the scope bears."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Corpus ids of the documents opened, best first."""
        return tuple(document.id for document in self.documents)

    def keep_unknown(self, words: Iterable[str]) -> tuple[str, ...]:
        """Of words that no opened document says those that no other document of the scope says either."""
        if self.considered <= len(self.documents):
            return tuple(words)
        return tuple(word for word in words if self.unknown.issuperset(analyse(word)))


def route_documents(
    state: RunState, plan: QueryPlan, *, after: SecondPass | None = None, walk: int = OUTSIDE_WALK
) -> tuple[Routed, StepResult]:
    """Ask the router and open the documents that it ranks, at most `limits.max_walks`; beside them what the step tells.

    With `after` other documents are looked for. The router's model is asked in the modes that want one.
    """
    before = state.sum_spending()
    with serve_place(walk, state.steps_in(walk)) if walk else serve_place(OUTSIDE_WALK, -1):
        result, name_of = _ask_router(state, plan, after)
    candidates, outside = _part_by_date(state, _list_candidates(state, result, name_of, after))
    least = max(AS_LIKELY * candidates[0].score, 1e-9) if candidates and after else 0.0
    routed = _open_documents(state, [row for row in candidates if row.score >= least], result)
    unlikely = (row for row in candidates if row.score < least)
    routed = replace(routed, others=(*routed.others, *unlikely, *outside)[:SHOWN])
    if state.sum_spending() == before and result.tokens:
        state.book(result.tokens, result.cost_usd)
    arguments = {"query": plan.question if after else state.question, "again": after is not None}
    step = StepResult(
        say=_describe_routing(routed, again=after is not None) + (f". {result.edition}" if result.edition else ""),
        thought=_describe_plan(plan),
        action="route",
        arguments=arguments | ({"gaps": list(after.gaps)} if after and after.gaps else {}),
        observation=_observe_routing(state, plan, routed, result),
        rejected=tuple(
            Rejected(shorten_title(row.entry.called), row.reason) for row in (*routed.left_out, *routed.others)
        ),
        confidence=round(min(1.0, routed.documents[0].score), 4) if routed.documents else None,
        documents=routed.ids,
        tokens=result.tokens,
        cost_usd=result.cost_usd,
        engine=OFFLINE if result.mode_used is RouteMode.FAST or state.caller is None else state.engine,
    )
    return routed, step


def _ask_router(state: RunState, plan: QueryPlan, after: SecondPass | None) -> tuple[RouteResult, Callable[[int], str]]:
    """The router's result, and how its numbers are written as the corpus' ids."""
    model = state.caller.as_model("route") if state.caller is not None else None
    if state.corpus.router is not None:
        return state.corpus.router.route(plan, after=after, model=model), str
    cards = CardRouter(state.corpus, RouteMode(state.settings.route_mode))
    return cards.route(plan, after=after, model=model), cards.name_of


def _list_candidates(
    state: RunState, result: RouteResult, name_of: Callable[[int], str], after: SecondPass | None
) -> list[RoutedDocument]:
    """The shortlist and what just missed it, best first: one that stands out, the first, those cited before, others."""
    found = {name_of(row.doc_id): row for row in (*result.candidates, *result.tail)}
    first = [name_of(result.committed)] if result.committed is not None else list(found)[:1]
    cited = () if after else state.conversation.documents
    read = after.read if after else ()
    names = [name for name in dict.fromkeys((*first, *cited, *found)) if name not in read]
    entries = {entry.id: entry for entry in state.corpus.find_entries(names)}
    return [
        RoutedDocument(entries[name], row.score, row.reason, row.key, row.page_index, row.passage)
        if (row := found.get(name))
        else RoutedDocument(entries[name], 0.0, "an earlier answer of this conversation cites it")
        for name in names
        if name in entries
    ]


def _part_by_date(
    state: RunState, candidates: Sequence[RoutedDocument]
) -> tuple[list[RoutedDocument], list[RoutedDocument]]:
    """The candidates of the days that the settings ask for, and the others, which say so."""
    bounds = read_bounds(state.settings)
    if bounds is None:
        return list(candidates), []
    inside = [row for row in candidates if bounds.matches({CREATED_AT: stated_time(state.corpus.card(row.id))})]
    why = "its date lies outside the days asked for"
    return inside, [replace(row, reason=why) for row in candidates if row not in inside]


def _open_documents(state: RunState, candidates: Sequence[RoutedDocument], result: RouteResult) -> Routed:
    """Open as many as the limits allow; the next best takes the place of one that cannot be read."""
    committed = result.committed is not None
    most = 1 if committed else min(len(result.ranked) or state.limits.max_walks, state.limits.max_walks)
    opened, damaged, waiting = list[RoutedDocument](), list[RoutedDocument](), list(candidates)
    while waiting and len(opened) < most:
        document = waiting.pop(0)
        try:
            state.corpus.open(document.id)
        except ArtefactDamaged:
            damaged.append(replace(document, reason="it is being read again and was left out"))
        else:
            opened.append(document)
    return Routed(
        documents=tuple(opened),
        others=tuple(waiting[:SHOWN]),
        left_out=tuple(damaged),
        considered=state.corpus.size,
        committed=committed and bool(opened) and opened[0] == candidates[0],
        steering=frozenset(result.steering_terms) if len(opened) == 1 else frozenset(),
        unknown=frozenset(result.unknown_terms),
    )


def _observe_routing(state: RunState, plan: QueryPlan, routed: Routed, result: RouteResult) -> dict[str, object]:
    rows = (*routed.left_out, *routed.others)
    missed = [{"document": row.id, "title": row.entry.called, "reason": row.reason} for row in rows]
    return {
        "considered": routed.considered,
        "activated": result.activated,
        "committed": routed.ids[0] if routed.committed else "",
        "mode": result.mode_used.value,
        "note": result.note,
        "index_version": result.index_version,
        "edition": result.edition,
        "question": _plan_row(state, plan),
        "shortlist": [_document_row(document) for document in routed.documents],
        "missed": missed,
        "left_out": missed[: len(routed.left_out)],
    }


def _plan_row(state: RunState, plan: QueryPlan) -> dict[str, object]:
    return {
        "concepts": list(plan.concepts),
        "entities": list(plan.entities),
        "periods": [period.text or str(period.year) for period in plan.periods],
        "figures": [need.concept for need in plan.figures],
        "formula": plan.formula.expression if plan.formula else "",
        "expand": state.settings.expand,
        "terms": [[term.term, term.weight, term.source] for term in plan.terms],
        "looked_for": [asdict(expansion) for expansion in expansions(plan, state.lexicon)],
    }


def _document_row(document: RoutedDocument) -> dict[str, object]:
    row: dict[str, object] = {
        "document": document.id,
        "title": document.entry.called,
        "pages": document.entry.pages,
        "score": round(document.score, 4),
        "reason": document.reason,
    }
    if document.key >= 0:
        row["passage"] = {"key": document.key, "page": document.page_index, "text": document.passage}
    return row


def _describe_plan(plan: QueryPlan) -> str:
    periods = join_names([period.text or str(period.year) for period in plan.periods])
    about = ", ".join(plan.concepts[:4])
    return f"Looked for: {about}" + (f"; period: {periods}" if periods else "") if about else ""


def _describe_routing(routed: Routed, *, again: bool) -> str:
    titles = [shorten_title(document.entry.called) for document in routed.documents]
    names = join_names([*titles[:2], f"{len(titles) - 2} more"] if len(titles) > 2 else titles)
    if again:
        said = f"Looked for other documents and opened {names or 'none'}"
    elif not titles:
        said = f"Considered {say_count(routed.considered, 'document')} and opened none"
    elif routed.considered == 1:
        said = f"Opened the only document, {names}"
    elif routed.considered == len(titles):
        said = f"Opened {'both' if len(titles) == 2 else f'all {len(titles)}'} documents: {names}"
    else:
        said = f"Considered {say_count(routed.considered, 'document')} and opened {len(titles)}: {names}"
    if not routed.left_out:
        return said
    left = join_names([shorten_title(document.entry.called) for document in routed.left_out])
    return f"{said}; {left} {'is' if len(routed.left_out) == 1 else 'are'} being read again and left out"


class CardRouter(CorpusRouter):
    """A router over the cards and words of a small corpus, made on the spot: files on the command line."""

    def __init__(self, corpus: Corpus, mode: RouteMode = RouteMode.FAST) -> None:
        self._corpus, self._config = corpus, RouterConfig(mode=mode)
        self._numbers = {entry.id: number for number, entry in enumerate(corpus.entries(), start=1)}
        self._names = {number: name for name, number in self._numbers.items()}
        self._snapshot = index_documents(
            [self._describe(entry) for entry in corpus.entries()], version=corpus.fingerprint
        )

    def name_of(self, number: int) -> str:
        """The corpus' id of a document that the router calls by its number."""
        return self._names[number]

    def route(self, plan: QueryPlan, *, after: SecondPass | None = None, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question."""
        router = DocumentRouter(
            self._snapshot,
            self._config,
            model=model,
            cards=lambda number: self._corpus.card(self.name_of(number)),
            open_texts=self._peek,
        )
        if after is None:
            return router.route(plan)
        read, yielded = ([self._numbers[name] for name in names] for names in (after.read, after.yielded))
        return router.reroute(plan, gaps=after.terms, read=read, yielded=yielded)

    def _describe(self, entry: DocumentEntry) -> CardedDocument:
        card = self._corpus.card(entry.id)
        title = card.title or entry.title
        return CardedDocument(self._numbers[entry.id], entry.name, title, card, self._corpus.peek(entry.id))

    def _peek(self, numbers: Sequence[int]) -> dict[int, CompiledDocument]:
        found = {number: self._corpus.peek(self.name_of(number)) for number in numbers}
        return {number: document for number, document in found.items() if document is not None}
