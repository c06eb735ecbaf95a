"""Reads what a question asks of tables: figures, a calculation over them, a rank, a count or the members of a group.

The reading knows no domain: what is measured stays in the question's own words. Whether a document
has such a figure is found out later, by looking for every one of these words.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from vectorless_web.engine.questions.periods import periods_in
from vectorless_web.engine.questions.plan import Intent, Period, QueryPlan
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import numbers_in


class Task(StrEnum):
    """What is done with the figures."""

    VALUE = "value"
    """Each operand is told by itself."""
    COMPUTE = "compute"
    """`expression` is worked out over the operands."""
    RANK = "rank"
    """The greatest or least of the rows, columns or alternatives."""
    FILTER = "filter"
    """The rows or columns on one side of a threshold."""
    COUNT = "count"
    """How many rows or columns there are, all or on one side of a threshold."""
    MEMBERS = "members"
    """The rows of a group or table."""
    PERIODS = "periods"
    """The periods for which a row has figures."""


@dataclass(frozen=True, slots=True)
class Operand:
    """What is measured, in the question's words, and when: `words` without periods, `period` None if none is named."""

    words: str
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound: `above` it or below, `inclusive` of it; `amount` in units ("5,000 million": 5000000000)."""

    above: bool
    amount: Decimal
    inclusive: bool = False
    percent: bool = False
    written: str = ""
    bare: Decimal = Decimal(0)
    """The number as written without its scale word, for a table that does not state its scale."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question read as a task over operands.

    `expression` names the operands a, b, c, ... in order. `name` says what is worked out
    ("change in headcount"). `spread` marks a calculation over all periods of a row when
    none is named ("average", "total"). `most` is the direction of a rank; `over` the noun
    that is ranked or counted ("year", "site"). `count` is how many ranks are asked for.
    """

    task: Task
    operands: tuple[Operand, ...]
    expression: str = ""
    name: str = ""
    percent: bool = False
    points: bool = False
    spread: str = ""
    whole: str = ""
    most: bool = True
    over: str = ""
    threshold: Threshold | None = None
    count: int = 1
    alternatives: tuple[str, ...] = ()
    instead: "Request | None" = None
    """The same with what it lists ("A and B") as operands of their own, for words that no row has as a whole."""
    may_be_points: bool = False
    """Whether the change of a percentage is meant in points."""
    is_count: bool = False
    """Whether things are counted, so that a row without a sign of money states none, whatever its table states."""
    asks_whether: bool = False
    """Whether a yes or no is asked of a change."""
    way: int = 0
    """The direction that it is asked of: 1 for a rise, -1 for a fall, 0 for either."""


NAMES = "abcdefghijklmnopqrstuvwxyz"
"""Operand names, one letter each: no request has more operands."""

MOST_OPERANDS = 12
"""Figures of one request; a longer enumeration is no calculation that a reader could follow."""

_LEAD = re.compile(
    r"^\W*(?:and\s+|so\s+|then\s+|also\s+)?(?:please\s+)?"
    r"(?:what(?:['’]s)?\s+(?:is|was|were|are|has been|had been|would be|will be)|what(?:['’]s)?"
    r"|calculate|compute|determine|find|work out"
    r"|derive|give|show|tell me|how much (?:is|was|were|are))\s+(?P<body>.+?)\s*[?.!]*$",
    re.I | re.S,
)
_ARTICLE = re.compile(r"^(?:the|an?|its|their|our|this|that|these|those)\s+", re.I)
_MODIFIER = (
    r"(?:net|nominal|absolute|overall|approximate|relative|respective|year[- ]on[- ]year"
    r"|year[- ]over[- ]year|yoy|annual|total|global|actual"
    r"|numerical|dollar|amount of|value of|corresponding|estimated)\s+"
)
_CHANGING = (
    r"(?:changes?|increases?\s*/?\s*\(?(?:or\s+)?(?:decreases?)?\)?"
    r"|decreases?\s*/?\s*\(?(?:or\s+)?(?:increases?)?\)?|growth|declines?|rises?|drops?|falls?"
    r"|differences?|variations?|movements?|variances?"
    r"|reductions?|gap|improvement)"
)
_PERCENTAGE = r"(?:percent(?:age)?s?|per cent|%|proportional)"
_OF = r"(?:\s*\(?%\)?)?\s*(?:\b(?:of|in|for|between|from|to|at|on)\b)?\s*"
_GROWTH = re.compile(
    rf"^(?:{_MODIFIER})*(?:{_PERCENTAGE}\s+{_CHANGING}|{_CHANGING}\s+{_PERCENTAGE}|(?:growth"
    rf"|change) rate|rate of (?:growth|change|increase|decrease)|growth){_OF}(?P<x>.+)$",
    re.I,
)
_GROWTH_AFTER = re.compile(
    rf"^(?P<x>.+?)\s+(?:growth(?: rate)?|{_PERCENTAGE}\s+{_CHANGING})(?P<rest>\s*(?:(?:in|for|between"
    rf"|from|over|during)\b.*)?)$",
    re.I,
)
_CHANGE_AFTER = re.compile(
    r"^(?P<x>.+?)\s+(?:changes?|increases?|decreases?|variances?|differences?)(?P<rest>\s+(?:(?:in|for"
    r"|between|from|over|during)\b.*)?)$",
    re.I,
)
_CHANGE = re.compile(rf"^(?:{_MODIFIER})*(?P<noun>{_CHANGING})\s+(?:of|in|for|between|from)\s+(?P<x>.+)$", re.I)
_AS_PERCENT = re.compile(
    r"[\s,]*\b(?:as|in|expressed as|by)\s+(?:an?\s+|units? of\s+|how many\s+)?(?:percentage|percent"
    r"|per cent|%)(?:\s+terms)?(?=\s*[?.,]|\s*$|\s+(?:from|between|in|for)\b)",
    re.I,
)
_COMPOUND = re.compile(
    r"^(?:the\s+)?(?:compound(?:ed)?\s+(?:annual|average|yearly)?\s*(?:annual\s+)?(?:growth"
    r"|rate)(?:\s+rate)?|cagr|annuali[sz]ed\s+growth(?:\s+rate)?)(?:\s*\(cagr\))?"
    r"\s*(?:of|in|for)?\s*(?P<x>.+)$",
    re.I,
)
_AVERAGE = re.compile(
    rf"^(?:{_MODIFIER})*(?:average|mean)\s+(?:(?:value|amount|level|number)\s+)?(?:of\s+)?(?P<x>.+)$", re.I
)
_SUM = re.compile(
    r"^(?:(?:combined|cumulative|aggregate|overall|grand)\s+(?:total\s+|sum\s+|value\s+|amount\s+)?"
    r"|(?:sum|total|total sum)(?:\s+(?:value|amount|number))?\s+of\s+|sum\s+"
    r"|total\s+)(?:of\s+)?(?P<x>.+)$",
    re.I,
)
_TOGETHER = re.compile(
    r",?\s*\b(?:altogether|combined|collectively|in total|together|taken together|in all|in aggregate)\b", re.I
)
_RESPECTIVE = re.compile(r",?\s*\b(?:respectively|respective)\b", re.I)
_SHARE_OF = re.compile(
    rf"^(?:what\s+)?(?:{_PERCENTAGE}|share|proportion|portion|fraction|part)\s+(?:of"
    rf"|out of)\s+(?P<whole>.+?)\s+(?:is|are|was|were|did|does|do|came from|comes from|come from"
    rf"|relates? to|related to"
    r"|(?:is|are|was|were)?\s*(?:made up|accounted for|represented|contributed|attributable|attributed"
    r"|due|derived|earned|generated)\s*(?:of|by|from|to|for)?|consist(?:s|ed) of|belongs? to)\s+"
    r"(?:(?:made up|accounted for|represented|contributed|attributable|attributed|due|derived|earned"
    r"|generated)\s+(?:of|by|from|to|for)\s+)?(?P<part>.+?)"
    r"(?:\s+(?:represent|make up|account for|constitute|contribute|come to))?$",
    re.I,
)
_AS_SHARE = re.compile(
    rf"^(?:{_PERCENTAGE}\s+of\s+|(?:ratio|proportion)\s+of\s+)?(?P<part>.+?)\s*,?\s+(?:(?:as"
    rf"|expressed as)\s+(?:an?\s+|the\s+)?(?:{_PERCENTAGE}|share|proportion|fraction|portion)\s+(?:of"
    rf"|over)|over|out of|against|among)\s+(?P<whole>.+)$",
    re.I,
)
_PROPORTION = re.compile(
    rf"^(?:{_PERCENTAGE}\s+(?:constitution|composition|contribution|share|proportion)|{_PERCENTAGE}|proportion|portion"
    r"|share|fraction)\s+(?:of\s+)?(?P<part>.+?)\s+(?:over|to|out of|among(?:st)?|within|against|in|from)\s+(?:the\s+)?"
    r"(?P<whole>total.+|overall.+|all.+|entire.+|combined.+)$",
    re.I,
)
_RATIO = re.compile(
    r"^(?:[\w-]+\s+)?ratio\s+(?:of\s+|between\s+)(?P<part>.+?)\s+(?:to|and|over|against"
    r"|compared to)\s+(?P<whole>.+)$",
    re.I,
)
_TIMES = re.compile(
    r"^how many times\s+(?:is|was|were|are|larger|greater)?\s*(?P<part>.+?)\s+(?:as (?:large|much|many"
    r"|high|big) as|larger than|greater than|the size of|of)\s+(?P<whole>.+)$",
    re.I,
)
_JOINED = re.compile(
    r"^(?P<left>.+?)\s+(?:(?P<sign>plus|minus|less|times|multiplied by|divided by|per|[-−–+*/×÷])"
    r"|(?P<net>after deducting|net of|excluding))\s+(?P<right>.+)$",
    re.I,
)
_SIGNS = {
    "plus": "+", "+": "+", "minus": "-", "less": "-", "-": "-", "−": "-", "–": "-", "times": "*", "multiplied by": "*",
    "*": "*", "×": "*", "divided by": "/", "per": "/", "/": "/", "÷": "/",
}  # fmt: skip
_HOW_CHANGED = re.compile(
    rf"^\W*(?:by\s+)?(?:how (?:much|many)|what (?P<amount>amount|{_PERCENTAGE}|percentage points?"
    rf"|number))\s*(?:{_PERCENTAGE}\s*)?(?:more|less|fewer)?\s*(?:did|do|does|has|have|had|was|were"
    rf"|is)\s+(?P<x>.+?)\s+"
    r"(?P<verb>change|increase|decrease|grow|decline|rise|drop|fall|differ|go up|go down|vary|improve"
    r"|changed|increased|decreased|grown|declined|risen|dropped|fallen|gone up|gone down"
    r"|reduced)\b(?:\s+by)?(?P<rest>.*?)[\s?.]*$",
    re.I,
)
_HOW_COMPARED = re.compile(
    r"^\W*(?:by\s+)?how (?:much|many)\s+(?:(?P<first>more|less|fewer|higher|lower|larger|greater"
    r"|smaller|longer|cheaper|dearer|shorter|older|younger|bigger|heavier"
    r"|lighter)\s+)?(?P<noun>[\w\s-]{0,40}?)\s*"
    r"(?:is|are|was|were|did|does|do|has|have|had|will)\s+(?P<x>.+?)\s*(?P<second>\b(?:more|less|fewer"
    r"|higher|lower|larger|greater|smaller|longer|cheaper|dearer|shorter|older|younger|bigger|heavier"
    r"|lighter))?\s*\b(?:than|(?:as )?compared (?:to|with))\s+(?P<y>.+?)[\s?.]*$",
    re.I,
)
_HOW_MANY = re.compile(
    r"^\W*how (?:much|many)\s+(?P<x>.+?)[\s?.]*$",
    re.I,
)
_REACHED = re.compile(
    r"^\W*(?:what|which)\s+(?P<noun>[\w%-]+(?:\s[\w%-]+){0,2}?)\s+(?:do|does|did|has|have|had)\s+(?P<x>.+?)\s+"
    r"(?:achieved?|reach(?:ed)?|obtain(?:ed)?|attain(?:ed)?|get|got|scored?)\b(?P<rest>\s+(?:on|in|at|for|under|with)\s.+?)[\s?.]*$",
    re.I,
)
_AUXILIARIES = re.compile(
    r"\b(?:is|are|was|were|be|been|being|do|does|did|has|have|had|there|will|would|can|could|should"
    r"|may|must|shall)\b",
    re.I,
)
_GREATEST = (
    r"highest|largest|greatest|biggest|most|maximum|longest|best|top|strongest|heaviest|oldest|latest"
    r"|dearest|most expensive|peak|fastest"
)
_LEAST = (
    r"lowest|smallest|least|fewest|minimum|shortest|worst|weakest|lightest|youngest|cheapest"
    r"|least expensive|earliest|slowest"
)
_RANKED = re.compile(
    rf"\b(?:the\s+)?(?:(?P<top>top|bottom|first|last)\s+(?P<n>\d|two|three|four|five)"
    rf"|(?P<up>{_GREATEST})|(?P<down>{_LEAST}))\b",
    re.I,
)
_COMPARED_UP = r"higher|larger|greater|bigger|more|better|longer|stronger|heavier|older|dearer"
_COMPARED_DOWN = r"lower|smaller|less|fewer|worse|shorter|weaker|lighter|cheaper|younger"
_COMPARED = re.compile(rf"\b(?:(?P<up>{_COMPARED_UP})|(?P<down>{_COMPARED_DOWN}))\b", re.I)
_WHICH = re.compile(
    r"^\W*(?:(?:between|among|of|out of)\s+(?P<given>[^?]{5,120}?),?\s+)?(?:in\s+|for\s+|during\s+"
    r"|at\s+|on\s+)?(?:which|what)\s+(?:(?:one\s+)?of\s+(?P<among>[^?]{5,120}?)\s+(?=(?:was|were|is"
    r"|are|had|has|did|does|have)\b)|(?P<noun>[\w\s/-]{2,40}?)\s+(?=(?:was|were|is|are|had|has|have"
    r"|did|does|do|saw|shows?|showed|recorded|reported|with|exceeds?|exceeded|costs?|takes?|took|made"
    r"|brought|gave|generated|contributed|uses?|used|offers?)\b))(?P<rest>.+?)[\s?.]*$",
    re.I,
)
_EXTREME = re.compile(rf"^(?:the\s+)?(?P<rank>{_GREATEST}|{_LEAST})\s+(?P<x>.+)$", re.I)
BOUND = re.compile(
    r"\b(?:(?P<neg>not|n['’]t)\s+)?(?:(?P<atleast>at least|no less than|not less than|minimum of)"
    r"|(?P<atmost>at most|no more than|not more than|up to|maximum of)"
    r"|(?P<above>exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|longer|bigger)\s+than|above|over"
    r"|in excess of|surpass(?:es|ed)?|beyond)"
    r"|(?P<below>(?:less|lower|fewer|smaller|shorter)\s+than|below|under"
    r"|beneath))\s+(?P<number>(?:[$€£¥]|usd|eur|gbp)?\s?\(?-?[\d][\d,.]*\)?\s*(?:%|percent\b"
    r"|thousands?\b|millions?\b|billions?\b|[a-z]{1,12}\b)?)",
    re.I,
)
_COUNTED = re.compile(
    r"^\W*(?:(?:in|for|during|as of|at)\s+(?P<when>[^,?]{2,40}),\s*)?how many\s+(?:(?:different"
    r"|distinct|major|main|separate|unique|total)\s+)?(?P<noun>[\w/-]+(?:\s+[\w/-]+){0,3}?)"
    r"(?:\s+(?P<of>of|under|in|within|among|for|that|which|with|whose)\s+(?P<rest>.+?)|\s+(?P<aux>are"
    r"|were|is|was|have|has|had|did|do|does)\b(?P<rest2>.*?)|(?P<rest3>\s+(?:exceed|cost|take|weigh"
    r"|last).*?))[\s?.]*$",
    re.I,
)
_KINDS = (
    r"(?:components?|items?|elements?|parts?|members?|categories|category|types?|kinds?|lines?"
    r"|line items|rows?|entries|constituents?|classes|sub-?items|subcategories)"
)
_MEMBERS = re.compile(
    rf"^\W*(?:what|which)\s+(?:(?:are|were|is|was)\s+(?:the\s+)?(?:(?:different|various|main|individual"
    rf"|respective|listed|financial|sub)\s+)*(?P<kind>{_KINDS})|(?:(?:different|various|main"
    rf"|financial)\s+)*(?P<kind2>{_KINDS})\s+(?:are|were|is)(?:\s+(?:listed|shown|given|included|there"
    rf"|used))*)"
    r"\s*(?:listed\s+|shown\s+|included\s+|given\s+|that make up\s+|making up\s+|used\s+)?(?:under|of"
    r"|in|within|for|making up|comprising|as)\s+(?P<group>.+?)[\s?.]*$",
    re.I,
)
_PERIODS_ASKED = re.compile(
    r"^\W*(?:(?:in|for|during)\s+)?(?:which|what)\s+(?P<noun>(?:fiscal |financial "
    r"|reporting )?(?:years?|periods?|quarters?|months?|dates?))\s+(?:does|do|did|is|are|was|were|has"
    r"|have)\s+(?P<rest>.+?)[\s?.]*$",
    re.I,
)
_PROVIDED = re.compile(
    r"\b(?:provid(?:e|es|ed)|calculat(?:e|es|ed)|record(?:s|ed)?|report(?:s|ed)?|given|shown|show"
    r"|listed|list|includ(?:e|es|ed)|present(?:s|ed)?|disclosed?|determined|computed|cover(?:s|ed)?"
    r"|available|stated|measured|recogni[sz]ed|compared?|analy[sz]ed)\b",
    re.I,
)
_TABLE_WORDS = re.compile(
    r"\b(?:the\s+)?(?:tables?|information|company|document|schedule)\b(?:\s+(?:for|on|about|of))?", re.I
)
_UNIT_TAIL = re.compile(
    r"[\s,]*\(?\b(?:in|as|expressed in|to the nearest)\s+(?:(?:u\.?s\.?\s*)?(?:usd|us\$|\$|eur|€"
    r"|euros?|gbp|£|pounds?|dollars?|cents?)\s*)?(?:thousands?|millions?|billions?|units?"
    r"|percent(?:age)?|%|number|dollars?|cents?|days|hours|years|months|words)?"
    r"(?:\s+of\s+(?:us\s+)?(?:dollars?|usd|eur(?:os)?|pounds?))?\)?(?=\s*[?.,]?\s*$|\s+(?:from|between"
    r"|in|for|as of|as at)\s)",
    re.I,
)
_FILLER = re.compile(
    r"\b(?:over|across|for|during|in)\s+(?:the|all)\s+(?:\w+\s+)?(?:years?|periods?"
    r"|quarters?)(?:\s+period)?\b(?!\s*['’])"
    r"|\b(?:for|in|during|as of|as at|at|on|by|from|between|over|of)?\s*(?:the\s+)?(?:fiscal|financial"
    r"|calendar|reporting)?\s*(?:years?|periods?|quarters?|months?)\s+(?:then\s+)?(?:ended|ending)\b"
    r"|\b(?:as )?(?:reported|recorded|recogni[sz]ed|shown|stated|listed|disclosed|presented|given"
    r"|noted|provided)\s+(?:by|in|for|on)\s+(?:the\s+)?(?:company|group|firm|table|report|document"
    r"|organi[sz]ation|year)\b"
    r"|\b(?:based on|from|in|per|according to|using|within)\s+(?:the\s+)?(?:[\w-]+\s+){0,3}"
    r"(?:statements?|sheets?|tables?|reports?|schedules?|appendix|annex)\s*$"
    r"|\b(?:by|of|for|in) the (?:company|group|firm|table|report|document|organi[sz]ation)\b"
    r"|\bthe (?:company|group|firm)['’]s?\b|\bin the table\b|\baccording to the \w+\b",
    re.I,
)
_CONNECTED = re.compile(
    r"(?:\s|^)*(?:,\s*)?(?:\b(?:from|between|in|for|at|as of|as at|as|during|over|across|throughout|of"
    r"|on|by|to|and|or|through|until|till|since|versus|vs\.?|against|than|with|ended|ending"
    r"|compared (?:to|with)|as compared (?:to|with)|relative to"
    r"|the|respective|both|each of|(?:the\s+)?(?:(?:fiscal|financial|calendar|full|same|previous"
    r"|prior)\s+)?(?:years?|periods?|quarters?|months?|fy))\b[\s,]*)*\x00",
    re.I,
)
_LONE = re.compile(
    r"^(?:(?:of|in|for|the|and|between|from|to|at|on|by|with|its|their|our|an?|both|each)\b(?!-)|,|\s|\(\s*\))+"
    r"|(?:\s|,|\(\s*\)|\b(?<!-)(?:of|in|for|the|and|between|from|to|at|on|by|with|an?|was|were|is|are"
    r"|during|as|both)\b)+$",
    re.I,
)
_SPLIT = re.compile(r"\s*,\s*(?:and\s+|or\s+|as well as\s+)?|\s+(?:and|or|as well as|&)\s+", re.I)
_WORDY = re.compile(
    r"\b(?:why|how come|reasons?|causes?|caused|factors?|explain\w*|describe\w*|definition|meaning"
    r"|mean by|meant|consists? of|comprise\w*|includes?|refers? to|related to what|based on what"
    r"|due to what|purpose|nature|drove|driven|attributable to what)\b|^\W*(?:what"
    r"|how)\b.{0,30}\b(?:impact of|effects? of|method\w*|basis|derived)\b",
    re.I,
)


@lru_cache(maxsize=512)
def request_of(plan: QueryPlan) -> Request | None:
    """The request of a plan; None for a question that is not about figures in tables."""
    if plan.intent is Intent.SUMMARY:
        return None
    text = plan.focus
    text = _SHOWN_IN.sub(" ", _QUANTITY_OF.sub(" ", text))
    for name in sorted(plan.entities, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(name)}['’]s?\s+", "", text)
    is_asked_whether = plan.intent is Intent.YES_NO and plan.formula is None
    request = (read_whether_changed(text) if is_asked_whether else None) or read_request(text)
    wants_percent = plan.unit is not None and plan.unit.percent
    if request is not None and request.expression == "a - b" and wants_percent and not request.points:
        return replace(request, expression="100 * (a - b) / b", percent=True, may_be_points=True)
    return request


_QUANTITY_OF = re.compile(
    r"\b(?:quantity|magnitude) of (?=(?:[\w-]+ ){0,4}(?:costs?|expenses?|charges?|income|revenues?|sales|cash"
    r"|debts?|taxes|losses|assets?|liabilities)\b)",
    re.I,
)
"""What is said of an amount of money and adds nothing: goods have a quantity, costs an amount."""
_SHOWN_IN = re.compile(
    r"\b(?:directly|clearly|explicitly|plainly|specifically) (?:outlined|shown|stated|listed|disclosed|presented"
    r"|reported|given|named|mentioned)\b(?= (?:in|on|by|within)\b)",
    re.I,
)
"""Words on where a figure stands, which no row says."""


def read_request(question: str) -> Request | None:
    """What a question asks of tables; None when it asks for words, a reason or a definition."""
    text = _spell_periods(re.sub(r"\s+", " ", question).strip())
    if not text or len(text) > MOST_CHARACTERS or _WORDY.search(text):
        return None
    for read in (_read_members, _read_counted, _read_which, _read_changed, _read_developed, _read_compared, _read_body):
        request = read(text)
        if request is not None:
            return request if 0 < len(request.operands) <= MOST_OPERANDS else None
    return None


def _spell_periods(text: str) -> str:
    """The question with "F19" as "FY19", and a range of which every year counts as its years."""
    text = re.sub(r"\bF['’]?(\d\d)\b", r"FY\1", text)
    if not _EVERY.search(text):
        return _RANGE.sub(r"\1 to \2", text)
    return _RANGE.sub(_spell_range, text)


_EVERY = re.compile(r"\b(?:average|mean|total|sum|each|every|combined|cumulative|respective|altogether)", re.I)
_RANGE = re.compile(r"(?<![\d/])((?:19|20)\d\d)(?:[-–—]|\s+(?:to|through|until)\s+)((?:19|20)\d\d)(?!\d)")


def _spell_range(match: re.Match[str]) -> str:
    first, last = int(match[1]), int(match[2])
    step = 1 if first < last else -1
    if not 0 < abs(last - first) <= LONGEST_RANGE:
        return f"{first} and {last}"
    *years, end = [str(year) for year in range(first, last + step, step)]
    return f"{', '.join(years)} and {end}"


LONGEST_RANGE = 10
"""Years of a range that is filled in year by year."""

MOST_CHARACTERS = 400
"""Characters of a question that is read as a request; a longer one brings instructions or definitions."""


def _read_members(text: str) -> Request | None:
    match = _MEMBERS.match(text)
    if match is None:
        return None
    (words, period), *_ = _split_periods(match["group"]) or [("", None)]
    kind = (match["kind"] or match["kind2"]).lower()
    return Request(Task.MEMBERS, (Operand(words, period),), name=f"{kind} of {words}", over=kind)


def _read_counted(text: str) -> Request | None:
    match = _COUNTED.match(text)
    if match is None:
        return None
    noun = match["noun"].strip()
    rest = " ".join(part for part in (match["rest"], match["rest2"], match["rest3"]) if part).strip()
    bound = read_bound(rest)
    is_time = bool(re.fullmatch(r"(?:fiscal |financial )?(?:years?|quarters?|months?|periods?)", noun, re.I))
    is_kind = bool(re.search(rf"\b{_KINDS}$", noun, re.I))
    if bound is None and not (is_kind or (is_time and _RANKED.search(rest) is None and _COMPARED.search(rest))):
        return None
    if bound is None and is_time:
        return None
    if bound is not None:
        rest = BOUND.sub(" ", rest)
        rest = _clean(_AUXILIARIES.sub(" ", rest))
    rest = re.sub(r"^(?:under|of|in|within|listed|there|shown|given|for)\s+|\bthere\b", " ", rest, flags=re.I).strip()
    rest = re.sub(r"^(?:under|of|in|within|listed|shown|given|for)\s+", "", rest, flags=re.I)
    if match["when"]:
        rest = f"{rest} in {match['when']}"
    parts = _split_periods(rest)
    words, period = parts[0] if parts else ("", None)
    return Request(Task.COUNT, (Operand(words, period),), name=f"{noun}", over=noun.lower(), threshold=bound)


def read_bound(text: str) -> Threshold | None:
    """The bound that a text names ("more than 30%"); None when it names none."""
    match = BOUND.search(text)
    found = numbers_in(match["number"]) if match else []
    if match is None or not found:
        return None
    if not (found[0].currency or found[0].scale != 1 or found[0].percent) and re.fullmatch(
        r"\W*(?:19|20)\d\d\W*", match["number"]
    ):
        return None
    above = bool(match["above"] or match["atleast"])
    inclusive = bool(match["atleast"] or match["atmost"])
    if match["neg"]:
        above, inclusive = not above, not inclusive
    number = found[0]
    return Threshold(
        above, number.value, inclusive, number.percent, " ".join(match.group().split()), number.value / number.scale
    )


def _read_which(text: str) -> Request | None:
    """ "Which site has the most staff?", "In which years was X below 5?", "In which year was X higher?" """
    match = _WHICH.match(text)
    if match is None:
        return None
    noun, rest = (match["noun"] or "").strip(), match["rest"]
    over = noun.lower()
    listed = match["given"] or match["among"] or ""
    tail = re.search(r"[,:]\s*(?P<list>[^,:]{1,60}(?:,[^,:]{1,60})*?\s+or\s+[^,:]{1,60})$", rest)
    if tail and not listed:
        listed, rest = tail["list"], rest[: tail.start()]
    bound = read_bound(rest)
    if bound is not None:
        return _compare(Request(Task.FILTER, (), over=over, threshold=bound), BOUND.sub(" ", rest), listed)
    if re.search(r"\b(?:negative|positive)\b", rest, re.I):
        above = bool(re.search(r"\bpositive\b", rest, re.I))
        rest = re.sub(r"\b(?:negative|positive)\b", " ", rest, flags=re.I)
        told = "positive" if above else "negative"
        sign = Threshold(above, Decimal(0), written=told)
        return _compare(Request(Task.FILTER, (), over=over, threshold=sign), rest, listed)
    rank = _find_plain(_RANKED, rest) or _find_plain(_RANKED, noun)
    comparative = _find_plain(_COMPARED, rest)
    if rank is None and comparative is None:
        return _read_provided(text)
    found = rank or comparative
    assert found is not None
    groups = found.groupdict()
    most = bool(groups.get("up") or groups.get("top") in ("top", "first", "Top"))
    count = _count_word(groups.get("n") or "")
    rest = rest.replace(found.group(), " ", 1) if found.string is rest else rest
    return _compare(Request(Task.RANK, (), over=over, most=most, count=count), rest, listed)


def _compare(request: Request, rest: str, listed: str) -> Request | None:
    """The request with what is measured and what is compared: the members listed, or the periods named."""
    rest = re.sub(r"\b(?:saw|shows?|showed|recorded|reported|with)\b", " ", rest, flags=re.I)
    parts = _split_periods(_clean(_AUXILIARIES.sub(" ", rest)))
    alternatives = tuple(_clean(part) for part in _SPLIT.split(listed) if _clean(part)) if listed else ()
    if not parts:
        return None
    words, period = parts[0]
    if len(parts) > 1:
        # "higher, in 2018 or 2019": the periods are what is compared.
        alternatives = alternatives or tuple(when.text for _, when in parts if when is not None)
        period = None
    return replace(request, operands=(Operand(words, period),), name=words, alternatives=alternatives)


def _find_plain(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match that is no part of a name: not "Best" in "Best Western"."""
    return next(
        (match for match in pattern.finditer(text) if not re.match(r"[A-Z]\w+\s+[A-Z]", text[match.start() :])), None
    )


