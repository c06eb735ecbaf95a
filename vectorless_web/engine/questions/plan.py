"""The query plan: what a question asks for, as frozen data; and how long a question may be."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.text.analyser import analyse, drop_function_words


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """An analysed term with its weight in (0, 1] and where it came from.

    `source`: `question`, `entity` (part of a name), `period`, or `lexicon:<concept>`.
    """

    term: str
    weight: float = 1.0
    source: str = "question"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that should stand together, as written (lower case), with weight and source as for WeightedTerm."""

    text: str
    weight: float = 1.0
    source: str = "question"


@dataclass(frozen=True, slots=True)
class Period:
    """A period named in the question. `kind`: `year`, `quarter` or `date`; `text` as written."""

    kind: str
    year: int
    quarter: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class UnitRequest:
    """How the number should be given: scale 1, 1e3, 1e6, 1e9; currency code; percent; decimals asked for."""

    scale: float | None = None
    currency: str = ""
    percent: bool = False
    decimals: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class FigureNeed:
    """A figure to find: the concept, the phrases documents use for it, the period and the usual statement.

    `offset` counts whole periods before the one asked, for a question that names none. An
    `optional` one is used where it is found; `included_in` names the concept whose row may
    already hold it, as its label says then.
    """

    concept: str
    phrases: tuple[str, ...]
    period: Period | None = None
    statement: str = ""
    offset: int = 0
    optional: bool = False
    included_in: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """How a ratio is worked out: an expression over operand names, each with the index of its `QueryPlan.figures`.

    `expression` holds names, numbers, + - * / and parentheses; `words` tell it as people write it. `others` are other
    ways in use, each named by how it differs. `series` are the same at the other periods named, each called by its
    own. The result is a percentage when `percent`.
    `is_written`: the question says itself how the ratio is worked out.
    """

    name: str
    expression: str
    operands: tuple[tuple[str, int], ...]
    source: str = ""
    words: str = ""
    others: tuple["Formula", ...] = ()
    series: tuple["Formula", ...] = ()
    percent: bool = False
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question as written, `start` characters in, with its index term ("" for a stop word).

    A word of several terms ("long-term") gives one token for each. `role` says what the word is in the question:
    `content`, `stop`, `period`, `entity`, `unit` (of the number wanted), `lexicon` (part of a concept or ratio),
    `statement` (names a primary statement), `operation` (names `QueryPlan.operation`), `steering` (only chooses a
    document) or `asking` (asks without saying what).
    """

    text: str
    term: str
    start: int
    role: str = "content"


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """Everything later stages need to know of a question.

    `question` is the text as asked, for prompts and display: no other room reads it for meaning. `concepts` are the
    key concepts (lower-case phrases). `entities` are names as written. `statements` are primary statements meant
    (`income`, `balance`, `cash_flow`, ...). `sections` are section names the concepts point at. `forms` are kinds of
    document asked for ("10-k"). `operation` is "" or one of the names in `packs/operations.toml`. `steering` are terms
    that only help to choose a document; see `strip_steering`.
    """

    question: str
    terms: tuple[WeightedTerm, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    concepts: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    unit: UnitRequest | None = None
    statements: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    figures: tuple[FigureNeed, ...] = ()
    formula: Formula | None = None
    tokens: tuple[Token, ...] = ()
    operation: str = ""
    steering: frozenset[str] = frozenset()

    def written(self, start: int, end: int) -> str:
        """The characters from `start` to `end` of the question, to show words as they were written."""
        return self.question[start:end]

    def drop_function_words(self, words: Iterable[str]) -> list[str]:
        """Of words of the question those that are no function words of its language."""
        return drop_function_words(words, self.question)


def strip_steering(plan: QueryPlan) -> QueryPlan:
    """The plan without the terms that only helped to choose its document, for looking inside that document."""
    return drop_terms(plan, plan.steering)


def drop_terms(plan: QueryPlan, terms: Collection[str]) -> QueryPlan:
    """The plan without these index terms: an entity, for instance, that is the subject of the document chosen.

    Phrases, names and tokens made of nothing else go too; what a lexicon concept adds stays.
    """
    gone = frozenset(terms)
    if not gone:
        return plan
    return replace(
        plan,
        terms=tuple(term for term in plan.terms if term.term not in gone),
        phrases=tuple(phrase for phrase in plan.phrases if not _is_within(phrase.text, gone)),
        entities=tuple(name for name in plan.entities if not _is_within(name, gone)),
        tokens=tuple(token for token in plan.tokens if token.term not in gone),
    )


def _is_within(text: str, terms: frozenset[str]) -> bool:
    found = analyse(text)
    return bool(found) and terms.issuperset(found)


EARLIER = 0.5
"""Weight of an earlier question's terms as a share of their own, for routing a follow-up. Chosen by hand: what is asked
now counts twice what was asked before."""


def merge_plans(plan: QueryPlan, previous: Sequence[QueryPlan]) -> QueryPlan:
    """The plan of a follow-up with the terms of earlier questions added at half their weight, for routing alone.

    Names, periods and kinds of document are taken over, newest question first, where the follow-up names none of its
    own.
    """
    merged = plan
    for earlier in reversed(previous):
        known = {term.term for term in merged.terms}
        replaced = {source for source, own in (("entity", plan.entities), ("period", plan.periods)) if own}
        added = tuple(
            replace(term, weight=round(EARLIER * term.weight, 4))
            for term in earlier.terms
            if term.term not in known and term.source not in replaced
        )
        merged = replace(
            merged,
            question=merged.question if plan.entities else f"{earlier.question} {merged.question}",
            terms=merged.terms + added,
            entities=merged.entities or earlier.entities,
            periods=merged.periods or earlier.periods,
            forms=merged.forms or earlier.forms,
        )
    return merged


QUESTION_MAX = 4000
"""Characters of a question. About 1,000 tokens: a model's prompts repeat the question in every step, and background
longer than this reads better as a document."""
QUESTION_EMPTY, QUESTION_TOO_LONG = "question_empty", "question_too_long"
"""Codes of the two refusals."""


def check_question(question: str) -> str:
    """The question without NULs and outer white space; InvalidInput when it is empty or too long."""
    question = question.replace("\x00", "").strip()
    if not question:
        raise InvalidInput("The question is empty.", remedy="Write one first.", code=QUESTION_EMPTY)
    if len(question) > QUESTION_MAX:
        raise InvalidInput(
            f"This question has {len(question):,} characters; at most {QUESTION_MAX:,} can be asked.",
            remedy="Shorten it, or upload long background as a document.",
            code=QUESTION_TOO_LONG,
        )
    return question
