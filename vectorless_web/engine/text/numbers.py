"""Numbers and units as texts write them: figures with signs, scales and marks, currencies, measures."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
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
_UNITS = sorted({*SCALES, *CURRENCIES, *MEASURE_NAMES}, key=len, reverse=True)
_UNIT_NAME = re.compile(
    r"(?<![^\W\d_])(?:" + "|".join(re.escape(word).replace(r"\ ", r"[\s\-]+") for word in _UNITS) + r")(?![^\W\d_])"
    r"|(?<![^\W\d_])(?:[A-Za-z.]{1,4})?[$€£¥₹](?=\s?(?:[a-z]{1,2}\b|\w))",
    re.IGNORECASE,
)
_SPACE = re.compile(r"[\s\-]+")
_IN_NUMBER = re.compile(r"\d\D?$")
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
    for match in _UNIT_NAME.finditer(text):
        word = _SPACE.sub(" ", match.group().lower()) if match.group().lower() not in MEASURE_NAMES else ""
        word = word or match.group().lower()
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and text.strip() != match.group() and not _BEFORE_LETTER.search(text, 0, match.start()):
            continue
        if word[0] == "0" and _IN_NUMBER.search(text, 0, match.start()):
            continue  # the zeros of "86,000" are no thousands
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


_SIGNS = sorted((word for word in CURRENCIES if not word[-1].isalpha()), key=len, reverse=True)
_SIGN = "|".join((r"(?<![A-Za-z])" if sign[0].isalpha() else "") + re.escape(sign) for sign in _SIGNS)
_CODES = "|".join(sorted(set(CURRENCIES.values())))
_SCALE_WORDS = "|".join(sorted((word for word in SCALES if len(word) > 1 and word.isalpha()), key=len, reverse=True))
_PERCENT_WORDS = "|".join(
    word
    for word in sorted(MEASURE_NAMES, key=len, reverse=True)
    if MEASURE_NAMES[word] in ("percent", "percentage point") and len(word) > 3
)
_DIGITS = (
    r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}"
    r"|\d{1,3}(?:['’\u00a0\u2009\u202f]\d{3})+(?:[.,]\d+)?|\d{1,3}(?: \d{3})+,\d\d?(?!\d)"
    r"|\d+[.,]\d+(?![.,]\d)|\d+|\.\d+"
)
"""The digits of a number: 1,234.5, 1.234,5, 1'234.5 and 1 234,5."""
_SPACED = r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?"
"""Digits that spaces part, where they are known to belong together; in a line they may be two figures."""
_NUMBER = (
    rf"(?:(?=[^A-Za-z\s])|(?<![A-Za-z])(?=[A-Za-z]))(?P<code>(?<![A-Za-z])(?:{_CODES})\s?)?"
    r"(?P<open>\()?\s?(?P<minus>(?<![\w)%])[-–−]\s?)?"
    rf"(?P<currency>{_SIGN})?\s?"
    r"(?P<open2>\()?(?P<minus2>(?<=[$€£¥₹(])[-–−])?"
    r"(?P<digits>(?<![\d.,])(?:DIGITS)(?!\d))"
    rf"(?:\s?(?P<percent>%|(?:{_PERCENT_WORDS})\b)"
    rf"|[\s\-](?P<word>{_SCALE_WORDS})\b"
    # Behind money a letter is a scale with a space before it, too: "£4.9 m" is no length.
    r"|(?(currency)\s?|(?(code)\s?))(?P<letter>bn|mn|mm|tn|[kKmMbB])(?![\w]))?"
    r"(?P<close>\s?\))?"
    r"(?P<percent2>\s?%)?"
)
_PLAIN = re.compile(_NUMBER.replace("DIGITS", _DIGITS), re.I)
_WITH_SPACES = re.compile(_NUMBER.replace("DIGITS", f"{_SPACED}|{_DIGITS}"), re.I)
_ALONE = re.compile(rf"\W*{_SPACED}\W*[^\W\d]{{0,3}}\W*")
"""A text that is one number whose digits spaces part, with a short unit, or several figures."""

