"""A claim against the sentences it quotes: units, bounds, direction, whose number it is, and who does what."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from vectorless_web.engine.answers.meaning.ranking import direction_of, said_directions
from vectorless_web.engine.answers.meaning.wording import (
    Mention,
    Told,
    agree_told,
    bind_number,
    content_stems,
    figures_in,
    is_difference,
    numbers_told,
    quote_label,
    split_clauses,
)
from vectorless_web.engine.text.analyser import words
from vectorless_web.engine.text.quantities import MEASURES, SPELLED_NUMBERS, UNIT_OF

AHEAD = 80
"""Characters ahead of a number that may bound it; with all of them the time would grow with the square of the text."""


# --- units

_FAMILY = {"months": "time"}
"""Dimensions that are one family here: three months told of three weeks is a wrong unit."""
_NO_UNITS = frozenset({"percent", "money", "times", "working time"})
"""Dimensions that are read from the number itself."""
_BETWEEN_UNIT = re.compile(
    r"^\s*(?:\)\s*)?(?:-\s*)?(?:(?:business|working|calendar|consecutive|full|more|additional|further|whole|school"
    r"|trading)\s+)?"
    r"(?P<unit>°\s?[CF]\b|[A-Za-zµ]+)",
)
_DAY_KINDS = re.compile(r"^\s*(?:\)\s*)?(?:-\s*)?(business|working|calendar)\b", re.I)
_CURRENCY_AFTER = re.compile(
    r"^\s*(?:thousand|million|billion|k|m|bn)?\s*(euros?|dollars?|pounds?\s+sterling|yen)\b", re.I
)
_CURRENCY_BEFORE = re.compile(r"(?:\b(EUR|USD|GBP|JPY|CHF)|([$€£¥]))\s?$")
_CURRENCIES = {
    "euro": "EUR",
    "dollar": "USD",
    "pound": "GBP",
    "yen": "JPY",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
}
_RATE = (
    ("minute", re.compile(r"\b(?:per|a|each|every)\s+minute\b|/min\b", re.I)),
    ("shift", re.compile(r"\b(?:per|a|each|every)\s+shift\b", re.I)),
    ("night", re.compile(r"\b(?:per|a|each|every)\s+night\b", re.I)),
    ("person", re.compile(r"\b(?:per|each|every)\s+(?:person|head)\b|\bper\s+capita\b", re.I)),
    ("group", re.compile(r"\b(?:per|each|every)\s+(?:group|family|household)\b", re.I)),
    ("hour", re.compile(r"\b(?:per|an|each|every)\s+hour\b|\bhourly\b|/h\b", re.I)),
    ("day", re.compile(r"\b(?:per|a|each|every)\s+(?:calendar\s+)?day\b|\bdaily\b", re.I)),
    ("week", re.compile(r"\b(?:per|a|each|every)\s+week\b|\bweekly\b", re.I)),
    ("quarter", re.compile(r"\b(?:per|a|each|every)\s+quarter\b|\bquarterly\b", re.I)),
    ("month", re.compile(r"\b(?:per|a|each|every)\s+month\b|\bmonthly\b", re.I)),
    ("year", re.compile(r"\b(?:per|a|each|every)\s+year\b|\bper\s+annum\b|\b(?:annual|yearly|annually)\b", re.I)),
)


def unit_of(text: str, told: Told) -> tuple[str, str]:
    """(family, unit) of a number in a text; ("", "") when it states none."""
    if told.number.percent:
        return "percent", "percent"
    if currency := _currency_of(text, told):
        return "currency", currency
    match = _BETWEEN_UNIT.match(text[told.end :])
    return named_unit(match["unit"]) if match else ("", "")


def named_unit(word: str) -> tuple[str, str]:
    """The family and the unit that a word names: "kg" gives ("mass", "kilogram")."""
    lowered = word.lower().replace(" ", "")
    # "Pounds" without a sign of money weigh; "daily" says how often and is no unit of what stands before it.
    unit = "pound" if lowered in ("pound", "pounds") else UNIT_OF.get(lowered, "")
    dimension = MEASURES[unit][0] if unit and not lowered.endswith("ly") else ""
    return ("", "") if not dimension or dimension in _NO_UNITS else (_FAMILY.get(dimension, dimension), unit)


def _currency_of(text: str, told: Told) -> str:
    if told.number.currency:
        return told.number.currency
    behind = _CURRENCY_AFTER.match(text[told.end :])
    if behind:
        return _CURRENCIES[behind[1].lower().split()[0].removesuffix("s")]
    ahead = _CURRENCY_BEFORE.search(text[max(0, told.start - AHEAD) : told.start])
    return (ahead[1] or _CURRENCIES[ahead[2]]) if ahead else ""


def find_unit_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A number told in another unit, currency or rate than the quote gives it."""
    stated = numbers_told(quote)
    for told in numbers_told(claim):
        same = [other for other in stated if agree_told(told, other)]
        if same and (objection := _other_unit(claim, told, quote, same) or _other_rate(claim, told, quote, same)):
            yield objection


