"""Reads Rich Text (.rtf): headings by outline level or style, lists, tables, footnotes, without what was deleted."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.markup.blocks import LONGEST_HEADING, BlockWriter, tell_counts, tidy_lines
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import guess_level, mark_superscript
from vectorless_web.engine.parsing.tables.spans import SpanCell

_TOKEN = re.compile(
    r"\\(?:(?P<word>[a-zA-Z]{1,40})(?P<number>-?\d{1,10})? ?|'(?P<byte>[0-9a-fA-F]{2})|(?P<sign>[^a-zA-Z]))"
    r"|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n]+)"
)
_DEEPEST = 1_000
"""Groups within groups that are followed; programs write some twenty."""
_MOST_COLUMNS = 64
"""Cells of a row that are told apart; what a table has at most to be read as one."""
_SKIPPED = frozenset(
    ("colortbl", "pict", "object", "nonshppict", "annotation", "atnid", "atnauthor", "listtable", "sp",
     "listoverridetable", "revtbl", "rsidtbl", "generator", "xmlnstbl", "themedata", "datastore", "latentstyles",
     "nonesttables", "filetbl", "fldinst", "bkmkstart", "bkmkend", "tc", "tcn", "xe", "template", "operator", "author",
     "subject", "keywords", "doccomm", "company", "manager", "category", "comment", "creatim", "revtim", "printim")
)  # fmt: skip
"""Groups whose text is not the document's."""
_KNOWN_STARRED = frozenset(("shpinst", "shptxt", "shppict", "listtext", "pntext", "footnote"))
"""Groups that are read although a reader may pass over them."""
_RUNNING = frozenset(("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"))
_UNREAD = frozenset(("skip", "fonts", "info", "shape"))
"""Where text goes that is no text of the document."""
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "tab": " ", "line": "\n", "emspace": " ", "enspace": " ",
    "qmspace": " ", "softline": "\n", "column": "\n", "nestcell": " ", "nestrow": " ",
}  # fmt: skip
_ESCAPED = {"~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}", "\t": " "}
_CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""Encodings by the character set of a font (RTF specification 1.9.1, font table)."""
_SYMBOL_CHARSET = 2
_HEADING, _CONTENTS = re.compile(r"heading ([1-9])$"), re.compile(r"(?:toc|contents) ([1-9])$")


def claims_rich_text(text: str, name: str) -> bool:
    """Whether a text is Rich Text, by how it begins."""
    return text.startswith("{\\rtf")


def read_rich_text(text: str) -> DocumentText:
    """Read Rich Text. UnreadableDocument: `damaged_rtf`, `no_text`."""
    reader = _RichTextReader(text)
    reader.read()
    writer = _write(reader.pieces, reader.running)
    writer.refuse_empty("Rich Text document")
    return writer.finish(_join(reader.title), reader.tell())


@dataclass(slots=True)
class _State:
    to: str = "main"
    bold: bool = False
    unseen: str = ""
    """Why the text is not shown: "deleted" or "hidden"."""
    raised: bool = False
    font: int = 0
    fallback: int = 1
    """Characters behind one in Unicode that stand for it in older programs."""
    style: int = 0
    outline: int | None = None
    in_table: bool = False
    depth: int = 0
    begins: bool = True
    """Whether nothing has stood in the group yet: then a word may say what the group is for."""
    starred: bool = False


@dataclass(slots=True)
class _Said:
    parts: list[str] = field(default_factory=list)
    plain: bool = False

    @property
    def text(self) -> str:
        return _join(self.parts)


def _join(parts: Sequence[str]) -> str:
    # Halves of a character beyond 65,535 come apart; a half without the other is none.
    whole = "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return tidy_lines(whole)


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where a cell ends, in twips, and how it is merged: "", or "<" with the one before it, "^" with the one above."""

    right: int
    merged: str = ""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    strong: bool
    level: int | None
    contents: int | None
    mark: str
    depth: int
    notes: tuple[str, ...]


