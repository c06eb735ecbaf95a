"""Nested lists of headings for templates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django import template

register = template.Library()


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One heading of a nested list: whether a list opens below it, and how many lists close after it."""

    section: Any
    opens: bool
    closes: range


@register.filter("nested")
def nest_sections(sections: Iterable[Any]) -> Iterator[OutlineRow]:
    """Headings in pre-order, each with a `depth`, as rows of a nested list."""
    rows = list(sections)
    base = min((row.depth for row in rows), default=0)
    level = 0
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        opens = following is not None and following.depth > row.depth
        deeper = level + 1 if opens else level
        level = deeper if opens else min(level, following.depth - base if following is not None else 0)
        yield OutlineRow(row, opens, range(0 if opens else deeper - level))
