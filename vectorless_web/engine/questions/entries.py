"""A workspace's own lexicon entries, written one to a line, and what a question expands to with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.lexicon import WORKSPACE_PACK, Concept, Lexicon, default_lexicon
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.questions.understand import understand

MAX_ENTRIES = 500
MAX_LINE = 500
SOURCE = "entered in this workspace"


@dataclass(frozen=True, slots=True)
class Expansion:
    """What one concept adds to a question: documents' wordings, search terms with weights, and where it comes from."""

    concept: str
    phrases: tuple[str, ...]
    terms: tuple[tuple[str, float], ...]
    source: str
    pack: str = ""
    """`general`, `financial`, `legal`, `technical`, or `workspace` for a workspace's own entry."""


def parse_entries(text: str) -> tuple[Concept, ...]:
    """Concepts from lines such as `capex, capital spend = purchases of property, additions to plant`.

    Left of the equals sign stands how people ask, right how documents word it; commas or
    semicolons part the wordings (use semicolons when a wording holds a comma). Empty lines
    and lines that begin with # are passed over. InvalidInput names the line that cannot be
    read.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    entries = [_entry(number, line) for number, line in lines if line and not line.startswith("#")]
    if len(entries) > MAX_ENTRIES:
        raise InvalidInput(f"There are {len(entries)} entries; {MAX_ENTRIES} are the most.", code="too_many_entries")
    return tuple(entries)


def _entry(number: int, line: str) -> Concept:
    asked, sign, written = line.partition("=")
    if len(line) > MAX_LINE:
        raise _unreadable(number, f"is longer than {MAX_LINE} characters")
    names, phrases = wordings(asked), wordings(written)
    if not sign or not names or not phrases:
        raise _unreadable(number, "needs words on both sides of an equals sign")
    return entry_concept(names, phrases)


def entry_concept(asked: Sequence[str], written: Sequence[str], *, statement: str = "") -> Concept:
    """A workspace's entry as a concept: `asked` is how people ask (the first names it), `written` documents' words.

    With a `statement` it is a figure that usually stands there.
    """
    names = tuple(dict.fromkeys(name.lower() for name in asked))
    phrases = tuple(dict.fromkeys((*(phrase.lower() for phrase in written), names[0])))
    return Concept(names[0], phrases, names, statement, source=SOURCE, pack=WORKSPACE_PACK, is_measured=bool(statement))


def wordings(text: str) -> tuple[str, ...]:
    """Lower-case wordings parted by semicolons, or by commas when there is none; each once."""
    parts = text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(" ".join(part.split()).lower() for part in parts if part.strip()))


def _unreadable(number: int, reason: str) -> InvalidInput:
    return InvalidInput(f"Line {number} {reason}: write “how people ask = how documents word it”.", code="bad_entry")


def workspace_lexicon(text: str) -> Lexicon:
    """The shipped packs with a workspace's entries before them; the packs alone for an empty text."""
    entries = parse_entries(text)
    return default_lexicon().with_concepts(entries) if entries else default_lexicon()


def preview(question: str, lexicon: Lexicon | None = None) -> tuple[Expansion, ...]:
    """What the question expands to, concept by concept, in the order they count."""
    known = lexicon or default_lexicon()
    return expansions(understand(question, lexicon=known), known)


def expansions(plan: QueryPlan, lexicon: Lexicon | None = None) -> tuple[Expansion, ...]:
    """What a plan's concepts added to its question, for a preview or a trace."""
    known = lexicon or default_lexicon()
    return tuple(_expansion(plan, name, known) for name in _names(plan.terms, plan.phrases))


def _names(*weighted: Iterable[object]) -> list[str]:
    sources = (str(getattr(item, "source", "")) for items in weighted for item in items)
    names = (source.removeprefix("lexicon:") for source in sources if source.startswith("lexicon:"))
    return list(dict.fromkeys(names))


def _expansion(plan: QueryPlan, name: str, lexicon: Lexicon) -> Expansion:
    concept = lexicon.concept(name)
    mark = f"lexicon:{name}"
    return Expansion(
        concept=name,
        phrases=tuple(phrase.text for phrase in plan.phrases if phrase.source == mark),
        terms=tuple((term.term, term.weight) for term in plan.terms if term.source == mark),
        source=concept.source if concept else "",
        pack=concept.pack if concept else "",
    )
