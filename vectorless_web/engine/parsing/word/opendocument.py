"""Reads an OpenDocument text (.odt): headings, numbered lists, tables with spans, footnotes; not what was deleted."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
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
    tell_counts,
    tidy_lines,
)
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import guess_level, mark_superscript
from vectorless_web.engine.parsing.package import PackageKind, child, local, open_package, refuse_locked, value
from vectorless_web.engine.parsing.tables.spans import SpanCell
from vectorless_web.engine.parsing.word.parse import parse_count

TEXT_DOCUMENT = PackageKind("OpenDocument text", "LibreOffice", "odt")
_PASSED = frozenset(
    ("tracked-changes", "annotation", "annotation-end", "sequence-decls", "variable-decls", "user-field-decls", "forms",
     "ruby-text", "note-citation", "object", "object-ole", "image", "script", "title", "desc", "event-listeners")
)  # fmt: skip
_WHITE = {"s": " ", "tab": " ", "line-break": "\n"}
_HEADING, _CONTENTS = re.compile(r"heading ([1-9])$"), re.compile(r"contents ([1-9])$")
_MOST_REPEATED = 100
"""Times that a filled row is written when the file says that it repeats."""


def read_text_document(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read an OpenDocument text.

    UnreadableDocument: `damaged_odt`, `encrypted_odt`, `zip_bomb`, `unsafe_odt`, `too_large`, `no_text`.
    """
    with open_package(path, limits, TEXT_DOCUMENT) as package:
        refuse_locked(package)
        root = package.xml("content.xml")
        body = child(root, "body", "text")
        if root is None or body is None:
            raise KeyError("content.xml")
        looks = package.xml("styles.xml")
        shelf = PictureShelf(package.read_picture, limits)
        reader = _TextReader(_OpenStyles.of(looks, root), shelf)
        reader.read_running(looks)
        reader.read(body)
        title, told = package.title(), package.tell_left_out()
    reader.writer.refuse_empty(TEXT_DOCUMENT.name)
    unseen = Counter(local(own) for own in body.iter("{*}deletion", "{*}annotation"))
    left_out = {
        "tracked deletion": unseen["deletion"],
        "comment": unseen["annotation"],
        "hidden passage": reader.hidden,
    }
    return reader.writer.finish(title, [*told, *shelf.tell(), *tell_counts(left_out)])


@dataclass(frozen=True, slots=True)
class _Style:
    """A paragraph or character style by itself; its parent gives what it leaves open (None)."""

    name: str
    parent: str
    bold: bool | None
    hidden: bool
    raised: bool
    outline: int | None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _OpenListLevel:
    """How the items of one level of a list are marked: `form` is "" for bullets."""

    form: str
    before: str
    behind: str
    start: int
    shown: int


@dataclass(frozen=True, slots=True)
class _OpenStyles:
    styles: dict[str, _Style]
    lists: dict[str, dict[int, _OpenListLevel]]
    outline: dict[int, _OpenListLevel]

    @classmethod
    def of(cls, *roots: etree._Element | None) -> "_OpenStyles":
        """The styles of all parts; those of a later one go before."""
        styles: dict[str, _Style] = {}
        lists: dict[str, dict[int, _OpenListLevel]] = {}
        outline: dict[int, _OpenListLevel] = {}
        for element in (own for root in roots if root is not None for own in root.iter("{*}*")):
            name = local(element)
            if name == "style":
                styles[value(element, "name")] = _read_style(element)
            elif name == "list-style":
                lists[value(element, "name")] = _read_levels(element)
            elif name == "outline-style":
                outline = _read_levels(element)
        return cls(styles, lists, outline)

    def chain(self, name: str) -> Iterator[_Style]:
        """A style and those it is based on, each once."""
        seen: set[str] = set()
        while name in self.styles and name not in seen:
            seen.add(name)
            yield self.styles[name]
            name = self.styles[name].parent

    def is_bold(self, name: str) -> bool | None:
        return next((style.bold for style in self.chain(name) if style.bold is not None), None)

    def is_hidden(self, name: str) -> bool:
        return any(style.hidden for style in self.chain(name))

    def level(self, element: etree._Element) -> int | None:
        """The level of a heading, 0 for the title; None for any other paragraph."""
        own = parse_count(value(element, "outline-level"))
        if local(element) == "h":
            return own or 1
        for style in self.chain(value(element, "style-name")):
            if style.name == "title":
                return 0
            match = _HEADING.match(style.name)
            if style.outline or match:
                return style.outline or int(match[1] if match else 1)
        return None

    def contents_level(self, element: etree._Element) -> int | None:
        """The level of a line of a table of contents, from 0; None for any other paragraph."""
        names = (style.name for style in self.chain(value(element, "style-name")))
        found = [match for name in names if (match := _CONTENTS.match(name))]
        return int(found[0][1]) - 1 if found else None

    def is_cut(self, name: str) -> bool:
        """Whether a frame of this style shows only a part of its picture."""
        return any(style.cut for style in self.chain(name))

    def is_caption(self, element: etree._Element) -> bool:
        """Whether a paragraph's style is that of captions or one of those based on it (Table, Illustration)."""
        return any(style.name == "caption" for style in self.chain(value(element, "style-name")))


