"""From a question to a query plan: deterministic, without a model."""

import re
from collections.abc import Iterator, Sequence

from vectorless_web.engine.query.calculation import Calculation, Reader
from vectorless_web.engine.query.entities import entities_in
from vectorless_web.engine.query.expansion import expanded_terms, question_phrases
from vectorless_web.engine.query.expression import formula_of
from vectorless_web.engine.query.focus import Parts, take_apart
from vectorless_web.engine.query.forms import forms_in
from vectorless_web.engine.query.intents import intent_of, wants_words
from vectorless_web.engine.query.lexicon import (
    WORKSPACE_PACK,
    Concept,
    Lexicon,
    Match,
    Ratio,
    StatementKind,
    default_lexicon,
)
from vectorless_web.engine.query.periods import periods_in
from vectorless_web.engine.query.plan import FigureNeed, Formula, Intent, Period, QueryPlan
from vectorless_web.engine.query.units import unit_requested

_MAX_FIGURES = 12
_LISTED = re.compile(r"\b(?P<first>\w+), (?P<second>\w+),? (?:and|or) \w+ (?P<noun>\w+)\b")
_EXCLUDED = re.compile(
    r"\b(?:exclud\w+|without|not including|apart from|ignor\w+|disregard\w+|leaving out|adjusted for|net of)\b",
    re.IGNORECASE,
)
_REACH = 45
_DISCUSSION = ("management's discussion and analysis", "results of operations")
_CLAUSE = re.compile(
    r"\s*(?:;|\band (?=(?:what|which|who|when|where|why|how|is|are|was|were|does|do|did|has|have)\b)|(?<=\?)\s)", re.I
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def understand(question: str, *, lexicon: Lexicon | None = None, expand: bool = True) -> QueryPlan:
    """Read a question into a plan. Without `expand` the plan holds the question's own terms only (figures stay).

    `lexicon` defaults to the packs shipped with the product. Any text gives a plan; an
    empty one gives a plan without terms.
    """
    known = lexicon or default_lexicon()
    parts = take_apart(question)
    periods = periods_in(parts.focus) or periods_in(question)
    mentioned = known.match(parts.focus)
    entities = entities_in(parts.focus, _taken(parts.focus, mentioned, periods))
    blanked = _with_own_words(_blanked(parts.focus, entities), mentioned)
    matches = _wanted(known.match(_unfolded(blanked)), parts.focus)
    unit = unit_requested(question)
    reader = Reader(known, periods)
    calculation = reader.calculation(parts, matches, wants_percent=bool(unit and unit.percent))
    formula, figures = _figures(calculation, matches, periods)
    intent = intent_of(parts.focus, formula=formula, figures=figures)
    if formula is None and wants_words(parts.focus, intent):
        figures = ()
    concepts = _concepts(known, matches, figures)
    return QueryPlan(
        question=question,
        focus=parts.focus,
        intent=intent,
        terms=expanded_terms(parts.focus, entities, concepts if expand else ()),
        phrases=question_phrases(matches, concepts if expand else ()),
        concepts=tuple(dict.fromkeys([*(match.text.lower() for match in matches), *(c.name for c in concepts)])),
        entities=entities,
        periods=periods,
        unit=unit,
        statements=_statements(known, parts, figures),
        sections=_sections(concepts, explains_figures=intent is Intent.EXPLAIN and bool(figures)),
        forms=forms_in(parts.focus),
        figures=figures,
        formula=formula,
        sub_questions=_sub_questions(parts.focus),
        language=_language(question),
    )


def _figures(
    calculation: Calculation | None, matches: Sequence[Match], periods: tuple[Period, ...]
) -> tuple[Formula | None, tuple[FigureNeed, ...]]:
    """The calculation's figures; without one, a figure for every measurable concept named and every period."""
    if calculation is None:
        return None, ()
    formula, needs = formula_of(calculation.tree, calculation.name, calculation.source)
    if formula is not None:
        return formula, needs
    named = [entry for match in matches for entry in match.entries[:1] if isinstance(entry, Concept)]
    others = [
        FigureNeed(concept.name, concept.phrases, needs[0].period, concept.statement)
        for concept in dict.fromkeys(named)
        if concept.is_measured and concept.name != needs[0].concept
    ]
    every = (*needs, *others)
    return None, _over_periods(every, periods)[:_MAX_FIGURES] if len(periods) > 1 else every[:_MAX_FIGURES]


def _over_periods(needs: Sequence[FigureNeed], periods: Sequence[Period]) -> tuple[FigureNeed, ...]:
    return tuple(FigureNeed(need.concept, need.phrases, period, need.statement) for need in needs for period in periods)


def _blanked(focus: str, entities: Sequence[str]) -> str:
    """The focus with spaces in place of names, so that "the number of Acme stores" asks for the number of stores."""
    for entity in entities:
        focus = re.sub(rf"{re.escape(entity)}(?:['’]s?)?(?!\w)", lambda match: " " * len(match.group()), focus)
    return focus


def _with_own_words(blanked: str, mentioned: Sequence[Match]) -> str:
    """The blanked focus with a workspace's own words put back: its nicknames and acronyms look like names."""
    for match in mentioned:
        if any(isinstance(entry, Concept) and entry.pack == WORKSPACE_PACK for entry in match.entries):
            blanked = blanked[: match.start] + match.text + blanked[match.end :]
    return blanked


def _wanted(matches: Sequence[Match], focus: str) -> list[Match]:
    """Matches without those the question sets aside ("excluding acquisitions"); their words stay terms."""
    aside = [(match.end(), focus.find(",", match.end()) % (len(focus) + 1)) for match in _EXCLUDED.finditer(focus)]
    return [m for m in matches if not any(start <= m.start < min(end, start + _REACH) for start, end in aside)]


def _unfolded(focus: str) -> str:
    """Adds what a list leaves out: "operating, investing and financing activities" names three kinds of activity."""
    added = [f"{match[part]} {match['noun']}" for match in _LISTED.finditer(focus) for part in ("first", "second")]
    return " ; ".join([focus, *added])


def _taken(focus: str, matches: Sequence[Match], periods: Sequence[Period]) -> list[tuple[int, int]]:
    """Spans that are no names: known figures, ratios and statements, and periods."""
    spans = [(match.start, match.end) for match in matches if _is_measured(match)]
    for period in periods:
        start = focus.find(period.text) if period.text else -1
        if start >= 0:
            spans.append((start, start + len(period.text)))
    return spans


def _is_measured(match: Match) -> bool:
    return any(not isinstance(entry, Concept) or entry.pack == "financial" for entry in match.entries)


def _concepts(lexicon: Lexicon, matches: Sequence[Match], figures: Sequence[FigureNeed]) -> tuple[Concept, ...]:
    """All concepts named or needed, each once: those named first."""
    found: dict[str, Concept] = {}
    for concept in (*_named(lexicon, matches), *(lexicon.concept(need.concept) for need in figures)):
        if concept is not None:
            found.setdefault(concept.name, concept)
    return tuple(found.values())


def _named(lexicon: Lexicon, matches: Sequence[Match]) -> Iterator[Concept | None]:
    for match in matches:
        for entry in match.entries:
            if isinstance(entry, Concept):
                yield entry
            elif isinstance(entry, Ratio):
                yield from (lexicon.concept(name) for name in entry.concepts)


def _statements(lexicon: Lexicon, parts: Parts, figures: Sequence[FigureNeed]) -> tuple[str, ...]:
    """Statements named anywhere in the question, then those the figures usually stand in."""
    whole = " . ".join((parts.focus, *parts.instructions, *parts.definitions))
    named = [
        entry.name for match in lexicon.match(whole) for entry in match.entries if isinstance(entry, StatementKind)
    ]
    return tuple(dict.fromkeys([*named, *(need.statement for need in figures if need.statement)]))


def _sections(concepts: Sequence[Concept], *, explains_figures: bool) -> tuple[str, ...]:
    """Sections the concepts stand in; why a figure changed is told where management discusses the results."""
    named = [section for concept in concepts for section in concept.sections]
    return tuple(dict.fromkeys([*(_DISCUSSION if explains_figures else ()), *named]))


def _sub_questions(focus: str) -> tuple[str, ...]:
    parts = [part.strip(" ,?.") for part in _CLAUSE.split(focus) if part and len(part.split()) > 2]
    return tuple(parts) if len(parts) > 1 else ()


def _language(question: str) -> str:
    """A rough guess by script; only what the analyser treats differently matters."""
    return "zh" if _CJK.search(question) else "en"
