"""Units that labels, headers and units lines state for their figures: measures, scales, currencies."""

import re
from decimal import Decimal
from functools import lru_cache

from vectorless_web.engine.text.numbers import CURRENCIES, read_unit, units_in

_MEASURES = (
    r"%|percent|per cent|bps|pps?|basis points|t?CO2e?q?|tonnes (?:of )?CO2(?:e|eq)?"
    r"|[kmgtpe]?b(?:it|yte)?s?(?:/s)?|[kmgt]bps|[kmµ]?g|mcg|tonnes?|tons?|lbs?|oz"
    r"|[kcmµn]?m|mi(?:les)?|ft|inch(?:es)?|[mcd]?l|lit(?:er|re)s?|gal(?:lons?)?|m[²³23]|km[²2]|sq\.? ?(?:ft|m)"
    r"|square (?:feet|met(?:er|re)s)|ha|hours?|hrs?|h|min(?:utes?)?|s(?:ec(?:onds?)?)?|ms|days?|weeks?|months?"
    r"|years?|yrs?|°?[CF]|°|k|[kmg]?w(?:h|p)?|[kmg]?wh|kva|[mk]?v|m?a|[kmg]?hz|db(?:\(a\))?|[kmh]?pa|bar|psi|nm|rpm"
    r"|km/h|mph|hp|knots|m/s|mm/s|l/min|mg/kg|mg/l|mg/ml|g/l|kg/m[³3]|ppm|units?|pcs|pieces|shares|employees|persons|people"
    r"|headcount|ftes?|barrels|boe|bbl|mmbtu|mwh|points?|pts|x|each|items|pages|kcal|kj"
)
"""Units of quantities as labels and headers state them, in brackets or behind "in"."""
_CURRENCY_CODES = "|".join((*sorted(set(CURRENCIES.values())), "RMB"))
_SCALES = r"['‘’]?(?:thousands?|millions?|billions?|lakhs?|lacs?|crores?)|000s?|['‘’]000s?|mn?|bn|k"
_MONEY = (
    rf"(?:U\.?S\.?\s?|A|C|HK|NT|NZ|S)?[$€£¥₹]|(?:{_CURRENCY_CODES})"
    r"|Rs\.?|(?:[A-Z][\w.]{1,9}\s)?dollars?|euros?|pounds?|francs?|yen"
)
_UNIT = (
    rf"(?:in\s+)?(?:(?:{_MONEY})(?:\s?(?:in\s+)?(?:{_SCALES}))?|(?:{_SCALES})(?:\s+(?:of\s+)?(?:{_MONEY}|shares|units|{_MEASURES}))?"
    rf"|(?:{_MEASURES}))(?:(?:\s?/\s?|\s+(?:per|a)\s+)[a-z²³.]{{1,12}})?"
)
_MEASURE = re.compile(rf"(?:{_MEASURES})$", re.I)
_BRACKETED = re.compile(rf"[(\[]\s*(?:(?:#|no\.|number) of )?({_UNIT})\s*[)\]]", re.I)
_BARE = re.compile(rf"^(?:{_UNIT})(?:\s+of\s+\S.{{0,30}})?$", re.I)
_BEHIND = re.compile(rf"(?:,?\s+in\s+|(?:(?<!\d),|,\s)\s*|\s(?=°))({_UNIT})\W*$", re.I)
_SHARES = re.compile(
    r"\b(?:number of|weighted[- ]average)\b.*\bshares\b|\bshares\b.*\boutstanding\b"
    r"|\bshares? used\b|^(?:number of )?(?:shares|options|awards)$"
    r"|^shares of (?:common|ordinary|preferred|treasury) (?:stock|shares)$|\b(?:stock|share) (?:units|options|awards)$",
    re.I,
)
_OF_MONEY = re.compile(r"\b(?:proceeds|payments?|paid|tax(?:es)?|expenses?|costs?|compensation|benefits?)\b", re.I)
"""Words of what shares bring or cost: "Proceeds from stock options" are no shares."""
_AFTER_YEAR = re.compile(rf"(?<=\s)((?:(?:US|A|C|HK)?[$€£¥₹]|(?:{_CURRENCY_CODES}))\s?(?:{_SCALES})?)$", re.I)
_LETTERS = "mgVWL"
"""Units of one letter that may stand in brackets; other letters there are marks of footnotes."""
_NO_UNITS = ("Min", "MIN", "Min.", "MIN.", "EBIT", "Second", "SECOND")
"""Headers that name the least of a range, not minutes, earnings, not exabits, and what stands behind the first."""
_RATES = re.compile(r"^(?:bps|pps?|ppts?|basis points)$", re.I)
_OWN = re.compile(rf"^[(\-–−]?[\d.,\s]+\)?\s*({_MEASURES})$", re.I)
_RATE = re.compile(r"\d\s?(?:%|per ?cent)", re.I)
_PRICE = re.compile(
    r"\bweighted[- ]+average\b.{0,30}\b(?:prices?|fair values?)\b|\bprices? (?:paid )?per\b|\bfair values? per\b"
    r"|\b(?:exercise|strike|unit|share|stock|purchase) prices?\b|\bper (?:unit|share|piece|head)\b",
    re.I,
)
_COUNT = re.compile(
    r"^\W*(?:(?:average|total) )?(?:number|no\.) of\b|\bhead ?count\b"
    r"|\b(?:days|hours|employees|people|persons|customers|subscribers|stores|sites|locations|rooms|vessels|flights|visits"
    r"|patients|students|members)\W*(?:\(\w\)\s*)?$",
    re.I,
)
_NUMBER_OF = re.compile(r"^\W*(?:(?:average|total) )?(?:number|no\.) of\b", re.I)
_SCALED = re.compile(r"thousand|million|billion|000", re.I)
_ABOVE = re.compile(
    rf"\bin\s+(?P<told>{_UNIT})(?=[\s.,;:)]|$)"
    rf"|[,(]\s*(?P<last>{_CURRENCY_CODES}|{_MEASURES})\)?\W*$",
    re.I,
)
_PERCENT_SIGN = re.compile(r"%|\bper ?cent(?:age)?\b", re.I)


