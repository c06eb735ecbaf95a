"""The lexicon: concepts with the phrases by which documents express them, ratios, statement kinds, acronyms."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any, Generic, TypeVar

from vectorless_web.engine.text.analyser import Word, word_terms, words

PACKS = ("financial", "ratios", "statements", "legal", "technical", "general")

_LINKS = frozenset({"and", "of", "the", "for", "to", "in", "on", "per", "with"})
_AND = ("", "&", "n", "a")


@cache
def read_pack(name: str) -> dict[str, Any]:
    """One data file of `packs/` as plain data; it is read once and not to be changed."""
    return tomllib.loads(resources.files(__package__).joinpath("packs", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def read_words(name: str) -> frozenset[str]:
    """One list of `words.toml`, in small letters."""
    return frozenset(word.lower() for word in read_pack("words")[name])


def acronyms_of(name: str) -> frozenset[str]:
    """Lower-case acronyms of a name of two words or more.

    "property, plant and equipment" gives ppe, pp&e, ppne and ppae; "cost of goods
    sold" gives cgs and cogs. Two letters are too few to be sure of.
    """
    parts = re.findall(r"[a-z]+", name.lower())
    if len(parts) < 2:
        return frozenset()
    every = "".join(part[0] for part in parts)
    found = {every, *(_initials(parts, mark) for mark in _AND)}
    return frozenset(acronym for acronym in found if len(acronym.replace("&", "")) > 2)


def _initials(parts: list[str], mark: str) -> str:
    letters = [mark if part == "and" else part[0] for part in parts if part == "and" or part not in _LINKS]
    return "".join(letters)


WORKSPACE_PACK = "workspace"
"""The `pack` of a workspace's own entries."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A thing people ask about. `phrases` are how documents word it, `asked` how questions do (its name included).

    `statement` is the primary statement its figure usually is in, `sections` the
    headings under which text about it is, `source` where the knowledge comes from.
    `is_measured`: documents state it as a figure, in a statement or elsewhere.
    """

    name: str
    phrases: tuple[str, ...]
    asked: tuple[str, ...]
    statement: str = ""
    sections: tuple[str, ...] = ()
    source: str = ""
    pack: str = ""
    is_measured: bool = False


@dataclass(frozen=True, slots=True)
class RatioOperand:
    """One figure of a ratio: its name in the expression, its concept, periods before the one asked, its statement.

    With `included_in` it is an addend that the row of that concept may hold already.
    """

    name: str
    concept: str
    offset: int = 0
    statement: str = ""
    included_in: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A worked figure: `expression` in + - * / and parentheses over operand names; `percent` when the result is one.

    `concepts` are further concepts worth reading with it. `others` are other ways in use, each named by how it
    differs.
    """

    name: str
    asked: tuple[str, ...]
    expression: str
    operands: tuple[RatioOperand, ...]
    percent: bool = False
    concepts: tuple[str, ...] = ()
    source: str = ""
    others: tuple["Ratio", ...] = ()


@dataclass(frozen=True, slots=True)
class StatementKind:
    """A primary statement: how it is asked for, and its printed titles."""

    name: str
    asked: tuple[str, ...]
    titles: tuple[str, ...]
    source: str = ""


