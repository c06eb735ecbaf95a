"""Rules that sentences state, worked out for the case of a question: rates per unit with steps, what is free, a limit
or a least amount, shares of a sum, and dates that lie a stated time from a known one."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from vectorless_web.engine.figures.arithmetic import round_half_up
from vectorless_web.engine.figures.figure import amount_words, format_number
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import MONTHS, Day, dates_in, shift_day
from vectorless_web.engine.text.quantities import MEASURES, UNIT_OF, Quantity, quantities_in

_ZERO = Decimal(0)
_FILLERS = (
    r"(?:(?:full|whole|complete|completed|started|commenced|begun|part|further|additional|extra|subsequent|following"
    r"|calendar|working|business|late|single|other|new)\s+)*"
)
_MONEY_WORD = r"\s*(?:euros?|dollars?|pounds?|pence|cents?|francs?|kron(?:or|er)|rupees?|yen)?\s*"
_PER = re.compile(
    rf"(?P<gap>(?:(?![.;:]\s)[^\d;:$€£]){{0,90}}?)\b(?:(?P<each>each|every|per|/)|(?P<an>an?))\s+(?P<fill>{_FILLERS})"
    r"(?:or part of an? )?(?P<noun>(?!cent\b|annum\b|total\b|maximum\b|minimum\b)[a-z]{2,})"
    rf"(?:(?:,| and)? (?:and|per|each|an?) {_FILLERS}(?P<second>[a-z]{{3,}}))?",
    re.IGNORECASE,
)
"""What a rate is told by: "£25 a night", "two per cent of the price for each full day", "€2 per person and night"."""
_PER_BEFORE = re.compile(
    rf"\b(?:each|every|per) (?P<fill>{_FILLERS})(?P<noun>(?!cent\b|annum\b)[a-z]{{2,}})"
    r"(?::|(?: (?:costs?|is|is charged(?: at)?|adds|pays?|counts?)))?\s*$",
    re.IGNORECASE,
)
"""The same told the other way round: "each further kilometre costs 30 cents" ..."""
_FOR_EACH = re.compile(
    rf"\bfor (?:each|every) (?P<fill>{_FILLERS})(?P<noun>[a-z]{{2,}})\b[^.;:\d$€£]{{0,90}}$", re.IGNORECASE
)
"""... or with words between: "for each day by which it is late the sender receives ten per cent"."""
_AN_GAP = re.compile(rf"(?:{_MONEY_WORD}|\s*[a-zµ]{{1,6}}s?\s*)$", re.IGNORECASE)
_BREAK = re.compile(r"[;.]\s|,\s|\s(?:and|but|then)\s", re.IGNORECASE)
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = tuple(_ORDINAL_WORDS.split(" "))
_COUNT = r"(?P<count>\d+(?:st|nd|rd|th)?|[a-z]+)"
_FIRST_OF = re.compile(
    rf"\bfirst (?:(?P<count>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\s+)?{_FILLERS}"
    r"(?P<noun>[a-z]{2,})",
    re.IGNORECASE,
)
_UP_TO = re.compile(rf"\b(?:up to|until)(?: and including)? (?:the )?{_COUNT} (?P<noun>[a-z]{{2,}})", re.IGNORECASE)
_FROM = re.compile(rf"\bfrom the {_COUNT}\b", re.IGNORECASE)
_BEYOND = re.compile(
    rf"\b(?:after the(?: first)?|beyond(?: the(?: first)?)?|over|above|exceeding|in excess of) {_COUNT}\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:further|additional|extra|subsequent|following|thereafter|afterwards|after that|beyond that)\b", re.IGNORECASE
)
_CAP = re.compile(
    r"\b(?:at (?:the )?most|(?:not|never) exceed(?:ing)?|(?:no|not|never) more than|maximum(?: of| is)?|up to"
    r"(?: a (?:total|maximum) of)?|capped at|limited to|cap(?: is| of)?|ceiling(?: is| of)?|(?:not|never) be more than)"
    r"\W+(?:[a-z]+\W+){0,2}$",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:at least|(?:no|not) less than|minimum(?: charge| fee| amount)?(?: of| is)?)\W+(?:[a-z]+\W+)?$", re.IGNORECASE
)
_FREE = r"(?:free(?: of charge)?|included|not charged|no charge|without charge)"
_FREE_BEFORE = re.compile(
    rf"\b{_FREE} (?:for|during|in|on) (?:the )?$|\b(?:costs?|charges?) nothing for (?:the )?$", re.IGNORECASE
)
_FREE_AFTER = re.compile(rf"^(?: [a-z]+){{0,3}} (?:is|are|costs? nothing|remains?)\b(?: {_FREE})?", re.IGNORECASE)
_BASE_FEE = re.compile(
    r"\b(?:basic|base|standing|call-?out|booking|fixed|flat|one-?off|admission|starting|joining|handling|set-?up)\s+"
    r"(?:fee|charge|price|rate|fare|cost)\b|\bcosts?\b|\bcharges?\b|\bpays?\b|\bis\b",
    re.IGNORECASE,
)
_PLUS = re.compile(r"\s*(?:[a-z]+\s+){0,3}(?:plus|and (?:then |in addition )?|as well as|with|,)\s*$", re.IGNORECASE)
_OFF = re.compile(r"\b(?:discount|reduc\w+|rebate|off)\b", re.IGNORECASE)
_PAYS = re.compile(r"\b(?:pay|cost|price|charged?|owe)\b", re.IGNORECASE)
_ASKS_OFF = re.compile(
    r"\b(?:save|saving|back|refund|credit)\b|\b(?:how (?:much|big|high|large) (?:is|was|would be)(?: the| my| our)?"
    r"|(?:what|which)(?: is the)?) (?:discount|reduction|rebate)\b",
    re.IGNORECASE,
)
_STARTED = re.compile(r"\b(?:started|commenced|begun|part)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:full|whole|complete|completed)\b", re.IGNORECASE)
_PEOPLE = frozenset(
    analyse(
        "person people head guest participant adult child children member visitor passenger pupil student player us"
    )
)
_ASKS_FIGURE = re.compile(
    r"\bhow (?:much|many|high|large|big)\b|\b(?:calculate|work out)\b"
    r"|\b(?:what|which)\b[^?.]*\b(?:pay|owe|costs?|charged?|fees?|fine|bill|price|deposit|interest|credit|refund|penalty"
    r"|compensation|allowance|sum|total|amount|worth|dose|discount|rent|tax|surcharge|bonus|premium|back|receive|get|reimburse\w*)\b",
    re.IGNORECASE,
)

MOST_TEXT = 1500
"""Characters of a rule that is read; a longer one states too many things."""


@dataclass(frozen=True, slots=True)
class Worked:
    """A rule worked out: its result in words, and the formula with its operands.

    `operands` are (name, words as printed, whether the rule and not the question states them). `how` tells the formula
    in the figures themselves, with what the limit did to it.
    """

    result: str
    expression: str
    operands: tuple[tuple[str, str, bool], ...]
    how: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A rate for the units above `lower` up to `upper` (None without end); `flat` is one amount for all of them."""

    rate: Quantity
    nouns: tuple[str, ...]
    own: str
    thing: str = ""
    fill: str = ""
    lower: Decimal = _ZERO
    upper: Decimal | None = None
    flat: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    steps: tuple[_Step, ...]
    cap: Quantity | None
    least: Quantity | None
    most_units: Decimal | None