def _read_style(element: etree._Element) -> _Style:
    words = child(element, "text-properties")
    weight, place = value(words, "font-weight"), value(words, "text-position")
    return _Style(
        name=(value(element, "display-name") or value(element, "name").replace("_20_", " ")).lower(),
        parent=value(element, "parent-style-name"),
        bold=weight in ("bold", "700", "800", "900") if weight else None,
        hidden=value(words, "display") == "none",
        raised=place.startswith(("super", "33")),
        outline=parse_count(value(element, "default-outline-level")),
        cut=bool(_LENGTH.search(value(child(element, "graphic-properties"), "clip"))),
    )


_LENGTH = re.compile(r"[1-9]")
"""A length that is not nothing, within "rect(0cm, 1.2cm, 0cm, 0cm)"."""


def _read_levels(element: etree._Element) -> dict[int, _OpenListLevel]:
    levels = {}
    for own in element:
        level = parse_count(value(own, "level"))
        if level is None:
            continue
        numbered = local(own) in ("list-level-style-number", "outline-level-style")
        levels[level] = _OpenListLevel(
            form=value(own, "num-format") if numbered else "bullet",
            before=value(own, "num-prefix"),
            behind=value(own, "num-suffix"),
            start=parse_count(value(own, "start-value"), 1) or 1,
            shown=parse_count(value(own, "display-levels"), 1) or 1,
        )
    return levels


@dataclass(slots=True)
class _Count:
    levels: dict[int, _OpenListLevel]
    counts: dict[int, int] = field(default_factory=dict)

    def next_mark(self, level: int, start: int | None = None) -> str:
        """The mark of the next item of a level (from 1); "" where none is printed."""
        own = self.levels.get(level)
        if own is None:
            return "-"
        self.counts[level] = start if start is not None else self.counts.get(level, own.start - 1) + 1
        for deeper in [known for known in self.counts if known > level]:
            del self.counts[deeper]
        if own.form == "bullet":
            return "-"
        if not own.form:
            return ""
        shown = range(max(level - own.shown + 1, 1), level + 1)
        numbers = (self._print(known) for known in shown)
        return own.before + ".".join(number for number in numbers if number) + own.behind

    def _print(self, level: int) -> str:
        known = self.levels.get(level)
        if known is None or known.form in ("", "bullet"):
            return ""
        return format_number(self.counts.get(level, known.start), known.form)


