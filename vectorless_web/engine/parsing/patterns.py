"""Forms of headings that name their place: parts, items, notes, chapters, numbered clauses, financial statements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vectorless_web.engine.parsing.terms import any_of

# What may follow a number; a small letter after a space means running text ("Note 7 to the ...").
_SEPARATOR = r"(?:\s*[.:)\]—–-]|\s*\((?!\w{1,4}\)\s+(?-i:[a-z]))|\s+(?-i:(?![a-zß-ÿ])))"
_PART = re.compile(rf"^{any_of('part')}\s+([IVX]{{1,5}}|\d{{1,2}}|[A-Z]|{any_of('number')})(?:{_SEPARATOR}|$)", re.I)
_ITEM = re.compile(rf"^{any_of('item')}\s+(\d{{1,2}}[A-C]?(?:\.\d{{2}})?)(?:{_SEPARATOR}|$)", re.I)
_NOTE = re.compile(rf"^{any_of('note')}\s+(\d{{1,2}}[A-Z]?)(?:{_SEPARATOR}|$)", re.I)
_CHAPTER = re.compile(
    rf"^({any_of('chapter', 'section')}|§{{1,2}})(?:\s+|(?<=§)\s*)"
    rf"([IVXLC]{{1,6}}|[A-Z]|\d{{1,3}}(?:\.\d{{1,3}}){{0,4}}[a-z]?|{any_of('number')})(?:{_SEPARATOR}|$)",
    re.I,
)
_SECTION_SIGN = re.compile(rf"(?:{any_of('section')}|§{{1,2}})$", re.I)
_CJK_CHAPTER = re.compile(r"^第[一二三四五六七八九十百\d]+([章节節条編部])")
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})(?:\.?\)?\s+(?=[^\W\d_]|[\"“‘(])|\.(?=[^\W\d_]{3}))")
_PARENTHESISED = re.compile(r"^\((\d{1,2})\)\s+(?=[A-Z])")
_COMPANY = rf"(?:[\w&.,’' -]{{2,45}}?\b{any_of('legal_form')}\b\s?[.,]*\s*[-–—:]?\s+)?"
_STATEMENT = re.compile(
    rf"^{_COMPANY}(?:{any_of('statement_adjective')}\s+)*"
    rf"(?:statements?\s+of\s+(?:\w+\s+){{0,2}}?{any_of('statement_subject')}|{any_of('statement_title')})",
    re.I,
)
_CLAUSE = re.compile(rf"\b{any_of('sentence')}\b", re.I)
_NOTES = re.compile(r"^(?:index\s+to\s+)?notes?\s+to\s+(?:the\s+)?(?:\w+\s+){0,4}(?:financial\s+)?statements?\b", re.I)
_REPORT = re.compile(rf"^{any_of('report_title')}", re.I)
_BACK = re.compile(rf"^{any_of('signatures')}$", re.I)
_EXHIBIT = re.compile(
    rf"^{any_of('exhibit')}\s+\(?(\d{{1,3}}(?:\.\d{{1,3}})?[A-Z]?(?:\.\d{{1,2}})?)\)?(?:\s+(?=(?-i:[A-Z]))|$)", re.I
)
_CONTENTS = re.compile(rf"^{any_of('contents')}$", re.I)

PART, ITEM, CHAPTER, STATEMENT, NOTE, NUMBERED, PLAIN = range(7)
NAMED = frozenset((PART, ITEM, STATEMENT, NOTE))
"""Families whose titles name their place in a report."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a title's form says: its family, its depth within the family, and the name it is referred to by."""

    family: int
    depth: int = 0
    label: str = ""


@lru_cache(maxsize=1 << 12)
def form_of(title: str) -> Form:
    """The form of a mended title; PLAIN when its words say nothing about its place."""
    for pattern, family, name in ((_PART, PART, "Part"), (_ITEM, ITEM, "Item"), (_NOTE, NOTE, "Note")):
        match = pattern.match(title)
        if match:
            return Form(family, 0, f"{name} {match[1].upper()}")
    match = _EXHIBIT.match(title)
    if match:
        return Form(PART, 0, f"Exhibit {match[1]}")
    if _BACK.match(title) or _CONTENTS.match(title):
        return Form(PART, 0, "")
    if title.endswith(":"):
        return _parse_numbering(title)
    if (_STATEMENT.match(title) and not _CLAUSE.search(title)) or _NOTES.match(title) or _REPORT.match(title):
        return Form(STATEMENT)
    return _parse_numbering(title)


def _parse_numbering(title: str) -> Form:
    match = _CHAPTER.match(title)
    if match:
        return Form(CHAPTER, _chapter_depth(match[1].casefold(), match[2]), f"{match[1].capitalize()} {match[2]}")
    if _CJK_CHAPTER.match(title):
        return Form(CHAPTER, 1, "")
    match = _NUMBERED.match(title)
    if match:
        return Form(NUMBERED, match[1].count("."), match[1])
    match = _PARENTHESISED.match(title)
    if match:
        return Form(NUMBERED, 0, match[1])
    return Form(PLAIN)


def _chapter_depth(name: str, number: str) -> int:
    return 2 + number.count(".") if _SECTION_SIGN.match(name) else 1


def is_contents_title(title: str) -> bool:
    """Whether a title heads a printed table of contents."""
    return bool(_CONTENTS.match(title.strip()))


def is_signatures(title: str) -> bool:
    """Whether a title heads the signatures."""
    return bool(_BACK.match(title))


def closes_soon(title: str) -> bool:
    """Whether a title heads a page or two and holds nothing that follows: contents, signatures."""
    return bool(_BACK.match(title) or _CONTENTS.match(title))


def is_notes_title(title: str) -> bool:
    """Whether a title heads the notes to financial statements."""
    return bool(_NOTES.match(title))


def is_statement_title(title: str) -> bool:
    """Whether a title is that of a financial statement."""
    return bool(_STATEMENT.match(title))


_PARTICULAR = re.compile(
    r"^\W{0,3}(?P<name>[^\W\d_][^:.;?!\n\t]{0,42}?)(?:\s*:(?!//)\s*|\s*\.{3,}\s*|\t+)(?P<value>[^\n]{0,240})$"
)
_NAME_WORDS, _SENTENCE_WORDS = 6, 8
"""Words of a particular's name at most, and of a value that ends as a sentence does; what is longer is prose."""


def split_particular(line: str) -> tuple[str, str] | None:
    """(name, value) of a line "Name: value"; None for any other."""
    match = _PARTICULAR.match(line)
    if match is None or len(match["name"].split()) > _NAME_WORDS:
        return None
    name, value = match["name"].strip(), match["value"].strip()
    return None if value.endswith((".", ";")) and len(value.split()) > _SENTENCE_WORDS else (name, value)


def are_particulars(lines: Sequence[str]) -> bool:
    """Whether lines are a run of particulars, each on a line of its own."""
    return len(lines) > 1 and all(split_particular(line.strip()) for line in lines)
