"""Reads a printed table of contents and finds the lines its entries name on the pages they name."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vectorless_web.engine.parsing.lines import Line, Page
from vectorless_web.engine.parsing.patterns import is_contents_title
from vectorless_web.engine.parsing.tables.regions import LineRole, LineRow

_ENTRY = re.compile(
    r"^(?P<title>.*?\S)[\s.·…_]*[\s.·…_](?:page\s+)?(?P<page>(?:[A-Z]-)?\d{1,4})(?:\s*[-–]\s*\d{1,4})?$", re.I | re.S
)
_LETTERS = re.compile(r"[\W_]+")
_YEAR_AT_END = re.compile(r"\b(?:19|20)\d\d$")
_PREFIX = 18
"""Letters of an entry's title by which lines that may be its heading are looked up."""
_FEWEST_LETTERS = 4
"""Letters from which a line is looked up at all."""
_LONGER = 1.3
"""Times as many letters as the entry's title that a heading beginning with it may have at most."""
_LONGEST_TITLE = 220
"""Characters of an entry's title, at most, as of a heading (outline.heading)."""
_MIN_ENTRIES, _MIN_TITLED = 5, 3
"""Entries that a page of contents has at least, without a title that says so and with one."""
_DENSE, _RISING = 0.45, 0.85
"""Shares, at least: of the lines between first and last entry that are entries, and of the page numbers that are no
lower than the one before. Titles that run over two lines and wrong digits are allowed for."""
_PAGES_SPANNED = 3
"""Pages by which the last entry's number must exceed the first's in contents without a title: a table of figures seldom
rises."""
_FIRST_PAGES = 30
"""Pages among which contents are looked for by the lenient rule; behind them they must be plain."""
_INNER_ENTRIES, _INNER_DENSE = 10, 0.6
"""The same as _MIN_ENTRIES and _DENSE for contents further back, whose page numbers must all rise."""


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of a printed table of contents: its title (and the same as letters), and the page number it prints."""

    title: str
    letters: str
    printed: int


@dataclass(slots=True)
class Contents:
    """Contents. `pages[i]`: rows (first, last) on page i. `listed`: (page, start) of a listed line -> letters."""

    pages: dict[int, tuple[int, int]] = field(default_factory=dict)
    entries: list[ContentsEntry] = field(default_factory=list)
    listed: dict[tuple[int, int], str] = field(default_factory=dict)


def letters_of(text: str) -> str:
    """The letters and digits of a text in small letters, which are equal for mended and broken spellings of a title."""
    return _LETTERS.sub("", text).casefold()


def read_contents(rows: Mapping[int, Sequence[LineRow]], pages: Sequence[Page]) -> Contents:
    """Find contents pages among the first pages, then the lines they list. `rows[page]` leaves running lines out."""
    contents = Contents()
    following = False
    for page in pages:
        found = list(_entries(rows[page.index]))
        titled = any(is_contents_title(row.line.text) for row in rows[page.index][:12])
        likely = titled or following
        if not _is_contents(found, titled=likely) or (page.index >= _FIRST_PAGES and not _is_plain_contents(found)):
            following = False
            continue
        contents.pages[page.index] = (_first_row(rows[page.index], found[0][0], following), found[-1][0])
        following = True
        contents.entries.extend(entry for _, entry in found)
    contents.listed = _match(contents, rows, len(pages))
    return contents


def _first_row(rows: Sequence[LineRow], entry: int, following: bool) -> int:
    """Where the contents start on a page: under their title, or at the top of a further page of theirs."""
    for number in range(entry - 1, -1, -1):
        if is_contents_title(rows[number].line.text):
            return number + 1
    return 0 if following else entry


def _entries(rows: Sequence[LineRow]) -> Iterator[tuple[int, ContentsEntry]]:
    """(row number, entry) of rows that end in a page number; a row without one may begin the next row's title."""
    pending = ""
    for number, row in enumerate(rows):
        match = _entry(row)
        if match:
            title = match["title"].strip(" .·…_")
            joined = f"{pending} {title}" if pending and title[:1].islower() else title
            yield number, ContentsEntry(joined, letters_of(joined), int(match["page"].split("-")[-1]))
            pending = ""
        elif row.role is LineRole.TEXT:
            pending = row.line.text.strip()


def _entry(row: LineRow) -> re.Match[str] | None:
    if (
        not row.line.text[-1:].isdigit()
        or _YEAR_AT_END.search(row.line.text)
        or sum(cell.numeric for cell in row.cells[1:]) > 1
    ):
        return None
    match = _ENTRY.match(" ".join(" ".join(cell.text for cell in row.cells).split()))
    if match and len(match["title"]) < _LONGEST_TITLE and any(map(str.isalpha, match["title"])):
        return match
    return None


def _is_plain_contents(found: Sequence[tuple[int, ContentsEntry]]) -> bool:
    """Contents in the midst of a document: many entries close together, their numbers never falling."""
    numbers = [entry.printed for _, entry in found]
    dense = len(found) >= _INNER_DENSE * (found[-1][0] - found[0][0] + 1)
    return len(found) >= _INNER_ENTRIES and dense and numbers == sorted(numbers)


def _is_contents(found: Sequence[tuple[int, ContentsEntry]], *, titled: bool) -> bool:
    if len(found) < (_MIN_TITLED if titled else _MIN_ENTRIES):
        return False
    numbers = [entry.printed for _, entry in found]
    rising = sum(after >= before for before, after in itertools.pairwise(numbers))
    span = found[-1][0] - found[0][0] + 1
    return (
        rising >= _RISING * (len(numbers) - 1)
        and len(found) >= _DENSE * span
        and (titled or numbers[-1] > numbers[0] + _PAGES_SPANNED)
    )


def _match(contents: Contents, rows: Mapping[int, Sequence[LineRow]], count: int) -> dict[tuple[int, int], str]:
    """Lines whose letters begin an entry, on the page that the entry's number means."""
    index: dict[str, list[Line]] = defaultdict(list)
    for page, own in rows.items():
        if page not in contents.pages:
            for row in own:
                letters = letters_of(row.line.text)
                if len(letters) >= _FEWEST_LETTERS:
                    index[letters[:_PREFIX]].append(row.line)
    candidates = [(entry, line) for entry in contents.entries for line in _candidates(entry, index)]
    shifts = Counter(line.page - entry.printed for entry, line in candidates)
    if not shifts:
        return {}
    shift = max(shifts, key=lambda value: (shifts[value], -abs(value)))
    return {(line.page, line.start): entry.letters for entry, line in candidates if line.page - entry.printed == shift}


def _candidates(entry: ContentsEntry, index: dict[str, list[Line]]) -> Iterator[Line]:
    for line in index.get(entry.letters[:_PREFIX], ()):
        letters = letters_of(line.text)
        if entry.letters.startswith(letters) or (
            letters.startswith(entry.letters) and len(letters) < _LONGER * len(entry.letters)
        ):
            yield line
