"""Finds numbers in text as written, with sign, scale, currency and percent."""

import re
from dataclasses import dataclass
from decimal import Decimal

_SCALES = {
    "thousand": Decimal(1000),
    "thousands": Decimal(1000),
    "million": Decimal(1_000_000),
    "millions": Decimal(1_000_000),
    "mn": Decimal(1_000_000),
    "mm": Decimal(1_000_000),
    "billion": Decimal(1_000_000_000),
    "billions": Decimal(1_000_000_000),
    "bn": Decimal(1_000_000_000),
    "trillion": Decimal(1_000_000_000_000),
    "trillions": Decimal(1_000_000_000_000),
    "tn": Decimal(1_000_000_000_000),
    "k": Decimal(1000),
    "m": Decimal(1_000_000),
    "b": Decimal(1_000_000_000),
}
_CURRENCIES = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "c$": "CAD", "a$": "AUD"}
_CODES = "USD|EUR|GBP|JPY|CHF|CAD|AUD|CNY|INR|SEK|NOK|DKK|HKD|SGD|KRW|BRL|MXN"
_NUMBER = re.compile(
    rf"(?=\S)(?P<code>(?<![A-Za-z])(?:{_CODES})\s?)?"
    r"(?P<open>\()?\s?(?P<minus>(?<![\w)%])[-–−]\s?)?"
    r"(?P<currency>(?:(?<![A-Za-z])(?:US|C|A))?\$|[€£¥₹])?\s?"
    r"(?P<open2>\()?(?P<minus2>(?<=[$€£¥₹(])[-–−])?"
    r"(?P<digits>(?<![\d.,])(?:\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d]))"
    r"(?:\s?(?P<percent>%|percent\b|per cent\b|percentage points?\b)"
    r"|[\s\-](?P<word>thousands?|millions?|mn|mm|billions?|bn|trillions?|tn)\b"
    r"|(?P<letter>bn|mn|mm|tn|[kKmMbB])(?![\w]))?"
    r"(?P<close>\s?\))?"
    r"(?P<percent2>\s?%)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written. `value` includes sign and scale; percent values are not divided by 100.

    `scale` is the factor of its own words ("million"), 1 without. `currency` is an ISO
    code or "". `text` is what stands at `start` to `end` (exclusive).
    """

    start: int
    end: int
    value: Decimal
    percent: bool
    currency: str
    scale: Decimal
    text: str


def numbers_in(text: str) -> list[Number]:
    """All numbers in reading order; parentheses or a minus make them negative; digits of codes do not count."""
    return [number for match in _NUMBER.finditer(text) if (number := _read_number(match, text)) is not None]


def _read_number(match: re.Match[str], text: str) -> Number | None:
    start, end = _find_bounds(match)
    if _inside_word(text, match):
        return None
    value = Decimal(match["digits"].replace(",", ""))
    scale = _scale(match)
    percent = bool(match["percent"] or match["percent2"])
    if _is_negative(match, text):
        value = -value
    return Number(start, end, value * scale, percent, _currency(match), scale, text[start:end])


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
    return _SCALES.get(word, Decimal(1))


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
    return _CURRENCIES.get((match["currency"] or "").lower(), "")