Entry = Concept | Ratio | StatementKind


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a text (characters `start` to `end`, exclusive) that names the entries."""

    start: int
    end: int
    text: str
    entries: tuple[Entry, ...]


EntryT = TypeVar("EntryT")


class PhraseIndex(Generic[EntryT]):
    """Finds phrases in a text by their stemmed words, the longest first.

    A single word counts up to its plural, since "investing" is not "investment". A phrase of which stop words are a
    part ("who owns", "% of") is found as it is written.
    """

    def __init__(self, wordings: Iterable[tuple[EntryT, str]]) -> None:
        terms: dict[tuple[str, ...], list[EntryT]] = {}
        literals: dict[str, list[EntryT]] = {}
        for entry, phrase in wordings:
            listed = (
                literals.setdefault(phrase.lower(), [])
                if _is_literal(phrase)
                else terms.setdefault(_phrase_key(phrase), [])
            )
            if entry not in listed:
                listed.append(entry)
        terms.pop((), None)
        self._terms = terms
        self._literals = dict(sorted(literals.items(), key=lambda item: (-len(item[0]), item[0])))
        self._longest = max(map(len, terms), default=0)

    def entries(self, phrase: str) -> list[EntryT]:
        """What a whole phrase names."""
        return self._terms.get(_phrase_key(phrase), [])

    def find(
        self, text: str, read_word: Callable[[str], Sequence[EntryT]] = lambda _: ()
    ) -> list[tuple[int, int, tuple[EntryT, ...]]]:
        """(start, end, entries) of the mentions in reading order, none overlapping another.

        `read_word` may know single words that no phrase says, such as acronyms.
        """
        found = self._find_literals(text)
        spans = [(start, end) for start, end, _ in found]
        terms, position = _terms_with_words(text), 0
        while position < len(terms):
            length, entries = self._find_longest(terms, position, read_word)
            word = terms[position][1]
            if not length or any(start <= word.start < end for start, end in spans):
                position += 1
                continue
            found.append((word.start, terms[position + length - 1][1].end, entries))
            position += length
        return sorted(found, key=lambda mention: mention[:2])

    def _find_literals(self, text: str) -> list[tuple[int, int, tuple[EntryT, ...]]]:
        lowered = text.lower()
        found: list[tuple[int, int, tuple[EntryT, ...]]] = []
        for phrase, entries in self._literals.items():
            start = lowered.find(phrase)
            end = start + len(phrase)
            if start >= 0 and _is_whole(lowered, start, end) and all(end <= f[0] or start >= f[1] for f in found):
                found.append((start, end, tuple(entries)))
        return found

    def _find_longest(
        self, terms: Sequence[tuple[str, Word]], position: int, read_word: Callable[[str], Sequence[EntryT]]
    ) -> tuple[int, tuple[EntryT, ...]]:
        for length in range(min(self._longest, len(terms) - position), 0, -1):
            entries = self._terms.get(_key(terms[position : position + length]))
            if entries:
                return length, tuple(entries)
        entries = list(read_word(terms[position][1].text))
        return (1, tuple(entries)) if entries else (0, ())


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Concepts, ratios and statement kinds, found in a text by their stemmed words or their acronyms.

    Compared and hashed by identity, so that what was worked out with it can be kept cheaply.
    """

    concepts: tuple[Concept, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    statements: tuple[StatementKind, ...] = ()
    _by_name: dict[str, Concept] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names: dict[str, Concept] = {}
        for concept in self.concepts:
            names.setdefault(concept.name, concept)
        object.__setattr__(self, "_by_name", names)

    def concept(self, name: str) -> Concept | None:
        """The concept of that name."""
        return self._by_name.get(name)

    def ratio(self, name: str) -> Ratio | None:
        """The ratio of that name."""
        return next((ratio for ratio in self.ratios if ratio.name == name), None)

    def statement(self, name: str) -> StatementKind | None:
        """The statement kind of that name (`income`, `balance`, ...)."""
        return next((kind for kind in self.statements if kind.name == name), None)

    def with_concepts(self, added: Iterable[Concept]) -> "Lexicon":
        """A lexicon in which these concepts come first: a workspace's own terms, acronyms and nicknames."""
        return Lexicon((*added, *self.concepts), self.ratios, self.statements)

    def match(self, text: str) -> list[Match]:
        """Non-overlapping mentions in reading order, the longest first where they overlap.

        Where several entries share a phrase, those that are called so come first.
        """
        return [
            Match(start, end, text[start:end], tuple(_sort_named_first(text[start:end], entries)))
            for start, end, entries in self._index.find(text, self._read_acronym)
        ]

    def _read_acronym(self, word: str) -> Sequence[Entry]:
        """Acronyms of figures count only as people write them: in capitals (a plural s aside).

        Ratios list theirs: made-up ones collide with names, such as that of the FCC.
        """
        text = word.removesuffix("s")
        if len(text) < 3 or not text.isupper():
            return ()
        entries = self._by_acronym.get(text.lower(), [])
        return entries if len(entries) == 1 else ()

    @cached_property
    def _index(self) -> PhraseIndex[Entry]:
        entries: list[Entry] = [*self.ratios, *self.concepts, *self.statements]
        return PhraseIndex((entry, phrase) for entry in entries for phrase in entry.asked)

    @cached_property
    def _by_acronym(self) -> dict[str, list[Entry]]:
        index: dict[str, list[Entry]] = {}
        for concept in self.concepts:
            for acronym in acronyms_of(concept.name) if concept.statement else ():
                index.setdefault(acronym, []).append(concept)
        return index


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the stretch begins and ends with a word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not before.isalnum() and not after.isalnum()


@cache
def _is_literal(phrase: str) -> bool:
    """Whether little of several words is left once stop words and signs are dropped."""
    return len(phrase.split()) > 1 and len(_terms_with_words(phrase)) < 2


@cache
def _phrase_key(phrase: str) -> tuple[str, ...]:
    """Remembered, so that a workspace's lexicon, which is the packs and a little more, is ready at once."""
    return _key(_terms_with_words(phrase))


def _sort_named_first(text: str, entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: _phrase_key(entry.name) != _phrase_key(text))


def _key(found: Sequence[tuple[str, Word]]) -> tuple[str, ...]:
    if len(found) == 1:
        return (found[0][1].text.lower().removesuffix("s"),)
    return tuple(term for term, _ in found)


def _terms_with_words(text: str) -> list[tuple[str, Word]]:
    return [(term, word) for word in words(text) for term in word_terms(word.text)]


@cache
def default_lexicon() -> Lexicon:
    """The packs shipped with the product: general, financial, legal, technical, ratios, statements."""
    packs = [(name, read_pack(name)) for name in PACKS]
    return Lexicon(
        tuple(concept for name, pack in packs for concept in _concepts(name, pack.get("group", []))),
        tuple(_ratio(entry) for _, pack in packs for entry in pack.get("ratio", [])),
        tuple(_statement(entry) for _, pack in packs for entry in pack.get("statement", [])),
    )


def _concepts(pack: str, groups: list[dict[str, object]]) -> Iterator[Concept]:
    for group in groups:
        listed = group["concepts"]
        assert isinstance(listed, dict)
        for name, phrases in listed.items():
            yield _concept(name, phrases, group, pack)


def _concept(name: str, phrases: Sequence[str], group: dict[str, object], pack: str) -> Concept:
    sections, measured = group.get("sections", []), group.get("measured", [])
    assert isinstance(sections, list) and isinstance(measured, list)
    statement = str(group.get("statement", ""))
    return Concept(
        name=name,
        phrases=_remove_repeats([name, *(p.lstrip("=") for p in phrases if not p.startswith("?"))]),
        asked=_remove_repeats([name, *(p.lstrip("?") for p in phrases if not p.startswith("="))]),
        statement=statement,
        sections=tuple(sections),
        source=str(group["source"]),
        pack=pack,
        is_measured=bool(statement) or name in measured,
    )


def _remove_repeats(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrases))


