"""Reads typed fields from file name, title and first pages: names, years, quarters, kinds of document, dates."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from vectorless_web.engine.documents.card import TypedFields
from vectorless_web.engine.parsing.cards.names import find_entities
from vectorless_web.engine.parsing.terms import any_of, words_of
from vectorless_web.engine.text.dates import dates_in

_YEAR = re.compile(r"(?<![\d.,$#/-])((?:19|20)\d\d)(?![\d,]|[.-]\d)")
_FISCAL_YEAR = re.compile(r"\b(?:fiscal\s+(?:year\s+)?|FY\s?)((?:19|20)?\d\d)\b", re.I)
_YEAR_ENDED = re.compile(rf"\b{any_of('period')}\s+ended:?\s+\w+\s+\d{{1,2}}\s*,?\s*((?:19|20)\d\d)", re.I)
_ORDINALS = words_of("quarter_ordinal")
_QUARTER = re.compile(rf"\bQ([1-4])\b|(?<=\d{{4}})Q([1-4])|\b({any_of('quarter_ordinal')})[\s-]quarter", re.I)
_QUARTERLY = re.compile(any_of("quarterly"), re.I)
_FORM = re.compile(
    r"(?<![\w-])(?:form\s+)?(10-?[KQ]|8-?K|20-?F|40-?F|6-?K|S-[1-8]|DEF\s?14A|11-?K)(?:/A)?(?![\w-])", re.I
)
_COVER_LINE = 60
"""Characters of a line of a cover that may name the form of a filing; prose and rows of tables mention others."""
_NAME_NOISE = re.compile(rf"\b(?:{any_of('name_noise')}|v\d+|fy\d*|q[1-4])\b", re.IGNORECASE)
_FIRST = 6_000
"""Characters of the first pages in which quarters and kinds of document are looked for, and half of those for years and
dates: further back others are mentioned."""


def typed_fields(*, name: str, title: str, texts: Sequence[str]) -> TypedFields:
    """Fields of a document; `texts` are its first pages."""
    head = "\n".join(texts)[: _FIRST * 2]
    stem = split_name(name)
    years = _years(stem, title, head)
    cover = "\n".join(line for line in "".join(texts[:1])[:_FIRST].splitlines() if len(line) <= _COVER_LINE)
    return TypedFields(
        entities=_entities(stem, title, head),
        years=years,
        quarters=_quarters(stem, title, head[:_FIRST]),
        forms=_forms(stem, title, cover, head[: _FIRST // 2]),
        dates=_dates(stem, head, [] if _YEAR.search(f"{stem} {title}") else years[:1]),
    )


def split_name(name: str) -> str:
    """A file name as words: "BlueBarn_FY2018Q2_10K.pdf" gives "Blue Barn FY 2018 Q2 10K"."""
    stem = PurePath(name).stem
    stem = re.sub(r"[_+]+|(?<!\d)-(?!\d)|(?<=\D)-(?=\d{4})", " ", stem)
    stem = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=FY)(?=\d)|(?<=(?:19|20)\d\d)(?=Q[1-4])", " ", stem)
    return " ".join(stem.split())


def _take_first(found: Sequence[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in found if value))[:limit]


def _entities(stem: str, title: str, head: str) -> tuple[str, ...]:
    without_years = re.sub(r"\b(?:19|20)\d\d(?:Q[1-4])?\b(?:-\d\d){0,2}|-\d\d\b", " ", stem)
    return find_entities(name_words=" ".join(_NAME_NOISE.sub(" ", without_years).split()), title=title, head=head)


def _years(stem: str, title: str, head: str) -> tuple[int, ...]:
    named = [int(year) for year in _YEAR.findall(stem + " " + title)]
    fiscal = [_full_year(year) for year in _FISCAL_YEAR.findall(f"{stem} {title} {head}")]
    ended = [int(year) for year in _YEAR_ENDED.findall(head)]
    common = [year for year, count in Counter(int(y) for y in _YEAR.findall(head)).most_common(2) if count > 1]
    return tuple(dict.fromkeys([*named, *ended[:2], *(fiscal[:2]), *([] if named or ended else common)]))[:4]


def _full_year(year: str) -> int:
    return int(year) if len(year) == 4 else 2000 + int(year)


def _quarters(stem: str, title: str, head: str) -> tuple[str, ...]:
    found = []
    told = head[:2000] if _QUARTERLY.search(head[:2000]) else ""
    for source in (stem, title, told):
        for match in _QUARTER.finditer(source):
            number = match[1] or match[2] or str(_ORDINALS.index(match[3].casefold()) + 1)
            found.append(f"Q{number}")
        if found:
            break
    return _take_first(found, 2)


def _forms(stem: str, title: str, cover: str, head: str) -> tuple[str, ...]:
    coded = [_form_code(match[1]) for source in (stem, title, cover) for match in _FORM.finditer(source)]
    words = f"{stem}\n{title}\n{head}".casefold()
    named = f"{stem} {title}".casefold()
    kinds = [kind for kind in words_of("document_kind") if re.search(rf"\b{kind}\b", words if " " in kind else named)]
    if re.search(r"\bearnings\b", f"{stem} {title}", re.IGNORECASE):
        kinds.insert(0, "earnings release")
    return _take_first([*coded[:2], *kinds[:3]], 4)


def _form_code(code: str) -> str:
    code = code.upper().replace(" ", "")
    return re.sub(r"^(\d{1,2})-?([KQF])$", r"\1-\2", code)


def _dates(stem: str, head: str, own: Sequence[int]) -> tuple[str, ...]:
    """Whole dates that can be read in one way, as ISO; one of the `own` year goes before what is mentioned.

    Dates of before 1900 are those of people and events, and no document's.
    """
    told = [mention.readings[0] for mention in dates_in(f"{stem}\n{head}") if len(mention.readings) == 1]
    told = [*[day for day in told if day.year in own][:1], *told]
    return _take_first(
        [f"{day.year}-{day.month:02d}-{day.day:02d}" for day in told if (day.year or 0) >= 1900 and day.day], 6
    )
