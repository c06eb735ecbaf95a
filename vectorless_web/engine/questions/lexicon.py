"""The lexicon: concepts with the phrases by which documents express them, ratios, statement kinds, acronyms."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from vectorless_web.engine.questions.packs import PACKS, read_pack
from vectorless_web.engine.questions.plan import Standard
from vectorless_web.engine.questions.wordings import names_deed
from vectorless_web.engine.text.analyser import Word, word_terms, words

_LINKS = frozenset({"and", "of", "the", "for", "to", "in", "on", "per", "with"})
_AND = ("", "&", "n", "a")


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

    `statement` is the primary statement its figure usually stands in, `sections` the
    headings under which text about it stands, `source` where the knowledge comes from.
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

    `concepts` are further concepts worth reading when the ratio is judged in words. `others` are
    other ways in use, each named by how it differs. `standard` is what it is judged by; one that
    is `judged` answers a yes or no alone. `foil` are rows of a balance sheet that only those show for
    whom the ratio means nothing. `share`: told in percent when the question leaves it open.
    """

    name: str
    asked: tuple[str, ...]
    expression: str
    operands: tuple[RatioOperand, ...]
    percent: bool = False
    concepts: tuple[str, ...] = ()
    source: str = ""
    others: tuple["Ratio", ...] = ()
    standard: Standard | None = None
    judged: bool = False
    foil: tuple[str, ...] = ()
    share: bool = False


@dataclass(frozen=True, slots=True)
class StatementKind:
    """A primary statement: how it is asked for, its printed titles, and the concepts whose captions identify it."""

    name: str
    asked: tuple[str, ...]
    titles: tuple[str, ...]
    captions: tuple[str, ...]
    source: str = ""


Entry = Concept | Ratio | StatementKind


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a text (characters `start` to `end`, exclusive) that names the entries."""

    start: int
    end: int
    text: str
    entries: tuple[Entry, ...]


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

    def statement(self, name: str) -> StatementKind | None:
        """The statement kind of that name (`income`, `balance`, ...)."""
        return next((kind for kind in self.statements if kind.name == name), None)

    def with_concepts(self, added: Iterable[Concept]) -> "Lexicon":
        """A lexicon in which these concepts come first: a workspace's own terms, acronyms and nicknames."""
        return Lexicon((*added, *self.concepts), self.ratios, self.statements)

    def match(self, text: str) -> list[Match]:
        """Non-overlapping mentions in reading order, the longest first where they overlap.

        A word that says here what somebody does is no mention: what we "have to pay" is no salary.
        """
        found = _terms_with_words(text)
        matches = self._literal_matches(text)
        spans = [(match.start, match.end) for match in matches]
        position = 0
        while position < len(found):
            length, entries = self._longest(found, position)
            word = found[position][1]
            if any(start <= word.start < end for start, end in spans):
                length = 0
            if not length:
                position += 1
                continue
            start, end = found[position][1].start, found[position + length - 1][1].end
            if not names_deed(text, start, end):
                matches.append(Match(start, end, text[start:end], entries))
            position += length
        return sorted(matches, key=lambda match: match.start)

    def _literal_matches(self, text: str) -> list[Match]:
        """Phrases such as "who owns" that are told from others by their small words alone; longer ones first."""
        lowered = text.lower()
        matches: list[Match] = []
        for phrase, entries in self._literals.items():
            start = lowered.find(phrase)
            end = start + len(phrase)
            if start >= 0 and _is_whole(lowered, start, end) and all(end <= m.start or start >= m.end for m in matches):
                matches.append(Match(start, end, text[start:end], tuple(entries)))
        return matches

    def _longest(self, found: Sequence[tuple[str, Word]], position: int) -> tuple[int, tuple[Entry, ...]]:
        for length in range(min(self._longest_entry, len(found) - position), 0, -1):
            entries = self._by_terms.get(_key(found[position : position + length]))
            if entries:
                return length, tuple(entries)
        return self._acronym(found[position][1])

    def _acronym(self, word: Word) -> tuple[int, tuple[Entry, ...]]:
        """Acronyms count only as people write them: in capitals (a plural s aside)."""
        text = word.text.removesuffix("s")
        if len(text) < 3 or not text.isupper():
            return 0, ()
        entries = self._by_acronym.get(text.lower(), [])
        return (1, tuple(entries)) if len(entries) == 1 else (0, ())

    @cached_property
    def _by_terms(self) -> dict[tuple[str, ...], list[Entry]]:
        index: dict[tuple[str, ...], list[Entry]] = {}
        for entry, phrase in self._index_wordings():
            if _is_literal(phrase):
                continue
            key = _phrase_key(phrase)
            listed = index.setdefault(key, [])
            if entry not in listed:
                listed.append(entry)
        index.pop((), None)
        return {terms: _sort_named_first(terms, entries) for terms, entries in index.items()}

    @cached_property
    def _literals(self) -> dict[str, list[Entry]]:
        index: dict[str, list[Entry]] = {}
        for entry, phrase in self._index_wordings():
            if _is_literal(phrase):
                index.setdefault(phrase.lower(), []).append(entry)
        return dict(sorted(index.items(), key=lambda item: (-len(item[0]), item[0])))

    @cached_property
    def _longest_entry(self) -> int:
        return max((len(terms) for terms in self._by_terms), default=0)

    @cached_property
    def _by_acronym(self) -> dict[str, list[Entry]]:
        index: dict[str, list[Entry]] = {}
        named: list[Entry] = [*(concept for concept in self.concepts if concept.statement), *self.ratios]
        for entry in named:
            for acronym in acronyms_of(entry.name):
                index.setdefault(acronym, []).append(entry)
        return index

    def _index_wordings(self) -> Iterator[tuple[Entry, str]]:
        entries: list[Entry] = [*self.ratios, *self.concepts, *self.statements]
        for entry in entries:
            yield from ((entry, phrase) for phrase in entry.asked)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the stretch begins and ends with a word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not before.isalnum() and not after.isalnum()