@dataclass(slots=True)
class _TableDraft:
    """Rows of (text, all bold) with their edges; how many leading rows are repeated as headers; notes."""

    rows: list[tuple[list[tuple[str, bool]], list[_Edge]]] = field(default_factory=list)
    headers: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _RichTextReader:
    source: str
    state: _State = field(default_factory=_State)
    stack: list[_State] = field(default_factory=list)
    encoding: str = "cp1252"
    fonts: dict[int, int] = field(default_factory=dict)
    styles: dict[int, tuple[str, int | None]] = field(default_factory=dict)
    """Name in lower case and outline level of each paragraph style."""
    said: _Said = field(default_factory=_Said)
    buffers: dict[str, list[str]] = field(default_factory=dict)
    """Text of groups that are no part of the body, by where it goes."""
    bytes_read: bytearray = field(default_factory=bytearray)
    skip: int = 0
    """Characters that follow and stand for one that was read in Unicode."""
    mark: str = ""
    notes: list[str] = field(default_factory=list)
    cells: list[tuple[str, bool]] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    merged: str = ""
    repeats: bool = False
    pieces: list[_Paragraph | _TableDraft] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    note_count: int = 0
    has_table: bool = False
    """Whether the next row belongs to the last piece, a table."""

    def read(self) -> None:
        """Take the source apart, token by token."""
        position = 0
        while (match := _TOKEN.search(self.source, position)) is not None:
            position = match.end()
            kind = match.lastgroup
            if kind != "byte":
                self._end_bytes()
            if kind == "text":
                self._say(match["text"])
            elif kind == "byte":
                self._take_byte(int(match["byte"], 16))
            elif match["word"]:
                number = int(match["number"]) if match["number"] else None
                if match["word"] == "bin" and number:
                    position += max(number, 0)
                else:
                    self._take_word(match["word"], number)
            elif kind == "sign":
                self._take_sign(match["sign"])
            elif kind == "open":
                self._open()
            else:
                self._close()
        self._end_bytes()
        if self.stack:
            self.left_out["end"] += 1
        self._end_paragraph()
        self._end_row()

    def tell(self) -> Iterator[str]:
        """Sentences on what was left out."""
        names = {"tracked deletion": "deleted", "hidden passage": "hidden", "picture": "picture"}
        yield from tell_counts({name: self.left_out[kind] for name, kind in names.items()})
        if self.left_out["end"]:
            yield "This file ends before its last part is closed; it may not have arrived whole."

    def _open(self) -> None:
        if len(self.stack) >= _DEEPEST:
            raise UnreadableDocument(
                "This Rich Text document is nested deeper than any program writes it, so it was not read.",
                remedy="Open it in a word processor, save it again and upload that.",
                code="damaged_rtf",
            )
        self.stack.append(self.state)
        self.state = copy(self.state)
        self.state.begins, self.state.starred = True, False
        self.skip = 0

    def _close(self) -> None:
        if not self.stack:
            return
        ended, self.state = self.state, self.stack.pop()
        self.skip = 0
        if ended.to != self.state.to or ended.to == "styles":
            self._end_destination(ended)

    def _end_destination(self, ended: _State) -> None:
        text = _join(self.buffers.pop(ended.to, []))
        if ended.to == "mark":
            self.mark = text if any(char.isalnum() for char in text) else "-"
        elif ended.to == "note" and text:
            self.note_count += 1
            self.notes.append(f"{self.note_count} {text}")
        elif ended.to == "running" and any(char.isalpha() for char in text):
            self.running.append(text)
        elif ended.to == "title":
            self.title = [text]
        elif ended.to == "styles" and text:
            self.styles[ended.style] = (text.rstrip(";").strip().lower(), ended.outline)
        elif ended.to == "box" and text:
            self.pieces.append(_Paragraph(text, False, None, None, "", 0, ()))
            self.has_table = False

    def _take_sign(self, sign: str) -> None:
        if sign == "*":
            self.state.starred = True
        elif sign in "\r\n":
            self._take_word("par", None)
        elif sign in _ESCAPED:
            self._say(_ESCAPED[sign])

    def _take_word(self, word: str, number: int | None) -> None:
        begins, self.state.begins = self.state.begins, False
        if begins and self._takes_group(word):
            return
        if word in _SIGNS:
            self._say(_SIGNS[word])
        elif word == "u" and number is not None:
            self._say(chr(number & 0xFFFF))
            self.skip = self.state.fallback
        elif word in _LOOKS:
            _LOOKS[word](self.state, number)
        elif word in _ACTS:
            _ACTS[word](self, number)

    def _takes_group(self, word: str) -> bool:
        """Set the destination of a group by its first control word; False if that word names no destination."""
        target = _DESTINATIONS.get(word)
        if word in _RUNNING:
            target = "running"
        elif word in _SKIPPED or (self.state.starred and word not in _KNOWN_STARRED):
            self.left_out["picture"] += word == "pict" and self.state.to not in _UNREAD
            target = "skip"
        if target is None or (target == "title" and self.state.to != "info"):
            return False
        if self.state.to != "skip":
            self.state.to, self.state.unseen = target, ""
        return True

    def _take_byte(self, byte: int) -> None:
        if self.skip:
            self.skip -= 1
        elif self.fonts.get(self.state.font) == _SYMBOL_CHARSET:
            self._say("\u2022")
        else:
            self.bytes_read.append(byte)

    def _end_bytes(self) -> None:
        if self.bytes_read:
            encoding = _CHARSETS.get(self.fonts.get(self.state.font, 0), self.encoding)
            text, self.bytes_read = bytes(self.bytes_read).decode(encoding, "replace"), bytearray()
            self._put(text)

    def _say(self, text: str) -> None:
        self.state.begins = False
        passed = min(self.skip, len(text))
        self.skip -= passed
        self._put(text[passed:])

    def _put(self, text: str) -> None:
        state = self.state
        if not text or state.to in _UNREAD:
            return
        if state.unseen and state.to in ("main", "note"):
            self.left_out[state.unseen] += text.strip() != ""
            return
        if state.to != "main":
            self.buffers.setdefault(state.to, []).append(text)
            return
        said = self.said
        said.plain = said.plain or (not state.bold and bool(text.strip()))
        said.parts.append(mark_superscript("".join(said.parts[-4:]), text) if state.raised else text)

    def _note_font(self, number: int | None) -> None:
        if self.state.to == "fonts" and number is not None:
            self.fonts[self.state.font] = number

    def _set_encoding(self, number: int | None) -> None:
        try:
            self.encoding = codecs.lookup(f"cp{number}").name if number else self.encoding
        except LookupError:
            self.encoding = "cp1252"

    def end_paragraph(self, number: int | None = None) -> None:
        """End a paragraph of the body, of a cell or of a note."""
        if self.state.to != "main":
            self._put(" ")
        elif self.state.in_table:
            self.said.parts.append("\n")
        else:
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        said, self.said = self.said, _Said()
        mark, self.mark = self.mark, ""
        notes, self.notes = tuple(self.notes), []
        text, state = said.text, self.state
        self.has_table = False
        if not text and not notes:
            return
        name, outline = self.styles.get(state.style, ("", None))
        heading, contents = _HEADING.match(name), _CONTENTS.match(name)
        level = state.outline if state.outline is not None else outline
        if level is not None:
            level = level + 1 if 0 <= level < 9 else None  # the tenth is body text
        elif heading is not None:
            level = int(heading[1])
        elif name == "title":
            level = 0
        depth = int(contents[1]) - 1 if contents else None
        strong = bool(text) and not said.plain
        self.pieces.append(_Paragraph(text, strong, level, depth, mark, state.depth, notes))

    def end_cell(self, number: int | None = None) -> None:
        """End a cell of the row."""
        if self.state.to != "main":
            return
        said, self.said = self.said, _Said()
        text = " ".join(said.text.split())
        mark, self.mark = self.mark, ""
        if len(self.cells) < _MOST_COLUMNS:
            self.cells.append((f"{mark} {text}".strip() if text else "", bool(text) and not said.plain))

    def end_row(self, number: int | None = None) -> None:
        """End a row of the table."""
        if self.state.to == "main":
            self._end_row()

    def _end_row(self) -> None:
        cells, self.cells = self.cells, []
        if not cells:
            return
        last = self.pieces[-1] if self.has_table else None
        self.has_table = True
        if not isinstance(last, _TableDraft):
            last = _TableDraft()
            self.pieces.append(last)
        if self.repeats and last.headers == len(last.rows):
            last.headers += 1
        last.rows.append((cells, self.edges[: len(cells)]))
        last.notes.extend(self.notes)
        self.notes = []

    def begin_row(self, number: int | None = None) -> None:
        """Forget the edges of the row before."""
        self.edges, self.merged, self.repeats = [], "", False

    def add_edge(self, number: int | None) -> None:
        """Note where the next cell of a row ends."""
        if len(self.edges) < _MOST_COLUMNS:
            self.edges.append(_Edge(number or 0, self.merged))
        self.merged = ""

    def merge(self, mark: str) -> None:
        """Note that the next cell goes on the one before it ("<") or above it ("^")."""
        self.merged = mark

    def repeat_row(self, number: int | None = None) -> None:
        """Note that the row is repeated on each page as a header."""
        self.repeats = True


