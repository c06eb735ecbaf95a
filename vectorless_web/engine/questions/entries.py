"""A workspace's own lexicon entries, and what a question expands to with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.questions.lexicon import WORKSPACE_PACK, Concept, Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

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
    return tuple(_expansion(plan, name, known) for name in _list_entry_names(plan.terms, plan.phrases))


def _list_entry_names(*weighted: Iterable[object]) -> list[str]:
    sources = (str(getattr(item, "source", "")) for items in weighted for item in items)
    names = (source.removeprefix("lexicon:") for source in sources if source.startswith("lexicon:"))
    return list(dict.fromkeys(names))


def _expansion(plan: QueryPlan, name: str, lexicon: Lexicon) -> Expansion:
    known = lexicon.concept(name)
    mark = f"lexicon:{name}"
    return Expansion(
        concept=name,
        phrases=tuple(phrase.text for phrase in plan.phrases if phrase.source == mark),
        terms=tuple((term.term, term.weight) for term in plan.terms if term.source == mark),
        source=known.source if known else "",
        pack=known.pack if known else "",
    )