def _other_unit(claim: str, told: Told, quote: str, same: Sequence[Told]) -> str:
    family, unit = unit_of(claim, told)
    theirs = [unit_of(quote, other) for other in same]
    if not unit or any(not other for _, other in theirs) or any(other == unit for _, other in theirs):
        return _other_days(claim, told, quote, same) if unit == "day" else ""
    if {family, theirs[0][0]} == {"time", "currency"} or {unit, theirs[0][1]} == {"GBP", "pound"}:
        # Pounds without a sign may be money as well as a weight.
        return ""
    return f"The claim gives {told.number.text} in {_plural(unit)}; the quote gives it in {_plural(theirs[0][1])}."


def _other_days(claim: str, told: Told, quote: str, same: Sequence[Told]) -> str:
    """Calendar days told of business days."""
    kinds = [_day_kind(claim, told), *(_day_kind(quote, other) for other in same)]
    if all(kinds) and kinds[0] not in kinds[1:]:
        return f"The claim speaks of {kinds[0]} days; the quote speaks of {kinds[1]} days."
    return ""


def _day_kind(text: str, told: Told) -> str:
    match = _DAY_KINDS.match(text[told.end :])
    return match[1].lower().replace("working", "business") if match else ""


def _plural(unit: str) -> str:
    return unit if unit in ("percent", "celsius", "fahrenheit") or unit.isupper() else f"{unit}s"


def _other_rate(claim: str, told: Told, quote: str, same: Sequence[Told]) -> str:
    """An amount per month told of one per year. A text that names several rates says nothing plain."""
    if len(same) != 1 or len(figures_in(claim)) != 1:
        return ""
    said = _rates_of(claim)
    if len(said) != 1:
        return ""
    around = clause_around(quote, same[0].start)
    stated = {name for name, pattern in _RATE if _is_rate_of(pattern, around, same[0].number.text)}
    (rate,) = said
    many, unit = _span_of(quote, same[0])
    if many and rate in _AS_LONG.get((_count_of(many), unit), ()):
        return ""
    if not stated:
        if not many or rate in _rates_of(quote):
            return ""
        return f"The claim says {told.number.text} per {rate}; the quote gives it for {many} {unit}."
    if rate in stated:
        return ""
    return f"The claim says {told.number.text} per {rate}; the quote says it is per {min(stated)}."


_SPAN = (
    rf"(?P<many>\d+|{'|'.join(SPELLED_NUMBERS)})\s+(?:(?:full|whole|consecutive|working|calendar|school)\s+)?"
    r"(?P<unit>(?:minute|shift|night|hour|day|week|month|quarter|year)s)\b"
)
_SPAN_BEHIND = re.compile(
    rf"[^.;:()\d]{{0,60}}?\b(?P<way>in|over|within|during|every|for)\s+(?:about\s+|only\s+|just\s+|these\s+)?{_SPAN}"
    r"(?!\s+(?:of\b|from\b|after|later|ago|per\b|an?\b|each|every))",
    re.I,
)
_SPAN_AHEAD = re.compile(
    rf"\b(?:(?:over|during|in|within)(?:\s+the\s+(?:last|past|first|next))?|(?:it\s+)?took(?:\s+[a-z]+){{0,3}}|(?P<way>for))\s+"
    rf"{_SPAN}[^.;:()\d]{{0,60}}$",
    re.I,
)
_AS_LONG = {
    (Decimal(60), "minutes"): ("hour",),
    (Decimal(24), "hours"): ("day",),
    (Decimal(7), "days"): ("week",),
    (Decimal(30), "days"): ("month",),
    (Decimal(365), "days"): ("year",),
    (Decimal(4), "weeks"): ("month",),
    (Decimal(52), "weeks"): ("year",),
    (Decimal(3), "months"): ("quarter",),
    (Decimal(12), "months"): ("year",),
    (Decimal(4), "quarters"): ("year",),
}
"""Spans that are one of a rate's own."""
_OF_MONEY = re.compile(r"\b(?:costs?|price|fee|charged?|hire[ds]?|pays?|paid)\b", re.I)


