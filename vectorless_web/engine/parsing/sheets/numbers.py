"""Shows the values of workbook cells as the program that saved them does: number formats, dates, percentages.

Format codes as in ECMA-376, part 1, section 18.8.31 (number formats) and 18.8.30 (the built-in ones).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import cache, lru_cache

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0;-#,##0;-", 42: "$#,##0;-$#,##0;-", 43: "#,##0.00;-#,##0.00;-",
    44: "$#,##0.00;-$#,##0.00;-", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that files name by number alone. The short date, which each reader sees in the form of their country, is
written year first, so that a month is never taken for a day."""
_DIGITS = 10
"""Significant digits of a number without a format; spreadsheets show up to eleven, the last ones often noise."""
_LARGEST_PLAIN = Decimal(10) ** 15
"""Numbers from which figures hold no more digits than a file stores; they are shown with an exponent."""
_REMEMBERED = 32_768
"""Shown numbers that are kept, some 5 MB: columns repeat dates, amounts and counts."""
_LAST_DAY = 2_958_465
"""31 December 9999, in days."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<noon>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<number>[0#?][0#?,.]*|\.[0#?]+)(?P<exponent>E[+-]0+)?"
    r"|(?P<general>General)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@lru_cache(maxsize=_REMEMBERED)
def show_number(value: str, code: str, *, since_1904: bool = False) -> str:
    """A stored number as its format code shows it; the number itself when the code cannot be followed."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite():
        return value
    return _formatter(code)(number, since_1904) if abs(number) < _LARGEST_PLAIN else _show_plain(number)


Formatter = Callable[[Decimal, bool], str]


@cache
def _formatter(code: str) -> Formatter:
    sections = list(_sections(code))
    if any(section.is_date for section in sections[:1]):
        return lambda number, since_1904: _show_date(number, sections[0], since_1904)
    return lambda number, _: _show_amount(number, sections)


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a format code, between semicolons: its tokens, (kind, text)."""

    tokens: tuple[tuple[str, str], ...]

    @property
    def is_date(self) -> bool:
        """Whether it shows a date or a time."""
        return any(kind in ("date", "elapsed", "noon") for kind, _ in self.tokens)


def _sections(code: str) -> Iterator[_Section]:
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(code):
        if match["other"] == ";":
            yield _Section(tuple(tokens))
            tokens = []
        else:
            tokens.extend(_read_token(match))
    yield _Section(tuple(tokens))


def _read_token(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    for kind in ("quoted", "escaped", "currency", "other"):
        if match[kind]:
            yield ("percent" if match[kind] == "%" and kind == "other" else "text"), match[kind]
    for kind in ("elapsed", "noon", "date", "general"):
        if match[kind]:
            yield kind, match[kind]
    if match["number"]:
        yield "number", match["number"] + (match["exponent"] or "")


def _show_amount(number: Decimal, sections: list[_Section]) -> str:
    chosen, negative = _choose_section(number, sections)
    if not any(kind in ("number", "general") for kind, _ in chosen.tokens):
        said = "".join(text for kind, text in chosen.tokens if kind in ("text", "percent")).strip()
        return said if said and said != "@" else _show_plain(number)
    if ("text", "/") in chosen.tokens:  # a fraction of its own denominator
        return _show_plain(number)
    percents = sum(kind == "percent" for kind, _ in chosen.tokens)
    size = abs(number) * Decimal(100) ** percents
    done, parts = False, []
    for kind, text in chosen.tokens:
        if kind in ("number", "general") and not done:
            done = True
            parts.append(_show_plain(size) if kind == "general" else _show_digits(size, text))
        elif kind in ("text", "percent"):
            parts.append(text)
    said = "".join(parts).strip()
    return f"-{said}" if negative and any(digit in said for digit in "123456789") else said


def _choose_section(number: Decimal, sections: list[_Section]) -> tuple[_Section, bool]:
    """The part of a format for a number, and whether the number's sign has still to be written."""
    if number < 0 and len(sections) > 1:
        return sections[1], False
    if number == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], number < 0