@dataclass(slots=True)
class _Words:
    """The text of a paragraph, the frames anchored in it, and the notes it refers to in their order."""

    parts: list[str] = field(default_factory=list)
    plain: bool = False
    boxes: list[etree._Element] = field(default_factory=list)
    notes: list[etree._Element] = field(default_factory=list)
    pictures: list[etree._Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return tidy_lines("".join(self.parts))

    @property
    def strong(self) -> bool:
        return not self.plain and bool(self.text)


@dataclass(slots=True)
class _TextReader:
    styles: _OpenStyles
    shelf: PictureShelf
    writer: BlockWriter = field(default_factory=BlockWriter)
    waiting: list[etree._Element] = field(default_factory=list)
    lists: dict[str, _Count] = field(default_factory=dict)
    outline: _Count = field(default_factory=lambda: _Count({}))
    caption: str = ""
    marked: bool = False
    hidden: int = 0

    def read_running(self, looks: etree._Element | None) -> None:
        """Write headers and footers, each once."""
        parts = looks.iter("{*}header", "{*}footer") if looks is not None else ()
        for text in dict.fromkeys(self._line(part) for part in parts):
            if any(character.isalpha() for character in text):
                self.writer.write(NodeKind.RUNNING, text)

    def read(self, body: etree._Element) -> None:
        """Write the body."""
        self.marked = any(self.styles.level(own) is not None for own in body.iter("{*}h", "{*}p"))
        self.outline = _Count(self.styles.outline)
        self._blocks(body)
        self.writer.end_list()
        self._write_notes()

    def _blocks(self, container: etree._Element) -> None:
        for element in container:
            kind = local(element)
            if kind in ("p", "h"):
                self._paragraph(element)
            elif kind == "list":
                self._list(element, 1, "")
            elif kind == "table":
                self._table(element)
            elif kind == "frame" and child(element, "image") is not None:
                self._write_beside(_Words(pictures=[own for own in element if local(own) == "image"]))
            elif kind not in _PASSED and value(element, "display") != "none":
                self._blocks(element)

    def _paragraph(self, element: etree._Element) -> None:
        words = self._words(element)
        text, level = words.text, self.styles.level(element)
        if level and local(element) == "h" and value(element, "is-list-header") != "true" and self.styles.outline:
            text = f"{self.outline.next_mark(level)} {text}".strip() if text else ""
        if level is None and not self.marked and text:
            level = guess_level(text, strong=words.strong)
        contents = self.styles.contents_level(element)
        if contents is None:
            self._write_notes_before(text)
        if level is not None and len(text) <= LONGEST_HEADING:
            self.writer.write(NodeKind.SECTION, text.replace("\n", " "), level=level)
        elif text and self.styles.is_caption(element):
            self.writer.write(NodeKind.CAPTION, text)
        elif contents is not None:
            self.writer.write_item(text, depth=contents)
        else:
            self.writer.write_paragraph(text)
        if text:
            self.caption = text if self.styles.is_caption(element) else ""
        self._write_beside(words)

    def _write_notes_before(self, text: str) -> None:
        if text:
            self.writer.end_list()
            self._write_notes()

    def _write_beside(self, words: _Words) -> None:
        self.waiting.extend(words.notes)
        for image in words.pictures:
            if self.styles.is_cut(value(image.getparent(), "style-name")):
                self.shelf.unread += 1  # how much is cut away stands in lengths of a size that nothing tells
                continue
            picture = self.shelf.take_address(value(image, "href").removeprefix("./"))
            if picture is not None:
                self._write_notes()
                self.writer.write_figure(picture, clean_description(remove_invisible(_describe(image))))
        for box in words.boxes:
            self._blocks(box)

    def _list(self, element: etree._Element, level: int, style: str) -> None:
        style = value(element, "style-name") or style
        count = self.lists.get(style) if level > 1 or value(element, "continue-numbering") == "true" else None
        if count is None:
            count = self.lists[style] = _Count(self.styles.lists.get(style, {}))
        for item in element:
            if local(item) not in ("list-item", "list-header"):
                continue
            is_first = local(item) == "list-item"
            start = parse_count(value(item, "start-value"))
            for own in item:
                kind = local(own)
                if kind == "list":
                    self._list(own, level + 1, style)
                elif kind in ("p", "h"):
                    self._item(own, count.next_mark(level, start) if is_first else "", level)
                    is_first = False
                else:
                    self._blocks(item)
                    break

    def _item(self, element: etree._Element, mark: str, level: int) -> None:
        words = self._words(element)
        heading = self.styles.level(element)
        if heading is not None and words.text:
            self._write_notes_before(words.text)
            said = f"{mark} {words.text}" if mark not in ("", "-") else words.text
            self.writer.write(NodeKind.SECTION, said.replace("\n", " "), level=heading)
        else:
            self.writer.write_item(words.text, mark=mark if words.text else "", depth=level - 1)
        self.caption = ""
        self._write_beside(words)

    def _table(self, table: etree._Element) -> None:
        self._write_notes_before("table")
        if not _is_data_table(table):
            for cell in table.iter("{*}table-cell"):
                if next((own for own in cell.iterancestors("{*}table")), None) is table:
                    self._blocks(cell)
            return
        rows: list[list[SpanCell]] = []
        headers = 0
        for row, is_header in _table_rows(table):
            cells = [self._cell(cell, is_header) for cell in row if local(cell) == "table-cell"]
            repeated = parse_count(value(row, "number-rows-repeated"), 1) or 1
            rows.extend([cells] * (min(repeated, _MOST_REPEATED) if any(cell.text for cell in cells) else 1))
            headers += is_header
        self.writer.write_table(rows, headers=headers, title=self.caption)
        self.caption = ""

    def _cell(self, cell: etree._Element, is_header: bool) -> SpanCell:
        words = [self._words(line) for line in cell.iter("{*}p", "{*}h") if not _is_noted(line, cell)]
        text = " ".join(" ".join(own.text.split()) for own in words if own.text)
        for own in words:
            self.waiting.extend(own.notes)
        return SpanCell(
            text,
            across=parse_count(value(cell, "number-columns-spanned"), 1) or 1,
            down=parse_count(value(cell, "number-rows-spanned"), 1) or 1,
            strong=is_header or (bool(text) and all(own.strong for own in words if own.text)),
        )

    def _line(self, container: etree._Element) -> str:
        lines = (self._words(own).text for own in container.iter("{*}p", "{*}h"))
        return " ".join(" ".join(lines).split())

    def _words(self, paragraph: etree._Element) -> _Words:
        words = _Words()
        bold = self.styles.is_bold(value(paragraph, "style-name"))
        if not self.styles.is_hidden(value(paragraph, "style-name")):
            self._gather(words, paragraph, bool(bold), False)
        return words

    def _gather(self, words: _Words, holder: etree._Element, bold: bool, raised: bool) -> None:
        _say(words, holder.text, bold, raised)
        for element in holder:
            kind, style = local(element), value(element, "style-name")
            if kind in _WHITE:
                words.parts.append(_WHITE[kind])
            elif kind == "note":
                words.notes.append(element)
            elif kind == "text-box":
                words.boxes.append(element)
            elif kind == "image":
                words.pictures.append(element)
            elif kind == "hidden-text" or (kind == "span" and self.styles.is_hidden(style)):
                self.hidden += 1
            elif kind not in _PASSED:
                own = self.styles.is_bold(style) if kind == "span" else None
                lifted = raised or any(known.raised for known in self.styles.chain(style))
                self._gather(words, element, bold if own is None else own, lifted)
            _say(words, element.tail, bold, raised)

    def _write_notes(self) -> None:
        waiting, self.waiting = self.waiting, []
        for note in waiting:
            citation, text = child(note, "note-citation"), child(note, "note-body")
            said = self._line(text) if text is not None else ""
            mark = "".join(citation.itertext()).strip() if citation is not None else ""
            if said:
                self.writer.write(NodeKind.FOOTNOTE, f"{mark} {said}".strip())


def _describe(image: etree._Element) -> str:
    frame = image.getparent()
    said = child(frame, "desc")
    said = child(frame, "title") if said is None else said
    return (said.text or "") if said is not None else ""


def _say(words: _Words, text: str | None, bold: bool, raised: bool) -> None:
    if not text:
        return
    said = " ".join(text.split("\n"))
    words.plain = words.plain or (bool(said.strip()) and not bold)
    words.parts.append(mark_superscript("".join(words.parts[-4:]), said) if raised else said)


def _is_noted(line: etree._Element, cell: etree._Element) -> bool:
    """Whether a paragraph is in a note that is anchored in another paragraph of the same cell."""
    for holder in line.iterancestors():
        if holder is cell:
            return False
        if local(holder) in ("note", "annotation"):
            return True
    return False


def _is_data_table(table: etree._Element) -> bool:
    cells = sum(1 for _ in table.iter("{*}table-cell"))
    return cells > 1 and next((own for own in table.iter("{*}table") if own is not table), None) is None


def _table_rows(table: etree._Element) -> Sequence[tuple[etree._Element, bool]]:
    """(row, whether it is marked to be repeated as a header) in their order."""
    rows = []
    for row in table.iter("{*}table-row"):
        holders = row.iterancestors("{*}table-header-rows", "{*}table")
        rows.append((row, local(next(holders)) == "table-header-rows"))
    return rows
