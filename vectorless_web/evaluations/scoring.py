"""Scores an answer against what was expected of it; knows neither the database nor the network.

Benchmarks and the pages of a workspace score with this same code, so that their figures mean the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import dates_in
from vectorless_web.engine.text.numbers import Number, numbers_in

TOLERANCE = Decimal("0.005")
"""Share of the expected number by which an answer may differ: what rounding to three digits changes."""
WORDS_NEEDED = 2 / 3
"""Share of the expected text's words that an answer must hold where nothing else is expected of it."""
CITATIONS_LOOKED_AT = 5
"""Citations, in reading order, that are looked at for the expected page: what a reader checks."""
SHARED_RUN = 6
"""Words in a row, function words aside, that a quote shares with the expected one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page of a document, index from 0, and what is quoted of it. Documents go by any names that both sides share."""

    document: str
    page_index: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a question's answer must be; what is empty is not scored.

    Each of `mentions` must be said, in one of its wordings parted by "|". `is_absent` expects that the documents do not
    answer the question.
    """

    text: str = ""
    value: str = ""
    mentions: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    is_absent: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was given. `is_answer` is false for closest passages and for "not found"; `cited` best first."""

    is_answer: bool
    text: str = ""
    value: str = ""
    verdict: str = ""
    cited: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """How an answer fares; None for what was not expected or cannot be said.

    `right` is whether it says what was expected, or says nothing where that was expected. `page_right` is whether one
    of the first citations is on an expected page; `precision` the share of citations that are, `recall` the share of
    expected pages that are cited.
    """

    right: bool
    value_right: bool | None = None
    words_right: bool | None = None
    page_right: bool | None = None
    precision: float | None = None
    recall: float | None = None


def score_answer(given: Given, expected: Expectation) -> Score:
    """Score one answer. A question that was not answered is wrong, unless the documents do not answer it."""
    if expected.is_absent:
        return Score(right=not given.is_answer)
    value = _has_value(given, expected.value) if expected.value else None
    words = _has_words(given.text, expected) if expected.mentions or (expected.text and not expected.value) else None
    wanted = [said for said in (value, words) if said is not None]
    page, precision, recall = _score_places(given.cited, expected.places)
    if not given.is_answer:
        value, words = (False if said is not None else None for said in (value, words))
    # Where only pages are expected, an answer from one of them is right.
    right = given.is_answer and (all(wanted) if wanted else page is not False)
    return Score(right, value, words, page, precision, recall)


def _has_value(given: Given, expected: str) -> bool:
    """Whether the answer's value, else a number or date of its first sentence, is the expected one."""
    said = given.value or given.text.partition(". ")[0]
    numbers = numbers_in(expected)
    dates = dates_in(expected)
    if dates and not given.value:
        said = given.text
    if dates:
        days = [day for mention in dates_in(said) for day in mention.readings]
        return any(day in days for day in dates[0].readings)
    if numbers:
        return any(_is_same(number, numbers[0]) for number in numbers_in(said))
    return _holds(set(analyse(given.text)) | set(analyse(given.value)), expected)


def _is_same(said: Number, expected: Number) -> bool:
    same_kind = said.percent == expected.percent
    same_money = not (said.currency and expected.currency) or said.currency == expected.currency
    return same_kind and same_money and abs(said.value - expected.value) <= TOLERANCE * abs(expected.value)


def _has_words(text: str, expected: Expectation) -> bool:
    said = set(analyse(text))
    if expected.mentions:
        return all(any(_holds(said, wording) for wording in mention.split("|")) for mention in expected.mentions)
    wanted = set(analyse(expected.text))
    return bool(wanted) and len(wanted & said) >= WORDS_NEEDED * len(wanted)


def _holds(said: set[str], wording: str) -> bool:
    terms = set(analyse(wording))
    return bool(terms) and terms <= said


def _score_places(cited: Sequence[Place], expected: Sequence[Place]) -> tuple[bool | None, float | None, float | None]:
    if not expected:
        return None, None, None
    hits = [[_is_at(place, wanted) for wanted in expected] for place in cited]
    found = sum(any(row) for row in hits)
    reached = sum(any(row[at] for row in hits) for at in range(len(expected)))
    page = any(any(row) for row in hits[:CITATIONS_LOOKED_AT])
    return page, found / len(cited) if cited else None, reached / len(expected)


def _is_at(place: Place, wanted: Place) -> bool:
    if wanted.document and place.document != wanted.document:
        return False
    if wanted.page_index >= 0 and place.page_index == wanted.page_index:
        return True
    return bool(wanted.quote) and _share_run(analyse(place.quote), analyse(wanted.quote))


def _share_run(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether two quotes have SHARED_RUN words in a row in common, of a shorter one all."""
    length = min(SHARED_RUN, len(said), len(wanted))
    runs = ({tuple(terms[at : at + length]) for at in range(len(terms) - length + 1)} for terms in (said, wanted))
    return length > 0 and not set.isdisjoint(*runs)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some answers were right."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """Right of all, 0 to 1; 0 of none."""
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between two evaluations of the same questions: ids of those fixed and broken, and how likely such a
    difference comes about by chance."""

    fixed: tuple[int, ...]
    broken: tuple[int, ...]
    same: int
    chance: float

    @property
    def is_telling(self) -> bool:
        """Whether chance alone would bring so uneven a change less than one time in twenty."""
        return self.chance < 0.05


def compare_results(before: Iterable[tuple[int, bool]], after: Iterable[tuple[int, bool]]) -> Change:
    """Compare two evaluations by question; those asked in only one of them are passed over.

    `chance` is the two-sided exact McNemar test (McNemar, Psychometrika 12, 1947): of n questions that changed, how
    likely a fair coin splits them at least so unevenly.
    """
    old, new = dict(before), dict(after)
    both = [key for key in new if key in old]
    fixed = tuple(key for key in both if new[key] and not old[key])
    broken = tuple(key for key in both if old[key] and not new[key])
    changed, fewer = len(fixed) + len(broken), min(len(fixed), len(broken))
    # Each binomial coefficient from the one before: of thousands that changed, each by itself takes half a second.
    ways, coefficient = 0, 1
    for k in range(fewer + 1):
        ways += coefficient
        coefficient = coefficient * (changed - k) // (k + 1)
    return Change(fixed, broken, len(both) - changed, min(1.0, 2 * ways / 2**changed) if changed else 1.0)
