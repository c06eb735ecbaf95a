"""The document router: narrows many cards to a shortlist, by words, series and editions, and says what chose it."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing.card_keys import card_row, links_for
from vectorless_web.engine.finding.routing.editions import Edition, choose_editions, list_valid, read_edition, read_head
from vectorless_web.engine.finding.routing.lexical import OpenTexts, list_asked_words
from vectorless_web.engine.finding.routing.result import CardSource, Explainer, RouteResult, ScoredCandidate, ask_model
from vectorless_web.engine.finding.routing.signals import (
    RouteMode,
    RouterConfig,
    RouteScorer,
    Signals,
    cover_names,
    find_committed,
)
from vectorless_web.engine.finding.routing.typed import covers_year
from vectorless_web.engine.index.segment import Segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.snapshot_rows import Array, Change, DeltaRow, encode_edges, term_hash
from vectorless_web.engine.index.word_blocks import WordBlock, WordIndex, block_of, encode_words, spread_words
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.editions import Recency, family_of
from vectorless_web.engine.questions.plan import QueryPlan, WeightedTerm
from vectorless_web.engine.text.analyser import analyse

_LOOKED_AT = 15
"""Documents, the first ones, whose series are looked for."""
_LARGEST = 500
"""Documents of a series, at most: more share a title by chance, such as "invoice"."""
_SAME_NAME = 0.05
"""How far the names of a document may agree less with the question than those of its neighbour in the series."""
_FEW_SAY = 0.5
"""Share of a series up to which a word parts it: what its editions are about is said by most of them."""
_NEARLY = 0.75
"""Share of the score of an earlier edition from which the one in force takes its place unasked."""
_EARLIER = 0.9
"""What an edition that is not in force keeps of its score when the question names no period."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """Signals with the wanted editions first. `notes` say by row which edition a document is; `dropped` rows are those
    that the question does not want; `said` is one sentence on the first series, or ""."""

    signals: Signals
    notes: Mapping[int, str] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    said: str = ""


class SeriesArranger:
    """Finds the series of likely documents and applies what the question wants of them."""

    def __init__(self, scorer: RouteScorer) -> None:
        self._snapshot, self._typed, plan = scorer.snapshot, scorer.typed, scorer.plan
        self._wanted = wanted = scorer.typed.wanted.edition
        self._names = list(dict.fromkeys(term.term for term in plan.terms if term.source == "entity"))
        own = dict.fromkeys(list_asked_words(plan))
        self._asked = [term for term in own if wanted is None or term not in analyse(wanted.said)]
        self._named: dict[str, Array] = {}
        self._rows: dict[int, Array] = {}
        # A named period is told apart by the typed fields; the words "as of" and "between" name one themselves.
        self._is_current_meant = wanted is None and not plan.periods

    def relatives(self, signals: Signals, allowed: Array | None) -> Array:
        """Rows of the other editions of the first documents, which their words alone may not have brought."""
        rows = [self._members(int(signals.rows[place]), allowed) for place in signals.order()[:_LOOKED_AT]]
        return np.unique(np.concatenate([np.empty(0, np.int64), *rows]))

    def arrange(self, signals: Signals, allowed: Array | None) -> Arranged:
        """The signals with the wanted editions of each series first."""
        place_of = {row: place for place, row in enumerate(signals.rows.tolist())}
        score, notes, dropped, said = signals.score.copy(), dict[int, str](), set[int](), ""
        seen: set[int] = set()
        for number, place in enumerate(signals.order()[:_LOOKED_AT]):
            row = int(signals.rows[place])
            members = [r for r in self._members(row, allowed).tolist() if r in place_of and r not in seen]
            if row in seen or score[place] <= 0:
                continue
            # What says more of the question and has no editions is none of what comes behind it.
            seen.add(row)
            if len(members) < 2 or self._is_told_by_period(members):
                continue
            seen.update(members)
            editions = [Edition.decode(int(number)) for number in self._snapshot.editions(np.array(members))]
            chosen = [members[at] for at in choose_editions(editions, self._wanted)]
            notes |= _describe_members(members, editions)
            if self._wanted is not None and (chosen or self._can_tell(editions)):
                best = float(score[place])
                for behind, each in enumerate(chosen):
                    score[place_of[each]] = best * (1 - behind * 1e-6)
                dropped |= set(members) - set(chosen)
                said = self._say(len(members), [notes[each] for each in chosen]) if number == 0 else said
            elif self._is_current_meant and chosen and len({(each.day, each.version) for each in editions}) > 1:
                _prefer_current(score, place_of, members, chosen[0])
        score[[place_of[row] for row in dropped]] = 0.0
        return Arranged(replace(signals, score=score), notes, frozenset(dropped), said)

    def _members(self, row: int, allowed: Array | None) -> Array:
        """Rows of the series of a document that bear the names of the question as it does, itself among them."""
        own = np.array([row])
        hashes = self._snapshot.series(own)[0].tolist()
        found = [rows for hashed in hashes if hashed and 1 < len(rows := self._of_series(hashed)) <= _LARGEST]
        if not found:
            return own
        members = np.unique(np.concatenate([own, *found]))
        if allowed is not None:
            members = members[np.isin(members, allowed)]
        agreed = self._typed.agree_on_names(members)
        own_agreement = agreed[:, members == row].max(axis=1, initial=0.0, keepdims=True)
        members = members[np.all(agreed >= own_agreement - _SAME_NAME, axis=0)]
        for name in self._names:
            saying = self._rows_saying(name)
            if np.isin(row, saying):
                members = members[np.isin(members, saying)]
        return self._leave_out_namesakes(row, members)

    def _leave_out_namesakes(self, row: int, members: Array) -> Array:
        """The members without those that share no more than a title such as "Price list" and speak of something else.

        A document that shares one key of a series and not the others, such as the file name, is one of it when it says
        those words of the question too that the first one says and most members do not.
        """
        keys = self._snapshot.series(np.array([row]))[0]
        keys = keys[keys != 0]
        shared = np.isin(self._snapshot.series(members), keys).sum(axis=1)
        is_loose = (shared == 1) & (len(keys) > 1) & (members != row)
        for term in self._asked if is_loose.any() else ():
            says = np.isin(members, self._rows_saying(term))
            if says[members == row].any() and says.sum() <= len(members) * _FEW_SAY:
                kept = says | ~is_loose
                members, is_loose = members[kept], is_loose[kept]
        return members

    def _rows_saying(self, name: str) -> Array:
        """Rows of the documents that say a word: one title may be that of several issuers' documents."""
        if name not in self._named:
            self._named[name] = np.unique(self._snapshot.postings(term_hash(name)).rows)
        return self._named[name]

    def _of_series(self, hashed: int) -> Array:
        if hashed not in self._rows:
            self._rows[hashed] = self._snapshot.key_postings(hashed).rows
        return self._rows[hashed]

    def _is_told_by_period(self, members: Sequence[int]) -> bool:
        """Whether a day or a stretch of time is looked up in reports, each of which covers several periods.

        They are told apart by the typed fields; a report on the next year may be the one that compares both.
        """
        if self._wanted is None or self._wanted.recency not in (Recency.AS_OF, Recency.BETWEEN):
            return False
        return bool(self._typed.is_report(np.array(members)).any())

    def _can_tell(self, editions: Sequence[Edition]) -> bool:
        """Whether editions say enough for none of them to be the wanted one: a version is named in other texts too."""
        is_named = self._wanted is not None and self._wanted.recency is Recency.NAMED
        return not is_named and any(edition.day for edition in editions)

    def _say(self, count: int, chosen: Sequence[str]) -> str:
        """One sentence on a series of so many editions, from the notes on those that are wanted."""
        assert self._wanted is not None
        asked = f"Asked for “{self._wanted.said.strip()}”"
        if self._wanted.recency is Recency.BETWEEN:
            return f"{asked}, took {len(chosen)} of {count} editions"
        return f"{asked}, took {chosen[0]}" if chosen else f"{asked}, found none of {count} editions"


