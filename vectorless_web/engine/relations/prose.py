"""Figures that sentences state: the number of a measure for a period, where the sentence leaves no doubt."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.questions.formulas.request import Operand
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.relations.lookup import content_terms
from vectorless_web.engine.relations.relation import words_of
from vectorless_web.engine.text.numbers import Number, numbers_in

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(“\"•])|\n")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d|,\d)")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.I)
_DATE_NUMBER = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+$", re.I)
_REFERENCE = re.compile(r"\b(?:notes?|items?|pages?|sections?|tables?|parts?|article|asu|no\.?)\s+$", re.I)

LONGEST_SENTENCE = 600
"""Characters of a sentence that is read; a longer one states too many things."""

LONGEST_REACH = 90
"""Characters between a number and the period that it belongs to."""

PROSE_FIT = 0.86
"""Fit of a figure from a sentence that says every content word: a little below a table's, which is looked at first."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in its node: `start` is its first character's place in the node's text.

    `subject` are the words of whom the document is about, which a sentence need not repeat.
    """

    document: str
    node: Node
    start: int
    text: str
    where: str = ""
    subject: frozenset[str] = frozenset()


def sentences_of(document: str, nodes: Iterable[tuple[Node, str]], subject: str = "") -> Iterator[Sentence]:
    """The sentences with numbers of paragraphs and lists, each with the words for where it stands."""
    about = words_of(subject)
    for node, where in nodes:
        if node.kind not in (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.FOOTNOTE):
            continue
        start = 0
        for match in [*_SENTENCE.finditer(node.text), None]:
            end = match.start() if match else len(node.text)
            text = node.text[start:end].strip()
            if text and len(text) <= LONGEST_SENTENCE and any(character.isdigit() for character in text):
                yield Sentence(document, node, node.text.index(text, start), text, where, about)
            start = match.end() if match else end


def find_stated(sentences: Sequence[Sentence], operand: Operand) -> Figure | None:
    """The figure that sentences state for the operand; None when none does, or when two state different ones."""
    wanted = {term for term, weight in content_terms(operand.words) if weight == 1.0} - {"percent"}
    percent = any(term == "percent" for term, _ in content_terms(operand.words))
    found = [
        (sentence, number)
        for sentence in sentences
        if wanted
        and wanted <= words_of(sentence.text) | sentence.subject
        and not wanted <= sentence.subject
        and (number := _number_for(sentence.text, operand.period, percent=percent)) is not None
    ]
    if len({(number.value, number.percent) for _, number in found}) != 1:
        return None
    sentence, number = found[0]
    return Figure(
        document=sentence.document,
        key=sentence.node.key,
        page_index=sentence.node.page_start,
        label=operand.words,
        column="",
        period=str(operand.period.year) if operand.period else "",
        amount=number.value / number.scale,
        scale=number.scale,
        currency=number.currency,
        percent=number.percent,
        per_share=False,
        quote=sentence.text,
        start=sentence.start,
        end=sentence.start + len(sentence.text),
        where=sentence.where,
        fit=PROSE_FIT,
    )


def _number_for(text: str, period: Period | None, *, percent: bool) -> Number | None:
    """The one number of a sentence that belongs to the period."""
    numbers = [number for number in _amounts(text) if number.percent == percent]
    times = [(match.start(), match.end(), int(match.group())) for match in _YEAR.finditer(text)]
    if not numbers:
        return None
    if period is None:
        return numbers[0] if len(numbers) == 1 and len({year for *_, year in times}) < 2 else None
    years = list(dict.fromkeys(year for *_, year in times))
    if period.year not in years:
        return None
    if _RESPECTIVELY.search(text):
        return _in_order(numbers, times, period, text)
    if len(numbers) == 1 and len(years) == 1:
        return numbers[0]
    return _nearest(numbers, times, period)


def _amounts(text: str) -> list[Number]:
    """Numbers that are no years, days, references or list marks."""
    found = []
    for number in numbers_in(text):
        before = text[: number.start]
        plain = number.text.strip("() ")
        if _YEAR.fullmatch(plain) and not number.currency:
            continue
        if _DATE_NUMBER.search(before) or _REFERENCE.search(before):
            continue
        if re.match(
            r"\s+(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
            text[number.end :],
            re.I,
        ):
            continue
        found.append(number)
    return found


def _in_order(
    numbers: Sequence[Number], times: Sequence[tuple[int, int, int]], period: Period, text: str
) -> Number | None:
    """ "5, 4 and 3 in 2021, 2020 and 2019, respectively": the list of numbers that is as long as that of the years."""
    place = _RESPECTIVELY.search(text)
    years = [year for *_, year in times]
    if place is None or len(set(years)) != len(years) or period.year not in years:
        return None
    runs = [run for run in _runs(numbers, text) if len(run) == len(years)]
    return runs[0][years.index(period.year)] if len(runs) == 1 else None


def _runs(numbers: Sequence[Number], text: str) -> list[list[Number]]:
    """Numbers listed one after another: only commas, "and" or "or" stand between them."""
    runs: list[list[Number]] = []
    for number in numbers:
        between = text[runs[-1][-1].end : number.start] if runs else ""
        if runs and re.fullmatch(r"\s*(?:,|and|or|,\s*and|;)\s*(?:approximately\s+|about\s+)?", between, re.I):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _nearest(numbers: Sequence[Number], times: Sequence[tuple[int, int, int]], period: Period) -> Number | None:
    """ "5 in 2021 and 4 in 2020": the number before the year, no other year or number of its kind between them."""
    found: list[Number] = []
    for start, _, year in times:
        if year != period.year:
            continue
        before = [number for number in numbers if number.end <= start and start - number.end <= LONGEST_REACH]
        if not before:
            continue
        last = before[-1]
        if any(last.end <= other_start < start for other_start, _, other in times if other != year):
            continue
        found.append(last)
    values = {number.value for number in found}
    others = {year for *_, year in times} - {period.year}
    return found[0] if len(values) == 1 and (len(numbers) > 1 or not others) else None


_TO_FORMER = re.compile(
    r"^\s*(?:\w+\s*)?(?:\(|,\s*|\s)(?:up\s+|down\s+)?(?:previously|formerly|was|were|from|instead of"
    r"|compared (?:with|to)|as against|against|versus|vs\.?)\W+(?:\w+\s+){0,2}$"
    r"|^[^.;:()]{0,90}?[,\s](?:up|down) (?:slightly |sharply )?from\s+(?:\w+\s+)?$",
    re.I,
)
"""Stands between what is now and what was before: "9 percent (previously 8 percent)", "9 of them, up from 8"."""

_TO_LATTER = re.compile(r"^\s*(?:\w+\s+){0,3}?(?:to|and now|and is now)\s+(?:\w+\s+)?$", re.I)
_FROM = re.compile(r"\bfrom\s+(?:\w+\s+)?$", re.I)


def find_sides(text: str, asked: Iterable[str]) -> tuple[Number, Number] | None:
    """What was before and what is now, as one sentence states both; None when it does not, or leaves doubt which.

    Of several pairs the one whose own clause holds most of the terms asked for.
    """
    numbers, wanted = _amounts(text), set(asked)
    pairs: list[tuple[int, int, Number, Number]] = []
    end = 0
    for first, second in pairwise(numbers):
        between = text[first.end : second.start]
        is_rise = bool(_FROM.search(text[: first.start]) and _TO_LATTER.match(between))
        if not is_rise and not _TO_FORMER.match(between):
            continue
        before, after = (first, second) if is_rise else (second, first)
        if (first.percent, first.currency) == (second.percent, second.currency) and first.value != second.value:
            clause = words_of(f"{text[end : first.start]} {between}")
            pairs.append((len(wanted & clause), len(clause), before, after))
        end = second.end
    best = max((said for said, *_ in pairs), default=0)
    found = [place for place, (said, *_) in enumerate(pairs) if said == best]
    if not best or len(found) != 1 or any(own < OWN_CLAUSE for _, own, *_ in pairs[found[0] + 1 :]):
        return None
    return pairs[found[0]][2], pairs[found[0]][3]


OWN_CLAUSE = 2
"""Content words of a later pair's clause by which it speaks of something else; with fewer it goes on with the same."""

