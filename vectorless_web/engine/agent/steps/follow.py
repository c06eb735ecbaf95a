"""Leads: what one document says that takes the question on to another, and the ROUTE step that goes there.

A contract names the supplier whose own sheet has the rate; a policy says that a schedule holds the amounts. The words
of the question that the sentence settles give way to the name it gives; the rest is asked of the document of that name.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.agent.context.outline import join_names, shorten_title
from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry, Selected, entries_of, foreign_names
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.limits import Place
from vectorless_web.engine.agent.steps.extract import place_words
from vectorless_web.engine.agent.steps.route import Routing, Shortlist, route_step
from vectorless_web.engine.agent.walk import ANSWER_FACTOR, STEP_COST, Lead, RunState, Walk
from vectorless_web.engine.answers.claims import DraftQuote
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.questions.each import drop_it
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import entities_in, understand
from vectorless_web.engine.text.analyser import analyse, words

MOST_LEADS = 2
"""Leads that one run follows, one after the other: a contract names a firm, and the firm's sheet an annex."""

ROUTED = 4
"""Names that the router is asked for before a run gives up finding a lead; each takes some ten milliseconds."""

SENTENCES = 12
"""Sentences of the documents read among which leads are looked for, those that say most of the question."""

OPENED = 2
"""Documents opened for one lead: a firm may have a sheet of this year and one of the year before."""

LEAST_TITLE = 0.75
"""Share of a title's words by which a sentence speaks of that document: it may leave out "the" year or "final"."""

