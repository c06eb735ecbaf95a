"""Reads amounts with their units from text: digits, number words, fractions, ordinals, hyphened "30-day" forms."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.text.analyser import STOP_WORDS
from vectorless_web.engine.text.dates import dates_in, times_in
from vectorless_web.engine.text.numbers import Number, numbers_in

_ONE = Decimal(1)
_SMALL_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_SMALL = {word: Decimal(value) for value, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: Decimal(10 * value) for value, word in enumerate(_TEN_WORDS.split(), 2)}
SPELLED_NUMBERS = {word: value for word, value in (_SMALL | _TENS).items() if value > 1}
"""Numbers as one word, from two to ninety; "one" is as often a pronoun."""
_LARGE = {
    "dozen": Decimal(12),
    "hundred": Decimal(100),
    "thousand": Decimal(10**3),
    "million": Decimal(10**6),
    "billion": Decimal(10**9),
    "trillion": Decimal(10**12),
}
_ORDINALS = {word: value for value, word in enumerate(_ORDINAL_WORDS.split(), 1)}
_PARTS = {
    **dict.fromkeys(("half", "halves"), 2),
    **dict.fromkeys(("quarter", "quarters"), 4),
    **{word: value for word, value in _ORDINALS.items() if value > 2},
    **{f"{word}s": value for word, value in _ORDINALS.items() if value > 2},
    **dict.fromkeys(("twentieth", "twentieths"), 20),
    **dict.fromkeys(("hundredth", "hundredths"), 100),
}
_SIGNS = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8),
}  # fmt: skip
_AHEAD = 80
"""Characters ahead of a number that are looked at; with all of them the time would grow with the square of the text."""
_A_BEFORE = re.compile(r"\b(?:a|half a)\s$", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z]+")
_NUMERATORS = "a|an|one|two|three|four|five|six|seven|eight|nine|ten"
_PART = re.compile(
    rf"\b(?:(?P<many>{_NUMERATORS})[\s-](?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})"
    r"|(?P<half>(?<!first )(?<!second )half))\b"
    rf"(?!-year| a (?:{'|'.join(_LARGE)})\b|[\s-]part(?:y|ies)\b)",
    re.IGNORECASE,
)
_AND_PART = re.compile(r"\s+and\s+(?:an?|one|three)[\s-](half|quarters?|third)\b", re.IGNORECASE)
_RATIO = re.compile(r"(?<![\d/.,-])(?:(\d{1,3})\s)?(\d{1,2})[/⁄](\d{1,3})(?![\d/]|\.\d)")
_SIGN = re.compile(rf"(?<![\d.,])(\d{{1,3}})?\s?([{''.join(_SIGNS)}])")
_HYPHENED = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)-([A-Za-z]{3,})")
_SOLID = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)([A-Za-zµ°]{1,5})\b")
_ORDINAL = re.compile(r"(?<![\w.,-])(\d{1,3})(?:st|nd|rd|th)\b")
_TIMES = {
    "once": 1, "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "thrice": 3, "triple": 3, "tripled": 3,
}  # fmt: skip
_TIMES_WORD = re.compile(rf"\b(?:{'|'.join(_TIMES)})\b", re.IGNORECASE)
_FOLD = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten)fold\b", re.IGNORECASE)
_SINGLE = re.compile(
    r"(?<![\d%$€£.,] )(?<!cents )(?<!cent )(?<!twice )(?<!once )(?<!times )\ban?\s([a-z]+)\b", re.IGNORECASE
)

Measure = tuple[str, Decimal]
"""A dimension and how many of its smallest unit make one of this unit."""

MEASURES: dict[str, Measure] = {
    "second": ("time", Decimal(1)),
    "minute": ("time", Decimal(60)),
    "hour": ("time", Decimal(3600)),
    "day": ("time", Decimal(86400)),
    "week": ("time", Decimal(604800)),
    "fortnight": ("time", Decimal(1209600)),
    "working day": ("working time", Decimal(1)),
    "month": ("months", Decimal(1)),
    "quarter": ("months", Decimal(3)),
    "year": ("months", Decimal(12)),
    "decade": ("months", Decimal(120)),
    "percent": ("percent", Decimal(1)),
    "basis point": ("percent", Decimal("0.01")),
    "money": ("money", Decimal(1)),
    "cent": ("money", Decimal("0.01")),
    "times": ("times", Decimal(1)),
    "metre": ("length", Decimal(1)),
    "kilometre": ("length", Decimal(1000)),
    "centimetre": ("length", Decimal("0.01")),
    "millimetre": ("length", Decimal("0.001")),
    "mile": ("miles", Decimal(1)),
    "foot": ("feet", Decimal(1)),
    "inch": ("inches", Decimal(1)),
    "gram": ("mass", Decimal(1)),
    "kilogram": ("mass", Decimal(1000)),
    "milligram": ("mass", Decimal("0.001")),
    "microgram": ("mass", Decimal("0.000001")),
    "tonne": ("mass", Decimal(10**6)),
    "pound": ("weight", Decimal(16)),
    "ounce": ("weight", Decimal(1)),
    "litre": ("volume", Decimal(1)),
    "millilitre": ("volume", Decimal("0.001")),
    "gallon": ("gallons", Decimal(1)),
    "celsius": ("celsius", Decimal(1)),
    "fahrenheit": ("fahrenheit", Decimal(1)),
    "watt": ("power", Decimal(1)),
    "kilowatt": ("power", Decimal(1000)),
    "megawatt": ("power", Decimal(10**6)),
    "kilowatt-hour": ("energy", Decimal(1)),
    "megawatt-hour": ("energy", Decimal(1000)),
    "gigawatt-hour": ("energy", Decimal(10**6)),
    "terawatt-hour": ("energy", Decimal(10**9)),
    "kilobyte": ("bytes", Decimal("0.001")),
    "megabyte": ("bytes", Decimal(1)),
    "gigabyte": ("bytes", Decimal(1000)),
    "terabyte": ("bytes", Decimal(10**6)),
}
"""Units whose dimension is known. Months are not turned into days: a month has no fixed number of them."""

_SPELLINGS = {
    "second": "second seconds sec secs",
    "minute": "minute minutes min mins",
    "hour": "hour hours hr hrs h hourly",
    "day": "day days daily",
    "week": "week weeks wk wks weekly",
    "fortnight": "fortnight fortnights",
    "month": "month months mth mths monthly",
    "quarter": "quarter quarters",
    "year": "year years yr yrs yearly",
    "decade": "decade decades",
    "percent": "percent pct percentage pp ppt",
    "basis point": "basis bps bp",
    "money": "dollar dollars euro euros pounds yen franc francs",
    "cent": "cent cents pence",
    "times": "times fold",
    "metre": "metre metres meter meters m",
    "kilometre": "kilometre kilometres kilometer kilometers km",
    "centimetre": "centimetre centimetres centimeter centimeters cm",
    "millimetre": "millimetre millimetres millimeter millimeters",
    "mile": "mile miles mi",
    "foot": "foot feet ft",
    "inch": "inch inches",
    "gram": "gram grams g",
    "kilogram": "kilogram kilograms kg kgs kilo kilos",
    "milligram": "milligram milligrams mg",
    "microgram": "microgram micrograms mcg µg",
    "tonne": "tonne tonnes ton tons",
    "pound": "lb lbs",
    "ounce": "ounce ounces oz",
    "litre": "litre litres liter liters l",
    "millilitre": "millilitre millilitres milliliter milliliters ml",
    "gallon": "gallon gallons",
    "celsius": "°c celsius",
    "fahrenheit": "°f fahrenheit",
    "watt": "watt watts w",
    "kilowatt": "kilowatt kilowatts kw",
    "megawatt": "megawatt megawatts mw",
    "kilowatt-hour": "kilowatt-hour kilowatt-hours kwh",
    "megawatt-hour": "megawatt-hour megawatt-hours mwh",
    "gigawatt-hour": "gigawatt-hour gigawatt-hours gwh",
    "terawatt-hour": "terawatt-hour terawatt-hours twh",
    "kilobyte": "kilobyte kilobytes kb",
    "terabyte": "terabyte terabytes tb",
    "megabyte": "megabyte megabytes mb",
    "gigabyte": "gigabyte gigabytes gb",
}
UNIT_OF = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
_CURRENCY_OF = {"dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pounds": "GBP", "yen": "JPY"}
_WORKING = frozenset({"working", "business", "trading"})
_FILLING_WORDS = "or more fewer less full whole consecutive calendar successive additional further and a an"
_FILLERS = frozenset(_FILLING_WORDS.split())
_CODE_BEFORE = re.compile(r"[A-Za-z][-‐]$")
_WORD_BEHIND = re.compile(r"[ \n\xa0\-–]{0,2}(?:\([^()]{0,24}\)\s*)?((?:[^\W\d_]|[µ°/'’-])+)")
_HEDGE = re.compile(
    r"(?P<about>about|around|roughly|approximately|approx\.?|circa|ca\.|some|close\sto|~|≈)"
    r"|(?P<under>nearly|almost|just\sunder|just\sbelow|just\sshort\sof|a\slittle\s(?:under|less\sthan)|less\sthan|under)"
    r"|(?P<over>just\sover|over|more\sthan|above|a\slittle\s(?:over|more\sthan)|slightly\s(?:over|more\sthan))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount as written at `start` to `end` (exclusive).

    `value` includes sign and scale. `unit` is a name of MEASURES or ""; `currency` an ISO
    code or "". `noun` is the word behind the number when it is no unit. `step` is the
    worth of the last digit shown, 0 for an exact number. `hedge` is about, under, over or
    "". The digits of COVID-19 are a code. A sentence need not account for a number that is
    not `certain` to be one ("a third").
    """

    start: int
    end: int
    text: str
    value: Decimal
    unit: str = ""
    currency: str = ""
    noun: str = ""
    scale: Decimal = _ONE
    step: Decimal = Decimal(0)
    hedge: str = ""
    is_part: bool = False
    is_ordinal: bool = False
    is_code: bool = False
    certain: bool = True

    @property
    def percent(self) -> bool:
        """Whether it is a percentage, or a number of percentage points."""
        return self.unit == "percent"

    @property
    def dimension(self) -> str:
        """What its unit measures; "" when no unit is known."""
        return MEASURES[self.unit][0] if self.unit else ""

    @property
    def factor(self) -> Decimal:
        """What one of its unit is worth in the smallest unit of its dimension."""
        return MEASURES[self.unit][1] if self.unit else _ONE


