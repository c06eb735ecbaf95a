"""What a model is shown of documents: every line, sentence and cell carries an id that resolves to its place.

Ids: `D3` is the third document shown, `D3.12` its node 12, `D3.12.2` the second sentence or item of that node,
`D3.40.r5` row 5 of a table and `D3.40.r5c2` its cell in column 2 (both from 0; headers and labels count), `D3.40.c2`
the head of that column, `D3.p7` the picture of page 7.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from string import digits

from vectorless_web.engine.agent.corpus import Corpus, DocumentEntry
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Cell, Node, NodeKind, Table
from vectorless_web.engine.llm.model import HeuristicEstimator
from vectorless_web.engine.parsing.outline.contents import letters_of
from vectorless_web.engine.passages.sentences import Piece, cut_node
from vectorless_web.engine.tables.relation import Relation, TableSource
from vectorless_web.engine.tables.shown import LONGEST_HEAD, ShownRelation, find_heads, show_table
from vectorless_web.engine.tables.units import find_units
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.text.analyser import ends_word

_ID = re.compile(
    r"d(?P<document>\d{1,4})\.(?:p(?P<page>\d{1,5})|(?P<key>\d{1,7})"
    r"(?:\.r(?P<row>\d{1,6})(?:c(?P<column>\d{1,4}))?|\.c(?P<head>\d{1,4})|\.(?P<piece>\d{1,6}))?"
    r"(?:-\.?r?(?P<last>\d{1,6}))?)",
    re.IGNORECASE,
)
ID_INSIDE = re.compile(r"\b[dD]\d{1,4}\.\d{1,7}(?:\.r\d{1,6}(?:c\d{1,4})?|\.\d{1,6})?\b")
"""Ids of nodes, pieces, rows and cells inside an expression."""

_ID_IN_WORDS = re.compile(r"\bD(?P<document>\d{1,4})(?:\.[a-z]?\d+(?:c\d+)?)*\b")
_LEADERS = re.compile(r"(?:[.…]\s?){4,}")
_UNSEEN = {ord("\xad"): None} | dict.fromkeys(map(ord, "\u200b\u200c\ufeff"))
HEADING_CHARACTERS, PATH_PARTS = 70, 3
"""Characters of a heading and headings, the innermost ones, above an excerpt."""
OUTLINE_CHARACTERS, NOTE_CHARACTERS = 90, 240
_PARTS_WORDS = re.compile(r"\s+|(?<=\w)[-‐‑](?=\w)")
MOST_ANY = 80
"""Characters that a * may stand for in a text that is looked for."""

_BY_LINE = (NodeKind.TABLE, NodeKind.LIST, NodeKind.CODE)


def count_tokens(text: str) -> int:
    """The estimated tokens of a text."""
    return HeuristicEstimator().estimate(text)


def clean_text(text: str) -> str:
    """A text on one line as it is shown: no soft hyphens, no dot leaders, single spaces."""
    return " ".join(_LEADERS.sub(" … ", text.translate(_UNSEEN)).split())


def shorten_text(text: str, characters: int) -> str:
    """The text on one line, cut at a word."""
    line = clean_text(text)
    return line if len(line) <= characters else line[:characters].rsplit(" ", 1)[0].rstrip(",;: ") + " …"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where an id points: characters `start` to `end` of a node's text.

    `row` and `column` (from 0) are those of a table's cell, -1 for none. A picture of a page has the key -1 and its
    `page_index`.
    """

    document: str
    key: int
    start: int = 0
    end: int = 0
    row: int = -1
    column: int = -1
    page_index: int = -1


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A sentence, list item, line or table row: its id behind the node's ("3", "r5") and its characters."""

    id: str
    start: int
    end: int
    text: str
    is_header: bool = False


