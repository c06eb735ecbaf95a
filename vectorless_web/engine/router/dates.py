"""Dates as written in a question, as ISO."""

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?P<month>[A-Za-z]{3,9})\.?"
_PATTERNS = (
    re.compile(rf"{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"),
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_NAME},?\s+(?P<year>\d{{4}})"),
    re.compile(r"(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)"),
)


def iso_date(text: str) -> str:
    """ "August 30, 2023", "30 Aug 2023" or "2023-08-30" as "2023-08-30"; "" when it is no date."""
    for pattern in _PATTERNS:
        match = pattern.search(text)
        month = _month(match.groupdict()) if match else 0
        if match and 1 <= month <= 12 and 1 <= int(match["day"]) <= 31:
            return f"{match['year']}-{month:02}-{int(match['day']):02}"
    return ""


def _month(groups: dict[str, str]) -> int:
    if "number" in groups:
        return int(groups["number"])
    start = groups["month"][:3].lower()
    return _MONTHS.index(start) + 1 if start in _MONTHS else 0