@dataclass(frozen=True, slots=True)
class _Term:
    """A part of a sum: as an expression over names, and told in figures."""

    expression: str
    told: str
    value: Decimal


def work_out_rule(question: str, rule: str, sentence: str = "") -> Worked | None:
    """What the rule comes to for the numbers of the question; None when it leaves anything open.

    A rate needs the number of its units from the question, a share the amount it is taken of. Of several rates that are
    no steps of one another the one whose words the question says is taken. `sentence` is the one sentence of the rule
    that answers best: only of it a share that goes by no unit is taken.
    """
    if len(rule) > MOST_TEXT or not _ASKS_FIGURE.search(question):
        return None
    given, stated = quantities_in(question), _list_quantities(rule)
    if not given or not stated:
        return None
    if _ASKS_EXCESS.search(question):
        return work_out_excess(question, rule)
    if (days := _work_out_days(question, rule)) is not None:
        return days
    read = None if _LEANS.search(rule) and not _LEANS.search(question) else _read_rule(question, rule, stated)
    if read is not None:
        return _work_out_steps(read, question, given)
    return _work_out_share(question, given, sentence or rule)


_LEANS = re.compile(
    r"\b(?:above|beyond|over|below) (?:that|this|these|those)(?: (?:number|amount|limit|figure|quantity|sum))?\b"
    r"|\b(?:an?|the|one) (?:further|additional|extra)\b[^.;]*\d|\bon top of (?:that|this|it)\b|\bin addition\b",
    re.IGNORECASE,
)
"""What a rate leans on that stands in another sentence: "Above that number ...", "A further £45 for each ..."."""


def _list_quantities(rule: str) -> list[Quantity]:
    """Amounts of money, percentages and plain numbers, those that count a clause left out."""
    return [q for q in quantities_in(rule) if not q.is_code and not (q.start == 0 and not (q.currency or q.percent))]


