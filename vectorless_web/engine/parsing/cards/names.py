"""Finds the names of companies and their aliases on the first pages of a document."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from vectorless_web.engine.parsing.terms import any_of

_FORM_OF_COMPANY = any_of("company_form")
_COMPANY = re.compile(
    rf"((?:[A-Z0-9][\w&’'.-]*,?\s+(?:{any_of('within_name')}\s+)?){{1,6}}?"
    rf"(?=[A-Z]|plc)(?i:{any_of('company_form', 'company_kind')})\b\.?(?:\s*&\s*Co\.?)?)"
)
_PARTY = re.compile(_COMPANY.pattern + r",?\s*(?:an? [^()]{3,60})?(?=\()")
_LEGAL_FORM = re.compile(rf"[\s,]+(?:&\s*)?{_FORM_OF_COMPANY}\.?$", re.IGNORECASE)
_EXACT_NAME = re.compile(any_of("exact_name"), re.IGNORECASE)
_DEFINED = re.compile(r"(?P<before>[^()\n]{3,90}?)[\s,]*\((?P<inside>[^()]{2,120})\)")
_QUOTED = re.compile(r"[\"“”]([^\"“”]{2,40})[\"“”]")
_OR_COMPANY = re.compile(
    rf"^(?:or\s+)?([A-Z][\w&.-]*(?:\s[A-Z][\w&.-]*){{0,2}})(?:,| or| and)\s+(?:the\s+)?(?i:{any_of('role')})\b"
)
_TICKER = re.compile(
    rf"\b(?i:{any_of('exchange')})\s*:\s*([A-Z]{{1,5}}(?:\.[A-Z])?)\b|\b([A-Z]{{1,5}})\s+(?i:{any_of('listed_at')})\b"
)
_GENERIC = re.compile(rf"\b{any_of('generic')}\b", re.IGNORECASE)
_ROLE = re.compile(any_of("role"))
_OWN = re.compile(any_of("own_company"))
_LINES, _MOST = 90, 10
"""Lines of the first pages that are taken for the cover, and names of a card at most. Aliases are looked for in twice
as many lines, names inside sentences in four times."""
_COMPANIES, _FREQUENT = 3, 4
"""Companies that a card names at most, and those among the most frequent ones that are considered."""


def find_entities(*, name_words: str, title: str, head: str) -> tuple[str, ...]:
    """Names and aliases in lower case, most certain first; `name_words`: the file name without dates and kinds."""
    lines = [" ".join(line.split()) for line in head.splitlines() if line.strip()][: 4 * _LINES]
    names = list_issuers(lines, title)
    found = [
        name_words,
        *names,
        *map(without_legal_form, names),
        *_aliases(lines[: 2 * _LINES], names),
        *_tickers(lines[:_LINES]),
    ]
    return _lower_names(found)


def list_issuers(lines: Sequence[str], title: str = "") -> list[str]:
    """The companies that the first pages name, as printed, the likeliest issuer first."""
    return list(dict.fromkeys([*_registrants(lines), *_find_companies(lines, title)]))[:_COMPANIES]


def is_company(text: str) -> bool:
    """Whether a text is the name of a company and nothing else."""
    return _COMPANY.fullmatch(text.strip(" .,*")) is not None


def without_legal_form(company: str) -> str:
    """A company's name without "Inc.", "Company" and the like."""
    before = ""
    while before != company:
        before, company = company, _LEGAL_FORM.sub("", company).strip(" ,&")
    return company


def _lower_names(found: Iterable[str]) -> tuple[str, ...]:
    names = (re.sub(r"^(?:the|our)\s+", "", name.strip(" .,").casefold()) for name in found)
    return tuple(dict.fromkeys(name for name in names if len(name) > 1 and not _ROLE.fullmatch(name)))[:_MOST]


def _registrants(lines: Sequence[str]) -> Iterator[str]:
    """The line above "(Exact name of registrant ...)" on a cover."""
    for number, line in enumerate(lines[:_LINES]):
        if number and _EXACT_NAME.search(line) and not _GENERIC.search(lines[number - 1]):
            yield lines[number - 1].strip(" .,_")


def _find_companies(lines: Sequence[str], title: str) -> list[str]:
    """Company names: alone on a line of the first page before those inside sentences, the most frequent first."""
    alone = [match[1] for line in lines[:_LINES] if (match := _COMPANY.fullmatch(line.strip(" .,*")))]
    inside = Counter(_trim_name(match[1]) for line in [title, *lines] for match in _COMPANY.finditer(line))
    frequent = [name for name, count in inside.most_common(_FREQUENT) if count > 1 or name in title]
    parties = [_trim_name(match[1]) for match in _PARTY.finditer(" ".join(lines[:_LINES]))]
    return [name for name in [*alone, *parties, *frequent] if _is_name(name)]


_BEFORE_NAME = re.compile(rf"^(?:(?:{any_of('before_name')}|\d[\d./-]*,?)\s+)+", re.IGNORECASE)


def _trim_name(name: str) -> str:
    """Cut a sentence's first words, a date or a number that stand before the name."""
    name = re.sub(r"^.*?\b(?:19|20)\d\d,?\s+(?=[A-Z])", "", name)
    return _BEFORE_NAME.sub("", name)


def _is_name(name: str) -> bool:
    return not _GENERIC.search(name) and len(name) > 3 and not _ROLE.fullmatch(without_legal_form(name).casefold())


def _aliases(lines: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Short names defined in parentheses after one of the names: `4K Company (the "Company" or "4K")`."""
    words = {word.casefold() for name in names for word in re.findall(r"\w{2,}", without_legal_form(name))}
    for first, second in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if "(" not in first:
            continue
        for match in _DEFINED.finditer(f"{first} {second}"):
            tail = {word.casefold() for word in re.findall(r"\w{2,}", match["before"])[-4:]}
            if tail & words or any(map(_OWN.fullmatch, tail)):
                yield from (alias for alias in _find_aliases_inside(match["inside"]) if not _GENERIC.search(alias))


def _find_aliases_inside(text: str) -> Iterator[str]:
    yield from _QUOTED.findall(text)
    match = _OR_COMPANY.match(text)
    if match:
        yield match[1]


def _tickers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for match in _TICKER.finditer(line):
            yield match[1] or match[2]