def _count_word(text: str) -> int:
    return {"two": 2, "three": 3, "four": 4, "five": 5}.get(text.lower(), int(text) if text.isdigit() else 1)


def _read_provided(text: str) -> Request | None:
    match = _PERIODS_ASKED.match(text)
    if match is None or not _PROVIDED.search(match["rest"]):
        return None
    words = _clean(_TABLE_WORDS.sub(" ", _PROVIDED.sub(" ", _AUXILIARIES.sub(" ", match["rest"]))))
    if not words:
        return None
    return Request(Task.PERIODS, (Operand(words),), name=words, over=match["noun"].lower())


def _read_changed(text: str) -> Request | None:
    """ "By how much did X change from 2018 to 2019?" """
    match = _HOW_CHANGED.match(text)
    if match is None:
        return None
    percent = bool(re.search(rf"{_PERCENTAGE}", text[: match.start("x")], re.I)) or bool(_AS_PERCENT.search(text))
    points = bool(re.search(r"percentage points?", text, re.I))
    rest = _AS_PERCENT.sub(" ", match["rest"])
    request = _make_change(f"{match['x']} {rest}", percent=percent and not points, name="change in", points=points)
    return replace(request, may_be_points=True) if request is not None else None


_HOW_DEVELOPED = re.compile(
    r"^\W*(?:and\s+)?how\s+(?:did|does|do|has|have|had|is|are|was|were)\s+(?P<x>.+?)\s+(?:change|changed|changing|develop|developed"
    r"|evolve|evolved|move|moved)\b(?P<rest>.*?)[\s?.]*$",
    re.I,
)


