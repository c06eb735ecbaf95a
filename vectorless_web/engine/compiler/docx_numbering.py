"""Numbers that Word prints before paragraphs and does not keep in their text: clauses "2.1", "(a)", bullets."""

import re
from dataclasses import dataclass

from lxml import etree

from vectorless_web.engine.compiler.counting import counted
from vectorless_web.engine.compiler.docx_package import child, local, value
from vectorless_web.engine.compiler.docx_styles import whole

_PLACE = re.compile(r"%([1-9])")
_FORMS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    pattern: str
    style: str
    legal: bool


class Numbering:
    """Counts a document's lists in reading order; ask for each paragraph once."""

    def __init__(self, root: etree._Element | None) -> None:
        rows = list(root) if root is not None else []
        self._lists = {value(row, "abstractNumId"): _levels(row) for row in rows if local(row) == "abstractNum"}
        self._rows = {value(row, "numId"): row for row in rows if local(row) == "num"}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def mark(self, number: str, level: int | None, style: str) -> tuple[str, int] | None:
        """(mark, level) of the next paragraph of a list: ("2.1", 1), ("-", 0); None when there is no such list.

        `style` names the paragraph's style when that puts it into the list.
        """
        row = self._rows.get(number)
        name = value(child(row, "abstractNumId"))
        levels = self._lists.get(name, {})
        if level is None:
            level = next((own for own, known in levels.items() if style and known.style == style), 0)
        if level not in levels or row is None:
            return None
        counts = self._counts.setdefault(name, {})
        self._restart(number, row, counts)
        counts[level] = counts.get(level, levels[level].start - 1) + 1
        for deeper in [own for own in counts if own > level]:
            del counts[deeper]
        return _printed(levels, level, counts), level

    def _restart(self, number: str, row: etree._Element, counts: dict[int, int]) -> None:
        """A list that begins anew sets its counts once, when it first occurs."""
        if number in self._begun:
            return
        self._begun.add(number)
        for override in row:
            level, start = whole(value(override, "ilvl")), whole(value(child(override, "startOverride")))
            if level is not None and start is not None:
                counts[level] = start - 1


def _levels(row: etree._Element) -> dict[int, _Level]:
    found = {}
    for own in row:
        level = whole(value(own, "ilvl"))
        if local(own) != "lvl" or level is None:
            continue
        found[level] = _Level(
            start=whole(value(child(own, "start")), 1) or 0,
            form=value(child(own, "numFmt")) or "decimal",
            pattern=value(child(own, "lvlText")),
            style=value(child(own, "pStyle")),
            legal=child(own, "isLgl") is not None,
        )
    return found


def _printed(levels: dict[int, _Level], level: int, counts: dict[int, int]) -> str:
    own = levels[level]
    if own.form == "bullet":
        return "-"
    if own.form == "none":
        return ""

    def said(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        known = levels.get(place, own)
        number = counts.get(place, known.start)
        return counted(number, "1" if own.legal else _FORMS.get(known.form, "1"))

    return " ".join(_PLACE.sub(said, own.pattern).split())