class DocumentView:
    """One document as it is shown; pure, so that the same document gives the same ids and texts."""

    def __init__(
        self, number: int, entry: DocumentEntry, document: CompiledDocument, summaries: Mapping[int, str] | None = None
    ) -> None:
        self.number, self.entry, self.document, self.summaries = number, entry, document, summaries or {}
        self.tree = document.tree
        self.name = f"D{number}"
        self._pieces: dict[int, tuple[ShownPiece, ...]] = {}
        self._relations: dict[int, Relation] = {}
        self._tables: dict[int, ShownRelation] = {}

    @property
    def id(self) -> str:
        """The document's corpus id."""
        return self.entry.id

    @property
    def title(self) -> str:
        """Its title, else its file name."""
        return self.entry.called

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole text."""
        return self.tree.root.token_count

    def list_pieces(self, key: int) -> tuple[ShownPiece, ...]:
        """The pieces of a node in reading order; a heading is one, a table has its rows below the top headers."""
        if key not in self._pieces:
            table = self.find_table(key)
            if table is None:
                self._pieces[key] = tuple(_cut_node(self.tree.node(key)))
            else:
                text = self.tree.node(key).text
                rows = (line for line in table.lines if any(line.cells))
                self._pieces[key] = tuple(
                    ShownPiece(row.row, row.start, row.end, text[row.start : row.end], row.is_header) for row in rows
                )
        return self._pieces[key]

    def find_table(self, key: int) -> ShownRelation | None:
        """The table of a node as it is shown; None for a node without one."""
        relation = self.find_relation(key)
        if relation is None:
            return None
        if key not in self._tables:
            self._tables[key] = show_table(relation.view)
        return self._tables[key]

    def find_relation(self, key: int) -> Relation | None:
        """The table of a node as a relation; None for a node without one."""
        if key not in self._relations:
            for view in tables_of(self.tree, [key]):
                self._relations[key] = Relation(TableSource(self.id, (view,)), view)
        return self._relations.get(key)

    def find_before(self, key: int) -> int:
        """The node before a node, lines that run through the pages aside; 0 where there is none."""
        return next((k for k in range(key - 1, 0, -1) if self.tree.kind(k) is not NodeKind.RUNNING), 0)

    def list_leaves(self, key: int) -> list[int]:
        """The leaves below a node that say anything, in reading order."""
        return [leaf for leaf in self.tree.leaves(key) if self.list_pieces(leaf)]

    def list_readable(self, key: int) -> list[int]:
        """The node with all below it that can be read, headings among it, in reading order."""
        if self.tree.is_leaf(key):
            return [key]
        leaves = set(self.list_leaves(key))
        below = range(max(1, key), self.tree.subtree_end(key))
        return [k for k in below if k in leaves or self.tree.is_section(k)]

    def list_on_pages(self, first: int, last: int) -> list[int]:
        """Keys of headings and leaves with text on these pages (indexes from 0, inclusive), in reading order."""
        keys = {key for page in range(first, last + 1) for key in self.document.on_page(page)}
        read = (k for k in keys if self.tree.is_section(k) or (k and self.list_pieces(k)))
        return sorted(k for k in read if self.tree.kind(k) is not NodeKind.RUNNING)

    def find_literally(self, text: str, *, whole: bool = False) -> list[tuple[int, int]]:
        """(node, index of its piece) of every place of the text at the beginning of a word, else anywhere in words.

        Case is set aside, and whether white space or a hyphen parts words; a `whole` text ends where a word does. The
        index is -1 where it is in a table's caption or column names, which are shown with any of its rows, or in the
        title of a section whose letters on the page run on without white space.
        """
        words = (_PARTS_WORDS.split(part.strip()) for part in clean_text(text).split("*"))
        parts = [r"[\s\-‐‑]+".join(map(re.escape, each)) for each in words]
        if not any(parts):
            return []
        said = f".{{0,{MOST_ANY}}}?".join(parts)
        # Scripts without capitals, such as Chinese, part no words.
        begins = [rf"(?<![^\W\d_]){said}"] if clean_text(text)[:1].lower() != clean_text(text)[:1].upper() else []
        ways = (re.compile(way, re.IGNORECASE | re.DOTALL) for way in (*begins, said))
        return next(filter(None, (self._find_pattern(way, whole=whole) for way in ways)), [])

    def _find_pattern(self, pattern: re.Pattern[str], *, whole: bool) -> list[tuple[int, int]]:
        def holds(said: str) -> bool:
            return any(not whole or ends_word(said, match.end()) for match in pattern.finditer(said))

        found = []
        for key in range(1, len(self.tree)):
            own = (self.tree.columns.titles[key], self.tree.columns.texts[key])
            if self.tree.is_leaf(key) and not any(map(holds, own)):
                continue
            places = [place for place, piece in enumerate(self.list_pieces(key)) if holds(piece.text)]
            is_above = not places and (self.find_table(key) is not None or holds(own[0]))
            found += [(key, place) for place in ([-1] if is_above else places)]
        return found

    @cached_property
    def _section_names(self) -> frozenset[str]:
        return frozenset(_name_section(self.tree.columns.titles[key]) for key in self.tree.sections()) - {""}

    def lists_sections(self, key: int) -> bool:
        """Whether a node is a list that names a section of the document in most of its lines, as contents do."""
        lines = [name for line in self.tree.columns.texts[key].splitlines() if (name := _name_section(line))]
        named = sum(name in self._section_names for name in lines)
        return self.tree.kind(key) is NodeKind.LIST and 2 * named > len(lines)

    def write_path(self, key: int) -> str:
        """The innermost headings above a node, parted by " > "."""
        own = self.tree.path(key)
        headings = own if self.tree.is_leaf(key) and not self.tree.node(key).title else own[:-1]
        return " > ".join(shorten_text(heading, HEADING_CHARACTERS) for heading in headings[-PATH_PARTS:])

    def write_heading(self, key: int) -> str:
        """A heading by its level: "## [D3.12] Cash flows (p. 7)"."""
        node = self.tree.node(key)
        title = clean_text(node.text or node.title)
        return f"{'#' * min(6, max(1, node.depth))} [{self.name}.{key}] {title} (p. {node.page_start + 1})"

    def write_leaf(self, key: int, places: Sequence[int] | None = None) -> str:
        """A leaf with the ids of its pieces; with `places` (indexes of pieces, ascending) those alone, gaps told."""
        node, pieces = self.tree.node(key), self.list_pieces(key)
        chosen = list(range(len(pieces))) if places is None else list(places)
        if node.table is not None:
            return "\n".join([self._write_columns(node, node.table), *self._write_rows(node.table, pieces, chosen)])
        if len(pieces) == 1:
            return f"[{self.name}.{key}] {clean_text(pieces[0].text)}"
        lines, last = list[str](), -1
        for place in chosen:
            if place > last + 1:
                lines.append(f"(… {place - last - 1} left out …)")
            first = f"{self.name}.{key}" if last < 0 else ""
            lines.append(f"[{first}.{pieces[place].id}] {clean_text(pieces[place].text)}")
            last = place
        return ("\n" if node.kind in _BY_LINE else " ").join(lines)

    def write_notes(self, key: int, places: Sequence[int]) -> str:
        """The notes under a table that rows at these places and their headers refer to; "" for none."""
        relation, table = self.find_relation(key), self.tree.node(key).table
        if relation is None or table is None:
            return ""
        rows = [table.rows[int(self.list_pieces(key)[place].id[1:])] for place in places]
        heads = [text for column in table.columns for text in column.path]
        said = [text for row in rows for text in (row.label, *row.path, *(cell.text for cell in row.cells))]
        notes = relation.view.notes_of([*heads, *said, self.tree.node(key).title])
        told = [f"[{self.name}.{note.key}] ({note.mark}) {shorten_text(note.text, NOTE_CHARACTERS)}" for note in notes]
        return "".join(f"\nnote {note}" for note in told)

    def _write_columns(self, node: Node, table: Table) -> str:
        """The line above a table: id, caption, units, and each column's number and name with its period and unit."""
        caption = shorten_text(node.title, HEADING_CHARACTERS * 2)
        told = self.write_units(node.key)
        units = f" ({told})" if told and told not in caption else ""
        told_names = self.name_columns(node.key)
        names = [f"c{number}: {name}" for number, name in enumerate(told_names) if name]
        # Cells of a table without heads are cited by the numbers of their columns.
        names = names or [f"c{number}" for number in range(len(told_names))]
        head = f"[{self.name}.{node.key}] table{f': {caption}' if caption else ''}{units}"
        return f"{head} | {' | '.join(names)}" if names else head

    def write_units(self, key: int) -> str:
        """The units of a table as printed in it, above it or beside it; "" when none are said."""
        relation = self.find_relation(key)
        table = self.find_table(key)
        if relation is None or table is None:
            return ""
        # The dollar may be another country's: it is told as it is printed.
        said = relation.units or table.unit.replace("USD", "$")
        # A sentence that leads in to the table tells the units at its end, which a cut would lose.
        match = find_units(said) if len(said) > OUTLINE_CHARACTERS else None
        return shorten_text(match[0] if match else said, OUTLINE_CHARACTERS).strip("() ")

    def name_columns(self, key: int) -> list[str]:
        """The name of each column of a table: its own header, else one that is over it, with period and unit.

        A unit that holds for the whole table, and a period whose year the header says, are not said again.
        """
        relation, table = self.find_relation(key), self.find_table(key)
        if relation is None or table is None:
            return []
        columns, periods, units = relation.view.table.columns, relation.view.periods, self.write_units(key)
        # Rows that were taken for heads are shown as rows, and name no column.
        heads = {row.offset for row in find_heads(relation.view.table)}
        taken = takewhile(lambda row: row.is_header, relation.view.table.rows)
        bodies = {clean_text(cell.text) for row in taken if row.offset not in heads for cell in row.cells}
        names = []
        for index, shown in enumerate(table.columns):
            levels = [text for text in map(clean_text, columns[index].path) if text] if index < len(columns) else []
            said = [text for text in levels if text not in bodies and text.strip("() ") != units]
            own = " / ".join(text for text in said if len(text) <= LONGEST_HEAD)
            name = own or ("" if levels else clean_text(shown))
            period = periods[index] if 0 < index < len(periods) else None
            when = period.words if period and period.year and str(period.year) not in name else ""
            unit = "%" if own and index in relation.view.percentages and "%" not in (*name.split(), units) else ""
            more = ", ".join(filter(None, (when, unit)))
            names.append(f"{name} [{more}]".strip() if more else name)
        return names

    def _write_rows(self, table: Table, pieces: Sequence[ShownPiece], chosen: Sequence[int]) -> Iterator[str]:
        told, last = set[str](), -1
        for place in chosen:
            row = table.rows[int(pieces[place].id[1:])]
            skipped = [piece for piece in pieces[last + 1 : place] if not piece.is_header]
            if skipped:
                yield f"(… {len(skipped)} rows left out …)"
            above = [part for part in row.path if part not in told] if skipped else []
            label = f"{' > '.join(map(clean_text, above))} > " if above else ""
            told.update((*row.path, row.label))
            yield f"[.{pieces[place].id}] {label}{write_cells(cell.text for cell in row.cells)}"
            last = place

    def resolve(self, match: re.Match[str]) -> Pointer | None:
        """The place that a matched id names in this document; None when there is none."""
        if match["page"]:
            page = int(match["page"]) - 1
            return Pointer(self.id, -1, page_index=page) if 0 <= page < len(self.document.pages) else None
        key = int(match["key"])
        if key not in self.tree or key == 0:
            return None
        node, pieces = self.tree.node(key), self.list_pieces(key)
        if match["head"]:
            return self._resolve_head(key, int(match["head"]))
        wanted = f"r{match['row']}" if match["row"] else match["piece"]
        if wanted is None:
            return Pointer(self.id, key, pieces[0].start, pieces[-1].end) if pieces else Pointer(self.id, key)
        by_id = {piece.id: piece for piece in pieces}
        first = by_id.get(wanted)
        last = by_id.get(f"{'r' if match['row'] else ''}{match['last']}") if match["last"] else first
        if first is None or last is None or last.start < first.start:
            return None
        row = int(match["row"]) if match["row"] else -1
        if not match["column"]:
            return Pointer(self.id, key, first.start, last.end, row)
        column = int(match["column"])
        cells = node.table.rows[row].cells if node.table else ()
        return _point_at(self.id, key, cells[column], row, column) if column < len(cells) else None

    def widen_to_row(self, cell: Pointer) -> Pointer:
        """The whole row of a cell."""
        table = self.tree.node(cell.key).table
        assert table is not None, "a cell is one of a table"
        row = table.rows[cell.row]
        return replace(cell, start=row.offset, end=row.offset + row.length, column=-1)

    def _resolve_head(self, key: int, column: int) -> Pointer | None:
        """The innermost cell that is printed above a column; None where it has no head of its own."""
        table = self.tree.node(key).table
        for head in reversed(find_heads(table) if table else ()):
            cell = head.cells[column] if column < len(head.cells) else None
            if table and cell and cell.text.strip():
                return _point_at(self.id, key, cell, table.rows.index(head), column)
        return None