_OF_WHICH = re.compile(r"[^.]{0,40}\b(?:of which|of whom|of these|of them|among them)\b[^.]*$", re.I)
_OUT_OF = re.compile(r"\s*(?:[\w-]+\s+){0,2}(?:out )?of (?:the |its |all |their |our )?(?:[\w-]+\s+)?", re.I)
_OF_THEM = re.compile(r"\s+of (?:them|which|whom|these|those)\b", re.I)
_NEXT_PART = re.compile(r"[;.]|,\s(?=[^,;.]*\d)|\sand\s(?=[^,;.]*\d)")


def find_part(text: str, asked: Iterable[str]) -> tuple[Number, Number] | None:
    """A part and the whole of which it is one, as one sentence states both; None when it does not, or leaves doubt.

    "37 of the 52 members"; "Spending was 300, of which wages took 180": what the part is of says a term asked for.
    """
    numbers, wanted = _amounts(text), set(asked)
    found: list[tuple[Number, Number]] = []
    for place, first in enumerate(numbers):
        for second in numbers[place + 1 :]:
            between = text[first.end : second.start]
            if second is numbers[place + 1] and _OUT_OF.fullmatch(between):
                part, whole = first, second
                own = f"{between} {_NEXT_PART.split(text[second.end :], maxsplit=1)[0]}"
            elif _OF_THEM.match(text[second.end :]) and "." not in between:
                part, whole = second, first
                own = _NEXT_PART.split(text[second.end :], maxsplit=1)[0]
            elif _OF_WHICH.fullmatch(between):
                part, whole = second, first
                ahead = re.split(r"\bof which\b|\bof whom\b|\bof these\b|\bof them\b|,|\band\b", between)[-1]
                own = f"{ahead} {_NEXT_PART.split(text[second.end :], maxsplit=1)[0]}"
            else:
                continue
            is_alike = (part.percent, part.currency) in ((False, whole.currency), (False, ""))
            if is_alike and not whole.percent and 0 < part.value < whole.value and wanted & words_of(own):
                found.append((part, whole))
    return found[0] if len(found) == 1 else None