def _read_developed(text: str) -> Request | None:
    """ "How did X change from 2018 to 2019?": the change in the figures' own unit, points for percentages."""
    match = _HOW_DEVELOPED.match(text)
    if match is None or re.match(r"\s*(?:that|this|it)\b", match["rest"], re.I):
        return None
    request = _make_change(f"{match['x']} {match['rest']}", percent=False, name="change in")
    return replace(request, may_be_points=True) if request is not None else None


def _read_compared(text: str) -> Request | None:
    """ "How much more is A than B?" """
    match = _HOW_COMPARED.match(text)
    if match is None or not (match["first"] or match["second"]):
        return None
    noun = match["noun"] or ""
    left, right = _split_periods(f"{noun} {match['x']}"), _split_periods(match["y"])
    if not left or not right:
        return None
    (a, when), (b, other) = left[0], right[0]
    less = re.match(
        r"less|fewer|lower|smaller|shorter|cheaper|younger|lighter", match["first"] or match["second"], re.I
    )
    a, b = _clean(_AUXILIARIES.sub(" ", a)), _clean(_AUXILIARIES.sub(" ", b))
    second = b if not noun or analyse(noun) == [] else f"{noun} {b}".strip()
    if not analyse(b):
        second = a
    operands = (Operand(a, when or other), Operand(second, other or when))
    asked = Request(
        Task.COMPUTE, operands, "b - a" if less else "a - b", f"difference between {a} and {b or 'the other'}"
    )
    whole = _replace_tail(a, b)
    return (
        replace(asked, instead=replace(asked, operands=(operands[0], replace(operands[1], words=whole))))
        if whole
        else asked
    )