def _span_of(text: str, told: Told) -> tuple[str, str]:
    """The time for which the sentence gives a number as a whole: "three hours" of "310 litres in three hours".

    "For" spreads a price over the time, and may repeat a dose or a rent in it; "within" may be the time to pay.
    """
    currency = _currency_of(text, told)
    behind = _SPAN_BEHIND.match(text[told.end : told.end + AHEAD])
    if behind is not None:
        way = behind["way"].lower()
        is_plain = bool(_OF_MONEY.search(text)) if way == "for" else not currency or way == "every"
        return _read_span(behind) if is_plain and (way != "for" or currency) else ("", "")
    start = max(0, told.start - AHEAD)
    ahead = _SPAN_AHEAD.search(re.split(r"[.;:]\s", text[start : told.start])[-1])
    if ahead is None or (currency and not _OF_MONEY.search(text)) or (ahead["way"] and not currency):
        return "", ""
    return _read_span(ahead)


def _count_of(many: str) -> Decimal:
    return Decimal(many) if many.isdigit() else SPELLED_NUMBERS.get(many, Decimal(0))


def _read_span(match: re.Match[str]) -> tuple[str, str]:
    return match["many"].lower(), match["unit"].lower()


def _rates_of(text: str) -> set[str]:
    return {name for name, pattern in _RATE if pattern.search(text)}


def _is_rate_of(pattern: re.Pattern[str], text: str, number: str) -> bool:
    """Whether the rate stands close to the number: an annual rent of 100 in monthly instalments is per year."""
    place = text.find(number)
    if place < 0:
        return False
    behind = re.match(
        r"\s*(?:(?!in\b|paid\b|due\b|payable\b)[A-Za-z]+\s+)?(?:(?:per|an?|each|every)\s+\w+|annually|yearly|quarterly|monthly|weekly|daily|hourly)",
        text[place + len(number) :],
    )
    ahead = re.split(r",\s", text[max(0, place - 30) : place])[-1]
    return bool(pattern.search(ahead) or (behind and pattern.search(behind.group())))


def clause_around(text: str, place: int) -> str:
    """The clause of a text that a place stands in."""
    start = max(text.rfind(mark, 0, place) for mark in (". ", "; ", "\n", "\t")) + 1
    ends = [end for mark in (". ", "; ", "\n", "\t") if (end := text.find(mark, place)) >= 0]
    return text[start : min(ends)] if ends else text[start:]


# --- bounds

_AT_MOST = re.compile(
    r"(?:\bat\s+(?:the\s+)?most|\bup\s+to|\b(?:no|not)\s+(?:more|later|longer|greater|higher|older|heavier|larger|taller|bigger)\s+than|\b(?:not|never"
    r"|without)\s+"
    r"(?:\w+\s+){0,2}?(?:exceed|exceeding|surpass)|\bno\s+\w+\s+(?:may|shall|can)\s+exceed"
    r"|\bmay\s+not\s+\w+\s+more\s+than"
    r"|\bmaximum(?:(?:\s+[a-z]+){0,4}?(?:\s+of|\s+is|:))?|\bwithin|\bcapped\s+at|\bcap\s+of|\bunder|\bbelow"
    r"|(?<!no )(?<!not )(?<!\d )\b(?:less|fewer|shorter|lower|younger|lighter|smaller)\s+than"
    r"|\blimited\s+to|\bmax\.?|\bup\s+until|\bno\s+further\s+than)"
    r"\s*(?:a|an|the|of|is|total|:)?\s*(?:(?:EUR|USD|GBP)\s*)?[$€£]?\s*$",
    re.I,
)
_AT_LEAST = re.compile(
    r"(?:\bat\s+(?:the\s+)?least|\b(?:no|not)\s+(?:less|fewer|earlier|sooner|lower|shorter|younger|lighter|smaller)\s+than"
    r"|\bminimum(?:(?:\s+[a-z]+){0,4}?(?:\s+of|\s+is|:))?"
    r"|(?<!no )(?<!not )(?<!\d )\b(?:more|longer|greater|larger|higher|later|older|heavier|taller|bigger)\s+than"
    r"|\bover|\babove|(?<!not )(?<!n't )\bexceed(?:s|ing)?|\bmin\.?"
    r"|\bupwards?\s+of)"
    r"\s*(?:a|an|the|of|is|:)?\s*(?:(?:EUR|USD|GBP)\s*)?[$€£]?\s*$",
    re.I,
)
_OR_MORE = re.compile(
    r"^\s*(?:[A-Za-z°%]+\s+)?(?:or|and)\s+(?:more|over|above|longer|older|later|greater)\b|^\s*\+", re.I
)
_OR_LESS = re.compile(
    r"^\s*(?:[A-Za-z°%]+\s+)?(?:or|and)\s+(?:less|fewer|under|below|shorter|younger)\b|^\s*[a-z]*\s*(?:maximum"
    r"|at\s+most)\b",
    re.I,
)
_NEGATOR_BEFORE = re.compile(r"\b(?:not|no|never|cannot|neither|nothing|nobody|prohibited)\b|n['’]t\b", re.I)
_BEFORE = re.compile(r"^\s*(?:\)\s*)?(?:\w+\s+){0,2}?(?:before|prior\s+to|ahead\s+of|in\s+advance)\b", re.I)
_AFTER = re.compile(r"^\s*(?:\)\s*)?(?:\w+\s+){0,2}?(?:after|following|from\s+the\s+date)\b", re.I)


