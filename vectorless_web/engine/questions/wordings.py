"""Other wordings of a question's words: forms of a word, spellings, numbers as words, and words of near meaning."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise

from vectorless_web.engine.questions.vocabulary import FIELDS, read_field, read_forms
from vectorless_web.engine.text.analyser import Word, analyse, word_terms, words
from vectorless_web.engine.text.quantities import SPELLED_NUMBERS, quantities_in

SPELLING, FORM, NEAR = 0.8, 0.4, 0.25
"""Weights of the same word spelled or inflected otherwise, of another word of its family, and of a word of near
meaning, where the question's own weigh 1. Measured on 87 everyday questions, gold passage among the first 1 and 5:
.437 and .747; a family at 0.25 gives .448 and .736, at 0.6 .448 and .747 and loses 1 of 65 filings' pages at 1; near
meanings at 0.15 give .414 and .759, at 0.35 .460 and .747 and lose 4 of 137 reports' pages at 1."""
_FEW = 4
"""Near meanings of one piece up to which each weighs in full; of more, all weigh less, by the root of their share.
Measured likewise: .448 and .770, and 39 of 63 everyday pages at 1 where 35 are without it and 36 with 8 (and 0.35)."""
_LARGEST_SPELLED = 31
"""Numbers from 2 to this are looked for as words and as digits: days, months, small counts. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class OtherWording:
    """A wording that may stand for a piece of the question.

    `origin` are the question's terms it stands for, `terms` its own. `weight` in (0, 1) is
    what it counts beside the question's own words. `source` names the entry or the family.
    """

    origin: tuple[str, ...]
    text: str
    terms: tuple[str, ...]
    weight: float
    source: str


@dataclass(frozen=True, slots=True)
class VocabularyEntry:
    """Words that mean nearly the same. `asked` is what questions say, `written` what documents do, the name in both."""

    name: str
    asked: tuple[str, ...]
    written: tuple[str, ...]
    field: str
    source: str


@lru_cache(maxsize=256)
def other_wordings(text: str) -> tuple[OtherWording, ...]:
    """Other wordings of a text's words, the likeliest first for each; those that the text has itself are left out."""
    found = [(term, word) for word in words(text) for term in word_terms(word.text)]
    own = {term for term, _ in found}
    wordings = [*_other_forms(found), *_other_figures(text), *_done_again(text, found), *_near_meanings(text, found)]
    kept: dict[tuple[tuple[str, ...], tuple[str, ...]], OtherWording] = {}
    for wording in wordings:
        key = (wording.origin, wording.terms)
        if not own.issuperset(wording.terms) and (key not in kept or kept[key].weight < wording.weight):
            kept[key] = wording
    return tuple(sorted(kept.values(), key=lambda wording: -wording.weight))


def _other_forms(found: Sequence[tuple[str, Word]]) -> Iterator[OtherWording]:
    forms = _forms()
    for term, word in found:
        source = f"forms of {word.text.lower()}"
        for other, weight in forms.get(term, ()):
            yield OtherWording((term,), other, (other,), weight, source)
        for other in _spell_otherwise(term):
            yield OtherWording((term,), other, (other,), SPELLING, source)
    for (first, _), (second, _) in pairwise(found):
        joined = _load_joined().get((first, second))
        if joined:
            yield OtherWording((first, second), joined, (joined,), SPELLING, f"spellings of {joined}")


def _done_again(text: str, found: Sequence[tuple[str, Word]]) -> Iterator[OtherWording]:
    """What is opened again is reopened: of a question that says "again", the verb may be any of its words."""
    is_again = any(word.text.lower() == "again" for word in words(text))
    for term, word in found if is_again else ():
        plain = word.text.lower()
        if len(plain) >= _LEAST_DONE_AGAIN and plain.isalpha() and plain != "again":
            for again in word_terms(f"re{plain}"):
                yield OtherWording((term,), again, (again,), FORM, f"forms of {plain} again")


_LEAST_DONE_AGAIN = 4
"""Letters of a word that "re" is put before; of a shorter one another word may come ("real" of "al")."""


def _spell_otherwise(term: str) -> Iterator[str]:
    """Numbers as words or digits, -ise as -ize."""
    if term in _numbers():
        yield _numbers()[term]
    if len(term) > 5 and term.endswith(("is", "iz")):
        yield term[:-1] + ("z" if term.endswith("is") else "s")


def _other_figures(text: str) -> Iterator[OtherWording]:
    """A large number in the notations of documents: half a million is 500,000 and 0.5 million."""
    for quantity in quantities_in(text):
        origin = tuple(analyse(text[quantity.start : quantity.end]))
        is_whole = quantity.value == quantity.value.to_integral_value()
        if not origin or not is_whole or quantity.value <= _LARGEST_SPELLED or quantity.is_ordinal or quantity.is_code:
            continue
        for told in _notations(int(quantity.value)):
            terms = tuple(analyse(told))
            if terms != origin:
                yield OtherWording(origin, told, terms, SPELLING, "notations of a number")


