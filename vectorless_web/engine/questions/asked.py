"""What a question names: its periods, its names, and the words of the figure that it asks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from vectorless_web.engine.questions.lexicon import read_pack, read_words
from vectorless_web.engine.questions.plan import Formula, Period, QueryPlan, Token
from vectorless_web.engine.text.analyser import STOP_WORDS, analyse
from vectorless_web.engine.text.dates import MONTH_NAMES, WEEKDAYS, dates_in
from vectorless_web.engine.text.numbers import CURRENCIES, MEASURE_NAMES, number_word

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:[&.'’\-][^\W_]+)*\.?")
_CODES = re.compile(r"^(?:FY|CY|Q[1-4]|H[12]|[1-4]Q)['’]?\d*(?:Q[1-4])?$|^[\d.,]+(?:st|nd|rd|th)?$", re.IGNORECASE)
"""Periods and numbers, which are no names."""
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+|[\"“(¿¡]\s*)$")
_POSSESSIVE = re.compile(r"['’]s?$")
_BESIDE = re.compile(r"\s*&?\s*")


def find_entities(text: str, taken: Sequence[Span] = ()) -> list[Span]:
    """Where names stand, in reading order, possessives dropped; `taken` spans (concepts, periods) are never names.

    A word at the start of a sentence is a name only if another sign says so: a possessive, a capital or digit inside
    it, or a name right behind it. In a text without small letters capitals say nothing, and there are no names.
    """
    if not any(character.islower() for character in text):
        return []
    found: list[list[re.Match[str]]] = []
    run: list[re.Match[str]] = []
    for token in _WORD.finditer(text):
        if run and (_POSSESSIVE.search(run[-1].group()) or not _goes_on(text, run, token, taken)):
            found.append(run)
            run = []
        if run or _is_name_part(text, token, taken, run):
            run.append(token)
    return [span for tokens in [*found, run] if (span := _trim_name(tokens))]


def _goes_on(text: str, run: Sequence[re.Match[str]], token: re.Match[str], taken: Sequence[Span]) -> bool:
    """Whether the token carries on the name begun: another name word beside it, or a small word before a capital."""
    if not _BESIDE.fullmatch(text, run[-1].end(), token.start()):
        return False
    is_link = token.group().lower() in read_words("links") and text[token.end() + 1 : token.end() + 2].isupper()
    return is_link or _is_name_part(text, token, taken, run)


def _is_name_part(text: str, token: re.Match[str], taken: Sequence[Span], run: Sequence[re.Match[str]]) -> bool:
    word = _POSSESSIVE.sub("", token.group()).rstrip(".")
    lowered = word.lower()
    if any(start < token.end() and token.start() < end for start, end in taken) or _CODES.match(word):
        return False
    if run and lowered in read_words("company_forms") and word[0].isupper():
        return True
    if len(word) < 2 or _is_common(lowered) or not (word[0].isupper() or _is_marked(word)):
        return False
    is_first = not run and bool(_SENTENCE_START.search(text[: token.start()]))
    return (
        not is_first or bool(_POSSESSIVE.search(token.group())) or _is_marked(word) or _has_capital_after(text, token)
    )


def _is_common(word: str) -> bool:
    return (
        word in STOP_WORDS
        or word in read_words("not_names")
        or word in MONTH_NAMES
        or word in WEEKDAYS
        or word in CURRENCIES
        or word in MEASURE_NAMES
    )


def _is_marked(word: str) -> bool:
    """Capitals beyond the first letter, or digits beside capitals, mark a name anywhere: A&B, iPhone, 9X."""
    return any(character.isupper() for character in word[1:])


def _has_capital_after(text: str, token: re.Match[str]) -> bool:
    following = _WORD.match(text, token.end() + 1)
    return following is not None and following.group()[0].isupper()


def _trim_name(run: Sequence[re.Match[str]]) -> Span | None:
    """The run without small words, possessive and marks at its end."""
    while run and run[-1].group().lower() in read_words("links"):
        run = run[:-1]
    if not run:
        return None
    last = _POSSESSIVE.sub("", run[-1].group()).rstrip(".,")
    return run[0].start(), run[-1].start() + len(last)


_YEAR_PATTERN = r"(?:19|20)\d\d"


def choose_words(words: Iterable[str]) -> str:
    """The alternatives of a pattern for words, the longest first."""
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True))


_FISCAL = rf"(?:(?:{choose_words(read_words('fiscal'))})\s*['’]?\s*)"
_NAMED_QUARTER = rf"(?P<q4>\w+)\.?\s+(?:fiscal\s+)?(?:{choose_words(read_words('quarter'))})"
_QUARTER = re.compile(
    rf"\bQ(?P<q1>[1-4])(?:\s*(?:,|-|/|\w{{2,3}}\s)?\s*|['’]){_FISCAL}?(?P<y1>{_YEAR_PATTERN}|['’]?\d\d(?!\d))"
    rf"|(?:{_FISCAL}|\b)(?P<y2>{_YEAR_PATTERN})\s*[,-]?\s*Q(?P<q2>[1-4])\b"
    rf"|\b(?P<q3>[1-4])Q\s*['’]?(?P<y3>{_YEAR_PATTERN}|\d\d)\b"
    rf"|\b{_NAMED_QUARTER}\s*(?:,|\w{{2,3}}\s)?\s*(?:the\s+)?{_FISCAL}?(?P<y4>{_YEAR_PATTERN})",
    re.IGNORECASE,
)
_FISCAL_YEAR = re.compile(
    rf"\b{_FISCAL}(?P<y1>{_YEAR_PATTERN})\b|\b[FC]Y\s*['’]?(?P<y2>\d\d)\b|(?<![\d.,$€£-])\b(?P<y3>{_YEAR_PATTERN})\b(?!\d|,\d|\s?%)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?:{_FISCAL})?(?<!\d)(?P<from>{_YEAR_PATTERN})\s*(?:[-–—]|{choose_words(read_words('until'))})\s*(?:{_FISCAL})?(?P<to>{_YEAR_PATTERN})\b",
    re.IGNORECASE,
)
_CENTURY_TURN = 70
"""Two digits below this are a year after 2000, others one of the last century."""
LONGEST_RANGE = 12
"""Years of a range that is filled in year by year; a longer one names its ends alone. Measured on the 65 questions of
filings: 6 and 24 change nothing."""


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A period at characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int
    period: Period


def find_periods(text: str) -> list[PeriodMention]:
    """Mentions in reading order, none overlapping another."""
    found = [*_read_matches(_QUARTER, text, "quarter"), *_read_dates(text), *_read_matches(_FISCAL_YEAR, text, "year")]
    taken: list[PeriodMention] = []
    for mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in taken):
            taken.append(mention)
    return sorted(taken, key=lambda mention: mention.start)


def periods_in(text: str) -> tuple[Period, ...]:
    """Periods in the order they are named, each once."""
    return remove_repeats(mention.period for mention in find_periods(text))


def years_between(text: str) -> tuple[Period, ...]:
    """The years after the first of the ranges that a text names: 2018 and 2019 of "2017-2019".

    For an operation over all of them; a year behind a hyphen is no period by itself.
    """
    ends = [sorted((int(match["from"]), int(match["to"]))) for match in _RANGE.finditer(text)]
    return tuple(
        Period("year", year, text=str(year))
        for first, last in ends
        if last <= first + LONGEST_RANGE
        for year in range(first + 1, last + 1)
    )


def shift_back(period: Period, years: int) -> Period:
    """The same period that many years before."""
    return Period(period.kind, period.year - years, period.quarter) if years else period


def _read_matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[PeriodMention]:
    for match in pattern.finditer(text):
        groups = {name[0]: value for name, value in match.groupdict().items() if value}
        quarter = number_word(groups["q"]) if "q" in groups else None
        if kind == "year" or quarter in (1, 2, 3, 4):
            period = Period(kind, _read_year(groups["y"]), quarter, match.group().strip())
            yield PeriodMention(match.start(), match.end(), period)


def _read_dates(text: str) -> Iterator[PeriodMention]:
    for mention in dates_in(text):
        day = mention.readings[0]
        if day.year and day.day:
            yield PeriodMention(mention.start, mention.end, Period("date", day.year, None, mention.text))


def _read_year(text: str) -> int:
    digits = int(text.strip("'’"))
    if digits >= 100:
        return digits
    return 2000 + digits if digits < _CENTURY_TURN else 1900 + digits


def remove_repeats(periods: Iterable[Period]) -> tuple[Period, ...]:
    """The periods, each year or quarter once."""
    kept: dict[tuple[int, int | None], Period] = {}
    for period in periods:
        kept.setdefault((period.year, period.quarter), period)
    return tuple(kept.values())


_SENTENCE_END = re.compile(r"[.?!:;](?=\s)")
"""Where a sentence of a question ends: what is in another sentence tells how to answer, not what is asked."""

_CLAUSE_END = re.compile(r",(?=\s)")

_ARITHMETIC = re.compile(r"\s[-+*/×÷=]\s")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAMING = ("content", "entity", "lexicon")


def _words_of(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in read_pack("asking")[name])


@cache
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(term for word in _words_of(name) for term in analyse(word))


def words_around() -> frozenset[str]:
    """Index terms that a label or a question may add to the name of a figure without naming another one."""
    return _terms_of("around")


def asked_tokens(plan: QueryPlan) -> tuple[Token, ...]:
    """The words that name the figure asked for, in order; () when the question asks for something else.

    They are the naming words of the sentence that asks. When all of them are such as stand around a figure's name,
    all count.
    """
    sentence = _asking_sentence(plan)
    instructing = _terms_of("instructing")
    naming = tuple(token for token in sentence if token.role in _NAMING and token.term not in ("", *instructing))
    naming = tuple(token for token in naming if not _counts_periods(token, plan))
    own = tuple(token for token in naming if token.term not in words_around())
    return own or naming


def _counts_periods(token: Token, plan: QueryPlan) -> bool:
    """Whether a number says how many periods the question names: "three year average from 2016 to 2018"."""
    return len(asked_periods(plan)) > 1 and number_word(token.text) == len(asked_periods(plan))


def asked_periods(plan: QueryPlan) -> tuple[Period, ...]:
    """The periods asked for, with every year of a range."""
    named = {(period.year, period.quarter): period for period in (*plan.periods, *years_between(plan.question))}
    years = {period.year for period in plan.periods}
    return tuple(period for period in named.values() if min(years, default=0) <= period.year <= max(years, default=0))


def asks_figure(plan: QueryPlan) -> bool:
    """Whether the question has one sentence that asks for a figure."""
    return bool(_asking_sentence(plan))


def narrow_plan(plan: QueryPlan) -> QueryPlan:
    """The plan with the periods and the operation of the sentence that asks; other sentences tell how to answer."""
    sentence = _asking_sentence(plan)
    if sentence and not any(token.role == "operation" for token in sentence):
        plan = replace(plan, operation="")
    years = [int(year) for token in sentence if token.role == "period" for year in _YEAR.findall(token.text)]
    if not years:
        return plan
    kept = range(min(years), max(years) + 1)
    series = tuple(way for way in plan.formula.series if _latest_year(plan, way) in kept) if plan.formula else ()
    return replace(
        plan,
        periods=tuple(period for period in plan.periods if period.year in kept),
        formula=replace(plan.formula, series=series) if plan.formula else None,
    )


def defined_terms(plan: QueryPlan) -> frozenset[str]:
    """Terms of the figures by which a question defines what it asks for: "... is defined as: fees / (crew + ships)".

    They stand beside signs of arithmetic in a sentence that does not ask; acronyms are left out.
    """
    asking = _asking_sentence(plan)
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(plan.question)), len(plan.question)]
    defining = [(start, end) for start, end in pairwise(bounds) if _ARITHMETIC.search(plan.question[start:end])]
    return frozenset(
        token.term
        for token in plan.tokens
        if token.role == "lexicon" and token.term and token not in asking and not token.text.isupper()
        if any(start <= token.start < end for start, end in defining)
    )


def _latest_year(plan: QueryPlan, way: Formula) -> int:
    periods = (plan.figures[index].period for _, index in way.operands)
    return max((period.year for period in periods if period), default=0)


def _asking_sentence(plan: QueryPlan) -> list[Token]:
    ends = [match.end() for match in _SENTENCE_END.finditer(plan.question)]
    sentences: dict[int, list[Token]] = {}
    for token in plan.tokens:
        sentences.setdefault(sum(end <= token.start for end in ends), []).append(token)
    asking = [place for place, tokens in sentences.items() if _words_in(tokens) & _words_of("figure")]
    named = [place for place in asking if any(token.role in ("period", "lexicon") for token in sentences[place])]
    asking = asking if len(asking) == 1 else named[:1]
    if not asking:
        return []
    commas = [match.end() for match in _CLAUSE_END.finditer(plan.question)]
    clauses: dict[int, list[Token]] = {}
    for token in sentences[asking[0]]:
        clauses.setdefault(sum(end <= token.start for end in commas), []).append(token)
    words = [said for tokens in clauses.values() if (said := _words_in(tokens)) & _words_of("figure", "other")]
    return sentences[asking[0]] if words and not words[-1] & _words_of("other") else []


def _words_in(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text.lower() for token in tokens)
