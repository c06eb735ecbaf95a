"""Recognises running headers, footers and page numbers by repetition at the same place."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from vectorless_web.engine.compiler.lines import Line, Page
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
_OUTERMOST_SHARE = 0.08
_LINK_WORDS = ("table of contents", "index to financial statements", "back to contents")

Place = tuple[bool, int, str]


def mark_running(pages: Sequence[Page]) -> set[tuple[int, int]]:
    """(page index, line number) of every running line."""
    edges = {page.index: list(_edge_lines(page)) for page in pages}
    repeated = _repeated(pages, edges)
    found: set[tuple[int, int]] = set()
    for page in pages:
        for number, is_top in edges[page.index]:
            if _place(page, page.lines[number], is_top) in repeated:
                found.add((page.index, number))
    found |= _outermost(pages, found)
    return (found - _first_titles(pages, found)) | _page_numbers(pages, edges)


def _first_titles(pages: Sequence[Page], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Where a part, item or statement whose title runs on has begun: its first line is its heading."""
    first: dict[str, tuple[int, int]] = {}
    for page in pages:
        for number, line in enumerate(page.lines):
            if (page.index, number) in found and form_of(line.text).family <= STATEMENT:
                first.setdefault(_alike(line.text), (page.index, number))
    return {place for text, place in first.items() if not is_contents_link(text)}


def _outermost(pages: Sequence[Page], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Lines that are again and again the first or last of their page, at whatever height (pages cut by a converter)."""
    ends: dict[tuple[bool, str], list[tuple[int, int]]] = defaultdict(list)
    for page in pages:
        order = sorted(
            (number for number in range(len(page.lines)) if (page.index, number) not in found),
            key=lambda number: page.lines[number].top,
        )
        if len(order) > 2:
            for number, is_top in ((order[0], True), (order[-1], False), (order[-2], False)):
                ends[is_top, _alike(page.lines[number].text)].append((page.index, number))
    least = max(_MIN_REPEATS, round(_OUTERMOST_SHARE * len(pages)))
    return {place for (_, text), places in ends.items() if len(places) >= least and _can_run(text) for place in places}


def _edge_lines(page: Page) -> Iterator[tuple[int, bool]]:
    """Numbers of the first and last lines by height on the page, with whether they stand at the top."""
    order = sorted(range(len(page.lines)), key=lambda number: page.lines[number].top)
    for number in order[:_EDGE_LINES]:
        if page.lines[number].bottom < page.height * _TOP:
            yield number, True
    for number in order[-_EDGE_LINES:]:
        if page.lines[number].top > page.height * _BOTTOM:
            yield number, False


def _place(page: Page, line: Line, is_top: bool) -> Place:
    """What makes two running lines the same: zone, distance from that edge in steps, text without its digits."""
    distance = line.top if is_top else page.height - line.bottom
    return is_top, round(distance / _STEP), _alike(line.text)


def _alike(text: str) -> str:
    """A text without its digits; "Exhibit 31" and "Note 7" keep them, for they are titles that differ by them."""
    text = " ".join(text.casefold().split())
    return text if form_of(text).label else _DIGITS.sub("#", text)


def _repeated(pages: Sequence[Page], edges: dict[int, list[tuple[int, bool]]]) -> set[Place]:
    counts: Counter[Place] = Counter()
    for page in pages:
        places = {_place(page, page.lines[number], is_top) for number, is_top in edges[page.index]}
        for is_top, step, text in places:
            counts.update((is_top, near, text) for near in (step - 1, step, step + 1))
    return {place for place, count in counts.items() if count >= _MIN_REPEATS and _can_run(place[2])}


def _can_run(text: str) -> bool:
    """Whether repeated text is furniture and not a repeated figure."""
    if PERIOD.match(text.replace("#", "1")) or UNITS_LINE.match(text):
        return False
    return any(character.isalpha() for character in text) or text in ("#", "- # -", "–#–", "—#—")


def _page_numbers(pages: Sequence[Page], edges: dict[int, list[tuple[int, bool]]]) -> set[tuple[int, int]]:
    """Bare numbers at the edge whose distance to the page index is shared by other pages."""
    shifts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    romans: list[tuple[int, int]] = []
    for page in pages:
        for number, _ in edges[page.index]:
            text = page.lines[number].text
            match = _NUMBER.match(text)
            if match:
                shifts[int(match[2]) - page.index].append((page.index, number))
            elif _ROMAN.match(text):
                romans.append((page.index, number))
    usual = {place for places in shifts.values() if len(places) > 1 or len(pages) < 3 for place in places}
    return usual | set(romans)


def is_contents_link(text: str) -> bool:
    """Whether a line is the link back to the contents that converters print on each page."""
    return text.casefold().strip() in _LINK_WORDS