def find_bound_mismatches(claim: str, quote: str) -> Iterator[str]:
    """At least told of at most, before told of after."""
    stated = numbers_told(quote)
    for told in numbers_told(claim):
        same = [other for other in stated if agree_told(told, other)]
        if len(same) != 1:
            continue
        (other,) = same
        yield from _swapped_bound(claim, told, quote, other)
        yield from _swapped_side(claim, told, quote, other)


def _swapped_bound(claim: str, told: Told, quote: str, other: Told) -> Iterator[str]:
    ours, theirs = _bound_of(claim, told), _bound_of(quote, other)
    if not ours or not theirs or ours == theirs:
        return
    if _is_turned(claim, told) != _is_turned(quote, other):
        return
    said = {"most": "at most", "least": "at least"}
    yield f"The claim says “{said[ours]}” of {told.number.text}; the quote says “{said[theirs]}”."


def _bound_of(text: str, told: Told) -> str:
    ahead, behind = text[max(0, told.start - AHEAD) : told.start], text[told.end : told.end + 40]
    most = bool(_AT_MOST.search(ahead) or _OR_LESS.match(behind))
    least = not _AT_MOST.search(ahead) and bool(_AT_LEAST.search(ahead) or _OR_MORE.match(behind))
    return "" if most == least else "most" if most else "least"


def _is_turned(text: str, told: Told) -> bool:
    """Whether the sentence denies something of the bound, or puts it before a date, which turns it around."""
    clause = clause_around(text, told.start)
    bare = re.sub(
        r"\b(?:no|not)\s+(?:more|later|less|fewer|longer|earlier|greater|sooner|older|younger|heavier|lighter|larger|smaller)\s+than\b",
        " ",
        clause,
        flags=re.I,
    )
    bare = re.sub(r"\b(?:not|never)\s+exceed\w*|\bmay\s+not\s+\w+\s+more\s+than\b", " ", bare, flags=re.I)
    bare = re.sub(r"^\W*(?:no|yes),", " ", bare, flags=re.I)
    is_ahead = bool(_BEFORE.match(text[told.end :])) and bool(
        re.search(r"later\s+than\s*$|earlier\s+than\s*$", text[max(0, told.start - AHEAD) : told.start], re.I)
    )
    return bool(_NEGATOR_BEFORE.search(bare)) != is_ahead


def _swapped_side(claim: str, told: Told, quote: str, other: Told) -> Iterator[str]:
    ours = (bool(_BEFORE.match(claim[told.end :])), bool(_AFTER.match(claim[told.end :])))
    theirs = (bool(_BEFORE.match(quote[other.end :])), bool(_AFTER.match(quote[other.end :])))
    if ours in ((True, False), (False, True)) and theirs == (ours[1], ours[0]):
        words_said = ("before", "after") if ours[0] else ("after", "before")
        yield f"The claim puts {told.number.text} {words_said[0]} the event; the quote puts it {words_said[1]}."


# --- direction


