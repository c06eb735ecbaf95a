"""Writes the readable text of a file without printed pages, and notes where each block is in it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS, DocumentText, Heads, TextBlock
from vectorless_web.engine.parsing.markup.plaintext import cut_paragraph
from vectorless_web.engine.parsing.patterns import form_of
from vectorless_web.engine.parsing.tables.spans import SpanCell, SpanGrid, lay_out

_LONG_LIST, _LONG_ITEM, _DEEPEST_INDENT = 1_400, 400, 8
"""Characters to which items of a list are joined to one leaf, characters from which an item is a leaf by itself, and
levels to which items are indented."""
LONGEST_HEADING = 220
"""Characters of a heading in a word processor's file at most, as in PDF files (outline.heading)."""
# Characters that show nothing: soft hyphens, zero-width spaces, byte order marks, control characters.
_UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF))
_CONTROL = dict.fromkeys((*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)), " ")
_CLEANED = {**_CONTROL, **_UNSEEN}


def remove_invisible(text: str) -> str:
    """A text without characters that show nothing."""
    return text.translate(_CLEANED)


def tidy_lines(text: str) -> str:
    """The lines of a text without outer and double spaces, and without what shows nothing."""
    return "\n".join(" ".join(line.split()) for line in remove_invisible(text).split("\n")).strip()