def _read_rule(question: str, rule: str, stated: Sequence[Quantity]) -> _Rule | None:
    """The steps of the rates that the rule states, with its limit; None without a rate or with several that compete."""
    limits = {id(q): kind for q in stated if (kind := _limit_of(rule, q))}
    money = [q for q in stated if (q.percent or q.unit in ("money", "cent")) and id(q) not in limits]
    amounts = money or _list_things(rule, stated, limits)
    steps = _order_steps(rule, amounts) if amounts else []
    if not any(step.nouns and not step.flat for step in steps):
        return None
    chosen = _choose_steps(question, steps)
    if not chosen:
        return None
    rated = next(step for step in chosen if not step.flat)
    caps = [q for q in stated if limits.get(id(q)) == "cap"]
    return _Rule(
        tuple(chosen),
        next((q for q in caps if _is_bound(rule, q, rated)), None),
        next((q for q in stated if limits.get(id(q)) == "least" and q.unit == "money"), None),
        next((q.value for q in caps if _counts(q, rated.nouns[0]) and not q.is_ordinal), None),
    )


def _is_bound(rule: str, quantity: Quantity, rated: "_Step") -> bool:
    """Whether an amount can bound what the rate comes to: money, a percentage, or the same things."""
    if rated.thing:
        return _thing_of(rule, quantity) == rated.thing and _find_unit_behind(rule, quantity.end, len(rule)) is None
    return quantity.percent or quantity.unit == "money"


def _list_things(rule: str, stated: Sequence[Quantity], limits: Collection[int]) -> list[Quantity]:
    """Amounts of anything else that go by a unit: "3 points for each order", "20 mg per kg"."""
    return [
        q
        for q in stated
        if id(q) not in limits and not q.is_part and _find_unit_behind(rule, q.end, len(rule)) and _thing_of(rule, q)
    ]


def _thing_of(rule: str, quantity: Quantity) -> str:
    """The word behind a number, as printed: "points", "mg"."""
    match = re.match(r"\s?([A-Za-zµ]+)", rule[quantity.end :])
    solid = re.search(r"[A-Za-zµ]+$", quantity.text)
    return match[1] if match and not solid else solid.group() if solid else ""


def _limit_of(rule: str, quantity: Quantity) -> str:
    """ "cap" or "least" for an amount that bounds the others, "" for any other."""
    before = rule[max(0, quantity.start - 60) : quantity.start]
    if _CAP.search(before) and not quantity.is_ordinal:
        return "cap"
    return "least" if _LEAST.search(before) else ""


def _order_steps(rule: str, amounts: Sequence[Quantity]) -> list[_Step]:
    """A step for each amount that goes by a unit, or stands beside one that does, with the words that are its own."""
    spans = _own_words(rule, amounts)
    steps: list[_Step] = []
    for place, (quantity, own) in enumerate(zip(amounts, spans, strict=True)):
        following = amounts[place + 1].start if place + 1 < len(amounts) else len(rule)
        step = _read_step(rule, quantity, own, following, steps)
        if step is not None:
            steps.append(step)
    free = _read_free(rule)
    if free is not None and steps and not steps[0].lower and steps[0].nouns and _same(free[1], steps[0].nouns[0]):
        steps[0] = replace(steps[0], lower=free[0])
    return [step for step in steps if step.nouns or _adds_to_rate(rule, step.rate, steps)]


def _own_words(rule: str, amounts: Sequence[Quantity]) -> list[str]:
    """For each amount the words around it up to the first break on the way to its neighbours."""
    cuts = [0]
    for left, right in pairwise(amounts):
        gap = rule[left.end : right.start]
        match = _BREAK.search(gap)
        cuts.append(left.end + (match.end() if match else len(gap)))
    cuts.append(len(rule))
    return [rule[max(start, q.start - 120) : end] for q, (start, end) in zip(amounts, pairwise(cuts), strict=True)]


def _read_step(rule: str, quantity: Quantity, own: str, following: int, before: Sequence[_Step]) -> _Step | None:
    match = _find_unit_behind(rule, quantity.end, following)
    nouns: tuple[str, ...] = ()
    fill = ""
    if match is not None:
        nouns = tuple(noun for noun in (match["noun"], match["second"]) if noun)
        fill = match["fill"]
    elif (each := _find_unit_before(rule[max(0, quantity.start - 120) : quantity.start])) is not None:
        nouns, fill = (each["noun"],), each["fill"]
    elif daily := re.search(r"\b(hourly|daily|nightly|weekly|monthly)\b[^.;]{0,40}$", rule[: quantity.start], re.I):
        nouns = (_UNIT_OF_ADVERB[daily[1].lower()],)
    last = next((step for step in reversed(before) if step.nouns), None)
    lower, upper, covers = _bounds(own, fill, last)
    if nouns:
        thing = "" if quantity.percent or quantity.unit in ("money", "cent") else _thing_of(rule, quantity)
        return _Step(quantity, nouns, own, thing, fill, lower, upper)
    if covers and (first := _FIRST_OF.search(own)):
        return _Step(quantity, (first["noun"],), own, "", "", lower, upper, flat=True)
    if last is not None and lower:
        return _Step(quantity, last.nouns, own, last.thing, last.fill, lower, upper)
    return _Step(quantity, (), own, flat=True) if quantity.unit == "money" else None


