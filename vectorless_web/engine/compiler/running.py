"""Recognises running headers, footers and page numbers by repetition at the same place."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vectorless_web.engine.compiler.lines import Page
from vectorless_web.engine.compiler.patterns import STATEMENT, form_of
from vectorless_web.engine.compiler.regions import PERIOD, UNITS_LINE

_EDGE_LINES = 4
_TOP, _BOTTOM = 0.14, 0.86
_STEP = 8.0
_NUMBER = re.compile(
    r"^\W*(?:page\s+|seite\s+|página\s+|p\.\s*)?([A-Z]-)?(\d{1,4})(?:\s*(?:of|/|von|de|sur)\s*\d+)?\W*$", re.I
)
_ROMAN = re.compile(r"^\W*[ivxl]{1,7}\W*$")
_DIGITS = re.compile(r"\d+")
_MIN_REPEATS = 3
_OUTERMOST_SHARE, _OUTERMOST_LEAST, _APART = 0.08, 2, 0.4
_FEW_PAGES = 3
_LINK_WORDS = ("table of contents", "index to financial statements", "back to contents")


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A line at an edge of a page: which, whether at the top, its distance from that edge in steps, and its text."""

    page: int
    number: int
    is_top: bool
    step: int
    text: str

    @property
    def place(self) -> tuple[int, int]:
        """(page index, line number)."""
        return self.page, self.number


def mark_running(pages: Sequence[Page]) -> set[tuple[int, int]]:
    """(page index, line number) of every running line."""
    edges = [sighting for page in pages for sighting in _edge_lines(page)]
    found = _repeated(edges, _MIN_REPEATS)
    least = max(_MIN_REPEATS, round(_OUTERMOST_SHARE * len(pages)))
    found |= _repeated([sighting for page in pages for sighting in _outermost(page, found)], least)
    return (found - _first_titles(pages, found)) | _page_numbers(edges, len(pages))


def _edge_lines(page: Page) -> Iterator[_Sighting]:
    """The first and last lines by height, if they stand near the page's edge."""
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].top)
    for number in order[:_EDGE_LINES]:
        line = page.lines[number]
        if line.bottom < page.height * _TOP:
            yield _Sighting(page.index, number, True, round(line.top / _STEP), _plain(line.text))
    for number in order[-_EDGE_LINES:]:
        line = page.lines[number]
        if line.top > page.height * _BOTTOM:
            step = round((page.height - line.bottom) / _STEP)
            yield _Sighting(page.index, number, False, step, _plain(line.text))


def _outermost(page: Page, found: set[tuple[int, int]]) -> Iterator[_Sighting]:
    """The first and the last two lines that stand apart, at whatever height (converters cut pages unevenly)."""
    numbers = [number for number in range(len(page.lines)) if (page.index, number) not in found]
    order = sorted(numbers, key=lambda number: page.lines[number].top)
    if len(order) <= _OUTERMOST_LEAST:
        return
    for position, neighbour, is_top in ((0, 1, True), (-1, -2, False), (-2, -3, False)):
        line, beside = page.lines[order[position]], page.lines[order[neighbour]]
        gap = beside.top - line.bottom if is_top else line.top - beside.bottom
        if gap > _APART * line.height:
            yield _Sighting(page.index, order[position], is_top, 0, _plain(line.text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _alike(text: str) -> str:
    """A text without its digits; "Exhibit 31" and "Note 7" keep them, for they are titles that differ by them."""
    return text if form_of(text).label else _DIGITS.sub("#", text)


def _repeated(sightings: Sequence[_Sighting], least: int) -> set[tuple[int, int]]:
    """Lines seen on enough pages at the same height with the same text, page numbers aside."""
    groups: dict[tuple[bool, str], list[_Sighting]] = defaultdict(list)
    for sighting in sightings:
        if _can_run(sighting.text):
            groups[sighting.is_top, _alike(sighting.text)].append(sighting)
    found: set[tuple[int, int]] = set()
    for group in groups.values():
        for alike in _same_text(group):
            found |= _same_height(alike, least)
    return found


def _same_text(group: Sequence[_Sighting]) -> Iterable[Sequence[_Sighting]]:
    """The group as it is if a number in it counts the pages; else its members by their exact text."""
    if len({sighting.text for sighting in group}) == 1 or _counts_pages(group):
        return [group]
    exact: dict[str, list[_Sighting]] = defaultdict(list)
    for sighting in group:
        exact[sighting.text].append(sighting)
    return exact.values()


def _counts_pages(group: Sequence[_Sighting]) -> bool:
    """Whether one of the numbers rises with the page index on most pages."""
    shifts = Counter(
        (position, int(digits) - sighting.page)
        for sighting in group
        for position, digits in enumerate(_DIGITS.findall(sighting.text)[:6])
    )
    return bool(shifts) and shifts.most_common(1)[0][1] > len(group) / 2


def _same_height(group: Sequence[_Sighting], least: int) -> set[tuple[int, int]]:
    pages: dict[int, set[int]] = defaultdict(set)
    for sighting in group:
        for near in (-1, 0, 1):
            pages[sighting.step + near].add(sighting.page)
    return {sighting.place for sighting in group if len(pages[sighting.step]) >= least}


def _first_titles(pages: Sequence[Page], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Where a part, item or statement whose title runs on has begun: its first line is its heading."""
    first: dict[str, tuple[int, int]] = {}
    for page in pages:
        for number, line in enumerate(page.lines):
            if (page.index, number) in found and form_of(line.text).family <= STATEMENT:
                first.setdefault(_alike(_plain(line.text)), (page.index, number))
    return {place for text, place in first.items() if text not in _LINK_WORDS}


def _can_run(text: str) -> bool:
    """Whether repeated text is furniture and not a repeated figure, period or unit."""
    if PERIOD.match(text) or UNITS_LINE.match(text):
        return False
    return any(character.isalpha() for character in text) or bool(_NUMBER.match(text))


def _page_numbers(edges: Sequence[_Sighting], count: int) -> set[tuple[int, int]]:
    """Bare numbers at the edge whose distance to the page index is shared by other pages."""
    shifts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    romans: list[tuple[int, int]] = []
    for sighting in edges:
        match = _NUMBER.match(sighting.text)
        if match:
            shifts[int(match[2]) - sighting.page].append(sighting.place)
        elif _ROMAN.match(sighting.text):
            romans.append(sighting.place)
    usual = {place for places in shifts.values() if len(places) > 1 or count < _FEW_PAGES for place in places}
    return usual | set(romans)
