"""Turns the headings, lines and tables of a PDF into drafts in reading order, joined across lines and pages."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.documents.node import NodeKind, Table
from vectorless_web.engine.parsing.drafts import Draft, TextBuilder
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.lines import Layout, Line, Vocabulary
from vectorless_web.engine.parsing.outline.heading import CAPTION, Heading
from vectorless_web.engine.parsing.patterns import (
    ITEM,
    NOTE,
    NUMBERED,
    PART,
    are_particulars,
    is_notes_title,
)
from vectorless_web.engine.parsing.tables.drafts import (
    find_units,
    is_misread,
    is_nameless,
    is_signed,
    lists_papers,
    table_draft,
    with_units,
)
from vectorless_web.engine.parsing.tables.grid import Grid, build_grid
from vectorless_web.engine.parsing.tables.regions import LineRow
from vectorless_web.engine.parsing.tables.ruled import RuledTable
from vectorless_web.engine.parsing.tables.statements import recognise_statement
from vectorless_web.engine.parsing.terms import any_of

_BULLET = re.compile(r"^(?:[•●▪◦■□‣○➢✓*·∙]|[–—-]\s|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s)", re.IGNORECASE)
_FOOTNOTE = re.compile(
    r"^(?:\((?:\d{1,2}|[a-z])\)|(?:\d{1,2}|[a-z])[.)]\s|\d{1,2}\s+[A-Z]|\d{1,2}(?:https?:|www\.)|[*†‡§]+)\s*\S",
    re.IGNORECASE,
)
_FIGURE = re.compile(rf"^{any_of('figure')}\s*(\d+(?:[.-]\d+)*)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;]['”’\")\]]*(?:\(\w{1,2}\))*$")
# Chinese and Japanese writing and its punctuation start here; Korean has spaces, but between words alone.
_FIRST_UNSPACED = "\u2e80"
_LONG_LIST = 1400
"""Characters to which the items of a list are joined to one leaf, some 350 tokens: leaves are what is ranked and read,
so they stay small."""
_OTHER_SIZE, _SMALLER = 1.1, 0.9
"""Points of type size: beyond the first two lines are of different paragraphs; a footnote is smaller than the body by
more than the second."""
_PITCHES, _HEIGHTS = 1.35, 1.45
"""A gap wider than both (in usual distances of lines, in heights of the line before) ends a paragraph."""
_NEXT_COLUMN, _OVERLAP = 2, 0.5
"""Heights of a line: one that stands higher than the line before by more than the first begins a new column; one that
stands higher by more than the second does not carry its paragraph on."""
_INDENT, _EARLY = 0.8, 4
"""Ems: a line indented by more begins a paragraph, and one that ends earlier by more than the second ends it."""
_RUN_ON, _LONG_BLOCK, _LONGEST_CAPTION, _LONGEST_NAME = 25, 200, 250, 100
"""Characters: a line of more may run on over a page's end; a block of more may end in a short line; a caption has
fewer, and so has a line that names the table under it."""


def flow_drafts(lines: Sequence[Line], layout: Layout, vocabulary: Vocabulary) -> list[Draft]:
    """Leaves for a stretch of lines in reading order, without headings and tables inside."""
    drafts: list[Draft] = []
    for block in _blocks(lines, layout):
        _append(drafts, block, layout, vocabulary)
    return drafts


def _blocks(lines: Sequence[Line], layout: Layout) -> Iterable[list[Line]]:
    block: list[Line] = []
    for line in lines:
        if block and not _joins_paragraph(block, line, layout):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _joins_paragraph(block: Sequence[Line], line: Line, layout: Layout) -> bool:
    last = block[-1]
    if _BULLET.match(line.text) or CAPTION.match(line.text) or line.lead > line.start:
        return False
    if abs(last.style.size - line.style.size) > _OTHER_SIZE:
        return False
    ended = bool(_SENTENCE_END.search(last.text.rstrip()))
    if last.page != line.page or line.top < last.top - _NEXT_COLUMN * line.height:
        return not ended and last.looks_like(line) and len(last.text) > _RUN_ON
    gap = line.top - last.top
    if gap > _PITCHES * layout.line_pitch(line.style) and gap > _HEIGHTS * last.height:
        return False
    if gap < -_OVERLAP * line.height:
        return False
    indent = line.left - last.left
    if len(block) > 1 and indent > _INDENT * line.style.size and ended:
        return False
    ends_early = last.right < line.right - _EARLY * line.style.size
    return not (ended and ends_early and sum(len(own.text) for own in block) > _LONG_BLOCK)


def _append(drafts: list[Draft], block: Sequence[Line], layout: Layout, vocabulary: Vocabulary) -> None:
    kind = _kind(block, layout)
    builder = TextBuilder(vocabulary=vocabulary)
    join_lines(builder, block)
    before = drafts[-1] if drafts else None
    if kind is NodeKind.PARAGRAPH and before is not None and _goes_on_at_foot(before, block, layout):
        kind = NodeKind.FOOTNOTE
    follows = kind is NodeKind.LIST and before is not None and before.kind is kind
    if before is not None and follows and len(before.text) + builder.length < _LONG_LIST:
        merge_text(before, builder, "\n")
        return
    drafts.append(builder.draft(kind, block[0].page, label=_figure_label(kind, block[0].text)))


def _goes_on_at_foot(before: Draft, block: Sequence[Line], layout: Layout) -> bool:
    return before.kind is NodeKind.FOOTNOTE and block[0].page == before.page and _is_small(block[0], layout)


def _is_small(line: Line, layout: Layout) -> bool:
    return line.style.size < layout.body_of(line.page).size - _SMALLER


def _figure_label(kind: NodeKind, text: str) -> str:
    """The name of a figure by its caption; a table carries its own."""
    match = _FIGURE.match(text) if kind is NodeKind.CAPTION else None
    return f"Figure {match[1]}" if match else ""


def _kind(block: Sequence[Line], layout: Layout) -> NodeKind:
    text = block[0].text
    if CAPTION.match(text) and sum(len(line.text) for line in block) < _LONGEST_CAPTION:
        return NodeKind.CAPTION
    if _is_small(block[0], layout) and _FOOTNOTE.match(text):
        return NodeKind.FOOTNOTE
    return NodeKind.LIST if _BULLET.match(text) else NodeKind.PARAGRAPH


def merge_text(draft: Draft, builder: TextBuilder, joint: str) -> None:
    """Append gathered text to a draft."""
    shift = len(draft.text) + len(joint)
    shifted = tuple(type(run)(run.offset + shift, run.page_index, run.char_index, run.length) for run in builder.runs)
    draft.text, draft.runs = draft.text + joint + builder.text, draft.runs + shifted


def _needs_space(before: str, after: str) -> bool:
    """Whether a space is between two lines: not between characters that use none."""
    return not (before[-1:] >= _FIRST_UNSPACED and after[:1] >= _FIRST_UNSPACED)


def join_lines(builder: TextBuilder, lines: Sequence[Line]) -> None:
    """Append lines as running text: a space between them, none after a divided word; particulars keep their lines."""
    joint = "\n" if are_particulars([line.text for line in lines]) else " "
    for number, line in enumerate(lines):
        if number and builder.divided_at is None and builder.parts and _needs_space(builder.parts[-1], line.text):
            builder.append_unplaced(joint)
        builder.raw(line.page, line.start, line.text)


_DISCUSSION = re.compile(any_of("discussion"))
"""Parts of a report in which the management discusses figures of the statements."""
_SAME_EDGE, _LONGEST_TABLE = 24.0, 160
"""A table carries on one of the page before when the right edges of their columns lie within so many points. Beyond so
many rows together they are parts of one table, each a node of its own, so that leaves stay small."""
_LEAST_DRAWN, _LONGEST_REST = 2, 100
"""Rows of a drawn table of which the first may be the rest of a cell, and characters from which it is prose alone."""
_NEAR_BELOW = 80.0
"""Points below a table within which one without a header carries it on."""
_FEWEST_UNITS, _MOST_UNITS = 3, 0.8
"""Tables with printed units, at least, and the share of them that must agree, for the others to be taken in the same
units."""
_NEAR_PAGES = 2
"""Pages behind its heading on which a table still takes its title from it."""
_LONGEST_INTRODUCTION = 1200
"""Characters of a paragraph before a table that may hold its units."""
_LEAD_IN = 300
"""Characters, the last ones before a table, in which its units are looked for."""
_LABEL = re.compile(rf"^{any_of('table', 'chart')}\s*(\d+(?:[.-]\d+)*)", re.I)
_SCALE = re.compile(any_of("scale"), re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CURRENCY = re.compile(r"[$€£¥₹]")
_AMOUNT, _CENTS = re.compile(r"(?<![\w.,])[\d,]+(?:\.\d+)?(?![\w.,%])"), re.compile(r"\.\d\d$")
_SIGNED = re.compile(r"[$€£¥₹]\s?\(?[\d,]+(?:\.\d+)?")
_IN_FULL = re.compile(r"\d,\d{3},\d{3},\d{3}")


@dataclass(frozen=True, slots=True)
class Furniture:
    """A running header, footer or page number; it is kept out of the reading text."""

    line: Line


@dataclass(frozen=True, slots=True)
class ContentsLines:
    """Lines of a printed table of contents."""

    lines: list[Line]


Item = Heading | Line | list[LineRow] | RuledTable | Furniture | ContentsLines


class Drafter:
    """Turns headings, lines and tables into drafts; paragraphs and tables that run over a page's end are joined."""

    def __init__(self, layout: Layout, vocabulary: Vocabulary, fences: Fences, scanned: Collection[int] = ()) -> None:
        """`scanned` are the indices of pages whose text a machine has read."""
        self._layout, self._vocabulary, self._fences, self._scanned = layout, vocabulary, fences, scanned
        self._drafts: list[Draft] = []
        self._lines: list[Line] = []
        self._grid: Grid | None = None
        self._drawn: Grid | None = None
        """The last table of drawn cells."""
        self._part = 0
        """Number of the grid among the parts of one long table."""
        self._headed: tuple[Grid, Table] | None = None
        """The last table, when its columns have headers: one right below without a header may carry it on."""
        self._aside: list[Draft] = []
        """Running lines met inside a stretch of text or a table: they follow it."""
        self._heading: Heading | None = None
        self._discussed: set[int] = set()
        """Ids of table drafts that stand in a discussion."""
        self._discussion = self._notes_begun = self._in_note = False

    def draft(self, items: Iterable[Item]) -> list[Draft]:
        """All drafts, in reading order."""
        for item in items:
            self._take(item)
        self._flush()
        _share_units(self._drafts)
        self._prefer_statements()
        return self._drafts

    def _prefer_statements(self) -> None:
        """Take the kind of statement from tables of a discussion when the full statement is elsewhere."""
        own = {d.table.statement for d in self._drafts if d.table and id(d) not in self._discussed}
        for draft in self._drafts:
            if draft.table and id(draft) in self._discussed and draft.table.statement in own:
                draft.table = replace(draft.table, statement="")

    def _take(self, item: Item) -> None:
        if isinstance(item, Furniture):
            self._aside.append(lines_draft([item.line], NodeKind.RUNNING))
        elif isinstance(item, Line):
            if self._grid is not None:
                self._flush()
            self._lines.append(item)
        elif isinstance(item, list):
            grid = self._fences.read("tables", item[0].line.page, lambda: build_grid(item), None)
            if grid is None:
                self._lines.extend(row.line for row in item)
            else:
                self._take_table(grid)
        elif isinstance(item, RuledTable):
            self._take_drawn(item)
        else:
            self._flush()
            self._take_block(item)

    def _take_block(self, item: Heading | ContentsLines) -> None:
        if isinstance(item, ContentsLines):
            self._drafts.append(lines_draft(item.lines, NodeKind.LIST))
            return
        self._follow(item)
        self._drafts.append(_heading_draft(item))

    def _follow(self, heading: Heading) -> None:
        if heading.form.family in (PART, ITEM):
            self._discussion = _DISCUSSION.fullmatch(heading.form.label) is not None
            self._notes_begun = self._in_note = False
        elif is_notes_title(heading.title):
            self._notes_begun = True
        elif heading.form.family == NOTE or (heading.form.family == NUMBERED and self._notes_begun):
            self._in_note = True
        self._heading = heading

    def _take_drawn(self, table: RuledTable) -> None:
        """A table of drawn cells; what its first row goes on with from the page before has the label that is there.

        Where no table goes before, the rest of a long cell stays prose.
        """
        grid, before = table.grid, self._drawn
        rest = grid.rows[0]
        self._drawn = grid
        if rest.is_header or rest.cells[0] or len(grid.rows) < _LEAST_DRAWN:
            self._take_table(grid)
        elif before is not None and _stands_alike(before, grid, 1):
            named = replace(rest, label=before.rows[-1].label, path=before.rows[-1].path)
            grid.rows[0] = named
            self._take_table(grid)
        elif len(grid.edges) == 1 and sum(span.end - span.start for span in rest.cells[1]) > _LONGEST_REST:
            del grid.rows[0]
            self._flush()
            lines = [row.line for row in table.rows]
            self._lines.extend(line for line in lines if line.middle < rest.bottom)
            self._flush()
            self._take_table(grid)
        else:
            self._take_table(grid)

    def _take_table(self, grid: Grid) -> None:
        part = 0
        if self._grid is not None and not self._lines and _continues_table(self._grid, grid):
            if len(self._grid.rows) + len(grid.rows) <= _LONGEST_TABLE:
                if any(self._grid.columns) and self._grid.columns != grid.columns:
                    grid.rows = [replace(row, is_header=False) for row in grid.rows]
                self._grid.rows.extend(grid.rows)
                return
            part = self._part + 1
        self._flush()
        self._grid, self._part = grid, part

    def _flush(self) -> None:
        if self._grid is not None:
            grid, self._grid = self._grid, None
            made = self._fences.read("tables", grid.rows[0].page, lambda: self._table(grid), None)
            self._drafts.append(made or _words_draft(grid))
        self._drafts.extend(flow_drafts(self._lines, self._layout, self._vocabulary))
        self._drafts.extend(self._aside)
        self._lines, self._aside = [], []

    def _table(self, grid: Grid) -> Draft:
        caption = self._caption(grid.rows[0].page)
        units = find_units(self._lead_in())
        before = self._headed if self._headed and _carries_on(self._headed[0], grid) else None
        columns = before[1].columns if before else ()
        if before and not units:
            units = before[1].units
        draft = table_draft(grid, title=caption, units=units, vocabulary=self._vocabulary, columns=columns)
        self._headed = (grid, draft.table) if draft.table and any(c.header for c in draft.table.columns[1:]) else None
        match = _LABEL.match(caption)
        draft.label = f"Table {match[1]}" if match else ""
        if draft.table is not None:
            near = self._heading is not None and draft.page - self._heading.page <= _NEAR_PAGES
            title = self._heading.title if self._heading and near else ""
            labels = [row.label for row in draft.table.rows]
            if self._discussion:
                self._discussed.add(id(draft))
            kind = "" if self._in_note else recognise_statement(title, labels, excerpts=self._discussion)
            draft.table = replace(with_units(draft.table, statement=kind), part=self._part)
            misread = draft.page in self._scanned and is_misread(draft.table)
            if misread or lists_papers(draft.table) or is_nameless(draft.table) or is_signed(draft.table):
                draft.kind, draft.table = NodeKind.LIST, None
        return draft

    def _before(self) -> Draft | None:
        return next((draft for draft in reversed(self._drafts) if draft.kind is not NodeKind.RUNNING), None)

    def _caption(self, page: int) -> str:
        """The caption right above a table, or a short line above it on its page that is no sentence: what it shows."""
        before = self._before()
        said = " ".join(before.text.split()) if before is not None else ""
        if before is None or before.kind is NodeKind.CAPTION:
            return said
        names = before.kind is NodeKind.PARAGRAPH and before.page == page and len(said) <= _LONGEST_NAME
        return said if names and (said[-1:].isalnum() or said.endswith(")")) and not find_units(said) else ""

    def _lead_in(self) -> str:
        before = self._before()
        if before is None or (len(before.text) > _LONGEST_INTRODUCTION and before.kind is not NodeKind.SECTION):
            return ""
        return (
            before.text[-_LEAD_IN:] if before.kind in (NodeKind.SECTION, NodeKind.PARAGRAPH, NodeKind.CAPTION) else ""
        )