QUOTE_SHOWN = 160
"""Characters of the sentence that the step tells."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    walk: Walk
    quote: DraftQuote
    page_index: int
    score: float


@dataclass(frozen=True, slots=True)
class Further:
    """Documents to walk once more, with what is asked there, and the ROUTE step that says why."""

    plan: QueryPlan
    chosen: tuple[Selected, ...]
    step: StepEvent
    lead: Lead | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """Takes a question on to further documents by what the answer lacks once it was checked."""

    corpus: Corpus
    routing: Routing

    def is_possible(self, run: RunState, *, by_model: bool) -> bool:
        """Whether there are other documents, and leads, steps, time and tokens left to read one of them."""
        if len(run.leads) >= MOST_LEADS or run.each is not None or len(self.corpus.entries()) < 2:
            return False
        if by_model and run.tokens_left() < ANSWER_FACTOR * run.limits.token_budget + STEP_COST:
            return False
        return run.may_go_on(Place(0, 1 + len(run.leads)))

    def find(
        self,
        run: RunState,
        plan: QueryPlan,
        *,
        unmet: Sequence[str],
        cited: Collection[tuple[str, int]],
        by_model: bool,
    ) -> Further | None:
        """Where to go on: by a lead, else for a model to documents that speak of what it found missing (`unmet`).

        Only sentences of the nodes `cited` are taken for leads where there are any.
        """
        lead = find_lead(run, plan, self.corpus, self.routing, cited)
        if lead is not None:
            run.leads.append(lead)
            chosen, step = follow_step(run, self.corpus, lead, unmet)
            asked = lead.plan
            if by_model:
                told = " ".join(lead.quote.quote.split())[:QUOTE_SHOWN]
                asked = replace(asked, question=f"{plan.question} ({lead.title} says: “{told}”)")
            return Further(asked, tuple(chosen), step, lead) if chosen else None
        if not by_model or not unmet or run.is_rerouted:
            return None
        run.is_rerouted = True
        found, step = route_step(run, plan, self.corpus, self.routing, unmet=unmet)
        return Further(plan, tuple(found[:OPENED]), step) if found else None


def find_lead(
    run: RunState, plan: QueryPlan, corpus: Corpus, routing: Routing, cited: Collection[tuple[str, int]] = ()
) -> Lead | None:
    """The likeliest lead among the sentences read that no lead of this run was taken from; None without any."""
    left = ROUTED
    for sentence in _rank_sentences(run, plan, cited):
        for name, is_place in _list_names(sentence, plan):
            if any(lead.name == name for lead in run.leads):
                continue
            question = _ask_on(run, plan, sentence, name, is_place=is_place)
            if not question:
                continue
            if left == 0:
                return None
            left -= 1
            asked = understand(question, lexicon=run.lexicon, expand=run.expand)
            # Nothing but its name may tell the place that is pointed to from others of its kind.
            sought = understand(f"{question} {name}", lexicon=run.lexicon) if is_place else asked
            shortlist = replace(routing, model=None).first(sought, corpus)
            targets = _find_targets(corpus, shortlist, name, sentence.quote, is_place=is_place)
            if targets:
                title = sentence.walk.entry.title or sentence.walk.entry.name
                before = next((lead.chain for lead in run.leads if lead.plan is sentence.walk.plan), ())
                return Lead(sentence.quote, sentence.page_index, title, name, asked, tuple(targets), before, is_place)
    return None


def follow_step(run: RunState, corpus: Corpus, lead: Lead, unmet: Sequence[str]) -> tuple[list[Selected], StepEvent]:
    """Open the documents that a lead goes to; `unmet` says what the answer lacked before."""
    started = run.clock()
    entries = entries_of(corpus, lead.targets)
    because = f"{shorten_title(lead.title)} names it"
    chosen = [Selected(entries[name], 1.0, because) for name in lead.targets if name in entries]
    chosen = [selected for selected in chosen if _is_readable(corpus, selected.entry)][:OPENED]
    names = join_names([shorten_title(selected.entry.title or selected.entry.name) for selected in chosen])
    said = " ".join(lead.quote.quote.split())
    said = said if len(said) <= QUOTE_SHOWN else f"{said[:QUOTE_SHOWN].rsplit(' ', 1)[0]}…"
    page = lead.page_index + 1
    walk = next(walk for walk in run.walks if walk.entry.id == lead.quote.document)
    return chosen, StepEvent(
        walk=0,
        index=0,
        kind=StepKind.ROUTE,
        say=f"Followed what {shorten_title(lead.title)} says on p. {page}: opened {names or 'no document'}",
        thought=f"“{said}” So this is asked there: {lead.plan.question}",
        action="follow",
        arguments={"query": lead.plan.focus, "again": True, "name": lead.name, "unmet": list(unmet)},
        observation={
            "considered": len(corpus.entries()),
            "led_by": {
                "document": lead.quote.document,
                "title": lead.title,
                "key": lead.quote.key,
                "page": page,
                "quote": lead.quote.quote,
            },
            "asked": lead.plan.question,
            "shortlist": [
                {
                    "document": selected.entry.id,
                    "title": selected.entry.title or selected.entry.name,
                    "pages": selected.entry.pages,
                    "score": selected.score,
                    "reason": because,
                }
                for selected in chosen
            ],
            "missed": [],
        },
        refs=(walk.ref(lead.quote.key, "read"),),
        latency_ms=(run.clock() - started) * 1000,
    )


def _is_readable(corpus: Corpus, entry: DocumentEntry) -> bool:
    try:
        corpus.open(entry.id)
    except ArtefactDamaged:
        return False
    return True


def _rank_sentences(run: RunState, plan: QueryPlan, cited: Collection[tuple[str, int]]) -> list[_Sentence]:
    """Sentences that steps brought and that say something of the question beyond their title, best first.

    A title counts to the share: what a document says that the question is about comes first.
    """
    # A document to which a lead went was perhaps walked before: the later walk knows what led there.
    latest = {walk.entry.id: walk for walk in run.walks}
    found = [sentence for walk in latest.values() for sentence in _list_sentences(walk, plan)]
    found = [one for one in found if not cited or (one.quote.document, one.quote.key) in cited]
    found.sort(key=lambda one: (-round(one.score, 6), one.walk.number, one.quote.key, one.quote.start))
    return found[:SENTENCES]


def _list_sentences(walk: Walk, plan: QueryPlan) -> Iterator[_Sentence]:
    tree = walk.document.tree
    asked = {term.term for term in plan.terms if term.source in ("question", "entity")}
    titled = set(analyse(walk.document.title))
    for key in walk.opened:
        if tree.kind(key) in (NodeKind.SECTION, NodeKind.DOCUMENT):
            continue
        where = place_words(walk, key)
        for piece in walk.text_reader.pieces(key):
            said = set(analyse(f"{piece.text} {where}"))
            if (asked & said) - titled:
                weight = sum(1.0 for term in asked & (said | titled))
                share = weight / len(asked)
                quote = DraftQuote(walk.entry.id, key, piece.text, piece.start, where)
                yield _Sentence(walk, quote, tree.node(key).page_start, share)


_CELLS = re.compile(r"[\t|;]|:\s")
_POINTS = re.compile(
    r"\b(?:(?:set|laid|spelt|spelled)\s+(?:out|forth|down)|described|stated|listed|given|provided|specified|detailed"
    r"|defined|governed|regulated|covered|contained|shown|found|see|refer(?:s|red)?\s+to|according\s+to|applies|apply)\s+"
    r"(?:separately\s+)?(?:(?:in|by|under|at|on|to)\s+)?(?:(?:the|our|its|this|their)\s+)?(?P<place>[^.;:()]{4,80})",
    re.IGNORECASE,
)


def _list_names(sentence: _Sentence, plan: QueryPlan) -> list[tuple[str, bool]]:
    """Names that a sentence gives and the question does not know, and whether each is the place it points to."""
    known = set(analyse(f"{plan.question} {sentence.walk.document.title}"))
    text = sentence.quote.quote
    places = [match["place"].strip() for match in _POINTS.finditer(text)]
    names = [name for cell in _CELLS.split(text) for name in entities_in(cell)]
    asked = set(analyse(plan.focus)) - set(analyse(sentence.walk.document.title))
    names = _take_nearest(text, [name for name in names if set(analyse(name)) - known], asked)
    found = [(place, True) for place in places if set(analyse(place)) - known] + [(name, False) for name in names]
    return list(dict.fromkeys(found))


_BETWEEN = re.compile(r"\band\b|[;\n]", re.IGNORECASE)
APART = 40
"""Characters that "and" between a name and a word count for: "the owner, Harbour Trust, and the contractor, ..."."""


def _take_nearest(text: str, names: Sequence[str], asked: set[str]) -> list[str]:
    """Of several names the one that stands nearest to a word of the question: it says who bears it."""
    own = {term for name in names for term in analyse(name)}
    spots = [(word.start, word.end) for word in words(text) if (asked - own) & set(analyse(word.text))]
    if len(names) < 2 or not spots:
        return list(names)

    def measure(name: str) -> int:
        start = text.find(name)
        gaps = [(end, start) if end <= start else (start + len(name), first) for first, end in spots]
        return min(right - left + APART * len(_BETWEEN.findall(text[left:right])) for left, right in gaps)

    return [min(names, key=measure)]


def _find_targets(corpus: Corpus, shortlist: Shortlist, name: str, source: DraftQuote, *, is_place: bool) -> list[str]:
    """Documents of a shortlist that are called by a name or about it; else those whose best passage says it.

    A copy or another version of the document that gives the name says no more than that one.
    """
    names = [document for document in shortlist.names if document != source.document]
    entries = entries_of(corpus, [source.document, *names])
    own = entries.get(source.document)
    known = [document for document in names if document in entries and not _is_version(entries[document], own)]
    called = [document for document in known if _is_called(corpus, entries[document], name, is_place=is_place)]
    if called or is_place:
        return called[:OPENED]
    said = {document: shortlist.passages.get(document, (0, 0, ""))[2] for document in known}
    news = [document for document in known if " ".join(source.quote.split()) != said[document]]
    return [document for document in news if name.casefold() in said[document].casefold()][:OPENED]


def _is_version(entry: DocumentEntry, other: DocumentEntry | None) -> bool:
    """Whether two documents' titles differ in numbers alone: one year's report is no lead from another year's."""
    return other is not None and _title_without_numbers(entry) == _title_without_numbers(other) != ""