def _ratio(entry: dict[str, object]) -> Ratio:
    operands = entry["operands"]
    asked, concepts, also = entry.get("asked", []), entry.get("concepts", []), entry.get("also", [])
    assert isinstance(operands, dict) and isinstance(asked, list)
    assert isinstance(concepts, list) and isinstance(also, list)
    return Ratio(
        name=str(entry["name"]),
        asked=_remove_repeats([str(entry["name"]), *asked]),
        expression=str(entry["expression"]),
        operands=tuple(_operand(name, concept) for name, concept in operands.items()),
        percent=bool(entry.get("percent", False)),
        concepts=tuple(concepts),
        source=str(entry["source"]),
        others=tuple(_ratio({"source": entry["source"], "operands": operands, **other}) for other in also),
    )


def _operand(name: str, written: str) -> RatioOperand:
    written, _, included_in = written.partition(", unless in ")
    concept, _, detail = written.partition("@")
    if detail.lstrip("-").isdigit():
        return RatioOperand(name, concept, offset=-int(detail))
    return RatioOperand(name, concept, statement=detail, included_in=included_in)


def _statement(entry: dict[str, object]) -> StatementKind:
    asked, titles = entry["asked"], entry["titles"]
    assert isinstance(asked, list) and isinstance(titles, list)
    return StatementKind(str(entry["name"]), tuple(asked), tuple(titles), str(entry["source"]))