def _stands_alike(before: Grid, grid: Grid, *apart: int) -> bool:
    """Whether a table so many pages behind another has its columns at the same places."""
    if grid.rows[0].page - before.rows[-1].page not in apart or len(before.edges) != len(grid.edges):
        return False
    return all(abs(one[1] - other[1]) < _SAME_EDGE for one, other in zip(before.edges, grid.edges, strict=True))


def _continues_table(before: Grid, grid: Grid) -> bool:
    """Whether a table carries on one that ended on the page before: the same columns at the same places."""
    if bool(before.columns) != bool(grid.columns) or _are_dated_otherwise(before, grid):
        return False  # the cells of one are drawn, those of the other are not; or it is of other years
    return bool(before.edges) and _stands_alike(before, grid, 1)


def _are_dated_otherwise(before: Grid, grid: Grid) -> bool:
    """Whether the headers of both tables name years, and the years differ."""
    one, other = [set(_YEAR.findall(_header_words(own))) for own in (before, grid)]
    return bool(one and other) and one != other


def _header_words(grid: Grid) -> str:
    leading = itertools.takewhile(lambda row: row.is_header, grid.rows)
    return " ".join(span.text for row in leading for spans in row.cells for span in spans)


def _carries_on(before: Grid, grid: Grid) -> bool:
    """Whether a table without a header is under another, on its page or the next, with the same columns."""
    if any(row.is_header and any(row.cells[1:]) for row in grid.rows) or not grid.edges:
        return False
    is_near = 0 <= grid.rows[0].top - before.rows[-1].bottom < _NEAR_BELOW
    return _stands_alike(before, grid, *((0, 1) if is_near else (1,)))