def _prefer_current(score: Array, place_of: Mapping[int, int], members: Sequence[int], current: int) -> None:
    """Let the edition in force come before the others where it says nearly as much."""
    best = max(score[place_of[row]] for row in members)
    if score[place_of[current]] < _NEARLY * best:
        return
    for row in members:
        score[place_of[row]] *= _EARLIER
    score[place_of[current]] = best


def _describe_members(members: Sequence[int], editions: Sequence[Edition]) -> dict[int, str]:
    """For each document of a series which edition it is and whether a later one exists.

    Documents of one title that state no version may be reports on different things: they are told as what they are.
    """
    latest, count = list_valid(editions)[-1], len(members)
    if not any(e.version or e.amendment or e.is_withdrawn or e.is_draft for e in editions):
        dated = [f" ({edition.describe()})" if edition.day else "" for edition in editions]
        return {row: f"one of {count} documents of this kind{said}" for row, said in zip(members, dated, strict=True)}
    notes = {}
    for at, row in enumerate(members):
        edition = editions[at]
        said = f" ({edition.describe()})" if edition.describe() else ""
        if at == latest:
            notes[row] = f"the latest of {count} editions{said}"
        elif edition.is_withdrawn:
            notes[row] = f"no longer in force{said}"
        elif edition.is_draft:
            notes[row] = f"a draft{said}"
        else:
            later = editions[latest].describe()
            notes[row] = f"an earlier edition{said}" + (f", the latest is of {later}" if later else "")
    return notes