def find_direction_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A rise told of what the quote says fell."""
    stated = [(clause, numbers_told(clause), content_stems(clause)) for clause in split_clauses(quote)]
    for clause in split_clauses(claim):
        sign = direction_of(clause)
        if not sign:
            continue
        numbers, stems = numbers_told(clause), content_stems(clause)
        near = [other for other, theirs, said in stated if _is_about(numbers, stems, theirs, said)]
        told = {direction for other in near for direction in said_directions(other)}
        plain = {direction_of(other) for other in near}
        if (near and told == {-sign} and -sign in plain and sign not in said_directions(quote)) or (
            len(near) == 1 and plain == {-sign} and sign not in told
        ):
            yield _direction_told(sign, near[0])


def _direction_told(sign: int, clause: str) -> str:
    said, stated = ("rise", "fall") if sign > 0 else ("fall", "rise")
    return f"The claim tells a {said}; the quote tells a {stated}: {quote_label(clause)}."


def _is_about(numbers: Sequence[Told], stems: frozenset[str], theirs: Sequence[Told], said: frozenset[str]) -> bool:
    if numbers:
        return any(agree_told(one, other) for one in numbers for other in theirs) and bool(stems & said)
    shared = len(stems & said)
    return shared >= 2 and shared * 2 >= min(len(stems), len(said))


_OPPOSITE_PAIRS = (
    "faster slower",
    "quicker slower",
    "higher lower",
    "larger smaller",
    "bigger smaller",
    "greater smaller",
    "longer shorter",
    "taller shorter",
    "older younger",
    "older newer",
    "better worse",
    "heavier lighter",
    "warmer colder",
    "hotter cooler",
    "warmer cooler",
    "cheaper dearer",
    "stronger weaker",
    "earlier later",
    "sooner later",
    "deeper shallower",
    "wider narrower",
    "thicker thinner",
    "nearer farther",
    "closer further",
    "louder quieter",
    "wetter drier",
    "richer poorer",
    "harder softer",
    "harder easier",
    "safer riskier",
)
_COMPARATIVES = frozenset(word for pair in _OPPOSITE_PAIRS for word in pair.split())
_OPPOSITES = {
    word: frozenset(
        other for pair in _OPPOSITE_PAIRS if word in pair.split() for other in pair.split() if other != word
    )
    for word in _COMPARATIVES
}
_BEHIND_THAN = r"\b(?P<c>[^.;]*?)\bthan\b(?P<b>[^.;]*)"
_THAN = re.compile(
    r"(?P<a>[^.;:]*?)\b(?:is|was|were|are)\s+(?:\w+ly\s+|much\s+|far\s+)?(?:(?P<more>more|less)\s+(?P<quality>\w+)|(?P<word>\w+er))"
    + _BEHIND_THAN,
    re.I,
)
_DOES_THAN = re.compile(
    rf"(?P<a>[^.;:]*?)(?P<more>)(?P<quality>)\b(?P<word>{'|'.join(sorted(_COMPARATIVES))}){_BEHIND_THAN}", re.I
)
"""A comparison behind any other verb: "drains better than"."""


def find_swapped_comparison(claim: str, quote: str) -> Iterator[str]:
    """ "A was cheaper than B" told of "B was cheaper than A"; more told of less."""
    ours = _find_than(claim)
    theirs = _find_than(quote) if ours is not None else None
    if ours is None or theirs is None:
        return
    one_quality, other_quality = _compared_quality(ours), _compared_quality(theirs)
    is_opposite = other_quality in _OPPOSITES.get(one_quality, ())
    if (one_quality != other_quality and not is_opposite) or _NEGATOR_BEFORE.search(ours.group() + theirs.group()):
        return
    shared = content_stems(ours["c"]) & content_stems(theirs["c"])
    first, second = content_stems(ours["a"] + ours["c"]) - shared, content_stems(ours["b"])
    one, other = content_stems(theirs["a"] + theirs["c"]) - shared, content_stems(theirs["b"])
    only_one, only_other = one - other, other - one
    is_turned = bool(first & only_other and second & only_one and not first & only_one and not second & only_other)
    is_turned = is_turned or is_swapped((first, second), (one, other))
    is_straight = bool(first & only_one and second & only_other and not first & only_other and not second & only_one)
    is_less = is_opposite or (ours["more"] or "").lower() != (theirs["more"] or "").lower()
    if (is_turned and not is_less) or (is_straight and is_less):
        yield f"The claim turns the comparison of the quote around: {quote_label(theirs.group())}."


def is_swapped(ours: tuple[frozenset[str], frozenset[str]], theirs: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Whether two sides have changed places: what is new on each side of the claim stands on the quote's other side."""
    (first, second), (one, other) = ours, theirs
    return bool(first - one and second - other) and first - one <= other and second - other <= one


def _find_than(text: str) -> re.Match[str] | None:
    return (_THAN.search(text) or _DOES_THAN.search(text)) if "than" in text.lower() else None


def _compared_quality(match: re.Match[str]) -> str:
    return str(match["quality"] or match["word"]).lower()


# --- whose number it is