def _notations(value: int) -> Iterator[str]:
    yield f"{value:,}"
    for scale, name in ((10**9, "billion"), (10**6, "million")):
        if 2 * value >= scale and value % (scale // 100) == 0:
            yield f"{Decimal(value) / scale:f} {name}"
            return


def _base(term: str) -> str:
    """The term of the word's plain form: "got" is looked up as "get", "organize" as "organise"."""
    return _bases().get(term, term)


@cache
def _bases() -> dict[str, str]:
    listed = read_forms()
    families = (line.split() for kind in ("inflections", "spellings") for line in listed[kind])
    pairs = ((term, analyse(family[0])) for family in families for word in family[1:] for term in word_terms(word))
    return {term: plain[0] for term, plain in pairs if plain}


@cache
def _numbers() -> dict[str, str]:
    spelled = {word: value for word, value in SPELLED_NUMBERS.items() if 1 < value <= _LARGEST_SPELLED}
    pairs = [(terms[0], str(value)) for word, value in spelled.items() if len(terms := analyse(word)) == 1]
    return {**dict(pairs), **{digits: word for word, digits in pairs}}


@cache
def _load_joined() -> dict[tuple[str, str], str]:
    """What two terms beside each other make as one word: ("time", "off") -> "timeoff"."""
    pairs: dict[tuple[str, str], str] = {}
    for first, second in _compounds():
        parts, whole = [*analyse(first), *analyse(second)], analyse(first + second)
        if len(parts) == 2 and len(whole) == 1:
            pairs[parts[0], parts[1]] = whole[0]
    return pairs


def _compounds() -> list[tuple[str, str]]:
    return [(first, second) for first, _, second in (line.partition(" ") for line in read_forms()["compounds"])]


@cache
def _forms() -> dict[str, tuple[tuple[str, float], ...]]:
    """Term -> terms of the same word or its family, each with its weight, the heaviest first."""
    listed = read_forms()
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for kind, weight in (("inflections", SPELLING), ("spellings", SPELLING), ("families", FORM)):
        for line in listed[kind]:
            terms = list(dict.fromkeys(term for word in line.split() for term in word_terms(word)))
            for term in terms:
                for other in terms:
                    if other != term:
                        found[term].setdefault(other, weight)
    for (first, second), whole in _load_joined().items():
        found[whole].update({first: FORM, second: FORM})
    return {term: tuple(sorted(others.items(), key=lambda item: -item[1])) for term, others in found.items()}


def _near_meanings(text: str, found: Sequence[tuple[str, Word]]) -> Iterator[OtherWording]:
    for origin, entries in _mentions(text, found):
        listed = [
            (wording, _terms(wording), entry.name)
            for entry in entries
            for wording in entry.written
            if _terms(wording) and not _is_literal(wording) and not set(_terms(wording)) <= set(origin)
        ]
        weight = NEAR * min(1.0, math.sqrt(_FEW / max(1, len(listed))))
        for wording, terms, name in listed:
            is_short = _abbreviates(terms, origin) or _abbreviates(origin, terms)
            yield OtherWording(origin, wording, terms, SPELLING if is_short else weight, name)


def _abbreviates(short: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether one term is the initials of several: a CFO is no other than the chief financial officer."""
    return len(short) == 1 and len(whole) > 1 and short[0] == "".join(term[0] for term in whole)


def _mentions(
    text: str, found: Sequence[tuple[str, Word]]
) -> Iterator[tuple[tuple[str, ...], tuple[VocabularyEntry, ...]]]:
    """The question's terms that name entries, the longest stretch first from each place on."""
    lowered = f" {' '.join(word.text.lower() for word in words(text))} "
    for phrase, entries in _literals().items():
        if f" {phrase} " in lowered:
            yield tuple(analyse(phrase)), entries
    yield from _parted_verbs(text, found)
    position = 0
    while position < len(found):
        length, entries = _longest(found, position)
        if entries:
            yield tuple(term for term, _ in found[position : position + length]), entries
        position += max(1, length)


_PARTICLES = frozenset({"off", "away", "back", "out", "down", "over"})
"""Words that make another verb of the one before them, also with what it is done to between them."""

_REACH = 3
"""Terms from a verb to its particle, at most: "get my whole deposit back"."""


def _parted_verbs(
    text: str, found: Sequence[tuple[str, Word]]
) -> Iterator[tuple[tuple[str, ...], tuple[VocabularyEntry, ...]]]:
    """Entries named by a verb and a particle that stand apart: "call the meeting off"."""
    for place, (particle, last) in enumerate(found):
        if last.text.lower() not in _PARTICLES:
            continue
        for begin in range(place - 2, max(-1, place - _REACH - 1), -1):
            verb, first = found[begin]
            between = text[first.end : last.start]
            entries = _by_terms().get((_base(verb), particle), ())
            is_known = tuple(_base(term) for term, _ in found[begin : place + 1]) in _by_terms()
            if entries and not is_known and not any(mark in between for mark in ",.;:?!"):
                yield (verb, particle), entries
                break


def _longest(found: Sequence[tuple[str, Word]], position: int) -> tuple[int, tuple[VocabularyEntry, ...]]:
    for length in range(min(_LONGEST, len(found) - position), 0, -1):
        entries = _by_terms().get(tuple(_base(term) for term, _ in found[position : position + length]), ())
        if length == 1:
            entries += _by_terms().get((f"!{found[position][1].text.lower()}",), ())
        if entries:
            return length, entries
    return 0, ()


_LONGEST = 4
"""Terms of a wording at most; no entry has more."""


@cache
def _by_terms() -> dict[tuple[str, ...], tuple[VocabularyEntry, ...]]:
    """Entries by the terms of their asked wordings; a wording that counts in one form alone by that, after "!"."""
    index: defaultdict[tuple[str, ...], list[VocabularyEntry]] = defaultdict(list)
    for entry in vocabulary():
        for wording in entry.asked:
            key = (wording,) if wording.startswith("!") else tuple(map(_base, _terms(wording)))
            if key and not _is_literal(wording) and entry not in index[key]:
                index[key].append(entry)
    return {key: tuple(entries) for key, entries in index.items() if entries}


@cache
def _literals() -> dict[str, tuple[VocabularyEntry, ...]]:
    """Entries by wordings that little is left of once function words are dropped: "how long"."""
    index: defaultdict[str, list[VocabularyEntry]] = defaultdict(list)
    for entry in vocabulary():
        for wording in filter(_is_literal, entry.asked):
            for inflected in _inflect_first(wording):
                if entry not in index[inflected]:
                    index[inflected].append(entry)
    return {phrase: tuple(entries) for phrase, entries in index.items()}


def _inflect_first(phrase: str) -> list[str]:
    """A phrase with its first word in the forms that it may have as a verb: "fill in", "fills in", "filling in"."""
    first, _, rest = phrase.partition(" ")
    if not rest.replace(" ", "").isalpha() or len(first) < _SHORTEST_VERB or not first.isalpha():
        return [phrase]
    stem = first.removesuffix("e")
    regular = (f"{first}s", f"{stem}ed", f"{stem}ing", f"{first}{first[-1]}ing", f"{first}{first[-1]}ed")
    return [f"{form} {rest}" for form in dict.fromkeys((first, *regular, *_irregular().get(first, ())))]


_SHORTEST_VERB = 3
"""Letters of a verb that is looked for in its other forms."""


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    families = (line.split() for line in read_forms()["inflections"])
    return {family[0]: tuple(family[1:]) for family in families}


@cache
def _is_literal(wording: str) -> bool:
    return len(words(wording)) > 1 and len(_terms(wording)) < 2


@cache
def _terms(wording: str) -> tuple[str, ...]:
    return tuple(analyse(wording))


def names_deed(text: str, start: int, end: int) -> bool:
    """Whether the words from `start` to `end` say what somebody does, though by themselves they name a thing.

    So it is with "pay" in "What do we have to pay?", but not in "How much is the pay?".
    """
    return text[start:end].lower() in _deeds() and bool(_before_deed().search(text[:start]))


@cache
def _deeds() -> frozenset[str]:
    return frozenset(word for line in read_forms()["deeds"] for word in line.split())


@cache
def _before_deed() -> re.Pattern[str]:
    before = "|".join(read_forms()["before_deeds"])
    return re.compile(rf"\b(?:{before}) (?:\w+ly )?$", re.IGNORECASE)


def find_entry(name: str) -> VocabularyEntry | None:
    """The first entry of that name."""
    return _by_name().get(name)


@cache
def _by_name() -> dict[str, VocabularyEntry]:
    return {entry.name: entry for entry in reversed(vocabulary())}


@cache
def vocabulary() -> tuple[VocabularyEntry, ...]:
    """All entries of the everyday vocabulary."""
    return tuple(
        _entry(name, wordings, field, str(group["source"]))
        for field in FIELDS
        for group in read_field(field)["group"]
        for name, wordings in group["words"].items()
    )


def _entry(name: str, wordings: Iterable[str], field: str, source: str) -> VocabularyEntry:
    listed = list(wordings)
    asked = [name, *(wording.lstrip("?") for wording in listed if not wording.startswith("="))]
    written = [name, *(wording.lstrip("=") for wording in listed if not wording.startswith("?"))]
    return VocabularyEntry(name, tuple(dict.fromkeys(asked)), tuple(dict.fromkeys(written)), field, source)