_LAST_TAIL = re.compile(r"^(?P<head>.+\s(?:on|in|at|for|under|from|by|with|to|of))\s+(?P<object>[^\s].*?)$", re.I)


def _replace_tail(first: str, second: str) -> str:
    """ "rent of a flat in Leeds" and "York" give "rent of a flat in York"; "" where the first has no such ending."""
    match = _LAST_TAIL.match(first)
    return (
        f"{match['head']} {re.sub(r'^(?:that )?(?:on|in|at|for|under|from|by|with|to|of) ', '', second)}"
        if match
        else ""
    )


_RISES = (
    r"go(?:ing|ne)? up|r[io]se[n]?|rising|increas(?:e|ed|es|ing)|gr[eo]w(?:n|s|ing)?|growth|climb(?:ed|ing)?"
    r"|improv(?:e|ed|ing)|up"
)
_FALLS = (
    r"go(?:ing|ne)? down|f[ae]ll(?:en|s|ing)?|declin(?:e|ed|es|ing)|decreas(?:e|ed|es|ing)|drop(?:ped|ping|s)?"
    r"|shr[iau]nk(?:ing)?|worsen(?:ed|ing)?|down"
)
_WHETHER_CHANGED = re.compile(
    rf"^\W*(?:was|were|is|are|has|have|had)\s+there\s+(?:been\s+)?(?:any|an?|some)\s+(?P<noun>{_CHANGING})\s+(?:in|of)\s+"
    r"(?P<x>.+?)[\s?.]*$"
    r"|^\W*(?:and\s+|but\s+)?(?:did|has|have|had|is|are)\s+(?P<y>(?:(?!\b(?:expect|likely|going to|due to)).)+?)\s+"
    rf"(?:(?P<up>{_RISES})|(?P<down>{_FALLS})|changed?)(?P<either>\s+or\s+(?:{_RISES}|{_FALLS}))?\b"
    r"(?P<rest>(?:\s+(?:in|during|for|from|since|between|over|against|compared|on|year|this|last|by)\b[^,;?]*)?)[\s?.]*$",
    re.I,
)


