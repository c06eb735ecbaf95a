"""Gives headings their levels: forms first (part, item, statement, note, numbers), then looks, style by style."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from vectorless_web.engine.parsing.outline.heading import Heading
from vectorless_web.engine.parsing.patterns import (
    CHAPTER,
    ITEM,
    NOTE,
    NUMBERED,
    PART,
    PLAIN,
    STATEMENT,
    closes_soon,
    is_contents_title,
    statement_kind,
)

_TITLE_OF_EXHIBIT = (CHAPTER - 0.5, 0)
_BOOKMARK, _TITLE = -1, (-0.5,)
_LISTED_SHARE = 0.4
# A note stands below the notes' own title but never below a statement; a statement may be discussed inside a note.
_NOTES, _NOTE, _STATEMENT = (STATEMENT, 0), (STATEMENT, 1), (STATEMENT, 2)
_INNER_CONTENTS = (PLAIN, 0, 0)
Order = tuple[float, ...]
Looks = tuple[float, ...]


def assign_levels(headings: Sequence[Heading]) -> None:
    """Set `level` (from 0): a heading stands below the nearest one before it that ranks higher."""
    ranks = _Ranks(headings)
    stack: list[_OpenHeading] = []
    before: Heading | None = None
    contents_seen = False
    for heading in headings:
        order = ranks.order(heading)
        if before is not None and before.form.label.startswith("Exhibit") and heading.form.family == PLAIN:
            order = _TITLE_OF_EXHIBIT
        if before is None and ranks.is_title(heading):
            order = _TITLE
        if is_contents_title(heading.title):
            order = _INNER_CONTENTS if contents_seen else order
            contents_seen = True
        notes = next((depth for depth, place in enumerate(stack) if place.order == _NOTES), None)
        if order == _STATEMENT and notes is not None and any(p.order[0] == NUMBERED for p in stack[notes:]):
            order = (PLAIN, 1, 0)  # a statement discussed inside a numbered note
        while stack and (stack[-1].order >= order or stack[-1].is_over(heading)):
            stack.pop()
        if order == _STATEMENT and stack and stack[-1].order == _NOTES:
            stack.pop()  # a report, or notes that are only announced: statements follow it and do not belong to it
        heading.level = len(stack)
        stack.append(_OpenHeading(order, heading))
        before = heading


@dataclass(frozen=True, slots=True)
class _OpenHeading:
    """A heading that may hold the next one."""

    order: Order
    heading: Heading

    def is_over(self, following: Heading) -> bool:
        """Contents and signatures end with their page."""
        return closes_soon(self.heading.title) and following.page > self.heading.page


def _describe_looks(heading: Heading) -> Looks:
    """Size, tone, capitals, weight, slant: smaller is higher where nothing else is known."""
    style = heading.style
    return (-style.size, -style.tone, not heading.caps, not style.bold, style.italic, heading.sentence)


class _Ranks:
    """Ranks of headings of one document; smaller is higher."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._numbered = _numbered_looks(headings)
        sizes = Counter(heading.style.size for heading in headings)
        self._largest_alone = max(sizes, default=0.0) if sizes and sizes[max(sizes)] == 1 else None
        self._reports = any(heading.form.family in (PART, ITEM) and heading.form.label for heading in headings)
        self._places = _order_looks(headings)
        members, listed = (
            Counter(map(_describe_looks, headings)),
            Counter(_describe_looks(h) for h in headings if h.listed),
        )
        self._listed = {looks for looks, count in listed.items() if count >= _LISTED_SHARE * members[looks]}

    def order(self, heading: Heading) -> Order:
        """Where a heading ranks."""
        if heading.bookmark is not None:
            return (_BOOKMARK, heading.bookmark)
        form, looks = heading.form, _describe_looks(heading)
        if form.family == STATEMENT:
            # An auditor's report ends the notes before it, as their own title does.
            return _STATEMENT if statement_kind(heading.title) else _NOTES
        if form.family == NOTE:
            return _NOTE
        if form.family != PLAIN:
            return (form.family, form.depth)
        if looks in self._numbered:
            return self._numbered[looks]
        return (PLAIN, looks not in self._listed, self._places[looks])

    def is_title(self, heading: Heading) -> bool:
        """Whether a first heading is the title: larger than all others, in a work without parts and items."""
        return self._largest_alone == heading.style.size and not self._reports


def _numbered_looks(headings: Sequence[Heading]) -> dict[Looks, Order]:
    """Looks shared by numbered headings of one depth: an unnumbered heading that looks the same ranks with them."""
    depths: dict[Looks, Counter[int]] = defaultdict(Counter)
    for heading in headings:
        if heading.form.family == NUMBERED:
            depths[_describe_looks(heading)][heading.form.depth] += 1
    return {
        looks: (NUMBERED, next(iter(found))) for looks, found in depths.items() if len(found) == 1 and found.total() > 2
    }


def _order_looks(headings: Sequence[Heading]) -> dict[Looks, int]:
    """Places of all looks: by size, then by which of them directly heads the other in this document, then by looks."""
    above: Counter[tuple[Looks, Looks]] = Counter()
    for one, other in itertools.pairwise(headings):
        if _touches(one, other):
            above[_describe_looks(one), _describe_looks(other)] += 1
    looks = sorted({_describe_looks(heading) for heading in headings})
    wins = {
        own: sum(
            above[own, other] - above[other, own] for other in looks if abs(other[0] - own[0]) < 0.6 and other != own
        )
        for own in looks
    }
    ranked = sorted(looks, key=lambda own: (own[0], -wins[own] if abs(wins[own]) > 2 else 0, own))
    return {own: place for place, own in enumerate(ranked)}


def _touches(one: Heading, other: Heading) -> bool:
    """Whether one heading follows the other without text between."""
    if not one.lines or not other.lines:
        return False
    last, first = one.lines[-1], other.lines[0]
    return last.page == first.page and 0 < first.top - last.bottom < 2.2 * first.height
