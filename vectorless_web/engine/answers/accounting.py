"""Where a number of a sentence may come from: quotes, the question, a name, a reference, a count, a date, a sum."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise

from vectorless_web.engine.answers.agreement import (
    YEAR,
    Stated,
    agrees,
    is_rounded,
    is_told,
    list_stated_numbers,
    numbers_to_explain,
)
from vectorless_web.engine.answers.claims import DraftCalculation
from vectorless_web.engine.answers.derivation import derive_number
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.figures.arithmetic import evaluate
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import DateMention, Day, dates_in, months_between, shift_day, times_in
from vectorless_web.engine.text.quantities import Quantity, quantities_in

_ONE, _HUNDRED = Decimal(1), Decimal(100)

CONSTANTS = frozenset(
    Decimal(number) for number in (*range(13), 24, 52, 60, 100, 360, 365, 366, 1000, 1_000_000, 1_000_000_000)
)
"""Numbers a formula may contain without a quote: counts of periods, hours, minutes, days, weeks, percent and scales."""


@dataclass(frozen=True)
class Sources:
    """What a sentence may take its numbers from.

    `stated` are the figures of quotes, calculations and counts. `quotes` are the texts of
    the quotes, `around` the texts in which they stand, `headers` those of their columns,
    `headings` what they stand below, `told` the question and the titles. `counts` are
    numbers of rows and quotes, `known_counts` those of the items that quotes list and of the
    rows of whole tables. `results` are what calculations gave.
    """

    stated: tuple[Stated, ...] = ()
    quotes: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    counts: frozenset[int] = frozenset()
    known_counts: frozenset[int] = frozenset()
    results: tuple[Stated, ...] = ()

    @cached_property
    def context(self) -> tuple[Stated, ...]:
        """Numbers of the question, titles and column headers."""
        return tuple(figure for text in (*self.told, *self.headers) for figure in list_stated_numbers(text))

    @cached_property
    def dates(self) -> tuple[DateMention, ...]:
        """Dates of the quotes, the question, titles, headings and headers."""
        return tuple(mention for text in self._dated for mention in dates_in(text))

    @property
    def _dated(self) -> tuple[str, ...]:
        return (*self.quotes, *self.told, *self.headers, *self.headings)

    @cached_property
    def years(self) -> frozenset[int]:
        """Years named in the same texts."""
        return frozenset(int(year) for text in self._dated for year in YEAR.findall(text))

    @cached_property
    def times(self) -> frozenset[int]:
        """Times of day in the same texts, in minutes."""
        return frozenset(time.minutes for text in (*self.quotes, *self.told) for time in times_in(text))

    @cached_property
    def spans(self) -> tuple[Quantity, ...]:
        """Lengths of time that the quotes and the question state."""
        figures = (*self.stated, *self.context)
        return tuple(f.written for f in figures if f.written and f.written.dimension in _LENGTHS)


_LENGTHS = frozenset({"time", "months", "working time"})


@dataclass(frozen=True, slots=True)
class Loose:
    """A number, date or time of a sentence that nothing explains."""

    start: int
    end: int
    text: str
    number: Quantity | None = None
    mention: DateMention | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What of a sentence nothing explains, and the calculations the program found for the rest."""

    loose: tuple[Loose, ...] = ()
    derived: tuple[DraftCalculation, ...] = ()
    counted: tuple[Quantity, ...] = ()
    """Numbers that only count what the sentence quotes or names: whoever chose that has counted."""


MOST_OPEN = 40
"""Unexplained numbers of a sentence for which sums are looked for; one that has more of them stays loose."""


