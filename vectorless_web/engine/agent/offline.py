"""A run without a model: scan and search the documents, rank their passages, work out a figure where it is exact."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

from vectorless_web.engine.agent.events import (
    Outcome,
    ReasoningEvent,
    Rejected,
    StepEvent,
    StepKind,
    StepResult,
)
from vectorless_web.engine.agent.routing import Routed
from vectorless_web.engine.agent.search import LISTED, NAMED, find_gate, pack_passages, rank_documents, search_document
from vectorless_web.engine.agent.state import OUTSIDE_WALK, RunState
from vectorless_web.engine.agent.wording import join_names, say_count, say_pages, shorten_title
from vectorless_web.engine.answers.claims import Calculation, ClaimEvent, Maker, Operand, Support, Verdict
from vectorless_web.engine.answers.quotes import QuotePlace, Quotes
from vectorless_web.engine.finding.navigation.search import RankedNode
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.passages.find import Passage, list_absent
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.tables.worked import WorkedFigure, amount_words, find_worked_figure, rank_tables

MOST_PASSAGES = 10
"""Passages shown at most; the page says "up to ten"."""
RANKED = 40
"""Passages ranked before the router's word on their documents is counted; the best MOST_PASSAGES of them are shown."""
ROUTE_WEIGHT = 3.0
"""What the router's score of a document, as a share of its best one, adds to the scores of the document's passages.
Measured over 22 documents (88 everyday questions): the right document first 61 times, 54 at 0, 59 at 2, 64 at 8; the
sentence lit among the first five .53, .47, .51, .53. Questions that name none (149 of PolicyQA) hardly change."""
REACHED_WEIGHT = 1.0
"""What the best section that a search entered adds to the passages in it, unless meaning ranks them too. Measured as
above, at 0, 1, 2: the sentence lit among the first five .49, .50, .49, the passage shown .53, .57, .56."""
PROMISING = 0.6
"""Share of the best part's score from which another part is named promising. Affects the sentence of SCAN alone."""
WITHOUT_SEARCHES = 3
"""Steps of a run that are no search of a tree: SCAN, RETRIEVE, EXTRACT. They are taken however few a person allows."""


class OfflineRun:
    """What an offline run was given and what its steps have found so far."""

    def __init__(self, state: RunState, plan: QueryPlan, routed: Routed) -> None:
        self.state, self.plan, self.routed = state, plan, routed
        documents = {name: state.corpus.open(name) for name in routed.ids}
        self.scorers = {name: DocumentScorer(one, plan) for name, one in documents.items()}
        self.entries = {document.id: document.entry for document in routed.documents}
        self.holding: list[str] = []
        """Documents in which a word of the question is, best first: only these are searched and shown."""
        self.reached: dict[str, tuple[RankedNode, ...]] = {}
        """The sections of each document that a search of its tree entered."""
        self.checked: list[Rejected] = []
        self.passages: tuple[Passage, ...] = ()
        self.figure: WorkedFigure | None = None
        self.unknown: tuple[str, ...] = ()


def run_offline(state: RunState, plan: QueryPlan, routed: Routed, *, note: str = "") -> Iterator[ReasoningEvent]:
    """The steps after ROUTE and the end of a run that asks no model. What no step opened is not shown.

    `note` says why a model that was to be asked is not.
    """
    run = OfflineRun(state, plan, routed)
    if run.scorers and state.may_step():
        yield scan_parts(run)
    for name in run.holding[: max(0, state.limits.max_steps - WITHOUT_SEARCHES)]:
        if state.may_step():
            yield search_tree(run, name)
    for step in (retrieve_passages, extract_figure):
        if run.holding and state.may_step():
            yield step(run)
    state.stop_if_asked()
    yield from finish(run, note)


