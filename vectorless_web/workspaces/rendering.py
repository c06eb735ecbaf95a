"""What a question expands to, as pages show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vectorless_web.engine.questions.lexicon import Lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import Expansion, expansions, understand

OWN = {"question": "the question", "entity": "a name", "period": "a period"}
"""Where a question's own terms come from, in words."""


@dataclass(frozen=True)
class TermView:
    """A search term with its weight and, for the question's own, what it is there."""

    term: str
    weight: float
    source: str = ""


@dataclass(frozen=True)
class AddedTerms:
    """What one concept adds. `pack` is `workspace` for the workspace's own entry."""

    concept: str
    pack: str
    source: str
    phrases: Sequence[str]
    terms: Sequence[TermView]

    @property
    def wordings(self) -> list[str]:
        """The documents' wordings other than the concept's own name."""
        return [phrase for phrase in self.phrases if phrase != self.concept]


@dataclass(frozen=True)
class Preview:
    """How a question is read: its own terms, what the lexicon adds, and what kind of answer it wants."""

    question: str
    own: Sequence[TermView]
    added: Sequence[AddedTerms]
    statements: Sequence[str]
    periods: Sequence[str]
    figures: Sequence[str]
    formula_name: str
    formula: str


def preview_of(question: str, lexicon: Lexicon) -> Preview:
    """How the question would be read with this lexicon."""
    plan = understand(question, lexicon=lexicon)
    return Preview(
        question=question,
        own=[TermView(term.term, term.weight, OWN[term.source]) for term in plan.terms if term.source in OWN],
        added=[_make_added_terms(expansion) for expansion in expansions(plan, lexicon)],
        statements=_statements(plan, lexicon),
        periods=[period.text or str(period.year) for period in plan.periods],
        figures=list(dict.fromkeys(need.concept for need in plan.figures)),
        formula_name=plan.formula.name if plan.formula else "",
        formula=plan.formula.expression if plan.formula else "",
    )


def read_added_terms(row: Mapping[str, object]) -> list[AddedTerms]:
    """What a stored trace says the lexicon added: `row` is the `question` of a routing step's observation."""
    stored = row.get("looked_for")
    return [_make_added_terms(Expansion(**expansion)) for expansion in stored] if isinstance(stored, list) else []


def _make_added_terms(expansion: Expansion) -> AddedTerms:
    terms = [TermView(term, weight) for term, weight in expansion.terms]
    return AddedTerms(expansion.concept, expansion.pack, expansion.source, expansion.phrases, terms)


def _statements(plan: QueryPlan, lexicon: Lexicon) -> list[str]:
    kinds = [lexicon.statement(name) for name in plan.statements]
    return [kind.titles[0] for kind in kinds if kind is not None]
