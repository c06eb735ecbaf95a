"""From a question to a query plan, without a model: the only place that reads the question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from vectorless_web.engine.questions.asked import (
    choose_words,
    find_entities,
    find_periods,
    remove_repeats,
    years_between,
)
from vectorless_web.engine.questions.editions import DocumentsAsked, find_documents_asked
from vectorless_web.engine.questions.formulas import blank_out, figures_of, formula_of, name_ratio, read_formula
from vectorless_web.engine.questions.lexicon import (
    WORKSPACE_PACK,
    Concept,
    Lexicon,
    Match,
    PhraseIndex,
    Ratio,
    RatioOperand,
    StatementKind,
    default_lexicon,
    read_pack,
    read_words,
)
from vectorless_web.engine.questions.plan import (
    FigureNeed,
    Formula,
    Period,
    Phrase,
    QueryPlan,
    Token,
    UnitRequest,
    WeightedTerm,
)
from vectorless_web.engine.text.analyser import analyse, word_terms, words
from vectorless_web.engine.text.numbers import LEADS, PLACES, WHOLE, UnitMention, number_word, units_in

Span = tuple[int, int]


_PLACES = re.compile(
    rf"(?P<count>\w+)\s+(?:{choose_words(PLACES)})\b|\b(?P<whole>{choose_words(WHOLE)})\b", re.IGNORECASE
)
_BEHIND_NUMBER = re.compile(r"\d[\s\-]?$")
_BETWEEN = re.compile(r"[\s\-]*(?:\w{2}\s+)?")
"""Between the words of one unit: nothing but white space and one small word ("millions of dollars")."""
_LAST_WORD = re.compile(r"([^\W\d_]+)\W*(?:\w{3}\s+)?$|\($")


def find_asked_unit(text: str) -> tuple[UnitRequest | None, tuple[Span, ...]]:
    """The unit, scale and rounding asked for and where they stand; None when the question leaves them open.

    Percent is asked for wherever it does not stand behind a number. A scale or currency is when a lead ("in", "as")
    or a bracket is before it; behind a number it belongs to that number.
    """
    mentions = [mention for mention in units_in(text) if not _BEHIND_NUMBER.search(text, 0, mention.start)]
    percent = [mention for mention in mentions if mention.is_percent]
    money = _find_led_run(text, [mention for mention in mentions if mention.scale != 1 or mention.currency])
    places = _PLACES.search(text)
    decimals = (0 if places["whole"] else number_word(places["count"])) if places else None
    if not (percent or money or decimals is not None):
        return None, ()
    scale = next((float(mention.scale) for mention in money if mention.scale != 1), None)
    currency = next((mention.currency for mention in money if mention.currency), "")
    spans = [(_find_begin(text, mention, mentions), mention.end) for mention in (*percent, *money)]
    told = [text[money[0].start : money[-1].end]] if money else []
    if places and decimals is not None:
        spans.append(places.span())
        told.append(places.group())
    return UnitRequest(scale, currency, bool(percent), decimals, "; ".join(told)), tuple(spans)


def _find_begin(text: str, mention: UnitMention, mentions: Sequence[UnitMention]) -> int:
    """Where the words of a unit begin: with another unit's name right before it, as in "units of percent"."""
    before = (m for m in mentions if m.measure and m.end < mention.start)
    return next((m.start for m in before if _BETWEEN.fullmatch(text, m.end, mention.start)), mention.start)


def _find_led_run(text: str, mentions: Sequence[UnitMention]) -> list[UnitMention]:
    """The first mentions beside one another that a lead or a bracket introduces: "in USD millions"."""
    for place, mention in enumerate(mentions):
        before = _LAST_WORD.search(text, 0, mention.start)
        if before is None or (before[1] or "in").lower() not in LEADS:
            continue
        run = [mention]
        for following in mentions[place + 1 :]:
            if not _BETWEEN.fullmatch(text, run[-1].end, following.start):
                break
            run.append(following)
        return run
    return []