def account_for(sentence: str, sources: Sources) -> Account:
    """Explain every number, date and time of day of a sentence from its sources."""
    skipped = [*_list_marks(sentence), *_references(sentence, sources), *_digit_runs(sentence, sources)]
    days, loose = _explain_dates(sentence, sources)
    loose += [
        Loose(time.start, time.end, time.text)
        for time in times_in(sentence)
        if not _is_known_time(time.minutes, sources)
    ]
    written, sums = _written_sums(sentence, sources)
    skipped += written
    sources = replace(sources, results=(*sources.results, *sums))
    named = [number for number in quantities_in(sentence) if any(agrees(number, f) for f in sources.stated)]
    joined = _joined_measures(sentence, sources)
    open_ = [
        number
        for number in numbers_to_explain(sentence)
        if number not in named
        and not any(start <= number.start and number.end <= end for start, end in skipped)
        and not _is_explained(sentence, number, sources, days)
        and number not in joined
    ]
    if len(open_) <= MOST_OPEN:
        derived, open_ = _derive_all(sentence, open_, sources, named)
    else:
        derived = []
    loose += [Loose(number.start, number.end, number.text, number) for number in open_]
    counted = [
        number
        for number in quantities_in(sentence)
        if not (number in named and _is_stated_as_told(number, sources))
        and not any(start <= number.start and number.end <= end for start, end in skipped)
        and _is_count(sentence, number, sources)
        and int(number.value) not in sources.known_counts
        and not any(agrees(number, f) for f in sources.results)
    ]
    return Account(tuple(sorted(loose, key=lambda one: one.start)), tuple(derived), tuple(counted))


def _derive_all(
    sentence: str, numbers: Sequence[Quantity], sources: Sources, named: Sequence[Quantity]
) -> tuple[list[DraftCalculation], list[Quantity]]:
    """Simple sums for the numbers, and the numbers without one; a second look may use what the first found."""
    found: list[DraftCalculation] = []
    asked = [f for f in sources.context if f.written is not None and _names_something(f.written)]
    figures = [*sources.stated, *sources.results, *asked, *_told_results(sentence, sources)]
    known, left = list(named), list(numbers)
    for _ in range(2):
        numbers, left = left, []
        for number in numbers:
            calculation = derive_number(sentence, number, figures, known)
            if calculation is None:
                left.append(number)
            else:
                found.append(calculation)
                known.append(number)
        figures += [Stated(number.value, written=number) for number in numbers if number not in left]
    return found, left


def _told_results(sentence: str, sources: Sources) -> Iterator[Stated]:
    """Percentages of the sentence that calculations gave, as told and exactly: points lie between two of them."""
    for number in quantities_in(sentence):
        for result in sources.results if number.percent else ():
            exact = (abs(result.value * factor) for factor in result.as_percent)
            near = [value for value in exact if agrees(number, Stated(value, worked_out=True))]
            if near:
                yield Stated(near[0], written=number)
                yield Stated(number.value, written=number)
                break


def _names_something(written: Quantity) -> bool:
    """Whether a number of the question or a header has a unit or noun; a year between others ("2019 December") none."""
    return bool(written.unit or written.noun) and not YEAR.fullmatch(written.text)


_JOINED = re.compile(r"(?:\s?[^\W\d]{1,9}\.?)?,?\s(?:and\s)?")


def _joined_measures(sentence: str, sources: Sources) -> list[Quantity]:
    """Numbers that make one measure together which is stated: "1 hour 35 minutes", "three quarters of an hour"."""
    numbers = quantities_in(sentence)
    found: list[Quantity] = []
    for first, second in pairwise(numbers):
        between = sentence[first.end : second.start]
        if first.is_part and not first.unit and second.unit and second.value == 1:
            is_joined, value = sentence[first.end :].startswith(" of "), first.value * second.value
        else:
            is_joined = bool(first.unit) and first.dimension == second.dimension and first.factor > second.factor
            is_joined = is_joined and bool(_JOINED.fullmatch(between))
            value = first.value * first.factor / second.factor + second.value
        whole = replace(second, value=value, step=Decimal(0), is_part=True)
        if is_joined and any(agrees(whole, figure) for figure in (*sources.stated, *sources.results)):
            found += [first, second]
    return found


_SUM = re.compile(r"(?<![\d.,])[(]?[$€£]?\d[\d,.]{0,20}%?(?:\s?[×x*÷/+−–-]\s?[(]?[$€£]?\d[\d,.]{0,20}%?[)]?){1,5}")
_OPERATORS = str.maketrans({"×": "*", "x": "*", "÷": "/", "−": "-", "–": "-", ",": "", "$": "", "€": "", "£": ""})