def _find_unit_behind(rule: str, start: int, end: int) -> re.Match[str] | None:
    match = _PER.match(rule, start, end)
    return match if match is not None and (match["each"] or _AN_GAP.match(match["gap"])) else None


def _find_unit_before(words: str) -> re.Match[str] | None:
    return _PER_BEFORE.search(words) or _FOR_EACH.search(words)


_UNIT_OF_ADVERB = {"hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month"}


def _bounds(own: str, fill: str, last: "_Step | None") -> tuple[Decimal, Decimal | None, bool]:
    """From where to where an amount holds, in units, and whether it names its first units."""
    if (start := _FROM.search(own)) is not None and (count := _read_count(start["count"])) is not None:
        return count - 1, None, False
    if (beyond := _BEYOND.search(own)) is not None and (count := _read_count(beyond["count"])) is not None:
        return count, None, False
    if (first := _FIRST_OF.search(own)) is not None and not _is_free(own, first):
        count = _read_count(first["count"] or "one")
        return _ZERO, count, count is not None
    if (until := _UP_TO.search(own)) is not None and _read_count(until["count"]) is not None and until["noun"] != "per":
        lower = last.upper if last is not None and last.upper is not None else _ZERO
        return lower, _read_count(until["count"]), False
    if last is not None and last.upper is not None and (_NEXT.search(fill) or _NEXT.search(own)):
        return last.upper, None, False
    return _ZERO, None, False


def _read_count(word: str) -> Decimal | None:
    word = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word.lower())
    if word in _ORDINALS:
        return Decimal(_ORDINALS.index(word) + 1)
    found = quantities_in(word)
    if word == "one":
        return Decimal(1)
    return found[0].value if found and not found[0].is_part else None


def _read_free(rule: str) -> tuple[Decimal, str] | None:
    """How many first units cost nothing: "the first two hours are free"."""
    for match in _FIRST_OF.finditer(rule):
        count = _read_count(match["count"] or "one")
        if _is_free(rule, match) and count is not None:
            return count, match["noun"]
    return None


def _is_free(text: str, first: re.Match[str]) -> bool:
    after = _FREE_AFTER.match(text[first.end() :])
    is_told = after is not None and not after.group().endswith(("is", "are", "remain", "remains"))
    return is_told or bool(_FREE_BEFORE.search(text[: first.start()]))


def _adds_to_rate(rule: str, amount: Quantity, steps: Sequence[_Step]) -> bool:
    """Whether a flat amount stands right before a rate and is joined to it: "£60 plus £45 per hour"."""
    following = next((step.rate for step in steps if step.nouns and step.rate.start > amount.end), None)
    if following is None or following.percent or amount.unit != following.unit:
        return False
    gap = rule[amount.end : following.start]
    return "." not in gap and bool(_PLUS.match(gap)) and bool(_BASE_FEE.search(rule[: amount.start]))


def _choose_steps(question: str, steps: Sequence[_Step]) -> list[_Step]:
    """The steps of the one unit that the question counts; of rates that compete the one whose words it says."""
    rates = [step for step in steps if step.nouns]
    counted = [step for step in rates if _count_units(question, step) is not None]
    if not counted:
        return []
    unit = counted[0].nouns[0]
    same = [step for step in counted if _same(step.nouns[0], unit)]
    if len(same) != len(rates) and any(_NEXT.search(step.fill) for step in rates):
        return []
    if not _are_steps(same):
        asked = set(analyse(question))
        said = sorted(((len(asked & label), -place) for place, label in enumerate(_labels(same))), reverse=True)
        if len(said) > 1 and said[0][0] == said[1][0]:
            return []
        same = [same[-said[0][1]]]
        if same[0].lower or _NEXT.search(same[0].fill):
            return []
    first = same[0].rate.start
    return [step for step in steps if step in same or (not step.nouns and step.rate.end < first)]


def _labels(steps: Sequence[_Step]) -> list[set[str]]:
    """The terms that tell rates apart: "on weekdays", "children"; what opens the sentence is said of all of them."""
    parted = [step.own.partition(step.rate.text) for step in steps]
    leads = [before if any(map(str.isalpha, before)) else "" for before, _, _ in parted]
    has_own_lead = all(leads[1:])
    return [
        set(analyse(f"{lead if has_own_lead else ''} {after}"))
        for lead, (_, _, after) in zip(leads, parted, strict=True)
    ]


def _are_steps(steps: Sequence[_Step]) -> bool:
    """Whether each begins where the one before it ends, the first at nothing; one alone may leave out what is free."""
    if len(steps) == 1:
        return not _NEXT.search(steps[0].fill) or bool(steps[0].lower)
    return not steps[0].lower and all(left.upper == right.lower for left, right in pairwise(steps))


def _same(one: str, other: str) -> bool:
    if one.lower() in UNIT_OF and other.lower() in UNIT_OF:
        left, right = MEASURES[UNIT_OF[one.lower()]], MEASURES[UNIT_OF[other.lower()]]
        return left[0] == right[0]
    return bool(set(analyse(one)) & set(analyse(other))) or (_is_person(one) and _is_person(other))