NOTHING_SAID = "no document says a word of the question; it is among those added last"
"""Why a document is on a shortlist that no word of the question brought it to."""
_POOL = 40
"""Cards scored in full for each one that is kept: a passage may lift one that its words leave behind. Of 100 facts in
running text of 1,000 like handbooks 31 come first at 4, where 200 are looked at, and all at 40; time grows with it."""
_FLAT = 0.1
"""The top is close when the first two scores differ by no more than this share of the first. Decides only whether a
model is asked in mode BALANCED."""


class DocumentRouter:
    """Routes over one immutable snapshot; any number of threads may share it.

    `model` and `cards` serve the modes BALANCED and PRECISE; without them every mode is FAST. With `open_texts` the
    first documents are looked into for the passage that says most of the question.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        config: RouterConfig | None = None,
        *,
        model: ChatModel | None = None,
        cards: CardSource | None = None,
        open_texts: OpenTexts | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.snapshot = snapshot
        self.config = config or RouterConfig()
        self._model, self._cards, self._clock = model, cards, clock
        self._open_texts = open_texts

    def upsert(self, doc_id: int, card: Card, keywords: Iterable[str] = (), *, name: str = "") -> DeltaRow:
        """The delta row that adds or replaces a document, with its links to those already there."""
        given = tuple(keywords)
        links = links_for(card, self.snapshot, doc_id=doc_id, keywords=given)
        edges = [(other, weight) for other, weight, _ in links]
        return DeltaRow(doc_id, Change.UPSERT, card_row(doc_id, card, given, name=name, edges=edges))

    def remove(self, doc_id: int) -> DeltaRow:
        """The delta row that removes a document."""
        return DeltaRow(doc_id, Change.REMOVE)

    def update_graph(self, edges: Iterable[tuple[int, int, float]]) -> list[DeltaRow]:
        """Delta rows that replace the links of each source among (source, target, weight) edges."""
        by_source: dict[int, list[tuple[int, float]]] = {}
        for source, target, weight in edges:
            by_source.setdefault(source, []).append((target, weight))
        return [DeltaRow(s, Change.EDGES, encode_edges(s, found)) for s, found in sorted(by_source.items())]

    def route(self, plan: QueryPlan, doc_ids: Sequence[int] | Array | None = None) -> RouteResult:
        """Shortlist the documents for a question; `doc_ids` (ascending) limits them, None is all."""
        allowed = self._select_allowed(doc_ids)
        found = self._route(plan, allowed, self.config)
        if found.candidates:
            return found
        everyone = self.snapshot.all_rows() if allowed is None else allowed
        return replace(found, candidates=self._list_newest(everyone, self.config.max_candidates))

    def reroute(
        self,
        plan: QueryPlan,
        *,
        gaps: Sequence[str] = (),
        read: Collection[int] = (),
        yielded: Sequence[int] = (),
        doc_ids: Sequence[int] | Array | None = None,
    ) -> RouteResult:
        """The one second pass: `gaps` (analysed words) are asked for too, documents already `read` stay out.

        The shortlist is twice as long, and neighbours of documents that `yielded` evidence
        are lifted. It never commits.
        """
        terms = (*plan.terms, *(WeightedTerm(term, 1.0, "gap") for term in gaps))
        allowed = self._select_allowed(doc_ids)
        everyone = self.snapshot.all_rows() if allowed is None else allowed
        left = np.setdiff1d(everyone, self.snapshot.rows_of(list(read)), assume_unique=True)
        doubled = replace(self.config, max_candidates=2 * self.config.max_candidates)
        result = self._route(replace(plan, terms=terms), left, doubled, yielded=yielded)
        return replace(result, committed=None)

    def _select_allowed(self, doc_ids: Sequence[int] | Array | None) -> Array | None:
        return None if doc_ids is None else np.sort(self.snapshot.rows_of(doc_ids))

    def _route(
        self, plan: QueryPlan, allowed: Array | None, config: RouterConfig, *, yielded: Sequence[int] = ()
    ) -> RouteResult:
        started = self._clock()
        considered = len(self.snapshot) if allowed is None else len(allowed)
        activated = considered > config.activate_threshold
        cut = config.max_candidates if activated else considered
        scorer = RouteScorer(self.snapshot, plan, config)
        arranged = self._arrange(scorer, allowed, activated=activated, yielded=yielded)
        signals = cover_names(arranged.signals, scorer.typed, plan.entities)
        shown = max(2 * cut, _shown_to_model(config))
        places = [place for place in signals.order() if signals.score[place] > 0 or not activated][:shown]
        ranked = Explainer(scorer, signals, arranged.notes).candidates(places)
        result = RouteResult(
            candidates=ranked,
            committed=find_committed(signals, scorer.typed.wanted, arranged.dropped),
            mode_used=RouteMode.FAST,
            activated=activated,
            index_version=self.snapshot.version,
            ambiguous=activated and is_ambiguous(ranked),
            seconds=0.0,
            considered=considered,
            edition=arranged.said,
            steering_terms=_list_steering_terms(scorer, signals, places[:1]),
            unknown_terms=self._list_unknown_terms(plan),
        )
        result = self._ask_for_order(plan, result, config)
        ranked = result.candidates
        return replace(result, candidates=ranked[:cut], tail=ranked[cut:], seconds=self._clock() - started)

    def _arrange(
        self, scorer: RouteScorer, allowed: Array | None, *, activated: bool, yielded: Sequence[int]
    ) -> Arranged:
        """Score the documents worth scoring, look into the best, and put the wanted editions first."""
        config, everyone = scorer.config, self.snapshot.all_rows() if allowed is None else allowed
        keep = max(config.bm25_top_k, config.max_candidates)
        pool = scorer.pool(_POOL * keep, allowed) if activated else everyone
        arranger = SeriesArranger(scorer)
        signals = scorer.signals(pool, yielded=yielded, allowed=allowed)
        if scorer.typed.wanted.edition is not None:
            pool = np.union1d(pool, arranger.relatives(signals, allowed))
            signals = scorer.signals(pool, yielded=yielded, allowed=allowed)
        if self._open_texts is not None and len(everyone) > 1:
            signals = scorer.with_passages(signals, self._open_texts, config.max_candidates)
        return arranger.arrange(signals, allowed)

    def _ask_for_order(self, plan: QueryPlan, result: RouteResult, config: RouterConfig) -> RouteResult:
        """The result in a model's order, where the mode asks one: always, or when the top is close; never in `fast`."""
        is_wanted = config.mode is RouteMode.PRECISE or (config.mode is RouteMode.BALANCED and result.ambiguous)
        if not is_wanted or len(result.candidates) < 2:
            return result
        if self._model is None or self._cards is None:
            return replace(result, note="No model is configured; the scores decided.")
        shown = _shown_to_model(config)
        ranked = ask_model(plan, result, shown, model=self._model, cards=self._cards, snapshot=self.snapshot)
        return replace(ranked, mode_used=RouteMode.FAST if ranked.note else config.mode)

    def _list_unknown_terms(self, plan: QueryPlan) -> tuple[str, ...]:
        terms = dict.fromkeys(token.term for token in plan.tokens if token.term)
        return tuple(term for term in terms if not self.snapshot.frequency(term_hash(term)))

    def _list_newest(self, rows: Array, most: int) -> tuple[ScoredCandidate, ...]:
        """The documents added last, where nothing tells any two apart: a question is never left without a document."""
        ids = np.sort(self.snapshot.row_ids(rows))[::-1][:most].tolist()
        return tuple(ScoredCandidate(pk, 0.0, 0.0, 0.0, 0.0, NOTHING_SAID) for pk in ids)