def _written_sums(sentence: str, sources: Sources) -> tuple[list[tuple[int, int]], list[Stated]]:
    """Sums that stand in the sentence itself ("12 × £1,150"), over stated figures and counts of periods."""
    spans, results = [], []
    for match in _SUM.finditer(sentence):
        numbers = quantities_in(match.group())
        whole = match.group().rstrip(".,)").count("(") == match.group().rstrip(".,").count(")")
        told = match.group().rstrip(".,") if whole else match.group().strip("().,")
        given = (*sources.stated, *sources.context)
        if not numbers or not all(n.value in CONSTANTS or any(agrees(n, f) for f in given) for n in numbers):
            continue
        try:
            value = evaluate(re.sub(r"(\d+(?:\.\d+)?)%", r"(\1/100)", told.translate(_OPERATORS)), {})
        except InvalidInput:
            continue
        spans.append(match.span())
        results.append(Stated(value, as_percent=(_ONE, _HUNDRED), worked_out=True))
    return spans, results


def _is_known_time(minutes: int, sources: Sources) -> bool:
    """Whether a time of day is told, or lies a stated length of time before or after one that is."""
    spans = [int(length.value * length.factor / 60) for length in sources.spans if length.dimension == "time"]
    reached = {(known + sign * span) % 1440 for known in sources.times for span in spans for sign in (1, -1)}
    return minutes in sources.times or minutes in reached


def _is_explained(sentence: str, number: Quantity, sources: Sources, days: Sequence[Day]) -> bool:
    return (
        any(agrees(number, figure) for figure in sources.results)
        or any(is_told(number, figure) for figure in sources.context)
        or _is_in_name(sentence, number, (*sources.around, *sources.told, *sources.headers, *sources.headings))
        or _is_count(sentence, number, sources)
        or _is_year_reached(number, sources)
        or _is_length_between(sentence, number, sources, days)
        or _is_one_of_a_ratio(sentence, number, sources)
    )


_MEASURED_BY = re.compile(r"\b(?:below|above|under|over|than|exceeds?|at\s+least|at\s+most|benchmark\s+of)\s+$", re.I)


def _is_one_of_a_ratio(sentence: str, number: Quantity, sources: Sources) -> bool:
    """Whether the number is the one that a worked-out ratio is measured by: "0.54, below 1.0"."""
    is_ratio = any(not figure.value.is_zero() and abs(figure.value) < _HUNDRED for figure in sources.results)
    return number.value == 1 and not number.noun and is_ratio and bool(_MEASURED_BY.search(sentence[: number.start]))


# Names, references, list marks, telephone numbers

_NAME_WORDS = """
type level phase stage class grade category form version model room unit building floor gate platform flight route
highway lot zone tier no number step part day week month year severity priority group arm cohort block visit schedule
volume edition release article bus line suite box hall tower terminal
"""
_NAME_NOUNS = frozenset(_NAME_WORDS.split())
_WORD_BEFORE = re.compile(r"([^\W\d_][^\W\d_.&'’]*)[ \-‐–]$")
_WORD_AFTER = re.compile(r"[ \-‐–]([^\W\d_][\w&'’]*)")
_TOKEN_BEFORE, _TOKEN_AFTER = re.compile(r"[\w./:‐–-]*$"), re.compile(r"[\w./:‐–-]*")


def _is_in_name(sentence: str, number: Quantity, texts: Sequence[str]) -> bool:
    """Whether the digits belong to a name that one of the texts gives: ISO 9001, B-12, Boeing 737, 7 Harbour Street."""
    return any(_holds_name(text, name) for name in _names_with(sentence, number) for text in texts)


def _names_with(sentence: str, number: Quantity) -> Iterator[tuple[str, ...]]:
    """Words with the number that may be a name, as parts that a blank or a hyphen may join."""
    before, after = _TOKEN_BEFORE.search(sentence[: number.start]), _TOKEN_AFTER.match(sentence, number.end)
    head, tail = before.group() if before else "", (after.group() if after else "").rstrip(".:-")
    token = f"{head}{number.text.strip('()')}{tail}"
    parts = tuple(part for part in re.split(r"[‐–-]", token) if part)
    if not any(character.isdigit() for character in token):
        return
    if any(character.isalpha() for character in token):
        yield parts
    left = _WORD_BEFORE.search(sentence[: number.start - len(head)])
    if left and (left[1][0].isupper() or left[1].lower() in _NAME_NOUNS) and left[1] not in _OPENERS:
        yield (left[1], *parts)
    right = _WORD_AFTER.match(sentence, number.end + len(tail))
    if right and right[1][0].isupper():
        yield (*parts, right[1])


