"""Series of documents (one title or issuer, other periods or versions): which one of its series a document is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.questions.asked import periods_in
from vectorless_web.engine.questions.editions import (
    Recency,
    WantedEdition,
    day_number,
    edition_words,
    split_phrase,
    version_number,
)
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.dates import MONTHS, DateMention, dates_in

_YEAR = re.compile(r"(?<![\d.,$#-])((?:19|20)\d\d)(?![\d,.-]\d|\d)")
_SEASON = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[-/–]\s?((?:19|20)?\d\d)(?![-/.\d])")
"""Two years in a row, such as 2022-23: the document holds from the first on."""
_MONTH = re.compile(r"(?<![\d.,/-])((?:19|20)\d\d)[-/.](0\d|1[0-2])(?![-/.\d])")
_DOTTED = re.compile(r"(?<![\d.,$€£])\d{1,3}\.\d{1,2}(?:\.\d{1,3})?(?![.,]?\d|\s?%)")
_NUMBER_OF_YEAR = re.compile(r"(?<!\d)\d{1,3}\s?/\s?(?:19|20)\d\d")
"""The number of one of a series within its year: "Circular 3/2020"."""
_HEAD, _HEAD_PAGES, _TOP = 20_000, 8, 800
"""Characters and pages at the beginning of a document by whose dates it is seen whether it writes the month first, and
characters in which its version and its date are looked for: further on other documents are mentioned. Chosen by reading
covers of policies, manuals, minutes and filings."""
_STAMP_LINES = 3
"""Lines at the top in which a document may say of itself that it is a draft or no longer in force."""
_YEAR_END = 1231


@dataclass(frozen=True, slots=True)
class Edition:
    """Which one of its series a document is.

    `day` is yyyymmdd, 0 when unknown; `version` 100 x major + minor, 0 when none is stated; `amendment` the number of
    an amendment, 0 for none.
    """

    day: int = 0
    version: int = 0
    amendment: int = 0
    is_withdrawn: bool = False
    is_draft: bool = False

    def encode(self) -> int:
        """The edition as one number that is kept in a snapshot."""
        flags = self.is_withdrawn | self.is_draft << 1
        return ((self.day << 16 | min(self.version, 0xFFFF)) << 8 | min(self.amendment, 0xFF)) << 2 | flags

    @classmethod
    def decode(cls, number: int) -> "Edition":
        """The edition of such a number."""
        body, flags = number >> 2, number & 3
        return cls(body >> 24, body >> 8 & 0xFFFF, body & 0xFF, bool(flags & 1), bool(flags & 2))

    def describe(self) -> str:
        """In words: "version 2.1", "12 March 2024", "2023"; "" when nothing is known."""
        parts = []
        if self.version:
            major, minor = divmod(self.version, 100)
            parts.append(f"version {major}.{minor}" if minor else f"version {major}")
        if self.day:
            parts.append(_describe_day(self.day))
        if self.amendment:
            parts.append("amended")
        return ", ".join(parts)


def _describe_day(day: int) -> str:
    year, rest = divmod(day, 10_000)
    month, number = divmod(rest, 100)
    if rest == _YEAR_END or not 1 <= month <= len(MONTHS):
        return str(year)
    named = MONTHS[month - 1].capitalize()
    return f"{number} {named} {year}" if number else f"{named} {year}"


def read_head(document: CompiledDocument) -> str:
    """The beginning of a compiled document, in which its edition is looked for."""
    return "\n".join(document.page_text(page) for page in range(min(_HEAD_PAGES, len(document.pages))))[:_HEAD]


def split_file_name(name: str) -> str:
    """A file name as words, without its ending: "BLUEBARN_2024Q2_10Q.pdf" gives "BLUEBARN 2024 Q2 10Q"."""
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", name)
    stem = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=(?:19|20)\d\d)(?=Q[1-4])|(?<=FY)(?=\d)", " ", stem)
    stem = re.sub(r"(?<=[A-Za-z])[-_+]?(?=(?:19|20)\d\d)|(?<=(?:19|20)\d\d)[-_+](?=[A-Za-z])", " ", stem)
    return re.sub(r"[_+]+", " ", stem)


def read_edition(*, title: str, name: str, card: Card, head: str) -> Edition:
    """The edition of a document, from its title, its file name, its typed fields and the beginning of its text."""
    named = f"{split_file_name(name)}\n{title}"
    return Edition(
        day=find_day(named) or _find_day_of_text(card, head),
        version=_find_version(named) or _find_version(head[:_TOP]) or _find_number(named),
        amendment=_find_amendment(named),
        is_withdrawn=_has_mark(named, "withdrawn") or _is_stamped(head, "withdrawn"),
        is_draft=_has_mark(named, "draft") or _is_stamped(head, "draft"),
    )


def _has_mark(text: str, mark: str) -> bool:
    found = split_phrase(text)
    return any(
        phrase == found[at : at + len(phrase)] for phrase in edition_words().marks[mark] for at in range(len(found))
    )


def _is_stamped(head: str, mark: str) -> bool:
    """Whether one of the first lines consists of the mark alone."""
    return any(split_phrase(line) in edition_words().marks[mark] for line in head.splitlines()[:_STAMP_LINES])


def _find_amendment(named: str) -> int:
    if not _has_mark(named, "amendment"):
        return 0
    words = edition_words().marks
    found = [word for word in split_phrase(named) if (word,) not in words["number"]]
    numbers = (after for word, after in pairwise(found) if (word,) in words["amendment"] and after.isdigit())
    return min(int(next(numbers, "1")), 0xFF)


def _first_day(text: str, whole: str = "") -> int:
    """The first date of a text that tells a year, as yyyymmdd; 02/09/2023 is read as the `whole` writes other dates."""
    mentions = dates_in(text)
    month_first = sum(map(_votes_for_month_first, dates_in(whole) if whole else mentions)) > 0
    days = (day_number(m.readings[-1] if month_first and m.text[0].isdigit() else m.readings[0]) for m in mentions)
    return next((day for day in days if day > 10_000), 0)


def _votes_for_month_first(mention: DateMention) -> int:
    """1 for a date that can only be read with its month first, -1 for one with its day first, 0 for another."""
    first = re.match(r"\d+", mention.text)
    if first is None:
        return 1
    if len(mention.readings) > 1 or len(first[0]) > 2:
        return 0
    return 1 if mention.readings[0].month == int(first[0]) != mention.readings[0].day else -1


def _find_day_of_text(card: Card, head: str) -> int:
    """The first day that the top of the text states, else that of the typed fields."""
    stated = _first_day(head[:_TOP], head)
    fields = card.fields
    own = fields.years[0] if fields.years else 0
    if stated and (not own or stated // 10_000 == own):
        return stated
    if own:
        dated = [int(each.replace("-", "")) for each in fields.dates if each.startswith(str(own))]
        quarter = int(fields.quarters[0][1]) if fields.quarters else 0
        return own * 10_000 + (_end_of(quarter) if quarter else dated[0] % 10_000 if dated else _YEAR_END)
    return int(fields.dates[0].replace("-", "")) if fields.dates else 0


def find_day(text: str) -> int:
    """The first quarter, date or year of a text as yyyymmdd; a year is its last day; 0 when there is none."""
    quarter = next((period for period in periods_in(text) if period.quarter), None)
    if quarter is not None:
        return quarter.year * 10_000 + _end_of(quarter.quarter or 0)
    season = _SEASON.search(text)
    if season and (int(season[2]) - int(season[1])) % 100 == 1:
        return int(season[1]) * 10_000 + _YEAR_END
    month = _MONTH.search(text)
    day = _first_day(text) or (int(month[1]) * 10_000 + int(month[2]) * 100 if month else 0)
    years = [int(year) for year in _YEAR.findall(text)]
    return day or (max(years) * 10_000 + _YEAR_END if years else 0)


def _end_of(quarter: int) -> int:
    return (_YEAR_END, 331, 630, 930, _YEAR_END)[quarter]


@cache
def _version_pattern() -> re.Pattern[str]:
    """A version by its word and number or letter ("rev. B", "v2.1"), or by its place ("third edition")."""
    known = edition_words()
    marks = _any_of(phrase[0] for phrase in known.marks["version"])
    ordinals = _any_of(known.ordinals)
    return re.compile(
        rf"\b(?:{marks})\.?[\s:#-]*(?P<number>\d{{1,3}}(?:\.\d{{1,3}})?)\b"
        rf"|\b(?:{marks})\.?[\s:-]+(?P<letter>[A-H])\b"
        rf"|\b(?P<ordinal>\d{{1,2}}(?:st|nd|rd|th)|{ordinals})\s+(?:{marks})\b",
        re.IGNORECASE,
    )


@cache
def _number_pattern() -> re.Pattern[str]:
    """A number that tells one of a series from the others in a title: "Bulletin No. 12"."""
    marks = _any_of(phrase[0] for phrase in edition_words().marks["number"] if phrase)
    return re.compile(rf"(?:\b(?:{marks})\.?|#)\s?(?P<number>\d{{1,4}})\b", re.IGNORECASE)


def _any_of(said: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(word) for word in said), key=len, reverse=True))


def _find_version(text: str) -> int:
    match = _version_pattern().search(text)
    if match is None:
        return 0
    if match["letter"]:
        return 100 * (ord(match["letter"].upper()) - ord("A") + 1)
    if match["ordinal"]:
        word, ordinals = match["ordinal"].casefold(), edition_words().ordinals
        return 100 * (ordinals.index(word) + 1 if word in ordinals else int(re.sub(r"\D", "", word)))
    return version_number(match["number"])


def _find_number(named: str) -> int:
    """The number in a title or file name, as a version; dates and numbers of an amendment are none."""
    plain = _remove_dates(named)
    match = None if _has_mark(named, "amendment") else _number_pattern().search(plain)
    dotted = _DOTTED.search(plain)
    return 100 * int(match["number"]) if match else version_number(dotted.group()) if dotted else 0


def _remove_dates(text: str) -> str:
    for mention in reversed(dates_in(text)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def series_core(text: str) -> str:
    """A title or file name without its period and version, analysed: "Travel Policy v3 (2024)" is "travel polici"."""
    plain = split_file_name(text)
    for period in periods_in(plain):
        plain = plain.replace(period.text, " ") if period.quarter else plain
    plain = _NUMBER_OF_YEAR.sub(" ", _SEASON.sub(" ", _remove_dates(plain)))
    for pattern in (_MONTH, _version_pattern(), _number_pattern(), _DOTTED, _YEAR):
        plain = pattern.sub(" ", plain)
    said = [*edition_words().wanted, *(phrase for phrases in edition_words().marks.values() for phrase in phrases)]
    noise = {word for phrase in said for word in phrase if word.isalpha() and len(word) > 1} | set(MONTHS)
    kept = [word for word in split_phrase(plain) if word not in noise]
    return " ".join(analyse(" ".join(kept)))


def order_editions(editions: Sequence[Edition]) -> list[int]:
    """Places of editions of one series, the oldest first; where all state a version it decides, else the day."""
    all_versions = all(edition.version for edition in editions)

    def key(place: int) -> tuple[int, int, int, int]:
        edition = editions[place]
        first, second = (edition.version, edition.day) if all_versions else (edition.day, edition.version)
        return first, second, edition.amendment, place

    return sorted(range(len(editions)), key=key)


def list_valid(editions: Sequence[Edition]) -> list[int]:
    """Places of editions that are in force, the oldest first: neither drafts nor withdrawn, where others are left."""
    order = order_editions(editions)
    return [place for place in order if not editions[place].is_withdrawn and not editions[place].is_draft] or order


def choose_editions(editions: Sequence[Edition], wanted: WantedEdition | None) -> list[int]:
    """Places of the editions that are wanted, the best first; without a wish the latest that is in force.

    Drafts and withdrawn editions count only where nothing else is left, or when every edition is asked for.
    """
    order, valid = order_editions(editions), list_valid(editions)
    match wanted.recency if wanted else Recency.LATEST:
        case Recency.PREVIOUS:
            return [place for place in order if place != valid[-1] and not editions[place].is_draft][-1:]
        case Recency.OLDEST:
            return order[:1]
        case Recency.NAMED if wanted:
            return [place for place in reversed(order) if editions[place].version == wanted.version]
        case Recency.AS_OF if wanted:
            then = [place for place in order if 0 < editions[place].day <= wanted.last and not editions[place].is_draft]
            return _with_base(then, editions)
        case Recency.BETWEEN if wanted:
            return [place for place in reversed(order) if wanted.first <= editions[place].day <= wanted.last]
    return _with_base(valid, editions)


def _with_base(order: Sequence[int], editions: Sequence[Edition]) -> list[int]:
    """The last edition; an amendment with what it amends, since the rest of that still holds."""
    chosen: list[int] = []
    for place in reversed(order):
        chosen.append(place)
        if not editions[place].amendment:
            break
    return chosen
