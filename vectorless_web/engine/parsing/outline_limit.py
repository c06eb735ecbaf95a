"""Keeps an outline to what people, pages and models can go through: headings beyond become text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.drafts import Draft
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS


@dataclass(frozen=True, slots=True)
class LimitedOutline:
    """Drafts with at most so many headings; `remark` says in a sentence what became of the others, or ""."""

    drafts: Sequence[Draft]
    remark: str = ""


def limit_outline(drafts: Sequence[Draft], most: int) -> LimitedOutline:
    """Keep the headings of the upper levels, as many levels as have `most` headings together.

    Where the uppermost level alone has more, its first `most` are kept. All others become
    paragraphs; those that stand next to each other are joined, up to the size of a page.
    """
    levels = Counter(draft.level for draft in drafts if draft.kind is NodeKind.SECTION)
    found = levels.total()
    if found <= most:
        return LimitedOutline(drafts)
    kept = _kept_levels(levels, most)
    limited, headings = [], 0
    for draft in drafts:
        is_heading = draft.kind is NodeKind.SECTION
        stays = is_heading and draft.level in kept and headings < most
        headings += stays
        if stays or not is_heading:
            limited.append(draft)
        else:
            _add_as_text(limited, draft)
    shown = f"its first {len(kept)} levels" if len(kept) > 1 else "its first level"
    if levels[min(kept)] > most:
        shown = f"the first {headings:,}"
    remark = f"This document has {found:,} headings; the outline shows {shown}. The others are kept as text."
    return LimitedOutline(limited, remark)


def _kept_levels(levels: Counter[int], most: int) -> set[int]:
    """The uppermost levels that have at most `most` headings together, and the first level in any case."""
    kept: set[int] = set()
    total = 0
    for level in sorted(levels):
        total += levels[level]
        if kept and total > most:
            break
        kept.add(level)
    return kept


class _Joined(Draft):
    """Headings that became one paragraph: only such a one takes in the next."""


def _add_as_text(limited: list[Draft], draft: Draft) -> None:
    """Add a heading's words, to the paragraph before when that was made of headings of the same page."""
    if not draft.text:
        return  # a bookmark's name, which is not printed
    before = limited[-1] if limited else None
    if isinstance(before, _Joined) and before.page == draft.page and len(before.text) < PAGE_CHARACTERS:
        shift = len(before.text) + 1
        before.text += "\n" + draft.text
        before.runs += tuple(replace(run, offset=run.offset + shift) for run in draft.runs)
    else:
        limited.append(_Joined(NodeKind.PARAGRAPH, draft.text, draft.runs, draft.page))
