"""How the answer should be given: scale, currency, percent, decimals."""

import re

from vectorless_web.engine.query.plan import UnitRequest

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6, "mm": 1e6, "bn": 1e9, "k": 1e3}
_CURRENCIES = {
    "usd": "USD", "us$": "USD", "$": "USD", "us dollar": "USD", "u.s. dollar": "USD", "dollar": "USD", "eur": "EUR",
    "€": "EUR", "euro": "EUR", "gbp": "GBP", "£": "GBP", "pound": "GBP", "jpy": "JPY", "¥": "JPY", "yen": "JPY",
    "chf": "CHF", "cad": "CAD", "aud": "AUD", "cny": "CNY", "inr": "INR",
}  # fmt: skip
_CURRENCY = r"usd|us\$|u\.?s\.? dollars?|dollars?|eur|euros?|gbp|pounds?|jpy|yen|chf|cad|aud|cny|inr|[$€£¥]"
_SCALED = re.compile(
    rf"\b(?:in|as|to the nearest|nearest|expressed in)\s+(?:units? of\s+)?(?:the\s+)?"
    rf"(?:(?P<c1>{_CURRENCY})\s*)?(?P<scale>thousand|million|billion|trillion|mn|mm|bn|k)s?\b"
    rf"(?:\s+(?:of\s+)?(?P<c2>{_CURRENCY})(?!\w))?",
    re.IGNORECASE,
)
_IN_CURRENCY = re.compile(rf"\b(?:in|as)\s+(?P<currency>{_CURRENCY})(?!\w)", re.IGNORECASE)
_PERCENT = re.compile(
    r"\b(?:as|in|of|by)\s+(?:units? of\s+|an?\s+|how many\s+)?(?:%|percent(?:s|ages?)?\b|percentage points?\b)"
    r"|\bwhat (?:percent|percentage|%)|\bas an? (?:%|percent|percentage)|\(%\)|\bpercentage (?:change|growth"
    r"|increase|points?)\b"
    r"|\bin %",
    re.IGNORECASE,
)
_COUNT_WORDS = {"no": 0, "zero": 0, "one": 1, "a single": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_DECIMALS = re.compile(
    r"\b(?P<count>no|zero|one|a single|two|three|four|five|\d)\s+(?:decimal|digit)s?(?:\s+(?:places?|points?))?\b"
    r"|\b(?P<nearest>nearest (?:whole number|integer|whole percent))|\b(?P<place>first|second|third) decimal\b",
    re.IGNORECASE,
)
_PLACES = {"first": 1, "second": 2, "third": 3}


def unit_requested(text: str) -> UnitRequest | None:
    """The unit, scale and rounding asked for; None when the question leaves them open."""
    scaled = _SCALED.search(text)
    percent = bool(_PERCENT.search(text))
    decimals = _decimals(text)
    currency = _currency(text, scaled)
    if not (scaled or percent or currency or decimals is not None):
        return None
    scale = _SCALES[scaled["scale"].lower()] if scaled else None
    told = [match.group() for match in (scaled, _DECIMALS.search(text)) if match]
    return UnitRequest(scale, currency, percent, decimals, "; ".join(told))


def _decimals(text: str) -> int | None:
    match = _DECIMALS.search(text)
    if match is None:
        return None
    if match["nearest"]:
        return 0
    if match["place"]:
        return _PLACES[match["place"].lower()]
    count = match["count"].lower()
    return int(count) if count.isdigit() else _COUNT_WORDS[count]


def _currency(text: str, scaled: re.Match[str] | None) -> str:
    written = (scaled["c1"] or scaled["c2"]) if scaled else None
    if not written:
        alone = _IN_CURRENCY.search(text)
        written = alone["currency"] if alone else ""
    key = written.lower().rstrip("s")
    return _CURRENCIES.get(key, _CURRENCIES.get(written.lower(), ""))