def _shown_to_model(config: RouterConfig) -> int:
    return min(2 * config.max_candidates, config.bm25_top_k)


def is_ambiguous(ranked: Sequence[ScoredCandidate]) -> bool:
    """Whether the scores of the first two differ by at most `_FLAT` of the first one's."""
    if len(ranked) < 2:
        return False
    first, second = ranked[0].score, ranked[1].score
    return first - second <= _FLAT * first


def _list_steering_terms(scorer: RouteScorer, signals: Signals, first: Sequence[int]) -> tuple[str, ...]:
    """Analysed words of the question that chose the first document and need not stand in its text.

    The words of the edition, the kind of document, the names it bears, and, where a kind is named, the year it is of.
    """
    if not first:
        return ()
    plan, wanted = scorer.plan, scorer.typed.wanted
    said = [wanted.edition.said] if wanted.edition is not None else []
    agreed = {name: float(values[first[0]]) for name, values in signals.parts.items()}
    if agreed.get("form", 0) > 0:
        said += [form for form in plan.forms if family_of(form) in wanted.families]
    said += scorer.typed.list_borne_names(signals.rows[list(first)])[0]
    if covers_year(agreed) and (plan.forms or wanted.edition is not None):
        said += [period.text for period in plan.periods if period.year == wanted.year]
    own = {term.term for term in plan.terms}
    return tuple(term for term in dict.fromkeys(analyse(" ".join(said))) if term in own)


