"""Names a document gives its subject: registrants, parties, aliases in parentheses, tickers."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

_FORM = (
    r"Incorporated|Inc|INC|Corporation|CORPORATION|Corp|CORP|Companies|Company|COMPANY|Co|plc|PLC|Ltd|LTD|Limited"
    r"|LLC|LLP|L\.P|LP|S\.A|N\.V|A/S|AG|SE|GmbH|KG|N\.A"
)
_SUFFIX = rf"(?:{_FORM}|Holdings|HOLDINGS|Group|GROUP|Trust|Foundation|University|Bank)"
_COMPANY = re.compile(
    rf"((?:[A-Z0-9][\w&’'.-]*,?\s+(?:(?:of|and|de|für|the|&)\s+)?){{1,6}}?{_SUFFIX}\b\.?(?:\s*&\s*Co\.?)?)"
)
_PARTY = re.compile(_COMPANY.pattern + r",?\s*(?:an? [^()]{3,60})?(?=\()")
_LEGAL_FORM = re.compile(rf"[\s,]+(?:&\s*)?(?:{_FORM})\.?$")
_EXACT_NAME = re.compile(r"exact name of (?:the )?(?:registrant|issuer)", re.IGNORECASE)
_DEFINED = re.compile(
    r"(?P<before>[^()\n]{3,90}?)[\s,]*\((?P<inside>[^()]{2,120})\)",
)
_QUOTED = re.compile(r"[\"“”]([^\"“”]{2,40})[\"“”]")
_OR_COMPANY = re.compile(
    r"^(?:or\s+)?([A-Z][\w&.-]*(?:\s[A-Z][\w&.-]*){0,2})(?:,| or| and)\s+(?:the\s+)?(?:Company|we|our|us|Firm|Group)\b"
)
_TICKER = re.compile(
    r"\b(?:NYSE|NASDAQ|Nasdaq|AMEX|LSE|ASX)\s*:\s*([A-Z]{1,5}(?:\.[A-Z])?)\b"
    r"|\b([A-Z]{1,5})\s+(?:The\s+)?(?:New York Stock Exchange|NASDAQ|Nasdaq|NYSE)\b"
)
_GENERIC = re.compile(
    r"\b(?:exchange|securities|statement|act|registrant|commission|report(?:ing|s)?|growth|filer|issuer|agreement|proxy|item|part"
    r"|form|index|stock|common|shares?|notes?|plan|regulation|section|board|committee|jurisdiction|employer|documents?|trustee)\b",
    re.IGNORECASE,
)
_PRONOUNS = frozenset(
    [
        "company",
        "we",
        "us",
        "our",
        "registrant",
        "firm",
        "group",
        "issuer",
        "corporation",
        "parent",
        "agreement",
        "lessor",
        "lessee",
        "the",
        "co",
        "inc",
    ]
)
_OWN = frozenset(("subsidiaries", "affiliates", "subsidiary"))
_LINES, _MOST = 90, 10


def find_entities(*, name_words: str, title: str, head: str) -> tuple[str, ...]:
    """Names and aliases in lower case, most certain first; `name_words`: the file name without dates and kinds."""
    lines = [" ".join(line.split()) for line in head.splitlines() if line.strip()][: 4 * _LINES]
    names = list(dict.fromkeys([*_registrants(lines), *_named(lines, title)]))[:3]
    found = [
        name_words,
        *names,
        *map(without_legal_form, names),
        *_aliases(lines[: 2 * _LINES], names),
        *_tickers(lines[:_LINES]),
    ]
    return _lowered(found)


def without_legal_form(company: str) -> str:
    """A company's name without "Inc.", "Company" and the like."""
    before = ""
    while before != company:
        before, company = company, _LEGAL_FORM.sub("", company).strip(" ,&")
    return company


def _lowered(found: Iterable[str]) -> tuple[str, ...]:
    names = (re.sub(r"^(?:the|our)\s+", "", name.strip(" .,").casefold()) for name in found)
    return tuple(dict.fromkeys(name for name in names if len(name) > 1 and name not in _PRONOUNS))[:_MOST]


def _registrants(lines: Sequence[str]) -> Iterator[str]:
    """The line above "(Exact name of registrant ...)" on a cover."""
    for number, line in enumerate(lines[:_LINES]):
        if number and _EXACT_NAME.search(line) and not _GENERIC.search(lines[number - 1]):
            yield lines[number - 1].strip(" .,_")


def _named(lines: Sequence[str], title: str) -> list[str]:
    """Company names: alone on a line of the first page before those inside sentences, the most frequent first."""
    alone = [match[1] for line in lines[:_LINES] if (match := _COMPANY.fullmatch(line.strip(" .,*")))]
    inside = Counter(_trimmed(match[1]) for line in [title, *lines] for match in _COMPANY.finditer(line))
    frequent = [name for name, count in inside.most_common(4) if count > 1 or name in title]
    parties = [_trimmed(match[1]) for match in _PARTY.finditer(" ".join(lines[:_LINES]))]
    return [name for name in [*alone, *parties, *frequent] if _is_name(name)]


def _trimmed(name: str) -> str:
    """Without a sentence's first word, a date or a number that only precedes the name."""
    name = re.sub(r"^.*?\b(?:19|20)\d\d,?\s+(?=[A-Z])", "", name)
    return re.sub(r"^(?:(?:In|At|the|On|By|To|From|The|And|Of|For|As|With|Between|\d[\d./-]*,?)\s+)+", "", name)


def _is_name(name: str) -> bool:
    return not _GENERIC.search(name) and len(name) > 3 and without_legal_form(name).casefold() not in _PRONOUNS


def _aliases(lines: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Short names defined in parentheses after one of the names: `4K Company (the "Company" or "4K")`."""
    words = {word.casefold() for name in names for word in re.findall(r"\w{2,}", without_legal_form(name))}
    for first, second in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if "(" not in first:
            continue
        for match in _DEFINED.finditer(f"{first} {second}"):
            tail = {word.casefold() for word in re.findall(r"\w{2,}", match["before"])[-4:]}
            if tail & (words | _OWN):
                yield from (alias for alias in _inside(match["inside"]) if not _GENERIC.search(alias))


def _inside(text: str) -> Iterator[str]:
    yield from _QUOTED.findall(text)
    match = _OR_COMPANY.match(text)
    if match:
        yield match[1]


def _tickers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        for match in _TICKER.finditer(line):
            yield match[1] or match[2]
