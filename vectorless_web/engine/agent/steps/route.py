"""ROUTE: the router's shortlist, the cards read, and which documents are walked, with reasons; at most once more."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field

from vectorless_web.engine.agent.context.outline import join_names, say_count, shorten_title
from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry, Selected, entries_of
from vectorless_web.engine.agent.events import Rejected, StepEvent, StepKind
from vectorless_web.engine.agent.offline_planner import OFFLINE
from vectorless_web.engine.agent.walk import RunState
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.word_blocks import Spread, WordIndex, encode_words, spread_words
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.each import read_each
from vectorless_web.engine.questions.entries import expansions
from vectorless_web.engine.questions.plan import QueryPlan, WeightedTerm
from vectorless_web.engine.questions.understand import asks_documents, understand
from vectorless_web.engine.routing import DocumentRouter, RouterConfig, RouteResult, ScoredCandidate
from vectorless_web.engine.routing.card_keys import card_row
from vectorless_web.engine.routing.editions import read_edition, read_head
from vectorless_web.engine.text.analyser import analyse

FIELD_WEIGHTS = (("name", 3.0), ("title", 3.0), ("tags", 2.0), ("hints", 1.0), ("overview", 1.0), ("sections", 1.0))
"""What a word of the question is worth by where on the card it stands (its best place counts)."""

TOPIC_WEIGHT = 0.5
ENTITY_WORTH = 4.0
CARD_SHARE = 0.1
YEAR_BONUS = 0.35
"""A year of the question among the card's years, or one more than its last."""


def select(
    plan: QueryPlan, corpus: Corpus, shortlist: "Shortlist", *, left: Sequence[str], most: int
) -> tuple[list[Selected], list[Selected]]:
    """Documents to walk (at most `most`, best first) and those passed over, of those that are `left` of a shortlist.

    Where a model ranked, those that it ranked are walked, in its order, and no others. Where the router narrowed many
    documents its order holds. A few are parted by what their cards say as well.
    """
    entries = entries_of(corpus, left)
    known = [name for name in left if name in entries]
    scored = [_score_card(plan, entries[name], corpus.card(name), shortlist.scores.get(name, 0.0)) for name in known]
    if shortlist.ranked:
        by_name = {selected.entry.id: selected for selected in scored}
        first = [by_name[name] for name in shortlist.ranked if name in by_name][:most]
        return first, [selected for selected in scored if selected not in first]
    if not shortlist.activated:
        scored.sort(key=lambda selected: (-round(selected.score, 9), selected.entry.id))
    return scored[:most], scored[most:]


def _score_card(plan: QueryPlan, entry: DocumentEntry, card: Card, routed: float) -> Selected:
    terms = {term.term: _weigh_term(term) for term in plan.terms if not term.source.startswith("lexicon")}
    places = _weigh_card_fields(entry, card)
    held = {term: max((weight for words, weight in places if term in words), default=0.0) for term in terms}
    total = sum(terms.values()) * FIELD_WEIGHTS[0][1] or 1.0
    score = sum(terms[term] * weight for term, weight in held.items()) / total
    years = {period.year for period in plan.periods} & _years(card)
    if years:
        score += YEAR_BONUS
    return Selected(
        entry, routed + CARD_SHARE * score, _reason([term for term, weight in held.items() if weight > 1], years)
    )


def _weigh_term(term: WeightedTerm) -> float:
    """A name tells documents apart better than any other word; a period is judged by the years."""
    return {"entity": ENTITY_WORTH, "period": 0.2}.get(term.source, 1.0) * term.weight


def _weigh_card_fields(entry: DocumentEntry, card: Card) -> list[tuple[set[str], float]]:
    texts = {
        "name": f"{entry.name} {' '.join(card.fields.entities)}",
        "title": f"{entry.title} {card.title}",
        "tags": " ".join(card.topic_tags),
        "hints": " ".join(card.question_hints),
        "overview": card.overview,
        "sections": " ".join(line.title for line in card.sections),
    }
    places = [(set(analyse(texts[name])), weight) for name, weight in FIELD_WEIGHTS]
    return [*places, ({term for topic in card.topics for term in analyse(topic)}, TOPIC_WEIGHT)]


def _years(card: Card) -> set[int]:
    return set(card.fields.years) | {int(date[:4]) for date in card.fields.dates if date[:4].isdigit()}