def scan_parts(run: OfflineRun) -> StepEvent:
    """SCAN: which parts of the opened documents hold words of the question, and which words stand nowhere."""
    state = run.state
    opened = {name: scorer.document for name, scorer in run.scorers.items()}
    run.unknown = run.routed.keep_unknown(list_absent([run.plan], opened))
    parts = [part for name in run.scorers for part in _list_parts(run, name)]
    holding, lacking = [part for part in parts if part.score > 0], [part for part in parts if part.score <= 0]
    run.holding = [name for name in run.scorers if any(part.document == name for part in holding)]
    most = max((part.score for part in holding), default=0.0)
    promising = sorted((p for p in holding if p.score >= PROMISING * most), key=lambda p: (-round(p.score, 9), p.key))
    named = [f"{shorten_title(part.title)} ({part.pages})" for part in promising[:NAMED]]
    looks = f"{join_names(named)} {'looks' if len(named) == 1 else 'look'} most promising"
    say = f"Looked over {say_count(len(parts), 'part')} of {say_count(len(run.scorers), 'document')}; "
    rows = [{**asdict(part), "score": round(part.score, 4), "promising": part in promising} for part in parts[:LISTED]]
    looked, passed = (
        [state.refer(part.document, [part.key], "looked")[0] for part in some[:LISTED]] for some in (holding, lacking)
    )
    result = StepResult(
        say + (looks if named else "none holds a word of the question"),
        {"parts": rows, "not_listed": max(0, len(parts) - LISTED), "unknown_words": list(run.unknown)},
        tuple(looked),
        tuple(
            Rejected(part.title, "none of the question's words stand in it", ref)
            for part, ref in zip(lacking, passed, strict=False)
        ),
        documents=tuple(run.scorers),
    )
    return state.make_step(StepKind.SCAN, result)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document right below its root. `score` in [0, 1] is that of its best node."""

    document: str
    key: int
    title: str
    pages: str
    tokens: int
    score: float


def _list_parts(run: OfflineRun, name: str) -> list[Part]:
    tree, scorer = run.scorers[name].document.tree, run.scorers[name]
    parts = []
    for node in map(tree.node, tree.child_sections(0) or tree.children(0)):
        title, score = node.title or shorten_title(node.text), scorer.evidence(node.key).best_score
        parts.append(Part(name, node.key, title, say_pages(node.page_start, node.page_end), node.token_count, score))
    return parts


def search_tree(run: OfflineRun, name: str) -> StepEvent:
    """NAVIGATE: search one document's tree, guided by the pilot that asks no model."""
    told, result = search_document(run.state, run.entries[name], run.scorers[name])
    run.reached[name] = told.ranked
    run.checked += result.rejected[:NAMED]
    return run.state.make_step(StepKind.NAVIGATE, result)


def retrieve_passages(run: OfflineRun) -> StepEvent:
    """RETRIEVE: the passages of all searched documents that come closest, ranked together."""
    state = run.state
    documents = {name: run.scorers[name].document for name in run.holding}
    found = rank_documents(state, run.plan, documents, most=RANKED)
    near = state.find_near(run.plan.question, list(documents))
    if near.cosines:
        run.reached.clear()  # A search of a tree knows words alone.
    scored = [(passage, passage.score + _weigh_place(run, passage)) for passage in found]
    scored.sort(key=lambda pair: -pair[1])
    run.passages, account = pack_passages(state, run.plan, documents, scored, most=MOST_PASSAGES)
    state.found = run.passages
    rows = [
        {
            "document": passage.document,
            "key": passage.key,
            "page": passage.page_index,
            "lit": [passage.start, passage.end],
            "score": round(passage.score, 4),
            "cosine": near.cosines.get(passage.document, {}).get(passage.key, 0.0),
            "holds": list(passage.holds),
            "lacks": list(passage.lacks),
        }
        for passage in run.passages
    ]
    pages = dict.fromkeys((run.entries[passage.document].called, passage.page_index) for passage in run.passages)
    told = [f"{shorten_title(title)}, p. {page + 1}" for title, page in list(pages)[:NAMED]]
    say = f"Ranked passages and kept {say_count(len(run.passages), 'passage')}"
    result = StepResult(
        say + (f"; the closest stand in {join_names(told)}" if told else ""),
        {"passages": rows, "retrieval": [account], **near.as_observation()},
        tuple(ref for passage in run.passages for ref in state.refer(passage.document, [passage.key], "read")),
        documents=tuple(documents),
    )
    return state.make_step(StepKind.RETRIEVE, result)