def lines_draft(lines: Sequence[Line], kind: NodeKind) -> Draft:
    """A leaf of printed lines of one page, each on a line of its own."""
    builder = TextBuilder()
    for number, line in enumerate(lines):
        if number:
            builder.append_unplaced("\n")
        builder.raw(line.page, line.start, line.text)
    return builder.draft(kind, lines[0].page)


def _words_draft(grid: Grid) -> Draft:
    builder = TextBuilder()
    for row in grid.rows:
        for span in itertools.chain.from_iterable(row.cells):
            builder.raw(span.page, span.start, span.text)
            builder.append_unplaced(" ")
        builder.append_unplaced("\n")
    return builder.draft(NodeKind.LIST, grid.rows[0].page)


def _heading_draft(heading: Heading) -> Draft:
    builder = TextBuilder()
    join_lines(builder, heading.lines)  # nothing when only a bookmark names it
    label = heading.form.label
    return builder.draft(NodeKind.SECTION, heading.page, title=heading.title, level=heading.level, label=label)


def _share_units(drafts: Sequence[Draft]) -> None:
    """Tables of money without a units line take the document's, if nearly all of its tables agree on one scale."""
    tables = [draft for draft in drafts if draft.table is not None]
    scales = Counter(scale for draft in tables if draft.table for scale in [_scale(draft.table.units)] if scale)
    if not scales or scales.total() < _FEWEST_UNITS:
        return
    scale, count = scales.most_common(1)[0]
    if count < _MOST_UNITS * scales.total():
        return
    broken = [_share_of_decimals(draft.text) for draft in tables if draft.table and _scale(draft.table.units) == scale]
    for draft in tables:
        if draft.table is None or draft.table.units or not _is_money(draft.text) or _is_index(draft.table):
            continue
        # Amounts to one place among amounts in whole millions are rather billions.
        if _share_of_decimals(draft.text) < _MOST_UNITS or sum(broken) > (1 - _MOST_UNITS) * len(broken):
            draft.table = with_units(draft.table, units=f"in {scale}")


def _is_index(table: Table) -> bool:
    """Whether a column holds 100 in every row: an index that starts at 100 has no unit of money."""
    columns = (
        [row.cells[place].text for row in table.body if place < len(row.cells)]
        for place in range(1, len(table.columns))
    )
    return any(len(cells) > 1 and all(_HUNDRED.match(text) for text in cells) for cells in columns)


_HUNDRED = re.compile(r"^[$€£]?\s?100(?:\.0+)?$")


def _share_of_decimals(text: str) -> float:
    """The share of a table's amounts of money that are printed with decimals."""
    amounts = _SIGNED.findall(text)
    return sum("." in amount for amount in amounts) / len(amounts) if amounts else 0.0


def _is_money(text: str) -> bool:
    figures = [figure for figure in _AMOUNT.findall(text) if "." in figure or "," in figure]
    cents = sum(bool(_CENTS.search(figure)) for figure in figures)
    return bool(_CURRENCY.search(text)) and not _IN_FULL.search(text) and 2 * cents <= len(figures)


def _scale(units: str) -> str:
    match = _SCALE.search(units)
    return match.group().casefold() if match else ""
