"""Tells how much a page is worth reading: contents lists, exhibits and cautionary text hold names, not answers."""

import re
from collections.abc import Sequence

_CONTENTS = re.compile(
    r"\b(?:table of contents|contents|index to (?:consolidated )?financial statements|index)\b", re.IGNORECASE
)
_CONTENTS_LINE = re.compile(r"(?:\.{3,}|\s)\s*(?:[A-Z]-)?\d{1,3}\s*$", re.MULTILINE)
_ITEM_LINE = re.compile(r"^\s*(?:item|part|note|chapter|section|\d+\.)\s*[\dIVXA-C]*", re.IGNORECASE | re.MULTILINE)
_EXHIBITS = re.compile(
    r"\bexhibits?(?: index| list|,? financial statement schedules)?\b|\bsignatures?$|\bpower of attorney\b",
    re.IGNORECASE,
)
_CAUTION = re.compile(
    r"\bforward[- ]looking (?:statements|information)\b|\bcautionary (?:note|statement)|\bsafe harbor\b", re.IGNORECASE
)
_AUDIT = re.compile(r"\breport of independent|\bindependent auditor", re.IGNORECASE)
_FEWEST_ENTRIES = 8


def page_worth(text: str, titles: Sequence[str]) -> float:
    """A factor in (0, 1] for a page with that text under those section titles."""
    worth = 1.0
    if _is_contents(text):
        worth = min(worth, 0.35)
    for pattern, factor in ((_EXHIBITS, 0.5), (_CAUTION, 0.6), (_AUDIT, 0.75)):
        if any(pattern.search(title) for title in titles):
            worth = min(worth, factor)
    return worth


def _is_contents(text: str) -> bool:
    """A page that says so near its top and is mostly lines ending in page numbers."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not _CONTENTS.search("\n".join(lines[:12])):
        return False
    numbered = sum(bool(_CONTENTS_LINE.search(line)) for line in lines)
    items = sum(bool(_ITEM_LINE.match(line)) for line in lines)
    return numbered >= _FEWEST_ENTRIES and numbered + items > 0.5 * len(lines) and max(map(len, lines)) < 200