def read_whether_changed(question: str) -> Request | None:
    """The change that a question for yes or no asks about: "Did staff grow from 2019 to 2021?", "Did rent go up?".

    None where it names more than two periods. Asked "up or down?", no yes or no is asked of it.
    """
    text = _spell_periods(re.sub(r"\s+", " ", question).strip())
    match = _WHETHER_CHANGED.match(text)
    words = f"{match['x'] or match['y']} {match['rest'] or ''}" if match else ""
    if match is None or len(words) > MOST_CHARACTERS or len(_periods(words)) > 2 or _WORDY.search(words):
        return None
    request = _make_change(words, percent=False, name="change in")
    if request is None:
        return None
    way = (match["noun"] or match["up"] or match["down"] or "").lower()
    direction = bool(re.fullmatch(_RISES + "|rises?", way, re.I)) - bool(re.fullmatch(_FALLS, way, re.I))
    return replace(request, asks_whether=not match["either"], way=direction, may_be_points=True)


_SCOPE = re.compile(
    r"^\W*(?:for|in|under|within|of|among|at|on|regarding)\s+(?P<scope>(?:[^,?]"
    r"|,\s(?=\d{4}\b)){3,80}),\s*(?=what|how|which|by)",
    re.I,
)


def _read_body(text: str) -> Request | None:
    scope = _SCOPE.match(text)
    if scope is None:
        return _read_asked(text)
    words, periods = strip_periods(scope["scope"]), periods_in(scope["scope"])
    when = f" in {periods[0].text}" if len(periods) == 1 else ""
    request = _read_asked(text[scope.end() :].rstrip(" ?.") + when)
    if request is None or not analyse(words):
        return request
    operands = tuple(replace(operand, words=f"{operand.words} {words}") for operand in request.operands)
    return replace(request, operands=operands, whole="", instead=None)