def _title_without_numbers(entry: DocumentEntry) -> str:
    return " ".join(re.sub(r"\d+", " ", entry.title).casefold().split())


def _is_called(corpus: Corpus, entry: DocumentEntry, name: str, *, is_place: bool) -> bool:
    title = {term for term in analyse(entry.title or entry.name) if not term.isdigit()}
    told = set(analyse(name))
    if len(title) > 1 and len(title & told) >= LEAST_TITLE * len(title):
        return True
    if is_place:
        return False
    # The plan is a vessel for the one name.
    return not foreign_names(replace(understand(""), entities=(name,)), entry, corpus.card(entry.id))


_ARTICLES = frozenset({"the", "a", "an", "its", "our", "their", "this", "that"})
_RELATIVES = frozenset({"that", "which", "who", "whom", "whose"})
_LINKING = frozenset(
    """of in under for by at on with to from as per named mentioned stated given listed specified described called
    referred chosen appointed used hired""".split()  # noqa: SIM905
)
"""Words that join a name to what is said of it, and go with it."""
_JOINING = _LINKING | _ARTICLES


def _ask_on(run: RunState, plan: QueryPlan, sentence: _Sentence, name: str, *, is_place: bool) -> str:
    """What is left to be asked of the document of that name; "" when the sentence settles nothing or everything.

    Of a place that the sentence points to the whole question is asked, without the document that points there.
    """
    led_from = {lead.quote.document for lead in run.leads if lead.plan is sentence.walk.plan}
    told_by = [walk.document.title for walk in run.walks if walk is sentence.walk or walk.entry.id in led_from]
    titles = set(analyse(" ".join(told_by)))
    if is_place:
        own = titles - set(analyse(sentence.quote.quote)) or titles
        return drop_it(put_name(plan.focus, own, "it")) or plan.focus
    told = set(analyse(sentence.quote.quote)) - titles
    if not told & set(analyse(plan.focus)):
        return ""
    if _named_in(plan.focus) & told:
        # What the question calls by its name is not what stands under another name beside it.
        return ""
    earlier = next((lead for lead in run.leads if lead.plan is sentence.walk.plan), None)
    settled = {term for quote in earlier.chain for term in analyse(quote.quote)} if earlier else set()
    return put_name(plan.focus, told | titles | settled, name)


