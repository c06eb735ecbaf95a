"""Styles and numbers of Word paragraphs: which are headings, in lists, in bold, and the numbers that Word prints."""

import re
from dataclasses import dataclass

from lxml import etree

from vectorless_web.engine.parsing.markup.blocks import format_number
from vectorless_web.engine.parsing.word.package import child, local, value

_HEADING = re.compile(r"heading ([1-9])$")
_TOC = re.compile(r"toc ([1-9])$")
_OFF = ("0", "false", "off", "none")
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A paragraph style by itself; `based_on` gives what it leaves open (None)."""

    name: str
    based_on: str
    outline: int | None
    numbering: tuple[str, int | None] | None
    bold: bool | None


def is_on(holder: etree._Element | None, name: str) -> bool | None:
    """Whether a property of yes and no is set: None when it is not named."""
    found = child(holder, name)
    return None if found is None else value(found).lower() not in _OFF


def parse_count(text: str, default: int | None = None) -> int | None:
    """A whole number of at most six digits, or the default."""
    return int(text) if text.isdecimal() and len(text) < 7 else default


def numbering_of(properties: etree._Element | None) -> tuple[str, int | None] | None:
    """(list, level) of paragraph properties; None when they name no list."""
    found = child(properties, "numPr", "numId")
    return None if found is None else (value(found), parse_count(value(child(properties, "numPr", "ilvl"))))


class Styles:
    """What the styles of a document say of a paragraph."""

    def __init__(self, root: etree._Element | None) -> None:
        rows = [row for row in root if local(row) == "style"] if root is not None else []
        paragraphs = [row for row in rows if value(row, "type") in ("paragraph", "")]
        self._styles = {value(row, "styleId"): _style(row) for row in paragraphs}
        self._default = next(
            (value(row, "styleId") for row in paragraphs if value(row, "default") in ("1", "true")), ""
        )

    def id_of(self, properties: etree._Element | None) -> str:
        """The id of a paragraph's style."""
        return value(child(properties, "pStyle")) or self._default

    def level(self, properties: etree._Element | None) -> int | None:
        """The level of a heading, 0 for the title; None for any other paragraph."""
        outline = parse_count(value(child(properties, "outlineLvl")))
        if outline is not None:
            return outline + 1 if outline < _LEVELS else None
        for style in self._chain(properties):
            match = _HEADING.match(style.name)
            if match:
                return int(match[1])
            if style.name == "title":
                return 0
            if style.outline is not None:
                return style.outline + 1 if style.outline < _LEVELS else None
        return None

    def contents_level(self, properties: etree._Element | None) -> int | None:
        """The level of a line of a table of contents, from 0; None for any other paragraph."""
        found = [match for style in self._chain(properties) if (match := _TOC.match(style.name))]
        return int(found[0][1]) - 1 if found else None

    def is_caption(self, properties: etree._Element | None) -> bool:
        """Whether a paragraph is the caption of a table or picture."""
        return any(style.name == "caption" for style in self._chain(properties))

    def is_bold(self, properties: etree._Element | None) -> bool:
        """Whether a paragraph is bold by its style."""
        return next((style.bold for style in self._chain(properties) if style.bold is not None), False)

    def numbering(self, properties: etree._Element | None) -> tuple[str, int | None, str] | None:
        """(list, level, id of the style that says so or "") of a paragraph; None for one in no list."""
        own = numbering_of(properties)
        if own is not None:
            return (*own, "")
        name = self.id_of(properties)
        for style in self._chain(properties):
            if style.numbering is not None:
                return (*style.numbering, name)
            name = style.based_on
        return None

    def _chain(self, properties: etree._Element | None) -> list[ParagraphStyle]:
        """The style of a paragraph and those that it is based on, each once."""
        found: list[ParagraphStyle] = []
        seen: set[str] = set()
        name = self.id_of(properties)
        while name in self._styles and name not in seen:
            seen.add(name)
            found.append(self._styles[name])
            name = found[-1].based_on
        return found


def _style(row: etree._Element) -> ParagraphStyle:
    properties = child(row, "pPr")
    return ParagraphStyle(
        name=value(child(row, "name")).lower(),
        based_on=value(child(row, "basedOn")),
        outline=parse_count(value(child(properties, "outlineLvl"))),
        numbering=numbering_of(properties),
        bold=is_on(child(row, "rPr"), "b"),
    )


_PLACE = re.compile(r"%([1-9])")
_FORMS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}


@dataclass(frozen=True, slots=True)
class _ListLevel:
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
        return _print_number(levels, level, counts), level

    def _restart(self, number: str, row: etree._Element, counts: dict[int, int]) -> None:
        """A list that begins anew sets its counts once, when it first occurs."""
        if number in self._begun:
            return
        self._begun.add(number)
        for override in row:
            level, start = parse_count(value(override, "ilvl")), parse_count(value(child(override, "startOverride")))
            if level is not None and start is not None:
                counts[level] = start - 1


def _levels(row: etree._Element) -> dict[int, _ListLevel]:
    found = {}
    for own in row:
        level = parse_count(value(own, "ilvl"))
        if local(own) != "lvl" or level is None:
            continue
        found[level] = _ListLevel(
            start=parse_count(value(child(own, "start")), 1) or 0,
            form=value(child(own, "numFmt")) or "decimal",
            pattern=value(child(own, "lvlText")),
            style=value(child(own, "pStyle")),
            legal=child(own, "isLgl") is not None,
        )
    return found


def _print_number(levels: dict[int, _ListLevel], level: int, counts: dict[int, int]) -> str:
    own = levels[level]
    if own.form == "bullet":
        return "-"
    if own.form == "none":
        return ""

    def print_level(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        known = levels.get(place, own)
        number = counts.get(place, known.start)
        return format_number(number, "1" if own.legal else _FORMS.get(known.form, "1"))

    return " ".join(_PLACE.sub(print_level, own.pattern).split())