def unit_in(text: str) -> str:
    """The unit a label or header states: "kg" of "Weight (kg)", "EUR" of "Price in EUR" and of "EUR"; "" for none."""
    said = " ".join(text.split())
    match = _BRACKETED.search(said) or _BEHIND.search(said)
    if match and not (len(match[1]) == 1 and match[1].isalpha() and match[1] not in _LETTERS):
        return match[1].removeprefix("in ").strip()
    money = _AFTER_YEAR.search(said)
    if money:
        return money[1]
    return said.removeprefix("in ").strip() if is_unit(said) else ""


def is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else; a letter alone rather names a column."""
    return bool(_BARE.match(text)) and not (len(text) == 1 and text.isalpha()) and text not in _NO_UNITS


def strip_units(text: str) -> str:
    """A text without units in brackets."""
    return _BRACKETED.sub("", text)


def says_percent(text: str) -> bool:
    """Whether a text is about percent; the rate of a loan ("4.1 % notes") says nothing on what is counted."""
    return bool(_PERCENT_SIGN.search(_RATE.sub(" ", text)))


def says_price(text: str) -> bool:
    """Whether a label names an amount for one piece, which no units line scales."""
    return bool(_PRICE.search(text)) and not _PART_OF_RATIO.search(text)


def says_shares(text: str) -> bool:
    """Whether a label names a number of shares."""
    return bool(_SHARES.search(text)) and not _OF_MONEY.search(text)


def code_in(text: str) -> str:
    """The ISO code of a currency in a text, or ""."""
    match = re.search(rf"\b(?:{_CURRENCY_CODES})\b", text)
    return match.group() if match else ""


def own_unit(text: str) -> str:
    """The unit behind the number of a cell: "kg" of "4.5 kg"; "" for none and for money."""
    match = _OWN.match(" ".join(text.split()))
    return match[1] if match and (len(match[1]) > 1 or match[1] in _LETTERS + "%") else ""


def is_points(unit: str) -> bool:
    """Whether a unit is points of a percentage, which a column may print with its first figure alone."""
    return bool(_RATES.match(unit))


def says_count(text: str) -> bool:
    """Whether a label names a number of things, which no units line scales."""
    return bool(_COUNT.search(text))


def says_number(text: str) -> bool:
    """Whether a text that heads rows says that they are numbers of things: "Number of units:"."""
    return bool(_NUMBER_OF.match(text)) and not says_scale(text)


def unit_above(text: str) -> str:
    """The unit that a line above a table states: "MWh" of "Consumption in MWh.", "USD" of "Budget (USD)"; or ""."""
    match = _ABOVE.search(" ".join(text.split()))
    unit = (match["told"] or match["last"]) if match else ""
    if unit.removeprefix("in ").casefold() == "each":
        return ""  # "changes in each class"
    return "" if (len(unit) == 1 and unit != "%") or _SCALED.search(unit) else unit.removeprefix("in ").strip()


THOUSAND, MILLION, BILLION = Decimal(1000), Decimal(1_000_000), Decimal(1_000_000_000)

_SIGNED = re.compile(rf"(?:[$€£¥₹]|\b(?:{_CURRENCY_CODES}))\s?['’]?$")
_GLUED = re.compile(rf"\b({_CURRENCY_CODES})(?=(?:k|m|mn|bn)\b)")
_PER_SHARE = re.compile(r"\bper\b[^,;]{0,25}\b(?:share|unit|ads)\b|\bearnings per\b|\bEPS\b", re.I)
_PART_OF_RATIO = re.compile(r"\b(?:numerator|denominator)s?\b|\bused (?:in|to|for)\b", re.I)
"""What goes into an amount per share and is none: "Numerator for earnings per share"."""
_SCALE_NAMES = {THOUSAND: "thousand", MILLION: "million", BILLION: "billion"}


@lru_cache(maxsize=1 << 14)
def units_scale(units: str) -> Decimal:
    """The factor a units line puts on its figures: 1000000 for "Dollars in millions, except per share data"."""
    told = _GLUED.sub(r"\1 ", units)
    # "m" and "mm" are scales behind money and measures elsewhere.
    scales = (m.scale for m in units_in(told) if not _MEASURE.match(m.text) or _SIGNED.search(told, 0, m.start))
    return next((scale for scale in scales if scale != 1), Decimal(1))


@lru_cache(maxsize=1 << 14)
def units_currency(units: str) -> str:
    """The ISO code of the currency a units line names, or ""."""
    return read_unit(_GLUED.sub(r"\1 ", units)).currency


_FOR_SHARES = re.compile(
    r"\b(?<!\$ and )(?<!dollars and )(?:shares?|units|options|awards|warrants)\s+(?:are\s+)?in\s+(?:thousands|millions)"
    r"|\bin\s+(?:thousands|millions)\s+of\s+shares\b",
    re.I,
)
_SCALE_ALONE = re.compile(rf"^\W*(?:in\s+)?(?:{_SCALES})\W*$", re.I)


def is_for_shares(text: str) -> bool:
    """Whether a text scales numbers of shares and nothing else: "(shares in thousands, except per share data)"."""
    return bool(_FOR_SHARES.search(text)) and not says_scale(_FOR_SHARES.sub(" ", text))


def is_scale(text: str) -> bool:
    """Whether a unit is a factor alone: "thousands"."""
    return bool(_SCALE_ALONE.match(text))


def is_per_share(label: str) -> bool:
    """Whether a row states amounts per share, which no units line scales."""
    return bool(_PER_SHARE.search(label)) and not _PART_OF_RATIO.search(label)


def scale_name(scale: Decimal) -> str:
    """The word of a scale: "million" for 1000000, "" for 1."""
    return _SCALE_NAMES.get(scale, "")


def says_scale(text: str) -> bool:
    """Whether a header or label states a scale for its figures: "$m", "EUR '000", "in thousands"."""
    return units_scale(text) != 1


_COUNTED = re.compile(r"\d(?<!000)\s?(?:thousand|million|billion|mm?\b|bn\b)", re.I)
"""Scales of one number: "5 million" says nothing of other figures."""


def tells_units(text: str) -> bool:
    """Whether a text states a scale for figures that it does not give itself."""
    return says_scale(text) and not _COUNTED.search(text)


LONGEST_UNITS = 120
"""Characters of a line beside a table that may tell its units without parentheses or "amounts"."""

_UNITS_IN = re.compile(
    r"\((?:[^()]{0,60}\s)?(?:in\s+)?(?:[A-Z]{0,3}\s?[$€£¥]|[A-Z]{3})?\s?(?:thousands|millions|billions"
    r"|['’‘]?000['’]?s?)\b[^()]{0,80}\)"
    r"|\b(?:amounts?|figures?|dollars?|values?|numbers?|expressed|stated|presented|shown|reported"
    r"|euros?)\s+(?:are\s+)?(?:\w+\s+){0,3}?in\s+(?:[A-Z]{0,3}\s?[$€£¥]|[A-Z]{3}|US\s?dollars?"
    r"|euros?)?\s?"
    r"(?:thousands?|millions?|billions?|['’‘]?000['’]?s)\b[^.;]{0,60}",
    re.I,
)
_UNITS_LINE = re.compile(
    r"\bin\s+(?:[A-Z]{0,3}\s?[$€£¥]|[A-Z]{3}|US\s?dollars?|euros?)?\s?(?:thousands?|millions?"
    r"|billions?|['’‘]?000['’]?s)\b"
    r"|(?<!\d)[$€£¥]\s?(?:['’‘]?000['’]?s?|thousands?|millions?|billions?|mn?|bn)\b",
    re.I,
)


def find_units(text: str) -> re.Match[str] | None:
    """Where a text beside a table tells its units: in parentheses, as "amounts in ...", or as a short line."""
    match = _UNITS_IN.search(text) or (_UNITS_LINE.search(text) if len(text) <= LONGEST_UNITS else None)
    return match if match and not _COUNTED.search(match[0]) else None


_THOUSANDS = re.compile(r"^\W*[$€£¥₹]\s?['’‘]?000s?\W*$")


def holds_figure(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    digits = sum(character.isdigit() for character in text)
    return letters <= digits and (digits > 0 or not letters) and not _THOUSANDS.match(text)
