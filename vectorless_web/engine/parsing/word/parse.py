"""Blocks of a Word document: headings by style, clauses, lists, tables, footnotes, and the words of each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.figures import PictureShelf, clean_description
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import (
    LONGEST_HEADING,
    BlockWriter,
    format_number,
    remove_invisible,
    tidy_lines,
)
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import guess_level, mark_superscript
from vectorless_web.engine.parsing.package import Package, child, local, not_word, open_package, value
from vectorless_web.engine.parsing.scans.pictures import Cut
from vectorless_web.engine.parsing.tables.spans import SpanCell

_HEADING = re.compile(r"heading ([1-9])$")
_TOC = re.compile(r"toc ([1-9])$")
_OFF = ("0", "false", "off", "none")
_LEVELS = 9
"""Levels of headings in Word."""


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A paragraph style by itself; `based_on` gives what it leaves open (None)."""

    name: str
    based_on: str
    outline: int | None
    numbering: tuple[str, int | None] | None
    bold: bool | None


def is_on(holder: etree._Element | None, name: str) -> bool | None:
    """Whether a yes-or-no property is on; None when it is not named."""
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


_PASSED = frozenset(
    ("pPr", "rPr", "del", "moveFrom", "instrText", "delText", "rt", "Fallback", "sectPr", "tblPr", "tcPr")
)
_DRAWN = frozenset(("drawing", "pict", "object"))
_BREAKS = {"br": "\n", "cr": "\n", "tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_NOTES = ("footnoteReference", "endnoteReference")
# Signs of the symbol fonts that contracts and forms use; others are shown as a dot.
_SYMBOLS = {0x6F: "☐", 0xA8: "☐", 0xFC: "✓", 0xFB: "✗", 0xFD: "☒", 0xFE: "☑", 0xD3: "©", 0xE2: "®", 0xE4: "™"}


@dataclass(slots=True)
class Words:
    """The text of a paragraph. `boxes`: text boxes anchored in it; `notes`: (footnote|endnote, id) in order."""

    text: str = ""
    strong: bool = False
    boxes: list[etree._Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[tuple[str, str, Cut]] = field(default_factory=list)
    """Relation of each picture, and what is said of it."""


def list_children(element: etree._Element) -> list[etree._Element]:
    """The children to read; of alternatives the first with content, else the fallback."""
    if local(element) != "AlternateContent":
        return [own for own in element if local(own) not in _PASSED]
    branches = [own for own in element if local(own) == "Choice" and len(own)]
    return branches[:1] or [part for own in element if local(own) == "Fallback" for part in own]


def paragraph_words(paragraph: etree._Element, *, bold: bool = False) -> Words:
    """Read a paragraph; `bold` is what its style says."""
    words, said, plain = Words(), [""], False
    for properties, part in _run_parts(paragraph):
        name = local(part)
        if is_on(properties, "vanish"):
            continue
        if name in _NOTES:
            words.notes.append((name.removesuffix("Reference"), value(part, "id")))
        elif name in _DRAWN:
            words.boxes.extend(_text_boxes(part))
            words.pictures.extend(_held_pictures(part))
        else:
            text = _read_run_part(name, part)
            if value(child(properties, "vertAlign")) == "superscript":
                text = mark_superscript("".join(said[-4:]), text)
            own = is_on(properties, "b")
            plain = plain or (bool(text.strip()) and not (bold if own is None else own))
            said.append(text)
    words.text = tidy_lines("".join(said))
    words.strong = bool(words.text) and not plain
    return words


def _run_parts(paragraph: etree._Element) -> Iterator[tuple[etree._Element | None, etree._Element]]:
    """(properties of its run, part) in reading order; drawings whole. Properties are looked for once a run."""
    stack: list[tuple[etree._Element | None, etree._Element]] = [
        (None, own) for own in reversed(list_children(paragraph))
    ]
    while stack:
        properties, element = stack.pop()
        name = local(element)
        if name in _DRAWN or name in _NOTES or name in _BREAKS or name in ("t", "sym"):
            yield properties, element
        else:
            own_properties = child(element, "rPr") if name == "r" else properties
            stack.extend((own_properties, own) for own in reversed(list_children(element)))


def _read_run_part(name: str, part: etree._Element) -> str:
    if name == "t":
        return part.text or ""
    if name != "sym":
        return _BREAKS[name]
    code = value(part, "char")
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return _SYMBOLS.get(number & 0xFF, "•") if 0xF000 <= number <= 0xF0FF else chr(number) if number < 0xD800 else ""


def _text_boxes(drawn: etree._Element) -> list[etree._Element]:
    found, stack = [], [drawn]
    while stack:
        element = stack.pop()
        if local(element) == "txbxContent":
            found.append(element)
        else:
            stack.extend(reversed(list_children(element)))
    return found


def _read_cut(element: etree._Element) -> Cut:
    """What a picture's frame cuts away: DrawingML in thousandths of a percent, VML in shares or 65,536ths."""
    if local(element) == "imagedata":
        sides = (value(element, f"crop{side}") for side in ("left", "top", "right", "bottom"))
        parts = [_VML_SHARE.fullmatch(side) for side in sides]
        shares = [float(part[1]) / (65536 if part[2] else 1) if part else 0.0 for part in parts]
    else:
        parent = element.getparent()
        rectangle = child(parent, "srcRect") if parent is not None else None
        shares = [_parse_share(value(rectangle, side)) for side in "ltrb"]
    left, top, right, bottom = shares
    return (left, top, right, bottom)


_VML_SHARE = re.compile(r"(-?\d{0,9}\.?\d{1,9})(f?)")


def _parse_share(text: str) -> float:
    return int(text) / 100_000 if re.fullmatch(r"-?\d{1,7}", text) else 0.0


def _held_pictures(drawn: etree._Element) -> Iterator[tuple[str, str, Cut]]:
    """(relation, description, what is cut away) of the pictures of a drawing, those of its text boxes aside."""
    said, stack = "", [drawn]
    while stack:
        element = stack.pop()
        name = local(element)
        if name == "docPr":
            said = value(element, "descr") or value(element, "title")
        elif name in ("blip", "imagedata"):
            relation = value(element, "embed") or value(element, "id")
            yield relation, said or value(element, "title"), _read_cut(element)
        if name != "txbxContent":
            stack.extend(reversed(list_children(element)))


def is_data_table(table: etree._Element) -> bool:
    """Whether a table has more than one cell and no table within."""
    cells = 0
    for element in table.iter():
        name = local(element)
        if name == "tbl" and element is not table:
            return False
        cells += name == "tc"
    return cells > 1


def table_rows(table: etree._Element, said: Callable[[etree._Element], str]) -> tuple[list[list[SpanCell]], int]:
    """The cells of each row, and how many leading rows are marked to be repeated as headers."""
    rows: list[list[SpanCell]] = []
    headers = 0
    for row in _find_elements(table, "tr"):
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            continue
        if headers == len(rows) and is_on(properties, "tblHeader"):
            headers += 1
        before = parse_count(value(child(properties, "gridBefore")), 0) or 0
        cells = [_cell(cell, said(cell)) for cell in _find_elements(row, "tc")]
        rows.append([SpanCell("")] * min(before, 8) + cells)
    return rows, headers


def _cell(cell: etree._Element, text: str) -> SpanCell:
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    goes_on = merged is not None and value(merged) != "restart"
    across = parse_count(value(child(properties, "gridSpan")), 1) or 1
    return SpanCell(text, across=across, above=goes_on and not text, strong=bool(text) and _is_strong(cell))


def _is_strong(cell: etree._Element) -> bool:
    runs = [run for run in cell.iter() if local(run) == "r" and any(local(own) == "t" for own in run)]
    return bool(runs) and all(is_on(child(run, "rPr"), "b") for run in runs)


def _find_elements(container: etree._Element, name: str) -> Iterator[etree._Element]:
    stack = [iter(list_children(container))]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif not len(element):
            continue  # an empty line: there may be a million, and each would be looked at for its style
        elif local(element) == name:
            yield element
        else:
            stack.append(iter(list_children(element)))


_DEEPEST_BOX = 8
"""Text boxes inside text boxes that are read."""


def read_docx(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read a Word document.

    UnreadableDocument: `damaged_docx`, `encrypted_docx`, `zip_bomb`, `unsafe_docx`, `unsupported_type`, `no_text`.
    """
    with open_package(path, limits) as package:
        main = package.find_main("word/document.xml")
        root = package.xml(main)
        body = child(root, "body")
        if root is None or local(root) != "document" or body is None:
            raise not_word()
        targets = package.find_targets(main)
        shelf = PictureShelf(lambda key: package.read_picture(targets.get(key, "")), limits)
        reader = _WordReader(parts=_WordParts.of(package, main), shelf=shelf)
        reader.read(body)
        reader.writer.refuse_empty(package.kind.name)
        return reader.writer.finish(package.title(), [*package.tell_left_out(), *shelf.tell()])


@dataclass(frozen=True, slots=True)
class _WordParts:
    styles: Styles
    numbering: Numbering
    notes: dict[tuple[str, str], etree._Element]
    running: list[etree._Element]

    @classmethod
    def of(cls, package: Package, main: str) -> "_WordParts":
        related = package.find_related(main)

        def roots(kind: str) -> list[etree._Element]:
            return [root for name in related.get(kind, []) if (root := package.xml(name)) is not None]

        notes = {
            (kind, value(row, "id")): row
            for kind in ("footnote", "endnote")
            for root in roots(f"{kind}s")
            for row in root
        }
        return cls(
            styles=Styles(next(iter(roots("styles")), None)),
            numbering=Numbering(next(iter(roots("numbering")), None)),
            notes=notes,
            running=[*roots("header"), *roots("footer")],
        )


@dataclass(slots=True)
class _WordReader:
    parts: _WordParts
    shelf: PictureShelf
    writer: BlockWriter = field(default_factory=BlockWriter)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    caption: str = ""
    marked: bool = True

    def read(self, body: etree._Element) -> None:
        """Write the headers and footers, each once, and then the body."""
        running = dict.fromkeys(self._line(root) for root in self.parts.running)
        for text in running:
            if any(character.isalpha() for character in text):
                self.writer.write(NodeKind.RUNNING, text)
        blocks = _block_elements(body)
        self.marked = any(self._styled_level(own) is not None for own in _block_elements(body) if local(own) == "p")
        self._blocks(blocks, 0)
        self.writer.end_list()
        self._write_notes()

    def _blocks(self, elements: Iterator[etree._Element], depth: int) -> None:
        for element in elements:
            if local(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element, depth)

    def _styled_level(self, paragraph: etree._Element) -> int | None:
        return self.parts.styles.level(child(paragraph, "pPr"))

    def _paragraph(self, paragraph: etree._Element, depth: int) -> None:
        properties = child(paragraph, "pPr")
        words = self._words(paragraph)
        mark = self._mark(properties, words)
        if words.text:
            self._write(properties, words, mark)
        self.waiting.extend(words.notes)
        self._write_pictures(words)
        for box in words.boxes:
            if depth < _DEEPEST_BOX:
                self._blocks(_block_elements(box), depth + 1)

    def _write_pictures(self, words: Words) -> None:
        for relation, said, cut in words.pictures:
            picture = self.shelf.take_address(relation, cut)
            if picture is not None:
                self._write_notes()
                self.writer.write_figure(picture, clean_description(remove_invisible(said)))

    def _words(self, paragraph: etree._Element) -> Words:
        return paragraph_words(paragraph, bold=self.parts.styles.is_bold(child(paragraph, "pPr")))

    def _mark(self, properties: etree._Element | None, words: Words) -> tuple[str, int] | None:
        found = self.parts.styles.numbering(properties)
        return self.parts.numbering.mark(*found) if found and words.text else None

    def _write(self, properties: etree._Element | None, words: Words, mark: tuple[str, int] | None) -> None:
        styles = self.parts.styles
        said = f"{mark[0]} {words.text}".strip() if mark else words.text
        level = self._level(properties, words, said, listed=mark is not None)
        contents = styles.contents_level(properties)
        if level is not None:
            self._write_notes()
            self.writer.write(NodeKind.SECTION, said.replace("\n", " "), level=level)
        elif contents is not None:
            self.writer.write_item(said, depth=contents)
        elif mark is not None:
            self.writer.write_item(words.text, mark=mark[0], depth=mark[1])
        elif styles.is_caption(properties):
            self._write_notes()
            self.writer.write(NodeKind.CAPTION, said)
            self.caption = said
            return
        else:
            self._write_notes()
            self.writer.write_paragraph(said)
        self.caption = ""

    def _level(self, properties: etree._Element | None, words: Words, said: str, *, listed: bool) -> int | None:
        """The level of a heading. A whole clause in such a style is no heading; without styles the words decide."""
        level = self.parts.styles.level(properties)
        if level is not None:
            return level if len(said) <= LONGEST_HEADING else None
        if self.marked or (listed and not words.strong):
            return None
        return guess_level(said, strong=words.strong)

    def _table(self, table: etree._Element) -> None:
        self._write_notes()
        rows, headers = table_rows(table, self._line)
        self.writer.write_table(rows, headers=headers, title=self.caption)
        self.caption = ""

    def _line(self, container: etree._Element, depth: int = 0) -> str:
        said = []
        for paragraph in _block_elements(container, whole_tables=False):
            words = self._words(paragraph)
            mark = self._mark(child(paragraph, "pPr"), words)
            said += [mark[0] if mark else "", words.text]
            self.waiting.extend(words.notes)
            self._write_pictures(words)
            if depth < _DEEPEST_BOX:
                said += [self._line(box, depth + 1) for box in words.boxes]
        return " ".join(" ".join(said).split())

    def _write_notes(self) -> None:
        waiting, self.waiting = self.waiting, []
        for kind, name in waiting:
            note = self.parts.notes.get((kind, name))
            if note is None:
                continue
            self.counts[kind] = self.counts.get(kind, 0) + 1
            text = self._line(note)
            if text:
                self.writer.write(NodeKind.FOOTNOTE, f"{self.counts[kind]} {text}")


def _block_elements(container: etree._Element, *, whole_tables: bool = True) -> Iterator[etree._Element]:
    """Paragraphs and tables of data in reading order, without recursion; other tables only arrange what they hold."""
    stack = [iter(list_children(container))]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif local(element) == "p" or (whole_tables and local(element) == "tbl" and is_data_table(element)):
            yield element
        else:
            stack.append(iter(list_children(element)))
