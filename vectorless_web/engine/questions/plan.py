"""The query plan: what a question asks for, as frozen data; and how long a question may be."""

from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.errors import InvalidInput


class Intent(StrEnum):
    """What form of answer the question wants."""

    FIGURE = "figure"
    """One number that stands in the document."""
    CALCULATION = "calculation"
    """A number worked out from several figures: ratio, growth, average, margin."""
    YES_NO = "yes_no"
    LIST = "list"
    EXPLAIN = "explain"
    """Why, how, what drove."""
    LOOKUP = "lookup"
    """A fact in words: who, when, where, which."""
    SUMMARY = "summary"


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
class Standard:
    """What a figure is judged by: from `least` on it holds; `words` say so in letters, `asked` is what is judged."""

    least: float
    words: str
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """How a calculation is made: an expression over operand names, each with the index of its `QueryPlan.figures`.

    `words` tell it as people write it. `others` are other ways in use; the name of each says
    how it differs. `series` are the same at the earlier periods named, each called by its own.
    `foil` is the index of a figure that tells that the measure does not apply,
    `stated` that of the result itself, as a document may state it; -1 for none.
    """

    name: str
    expression: str
    operands: tuple[tuple[str, int], ...]
    source: str = ""
    words: str = ""
    others: tuple["Formula", ...] = ()
    series: tuple["Formula", ...] = ()
    standard: Standard | None = None
    foil: int = -1
    stated: int = -1
    is_share: bool = False
    """Whether the ratio is told in percent when the question leaves it open."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question: as written, its index term ("" for a stop word), where it starts, and its part.

    `role`: content, stop, period, entity, unit, lexicon (part of a concept's name) or operation.
    """

    text: str
    term: str
    start: int
    role: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """Everything later stages need to know of a question.

    `question` is the text as asked, `focus` the same without instruction boilerplate.
    `concepts` are the key concepts (lower-case phrases). `entities` are names as
    written. `statements` are primary statements meant (`income`, `balance`,
    `cash_flow`, ...). `sections` are section names the question points at.
    `forms` are kinds of document asked for ("10-k").
    """

    question: str
    focus: str = ""
    intent: Intent = Intent.LOOKUP
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
    sub_questions: tuple[str, ...] = ()
    language: str = "en"
    tokens: tuple[Token, ...] = ()
    operation: str = ""


QUESTION_MAX = 4000
"""Characters of a question. About 1,000 tokens: a model's prompts repeat the question in every step, and background
longer than this reads better as a document."""
QUESTION_EMPTY, QUESTION_TOO_LONG = "question_empty", "question_too_long"
"""Codes of the two refusals."""


def check_question(question: str) -> str:
    """The question without NULs and outer white space; InvalidInput when it is empty or too long."""
    question = question.replace("\x00", "").strip()
    if not question:
        raise InvalidInput("Write a question first.", code=QUESTION_EMPTY)
    if len(question) > QUESTION_MAX:
        raise InvalidInput(
            f"This question has {len(question):,} characters; at most {QUESTION_MAX:,} can be asked. "
            "Shorten it, or upload long background as a document.",
            code=QUESTION_TOO_LONG,
        )
    return question