EXPANSION = 0.7
"""Weight of a term that is in all phrases of a concept; in few of them it weighs less, by the root of its share.
Measured on the 65 questions of filings: 0.35 loses 2 hits at 10, 1.0 one at 3."""
LEAST = 0.12
"""Weight below which an expanded term is left out: it is in few of many phrases. Measured likewise: 0.06 changes
nothing, 0.24 loses 2 questions whose gold pages are all among the first 10."""
_GENERAL = 0.5
"""Share of that weight for concepts of the general pack, whose wordings are common words. Measured likewise: 0.25 and
1.0 change 17 and 16 orders and at most one hit at 3."""
_PHRASE_WEIGHT = 0.7
"""Weight of the documents' wordings as phrases, where the question's own weighs 1. Measured likewise: 0.35 loses 1 hit
at 1, 1.0 gains one."""
_ASKING_WEIGHT = 0.3
"""Weight of words that only ask or tell the unit wanted, which a text need not say. Measured likewise: 0.15 and 0.6
lose 1 hit at 3."""
_BACKGROUND_WEIGHT = 0.5
"""Weight of words that stand only beside the sentence with the question mark: orders, definitions, the case told."""
_SENTENCE = re.compile(r"\S.*?(?:[.?!](?=\s|$)|[。？！]|$)", re.DOTALL)
_LIGHT_ROLES = frozenset({"asking", "unit"})
_OVER_ALL = frozenset({"average", "sum"})
"""Operations over every year of a range, where others need its ends alone."""