def _is_person(noun: str) -> bool:
    return bool(set(analyse(noun)) & _PEOPLE)


def _counts(quantity: Quantity, noun: str) -> bool:
    """Whether a number counts units of that name."""
    if quantity.unit in ("money", "cent", "percent") or quantity.is_part:
        return False
    return _same(quantity.unit or quantity.noun or "-", noun)


def _count_units(question: str, step: _Step) -> list[tuple[str, str, Decimal]] | None:
    """For each unit of a rate how many the question counts, as (name, words, factor); None when it does not tell."""
    found = []
    given = quantities_in(question)
    for noun in step.nouns:
        counted = [q for q in given if _counts(q, noun) and not q.is_ordinal]
        exact = [q for q in counted if set(analyse(q.noun or q.unit)) & set(analyse(noun))]
        if len({(q.value, q.unit) for q in exact or counted}) != 1:
            return None
        quantity = (exact or counted)[0]
        found.append((analyse(noun)[0], _as_printed(question, quantity), _factor(quantity, noun)))
    return found


def _factor(quantity: Quantity, noun: str) -> Decimal:
    """How many of the rate's unit one of the question's makes: 7 days a week."""
    unit = UNIT_OF.get(noun.lower(), "")
    if not unit or not quantity.unit or MEASURES[unit][0] != quantity.dimension:
        return Decimal(1)
    return quantity.factor / MEASURES[unit][1]


def _as_printed(text: str, quantity: Quantity) -> str:
    """An amount with what gives it its unit: "two per cent", "40 cents", "five days"."""
    behind = re.match(rf"\s*(?:per ?cent|percent|%|{_FILLERS}[a-z]+)", text[quantity.end :], re.IGNORECASE)
    is_whole = re.search(r"[%$€£]|per ?cent", quantity.text, re.IGNORECASE)
    told = quantity.text if is_whole or behind is None else quantity.text + behind.group()
    return " ".join(told.split())


def _work_out_steps(rule: _Rule, question: str, given: Sequence[Quantity]) -> Worked | None:
    rated = next(step for step in rule.steps if not step.flat or step.nouns)
    counted = _count_units(question, rated)
    if counted is None:
        return None
    percent = rated.rate.percent
    money = [q for q in given if q.unit == "money"]
    if percent and len(money) > 1:
        return None
    base = money[0] if percent and money else None
    number, counts = _measure_units(counted[0], rated.fill, rule.most_units)
    if number is None:
        return None
    operands: list[tuple[str, str, bool]] = []
    terms = [term for step in rule.steps if (term := _term_of(step, number, counts, counted[0][0], operands))]
    if not terms:
        return None
    for name, words, factor in counted[1:]:
        if factor != 1:
            return None
        operands.append((name, words, False))
        many = quantities_in(words)[0].value
        terms = [
            _Term(f"({t.expression}) * {name}", f"{t.told} × {format_number(many)}", t.value * many) for t in terms
        ]
    if base is None and len(terms) == 1 and terms[0].value == rated.rate.value:
        # A rate taken once is the rule itself: "60% for one" works nothing out.
        return None
    if any(name == counted[0][0] for term in terms for name in re.findall(r"[a-z]+", term.expression)):
        operands.append((counted[0][0], counted[0][1], False))
    return _finish(rule, terms, operands, base, question)


def _measure_units(counted: tuple[str, str, Decimal], fill: str, most: Decimal | None) -> tuple[Decimal | None, str]:
    """How many units there are, and their expression: a name, a multiple, or the number that a started unit makes."""
    name, words, factor = counted
    exact = quantities_in(words)[0].value * factor
    number = exact
    if exact != int(exact):
        if _STARTED.search(fill):
            number = Decimal(int(exact) + 1)
        elif _WHOLE.search(fill):
            number = Decimal(int(exact))
    if most is not None and number > most:
        return most, format_number(most)
    if number != exact:
        return number, format_number(number)
    if factor == 1:
        return number, name
    scaled = f"{name} * {format_number(factor)}" if factor > 1 else f"{name} / {format_number(1 / factor)}"
    return number, scaled


def _term_of(
    step: _Step, number: Decimal, counts: str, name: str, operands: list[tuple[str, str, bool]]
) -> _Term | None:
    """What one step adds; none where the number does not reach it."""
    units = (min(number, step.upper) if step.upper is not None else number) - step.lower
    if units <= 0:
        return None
    rate = f"r{sum(stated for *_, stated in operands) + 1}"
    operands.append((rate, _rate_words(step.rate), True))
    shown = _rate_told(step.rate)
    if step.flat:
        return _Term(rate, shown, step.rate.value)
    if step.upper is not None and number >= step.upper:
        amount = f"{step.upper - step.lower:f}"
    else:
        amount = f"({counts} - {step.lower:f})" if step.lower else counts
    return _Term(f"{amount} * {rate}", f"{format_number(units)} × {shown}", units * step.rate.value)