def _named_in(question: str) -> set[str]:
    """The terms of words with a capital within a question: names of things, of which there are several of a kind."""
    return {term for word in words(question)[1:] if word.text[:1].isupper() for term in analyse(word.text)}


def put_name(question: str, told: set[str], name: str) -> str:
    """The question with the words that are `told` (analysed) put into one name; "" when nothing else is left.

    "the rate of the contractor under the lift contract" and Boreal Lifts give "the rate of Boreal Lifts". Without a
    name the words are left out.
    """
    found = words(question)
    kinds = [_kind_of(word.text, told) for word in found]
    if "told" not in kinds:
        return question if not name else ""
    if "kept" not in kinds:
        return ""
    pieces, at, is_put = list[str](), 0, not name
    for first, last in _list_runs([word.text for word in found], kinds):
        begin = first
        while is_put and begin > 0 and kinds[begin - 1] != "kept" and found[begin - 1].text.casefold() in _JOINING:
            begin -= 1
        before = question[at : found[begin].start]
        pieces.append(before if is_put else f"{before}{name}")
        at, is_put = found[last].end, True
    text = " ".join("".join([*pieces, question[at:]]).split())
    return re.sub(r"\s+([?.,;:!])", r"\1", text)


def _kind_of(word: str, told: set[str]) -> str:
    terms = analyse(word)
    return "stop" if not terms else "told" if set(terms) <= told else "link" if word.casefold() in _LINKING else "kept"


def _list_runs(texts: Sequence[str], kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last place of each run of told words with the small words between, its article and "the firm that"."""
    at = 0
    while at < len(kinds):
        if kinds[at] != "told":
            at += 1
            continue
        first = last = at
        while at < len(kinds) and kinds[at] != "kept":
            last = at if kinds[at] == "told" else last
            at += 1
        first = _begin_of_run(texts, kinds, first)
        yield first, last


def _begin_of_run(texts: Sequence[str], kinds: Sequence[str], first: int) -> int:
    if first > 1 and texts[first - 1].casefold() in _RELATIVES and kinds[first - 2] == "kept":
        first -= 2
    while first > 0 and texts[first - 1].casefold() in _ARTICLES and kinds[first - 1] == "stop":
        first -= 1
    return first