_OPENING_WORDS = """
The A An In On At By For From To Of And Or But Yes No It This These Those If After Before
"""
_OPENERS = frozenset(_OPENING_WORDS.split())


def _holds_name(text: str, parts: Sequence[str]) -> bool:
    joined = r"[ \-‐–]?".join(re.escape(part) for part in parts)
    return bool(re.search(rf"(?<![\w.,]){joined}(?!\w|[.,]\d)", text, re.IGNORECASE))


_REFERENCE = re.compile(
    r"(?P<word>\b(?:pages?|pp?\.|sections?|sec\.|items?|clauses?|articles?|art\.|notes?|tables?|figures?|fig\."
    r"|exhibits?|appendix|appendices|annex(?:es)?|schedules?|chapters?|paragraphs?|paras?\.?|footnotes?|nodes?)|§{1,2})"
    r"\s*(?:no\.?\s*|number\s*)?[(\[]?(?P<first>\d+(?:\.\d+)*)[A-Za-z]?\b[)\]]?"
    r"(?P<more>(?:(?:\s*,\s*|\s*(?:,\s*)?(?:and|or|to|&)\s*|\s*[-–]\s*)\d+(?:\.\d+)*"
    r"(?!\s*(?:%|(?!and\b|or\b|of\b|to\b|in\b|on\b)[A-Za-z]))(?![\d,]))*)",
    re.IGNORECASE,
)
_OWN_NUMBER = re.compile(r"^\s*(?:[A-Za-z]+\s+)?(\d+(?:\.\d+)*)\.?\s")


def _references(sentence: str, sources: Sources) -> Iterator[tuple[int, int]]:
    """Page, clause, table and other references; not those that the text around the quotes speaks against."""
    matches = list(_REFERENCE.finditer(sentence))
    texts = (*sources.around, *sources.told, *sources.headings) if matches else ()
    given = {(_kind_of(other), other["first"]) for text in texts for other in _REFERENCE.finditer(text)}
    for match in matches:
        if _is_possible(match, sources, given):
            yield match.span()


def _is_possible(match: re.Match[str], sources: Sources, given: Set[tuple[str, str]]) -> bool:
    """A page needs no proof. Any other number must not differ from those the same texts give to such parts."""
    word = _kind_of(match)
    if word.startswith("p") and not word.startswith("para"):
        return True
    others = {first for kind, first in given if kind == word}
    if word in ("clau", "sect", "arti", "para", "§", "§§", "sec", "art"):
        others |= {own[1] for text in sources.around if (own := _OWN_NUMBER.match(text))}
    return not others or any(_is_same_part(match["first"], other) for other in others)


def _is_same_part(number: str, other: str) -> bool:
    """4.2 is a part of 4 and 4 the whole of 4.2."""
    return number == other or number.startswith(f"{other}.") or other.startswith(f"{number}.")


def _kind_of(reference: re.Match[str]) -> str:
    return reference["word"].lower().rstrip("s.")[:4]


_MARK = re.compile(r"(?:^|(?<=[\s:;,]))\(?(\d{1,2})[.)](?=\s)")


def _list_marks(sentence: str) -> list[tuple[int, int]]:
    """(1) ... (2) ... (3): marks that count from 1 without a gap, two at least."""
    marks = list(_MARK.finditer(sentence))
    in_order = [int(mark[1]) for mark in marks] == list(range(1, len(marks) + 1))
    return [mark.span() for mark in marks] if in_order and len(marks) > 1 else []


_RUN = re.compile(r"(?<![\w.,])\+?\(?\d[\d()\-./]*(?: [\d()\-./]+)*")


def _digit_runs(sentence: str, sources: Sources) -> Iterator[tuple[int, int]]:
    """Telephone, account and other long numbers that a quote gives in other groups of digits."""
    given = {digits for text in sources.quotes for digits, _ in _runs(text)}
    yield from (span for digits, span in _runs(sentence) if digits in given)


def _runs(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in _RUN.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) >= 7:
            yield digits, match.span()


