"""Tells how much a page is worth reading: contents lists, exhibits and cautionary text hold names, not answers."""

import re
from collections.abc import Sequence

_CONTENTS = re.compile(
    r"\b(?:table of contents|contents|index to (?:consolidated )?financial statements|index)\b", re.IGNORECASE
)
_CONTENTS_LINE = re.compile(r"(?:\.{3,}|\s)\s*(?:[A-Z]-)?\d{1,3}\s*$", re.MULTILINE)
_ITEM_LINE = re.compile(r"^\s*(?:item|part|note|chapter|section|\d+\.)\s*[\dIVXA-C]*", re.IGNORECASE | re.MULTILINE)
_EXHIBIT_LINE = re.compile(
    r"\bincorporated (?:herein )?by reference\b|\bfiled (?:herewith|as exhibit)\b"
    r"|^\s*\*?\(?\d{1,3}\.\d{1,3}[a-z*]?\)?\s",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED_LINE = re.compile(r"^\s*\*?\(?\d{1,3}\.\d{1,3}", re.MULTILINE)
_DECIMAL = re.compile(r"\d\.\d")
_SIGNATURES = re.compile(
    r"pursuant to the requirements of (?:section 13|the securities exchange act).{0,400}duly (?:caused|authorized)",
    re.IGNORECASE | re.DOTALL,
)
_CAUTION = re.compile(
    r"\bforward[- ]looking (?:statements|information)\b|\bcautionary (?:note|statement)|\bsafe harbor\b", re.IGNORECASE
)
_AUDIT = re.compile(r"\breport of independent|\bindependent auditor", re.IGNORECASE)
_FEWEST_ENTRIES = 8
_FEWEST_EXHIBITS = 10
_LONGEST_CONTENTS_LINE = 200
_HEAD_LINES = 12


def page_worth(text: str, titles: Sequence[str]) -> float:
    """A factor in (0, 1] for a page with that text; `titles` are the sections that begin on it or run on into it."""
    worth, lowered = 1.0, text.lower()
    if _is_contents(text, lowered):
        worth = 0.35
    elif _lists_exhibits(text, lowered):
        worth = 0.5
    elif "pursuant to the requirements of" in lowered and _SIGNATURES.search(text):
        worth = 0.7
    for pattern, factor in ((_CAUTION, 0.6), (_AUDIT, 0.75)):
        if titles and all(pattern.search(title) for title in titles):
            worth = min(worth, factor)
    return worth


def _lists_exhibits(text: str, lowered: str) -> bool:
    # Counting plain words first spares nearly all pages the slow pattern, which finds no more than these.
    named = lowered.count("by reference") + lowered.count("filed ")
    if named + len(_DECIMAL.findall(text)) < _FEWEST_EXHIBITS:
        return False
    most = named + len(_NUMBERED_LINE.findall(text))
    return most >= _FEWEST_EXHIBITS and len(_EXHIBIT_LINE.findall(text)) >= _FEWEST_EXHIBITS


def _is_contents(text: str, lowered: str) -> bool:
    """A page that says so near its top and is mostly lines ending in page numbers."""
    if "contents" not in lowered and "index" not in lowered:
        return False
    lines = [line for line in map(str.rstrip, text.splitlines()) if line]
    if not lines or not _CONTENTS.search("\n".join(lines[:_HEAD_LINES])):
        return False
    numbered = sum(line[-1].isdecimal() and _CONTENTS_LINE.search(line) is not None for line in lines)
    if numbered < _FEWEST_ENTRIES:
        return False
    items = sum(bool(_ITEM_LINE.match(line)) for line in lines)
    return numbered + items > 0.5 * len(lines) and max(map(len, lines)) < _LONGEST_CONTENTS_LINE