def _weigh_place(run: OfflineRun, passage: Passage) -> float:
    """What the router's score of a passage's document, and the section that it is in, add to its own score."""
    scores = {document.id: document.score for document in run.routed.documents}
    share = scores[passage.document] / (max(scores.values()) or 1.0)
    above = {passage.key, *run.scorers[passage.document].document.tree.ancestors(passage.key)}
    reached = max((n.score for n in run.reached.get(passage.document, ()) if n.key in above), default=0.0)
    return ROUTE_WEIGHT * share + REACHED_WEIGHT * reached


def extract_figure(run: OfflineRun) -> StepEvent:
    """EXTRACT: look a figure up in the best-ranked tables, or work it out of their cells, where that is exact."""
    state, sources = run.state, []
    for name in run.holding:
        scorer = run.scorers[name]
        gate = find_gate(state.settings, {name: scorer.document})
        sources.append(rank_tables(scorer, name, title=run.entries[name].called, is_let=gate and partial(gate, name)))
    run.figure = figure = find_worked_figure(run.plan, sources)
    tables = [[source.document, view.node.key] for source in sources for view in source.tables]
    found = f"worked out {figure.value}" if figure else "no figure answers the question exactly"
    result = StepResult(
        f"Read {say_count(len(tables), 'table')}; {found}",
        {"tables": tables, "maker": figure.maker if figure else "", "value": figure.value if figure else ""},
        tuple(ref for q in (figure.quotes if figure else ()) for ref in state.refer(q.document, [q.key], "read")),
        documents=tuple(run.holding),
    )
    return state.make_step(StepKind.EXTRACT, result)


def finish(run: OfflineRun, note: str) -> Iterator[ReasoningEvent]:
    """The worked figure as a claim, FINALIZE, and the end with the passages."""
    state, figure = run.state, run.figure
    claim = state_figure(figure, Quotes(state.corpus.open)) if figure else None
    if claim is not None:
        yield claim
    shown = Quotes(state.corpus.open, first=1 + len(claim.citations) if claim else 1)
    passages = tuple(shown.cite_passage(passage) for passage in run.passages)
    outcome, reason = _conclude(run)
    result = StepResult(reason, {"outcome": outcome.value, "passages": len(passages)})
    yield state.make_step(StepKind.FINALIZE, result, walk=OUTSIDE_WALK)
    yield state.make_end(
        outcome,
        reason,
        answer=claim.text + "".join(f"[{cited.marker}]" for cited in claim.citations) if claim else "",
        value=figure.value if figure else "",
        verdict=Verdict.EXACT if claim else None,
        grounded=claim is not None,
        checked=tuple(run.checked) if outcome is Outcome.NOT_FOUND else (),
        passages=passages,
        # Every word of the question is accounted for by a figure, perhaps by a concept in other words.
        unknown_words=() if claim else run.unknown,
        note=note,
    )


def _conclude(run: OfflineRun) -> tuple[Outcome, str]:
    if run.figure is not None:
        return Outcome.ANSWERED, f"The figure {'was worked out' if run.figure.calculation else 'stands in a table'}"
    if run.passages:
        return Outcome.PASSAGES, "These passages come closest."
    if run.state.settings.has_filters:
        return Outcome.NOT_FOUND, "Nothing that the filters of this question let through holds a word of it."
    return Outcome.NOT_FOUND, "No word of the question stands in the documents that were opened."


def state_figure(figure: WorkedFigure, quotes: Quotes) -> ClaimEvent:
    """A worked figure as a checked claim: its rows cited, its operands each with the marker of its row."""
    cited = [quotes.cite(QuotePlace(quote.document, quote.key, quote.start, quote.end)) for quote in figure.quotes]
    working = figure.calculation
    operands = tuple(
        Operand(each.label, amount_words(each.value, each.unit, each.scale), each.unit, cited[each.quote].marker)
        for each in (working.operands if working else ())
    )
    return ClaimEvent(
        order=0,
        text=figure.sentence[:1].upper() + figure.sentence[1:],
        state="checked",
        support=Support.DERIVED if working else Support.SUPPORTED,
        citations=tuple(dict.fromkeys(cited)),
        calculation=Calculation(working.told, operands, working.result, working.unit) if working else None,
        maker=Maker(figure.maker),
    )