def _read_asked(text: str) -> Request | None:
    match = _REACHED.match(text)
    if match is not None:
        return _read_values(f"{match['noun']} {match['x']} {match['rest']}", is_asked=True)
    match = _LEAD.match(text)
    if match is not None:
        return _read_measure(match["body"], is_definite=bool(_ARTICLE.match(match["body"])))
    match = _HOW_MANY.match(text)
    if match is None:
        return _read_command(text)
    request = _read_values(_AUXILIARIES.sub(" ", match["x"]), is_asked=True)
    return replace(request, is_count=bool(_COUNTS.match(text))) if request is not None else None


_COUNTS = re.compile(
    r"^\W*how many\s+(?!(?:[\w-]+\s+){0,3}?(?:millions?|thousands?|billions?|dollars?|euros?|pounds?|cents?"
    r"|shares?|stocks?|options?|units?|awards?|warrants?|percent\w*|points?)\b)",
    re.I,
)
"""A question for how many things there are, which neither are money nor are counted in the thousands of a table."""


def _read_command(text: str) -> Request | None:
    """A question that is only its measure: "% change in headcount 2021 to 2022"."""
    if re.match(
        r"^\W*(?:who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|had"
        r"|should|may|must|which|will)\b",
        text,
        re.I,
    ):
        return None
    request = _read_measure(text.rstrip(" ?."), is_definite=False)
    return request if request is not None and request.task is not Task.VALUE else None


def _read_measure(body: str, *, is_definite: bool) -> Request | None:
    body = _ARTICLE.sub("", body.strip())
    if _AUXILIARIES.match(body):
        return None
    share = _read_share(body)
    if share is not None:
        return share
    plain = _AS_PERCENT.sub(" ", body)
    wants_percent = plain != body
    plain = _UNIT_TAIL.sub(" ", plain).strip()
    for read in (_read_compound, _read_growth):
        request = read(plain)
        if request is not None:
            return request
    change = _CHANGE.match(plain)
    if change is not None:
        noun = re.sub(r"\W+.*", "", change["noun"]).lower()
        name = f"{noun} in" if noun in ("difference", "gap") else "change in"
        return _make_change(change["x"], percent=wants_percent, name=name, whole=plain)
    after = _CHANGE_AFTER.match(plain)
    if after is not None and periods_in(plain):
        return _make_change(f"{after['x']} {after['rest']}", percent=wants_percent, name="change in", whole=plain)
    average = _AVERAGE.match(plain)
    if average is not None:
        return _make_spread(average["x"], "average", "average", whole=plain)
    return (
        _read_sum(plain)
        or _read_joined(plain)
        or _read_values(plain, is_asked=is_definite or bool(_RESPECTIVE.search(plain)))
    )


def _read_share(body: str) -> Request | None:
    if re.match(rf"(?:{_MODIFIER})*(?:{_PERCENTAGE}\s+)?{_CHANGING}\b", body, re.I):
        return None
    ratio = _RATIO.match(body)
    if ratio is not None:
        return _make_ratio(ratio["part"], ratio["whole"], percent=bool(_AS_PERCENT.search(body)), name="ratio of")
    for pattern in (_AS_SHARE, _PROPORTION, _SHARE_OF):
        match = pattern.match(body)
        if match is None:
            continue
        if pattern is _AS_SHARE and not re.search(
            rf"{_PERCENTAGE}|share|proportion|fraction|portion|ratio", body, re.I
        ):
            continue
        part = re.sub(
            rf"^(?:the\s+)?(?:{_PERCENTAGE}|proportion|ratio|share|amount)"
            r"(?:\s+(?:constitution|composition|contribution|share|proportion))?\s+of\s+",
            "",
            match["part"],
            flags=re.I,
        )
        return _make_ratio(part, match["whole"], percent=True, name="share of", stated=body)
    return None