def _reason(terms: Sequence[str], years: set[int]) -> str:
    parts = [f"its card speaks of {', '.join(terms[:4])}"] if terms else []
    parts += [f"it covers {', '.join(str(year) for year in sorted(years))}"] if years else []
    return " and ".join(parts) or "nothing on its card speaks of the question"


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
    edition: str = ""
    """Which edition of a series was taken, when the question wants one."""
    ranked: tuple[str, ...] = ()
    """The documents that a model ranked, best first."""
    passages: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    """By document the passage that says most of the question: node, page (from 0), text."""


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
        edition=result.edition,
        ranked=tuple(name_of(doc_id) for doc_id in result.ranked),
        passages={name: (found.key, found.page_index, found.passage) for name, found in named if found.key >= 0},
    )


def _short_of(candidate: ScoredCandidate) -> str:
    return f"just missed the cut: {candidate.reason}" if candidate.reason else "just missed the cut"


class CardRouter:
    """A router over the cards of a small corpus, made on the spot: files on the command line, a chosen few."""

    def __init__(self, corpus: Corpus) -> None:
        self._names = [entry.id for entry in corpus.entries()]
        rows = [_encode_card(number, entry, corpus) for number, entry in enumerate(corpus.entries(), start=1)]
        snapshot = Snapshot.open(build_snapshot(rows), version=corpus.fingerprint)
        if len(rows) > 1:
            lists = {number: encode_words(_words_of(corpus, name)) for number, name in enumerate(self._names, start=1)}
            snapshot = snapshot.with_words(WordIndex().with_lists(lists))
        self._router = DocumentRouter(snapshot, RouterConfig(), open_texts=lambda ids: self._open(corpus, ids))

    def route(self, plan: QueryPlan) -> Shortlist:
        """The shortlist for a question."""
        return shortlist_of(self._router.route(plan), self._name)

    def reroute(
        self, plan: QueryPlan, *, gaps: Sequence[str], read: Collection[str], yielded: Sequence[str]
    ) -> Shortlist:
        """Documents not `read` yet, asked for `gaps` (analysed words) too; `yielded` brought evidence."""
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

    def _open(self, corpus: Corpus, ids: Sequence[int]) -> dict[int, CompiledDocument]:
        found = {number: corpus.peek(self._name(number)) for number in ids}
        return {number: document for number, document in found.items() if document is not None}


def _encode_card(number: int, entry: DocumentEntry, corpus: Corpus) -> bytes:
    card, document = corpus.card(entry.id), corpus.peek(entry.id)
    head = read_head(document) if document is not None else ""
    edition = read_edition(title=card.title or entry.title, name=entry.name, card=card, head=head)
    return card_row(number, card, name=entry.name, edition=edition)


def _words_of(corpus: Corpus, name: str) -> Spread:
    document = corpus.peek(name)
    return spread_words(Segment(document.segment)) if document is not None else {}


STEPS_EACH = 4
"""Steps that one document takes of a run that asks each: to bring passages and tables, to copy, to sum up."""

AND_FURTHER = "further documents of this kind"
"""What an answer of each document lacks when more of them were passed over than the router lists."""