def tell_counts(left_out: Mapping[str, int], more: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """A sentence on each kind of things that were left out; `more` has those that say something else of a kind."""
    for kind, count in left_out.items():
        if count:
            things, were = f"{count:,} {kind}{'' if count == 1 else 's'}", "was" if count == 1 else "were"
            yield more.get(kind, "{things} {were} left out.").format(things=things, were=were)


@dataclass(slots=True)
class BlockWriter:
    """Gathers the text and its blocks; items of lists are kept together until another block comes."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[TextBlock] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    parts_written: int = 0
    """Parts of the last table."""
    fences: Fences = field(default_factory=Fences)
    """Around readers whose failure costs a table or a shape and not the document."""

    @property
    def has_text(self) -> bool:
        """Whether anything was written besides pictures."""
        return any(block.has_text for block in self.blocks)

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self.parts)

    def refuse_empty(self, name: str) -> None:
        """UnreadableDocument (`no_text`) when nothing but running lines and pictures was written."""
        if all(block.kind is NodeKind.RUNNING or not block.has_text for block in self.blocks):
            raise UnreadableDocument(
                f"This {name} holds no text; pages that are pictures have none.",
                remedy="Run text recognition (OCR) on it and upload the PDF.",
                code="no_text",
            )

    def finish(
        self, title: str = "", remarks: Iterable[str] = (), *, starts: Sequence[int] = (), shown_title: str = ""
    ) -> DocumentText:
        """The text that was written, with what could not be read as the last remarks."""
        return DocumentText(self.text, self.blocks, title, [*remarks, *self.fences.tell()], starts, shown_title)

    def write(self, kind: NodeKind, text: str, *, level: int = -1) -> None:
        """Add a block; text that is only white space is none."""
        self.end_list()
        text = text.strip("\n")
        if not text.strip():
            return
        start = self.length
        title = " ".join(text.split()) if kind is NodeKind.SECTION else ""
        label = form_of(title).label if title else ""
        self._append(text + "\n\n")
        self.blocks.append(TextBlock(kind, start, start + len(text), level, title, label))

    def write_paragraph(self, text: str) -> None:
        """Add a paragraph, an endless one in several."""
        text = text.strip()
        for block in cut_paragraph(text, 0, len(text)):
            self.write(NodeKind.PARAGRAPH, text[block.start : block.end].strip())

    def write_figure(self, picture: FigurePicture, text: str = "") -> None:
        """Add a picture with what is said of it, which may be nothing."""
        self.end_list()
        said = text.strip()
        if said:
            self.write(NodeKind.FIGURE, said)
        else:
            self.blocks.append(TextBlock(NodeKind.FIGURE, self.length, self.length))
        self.blocks[-1].picture = picture

    def write_item(self, text: str, *, mark: str = "", depth: int = 0) -> None:
        """Add an item of a list; an item as long as a paragraph becomes one."""
        said = f"{mark} {text}".strip()
        if len(text) > _LONG_ITEM:
            self.write_paragraph(said)
            return
        if sum(map(len, self.items)) + len(said) > _LONG_LIST:
            self.end_list()
        if said:
            indent = "  " * min(depth, _DEEPEST_INDENT)
            self.items.append(indent + said.replace("\n", "\n" + indent))

    def extend(self, text: str, blocks: Sequence[TextBlock]) -> None:
        """Add a text that was read elsewhere, with its blocks."""
        self.end_list()
        start = self.length
        for block in blocks:
            cells = block.cells and [[(begin + start, end + start) for begin, end in row] for row in block.cells]
            self.blocks.append(replace(block, start=block.start + start, end=block.end + start, cells=cells))
        self._append(text.rstrip("\n") + "\n\n")

    def end_list(self) -> None:
        """Write the items that wait as one list."""
        if self.items:
            items, self.items = self.items, []
            self.write(NodeKind.LIST, "\n".join(items))

    def write_table(
        self, rows: Sequence[Sequence[SpanCell]], *, headers: int = 0, title: str = "", continued: bool = False
    ) -> None:
        """Add a table with spanning cells; a long table becomes parts of about a page, each with the headers.

        `continued`: it carries on the table before, and its header rows are not written again.
        """
        self.end_list()
        grid = self.fences.read("tables", -1, lambda: lay_out(rows, headers=headers), None)
        if grid is None:
            for row in rows:
                self.write_paragraph(" ".join(cell.text for cell in row))
            return
        begun = self.parts_written if continued else 0
        for part, (first, last) in enumerate(_table_parts(grid, grid.headers if continued else 0), start=begun):
            self._table_part(grid, first, last, title, part)
            self.parts_written = part + 1

    def _table_part(self, grid: SpanGrid, first: int, last: int, title: str, part: int) -> None:
        start, cells = self.length, [self._row(row) for row in grid.shown[first:last]]
        labels = tuple(row[0] for row in grid.filled[first:last])
        heads = Heads(grid.columns, labels, grid.paths[first:last], max(grid.headers - first, 0), part)
        self.blocks.append(TextBlock(NodeKind.TABLE, start, self.length - 1, title=title, cells=cells, heads=heads))
        self._append("\n")

    def _row(self, row: Sequence[str]) -> list[tuple[int, int]]:
        spans, place = [], self.length
        for cell in row:
            end = place + len(cell)
            spans.append((place, end))
            place = end + 1
        self._append("\t".join(row) + "\n")
        return spans

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def _table_parts(grid: SpanGrid, begin: int) -> Iterator[tuple[int, int]]:
    """(first, last) rows, from row `begin` on, of parts that fit on a page; none is left out."""
    first, size = begin, 0
    for number, row in enumerate(grid.shown[begin:], start=begin):
        size += sum(map(len, row))
        if size > PAGE_CHARACTERS and number >= max(first + 1, grid.headers + 1):
            yield first, number
            first, size = number, sum(map(len, row))
    if size:
        yield first, len(grid.shown)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LARGEST_ROMAN, _LARGEST_LETTERS = 3_999, 26 * 30
"""Numbers up to which Roman numerals and letters (up to thirty of one kind) are written; larger ones stand in
figures."""


def format_number(number: int, form: str) -> str:
    """A number in the form "a", "A", "i", "I" or "1"; in figures when it is beyond the form."""
    if form in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        return roman(number) if form == "i" else roman(number).upper()
    if form in ("a", "A") and 0 < number <= _LARGEST_LETTERS:
        return letters(number) if form == "a" else letters(number).upper()
    return str(number)


def roman(number: int) -> str:
    """A number from 1 to 3,999 in small Roman numerals."""
    said = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        said += sign * count
    return said


def letters(number: int) -> str:
    """a to z, then aa to zz, then aaa: as word processors count on."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
