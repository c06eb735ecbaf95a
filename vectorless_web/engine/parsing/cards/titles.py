"""Chooses the title of a document: issuer, form and period of a filing, else what the first page is headed by."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.cards.fields import split_name
from vectorless_web.engine.parsing.cards.names import is_company, list_issuers, without_legal_form
from vectorless_web.engine.parsing.drafts import DIVIDED, SOFT_HYPHEN
from vectorless_web.engine.parsing.lines import Line, Page
from vectorless_web.engine.parsing.terms import any_of, words_of
from vectorless_web.engine.text.dates import MONTHS, dates_in

_JUNK_TITLE = re.compile(
    rf"^(?:{any_of('program_title')}.*|document\d*|[\W\d_]*|{any_of('no_name')}"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|qxd|htm?l))$",
    re.I,
)
_NO_TITLE = re.compile(
    rf"{_JUNK_TITLE.pattern}"
    rf"|^(?:form\s.*|{any_of('title_of_all_filings', 'cover', 'no_title_whole')}|{any_of('sheet')}\s?\d{{1,2}})$"
    rf"|^{any_of('no_title')}\b|:$",
    re.I,
)
"""Headings that name no document: those of every filing, and what programs call a sheet until somebody names it."""
_CHARACTERS = (3, 250)
"""Characters between which a title is believed: the titles of studies have up to 220."""
_LETTERS = 6
"""Letters that a printed title has at least; "Oct-16-2023" and "In the" are none."""
_COVER_PAGES = 3
"""Pages at the beginning that are the cover and what belongs to it."""
_FIRST_NODES = 12
"""Nodes at the beginning among which the heading that serves as title is looked for."""
_AGREEING = 0.5
"""Share of a stored title's words that the first pages or the file's name must say. Titles of a template, or of the
document that a file was made from, share at most a word with it; a third would let them pass, all would refuse a title
whose spelling differs from the print."""
_LARGER = 1.12
"""How many times the size of most of the text a printed title has at least. Titles are 1.12 to 4 times as large; at
1.05 lines with authors pass, at 1.25 a tenth of the titles of studies is missed."""
_SAME_SIZE, _GAP = 1.06, 1.3
"""Ratio of sizes up to which two lines are of one title, and heights of a line that may lie between them."""


def choose_title(
    *, metadata: str, nodes: Sequence[Node], name: str, pages: Sequence[Page], shown: str = "", is_own: bool = False
) -> str:
    """The title of a document from a dozen first `pages`; `nodes` are none where the outline has no own headings.

    In this order: issuer, form and period of a filing; `shown`, what the first slide or sheet says that the whole file
    is; what the first page prints largest; its first heading; the file's name. The title in the file's `metadata` goes
    before what is printed where it says all of that and more, and before a heading unless a converter left it or first
    pages and name say other words (which does not matter where it is written together with the text, `is_own`).
    """
    if filing := _name_filing(pages):
        return filing
    if shown and not _NO_TITLE.search(shown):
        return shown
    metadata = " ".join(metadata.split())
    said = f"{' '.join(page.text for page in pages[:_COVER_PAGES])} {split_name(name)}"
    is_stored = " " in metadata and _is_stored_title(metadata) and (is_own or _agrees(metadata, said))
    printed = _find_printed_title(pages)
    if printed and not (is_stored and _says_all(metadata, printed)):
        return printed
    return (metadata if is_stored else _find_heading(nodes)) or split_name(name) or "Untitled document"


def _is_stored_title(title: str) -> bool:
    return _CHARACTERS[0] < len(title) < _CHARACTERS[1] and not _JUNK_TITLE.match(title)


def _is_title(text: str) -> bool:
    """Whether a printed line may name a document: letters in the main, and none that heads every file."""
    letters = sum(character.isalpha() for character in text)
    is_readable = letters * 2 > len(text.replace(" ", "")) and text.isprintable()
    return is_readable and letters >= _LETTERS and len(text) < _CHARACTERS[1] and not _NO_TITLE.search(text)


def _says_all(metadata: str, printed: str) -> bool:
    """Whether a stored title, which is no file's name, has every word of the printed one."""
    words = set(_TITLE_WORD.findall(printed.casefold()))
    return "_" not in metadata and words <= set(_TITLE_WORD.findall(metadata.casefold()))


_CODE = any_of("yearly_form", "quarterly_form", "other_form")
_FORM_LINE = re.compile(rf"[\W_]*form\s+({_CODE}(?:/A)?)[\W_]*", re.I)
_HEAD_LINES = 120
"""Lines of the first pages in which issuer and period of a filing are looked for: its cover and the page behind."""


