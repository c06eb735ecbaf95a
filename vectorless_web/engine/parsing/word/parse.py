"""Blocks of a Word document: headings by style, numbered clauses, lists, tables, footnotes, text boxes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.pages import TextBlock
from vectorless_web.engine.parsing.markup.plaintext import guess_level
from vectorless_web.engine.parsing.tables.spans import SpanCell
from vectorless_web.engine.parsing.word.package import Package, child, local, not_word, open_package, value
from vectorless_web.engine.parsing.word.styles import Numbering, Styles, is_on, parse_count
from vectorless_web.engine.parsing.word.text import Words, list_children, paragraph_words


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
        rows.append([SpanCell("")] * min(before, 8) + [_cell(cell, said(cell)) for cell in _find_elements(row, "tc")])
    return rows, headers


def _cell(cell: etree._Element, text: str) -> SpanCell:
    properties = child(cell, "tcPr")
    merged = child(properties, "vMerge")
    goes_on = merged is not None and value(merged) != "restart"
    return SpanCell(text, across=parse_count(value(child(properties, "gridSpan")), 1) or 1, above=goes_on and not text)


def _find_elements(container: etree._Element, name: str) -> Iterator[etree._Element]:
    """Rows or cells in order, also those within content controls."""
    stack = [iter(list_children(container))]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif local(element) == name:
            yield element
        else:
            stack.append(iter(list_children(element)))


_LONGEST_HEADING = 220
_DEEPEST_BOX = 8


@dataclass(frozen=True, slots=True)
class WordText:
    """The readable text of a document, its blocks, and the title that its properties give."""

    text: str
    blocks: Sequence[TextBlock]
    title: str


def read_docx(path: Path, *, limits: CompileLimits) -> WordText:
    """Read a Word document.

    UnreadableDocument: `damaged_docx`, `encrypted_docx`, `zip_bomb`, `unsafe_docx`, `unsupported_type`, `no_text`.
    """
    with open_package(path, limits) as package:
        related = package.find_related("")
        main = next(iter(related.get("officeDocument", [])), "word/document.xml")
        root = package.xml(main)
        body = child(root, "body")
        if root is None or local(root) != "document" or body is None:
            raise not_word()
        reader = _WordReader(parts=_WordParts.of(package, main))
        reader.read(body)
        title = child(package.xml(next(iter(related.get("core-properties", [])), "docProps/core.xml")), "title")
        writer = reader.writer
        _check(writer, limits)
        return WordText(writer.text, writer.blocks, remove_invisible(title.text or "") if title is not None else "")


def _check(writer: BlockWriter, limits: CompileLimits) -> None:
    if all(block.kind is NodeKind.RUNNING for block in writer.blocks):
        raise UnreadableDocument(
            "This Word document holds no text; pages that are pictures have none."
            " Run text recognition (OCR) on it and upload the PDF.",
            code="no_text",
        )
    if writer.length > limits.characters:
        raise UnreadableDocument("This text is too long to be read. Split it into smaller files.", code="too_large")


@dataclass(frozen=True, slots=True)
class _WordParts:
    """The parts of a document besides its body; `notes` by kind and id."""

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
    """Writes a document's blocks; footnotes come behind the block that refers to them."""

    parts: _WordParts
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
        for box in words.boxes:
            if depth < _DEEPEST_BOX:
                self._blocks(_block_elements(box), depth + 1)

    def _words(self, paragraph: etree._Element) -> Words:
        return paragraph_words(paragraph, bold=self.parts.styles.is_bold(child(paragraph, "pPr")))

    def _mark(self, properties: etree._Element | None, words: Words) -> tuple[str, int] | None:
        """The number that Word prints before a paragraph; an empty one does not count."""
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
        """The level of a heading. A whole clause in a heading's style is none; where no style is used, words tell."""
        level = self.parts.styles.level(properties)
        if level is not None:
            return level if len(said) <= _LONGEST_HEADING else None
        if self.marked or (listed and not words.strong):
            return None
        return guess_level(said, strong=words.strong)

    def _table(self, table: etree._Element) -> None:
        self._write_notes()
        rows, headers = table_rows(table, self._line)
        self.writer.write_table(rows, headers=headers, title=self.caption)
        self.caption = ""

    def _line(self, container: etree._Element, depth: int = 0) -> str:
        """Everything in a cell, note, header or text box, in one line."""
        said = []
        for paragraph in _block_elements(container, whole_tables=False):
            words = self._words(paragraph)
            mark = self._mark(child(paragraph, "pPr"), words)
            said += [mark[0] if mark else "", words.text]
            self.waiting.extend(words.notes)
            if depth < _DEEPEST_BOX:
                said += [self._line(box, depth + 1) for box in words.boxes]
        return " ".join(" ".join(said).split())

    def _write_notes(self) -> None:
        """Write the notes that what stands before refers to, each behind its number."""
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