_DESTINATIONS = {
    "footnote": "note", "listtext": "mark", "pntext": "mark", "title": "title", "info": "info", "fonttbl": "fonts",
    "stylesheet": "styles", "shpinst": "shape", "shptxt": "box",
}  # fmt: skip
"""Where the text of a group goes that begins with a word."""


def _switch(name: str) -> Callable[[_State, int | None], None]:
    def switch(state: _State, number: int | None) -> None:
        setattr(state, name, number != 0)

    return switch


def _hide(why: str) -> Callable[[_State, int | None], None]:
    def hide(state: _State, number: int | None) -> None:
        state.unseen = why if number != 0 else ""

    return hide


def _keep_number(name: str) -> Callable[[_State, int | None], None]:
    def keep(state: _State, number: int | None) -> None:
        setattr(state, name, max(number or 0, 0))

    return keep


def _reset_characters(state: _State, number: int | None) -> None:
    state.bold, state.raised, state.unseen = False, False, ""


def _reset_paragraph(state: _State, number: int | None) -> None:
    state.style, state.outline, state.in_table, state.depth = 0, None, False, 0


def _lower(state: _State, number: int | None) -> None:
    state.raised = False


_LOOKS: dict[str, Callable[[_State, int | None], None]] = {
    "b": _switch("bold"),
    "super": _switch("raised"),
    "nosupersub": _lower,
    "sub": _lower,
    "deleted": _hide("deleted"),
    "v": _hide("hidden"),
    "plain": _reset_characters,
    "pard": _reset_paragraph,
    "intbl": _switch("in_table"),
    "s": _keep_number("style"),
    "outlinelevel": _keep_number("outline"),
    "ilvl": _keep_number("depth"),
    "f": _keep_number("font"),
    "uc": _keep_number("fallback"),
}
"""Words that say how characters and paragraphs look."""


