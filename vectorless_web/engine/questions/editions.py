"""Kinds of documents and editions of a series: the words that name them, and what a question wants of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import pairwise

from vectorless_web.engine.questions.lexicon import PhraseIndex, read_pack
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.text.analyser import words
from vectorless_web.engine.text.dates import Day, dates_in

_BETWEEN = 3
"""Words that may stand between a word of recency and the kind of document ("the previous staff travel policy")."""
_LONGEST = 4
"""Words of the longest phrase of the data file."""


class Recency(StrEnum):
    """Which edition of a series a question wants."""

    LATEST = "latest"
    PREVIOUS = "previous"
    OLDEST = "oldest"
    NAMED = "named"
    AS_OF = "as of"
    BETWEEN = "between"


class ReportingSpan(StrEnum):
    """What stretch of time a kind of document reports on."""

    YEAR = "year"
    QUARTER = "quarter"
    EVENT = "event"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class WantedEdition:
    """The edition that a question asks for; `first` and `last` are days (yyyymmdd) for AS_OF and BETWEEN, `version`
    (100 x major + minor) is that of NAMED. `said` are the words of the question that say so, `family` the kind of
    document they are said of, where it is a known one."""

    recency: Recency
    first: int = 0
    last: int = 0
    version: int = 0
    said: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document that a question may name. A `common` one is also a word of what documents say."""

    name: str
    phrases: tuple[str, ...]
    common: bool = False


@dataclass(frozen=True, slots=True)
class EditionWords:
    """The data file, each phrase as a tuple of its words in small letters; those of `named` and `steering` as text."""

    named: tuple[DocumentKind, ...]
    steering: tuple[str, ...]

    wanted: Mapping[tuple[str, ...], Recency]
    now: frozenset[tuple[str, ...]]
    before: frozenset[str]
    behind: frozenset[tuple[str, ...]]
    periods: Mapping[tuple[str, ...], str]
    marks: Mapping[str, frozenset[tuple[str, ...]]]
    ordinals: tuple[str, ...]
    legal: frozenset[str]
    linking: frozenset[str]
    title_kinds: frozenset[str]
    families: Mapping[str, str]
    """The family of a kind by its glued name: "10k" and "annualreport" are both "annual report"."""
    spans: Mapping[ReportingSpan, tuple[str, ...]]
    kinds: frozenset[tuple[str, ...]] = field(default_factory=frozenset)


@cache
def edition_words() -> EditionWords:
    """The words of packs/documents.toml."""
    data = read_pack("documents")
    spans: dict[ReportingSpan, tuple[str, ...]] = {}
    for kind in data["kind"]:
        if "span" in kind:
            span = ReportingSpan(kind["span"])
            spans[span] = (*spans.get(span, ()), kind["family"])
    families = {
        word: kind["family"]
        for kind in data["kind"]
        if "family" in kind
        for word in (*kind["phrases"], *kind.get("more", ()))
    }
    wanted = {said: Recency(name) for name in ("latest", "previous", "oldest") for said in data["wanted"][name]}
    return EditionWords(
        named=tuple(
            DocumentKind(kind["name"], tuple(kind["phrases"]), kind.get("common", False)) for kind in data["kind"]
        ),
        steering=(*wanted, *data["wanted"]["steering"]),
        wanted={split_phrase(said): recency for said, recency in wanted.items()},
        now=frozenset(map(split_phrase, data["wanted"]["now"])),
        before=frozenset(data["wanted"]["before"]),
        behind=frozenset(map(split_phrase, data["wanted"]["behind"])),
        periods={split_phrase(said): family for said, family in data["periods"].items()},
        marks={name: frozenset(map(split_phrase, said)) for name, said in data["marks"].items() if name != "ordinals"},
        ordinals=tuple(data["marks"]["ordinals"]),
        legal=frozenset(data["names"]["legal"]),
        linking=frozenset(data["names"]["linking"]),
        title_kinds=frozenset(data["names"]["kinds"]),
        families={glue_kind(word): family for word, family in families.items()},
        spans=spans,
        kinds=frozenset(map(split_phrase, [*families, *data["kinds"]["words"]])),
    )


def split_phrase(text: str) -> tuple[str, ...]:
    """The words of a phrase in small letters, as every matching here compares them."""
    return tuple(word.text.casefold() for word in words(text))


def glue_kind(form: str) -> str:
    """The name of a kind of document in small letters without spaces and signs: "10-K" is "10k"."""
    return "".join(character for character in form.casefold() if character.isalnum())


def family_of(form: str) -> str:
    """The family of a kind of document ("10-K" and "annual report" are one), or its own name in small letters."""
    return edition_words().families.get(glue_kind(form), form.casefold().strip())


def is_kind(phrase: Sequence[str]) -> bool:
    """Whether words (in small letters) name a kind of document, in the singular or with an s."""
    return any(form in edition_words().kinds for form in _singular_forms(tuple(phrase)))