# Counts

MOST_ITEMS = 500
"""Rows or items that are counted at most."""

_RATE = re.compile(r"\s*(?:per|a|an|each|every)\b", re.IGNORECASE)
_LIST = re.compile(r"[^,;:.()]{1,80}(?:,[^,;:.()]{1,80}){1,40}?,?\s(?:and|or)\s[^,;:.()]{1,80}", re.IGNORECASE)
_LONGEST_LIST = 2000
"""Characters of a text whose lists are counted."""


def _is_stated_as_told(number: Quantity, sources: Sources) -> bool:
    """Whether a quote states the number in words; a cell of another column may equal a count of rows by chance."""
    stated = [figure for figure in sources.stated if agrees(number, figure)]
    return int(number.value) not in sources.counts or any(figure.cell is None for figure in stated)


def _is_count(sentence: str, number: Quantity, sources: Sources) -> bool:
    """Whether the number counts what is quoted or listed: "nine ports" over nine rows."""
    value = number.value
    if number.unit or number.is_part or number.is_ordinal or number.step or value != value.to_integral_value():
        return False
    if any(f.written and f.written.noun == number.noun != "" and f.value != value for f in sources.stated):
        return False
    named = bool(number.noun) or sentence[number.end :].startswith(" of ")
    if not named or _RATE.match(sentence, number.end) or not 2 <= value <= MOST_ITEMS:
        return False
    years = len(set(YEAR.findall(sentence)))
    counts = sources.counts | sources.known_counts
    return int(value) in counts or int(value) in items_in(sentence) or (years > 2 and value == years)


_OPENING_COUNT = re.compile(r"\s*(?:[A-Z]\w*:\s*)?\d{1,3}\s+[^\W\d][^:;]{2,80}:")
"""A sentence that counts what it lists behind a colon: "2 sites are open on Sunday: Leeds; York"."""


@lru_cache(maxsize=1 << 6)
def items_in(text: str) -> frozenset[int]:
    """How many items the lists of a text have: after a colon parted by semicolons, or "A, B and C".

    It is asked again for each number of the text.
    """
    found = set()
    for part in re.split(r"(?<=[.!?])\s", text[:_LONGEST_LIST]):
        _, colon, listed = part.partition(":")
        if colon and (listed.count(";") > 1 or _OPENING_COUNT.match(part)):
            found.add(listed.count(";") + 1)
        for match in _LIST.finditer(listed if colon else part):
            last = re.search(r"(,?)\s(?:and|or)\s[^,]*$", match.group(), re.IGNORECASE)
            commas = match.group().count(",")
            found.add(commas + 1 if last and last[1] else commas + 2)
    return frozenset(found)


_HOLDER = r"(?:table|list|register|schedule|inventory|overview|log|roster|index|matrix|catalogue)"
_HOLDS = (
    r"(?:has|have|lists?|contains?|shows?|holds?|comprises?|includes?|names?|gives?|records?|consists? of|sets? out)"
)
_ALTOGETHER = r"(?:(?:a total of|in total|altogether|exactly)\s+)?"
_BEFORE_COUNT = re.compile(rf"\b{_HOLDER}\b[^.;:]*\s{_HOLDS}\s+{_ALTOGETHER}$", re.IGNORECASE)
_THERE_ARE = re.compile(r"^\W*(?:there (?:are|is)\s+)?(?:(?:a total of|altogether|exactly|all)\s+)?$", re.IGNORECASE)
_BESIDE = (
    r"(?:,?\s+(?:in (?:total|all)|altogether|(?:and|plus|below|under|without|excluding|not counting|besides|apart from)"
    r"\s+(?:the|its|a|one)\s+(?:column )?(?:header|heading|total|sum|title)s?(?:\s+(?:rows?|lines?))?))*\W*$"
)
_AFTER_COUNT = re.compile(rf"^\s+(?P<noun>[^\W\d][\w '’/-]{{2,40}}?){_BESIDE}", re.IGNORECASE)
_IN_THE_TABLE = re.compile(
    r"^\s+(?P<noun>[^\W\d][\w '’/-]{2,40}?)\s+(?:(?:are|is)\s+)?(?:(?:listed|shown|given|named|recorded|set out)\s+)?"
    rf"(?:in|on)\s+(?:the|this|that|its)\s[^.;:]{{0,60}}?\b{_HOLDER}\b(?:\s+\d{{1,3}}|\s+of(?:\s\w+){{1,4}}?)?{_BESIDE}",
    re.IGNORECASE,
)
_ROWS = re.compile(r"(?:data |body )?(?:rows?|entry|entries|lines?|records?|items?)", re.IGNORECASE)
_TOTAL_ROW = re.compile(r"^\W*(?:(?:sub|grand\s+)?-?totals?|sum)\b|\btotals?\W*$", re.IGNORECASE)