_PART = re.compile(r",\s+|;\s+|\n|\s+\(|\)(?=\s)|\s+\b(?:and|while|whereas|but)\b\s+", re.I)
_WEAK = frozenset(
    content_stems("rise rose fall fell grow grew increase decrease decline improve use last year percent total")
)


MOST_STATED = 40
"""Numbers of quotes of which each may belong to another thing; pages of them say nothing plain, and slowly."""


def find_owner_mismatches(claim: str, quote: str, question: str) -> Iterator[str]:
    """A number told of another thing that the same quote gives another number: 64% of one group, 41% of the other."""
    stated, said = numbers_told(quote), content_stems(claim)
    told = numbers_told(claim)
    if len(stated) > MOST_STATED:
        return
    asked = content_stems(question)
    values = [one.value for one in (*stated, *told)]
    for number in told:
        if is_difference(claim, number.number, values):
            continue
        own = [other for other in stated if agree_told(number, other)]
        if len(own) != 1:
            continue
        for other in stated:
            if other == own[0] or agree_told(number, other) or unit_of(quote, other) != unit_of(quote, own[0]):
                continue
            mine, others = _contexts(quote, own[0], other, stated)
            only_mine, only_others = mine - others - _WEAK, others - mine - _WEAK
            names, other_names = (_names_in(_words_around(quote, one, stated)) for one in (own[0], other))
            if names - other_names and other_names - names:
                only_mine, only_others = names - other_names, other_names - names
            if not only_mine or not only_others or only_mine & (said | asked):
                continue
            if only_others & said and not any(agree_told(one, other) for one in told):
                around = quote_label(_words_around(quote, own[0], stated))
                yield f"The quote gives {other.number.text} for that; {own[0].number.text} is for {around}."
                return


_NUMERAL = re.compile(r"[\d.,]+")
_BRACKETED = re.compile(r"\(([^()]{3,80})\)")
_SAYS_OF = re.compile(
    r"\s*(?:[a-z]+\s+){0,2}?(?:in|for|of|at|on|from|by|to|with|without|excluding|including|before|when|if|while)\b",
    re.I,
)
_PART_OF = re.compile(r"\b(?:of\s+(?:which|whom|these|them)|including|incl)\b", re.I)
_SAME_AGAIN = content_stems(
    "approximately roughly nearly almost equal equivalent total altogether ie eg namely or only"
)
_MODAL = re.compile(r"\b(?:can|could|may|might|will|would|should|must|shall|able|allowed)\b", re.I)


def find_bracket_mismatches(claim: str, quote: str, question: str) -> Iterator[str]:
    """A figure from parentheses told as the sentence's own: 2,015 of "stood at 1,940 (prior year: 2,015)".

    Only where the claim has no word beyond the sentence's own: any other may say what the parentheses say.
    """
    stated, said = numbers_told(quote), content_stems(claim)
    told = numbers_told(claim)
    if len(told) != 1 or _MODAL.search(claim):
        return
    for match in _BRACKETED.finditer(quote):
        inside = [one for one in stated if match.start() < one.start < match.end()]
        ahead = [one for one in stated if one.end <= match.start()]
        if not inside or not ahead or [one for one in stated if agree_told(told[0], one)] != inside[:1]:
            continue
        main = ahead[-1]
        clause = clause_around(quote, match.start())
        own = content_stems(clause.replace(match.group(), " "))
        qualifier = _qualifier_of(quote, match, inside[0]) - own
        if (
            qualifier
            and main.number.text in clause
            and unit_of(quote, main)[1] == unit_of(quote, inside[0])[1]
            and not qualifier & (said | content_stems(question))
            and not _years_of(match.group()) & _years_of(claim + question)
            and all(_NUMERAL.fullmatch(stem) for stem in said - own)
        ):
            yield f"The quote gives {main.number.text} for that; {told[0].number.text} is given for {match.group()}."


def _qualifier_of(quote: str, match: re.Match[str], told: Told) -> frozenset[str]:
    """What parentheses say of their number: words ahead of it ("prior year: 2,015"), or behind "for", "in", "of"."""
    ahead, behind = quote[match.start() : told.start], quote[told.end : match.end()]
    is_said_behind = _SAYS_OF.match(behind) or _PART_OF.search(ahead)
    return content_stems(ahead + (behind if is_said_behind else "")) - _SAME_AGAIN


