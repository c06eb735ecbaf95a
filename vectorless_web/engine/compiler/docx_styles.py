"""Styles of a Word document: which paragraphs are headings, in lists, in bold."""

import re
from dataclasses import dataclass

from lxml import etree

from vectorless_web.engine.compiler.docx_package import child, local, value

_HEADING = re.compile(r"heading ([1-9])$")
_TOC = re.compile(r"toc ([1-9])$")
_OFF = ("0", "false", "off", "none")
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class Style:
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


def whole(text: str, default: int | None = None) -> int | None:
    """A whole number of at most six digits, or the default."""
    return int(text) if text.isdecimal() and len(text) < 7 else default


def numbering_of(properties: etree._Element | None) -> tuple[str, int | None] | None:
    """(list, level) of paragraph properties; None when they name no list."""
    found = child(properties, "numPr", "numId")
    return None if found is None else (value(found), whole(value(child(properties, "numPr", "ilvl"))))


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
        outline = whole(value(child(properties, "outlineLvl")))
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

    def _chain(self, properties: etree._Element | None) -> list[Style]:
        """The style of a paragraph and those that it is based on, each once."""
        found: list[Style] = []
        seen: set[str] = set()
        name = self.id_of(properties)
        while name in self._styles and name not in seen:
            seen.add(name)
            found.append(self._styles[name])
            name = found[-1].based_on
        return found


def _style(row: etree._Element) -> Style:
    properties = child(row, "pPr")
    return Style(
        name=value(child(row, "name")).lower(),
        based_on=value(child(row, "basedOn")),
        outline=whole(value(child(properties, "outlineLvl"))),
        numbering=numbering_of(properties),
        bold=is_on(child(row, "rPr"), "b"),
    )