def find_table_count(sentence: str, table: TableView) -> tuple[int, frozenset[int]] | None:
    """How many rows, or things of its first column, a sentence says a whole table has; and how many it may have.

    None for a sentence that counts something else, such as the rows of which something holds.
    """
    for number in quantities_in(sentence):
        before, after = sentence[: number.start], sentence[number.end :]
        found = _AFTER_COUNT.match(after) if _BEFORE_COUNT.search(before) else None
        found = found or (_IN_THE_TABLE.match(after) if _THERE_ARE.match(before) else None)
        if found is None or number.unit or number.is_part or number.value != number.value.to_integral_value():
            continue
        rows = [row for part in table.parts for row in part.table.body]
        entries = [row for row in rows if any(cell.text.strip() for cell in row.cells[1:]) or len(row.cells) == 1]
        plain = [row for row in entries if not _TOTAL_ROW.search(row.label)]
        if _ROWS.fullmatch(found["noun"]):
            return int(number.value), frozenset({len(rows), len(entries), len(plain)})
        if _names_rows(found["noun"], table):
            return int(number.value), frozenset({len(plain), len({row.label for row in plain})})
    return None


def _names_rows(noun: str, table: TableView) -> bool:
    """Whether every word of a noun stands over the first column or in what the table is called."""
    columns = table.table.columns[0].path if table.table.columns else ()
    return bool(analyse(noun)) and set(analyse(noun)) <= set(analyse(" ".join((*columns, table.name))))


# Dates

_BOUNDARY = re.compile(
    r"\b(?:end(?:s|ed|ing)?|expir\w+|last\w*|until|till|through|terms?|runs?|begin\w*|began|start\w*|commenc\w+|lapse\w*)\b",
    re.IGNORECASE,
)
MOST_DATES = 12
"""Dates and lengths of time that are counted with at most."""


def _explain_dates(sentence: str, sources: Sources) -> tuple[list[Day], list[Loose]]:
    """The days of the sentence that the sources give or that follow from them, and the other dates."""
    known = [day for mention in sources.dates for day in mention.readings]
    own = [length for length in quantities_in(sentence) if length.dimension in _LENGTHS]
    lengths = [*sources.spans, *(length for length in own if any(agrees(length, f) for f in sources.stated))]
    explained, open_ = list(known[:MOST_DATES]), dates_in(sentence)
    for step in ("told", "reached", "reached"):
        left = []
        for mention in open_:
            day = _told_day(mention, known, sources.years) if step == "told" else None
            if step == "reached":
                day = _reached_day(mention, explained, lengths[:MOST_DATES], bool(_BOUNDARY.search(sentence)))
            if day is None:
                left.append(mention)
            else:
                explained.append(day)
        open_ = left
    return explained, [Loose(one.start, one.end, one.text, mention=one) for one in open_]


def _told_day(mention: DateMention, known: Sequence[Day], years: frozenset[int]) -> Day | None:
    for day in mention.readings:
        for other in known:
            full = replace(other, year=day.year) if not other.year and day.year in years else other
            if day.is_told_by(full):
                return full if full.date is not None else day
    return None


def _reached_day(mention: DateMention, days: Sequence[Day], lengths: Sequence[Quantity], is_bound: bool) -> Day | None:
    """The day when it lies a stated length of time after or before a known one.

    The last day of five years from 1 March is 28 February: where the sentence speaks of a
    beginning or an end, a length in months may stop a day earlier.
    """
    for start in days:
        for length in lengths:
            for day in _days_reached(start, length, is_bound=is_bound):
                if any(reading.is_told_by(day) for reading in mention.readings):
                    return day
    return None