def _make_ratio(part: str, whole: str, *, percent: bool, name: str, stated: str = "") -> Request | None:
    upper, lower = _split_periods(part), _split_periods(whole)
    if len(upper) == 1 and not lower and len(later := _periods(whole)) == 1 and upper[0][1] is not None:
        # "the ratio of staff in 2019 to 2018": one measure, two periods.
        words, when = upper[0]
        told = f"{name} {words}"
        expression = "100 * a / b" if percent else "a / b"
        return Request(
            Task.COMPUTE, (Operand(words, when), Operand(words, later[0])), expression, told, percent=percent
        )
    if not upper or not lower or not analyse(upper[0][0]) or not analyse(lower[0][0]):
        return None
    whens = [when for _, when in (*lower, *upper) if when is not None]
    if len(dict.fromkeys(whens)) > 1:
        return None
    when = whens[0] if whens else None
    a, b = upper[0][0], lower[0][0]
    factor, joint = ("100 * ", "in") if percent else ("", "to")
    told = f"{name} {a} {joint} {b}"
    items = list_items(a)
    instead = None
    if items:
        listed = (*(Operand(item, when) for item in items), Operand(b, when))
        added = " + ".join(NAMES[: len(items)])
        instead = Request(Task.COMPUTE, listed, f"{factor}({added}) / {NAMES[len(items)]}", told, percent=percent)
    operands = (Operand(a, when), Operand(b, when))
    return Request(Task.COMPUTE, operands, f"{factor}a / b", told, percent=percent, whole=stated, instead=instead)


def _read_compound(body: str) -> Request | None:
    match = _COMPOUND.match(body)
    parts = _split_periods(match["x"]) if match else []
    if len(parts) < 2:
        return None
    ordered = sorted(parts, key=lambda part: _order(part[1]))
    (words, first), (_, last) = ordered[0], ordered[-1]
    if first is None or last is None or first.year >= last.year:
        return None
    years = last.year - first.year
    return Request(
        Task.COMPUTE,
        (Operand(words, last), Operand(words, first)),
        f"100 * ((a / b) ** (1 / {years}) - 1)",
        f"compound annual growth rate of {words}",
        percent=True,
    )


def _read_growth(body: str) -> Request | None:
    match = _GROWTH.match(body)
    if match is not None:
        return _make_change(match["x"], percent=True, name="percentage change in", whole=body)
    after = _GROWTH_AFTER.match(body)
    if after is not None and (periods_in(body) or re.search(r"%|percent", body, re.I)):
        return _make_change(f"{after['x']} {after['rest']}", percent=True, name="percentage change in", whole=body)
    return None


def _make_change(words: str, *, percent: bool, name: str, points: bool = False, whole: str = "") -> Request | None:
    """The change of one measure over two periods, or the difference of two measures."""
    parts = _split_periods(words)
    whens = list(dict.fromkeys(when for _, when in parts if when is not None))
    if len(whens) < 2 and re.search(r"difference|gap", f"{name} {whole}", re.I):
        pair = _split_pair(words)
        if pair is not None:
            a, b = pair
            when = whens[0] if whens else None
            compared = (Operand(a, when), Operand(b, when))
            expression = "100 * (a - b) / b" if percent else "a - b"
            made = Request(Task.COMPUTE, compared, expression, f"difference between {a} and {b}", percent=percent)
            shared = _share_measure(a, b)
            instead = replace(made, operands=(compared[0], Operand(shared, when))) if shared else None
            return replace(made, instead=instead)
    if not parts or not analyse(parts[0][0]):
        return None
    words = _unrepeat(parts[0][0])
    if len(whens) > 2:
        return None
    operands: tuple[Operand, ...]
    if len(whens) == 2:
        first, last = sorted(whens, key=_order)
        operands = (Operand(words, last), Operand(words, first))
    elif len(whens) == 1:
        operands = (Operand(words, whens[0]), Operand(words, _before(whens[0])))
    else:
        operands = (Operand(words),)
    expression = "100 * (a - b) / b" if percent else "a - b"
    spread = "" if len(operands) > 1 else "change"
    whole = whole if len(whens) < 2 else ""
    return Request(
        Task.COMPUTE,
        operands,
        expression,
        f"{name} {words}",
        percent=percent,
        points=points,
        spread=spread,
        whole=whole,
    )


def _before(period: Period) -> Period:
    """The same period a year before, in the same words: "December 31, 2019" gives "December 31, 2018"."""
    short = re.fullmatch(r"(\D*['’]?)(\d\d)", period.text)
    if short:
        return Period(period.kind, period.year - 1, period.quarter, f"{short[1]}{(period.year - 1) % 100:02}")
    text = (
        re.sub(r"(?:19|20)\d\d", str(period.year - 1), period.text) if period.kind == "date" else str(period.year - 1)
    )
    return Period(period.kind, period.year - 1, period.quarter, text)


def _unrepeat(words: str) -> str:
    """ "balance compared to balance" is one measure."""
    halves = [_clean(half) for half in _AGAINST.split(words)]
    return halves[0] if len(halves) == 2 and analyse(halves[0]) == analyse(halves[1]) else words


_BETWEEN = re.compile(r"^(?P<shared>.*?)\bbetween\s+(?P<pair>.+)$", re.I)
_AGAINST = re.compile(r"\s+(?:and|versus|vs\.?|(?:as )?compared (?:to|with)|against|from|to|over)\s+", re.I)


def _split_pair(words: str) -> tuple[str, str] | None:
    """Two measures that are compared: "A and B", "between A and B", "A compared to B", "staff between A and B"."""
    plain = strip_periods(words)
    between = _BETWEEN.match(plain)
    shared = _clean(between["shared"]) if between else ""
    halves = [_clean(half) for half in _AGAINST.split(between["pair"] if between else plain)]
    halves = [half for half in halves if analyse(half)]
    if len(halves) != 2 or analyse(halves[0]) == analyse(halves[1]):
        return None
    return (f"{shared} {halves[0]}".strip(), f"{shared} {halves[1]}".strip())


def _share_measure(first: str, second: str) -> str:
    """The second measure with the first one's head: "staff in Leeds" and "York" give "staff in York"."""
    match = re.match(r"(?P<head>.+)\s+(?P<link>in|at|for|of|from|on|by|under)\s+.+$", first, re.I)
    return f"{match['head']} {match['link']} {second}" if match else ""