def _name_section(line: str) -> str:
    """A heading, or the line of contents that names it, by its letters: without numbers before and page behind."""
    return letters_of(line).strip(digits)


def _point_at(document: str, key: int, cell: Cell, row: int, column: int) -> Pointer:
    return Pointer(document, key, cell.offset, cell.offset + cell.length, row, column)


def _cut_node(node: Node) -> Iterator[ShownPiece]:
    is_heading = node.kind in (NodeKind.SECTION, NodeKind.DOCUMENT)
    pieces = [Piece(node.text, 0, len(node.text))] if is_heading else cut_node(node)
    for number, piece in enumerate(pieces, 1):
        if clean_text(piece.text):
            yield ShownPiece(str(number), piece.start, piece.end, piece.text)


def write_cells(cells: Iterable[str]) -> str:
    """The cells of a row between bars, empty ones too; of a row that has a label alone the label."""
    texts = list(map(clean_text, cells))
    return " | ".join(texts if any(texts[1:]) else texts[:1]).rstrip()


class LibraryView:
    """The documents of a run by the numbers they are shown under, and what of them was shown."""

    def __init__(self) -> None:
        self._by_id: dict[str, DocumentView] = {}
        self._entries: dict[str, DocumentEntry] = {}
        """The documents that are open or were announced, by their corpus ids."""
        self._numbers: dict[str, int] = {}
        self._shown: set[tuple[str, int]] = set()
        self.whole: set[tuple[str, int]] = set()

    @property
    def documents(self) -> list[DocumentView]:
        """The documents by their numbers."""
        return list(self._by_id.values())

    @property
    def compiled(self) -> dict[str, CompiledDocument]:
        """The documents themselves by their corpus ids."""
        return {view.id: view.document for view in self.documents}

    def narrow_to(self, view: DocumentView) -> "LibraryView":
        """A library of one of the documents, under its number, of which nothing was shown yet."""
        narrowed = LibraryView()
        narrowed._by_id[view.id], narrowed._entries[view.id] = view, view.entry
        narrowed._numbers[view.id] = view.number
        return narrowed

    def open(self, entry: DocumentEntry, corpus: Corpus) -> DocumentView:
        """Open and number a document; one that is known keeps its number."""
        if entry.id not in self._by_id:
            document, summaries = corpus.open(entry.id), corpus.summaries(entry.id)
            self._by_id[entry.id] = DocumentView(self._number(entry), entry, document, summaries)
        return self._by_id[entry.id]

    def announce(self, entry: DocumentEntry) -> str:
        """Number a document that is named and not opened: "D6"."""
        return f"D{self._number(entry)}"

    @property
    def unopened(self) -> list[str]:
        """The numbers of documents that were announced and are not open."""
        return [f"D{number}" for name, number in self._numbers.items() if name not in self._by_id]

    def _number(self, entry: DocumentEntry) -> int:
        self._entries[entry.id] = entry
        return self._numbers.setdefault(entry.id, len(self._numbers) + 1)

    def __getitem__(self, document: str) -> DocumentView:
        """The view of a document that is open."""
        return self._by_id[document]

    def find(self, said: object) -> DocumentView | None:
        """The open document that a model names; None when there is none."""
        entry = self.find_entry(said)
        return self._by_id.get(entry.id) if entry is not None else None

    def find_entry(self, said: object) -> DocumentEntry | None:
        """The document that a model names: "D3", "3", a file name or a title; the only open one when none is named."""
        words = clean_text(str(said or "")).strip("[]() ")
        if not words:
            return self.documents[0].entry if len(self.documents) == 1 else None
        number = re.match(r"d?(\d{1,4})(?:\D|$)", words, re.IGNORECASE)
        numbered = [name for name, own in self._numbers.items() if number and own == int(number[1])]
        folded, entries = words.casefold(), self._entries.values()
        named = (entry for entry in entries if folded in (entry.name.casefold(), entry.title.casefold()))
        return self._entries[numbered[0]] if numbered else next(named, None)

    def name_documents(self, text: str, known: str) -> str:
        """The text with titles in the place of ids, which mean nothing to people; what stands in `known` is no id."""

        def name(match: re.Match[str]) -> str:
            view = None if match[0] in known else self._numbered(int(match["document"]))
            return shorten_text(view.title, OUTLINE_CHARACTERS) if view else match[0]

        return _ID_IN_WORDS.sub(name, text)

    def resolve(self, said: object) -> Pointer | None:
        """The place an id names, however it is dressed ("[D3.12.2]", "d3.12.2-4"); None when there is none."""
        words = str(said).strip().strip("[](){}<>\"'`.,; ")
        match = _ID.fullmatch(words)
        view = self._numbered(int(match["document"])) if match else None
        return view.resolve(match) if view and match else None

    def find_titled(self, said: str) -> tuple[DocumentView, int] | None:
        """The section of an open document with this title; None when there is none, or more than one."""
        folded = said.strip().casefold()
        held = ((view, key) for view in self.documents for key in view.tree.sections())
        found = [(view, key) for view, key in held if view.tree.node(key).title.casefold() == folded]
        return found[0] if len(found) == 1 else None

    def _numbered(self, number: int) -> DocumentView | None:
        return next((view for view in self._by_id.values() if view.number == number), None)

    def write_id(self, document: str, key: int, start: int) -> str:
        """The id of the piece in which a character of a node's text is."""
        view = self._by_id[document]
        pieces = view.list_pieces(key)
        piece = next((p for p in pieces if p.start <= start < p.end), None)
        return f"{view.name}.{key}" + (f".{piece.id}" if piece and len(pieces) > 1 else "")

    def mark_shown(self, document: str, keys: Collection[int], whole: Collection[int] = ()) -> None:
        """Note that these nodes stand before the model now, with notes of tables; those `whole` with all their text."""
        view = self._by_id.get(document)
        relations = [view.find_relation(key) for key in keys if view is not None and key in view.tree]
        notes = [note.key for relation in relations if relation is not None for note in relation.view.footnotes]
        self._shown.update((document, key) for key in (*keys, *notes))
        self.whole.update((document, key) for key in whole)

    def was_shown(self, document: str, key: int) -> bool:
        """Whether something of the node is before the model."""
        return (document, key) in self._shown