def _days_reached(start: Day, length: Quantity, *, is_bound: bool) -> Iterator[Day]:
    unit, factor = _CALENDAR.get(length.unit, ("", 0))
    count = abs(length.value) * factor
    if not unit or count != count.to_integral_value() or count > 40_000:
        return
    for sign in (1, -1):
        day = shift_day(start, sign * int(count), unit)
        if day is None:
            continue
        yield day
        beside = shift_day(day, -sign, "day") if is_bound and unit == "month" else None
        if beside is not None:
            yield beside


_CALENDAR = {
    "day": ("day", 1),
    "week": ("week", 1),
    "fortnight": ("week", 2),
    "working day": ("working day", 1),
    "month": ("month", 1),
    "quarter": ("month", 3),
    "year": ("month", 12),
    "decade": ("month", 120),
}


def _is_year_reached(number: Quantity, sources: Sources) -> bool:
    """A year that lies a stated number of years after or before one that is named."""
    digits = number.text.strip("() ")
    if not YEAR.fullmatch(digits) or number.unit:
        return False
    year = int(digits)
    spans = [abs(length.value) * length.factor / 12 for length in sources.spans if length.dimension == "months"]
    return year in sources.years or any(abs(year - known) == span for known in sources.years for span in spans)


def _is_length_between(sentence: str, number: Quantity, sources: Sources, days: Sequence[Day]) -> bool:
    """Whether a length of time is the one between two dates, years or times of day that sources or question name."""
    if number.dimension == "time" and number.unit in ("minute", "hour"):
        times = sorted(sources.times)[:MOST_DATES]
        apart = {last - first for place, first in enumerate(times) for last in times[place + 1 :]}
        length = number.value * number.factor / 60
        # "2 hours 35 minutes" are told as two numbers.
        rests = {left % 60 for left in apart if left > 60} if number.unit == "minute" else set[int]()
        wholes = {left // 60 * 60 for left in apart} if number.unit == "hour" else set[int]()
        return length in apart | rests | wholes
    if number.dimension not in _LENGTHS and not re.search(r"\b(?:aged?|old)\b", sentence):
        return False
    if number.unit and number.unit not in _CALENDAR:
        return False
    known = list(dict.fromkeys(day for day in days if day.year))[:MOST_DATES]
    known += [Day(year, 0, 0) for year in sorted(sources.years) if all(day.year != year for day in known)][:MOST_DATES]
    pairs = ((one, other) for place, one in enumerate(known) for other in known[place + 1 :])
    return any(_is_length(sentence, number, one, other) for one, other in pairs)


def _is_length(sentence: str, number: Quantity, one: Day, other: Day) -> bool:
    unit, factor = _CALENDAR.get(number.unit or "year", ("", 1))
    count = abs(number.value) * factor
    first, second = one.date, other.date
    if unit == "month" and (first is None or second is None):
        exact = abs((one.year - other.year) * 12 + (one.month - other.month if one.month and other.month else 0))
        return count == exact
    if first is None or second is None or unit == "working day":
        return False
    if unit == "month":
        return _is_months(sentence, number, count, first, second)
    length = Decimal(abs((second - first).days)) / (7 if unit == "week" else 1)
    return count == length or (bool(number.hedge) and is_rounded(number, count, length))


def _is_months(sentence: str, number: Quantity, count: Decimal, first: date, second: date) -> bool:
    """Whole months between two days, or years: full ones for an age, rounded where the words say so."""
    months, left = months_between(first, second)
    exact = {months} if left < 4 or factor_of(number) == 1 else set()
    if left > 26:
        exact.add(months + 1)
    if count in exact:
        return True
    length = Decimal(months) + Decimal(left) / 30
    if re.search(r"\b(?:aged?|old|full|whole|complete\w*)\b", sentence):
        return count == months // factor_of(number) * factor_of(number)
    apart, room = count - length, factor_of(number)
    if number.hedge == "over":
        return -room < apart <= 0
    return (number.hedge == "under" and 0 <= apart < room) or (number.hedge == "about" and abs(apart) * 2 <= room)


def factor_of(number: Quantity) -> int:
    """Months in one of the number's unit."""
    return _CALENDAR.get(number.unit or "year", ("", 12))[1]