def quantities_in(text: str) -> list[Quantity]:
    """All amounts in reading order, those of dates and times of day left out; none overlaps another."""
    taken = _merge_spans(
        [
            *((mention.start, mention.end) for mention in dates_in(text)),
            *((time.start, time.end) for time in times_in(text)),
        ]
    )
    found = [
        quantity
        for read in (_parts, _find_hyphenated, _solid, _ordinals, _digits, _words, _times, _single)
        for quantity in read(text)
        if _take_span(taken, quantity.start, quantity.end)
    ]
    return sorted((_read_hedge(text, quantity) for quantity in found), key=lambda quantity: quantity.start)


def _merge_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, overlapping ones as one: a time of day may overlap a date."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _take_span(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Put a span among those taken, which stay in order and apart; False when it overlaps one of them."""
    place = bisect_left(taken, (start, end))
    if place and taken[place - 1][1] > start:
        return False
    if place < len(taken) and taken[place][0] < end:
        return False
    taken.insert(place, (start, end))
    return True


def _digits(text: str) -> Iterator[Quantity]:
    for number in numbers_in(text):
        part = _AND_PART.match(text, number.end)
        end = part.end() if part else number.end
        more = _part_value(part) if part else Decimal(0)
        unit, noun, currency = _unit_behind(text, end)
        currency = number.currency or currency
        unit = "percent" if number.percent else "money" if number.currency else unit
        yield Quantity(
            number.start,
            end,
            text[number.start : end],
            number.value + more,
            unit,
            currency if unit in ("money", "cent") else "",
            noun,
            number.scale,
            _last_digit(number),
            is_code=bool(_CODE_BEFORE.search(text, max(0, number.start - 2), number.start)),
        )


