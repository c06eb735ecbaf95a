"""What the wording of a claim binds together: numbers to the names beside them, a text to its clauses."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from vectorless_web.engine.text.analyser import analyse, word_terms, words
from vectorless_web.engine.text.dates import MONTH_PATTERN
from vectorless_web.engine.text.numbers import Number, numbers_in
from vectorless_web.engine.text.quantities import SPELLED_NUMBERS

_MONTH = rf"(?=(?-i:[A-Z])){MONTH_PATTERN}"
"""A month with a capital: "older than 12 may" and "8 separate" hold none."""
_DATE = re.compile(rf"\b{_MONTH}\s+\d{{1,2}}\b(?![.,]?\d)|\b\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}", re.I)
_YEAR_NUMBER = re.compile(r"(?:19|20)\d\d")
_SCHOOL_YEAR = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d\s?[/–-]\s?\d\d(?!\d)")
_LIST_JOINT = re.compile(r"[\s,;/&–-]*(?:\b(?:and|or|to|through|until|the)\b[\s,]*)*", re.I)
_OF_ANOTHER = re.compile(r"\s*(?:of|was|were|at|:|=)\s*[$€£¥]?\d", re.I)
"""A name that goes on to its own number: "by net sales of 2,910"."""

_COMPARING = re.compile(
    r"(?:\bfrom|\bagainst|\bversus|\bvs\.?|\bthan|\bcompared\s+(?:with|to)|\bover)"
    r"\s+(?:about|only|a|an|the|just|some)?\s*[$€£¥(]*\s*$",
    re.I,
)
_COMPARED_BEHIND = re.compile(r"\s*(?:[a-z]+illion\s*)?(?:against|versus|vs\.?|compared\s+(?:with|to))\b", re.I)
"""A pair in parentheses, "10% above budget (461 against 420)": which of the two the name means is not said."""
_STOPS = frozenset(
    {
        *("and", "or", "but", "to", "from", "than", "against", "vs", "versus", "compared", "while", "whereas"),
        *("although", "up", "down", "rose", "fell", "grew", "over", "after", "before", "not", "without", "unlike"),
        *("plus", "minus", "less"),
    }
)
"""Words that part a number from a name."""

_MOST_WORDS_AFTER, _MOST_WORDS_BEFORE = 4, 5
"""Words that may stand between a number and the name it belongs to, behind it and before it."""

_IRREGULAR = {
    "children": "child",
    "kids": "child",
    "kid": "child",
    "women": "woman",
    "men": "man",
    "people": "person",
    "persons": "person",
}
_CLAUSE = re.compile(
    r"(?:[;:](?=\s)|(?<=[a-z)%])\.(?=\s|$))\s*|,?\s+\b(?:but|while|whereas|although|however|though)\b\s*,?\s*"
    r"|,\s+(?=and\b)|,\s+(?=(?:up|down)\b)|\s+(?=[-–—]\s)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a text: what it names (`key`) and its characters."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Binding:
    """Names by a number: `after` close behind, `before` close ahead, `next` anywhere behind, `near` on each side."""

    after: frozenset[str]
    before: frozenset[str]
    next: frozenset[str]
    near: frozenset[str]


@lru_cache(maxsize=1 << 12)
def stem_words(text: str) -> tuple[str, ...]:
    """Index terms of a text, irregular plurals as their singular."""
    return tuple(term for word in words(text) for term in word_terms(_IRREGULAR.get(word.text.lower(), word.text)))


@lru_cache(maxsize=1 << 10)
def _placed_terms(text: str) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        (term, word.start, word.end)
        for word in words(text)
        for term in word_terms(_IRREGULAR.get(word.text.lower(), word.text))
    )


@lru_cache(maxsize=1 << 8)
def figures_in(text: str) -> tuple[Number, ...]:
    """Numbers of a text that state something: without years, days of dates, school years and split heading numbers."""
    dates = [match.span() for pattern in (_DATE, _SCHOOL_YEAR) for match in pattern.finditer(text)]
    return tuple(
        number
        for number in numbers_in(text)
        if not any(start <= number.start < end for start, end in dates)
        and not _is_year(number)
        and not number.text.lstrip("-–−( ").startswith(".")
    )


_DIFFERENCE = re.compile(
    r"\s*(?:%|percent\w*|per\s?cent)?\s*(?:(?!and\b|or\b)[a-z]+\s+){0,2}?(?:more|fewer|less|higher|lower|longer|shorter|older|younger"
    r"|larger|smaller|above|below|faster|slower|better|worse|later|earlier|ahead|behind)\b(?:\s+[\w’'-]+){0,3}?\s+(?:than|of)\b"
    r"|\s*(?:more|fewer|less|higher|lower|above|below|later|earlier|longer|shorter)\b",
    re.I,
)


def is_difference(text: str, number: Number, stated: Iterable[Decimal]) -> bool:
    """Whether a number tells by how much one thing exceeds another ("12 fewer than") and two of the stated give it."""
    if not _DIFFERENCE.match(text, number.end):
        return False
    values = list(dict.fromkeys(abs(value) for value in stated))[:MOST_COMPARED]
    wanted = abs(number.value)
    return any(wanted in (abs(one - other), abs(one - other) * number.scale) for one in values for other in values)


MOST_COMPARED = 60
"""Numbers of which each pair is tried for a difference."""


def _is_year(number: Number) -> bool:
    digits = number.text.strip("() -–−")
    return bool(_YEAR_NUMBER.fullmatch(digits)) and not number.currency and number.scale == 1 and not number.percent


_SPELLED_WORD = re.compile(rf"\b(?:{'|'.join(SPELLED_NUMBERS)})\b(?!\s*\(\d)", re.I)


@dataclass(frozen=True, slots=True)
class Told:
    """A number of a text, in digits or as a word, and where it stands."""

    start: int
    end: int
    value: Decimal
    number: Number


@lru_cache(maxsize=1 << 8)
def numbers_told(text: str) -> tuple[Told, ...]:
    """The numbers of a text with those spelled out up to ninety; each check of a claim asks again."""
    found = [Told(number.start, number.end, number.value, number) for number in figures_in(text)]
    for match in _SPELLED_WORD.finditer(text):
        value = SPELLED_NUMBERS[match.group().lower()]
        number = Number(match.start(), match.end(), value, False, "", Decimal(1), match.group())
        found.append(Told(match.start(), match.end(), value, number))
    return tuple(sorted(found, key=lambda told: told.start))


def agree(number: Number, value: Decimal, scales: Iterable[Decimal] = (Decimal(1),)) -> bool:
    """Whether a number told is the value, read with one of the scales and rounded to the digits told."""
    tolerance = _find_tolerance(number.text, number.scale, percent=number.percent)
    return any(abs(abs(number.value) - abs(value * scale)) <= tolerance for scale in scales)


def agree_told(one: Told, other: Told) -> bool:
    """Whether two numbers are the same, one of them perhaps rounded."""
    return agree(one.number, other.value) or agree(other.number, one.value)


@lru_cache(maxsize=1 << 10)
def _find_tolerance(text: str, scale: Decimal, *, percent: bool) -> Decimal:
    """Half of what the last digit told is worth; nothing for a whole number."""
    decimals = re.sub(r"[^\d.]", "", text).partition(".")[2]
    return Decimal(0) if not decimals and scale == 1 and not percent else scale.scaleb(-len(decimals)) / 2


def find_mentions(text: str, names: Mapping[str, Sequence[str]]) -> list[Mention]:
    """Where the text says a name: all its terms, with at most one other word between two of them.

    `names` are the terms of each key. Of names that overlap, the one of more words counts.
    """
    placed = _placed_terms(text)
    found: list[tuple[int, Mention]] = []
    said = {term for term, _, _ in placed}
    # Names of the same words stand at the same places, where the first of them counts.
    different = {
        frozenset(terms): (key, terms) for key, terms in reversed(list(names.items())) if said.issuperset(terms)
    }
    for key, terms in reversed(different.values()):
        found += [
            (len(terms), mention)
            for mention in _mentions_of(placed, key, tuple(terms))
            if len(terms) > 1 or not _is_in_compound(text, mention)
        ]
    found.sort(key=lambda pair: (-pair[0], pair[1].start))
    kept: list[Mention] = []
    for _, mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _is_in_compound(text: str, mention: Mention) -> bool:
    """Whether a name of one word is but a part of a longer one: "divestiture" of "divestiture-related"."""
    around = text[max(0, mention.start - 1) : mention.end + 1]
    return "-" not in mention.key and bool(re.search(r"\w-\w", around) or re.search(r"^-\w|\w-$", around))


def _mentions_of(placed: Sequence[tuple[str, int, int]], key: str, terms: tuple[str, ...]) -> Iterable[Mention]:
    if not terms:
        return
    size = len(terms)
    for place, (term, start, _) in enumerate(placed):
        if term not in terms:
            continue
        window = placed[place : place + size + (size > 1)]
        if set(terms) <= {other for other, _, _ in window}:
            yield Mention(start, max(end for other, _, end in window if other in terms), key)


def bind_number(text: str, number: Number, mentions: Sequence[Mention], figures: Sequence[Number]) -> Binding:
    """The names that stand beside a number of a text; names in a list count together."""
    runs = _runs(text, mentions)
    ahead = next((run for run in reversed(runs) if run[-1].end <= number.start), None)
    behind = next((run for run in runs if run[0].start >= number.end), None)
    after = before = frozenset[str]()
    if behind and _is_bound(text[number.end : behind[0].start], _MOST_WORDS_AFTER, "", figures, number.end):
        is_next = _OF_ANOTHER.match(text[behind[-1].end :])
        after = frozenset() if is_next else _keys(behind)
    if ahead and _is_bound(text[ahead[-1].end : number.start], _MOST_WORDS_BEFORE, ",(", figures, ahead[-1].end):
        before = _keys(ahead)
    if ahead and "(" in text[ahead[-1].end : number.start] and _COMPARED_BEHIND.match(text, number.end):
        before = frozenset()
    if re.search(r"\brespectively\b", text, re.I) or _is_listed(text, number, figures):
        after = before = frozenset()
    following = _keys(behind) if behind else frozenset[str]()
    return Binding(after, before, following, following | (_keys(ahead) if ahead else frozenset()))


def is_compared(text: str, number: Number) -> bool:
    """Whether the number is what another one is compared with: "from 20", "against 20"."""
    return bool(_COMPARING.search(text[: number.start]))


def _runs(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    runs: list[list[Mention]] = []
    for mention in mentions:
        if runs and _LIST_JOINT.fullmatch(text[runs[-1][-1].end : mention.start]):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return runs


def _keys(run: Sequence[Mention]) -> frozenset[str]:
    return frozenset(mention.key for mention in run)


def _is_bound(between: str, most: int, allowed: str, figures: Sequence[Number], offset: int) -> bool:
    """Whether the words between a number and a name keep them together."""
    if any(offset <= figure.start < offset + len(between) for figure in figures):
        return False
    stops = "".join(mark for mark in ",;." if mark not in allowed)
    if any(re.search(rf"{re.escape(mark)}(?:\s|$)", between) for mark in stops):
        return False
    said = [word.text.lower() for word in words(between)]
    return len(said) <= most and not any(word in _STOPS for word in said)


def _is_listed(text: str, number: Number, figures: Sequence[Number]) -> bool:
    """Whether another number stands right beside it in a list: "2 and 3", "2, 3"."""
    for other in figures:
        gap = text[number.end : other.start] if other.start > number.start else text[other.end : number.start]
        if other != number and re.fullmatch(
            r"[\s$€£%]*(?:,|and|or|&|/|[\s,])*[\s$€£]*(?:[a-z]+illion[\s,]*(?:and)?)?\s*", gap
        ):
            return True
    return False


def split_clauses(text: str) -> list[str]:
    """A text cut where another statement begins: at semicolons, "but", "while", ", and"."""
    return [part.strip() for part in _CLAUSE.split(text) if part and part.strip()]


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry the meaning."""
    return frozenset(stem_words(text))


def quote_label(label: str) -> str:
    """A label between quotation marks, shortened for a sentence."""
    told = " ".join(label.split())
    return f"“{told[:70]}”"


def terms_of(label: str) -> tuple[str, ...]:
    """Terms of a label without what stands in parentheses, unless nothing else is there."""
    return stem_words(re.sub(r"\([^)]*\)", " ", label)) or stem_words(label) or tuple(analyse(label))
