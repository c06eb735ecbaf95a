"""Gives headings their levels: forms first (part, item, statement, note, numbers), then looks, consistently by style."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from vectorless_web.engine.compiler.headings import Heading
from vectorless_web.engine.compiler.patterns import NUMBERED, PLAIN

Order = tuple[float, ...]
_LOOKS = (bool, bool, bool, bool)


def assign_levels(headings: Sequence[Heading]) -> None:
    """Set `level` (from 0): a heading stands below the nearest one before it that ranks higher."""
    numbered = _numbered_styles(headings)
    stack: list[Order] = []
    for heading in headings:
        order = _order(heading, numbered)
        while stack and stack[-1] >= order:
            stack.pop()
        heading.level = len(stack)
        stack.append(order)


def _order(heading: Heading, numbered: dict[Order, Order]) -> Order:
    """Where a heading ranks; smaller is higher."""
    form = heading.form
    if form.family == PLAIN:
        return numbered.get(_looks(heading), (PLAIN, *_looks(heading)))
    if form.family == NUMBERED:
        return (NUMBERED, form.depth)
    return (form.family, form.depth)


def _looks(heading: Heading) -> Order:
    style = heading.style
    return (-style.size, not heading.caps, not style.bold, not style.accent, style.italic)


def _numbered_styles(headings: Sequence[Heading]) -> dict[Order, Order]:
    """Looks shared by numbered headings of one depth: an unnumbered heading that looks the same ranks with them."""
    depths: dict[Order, Counter[int]] = defaultdict(Counter)
    for heading in headings:
        if heading.form.family == NUMBERED:
            depths[_looks(heading)][heading.form.depth] += 1
    return {
        looks: (NUMBERED, next(iter(found))) for looks, found in depths.items() if len(found) == 1 and found.total() > 2
    }