def understand(question: str, *, lexicon: Lexicon | None = None, expand: bool = True) -> QueryPlan:
    """Read a question into a plan. Without `expand` the plan holds the question's own terms only (figures stay).

    `lexicon` defaults to the packs shipped with the product. Any text gives a plan; an empty one gives a plan without
    terms.
    """
    known = lexicon or default_lexicon()
    reading = _read(question, known)
    periods = _choose_periods(reading, question)
    formula, figures = _find_figures(question, known, reading, periods)
    required = [need for need in figures if not need.optional]
    concepts = _list_concepts(known, reading.matches, required)
    tokens = _make_tokens(question, reading)
    added = concepts if expand else ()
    named = [entry.name for match in reading.matches for entry in match.entries if isinstance(entry, StatementKind)]
    steering = {token.term for token in tokens if token.role == "steering"}
    return QueryPlan(
        question=question,
        terms=_weigh_terms(tokens, [span for span, _ in reading.periods], _find_background(question), added),
        phrases=_list_phrases(reading.matches, added),
        concepts=tuple(
            dict.fromkeys([*(match.text.lower() for match in reading.matches), *(c.name for c in concepts)])
        ),
        entities=tuple(dict.fromkeys(question[start:end] for start, end in reading.names)),
        periods=periods,
        unit=reading.unit,
        statements=tuple(dict.fromkeys([*named, *(need.statement for need in required if need.statement)])),
        sections=tuple(dict.fromkeys(section for concept in concepts for section in concept.sections)),
        forms=reading.documents.forms,
        figures=figures,
        formula=formula,
        tokens=tokens,
        operation=reading.operation,
        steering=frozenset(steering - {token.term for token in tokens if token.role != "steering"}),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What stands where in a question: each kind of knowledge with the characters it takes."""

    periods: tuple[tuple[Span, Period], ...]
    unit: UnitRequest | None
    unit_spans: tuple[Span, ...]
    documents: DocumentsAsked
    matches: tuple[Match, ...]
    names: tuple[Span, ...]
    operation: str
    operation_spans: tuple[Span, ...]
    operations: frozenset[str]
    """All operations named, chosen or not."""


def _read(question: str, lexicon: Lexicon) -> _Reading:
    """Each stretch belongs to one reader: periods first, then kinds of document, concepts, names, operations."""
    periods = tuple(((mention.start, mention.end), mention.period) for mention in find_periods(question))
    period_spans = [span for span, _ in periods]
    documents = find_documents_asked(question, period_spans)
    steering = [span for span in documents.steering if span not in period_spans]
    named = [
        ((start, end), found[0])
        for start, end, found in _operations().find(question)
        if not _overlaps((start, end), steering)
    ]
    # An operation that begins first has its words: "percentage change in cash" is no "change in cash".
    cut = [(m.start, m.end) for m in lexicon.match(question)]
    first = [(start, end) for (start, end), _ in named if any(start < begin < end < last for begin, last in cut)]
    matches = lexicon.match(blank_out(question, first))
    mentioned = [m for m in matches if not _overlaps((m.start, m.end), steering) and not _only_asks(m)]
    operations = [(span, name) for span, name in named if not _is_taken(span, mentioned)]
    spans = [span for span, _ in operations]
    mentioned = [m for m in mentioned if _is_measured(m) or not _overlaps((m.start, m.end), spans)]
    taken = [*period_spans, *steering, *spans, *((m.start, m.end) for m in mentioned if _is_measured(m))]
    names = find_entities(question, taken)
    kept = tuple(m for m in mentioned if _is_own(m) or not _overlaps((m.start, m.end), names))
    unit, unit_spans = find_asked_unit(question)
    operation, chosen = _choose_operation(operations, unit)
    every = frozenset(name for _, name in operations)
    return _Reading(periods, unit, unit_spans, documents, kept, tuple(names), operation, tuple(chosen), every)


@cache
def _operations() -> PhraseIndex[str]:
    listed = read_pack("operations")["operation"]
    return PhraseIndex((entry["name"], phrase) for entry in listed for phrase in entry["phrases"])


def _choose_operation(found: Sequence[tuple[Span, str]], unit: UnitRequest | None) -> tuple[str, list[Span]]:
    """The one operation named; a change in percent is a percentage change. Several others leave it open.

    An average of shares is an average: the share is one of its figures. The words of an operation that was not chosen
    stay content, which a figure then has to account for.
    """
    names = {name for _, name in found}
    if "change" in names and ((unit is not None and unit.percent) or "percent_change" in names):
        names = names - {"change", "share"} | {"percent_change"}
    if names == {"average", "share"}:
        return "average", [span for span, _ in found]
    if len(names) != 1:
        return "", []
    return names.pop(), [span for span, _ in found]


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _is_taken(span: Span, matches: Sequence[Match]) -> bool:
    """Whether a concept of figures, or a longer one of any pack, stands where the operation does."""
    return any(
        match.start < span[1]
        and span[0] < match.end
        and (_is_measured(match) or match.end - match.start > span[1] - span[0])
        for match in matches
    )


def _is_measured(match: Match) -> bool:
    return any(not isinstance(entry, Concept) or entry.pack == "financial" for entry in match.entries)


def _only_asks(match: Match) -> bool:
    """Whether it is no more than words that ask: "value" asks for no statement of values."""
    is_asking = read_words("asking").issuperset(match.text.lower().split())
    return is_asking and not _is_measured(match) and not _is_own(match)


def _is_own(match: Match) -> bool:
    """Whether it is a workspace's own word: its nicknames and acronyms look like names."""
    return any(isinstance(entry, Concept) and entry.pack == WORKSPACE_PACK for entry in match.entries)


def _choose_periods(reading: _Reading, question: str) -> tuple[Period, ...]:
    """The periods asked for, each once; the year of a report only where no other is named.

    An average or a sum over a range takes every year of it.
    """
    steering = set(reading.documents.steering)
    named = [period for span, period in reading.periods if span not in steering]
    named = named or [period for _, period in reading.periods]
    if reading.operation in _OVER_ALL:
        named += years_between(question)
    return remove_repeats(named)


def _find_figures(
    question: str, lexicon: Lexicon, reading: _Reading, periods: Sequence[Period]
) -> tuple[Formula | None, tuple[FigureNeed, ...]]:
    """The figures of the first ratio named, by the question's own formula if it writes one; else of all concepts."""
    concepts = [entry for match in reading.matches for entry in match.entries[:1] if isinstance(entry, Concept)]
    ratio = next((entry for match in reading.matches for entry in match.entries if isinstance(entry, Ratio)), None)
    ratio = ratio or _read_share(reading, concepts)
    if ratio is None:
        return None, figures_of(concepts, periods)
    latest = max(periods, key=lambda period: (period.year, period.quarter or 0), default=None)
    written = read_formula(question, name_ratio(ratio), lexicon, _operations(), latest)
    return written or formula_of(ratio, lexicon, periods, concepts)


def _read_share(reading: _Reading, concepts: Sequence[Concept]) -> Ratio | None:
    """The share of one measured concept in another of which an average is asked for; None for anything else."""
    measured = [concept for concept in dict.fromkeys(concepts) if concept.is_measured]
    if reading.operation != "average" or "share" not in reading.operations or len(measured) != 2:
        return None
    first, second = measured
    operands = (RatioOperand("part", first.name), RatioOperand("whole", second.name))
    return Ratio(f"{first.name} / {second.name}", (), "100 * part / whole", operands, percent=True)


def _list_concepts(lexicon: Lexicon, matches: Sequence[Match], figures: Sequence[FigureNeed]) -> tuple[Concept, ...]:
    """All concepts named or needed, each once: those named first."""
    found: dict[str, Concept] = {}
    for concept in (*_list_named_concepts(lexicon, matches), *(lexicon.concept(need.concept) for need in figures)):
        if concept is not None:
            found.setdefault(concept.name, concept)
    return tuple(found.values())


def _list_named_concepts(lexicon: Lexicon, matches: Sequence[Match]) -> Iterator[Concept | None]:
    for match in matches:
        for entry in match.entries:
            if isinstance(entry, Concept):
                yield entry
            elif isinstance(entry, Ratio):
                yield from (lexicon.concept(name) for name in entry.concepts)


def _make_tokens(question: str, reading: _Reading) -> tuple[Token, ...]:
    """The words of the question in order, each with its role; where several fit, the first in this list."""
    roles: tuple[tuple[str, Sequence[Span]], ...] = (
        ("steering", reading.documents.steering),
        ("period", [span for span, _ in reading.periods]),
        ("operation", reading.operation_spans),
        ("unit", reading.unit_spans),
        ("statement", [(m.start, m.end) for m in reading.matches if _is_statement(m)]),
        ("lexicon", [(match.start, match.end) for match in reading.matches]),
        ("entity", reading.names),
    )
    tokens = []
    for word in words(question):
        span = (word.start, word.end)
        role = next((name for name, spans in roles if _overlaps(span, spans)), "")
        terms = word_terms(word.text)
        # A code ("COVID-19", "FY2018") is one word; of a compound each part is looked for.
        for term in terms[:1] if any(character.isdigit() for character in word.text) else terms or ("",):
            tokens.append(Token(word.text, term, word.start, role or _plain_role(word.text, term)))
    return tuple(tokens)


def _is_statement(match: Match) -> bool:
    """Whether it names a primary statement: a place to look in, no figure."""
    return isinstance(match.entries[0], StatementKind)


def _plain_role(text: str, term: str) -> str:
    if not term:
        return "stop"
    return "asking" if text.lower() in read_words("asking") else "content"


def _find_background(question: str) -> list[Span]:
    """The sentences around one that ends in a question mark; none where no sentence does."""
    sentences = [
        (match.span(), match.group().rstrip(" \"')”").endswith(("?", "？"))) for match in _SENTENCE.finditer(question)
    ]
    return [span for span, asks in sentences if not asks] if any(asks for _, asks in sentences) else []


def _weigh_terms(
    tokens: Sequence[Token], periods: Sequence[Span], background: Sequence[Span], concepts: Sequence[Concept]
) -> tuple[WeightedTerm, ...]:
    """The question's terms (names and periods marked as such), then those of its concepts."""
    roles: dict[str, set[str]] = {}
    asked: set[str] = set()
    for token in tokens:
        span = (token.start, token.start + len(token.text))
        roles.setdefault(token.term, set()).add("period" if _overlaps(span, periods) else token.role)
        asked |= set() if _overlaps(span, background) else set(word_terms(token.text))
    terms: dict[str, WeightedTerm] = {}
    for token in tokens:
        for term in word_terms(token.text):
            found = roles.get(term) or roles[token.term]
            source = "period" if "period" in found else "entity" if "entity" in found else "question"
            weight = _ASKING_WEIGHT if found <= _LIGHT_ROLES else 1.0 if term in asked else _BACKGROUND_WEIGHT
            terms.setdefault(term, WeightedTerm(term, weight, source))
    for concept in concepts:
        for term, weight in concept_terms(concept).items():
            if term not in terms or terms[term].weight < weight:
                terms[term] = WeightedTerm(term, weight, f"lexicon:{concept.name}")
    return tuple(terms.values())


def concept_terms(concept: Concept) -> dict[str, float]:
    """Terms of a concept's phrases with their weights, in order of first mention: 0.7 x sqrt(share of the phrases).

    The wordings of the general pack are common words: they weigh half.
    """
    full = EXPANSION * (_GENERAL if concept.pack == "general" else 1.0)
    analysed = [dict.fromkeys(analyse(phrase)) for phrase in concept.phrases]
    counts = Counter(term for phrase in analysed for term in phrase)
    weights = {term: full * math.sqrt(counts[term] / len(analysed)) for phrase in analysed for term in phrase}
    return {term: round(weight, 4) for term, weight in weights.items() if weight >= LEAST}


def _list_phrases(matches: Sequence[Match], concepts: Sequence[Concept]) -> tuple[Phrase, ...]:
    """Phrases that should stand together: the question's own, then the documents' wordings."""
    phrases: dict[str, Phrase] = {}
    for match in matches:
        phrases.setdefault(match.text.lower(), Phrase(match.text.lower()))
    for concept in concepts:
        for text in concept.phrases:
            phrases.setdefault(text, Phrase(text, _PHRASE_WEIGHT, f"lexicon:{concept.name}"))
    return tuple(phrases.values())


MAX_ENTRIES = 500
"""Entries of a workspace's lexicon; all of them are compared with every question. Chosen by hand."""
SOURCE = "entered in this workspace"


@dataclass(frozen=True, slots=True)
class Expansion:
    """What one concept adds to a question: documents' wordings, search terms with weights, and where it comes from."""

    concept: str
    phrases: tuple[str, ...]
    terms: tuple[tuple[str, float], ...]
    source: str
    pack: str = ""
    """Its file (`general`, `financial`, ...), or `workspace` for a workspace's own entry."""


def entry_concept(asked: Sequence[str], written: Sequence[str], *, statement: str = "") -> Concept:
    """A workspace's entry as a concept: `asked` is how people ask (the first names it), `written` documents' words.

    With a `statement` it is a figure that usually is there.
    """
    names = tuple(dict.fromkeys(name.lower() for name in asked))
    phrases = tuple(dict.fromkeys((*(phrase.lower() for phrase in written), names[0])))
    return Concept(names[0], phrases, names, statement, source=SOURCE, pack=WORKSPACE_PACK, is_measured=bool(statement))


def wordings(text: str) -> tuple[str, ...]:
    """Lower-case wordings parted by semicolons, or by commas when there is none; each once."""
    parts = text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(" ".join(part.split()).lower() for part in parts if part.strip()))