def _name_filing(pages: Sequence[Page]) -> str:
    """Issuer, form and period of a filing whose first page has a line "FORM 10-K" or the like; "" for another file."""
    first = list(_list_lines(pages[:1]))
    form = next((match[1].upper() for line in first if (match := _FORM_LINE.fullmatch(line))), "")
    if not form:
        return ""
    all_lines = list(_list_lines(pages))
    lines = all_lines[:_HEAD_LINES]
    issuers = list_issuers(lines) or list_issuers(all_lines)
    if not issuers:
        return ""
    days = (mention.readings[0] for mention in dates_in("\n".join(lines)) if len(mention.readings) == 1)
    day = next((day for day in days if day.year and day.day), None)
    period = f"{_write_span(form)}{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}" if day else ""
    return ", ".join(filter(None, (_write_issuer(issuers[0], pages), form, period)))


def _write_span(form: str) -> str:
    code = form.removesuffix("/A").casefold()
    if code in words_of("yearly_form"):
        return "year ended "
    return "quarter ended " if code in words_of("quarterly_form") else ""


def _list_lines(pages: Sequence[Page]) -> Iterator[str]:
    for page in pages:
        for line in [line.text for line in page.lines] or page.text.splitlines():
            if said := " ".join(line.split()).strip("_ "):
                yield said


def _write_issuer(company: str, pages: Sequence[Page]) -> str:
    """A company's name without its legal form, spelled as the text does where the cover has capitals alone."""
    short = re.sub(r"^the\s+", "", without_legal_form(company.strip(" .,")), flags=re.IGNORECASE)
    if not short.isupper():
        return short
    pattern = re.compile(rf"(?<!\w){re.escape(short)}(?!\w)".replace(r"\ ", r"\s+"), re.IGNORECASE)
    found = [" ".join(match.split()) for page in pages for match in pattern.findall(page.text)]
    mixed = Counter(name for name in found if not name.isupper() and not name.islower())
    return mixed.most_common(1)[0][0] if mixed else short


def _find_printed_title(pages: Sequence[Page]) -> str:
    """The largest letters of the first page, of lines that follow each other; "" if none are larger than the text's.

    Where they are a company's name alone, the next large ones say which document of it this is.
    """
    sizes = Counter[float]()
    for line in (line for page in pages for line in page.lines):
        sizes[line.style.size] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    lines = [line for line in pages[0].lines if line.height < _UPRIGHT * line.style.size] if pages else []
    groups = [(group[0], _join_lines(group)) for group in _group_lines(lines)]
    large = [(line, text) for line, text in groups if line.style.size >= usual * _LARGER and _is_title(text)]
    if not large:
        return ""
    best = max(large, key=lambda pair: (pair[0].style.size, -pair[0].top))
    below = large[large.index(best) + 1 :]
    return f"{best[1]}: {below[0][1]}" if below and is_company(best[1]) else best[1]


_UPRIGHT = 3
"""Sizes of letters up to which a line is high; one that is printed upwards in the margin is as high as it is long."""


def _group_lines(lines: Sequence[Line]) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group and not _goes_on(group[-1], line):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _goes_on(above: Line, line: Line) -> bool:
    sizes = sorted((above.style.size, line.style.size))
    return sizes[1] <= sizes[0] * _SAME_SIZE and -above.height < line.top - above.bottom <= _GAP * above.height


def _join_lines(lines: Sequence[Line]) -> str:
    text = " ".join(" ".join(line.text.split()) for line in lines)
    text = re.sub(rf"[{DIVIDED}]\s*", "", text).replace(SOFT_HYPHEN, "")
    return text.strip(" .–—-")


def _find_heading(nodes: Sequence[Node]) -> str:
    above = [node for node in nodes[1:_FIRST_NODES] if node.kind is not NodeKind.RUNNING and node.page_start == 0]
    first = list(takewhile(lambda node: node.kind is NodeKind.SECTION, above))
    titles = [node.title for node in first if not _NO_TITLE.search(node.title)]
    if len(titles) > 1 and is_company(titles[0]):
        return f"{titles[0]}: {titles[1]}"
    return titles[0] if titles else ""


def _agrees(title: str, said: str) -> bool:
    """Whether enough words of a title stand in `said`; True where that has too few words to tell."""
    said = said.casefold()
    words, there = set(_TITLE_WORD.findall(title.casefold())), set(_TITLE_WORD.findall(said))
    # Scripts without spaces have no words to compare: there the letters must follow each other somewhere.
    agreeing = sum(word in there or (not word.isascii() and word in said) for word in words)
    return not words or len(there) < _FEW_WORDS or agreeing >= _AGREEING * len(words)


_TITLE_WORD = re.compile(r"[^\W_]{3,}")
_FEW_WORDS = 12
"""Words below which a first page, as one that is a picture, cannot speak against a title."""