def _part_value(match: re.Match[str]) -> Decimal:
    three = 3 if "three" in match.group().lower() else 1
    return Decimal(three) / Decimal(_PARTS[match.group(1).lower()])


def _last_digit(number: Number) -> Decimal:
    """The worth of the last digit shown: 0.1 million for "1.6 million"; exact whole numbers allow no rounding."""
    digits = re.sub(r"[^\d.]", "", number.text)
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    if not decimals and number.scale == 1:
        return Decimal(0) if not number.percent else _ONE
    return number.scale.scaleb(-decimals)


def _parts(text: str) -> Iterator[Quantity]:
    """Fractions in words and figures: one half, two-thirds, 2/3, 1½."""
    for match in _PART.finditer(text):
        if _AND_PART.match(
            text, max(0, text.rfind(" and", max(0, match.start() - _AHEAD), match.start()))
        ) and _follows_number(text, match):
            continue
        many, part = (match["many"] or "one").lower(), (match["part"] or match["half"]).lower()
        over = _PARTS[part]
        count = _SMALL.get(many, _ONE)
        sure = over == 2 or part.endswith("s") or text[match.end() : match.end() + 3] == " of"
        if part in ("quarter", "quarters", "seconds") and text[match.end() : match.end() + 3] != " of":
            sure = False
        yield _part(text, match, count / over, certain=sure)
    for match in _RATIO.finditer(text):
        whole, above, below = int(match[1] or 0), int(match[2]), int(match[3])
        if 0 < above < below <= 100:
            yield _part(text, match, whole + Decimal(above) / below)
    for match in _SIGN.finditer(text):
        above, below = _SIGNS[match[2]]
        yield _part(text, match, int(match[1] or 0) + Decimal(above) / below)