def warm_up_router(plan: QueryPlan) -> None:
    """Route one question over a few made-up cards, so that a fork copies less of what routing touches first.

    Measured over 1,000 documents: a fresh fork then touches 1,140 pages of memory instead of 1,300 and takes 9.6 ms of
    the processor in the median instead of 10.9.
    """
    cards = [Card(title=f"Report {year}", overview="Revenue.", topic_tags=("revenue",)) for year in range(2020, 2026)]
    rows = [card_row(number, card) for number, card in enumerate(cards, start=1)]
    words = {number: encode_words({"revenu": (2, 3), "report": (1, 1)}) for number in range(1, len(cards) + 1)}
    block = WordBlock.open(WordBlock.empty().with_lists(words))
    snapshot = Snapshot.open(build_snapshot(rows)).with_words(WordIndex([block]))
    DocumentRouter(snapshot, RouterConfig(activate_threshold=0)).route(plan)


@dataclass(frozen=True, slots=True)
class CardedDocument:
    """A document to be indexed: its number, the name of its file, its title, its card, and its text where it is had."""

    number: int
    name: str
    title: str
    card: Card
    text: CompiledDocument | None


def index_documents(documents: Collection[CardedDocument], *, version: str = "1") -> Snapshot:
    """The snapshot that a router of these documents looks into; words of a single one are not needed to choose it."""
    rows, blocks = [], dict[int, dict[int, bytes]]()
    for one in documents:
        head = read_head(one.text) if one.text is not None else ""
        edition = read_edition(title=one.title, name=one.name, card=one.card, head=head)
        rows.append(card_row(one.number, one.card, name=one.name, edition=edition))
        if len(documents) > 1:
            words = spread_words(Segment(one.text.segment)) if one.text is not None else {}
            blocks.setdefault(block_of(one.number), {})[one.number] = encode_words(words)
    held = [WordBlock.open(WordBlock.empty().with_lists(lists)) for lists in blocks.values()]
    snapshot = Snapshot.open(build_snapshot(rows), version=version).with_words(WordIndex(held))
    links = [
        (one.number, other, weight)
        for one in documents
        for other, weight, _ in links_for(one.card, snapshot, doc_id=one.number)
    ]
    return snapshot.with_changes(DocumentRouter(snapshot).update_graph(links))