@cache
def _is_literal(phrase: str) -> bool:
    """Whether little of several words is left once function words are dropped."""
    return len(words(phrase)) > 1 and len(_terms_with_words(phrase)) < 2


@cache
def _phrase_key(phrase: str) -> tuple[str, ...]:
    """Remembered, so that a workspace's lexicon, which is the packs and a little more, is ready at once."""
    return _key(_terms_with_words(phrase))


def _sort_named_first(terms: tuple[str, ...], entries: list[Entry]) -> list[Entry]:
    """Where several entries share a phrase, those that are called so come first."""
    return sorted(entries, key=lambda entry: _phrase_key(entry.name) != terms)


def _key(found: Sequence[tuple[str, Word]]) -> tuple[str, ...]:
    """Stems for phrases; a single word only up to its plural, for "investing" is not "investment"."""
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
    judge, foil = entry.get("standard"), entry.get("foil", [])
    assert isinstance(foil, list)
    return Ratio(
        name=str(entry["name"]),
        asked=_remove_repeats([str(entry["name"]), *asked]),
        expression=str(entry["expression"]),
        operands=tuple(_operand(name, concept) for name, concept in operands.items()),
        percent=bool(entry.get("percent", False)),
        concepts=tuple(concepts),
        source=str(entry["source"]),
        others=tuple(_ratio({"source": entry["source"], "operands": operands, **other}) for other in also),
        standard=_standard(judge) if isinstance(judge, dict) else None,
        judged=bool(entry.get("judged", False)),
        foil=tuple(foil),
        share=bool(entry.get("share", False)),
    )


def _standard(judge: dict[str, object]) -> Standard:
    asked = judge.get("asked", [])
    assert isinstance(asked, list)
    return Standard(float(str(judge["least"])), str(judge["words"]), tuple(asked))


def _operand(name: str, written: str) -> RatioOperand:
    written, _, included_in = written.partition(", unless in ")
    concept, _, detail = written.partition("@")
    if detail.lstrip("-").isdigit():
        return RatioOperand(name, concept, offset=-int(detail))
    return RatioOperand(name, concept, statement=detail, included_in=included_in)


def _statement(entry: dict[str, object]) -> StatementKind:
    asked, titles, captions = entry["asked"], entry["titles"], entry["captions"]
    assert isinstance(asked, list) and isinstance(titles, list) and isinstance(captions, list)
    return StatementKind(str(entry["name"]), tuple(asked), tuple(titles), tuple(captions), str(entry["source"]))