def _follows_number(text: str, match: re.Match[str]) -> bool:
    """Whether the fraction ends a number: "two and a half"."""
    ahead = text[max(0, match.start() - _AHEAD) : match.start()].rstrip()
    before = ahead.removesuffix(" and").rsplit(None, 1)
    word = before[-1].lower().strip("(") if before else ""
    is_number = word in _SMALL or word in _TENS or word.isdigit() or word in UNIT_OF
    return is_number and ahead.endswith(" and")


def _part(text: str, match: re.Match[str], value: Decimal, *, certain: bool = True) -> Quantity:
    unit, noun, currency = _unit_behind(text, match.end(), is_part=True)
    return Quantity(
        match.start(), match.end(), match.group(), value, unit, currency, noun, is_part=True, certain=certain
    )


def _find_hyphenated(text: str) -> Iterator[Quantity]:
    """30-day, 5-year, 12-month."""
    for match in _HYPHENED.finditer(text):
        unit = UNIT_OF.get(match[2].lower(), "")
        scale = _LARGE.get(match[2].lower())
        if scale is None:
            value = Decimal(match[1].replace(",", ""))
            noun = "" if unit else match[2].lower()
            yield Quantity(match.start(), match.end(1), match[1], value, unit, "", noun, certain=bool(unit))


def _solid(text: str) -> Iterator[Quantity]:
    """10kg, 30ml: a known unit right behind the digits. `m`, `b` and `k` are scales and stay."""
    for match in _SOLID.finditer(text):
        unit = UNIT_OF.get(match[2].lower(), "")
        if unit and match[2].lower() not in ("m", "mm"):
            value = Decimal(match[1].replace(",", ""))
            decimals = len(match[1].partition(".")[2])
            step = _ONE.scaleb(-decimals) if decimals else Decimal(0)
            yield Quantity(match.start(), match.end(), match.group(), value, unit, step=step)


def _ordinals(text: str) -> Iterator[Quantity]:
    for match in _ORDINAL.finditer(text):
        value = Decimal(match[1])
        yield Quantity(match.start(), match.end(), match.group(), value, is_ordinal=True, certain=value > 1)
    for token in _TOKEN.finditer(text):
        place = _ORDINALS.get(token.group().lower())
        if place:
            value = Decimal(place)
            yield Quantity(token.start(), token.end(), token.group(), value, is_ordinal=True, certain=False)


def _words(text: str) -> Iterator[Quantity]:
    """Number words, joined as they are read: twenty-five, one hundred and five, two million, half a dozen."""
    for run in _word_runs(text):
        start, end = run[0].start(), run[-1].end()
        value, scale = _word_value([token.group().lower() for token in run])
        part = _AND_PART.match(text, end)
        if part:
            value, end = value + _part_value(part) * scale, part.end()
        unit, noun, currency = _unit_behind(text, end)
        ahead = text[max(0, start - _AHEAD) : start].lower()
        if ahead.endswith("half a "):
            start, value = start - len("half a "), value / 2
        unit = "percent" if re.match(r"\s?(?:per\s?cent\b|%)", text[end:]) else unit
        counts = value > 2 and ((noun.endswith("s") and len(noun) > 3) or text.startswith(" of the ", end))
        # "The two days" speaks of days that were named before.
        sure = counts or (bool(unit) and not (value <= 3 and ahead.endswith("the ")))
        yield Quantity(start, end, text[start:end], value, unit, currency, noun, scale, certain=sure)