def _merge(mark: str) -> Callable[[_RichTextReader, int | None], None]:
    def merge(reader: _RichTextReader, number: int | None) -> None:
        reader.merge(mark)

    return merge


_ACTS: dict[str, Callable[[_RichTextReader, int | None], None]] = {
    "par": _RichTextReader.end_paragraph,
    "sect": _RichTextReader.end_paragraph,
    "page": _RichTextReader.end_paragraph,
    "cell": _RichTextReader.end_cell,
    "row": _RichTextReader.end_row,
    "trowd": _RichTextReader.begin_row,
    "trhdr": _RichTextReader.repeat_row,
    "cellx": _RichTextReader.add_edge,
    "clmrg": _merge("<"),
    "clvmrg": _merge("^"),
    "fcharset": _RichTextReader._note_font,
    "ansicpg": _RichTextReader._set_encoding,
}
"""Words that end paragraphs, cells and rows, or say how bytes are read."""


def _write(pieces: Sequence[_Paragraph | _TableDraft], running: Sequence[str]) -> BlockWriter:
    writer = BlockWriter()
    for text in dict.fromkeys(" ".join(said.split()) for said in running):
        writer.write(NodeKind.RUNNING, text)
    marked = any(isinstance(piece, _Paragraph) and piece.level is not None for piece in pieces)
    for piece in pieces:
        if isinstance(piece, _TableDraft):
            writer.write_table(_span_cells(piece), headers=piece.headers)
        else:
            _write_paragraph(writer, piece, marked=marked)
        for note in piece.notes:
            writer.write(NodeKind.FOOTNOTE, " ".join(note.split()))
    writer.end_list()
    return writer


def _write_paragraph(writer: BlockWriter, piece: _Paragraph, *, marked: bool) -> None:
    said = f"{piece.mark} {piece.text}".strip() if piece.mark not in ("", "-") else piece.text
    level = piece.level
    if level is None and not marked and (not piece.mark or piece.strong):
        level = guess_level(said, strong=piece.strong)
    if level is not None and len(said) <= LONGEST_HEADING:
        writer.write(NodeKind.SECTION, said.replace("\n", " "), level=level)
    elif piece.contents is not None:
        writer.write_item(said, depth=piece.contents)
    elif piece.mark and piece.text:
        writer.write_item(piece.text, mark=piece.mark, depth=piece.depth)
    elif piece.text:
        writer.write_paragraph(said)


def _span_cells(table: _TableDraft) -> list[list[SpanCell]]:
    """Rows with spans. The places where cells of any row end make the columns of the table."""
    places = sorted({edge.right for _, edges in table.rows for edge in edges})
    even = all(len(edges) == len(cells) for cells, edges in table.rows) and len(places) <= _MOST_COLUMNS
    rows = []
    for cells, edges in table.rows:
        row: list[SpanCell] = []
        left = -1
        for number, (text, strong) in enumerate(cells):
            edge = edges[number] if even else _Edge(0)
            place = places.index(edge.right) if even else left + 1
            across = max(place - left, 1)
            if edge.merged == "<" and row and not text:
                row[-1] = SpanCell(row[-1].text, across=row[-1].across + across, strong=row[-1].strong)
            else:
                row.append(SpanCell(text, across=across, above=edge.merged == "^" and not text, strong=strong))
            left = max(place, left)
        rows.append(row)
    return rows
