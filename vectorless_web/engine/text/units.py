"""Units as documents and questions write them: scales, currencies and measures, from one data file."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib import resources
from typing import Any


def _read_data() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("units.toml").read_text(encoding="utf-8"))


_DATA = _read_data()
SCALES: Mapping[str, Decimal] = {word: Decimal(factor) for factor, words in _DATA["scale"].items() for word in words}
"""The factor of each word of scale: "million" is 1000000."""
CURRENCIES: Mapping[str, str] = {word: code for code, words in _DATA["currency"].items() for word in words}
"""The ISO code of each currency by its code, sign or name, in small letters."""
MEASURE_NAMES: Mapping[str, str] = {word: name for name, entry in _DATA["measure"].items() for word in entry["words"]}
"""The measure that a word names: "kg" is "kilogram"."""
MEASURES: Mapping[str, tuple[str, Decimal]] = {
    name: (entry["of"], Decimal(entry["worth"])) for name, entry in _DATA["measure"].items()
}
"""For each measure what it measures, and how many of the smallest unit of that one is worth.

Months are not turned into days: a month has no fixed number of them.
"""
LEADS: frozenset[str] = frozenset(_DATA["asked"]["leads"])
"""Words between a question and the unit in which it wants its number."""
PLACES: tuple[str, ...] = tuple(_DATA["asked"]["places"])
"""What decimal places are called."""
WHOLE: tuple[str, ...] = tuple(_DATA["asked"]["whole"])
"""What a number without decimal places is called."""

_PERCENT = frozenset({"percent", "percentage point"})
_WORDS = sorted({*SCALES, *CURRENCIES, *MEASURE_NAMES}, key=len, reverse=True)
_UNIT = re.compile(
    r"(?<![^\W\d_])(?:" + "|".join(re.escape(word).replace(r"\ ", r"[\s\-]+") for word in _WORDS) + r")(?![^\W\d_])"
    r"|(?<![^\W\d_])(?:[A-Za-z.]{1,4})?[$€£¥₹](?=\s?(?:[a-z]{1,2}\b|\w))",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[\s\-]+")
_BEFORE_LETTER = re.compile(r"(?:[\d$€£¥₹(\[\"'’]|\b[A-Z]{3})\s?$")


@dataclass(frozen=True, slots=True)
class UnitMention:
    """A unit at characters `start` to `end` (exclusive): a `scale` other than 1, a `currency` code, or a `measure`."""

    start: int
    end: int
    text: str
    scale: Decimal = Decimal(1)
    currency: str = ""
    measure: str = ""

    @property
    def is_percent(self) -> bool:
        """Whether it is percent or percentage points."""
        return self.measure in _PERCENT


@dataclass(frozen=True, slots=True)
class Unit:
    """What a text says of the unit of its figures; 1 and "" for what it leaves open."""

    scale: Decimal = Decimal(1)
    currency: str = ""
    measure: str = ""


def units_in(text: str) -> tuple[UnitMention, ...]:
    """Mentions of units in reading order, the longest wording where several fit.

    A single letter counts behind a digit, a sign of money, a code in capitals or a bracket: "$m", "EUR k", "(g)".
    """
    found = []
    for match in _UNIT.finditer(text):
        word = _SPACE.sub(" ", match.group().lower()) if match.group().lower() not in MEASURE_NAMES else ""
        word = word or match.group().lower()
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and text.strip() != match.group() and not _BEFORE_LETTER.search(text, 0, match.start()):
            continue
        if mention := _make_mention(match, word):
            found.append(mention)
    return tuple(found)


def _make_mention(match: re.Match[str], word: str) -> UnitMention | None:
    start, end, text = match.start(), match.end(), match.group()
    if word in CURRENCIES:
        return UnitMention(start, end, text, currency=CURRENCIES[word])
    # "m" alone is a scale behind money and metres elsewhere; tables of lengths say "metres" or "km".
    if word in SCALES:
        return UnitMention(start, end, text, scale=SCALES[word])
    if word in MEASURE_NAMES:
        return UnitMention(start, end, text, measure=MEASURE_NAMES[word])
    return None


def read_unit(text: str) -> Unit:
    """The first scale, the first currency and the first measure that a units line, header or label says.

    "(Dollars in millions, except per share data)" is a million and USD.
    """
    mentions = units_in(text)
    return Unit(
        next((mention.scale for mention in mentions if mention.scale != 1), Decimal(1)),
        next((mention.currency for mention in mentions if mention.currency), ""),
        next((mention.measure for mention in mentions if mention.measure), ""),
    )


def is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else, leads and small marks aside: "in EUR millions", "(kg)", "%"."""
    rest, end = [], 0
    mentions = units_in(text)
    for mention in mentions:
        rest.append(text[end : mention.start])
        end = mention.end
    rest.append(text[end:])
    words = re.findall(r"[^\W_]+", " ".join(rest).lower())
    return bool(mentions) and all(word in LEADS or word == "of" for word in words)