def _make_spread(words: str, function: str, name: str, *, whole: str = "") -> Request | None:
    """A function over the periods named, or the things listed, or all of a row's periods."""
    parts = _split_periods(_TOGETHER.sub("", words))
    if not parts or not analyse(parts[0][0]):
        return None
    plain = parts[0][0]
    if re.match(r"(?:selling\s+|unit\s+)?prices?\b|per\b", plain, re.I) and function == "average" and len(parts) == 1:
        return None
    whens = [when for _, when in parts if when is not None]
    if len(whens) > 1:
        operands = tuple(Operand(plain, when) for when in whens)
        return Request(Task.COMPUTE, operands, _call(function, len(operands)), f"{name} {plain}")
    when = whens[0] if whens else None
    items = list_items(plain)
    if len(items) > 1 and function == "average":
        listed = tuple(Operand(item, when) for item in items)
        apart = Request(Task.COMPUTE, listed, _call(function, len(listed)), f"{name} {plain}")
        single = (Operand(plain, when),)
        return Request(
            Task.COMPUTE, single, _call(function, 1), f"{name} {plain}", spread=function, whole=whole, instead=apart
        )
    if len(items) > 1:
        operands = tuple(Operand(item, when) for item in items)
        return Request(Task.COMPUTE, operands, _call(function, len(operands)), f"{name} {plain}")
    return Request(
        Task.COMPUTE, (Operand(plain, when),), _call(function, 1), f"{name} {plain}", spread=function, whole=whole
    )


def _call(function: str, count: int) -> str:
    names = NAMES[:count]
    return f"average({', '.join(names)})" if function == "average" else " + ".join(names)


def list_items(words: str) -> list[str]:
    items = [_clean(item) for item in _SPLIT.split(words)]
    return items if 1 < len(items) <= 6 and all(analyse(item) for item in items) else []


_ALL_YEARS = re.compile(
    r"\b(?:across|over|for|in|of|during)\s+(?:all\s+(?:of\s+)?)?(?:the\s+)?(?:(?:two|three|four|five|\d)\s+)?"
    r"(?:years|quarters)\b(?:\s+(?:shown|presented|reported|given|listed)\b)?(?!\s+(?:(?:19|20)\d\d|ended|ending|to))",
    re.I,
)
"""Every period of a row: "across all three years"."""


def _read_sum(body: str) -> Request | None:
    """ "the total of A and B", "total X for 2018 and 2019": several things or periods, else no sum is asked for."""
    match = _SUM.match(body)
    together = _TOGETHER.search(body)
    if (match is None and together is None) or _RESPECTIVE.search(body):
        return None
    words = _TOGETHER.sub("", match["x"] if match else body)
    if _ALL_YEARS.search(words):
        return _make_spread(_ALL_YEARS.sub(" ", words), "sum", "total")
    parts = _split_periods(words)
    if len(parts) < 2 and not list_items(parts[0][0] if parts else ""):
        return None
    request = _make_spread(words, "sum", "total")
    return request if request is not None and len(request.operands) > 1 else None


def _read_joined(body: str) -> Request | None:
    """ "A plus B", "A less B", "A per B"; the whole is looked for first, since labels hold such words too."""
    match = _JOINED.match(_RESPECTIVE.sub("", body))
    if match is None or match["net"]:
        return None
    sign = _SIGNS[match["sign"].lower()]
    left, right = _split_periods(match["left"]), _split_periods(match["right"])
    if not left or not right or not analyse(left[0][0]) or not analyse(right[0][0]):
        return None
    whens = list(dict.fromkeys(when for _, when in (*left, *right) if when is not None))
    if len(whens) > 1:
        return None
    when = whens[0] if whens else None
    a, b = left[0][0], right[0][0]
    made = Request(
        Task.COMPUTE,
        (Operand(a, when), Operand(b, when)),
        f"a {sign} b",
        f"{a} {match['sign']} {b}",
        whole=strip_periods(body),
    )
    tail = re.search(r"\s(?:of|in|at|for|from|by)\s.+$", b)
    if tail is None:
        return made
    return replace(made, operands=(Operand(a + tail.group(), when), Operand(b, when)), instead=made)


def _read_values(body: str, *, is_asked: bool) -> Request | None:
    """Figures as they stand, for each period named. `is_asked`: the wording itself asks for a figure."""
    parts = _split_periods(_RESPECTIVE.sub("", body))
    if not parts or not analyse(parts[0][0]):
        return None
    if not is_asked and all(when is None for _, when in parts):
        return None
    return Request(Task.VALUE, tuple(Operand(words, when) for words, when in parts), name=parts[0][0])


_DATED = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
    r"\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d\d)\b|\b\d{1,2}\s+[A-Z][a-z]{2,8}\s+((?:19|20)\d\d)\b",
    re.I,
)


def _periods(text: str) -> list[Period]:
    """The periods named, dates of one year each by itself, in the order they stand; of a range those between, too."""
    dates = [Period("date", int(match[1] or match[2]), None, match.group()) for match in _DATED.finditer(text)]
    rest = text
    for date in dates:
        rest = rest.replace(date.text, " " * len(date.text), 1)
    found = [(rest.find(period.text), period) for period in periods_in(rest)]
    found += [(text.find(date.text), date) for date in dict.fromkeys(dates)]
    ordered = [period for _, period in sorted(found, key=lambda pair: pair[0])]
    named = [period.year for place, period in sorted(found, key=lambda pair: pair[0]) if place >= 0]
    if len(named) == len(ordered):
        return ordered
    return sorted(ordered, key=lambda period: period.year, reverse=named[0] > named[-1])


def _split_periods(text: str) -> list[tuple[str, Period | None]]:
    """The words without their periods, once for each period in the order named; once with None when there is none."""
    words = strip_periods(text)
    found = _periods(text)
    if not words:
        return []
    return [(words, period) for period in found] or [(words, None)]


def strip_periods(text: str) -> str:
    """The words without periods and what connects them: "staff in Leeds between 2018 and 2019" -> "staff in Leeds"."""
    plain = text
    for period in sorted(_periods(text), key=lambda period: -len(period.text)):
        if period.text:
            plain = plain.replace(period.text, "\x00")
    plain = _FILLER.sub(" ", plain)
    plain = _CONNECTED.sub(" ", plain).replace("\x00", " ")
    return _clean(plain)


def _clean(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip(" ,;:?.")
    before = None
    while before != plain:
        before, plain = plain, _LONE.sub("", plain).strip(" ,;:?.")
    return plain


def _order(period: Period | None) -> tuple[int, int, int]:
    if period is None:
        return (0, 0, 0)
    return (period.year, period.quarter or 0, _month_of(period.text))


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _month_of(text: str) -> int:
    return next((place for place, name in enumerate(_MONTHS, 1) if name in text.lower()), 0)