def _contexts(text: str, one: Told, other: Told, stated: Sequence[Told]) -> tuple[frozenset[str], frozenset[str]]:
    """What stands around each of two numbers; one that opens its part shares what leads to the number ahead of it."""
    mine, others = _context_of(text, one, stated), _context_of(text, other, stated)
    first, second = sorted((one, other), key=lambda told: told.start)
    part = _words_around(text, second, stated)
    if len(part[: part.find(second.number.text)].split()) <= 1:
        shared = content_stems(text[: first.start])
        return mine | shared, others | shared
    return mine, others


def _context_of(text: str, told: Told, stated: Sequence[Told]) -> frozenset[str]:
    return content_stems(re.sub(r"[$€£]?\d[\d,.]*%?", " ", _words_around(text, told, stated))) | _years_of(
        _words_around(text, told, stated)
    )


def _names_in(text: str) -> frozenset[str]:
    """Stems of the names in a part of a sentence: capitalised words behind the first."""
    return content_stems(" ".join(re.findall(r"(?<=[a-z,] )[A-Z][\w-]+", text)))


def _years_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![\d,.])(?:19|20)\d\d(?![\d,.]\d)", text))


def _words_around(text: str, told: Told, stated: Sequence[Told]) -> str:
    """The part of the sentence that the number stands in, up to the next number."""
    cuts = [0, *(end for match in _PART.finditer(text) for end in (match.start(), match.end())), len(text)]
    start = max(cut for cut in cuts if cut <= told.start)
    end = min(cut for cut in cuts if cut >= told.end)
    inside = [other for other in stated if other != told and start <= other.start < end]
    if inside:
        start = told.start
        end = min([other.start for other in inside if other.start > told.start], default=end)
    return text[start:end].strip()


_YEAR_SAID = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?![\d,]\d|\.\d|[/–-]\d\d)")


def find_year_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A number told of 2022 that the quote gives for 2021, giving another one for 2022."""
    years, named = _mention_years(claim), _mention_years(quote)
    if len({mention.key for mention in named}) < 2 or not years:
        return
    told, stated = numbers_told(claim), numbers_told(quote)
    numbers, others = [one.number for one in told], [one.number for one in stated]
    for one in told:
        same = [other for other in stated if agree_told(one, other)]
        ours = bind_number(claim, one.number, years, numbers)
        said = ours.after or ours.before
        if len(same) != 1 or len(said) != 1:
            continue
        own = bind_number(quote, same[0].number, named, others)
        theirs = own.after or own.before
        (year,) = said
        if len(theirs) != 1 or theirs == said or (own.after | own.before) & said:
            continue
        bound = [bind_number(quote, other, named, others) for other in others if other != same[0].number]
        if any(year in (other.after or other.before) for other in bound):
            yield f"The claim says {year} of {one.number.text}; the quote gives it for {min(theirs)}."


def _mention_years(text: str) -> list[Mention]:
    return [Mention(match.start(), match.end(), match.group()) for match in _YEAR_SAID.finditer(text)]


# --- who does what

ROLES: tuple[tuple[str, str], ...] = (
    ("landlord lessor", "tenant lessee renter"),
    ("seller vendor supplier", "buyer purchaser customer"),
    ("provider contractor consultant", "client customer"),
    ("licensor", "licensee"),
    ("employer company", "employee worker"),
    ("lender bank", "borrower"),
    ("insurer", "insured policyholder"),
    ("franchisor", "franchisee"),
    ("trustee", "beneficiary"),
    ("teacher", "pupil student"),
    ("doctor physician nurse", "patient"),
    ("shipper consignor", "carrier"),
    ("sponsor", "investigator"),
    ("examiner lecturer professor", "student candidate"),
    ("investigator researcher", "participant volunteer"),
    ("host", "guest"),
    ("organiser organizer", "participant attendee"),
    ("airline operator", "passenger"),
    ("creditor", "debtor guarantor"),
    ("publisher", "author"),
    ("manager supervisor", "employee staff worker"),
    ("school", "parent"),
    ("assignor", "assignee"),
    ("discloser", "recipient"),
    ("administrator", "viewer"),
)
_DOES = re.compile(
    r"\b(?:must|shall|may|can|will|should|has\s+to|have\s+to|is|are|was|were|pays?|bears?|keeps?|has|have|needs?"
    r"|cannot|agrees?|undertakes?)\b",
    re.I,
)
_OPENING = re.compile(r"\W*(?:the\s+|each\s+|every\s+|a\s+)?(\w+)\s+(?:\w+ly\s+)?[a-z]+s\b", re.I)
_BY = re.compile(r"\bby\s+(?:the\s+|its\s+|his\s+|a\s+)?(\w+)", re.I)
_FOR_TO = re.compile(r"\bfor\s+the\s+(\w+)\s+to\b", re.I)


def find_role_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A duty or right told of the landlord that the quote gives the tenant; a clause copied from it says the same."""
    said = " ".join(quote.split())
    clauses = [clause for clause in split_clauses(claim) if " ".join(clause.split()) not in said]
    for one, other in ROLES:
        first, second = frozenset(one.split()), frozenset(other.split())
        for clause in clauses:
            doer = _doer(clause, first, second)
            theirs = [(part, _doer(part, first, second)) for part in _sentences(quote)]
            theirs = [(part, who) for part, who in theirs if who and _shares_deed(clause, part, first | second)]
            if doer and theirs and all(who != doer for _, who in theirs):
                stated = _word_in(*theirs[0])
                yield f"The claim says this of the {_word_in(clause, doer)}; the quote says it of the {stated}."
                return