def _word_runs(text: str) -> Iterator[list[re.Match[str]]]:
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        word = token.group().lower()
        if word not in _SMALL and word not in _TENS and word not in _LARGE:
            continue
        if run and not _goes_on(text, run[-1], token):
            yield run
            run = []
        if run or word not in _LARGE or _A_BEFORE.search(text, max(0, token.start() - _AHEAD), token.start()):
            run.append(token)
    if run:
        yield run


def _goes_on(text: str, last: re.Match[str], token: re.Match[str]) -> bool:
    between, before, word = text[last.end() : token.start()].lower(), last.group().lower(), token.group().lower()
    if word in _LARGE:
        return between in (" ", "-")
    if before in _LARGE:
        return between in (" ", "-", " and ")
    return before in _TENS and word in _SMALL and 0 < _SMALL[word] < 10 and between in (" ", "-")


def _word_value(words: Iterable[str]) -> tuple[Decimal, Decimal]:
    """The value of number words, and the largest scale among them."""
    total, current, scale = Decimal(0), Decimal(0), _ONE
    for word in words:
        large = _LARGE.get(word)
        if large is None:
            current += _SMALL.get(word, _TENS.get(word, Decimal(0)))
        elif large < 1000:
            current = (current or _ONE) * large
        else:
            total, current, scale = total + (current or _ONE) * large, Decimal(0), max(scale, large)
    return total + current, scale


def _times(text: str) -> Iterator[Quantity]:
    for match in _TIMES_WORD.finditer(text):
        value = Decimal(_TIMES[match.group().lower()])
        yield Quantity(match.start(), match.end(), match.group(), value, "times", certain=False)
    for match in _FOLD.finditer(text):
        yield Quantity(match.start(), match.end(), match.group(), _SMALL[match[1].lower()], "times")


def _single(text: str) -> Iterator[Quantity]:
    """ "a week" is one week, unless it says how often ("£200 a week")."""
    for match in _SINGLE.finditer(text):
        unit = UNIT_OF.get(match[1].lower(), "")
        if unit in ("second", "minute", "hour", "day", "week", "fortnight", "month", "year", "decade"):
            part = _AND_PART.match(text, match.end())
            end, value = (part.end(), 1 + _part_value(part)) if part else (match.end(), _ONE)
            yield Quantity(match.start(), end, text[match.start() : end], value, unit, certain=False)


_RATE_WORDS = frozenset({"a", "an", "per", "each", "every"})
"""Words that part what is counted from how often: twenty visits a year are visits, no years."""


_BEGINS_ANOTHER = frozenset({"over", "after", "throughout", "across"})
"""Words behind what is counted that lead to an amount of their own: 64 kayaks over four months are kayaks."""


def _unit_behind(text: str, end: int, *, is_part: bool = False) -> tuple[str, str, str]:
    """Unit, noun and currency in the words behind a number; the first three that no mark parts from it.

    Only a part has its unit behind an article: half an hour, but 200 a month are no months.
    """
    noun, working = "", False
    for _ in range(4):
        match = _WORD_BEHIND.match(text, end)
        if match is None:
            break
        word, end = match.group(1).lower().strip("'’-"), match.end()
        if (noun or not is_part) and word in _RATE_WORDS:
            break
        if noun and (word in _BEGINS_ANOTHER or word in SPELLED_NUMBERS):
            break
        head = word.split("-")[0].split("/")[0]
        unit = UNIT_OF.get(word) or UNIT_OF.get(head) or UNIT_OF.get(head.removesuffix("’").removesuffix("'"), "")
        if unit and not (noun and len(word) < 3):
            return ("working day" if working and unit == "day" else unit), "", _CURRENCY_OF.get(word, "")
        working = working or word in _WORKING
        if word in _FILLERS or word in _WORKING:
            continue
        if word in STOP_WORDS or not word.isalpha():
            break
        noun = noun or word
    return "", noun, ""


def _read_hedge(text: str, quantity: Quantity) -> Quantity:
    """The quantity with what the word before it says of its exactness."""
    before = text[max(0, quantity.start - 24) : quantity.start].rstrip(" $€£")
    for match in _HEDGE.finditer(before):
        if match.end() == len(before) and (match.start() == 0 or not before[match.start() - 1].isalpha()):
            return replace(quantity, hedge=match.lastgroup or "")
    return quantity