SHOWN = 15
"""Documents named in the step; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Routing:
    """How documents are narrowed: by the corpus' own router, or by one made of its cards on the spot.

    `model` helps a corpus' own router where its mode asks for one.
    """

    model: ChatModel | None = None

    def first(self, plan: QueryPlan, corpus: Corpus) -> Shortlist:
        """The shortlist for a question."""
        if corpus.router is None:
            return CardRouter(corpus).route(plan)
        return shortlist_of(corpus.router.route(plan, model=self.model))

    def second(
        self, plan: QueryPlan, corpus: Corpus, *, gaps: Sequence[str], read: Sequence[str], yielded: Sequence[str]
    ) -> Shortlist:
        """The shortlist of documents not read yet, with the gaps asked for too."""
        if corpus.router is None:
            return CardRouter(corpus).reroute(plan, gaps=gaps, read=read, yielded=yielded)
        return shortlist_of(corpus.router.reroute(plan, gaps=gaps, read=read, yielded=yielded, model=self.model))


def route_step(
    run: RunState, plan: QueryPlan, corpus: Corpus, routing: Routing, *, unmet: Sequence[str] = ()
) -> tuple[list[Selected], StepEvent]:
    """Shortlist, read the cards, choose; a second call leaves out what was walked and asks for the gaps too.

    `unmet` is what a checked answer lacks; without it the gaps are those of the walks.
    """
    started = run.clock()
    walked = list(dict.fromkeys(walk.entry.id for walk in run.walks))
    gaps = [term for gap in unmet or run.gaps() for term in analyse(gap)]
    found = (
        routing.second(plan, corpus, gaps=gaps, read=walked, yielded=run.list_fruitful_documents()) if walked else None
    )
    shortlist = found or routing.first(plan, corpus)
    left = [name for name in shortlist.names if name not in walked and name not in run.left_out]
    chosen, over = select(plan, corpus, shortlist, left=left, most=_most_walks(run, plan))
    if not walked and not shortlist.committed and not shortlist.ranked and run.engine == OFFLINE:
        beyond = entries_of(corpus, [name for name, _ in shortlist.missed])
        behind = [entry.title or entry.name for entry in beyond.values()]
        chosen, over = _choose_each(run, plan, (*chosen, *over), behind) or (chosen, over)
    if shortlist.committed and not walked:
        alone = [selected for selected in (*chosen, *over) if selected.entry.id == shortlist.committed]
        chosen, over = alone or chosen, [s for s in (*chosen, *over) if s not in alone] if alone else over
    chosen, over, damaged = _split_openable(corpus, chosen, over)
    run.passed_over = over
    run.left_out |= {selected.entry.id: selected.entry.title or selected.entry.name for selected in damaged}
    missed = [*map(_left_out_row, damaged), *_list_unopened(over, shortlist, corpus)][:SHOWN]
    considered = len(corpus.entries())
    step = StepEvent(
        walk=0,
        index=0,
        kind=StepKind.ROUTE,
        say=_describe_routing(considered, chosen, walked=len(walked))
        + (f". {shortlist.edition}" if shortlist.edition and chosen else "")
        + _say_left_out(damaged),
        thought=_describe_question(plan, run.read_as)
        + (f" One answer of each document is wanted: {run.each.question}" if run.each is not None else ""),
        action="route",
        arguments={"query": plan.focus, "again": bool(walked), "gaps": gaps},
        observation={
            "considered": considered,
            "activated": shortlist.activated,
            "committed": shortlist.committed,
            "mode": shortlist.mode,
            "note": shortlist.note,
            "index_version": shortlist.version,
            "question": {**_plan_row(plan), **_expansion_row(run, plan), "read_as": run.read_as},
            "edition": shortlist.edition,
            "shortlist": [_row(selected, shortlist) for selected in chosen],
            "missed": missed,
            **({"each": run.each.question} if run.each is not None else {}),
            **({"left_out": [_left_out_row(selected) for selected in damaged]} if damaged else {}),
        },
        rejected=tuple(Rejected(row["title"], row["reason"]) for row in missed),
        confidence=round(min(1.0, max(shortlist.scores.values())), 4) if shortlist.scores else None,
        latency_ms=(run.clock() - started) * 1000,
    )
    return chosen, step


def _choose_each(
    run: RunState, plan: QueryPlan, candidates: Sequence[Selected], behind: Sequence[str]
) -> tuple[list[Selected], list[Selected]] | None:
    """Those of which a question wants one answer each, as many as the run's steps allow; None for other questions.

    Notes what is asked of each, and which were not opened; `behind` are titles of documents that just missed the cut.
    """
    titles = [selected.entry.title or selected.entry.name for selected in candidates]
    asked = read_each(plan, titles)
    if asked is None:
        return None
    run.each = understand(asked.question, lexicon=run.lexicon, expand=run.expand)
    wanted = [candidates[place] for place in asked.places]
    most = max(run.limits.max_walks, run.limits.max_run_steps // STEPS_EACH)
    passed = read_each(plan, [*titles, *behind]) or asked
    unlisted = [behind[place - len(titles)] for place in passed.places if place >= len(titles)]
    run.unread = (*(selected.entry.title or selected.entry.name for selected in wanted[most:]), *unlisted)
    if unlisted and len(unlisted) == len(behind):
        run.unread += (AND_FURTHER,)
    kept = sorted(wanted[:most], key=lambda selected: (selected.entry.title.casefold(), selected.entry.id))
    return kept, [selected for selected in candidates if selected not in kept]


def _split_openable(
    corpus: Corpus, chosen: Sequence[Selected], over: Sequence[Selected]
) -> tuple[list[Selected], list[Selected], list[Selected]]:
    """Those chosen that can be opened, those passed over, and those left out because they cannot be read at present.

    The next best takes the place of one that is left out.
    """
    opened: list[Selected] = []
    damaged: list[Selected] = []
    waiting = [*chosen, *over]
    while waiting and len(opened) < len(chosen):
        selected = waiting.pop(0)
        try:
            corpus.open(selected.entry.id)
        except ArtefactDamaged:
            damaged.append(selected)
        else:
            opened.append(selected)
    return opened, waiting, damaged


def _left_out_row(selected: Selected) -> dict[str, str]:
    title = selected.entry.title or selected.entry.name
    return {"document": selected.entry.id, "title": title, "reason": "it is being read again and was left out"}


def _say_left_out(damaged: Sequence[Selected]) -> str:
    if not damaged:
        return ""
    titles = join_names([shorten_title(selected.entry.title or selected.entry.name) for selected in damaged])
    return f"; {titles} {'is' if len(damaged) == 1 else 'are'} being read again and left out"


def _most_walks(run: RunState, plan: QueryPlan) -> int:
    """Documents to walk; a question for documents looks at as many as the run's steps allow, two steps each."""
    return max(run.limits.max_walks, run.limits.max_run_steps // 2) if asks_documents(plan) else run.limits.max_walks


def _list_unopened(over: Sequence[Selected], shortlist: Shortlist, corpus: Corpus) -> list[dict[str, str]]:
    """Documents that were not opened, the nearest first: those passed over, then those below the router's cut."""
    passed = [(selected.entry.id, shortlist.reasons.get(selected.entry.id) or selected.reason) for selected in over]
    rows = (*passed, *shortlist.missed)[:SHOWN]
    entries = entries_of(corpus, [name for name, _ in rows])
    return [
        {"document": name, "title": entries[name].title or entries[name].name, "reason": reason}
        for name, reason in rows
        if name in entries
    ]


def _row(selected: Selected, shortlist: Shortlist) -> dict[str, object]:
    name = selected.entry.id
    return {
        "document": name,
        "title": selected.entry.title or selected.entry.name,
        "pages": selected.entry.pages,
        "score": round(selected.score, 4),
        "reason": shortlist.reasons.get(name) or selected.reason,
        **_passage_row(shortlist.passages.get(name)),
    }


def _passage_row(passage: tuple[int, int, str] | None) -> dict[str, object]:
    """Where the document says most of the question: node, page (from 0) and words."""
    return {"passage": {"key": passage[0], "page": passage[1], "text": passage[2]}} if passage else {}


def _plan_row(plan: QueryPlan) -> dict[str, object]:
    """How the question was understood, for the trace."""
    return {
        "focus": plan.focus,
        "intent": plan.intent.value,
        "concepts": list(plan.concepts),
        "entities": list(plan.entities),
        "periods": [period.text or str(period.year) for period in plan.periods],
        "figures": [need.concept for need in plan.figures],
        "formula": plan.formula.expression if plan.formula else "",
        "expansions": sorted({term.source for term in plan.terms if term.source.startswith("lexicon")}),
    }


def _expansion_row(run: RunState, plan: QueryPlan) -> dict[str, object]:
    """What was searched with which weight and why, and what the lexicon added to the question."""
    return {
        "expand": run.expand,
        "terms": [[term.term, term.weight, term.source] for term in plan.terms],
        "looked_for": [asdict(expansion) for expansion in expansions(plan, run.lexicon)],
    }


def _describe_question(plan: QueryPlan, read_as: str) -> str:
    if read_as:
        return f"Read as: {read_as}"
    about = ", ".join(plan.concepts[:4]) or plan.focus
    periods = join_names([period.text or str(period.year) for period in plan.periods])
    return f"The question is about {about}" + (f", for {periods}" if periods else "") + "."


def _describe_routing(considered: int, chosen: list[Selected], *, walked: int) -> str:
    titles = [shorten_title(selected.entry.title or selected.entry.name) for selected in chosen]
    names = join_names([*titles[:2], f"{len(titles) - 2} more"] if len(titles) > 2 else titles)
    if walked:
        return f"Looked again: opened {names}" if chosen else "Looked again: no other document to open"
    if not chosen:
        return f"Considered {say_count(considered, 'document')} and opened none"
    if considered == 1:
        return f"Opened the only document, {names}"
    if considered == len(chosen):
        return f"Opened {'both' if considered == 2 else f'all {considered}'} documents: {names}"
    return f"Considered {say_count(considered, 'document')} and opened {len(chosen)}: {names}"