def _show_digits(size: Decimal, pattern: str) -> str:
    """A size without sign by a pattern of digit places: "#,##0.00", "0.0,," (millions), "0.00E+00"."""
    digits, exponent = [*pattern.upper().split("E", 1), ""][:2] if "E" in pattern.upper() else (pattern, "")
    whole, _, fraction = digits.partition(".")
    scale = len(digits) - len(digits.rstrip(","))
    places = sum(sign in "0#?" for sign in fraction)
    if exponent:
        mantissa, _, power = f"{size:.{places}e}".partition("e")
        return f"{mantissa}E{int(power):+03d}"
    size = (size / Decimal(1000) ** scale).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    said = f"{size:,f}" if "," in whole.rstrip(",") else f"{size:f}"
    least = sum(sign == "0" for sign in fraction)
    if places > least and "." in said:
        kept = len(said) - (places - least)
        said = (said[:kept] + said[kept:].rstrip("0")).rstrip(".")
    wanted = sum(sign == "0" for sign in whole)
    front, dot, back = said.partition(".")
    if front == "0" and "0" not in whole:
        front = ""
    return (front.zfill(wanted) if "," not in front else front) + dot + back


def _show_plain(number: Decimal) -> str:
    """A number without a format: no trailing zeros, no noise of binary fractions."""
    if number == 0:
        return "0"
    if not Decimal("1e-9") <= abs(number) < _LARGEST_PLAIN:
        return f"{float(number):.6g}"
    if number == number.to_integral_value():
        return f"{number.quantize(Decimal(1)):f}"
    places = max(_DIGITS - number.adjusted() - 1, 0)
    return f"{number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):f}".rstrip("0").rstrip(".")


def _show_date(number: Decimal, section: _Section, since_1904: bool) -> str:
    days = number + 1_462 * since_1904
    if not 0 <= days <= _LAST_DAY:
        return _show_plain(number)
    # Day 60 is a 29 February 1900 that never was: spreadsheets count it, so dates before it are one day later.
    epoch = datetime(1899, 12, 31) if days < 60 else datetime(1899, 12, 30)
    moment = epoch + timedelta(seconds=int((days * 86_400).to_integral_value(rounding=ROUND_HALF_UP)))
    noon = any(kind == "noon" for kind, _ in section.tokens)
    said, clock = [], False
    for place, (kind, text) in enumerate(section.tokens):
        low = text.lower()
        if kind == "date":
            is_minute = low in ("m", "mm") and (clock or _is_before_seconds(section.tokens[place + 1 :]))
            said.append(_show_part(moment, "minute" * is_minute or low, noon))
            clock = low[0] == "h" or (clock and low[0] not in "dy")
        elif kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[low[0]]
            said.append(str(int(number * 86_400 // unit)).zfill(len(low)))
            clock = True
        elif kind == "noon":
            said.append("AM" if moment.hour < 12 else "PM")
        elif kind in ("text", "percent"):
            said.append(text)
    return "".join(said).strip()


def _is_before_seconds(tokens: tuple[tuple[str, str], ...]) -> bool:
    return next((text[0].lower() == "s" for kind, text in tokens if kind == "date"), False)


def _show_part(moment: datetime, code: str, noon: bool) -> str:
    show = _DATE_PARTS.get(code)
    if show is not None:
        return show(moment)
    if code in ("h", "hh"):
        hour = (moment.hour % 12 or 12) if noon else moment.hour
        return str(hour).zfill(len(code))
    return f"{moment.second:02d}" if code[0] == "s" else f"{moment.year:04d}"


_DATE_PARTS: dict[str, Callable[[datetime], str]] = {
    "yy": lambda moment: f"{moment:%y}",
    "y": lambda moment: f"{moment:%y}",
    "m": lambda moment: str(moment.month),
    "mm": lambda moment: f"{moment.month:02d}",
    "mmm": lambda moment: _MONTHS[moment.month - 1][:3],
    "mmmm": lambda moment: _MONTHS[moment.month - 1],
    "mmmmm": lambda moment: _MONTHS[moment.month - 1][0],
    "d": lambda moment: str(moment.day),
    "dd": lambda moment: f"{moment.day:02d}",
    "ddd": lambda moment: _WEEKDAYS[moment.weekday()][:3],
    "dddd": lambda moment: _WEEKDAYS[moment.weekday()],
    "minute": lambda moment: f"{moment.minute:02d}",
    "s": lambda moment: str(moment.second),
}