def _singular_forms(phrase: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    yield phrase
    last = phrase[-1] if phrase else ""
    if last.endswith("ies"):
        yield (*phrase[:-1], last[:-3] + "y")
    if last.endswith(("s", "'s", "’s")):
        yield (*phrase[:-1], last.rstrip("s").rstrip("'’"))


def read_wanted_edition(plan: QueryPlan) -> WantedEdition | None:
    """The edition that a question asks for; None when it asks for none.

    A word of recency counts where a kind of document follows within three words. A day named in the question asks for
    what held then, several days or years for all between them; a version is asked for by its word and number.
    """
    said = [word.text.casefold() for word in words(plan.question)]
    return _read_recency(said) or _read_version(said) or _read_days(plan) or _read_now(said)


def _read_recency(said: Sequence[str]) -> WantedEdition | None:
    known = edition_words()
    for start, length in _list_runs(said):
        recency = known.wanted.get(tuple(said[start : start + length]))
        # "Current report" is a kind itself.
        if recency is None or is_kind(said[start : start + length + 1]):
            continue
        kind = _find_kind(said, start + length, with_periods=recency is Recency.LATEST)
        if kind is None:
            continue
        after = said[start + length : start + length + _BETWEEN + _LONGEST]
        is_counted_back = any(tuple(after[at : at + size]) in known.behind for at, size in _list_runs(after))
        if recency is Recency.LATEST and (is_counted_back or known.before & set(said[max(0, start - 2) : start])):
            recency = Recency.PREVIOUS
        family = known.periods.get(kind) or known.families.get(glue_kind(" ".join(kind)), "")
        return WantedEdition(recency, said=" ".join([*said[start : start + length], *kind]), family=family)
    return None


def _list_runs(said: Sequence[str]) -> Iterable[tuple[int, int]]:
    for start in range(len(said)):
        yield from ((start, length) for length in range(min(_LONGEST, len(said) - start), 0, -1))


def _find_kind(said: Sequence[str], start: int, *, with_periods: bool) -> tuple[str, ...] | None:
    """The first kind of document (or period) that begins at most three words after `start`, the longest one there."""
    near = said[start : start + _BETWEEN + _LONGEST]
    for at, length in _list_runs(near):
        run = tuple(near[at : at + length])
        if at <= _BETWEEN and (is_kind(run) or (with_periods and run in edition_words().periods)):
            return run
    return None


def _read_now(said: Sequence[str]) -> WantedEdition | None:
    for start, length in _list_runs(said):
        if tuple(said[start : start + length]) in edition_words().now:
            return WantedEdition(Recency.LATEST, said=" ".join(said[start : start + length]))
    return None


def _read_version(said: Sequence[str]) -> WantedEdition | None:
    for word, number in pairwise(said):
        if (word,) in edition_words().marks["version"] and number.replace(".", "", 1).isdigit():
            return WantedEdition(Recency.NAMED, version=version_number(number), said=f"{word} {number}")
    return None


def version_number(text: str) -> int:
    """100 x major + minor of a version as written ("2.1" gives 201)."""
    major, _, minor = text.partition(".")
    return 100 * int(major) + int((minor or "0")[:2])


def _read_days(plan: QueryPlan) -> WantedEdition | None:
    """What held on the one day that is named, or between several days or years; a month is all its days."""
    found = [(day_number(mention.readings[0]), mention.text) for mention in dates_in(plan.question)]
    days = [(day, text) for day, text in found if day > _NO_YEAR]
    if len(days) == 1:
        return WantedEdition(Recency.AS_OF, last=_end_of_month(days[0][0]), said=days[0][1])
    if not days:
        years = sorted((period.year, period.text) for period in plan.periods if period.kind == "year")
        days = [
            (year * _NO_YEAR + month_day, text)
            for (year, text), month_day in zip(years[:1] + years[-1:], (101, 1231), strict=False)
        ]
        if len({year for year, _ in years}) < 2:
            return None
    first, last = min(days), max(days)
    return WantedEdition(Recency.BETWEEN, first[0], _end_of_month(last[0]), said=f"{first[1]} to {last[1]}")


def _end_of_month(day: int) -> int:
    return day if day % 100 else day + 31


_NO_YEAR = 10_000
"""A date as a number below this tells no year: it is yyyymmdd."""


def day_number(day: Day) -> int:
    """A date as yyyymmdd; what is not told is 0."""
    return day.year * 10_000 + day.month * 100 + day.day


Span = tuple[int, int]
_REACH = 3
"""Words between an edition word or a year and the kind of document it belongs to, at most: "the latest signed lease
agreement", "10-K for fiscal year 2022". Chosen by hand."""


@dataclass(frozen=True, slots=True)
class DocumentsAsked:
    """`forms` in the order named; `steering` spans of kinds, edition words and report years that only choose."""

    forms: tuple[str, ...] = ()
    steering: tuple[Span, ...] = ()


def find_documents_asked(text: str, periods: Sequence[Span]) -> DocumentsAsked:
    """The kinds named, and what steers to an edition of them; `periods` are where the text names periods.

    A kind that is a common word steers only beside an edition word, and an edition word or a period only beside a kind.
    """
    kinds = _named_kinds().find(text)
    editions = [(start, end) for start, end, _ in _edition_phrases().find(text)]
    forms = tuple(dict.fromkeys(kind.name for _, _, found in kinds for kind in found if kind.name))
    steering: list[Span] = []
    for start, end, found in kinds:
        near = [span for span in editions if span[1] <= start and _count_words(text, span[1], start) < _REACH]
        if near or not found[0].common:
            years = [span for span in periods if _is_beside(text, span, (start, end))]
            steering += [(start, end), *near, *years]
    return DocumentsAsked(forms, tuple(dict.fromkeys(steering)))


def _is_beside(text: str, one: Span, other: Span) -> bool:
    first, second = sorted((one, other))
    return _count_words(text, first[1], second[0]) < _REACH and not any(
        mark in text[first[1] : second[0]] for mark in ",;?"
    )


def _count_words(text: str, start: int, end: int) -> int:
    return len(words(text[start:end]))


@cache
def _named_kinds() -> PhraseIndex[DocumentKind]:
    return PhraseIndex((kind, phrase) for kind in edition_words().named for phrase in kind.phrases)


@cache
def _edition_phrases() -> PhraseIndex[str]:
    return PhraseIndex((word, word) for word in edition_words().steering)