def preview(question: str, lexicon: Lexicon | None = None) -> tuple[Expansion, ...]:
    """What the question expands to, concept by concept, in the order they count."""
    known = lexicon or default_lexicon()
    return expansions(understand(question, lexicon=known), known)


def expansions(plan: QueryPlan, lexicon: Lexicon | None = None) -> tuple[Expansion, ...]:
    """What a plan's concepts added to its question, for a preview or a trace."""
    known = lexicon or default_lexicon()
    return tuple(_expand_concept(plan, name, known) for name in _list_entry_names(plan.terms, plan.phrases))


def _list_entry_names(*weighted: Iterable[object]) -> list[str]:
    sources = (str(getattr(item, "source", "")) for items in weighted for item in items)
    names = (source.removeprefix("lexicon:") for source in sources if source.startswith("lexicon:"))
    return list(dict.fromkeys(names))


def _expand_concept(plan: QueryPlan, name: str, lexicon: Lexicon) -> Expansion:
    known = lexicon.concept(name)
    mark = f"lexicon:{name}"
    return Expansion(
        concept=name,
        phrases=tuple(phrase.text for phrase in plan.phrases if phrase.source == mark),
        terms=tuple((term.term, term.weight) for term in plan.terms if term.source == mark),
        source=known.source if known else "",
        pack=known.pack if known else "",
    )