_TOLD = r"(?=\s?(?:[%‰$€£¥₹]|[^\W\d]{0,4}[^\w.\t]*(?:\t|$)))"
"""Behind a number whose mark tells: a unit, or the end of the text. Others may number sections, notes or days."""
_COMMA = (
    r"\d{1,3}(?:[.'’]\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?: \d{3})+,\d\d?|0,\d+|\d+,\d\d"
    rf"|\d\d+,\d{_TOLD}|\d,\d(?=\s?[%‰$€£¥₹])"
)
_POINT = (
    rf"\d{{1,3}}(?:[,'’]\d{{3}})+\.\d+|\d{{1,3}}(?:,\d{{3}}){{2,}}|0\.\d+|\d+\.\d\d?{_TOLD}"
    r"|(?:(?<=[$€£¥₹])|(?<=[$€£¥₹]\s))\d+\.\d\d?"
)
_EVIDENCE = re.compile(rf"(?<![\w.,/:\[])(?:(?P<comma>{_COMMA})|{_POINT})(?![.,]?\d)")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written. `value` includes sign and scale; percent values are not divided by 100.

    `scale` is the factor of its own words ("million"), 1 without. `currency` is an ISO
    code or "". `text` is what is at `start` to `end` (exclusive). `two_ways`: by itself it could also be read with the
    other decimal mark, as "1,234" could.
    """

    start: int
    end: int
    value: Decimal
    percent: bool
    currency: str
    scale: Decimal
    text: str
    two_ways: bool = False


def decimal_mark(texts: Iterable[str], usual: str = ".") -> str:
    """The mark before decimals by those numbers of texts that can be read in one way; `usual` where there are none.

    "" where they contradict: neither mark is twice as frequent as the other.
    """
    found = [bool(match["comma"]) for text in texts for match in _EVIDENCE.finditer(text)]
    commas, points = sum(found), len(found) - sum(found)
    return "," if commas > 2 * points else "." if points > 2 * commas else "" if found else usual


def is_spaced(text: str) -> bool:
    """Whether a text is one number whose thousands spaces part, or several figures beside each other."""
    return _ALONE.fullmatch(text) is not None


def numbers_in(text: str, mark: str = ".") -> list[Number]:
    """All numbers in reading order; parentheses or a minus make them negative; digits of codes do not count.

    `mark` is the decimal mark of a number that can be read in two ways; where it is a comma, spaces part thousands.
    """
    pattern = _WITH_SPACES if mark == "," else _PLAIN
    return [number for match in pattern.finditer(text) if (number := _read_number(match, text, mark)) is not None]


def _read_digits(digits: str, mark: str) -> tuple[Decimal, bool]:
    """The value of digits, and whether only `mark` tells which it is."""
    plain = re.sub(r"[^\d.,]", "", digits)
    marks = re.findall(r"[.,]", plain)
    decimal = marks[-1] if marks else "."
    if len(marks) > 1 and len(set(marks)) == 1:
        decimal = "," if marks[0] == "." else "."
    two_ways = len(marks) == 1 and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits) is not None
    if two_ways:
        decimal = mark or "."
    thousands = "." if decimal == "," else ","
    return Decimal(plain.replace(thousands, "").replace(decimal, ".")), two_ways


def _read_number(match: re.Match[str], text: str, mark: str) -> Number | None:
    start, end = _find_bounds(match)
    if _inside_word(text, match) or match["digits"] == "000":
        return None  # Thousands that a unit says ("£000") are no number.
    value, two_ways = _read_digits(match["digits"], mark)
    scale = _scale(match)
    percent = bool(match["percent"] or match["percent2"])
    if _is_negative(match, text):
        value = -value
    return Number(start, end, value * scale, percent, _currency(match), scale, text[start:end], two_ways)


def _find_bounds(match: re.Match[str]) -> tuple[int, int]:
    """The match without an unpaired parenthesis or surrounding space."""
    start, end = match.span()
    opened = bool(match["open"] or match["open2"])
    if match["open"] and not match["close"]:
        start = match.end("open")
    if match["close"] and not opened:
        end = match.start("close")
    whole = match.string[start:end]
    return start + len(whole) - len(whole.lstrip()), end - (len(whole) - len(whole.rstrip()))


def _inside_word(text: str, match: re.Match[str]) -> bool:
    """`Q2`, `7M`, `10-K` and `FY2018` are codes, not numbers."""
    first, last = match.start("digits"), match.end("digits")
    before = text[first - 1] if first else " "
    after = text[last : last + 2]
    if before.isalpha() and not match["code"]:
        return True
    if match["letter"]:
        return match["letter"] == "M" and not match["currency"] and not match["code"] and "." not in match["digits"]
    if after[:1] in ("x", "×"):
        return after[1:].isalpha()
    return bool(after) and (after[0].isalpha() or (after[0] == "-" and after[1:].isalpha() and not match["word"]))


def _scale(match: re.Match[str]) -> Decimal:
    word = (match["word"] or match["letter"] or "").lower()
    return SCALES.get(word, Decimal(1))


def _is_negative(match: re.Match[str], text: str) -> bool:
    if match["minus"] or match["minus2"]:
        return not (match["minus"] and match.start() > 0 and text[match.start() - 1].isalnum())
    if match["open2"]:
        return True
    return bool(match["open"] and match["close"]) and not _is_year(match)


def _is_year(match: re.Match[str]) -> bool:
    """ "(2018)" in prose is a year, not minus 2018."""
    digits = match["digits"]
    return bool(re.fullmatch(r"(?:19|20)\d\d", digits)) and not match["currency"]


def _currency(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"].strip().upper()
    return CURRENCIES.get((match["currency"] or "").lower(), "")


@dataclass(frozen=True, slots=True)
class UnitWord:
    """What one word of a unit says: a factor, a currency's ISO code, percent, or nothing known here."""

    scale: Decimal = Decimal(1)
    currency: str = ""
    percent: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the word is a scale, a currency or percent."""
        return self.scale != 1 or bool(self.currency) or self.percent


def unit_word(word: str) -> UnitWord:
    """Read one word of a unit: "million", "USD", "$", "%"; any other says nothing."""
    bare = word.strip(".,;:").casefold()
    if MEASURE_NAMES.get(bare) == "percent":
        return UnitWord(percent=True)
    return UnitWord(SCALES.get(bare, Decimal(1)) if len(bare) > 1 else Decimal(1), CURRENCIES.get(bare, ""))


def missing_unit(figure: str, unit: str) -> str:
    """The words of `unit` that the figure does not say itself: "" for "$220 million" and "USD million".

    The figure's own scale, currency or percent is kept where the unit states another.
    """
    own = [unit_word(word) for word in figure.split()]
    numbers = numbers_in(figure)
    percent = any(word.percent for word in own) or any(number.percent for number in numbers)
    scale = percent or any(word.scale != 1 for word in own) or any(number.scale != 1 for number in numbers)
    currency = percent or any(word.currency for word in own) or any(number.currency for number in numbers)
    written = {word.casefold() for word in figure.split()}

    def is_said(word: str) -> bool:
        said = unit_word(word)
        return (
            word.casefold() in written
            or (scale and said.scale != 1)
            or (currency and bool(said.currency))
            or (percent and said.percent)
        )

    return " ".join(word for word in unit.split() if not is_said(word))


def with_unit(figure: str, unit: str) -> str:
    """The figure with what its unit adds: "1,402 USD million", or "$220 million" as it stands."""
    return f"{figure} {missing_unit(figure, unit)}".strip()


@cache
def _number_words() -> dict[str, int]:
    data = tomllib.loads(resources.files(__package__).joinpath("numbers.toml").read_text(encoding="utf-8"))
    return {word: int(value) for value, words in data["words"].items() for word in words}


_FIGURES = re.compile(r"(\d{1,9})(?:st|nd|rd|th|er|re|e|[.ºª])?", re.IGNORECASE)


def number_word(word: str) -> int | None:
    """The whole number that a word or figures name: 2 for "two", "second", "2" and "2nd"; None for any other word."""
    figures = _FIGURES.fullmatch(word)
    return int(figures[1]) if figures else _number_words().get(word.lower())
