"""ROUTE: ask the router which documents of the scope are worth opening, and say why. Every call of it is a step."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from vectorless_web.engine.agent.corpus import Corpus, CorpusRouter, DocumentEntry, entries_of
from vectorless_web.engine.agent.events import PlannedStep, Rejected, StepEvent, StepKind, StepResult
from vectorless_web.engine.agent.retrieval import read_bounds
from vectorless_web.engine.agent.state import OFFLINE, OUTSIDE_WALK, RunState
from vectorless_web.engine.agent.wording import join_names, say_count, shorten_title
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.finding.retrieval.corpus import CREATED_AT, stated_time
from vectorless_web.engine.finding.routing import DocumentRouter, RouteMode, RouterConfig, RouteResult
from vectorless_web.engine.finding.routing.card_keys import card_row, links_for
from vectorless_web.engine.finding.routing.editions import read_edition, read_head
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.word_blocks import Spread, WordIndex, encode_words, spread_words
from vectorless_web.engine.llm.model import ChatModel, serve_place
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import expansions
from vectorless_web.engine.text.analyser import analyse

SHOWN = 15
"""Documents that were not opened and are named in the step; the rest are counted. About one screen."""


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

    @property
    def name(self) -> str:
        """What people call it: its title, else its file name."""
        return self.entry.title or self.entry.name


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
    state: RunState,
    plan: QueryPlan,
    *,
    read: Collection[str] = (),
    gaps: Sequence[str] = (),
    yielded: Sequence[str] = (),
    walk: int = OUTSIDE_WALK,
) -> tuple[Routed, StepEvent]:
    """Ask the router and open the documents it ranks, at most `limits.max_walks`.

    With `read`, documents that were opened before, it looks for others, for the `gaps` too (words that none of them
    says), and near those that `yielded` something. The router's model is asked in the modes that want one.
    """
    before = state.sum_spending()
    with serve_place(walk, state.steps_in(walk)) if walk else serve_place(OUTSIDE_WALK, -1):
        result, name_of = _ask_router(state, plan, read, [term for gap in gaps for term in analyse(gap)], yielded)
    candidates, outside = _part_by_date(state, _list_candidates(state, result, name_of, read))
    routed = _open_documents(state, candidates, result, read)
    routed = replace(routed, others=(*routed.others, *outside)[:SHOWN])
    if state.sum_spending() == before and result.tokens:
        state.book(result.tokens, result.cost_usd)
    planned = PlannedStep(
        thought=_describe_plan(plan),
        action="route",
        arguments={
            "query": plan.question if read else state.question,
            "again": bool(read),
            **({"gaps": list(gaps)} if gaps else {}),
        },
        tokens=result.tokens,
        cost_usd=result.cost_usd,
    )
    step = StepResult(
        say=_describe_routing(routed, again=bool(read)) + (f". {result.edition}" if result.edition else ""),
        observation=_observe_routing(state, plan, routed, result),
        rejected=tuple(Rejected(shorten_title(row.name), row.reason) for row in (*routed.left_out, *routed.others)),
        confidence=round(min(1.0, routed.documents[0].score), 4) if routed.documents else None,
        documents=routed.ids,
        engine=OFFLINE if result.mode_used is RouteMode.FAST or state.caller is None else state.engine,
    )
    return routed, state.make_step(StepKind.ROUTE, step, walk=walk, planned=planned)


def _ask_router(
    state: RunState, plan: QueryPlan, read: Collection[str], gaps: Sequence[str], yielded: Sequence[str]
) -> tuple[RouteResult, Callable[[int], str]]:
    """The router's result, and how its numbers are written as the corpus' ids. `gaps` are analysed words."""
    router = state.corpus.router
    name_of: Callable[[int], str] = str
    if router is None:
        cards = CardRouter(state.corpus, RouteMode(state.settings.route_mode))
        router, name_of = cards, cards.name_of
    wants_model = state.caller is not None and state.settings.route_mode != RouteMode.FAST
    model = state.caller.as_model("route") if state.caller is not None and wants_model else None
    if read:
        return router.reroute(plan, gaps=gaps, read=read, yielded=yielded, model=model), name_of
    return router.route(plan, model=model), name_of


def _list_candidates(
    state: RunState, result: RouteResult, name_of: Callable[[int], str], read: Collection[str]
) -> list[RoutedDocument]:
    """The shortlist and what just missed it, best first: one that stands out, the first, those cited before, others."""
    found = {name_of(row.doc_id): row for row in (*result.candidates, *result.tail)}
    first = [name_of(result.committed)] if result.committed is not None else list(found)[:1]
    cited = [] if read else state.conversation.documents
    names = [name for name in dict.fromkeys((*first, *cited, *found)) if name not in read]
    entries = entries_of(state.corpus, names)
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
    inside, outside = [], []
    for row in candidates:
        if bounds.matches({CREATED_AT: stated_time(state.corpus.card(row.id))}):
            inside.append(row)
        else:
            outside.append(replace(row, reason="its date lies outside the days asked for"))
    return inside, outside


def _open_documents(
    state: RunState, candidates: Sequence[RoutedDocument], result: RouteResult, read: Collection[str]
) -> Routed:
    """Open as many as the limits allow; the next best takes the place of one that cannot be read."""
    committed = result.committed is not None and not read
    most = 1 if committed else len(result.ranked) or state.limits.max_walks
    most = min(most, state.limits.max_walks)
    opened: list[RoutedDocument] = []
    damaged: list[RoutedDocument] = []
    waiting = list(candidates)
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
        considered=len(state.corpus.entries()),
        committed=committed and bool(opened) and opened[0] == candidates[0],
        steering=frozenset(result.steering_terms) if len(opened) == 1 else frozenset(),
        unknown=frozenset(result.unknown_terms),
    )


def _observe_routing(state: RunState, plan: QueryPlan, routed: Routed, result: RouteResult) -> dict[str, object]:
    rows = (*routed.left_out, *routed.others)
    missed = [{"document": row.id, "title": row.name, "reason": row.reason} for row in rows]
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
        "title": document.name,
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
    titles = [shorten_title(document.name) for document in routed.documents]
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
    left = join_names([shorten_title(document.name) for document in routed.left_out])
    return f"{said}; {left} {'is' if len(routed.left_out) == 1 else 'are'} being read again and left out"


class CardRouter(CorpusRouter):
    """A router over the cards and words of a small corpus, made on the spot: files on the command line."""

    def __init__(self, corpus: Corpus, mode: RouteMode = RouteMode.FAST) -> None:
        self._corpus, self._config = corpus, RouterConfig(mode=mode)
        self._names = [entry.id for entry in corpus.entries()]
        rows = [_encode_card(number, entry, corpus) for number, entry in enumerate(corpus.entries(), start=1)]
        snapshot = Snapshot.open(build_snapshot(rows), version=corpus.fingerprint)
        if len(rows) > 1:
            lists = {number: encode_words(_words_of(corpus, name)) for number, name in enumerate(self._names, start=1)}
            snapshot = snapshot.with_words(WordIndex().with_lists(lists))
        links = [
            (number, other, weight)
            for number, name in enumerate(self._names, start=1)
            for other, weight, _ in links_for(corpus.card(name), snapshot, doc_id=number)
        ]
        self._snapshot = snapshot.with_changes(DocumentRouter(snapshot).update_graph(links))

    def name_of(self, number: int) -> str:
        """The corpus' id of a document that the router calls by its number."""
        return self._names[number - 1]

    def route(self, plan: QueryPlan, *, model: ChatModel | None = None) -> RouteResult:
        """The shortlist for a question."""
        return self._router(model).route(plan)

    def reroute(
        self,
        plan: QueryPlan,
        *,
        gaps: Sequence[str],
        read: Collection[str],
        yielded: Sequence[str],
        model: ChatModel | None = None,
    ) -> RouteResult:
        """Documents not `read` yet, asked for `gaps` (analysed words) too; `yielded` brought evidence."""
        numbers = {name: number for number, name in enumerate(self._names, start=1)}
        return self._router(model).reroute(
            plan,
            gaps=gaps,
            read=[numbers[name] for name in read if name in numbers],
            yielded=[numbers[name] for name in yielded if name in numbers],
        )

    def _router(self, model: ChatModel | None) -> DocumentRouter:
        return DocumentRouter(
            self._snapshot,
            self._config,
            model=model,
            cards=lambda number: self._corpus.card(self.name_of(number)),
            open_texts=self._peek,
        )

    def _peek(self, numbers: Sequence[int]) -> dict[int, CompiledDocument]:
        found = {number: self._corpus.peek(self.name_of(number)) for number in numbers}
        return {number: document for number, document in found.items() if document is not None}


def _encode_card(number: int, entry: DocumentEntry, corpus: Corpus) -> bytes:
    card, document = corpus.card(entry.id), corpus.peek(entry.id)
    head = read_head(document) if document is not None else ""
    edition = read_edition(title=card.title or entry.title, name=entry.name, card=card, head=head)
    return card_row(number, card, name=entry.name, edition=edition)


def _words_of(corpus: Corpus, name: str) -> Spread:
    document = corpus.peek(name)
    return spread_words(Segment(document.segment)) if document is not None else {}
