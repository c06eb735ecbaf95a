"""Reads a PDF's bookmarks and ties them to the headings and lines of the pages they point at."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium

from vectorless_web.engine.parsing.lines import Line
from vectorless_web.engine.parsing.outline.contents import letters_of
from vectorless_web.engine.parsing.outline.heading import Heading, bare_heading, heading_of
from vectorless_web.engine.parsing.pdf.drafter import Furniture, Item

_LEAST, _MOST, _LEAST_PAGES = 5, 20_000, 3
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of a PDF's outline; level and page index from 0."""

    title: str
    page: int
    level: int


def read_bookmarks(document: pdfium.PdfDocument) -> list[Bookmark]:
    """The usable bookmarks in their order; none if they are too few to be an outline."""
    found: list[Bookmark] = []
    for entry in document.get_toc(max_depth=_DEPTH):
        target = entry.get_dest()
        page = target.get_index() if target else None
        title = " ".join(entry.get_title().split())
        if title and page is not None and 0 <= page < len(document):
            found.append(Bookmark(title, page, entry.level))
        if len(found) >= _MOST:
            break
    enough = len(found) >= _LEAST and len({bookmark.page for bookmark in found}) >= _LEAST_PAGES
    return found if enough else []


def place_bookmarks(items: Sequence[Item], bookmarks: Sequence[Bookmark]) -> list[Item]:
    """Items with every bookmark as a heading: an existing one, the line that prints it, or one without text."""
    by_page: dict[int, list[Bookmark]] = defaultdict(list)
    for bookmark in bookmarks:
        by_page[bookmark.page].append(bookmark)
    placed: list[Item] = []
    for page, own in _pages(items):
        placed.extend(_place(own, by_page.pop(page, [])))
    return placed


def _pages(items: Sequence[Item]) -> list[tuple[int, list[Item]]]:
    """Items by page, in order."""
    pages: list[tuple[int, list[Item]]] = []
    for item in items:
        page = page_of(item)
        if not pages or pages[-1][0] != page:
            pages.append((page, []))
        pages[-1][1].append(item)
    return pages


def page_of(item: Item) -> int:
    """The page on which an item starts."""
    if isinstance(item, list):
        return item[0].line.page
    if isinstance(item, Line | Heading):
        return item.page
    return item.line.page if isinstance(item, Furniture) else item.lines[0].page


def _place(items: list[Item], bookmarks: Sequence[Bookmark]) -> list[Item]:
    first = next((number for number, item in enumerate(items) if not isinstance(item, Furniture)), len(items))
    for bookmark in bookmarks:
        letters = letters_of(bookmark.title)
        position = _find(items, letters)
        if position is None:
            items.insert(first, bare_heading(bookmark.title, bookmark.page, bookmark.level))
            first += 1
            continue
        item = items[position]
        if isinstance(item, Line):
            item = items[position] = heading_of([item])
        if isinstance(item, Heading):
            item.bookmark, item.title = bookmark.level, bookmark.title
            first = max(first, position + 1)
    return items


def _find(items: Sequence[Item], letters: str) -> int | None:
    """The heading that says the same, else the line that does."""
    for kind in (Heading, Line):
        for number, item in enumerate(items):
            if isinstance(item, kind) and _is_same_title(_read_letters(item), letters):
                return number
    return None


def _read_letters(item: Heading | Line) -> str:
    if isinstance(item, Line):
        return letters_of(item.text)
    return "" if item.bookmark is not None else letters_of("".join(line.text for line in item.lines))


def _is_same_title(printed: str, letters: str) -> bool:
    if not printed or not letters:
        return False
    if printed == letters:
        return True
    shorter, longer = sorted((printed, letters), key=len)
    return len(shorter) >= 8 and shorter in longer and len(longer) <= 1.4 * len(shorter) + 4