def _rate_words(rate: Quantity) -> str:
    if rate.percent:
        return f"{format_number(rate.value)}%"
    return rate.text if rate.unit == "money" and not rate.text[-1].isalpha() else f"{rate.text}"


def _rate_told(rate: Quantity) -> str:
    if rate.percent:
        return f"{format_number(rate.value)}%"
    if rate.unit == "cent":
        return f"{format_number(rate.value)} cents"
    if rate.unit != "money":
        return format_number(rate.value)
    return _money_told(rate.value, rate.currency)


def _money_told(value: Decimal, currency: str) -> str:
    """An amount of money to the cent: "£172.50", "£60"."""
    cents = round_half_up(value, 2)
    whole = cents == int(cents)
    told = amount_words(cents, scale=Decimal(1), currency=currency)
    return told if whole or len(told.rpartition(".")[2].rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ ")) != 1 else f"{told}0"


def _finish(
    rule: _Rule, terms: Sequence[_Term], operands: list[tuple[str, str, bool]], base: Quantity | None, question: str
) -> Worked | None:
    """The sum of the terms within its bounds, of the base when they are shares of one."""
    rates = {(step.rate.unit, step.rate.currency) for step in rule.steps}
    if len(rates) != 1 or not _is_asked(question, rule.steps[0].thing):
        return None
    total = sum((term.value for term in terms), _ZERO)
    expression = " + ".join(term.expression for term in terms)
    told = " + ".join(term.told for term in terms)
    first = rule.steps[0].rate
    cap = rule.cap
    note = ""
    bounds = [bound for bound in (rule.cap, rule.least) if bound is not None and bound.unit == "money"]
    if first.unit == "cent" and bounds:
        total, expression = total / 100, f"({expression}) / 100"
        first = replace(first, unit="money", currency=bounds[0].currency)
    if cap is not None and (cap.unit == first.unit or rule.steps[0].thing):
        if total > cap.value:
            note = f", limited to {_rate_told(cap)}"
            total, expression = cap.value, f"min({expression}, cap)"
            operands.append(("cap", _rate_words(cap), True))
        else:
            note = f", within the limit of {_rate_told(cap)}"
    elif cap is not None:
        return None
    if rule.least is not None and rule.least.unit == first.unit and total < rule.least.value:
        note = f", but at least {_rate_told(rule.least)}"
        total, expression = rule.least.value, f"max({expression}, least)"
        operands.append(("least", _rate_words(rule.least), True))
    if base is not None:
        operands.append(("base", _as_printed(question, base), False))
        result = _money_told(base.value * total / 100, base.currency)
        how = f"{_rate_told(base)} × {_bracket(told, len(terms))} = {format_number(total)}%{note}"
        return Worked(result, f"base * ({expression}) / 100", tuple(operands), how)
    result = f"{_amount_told(total, first)} {rule.steps[0].thing}".strip()
    return Worked(result, expression, tuple(operands), f"{told}{note}")


def _is_asked(question: str, thing: str) -> bool:
    """Whether the question asks for such things: points are no answer to what is to be paid."""
    if not thing or set(analyse(thing)) & set(analyse(question)):
        return True
    return thing.lower() in UNIT_OF and not _PAYS.search(question)


def _bracket(told: str, count: int) -> str:
    return f"({told})" if count > 1 or "×" in told else told


def _amount_told(total: Decimal, rate: Quantity) -> str:
    if rate.unit == "cent":
        return f"{format_number(total)} cents"
    if rate.percent or rate.unit != "money":
        return f"{format_number(total)}{'%' if rate.percent else ''}"
    return _money_told(total, rate.currency)


def _work_out_share(question: str, given: Sequence[Quantity], sentence: str) -> Worked | None:
    """A share of the one amount of money in the question: "a deposit of 30 per cent" of £900."""
    money = [q for q in given if q.unit == "money"]
    if len(money) != 1 or any(q.percent for q in given):
        return None
    stated = _list_quantities(sentence)
    limits = {id(q): _limit_of(sentence, q) for q in stated}
    shares = [q for q in stated if q.percent and not limits[id(q)]]
    if len(shares) != 1 or any(q.unit == "money" and not limits[id(q)] for q in stated):
        return None
    share, base = shares[0], money[0]
    operands = [("share", _rate_words(share), True), ("base", _as_printed(question, base), False)]
    value, expression = base.value * share.value / 100, "base * share / 100"
    how = f"{_rate_told(share)} of {_rate_told(base)}"
    cap = next((q for q in stated if limits[id(q)] == "cap" and q.unit == "money"), None)
    least = next((q for q in stated if limits[id(q)] == "least" and q.unit == "money"), None)
    if cap is not None and value > cap.value:
        value, expression, how = cap.value, f"min({expression}, cap)", f"{how}, limited to {_rate_told(cap)}"
        operands.append(("cap", _rate_words(cap), True))
    if least is not None and value < least.value:
        value, expression, how = least.value, f"max({expression}, least)", f"{how}, but at least {_rate_told(least)}"
        operands.append(("least", _rate_words(least), True))
    if _OFF.search(sentence) and _PAYS.search(question) and not _ASKS_OFF.search(question):
        value, expression = base.value - value, f"base - {expression}"
        how = f"{_rate_told(base)} less {how}"
    result = _money_told(value, base.currency)
    return Worked(result, expression, tuple(operands), how)


_ASKS_EXCESS = re.compile(r"\bhow (?:many|much) (?:more|fewer|less)\b(?P<unit>(?:\s+[a-z]+){0,2})", re.IGNORECASE)
_DAILY = re.compile(
    r"\s*(?:[a-z]+\s+){0,3}?(?:a|per|each|every)\s+(?P<per>day|week)\b"
    r"|\s*(?:[a-z]+\s+){0,2}?(?P<adverb>daily|weekly)\b",
    re.IGNORECASE,
)
_IN_WEEK = re.compile(r"\s*(?:(?:[a-z]+\s+){0,2}?days?\s+)?(?:a|per|each|every)\s+week\b", re.IGNORECASE)
_SUBJECT_OF = re.compile(
    r"\b(?:the|an?|our|its|their)\s+(?P<name>[a-z][\w-]*(?:\s+(?:group|arm|team|class|week|period|phase|shift))?)",
    re.IGNORECASE,
)


def needs_two_amounts(question: str) -> bool:
    """Whether a question needs two amounts: how many more of something there are, full days and days of travel."""
    return bool(_ASKS_EXCESS.search(question) or (_FULL_DAY.search(question) and _PART_DAYS.search(question)))


def work_out_excess(question: str, rule: str) -> Worked | None:
    """What one of two daily or weekly amounts comes to more than the other, over the weeks and days that are told.

    "How many more minutes in total over 3 weeks at 5 days a week?" of 135 and 110 minutes a day. The days and weeks
    stand in the question, else in the rule. None where more than two amounts compete.
    """
    match = _ASKS_EXCESS.search(question)
    units = [UNIT_OF[word] for word in (match["unit"] or "").lower().split() if word in UNIT_OF] if match else []
    if len(units) != 1:
        return None
    rates = [(q, found) for q in quantities_in(rule) if q.unit == units[0] and (found := _DAILY.match(rule, q.end))]
    pers = {(found["per"] or _UNIT_OF_ADVERB[found["adverb"].lower()]).lower() for _, found in rates}
    if len(rates) != len({q.value for q, _ in rates}) or len(rates) != 2 or len(pers) != 1:
        return None
    per = pers.pop()
    weeks = _count_of(question, rule, "week")
    days = _days_a_week(question) or _days_a_week(rule)
    if weeks is None or (per == "day" and days is None):
        return None
    low, high = sorted((q for q, _ in rates), key=lambda q: q.value)
    names = _names_of(rule, (high, low))
    operands = [(names[0], high.text, True), (names[1], low.text, True), ("weeks", weeks[0], weeks[2])]
    total, expression = (high.value - low.value) * weeks[1], f"({names[0]} - {names[1]}) * weeks"
    how = f"({format_number(high.value)} − {format_number(low.value)}) × {format_number(weeks[1])} weeks"
    if per == "day" and days is not None:
        operands.append(("days", days[0], _days_a_week(question) is None))
        total, expression = total * days[1], f"{expression} * days"
        how += f" × {format_number(days[1])} days a week"
    return Worked(f"{format_number(total)} {units[0]}s", expression, tuple(operands), how)


def _count_of(question: str, rule: str, unit: str) -> tuple[str, Decimal, bool] | None:
    """How many of a unit of time the question counts, else the rule: the words, the number, whether the rule does."""
    for text, is_stated in ((question, False), (rule, True)):
        found = {q.value: q.text for q in quantities_in(text) if q.unit == unit and q.text[:1].isdigit()}
        if len(found) == 1:
            value, words = found.popitem()
            return words, value, is_stated
    return None


def _days_a_week(text: str) -> tuple[str, Decimal] | None:
    """ "5 days a week": the words of the number and the number; None where none or several are told."""
    found = {
        q.value: q.text for q in quantities_in(text) if q.unit in ("day", "working day") and _IN_WEEK.match(text, q.end)
    }
    if len(found) != 1:
        return None
    value, words = found.popitem()
    return words, value


def _names_of(rule: str, amounts: Sequence[Quantity]) -> list[str]:
    """Names for amounts, from whose they are: "the observation group received 135" gives "observation_group"."""
    names = []
    for amount, other in zip(amounts, ("more", "less"), strict=True):
        start = max((q.end for q in amounts if q.end <= amount.start), default=0)
        own = re.split(r"[.;]\s|,\s+(?:while|whereas|and|but)\s", rule[start : amount.start])[-1]
        subject = _SUBJECT_OF.search(own)
        names.append("_".join(re.findall(r"[a-z]+", subject["name"].lower())) if subject else other)
    return names if len(set(names)) == len(names) and all(names) else ["more", "less"]


_PART_DAYS = re.compile(r"\b(?P<day>departure|return|arrival|first|last)\b", re.IGNORECASE)
_FULL_DAY = re.compile(r"\b(?:full|whole|entire|complete)\s+(?:calendar\s+)?days?\b", re.IGNORECASE)


def _work_out_days(question: str, rule: str) -> Worked | None:
    """An allowance of full days and of days of departure and return, each at its own amount.

    The amount of the other days may be a share of that of a full day.
    """
    full = _FULL_DAY.search(question)
    counted = [q for q in quantities_in(question) if full and q.end <= full.end() and q.unit == "day"]
    parts = {match["day"].lower() for match in _PART_DAYS.finditer(question)}
    if full is None or len(counted) != 1 or not parts:
        return None
    clauses = re.split(r"(?<=[.;])\s+|,\s+(?:and\s+)?(?=(?:for|on)\b)", rule)
    whole = [q for text in clauses if _FULL_DAY.search(text) and not _PART_DAYS.search(text) for q in _money_in(text)]
    partial = [q for text in clauses if parts <= {m["day"].lower() for m in _PART_DAYS.finditer(text)}
               for q in quantities_in(text) if q.unit == "money" or q.percent or q.is_part]  # fmt: skip
    if len(whole) != 1 or len(partial) != 1 or (partial[0].currency or whole[0].currency) != whole[0].currency:
        return None
    days, rate, other = counted[0], whole[0], partial[0]
    many = Decimal(len(parts))
    value = rate.value * other.value / 100 if other.percent else other.value
    amount = "full_day * part / 100" if other.percent else "part_day"
    told = f"{_rate_told(other)} of {_rate_told(rate)}" if other.percent else _rate_told(other)
    if other.is_part:
        value, amount = rate.value * other.value, "full_day * part"
        told = f"{other.text} of {_rate_told(rate)}"
    operands = (
        ("full_days", _as_printed(question, days), False),
        ("full_day", _rate_words(rate), True),
        ("part" if other.percent or other.is_part else "part_day", _rate_words(other), True),
    )
    result = _money_told(days.value * rate.value + many * value, rate.currency)
    how = f"{format_number(days.value)} × {_rate_told(rate)} + {format_number(many)} × {told}"
    return Worked(result, f"full_days * full_day + {many} * {amount}", operands, how)


def _money_in(text: str) -> list[Quantity]:
    return [q for q in quantities_in(text) if q.unit == "money"]


_ASKS_DATE = re.compile(
    r"\b(?:by |until |till |from )?when\b|\b(?:what|which) (?:day|date)\b|\bhow (?:late|soon)\b|\blast day\b"
    r"|\bdeadline\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:within|no later than|not later than|up to|until|at (?:the )?latest|in|valid for|for|after|lasts?|of|by|than"
    r"|least|is|are|allowed)\W+(?:a (?:period|term) of )?$",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"^\W*{_FILLERS}[a-z]+\W+(?:before|prior to|ahead of|in advance)\b", re.IGNORECASE)
_AFTER = re.compile(rf"^\W*{_FILLERS}[a-z]+\W+(?:after|from|of|following|later|since)\b", re.IGNORECASE)


def work_out_date(question: str, sentence: str) -> Worked | None:
    """The day that lies the one stated time from the one date of the question; None when two may be meant."""
    dates = [mention for mention in dates_in(question) if len(mention.readings) == 1 and mention.readings[0].day]
    if len(dates) != 1 or not _ASKS_DATE.search(question) or dates_in(sentence):
        return None
    spans = [
        q for q in quantities_in(sentence) if q.dimension in ("time", "working time", "months") and q.unit in _DAYS
    ]
    if len(spans) != 1 or spans[0].value != int(spans[0].value):
        return None
    span, day = spans[0], dates[0].readings[0]
    behind = sentence[span.end :]
    is_before = bool(_BEFORE.match(behind))
    if not (is_before or _AFTER.match(behind) or _WITHIN.search(sentence[: span.start])):
        return None
    weeks = 2 if span.unit == "fortnight" else 1
    unit = "week" if span.unit == "fortnight" else span.unit
    reached = shift_day(day, int(span.value) * weeks * (-1 if is_before else 1), unit)
    if reached is None:
        return None
    words = _as_printed(sentence, span)
    how = f"{words} {'before' if is_before else 'after'} {dates[0].text}"
    return Worked(_day_words(reached), "", (), how)


_DAYS = frozenset({"day", "week", "fortnight", "working day", "month", "year"})


def _day_words(day: Day) -> str:
    told = f"{day.day} {MONTHS[day.month - 1].capitalize()}"
    return f"{told} {day.year}" if day.year else told