_NAME = r"(?:[A-Z][\w’'-]+|[A-Z]\.)(?:\s+(?:[A-Z][\w’'-]+|[A-Z]\.))*"
_NAMED_SUBJECT = re.compile(
    rf"(?:^|[,:]\s+|\b(?:and|while|whereas|but)\s+)(?:the\s+|The\s+)?(?P<name>{_NAME})\s+(?=[a-z])"
)


_PRONOUN = re.compile(
    r"\b(?:We|You|They|It|He|She|This|That|These|Those|Your|Our|Their|Its|In|If|When|For|At|On|As|All|No|Unless|Except"
    r"|Although|Though|While|Because|Since|Until|Once|Before|After|Any|Each|Every|Some|Both|There|Where|To|By|With|Without"
    r"|From|Under|Upon|Such|Other|Most|Many|Not|Only|However|Please|But|And|Or)\b"
)
"""Words that open a sentence with a capital and name nobody."""


def find_name_mismatches(claim: str, quote: str) -> Iterator[str]:
    """A deed told of one person or body that the quote tells of another, both named in it as doers."""
    stated = [(part, match["name"]) for part in split_clauses(quote) for match in _NAMED_SUBJECT.finditer(part)]
    doers = {name for _, name in stated}
    if not doers:
        return
    for clause in split_clauses(claim):
        match = _NAMED_SUBJECT.search(clause)
        if (
            match is None
            or _PRONOUN.search(" ".join(doers))
            or not (match["name"] in doers or (" " in match["name"] and match["name"] in quote))
            or any(name in claim for name in doers - {match["name"]})
        ):
            continue
        said = content_stems(clause[match.end() :])
        shared = {part: len(said & content_stems(part)) for part, _ in stated}
        part, name = max(stated, key=lambda pair: shared[pair[0]])
        own = max((shared[other] for other, who in stated if who == match["name"]), default=0)
        if name != match["name"] and shared[part] * 2 > len(said) and shared[part] > own + 1:
            yield f"The claim says this of {match['name']}; the quote says it of {name}: {quote_label(part)}."


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.;])\s+", text) if part.strip()]


def _doer(text: str, first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """The side that acts in a clause: behind "by", else before the verb; empty when that is not plain."""
    for pattern in (_FOR_TO, _BY):
        side = _side((match[1] for match in pattern.finditer(text)), first, second)
        if side:
            return side
    opening = _OPENING.match(text)
    if opening and (side := _side([opening[1]], first, second)) and not _DOES.search(text):
        return side
    verb = _DOES.search(text)
    if verb is None or re.search(r"\b(?:be|is|are|was|were)\s+\w+(?:ed|en|id)\b", text[verb.start() :], re.I):
        return frozenset()
    said = [word.text.lower() for word in words(text[: verb.start()])]
    if re.search(r"\bof\s+(?:the\s+)?\w+\W*$", text[: verb.start()]):
        return frozenset()
    return _side(said, first, second)


def _side(said: Iterator[str] | Sequence[str], first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    found = {side for word in said for side in (first, second) if word.lower().removesuffix("s") in side}
    return found.pop() if len(found) == 1 else frozenset()


def _shares_deed(clause: str, part: str, roles: frozenset[str]) -> bool:
    stems = content_stems(clause) - {role for name in roles for role in content_stems(name)}
    others = content_stems(part) - {role for name in roles for role in content_stems(name)}
    shared = len(stems & others)
    return shared >= 2 and shared * 2 >= min(len(stems), len(others))


def _word_in(text: str, side: frozenset[str]) -> str:
    return next((word.text.lower() for word in words(text) if word.text.lower().removesuffix("s") in side), min(side))
