"""Turns the items of a PDF (headings, lines, tables, running lines) into drafts in reading order."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vectorless_web.engine.compiler.drafts import Draft, TextBuilder
from vectorless_web.engine.compiler.flow import flow_drafts, join_lines
from vectorless_web.engine.compiler.grid import Grid, build_grid
from vectorless_web.engine.compiler.heading import Heading
from vectorless_web.engine.compiler.layout import Layout
from vectorless_web.engine.compiler.lines import Line
from vectorless_web.engine.compiler.mending import Vocabulary
from vectorless_web.engine.compiler.patterns import ITEM, NOTE, NUMBERED, PART, is_notes_title
from vectorless_web.engine.compiler.regions import Row
from vectorless_web.engine.compiler.statements import recognise
from vectorless_web.engine.compiler.tables import find_units, table_draft, with_units
from vectorless_web.engine.document.node import NodeKind

_DISCUSSION = frozenset(("Item 2", "Item 5", "Item 6", "Item 7", "Item 7A"))
_SAME_EDGE, _LONGEST_TABLE = 24.0, 160
_MOST_UNITS = 0.8
_LABEL = re.compile(r"^(table|figure|fig\.|chart|tabelle|abbildung|tableau|tabla)\s*(\d+(?:[.-]\d+)*)", re.I)
_CURRENCY = re.compile(r"[$€£¥₹]")


@dataclass(frozen=True, slots=True)
class Furniture:
    """A running line, kept out of the reading text."""

    line: Line


@dataclass(frozen=True, slots=True)
class ContentsLines:
    """Lines of a printed table of contents."""

    lines: list[Line]


Item = Heading | Line | list[Row] | Furniture | ContentsLines


class Drafter:
    """Gathers lines so that paragraphs join across pages, and tables so that they do."""

    def __init__(self, layout: Layout, vocabulary: Vocabulary) -> None:
        self._layout, self._vocabulary = layout, vocabulary
        self._drafts: list[Draft] = []
        self._lines: list[Line] = []
        self._grid: Grid | None = None
        self._aside: list[Draft] = []
        """Running lines met inside a stretch of text or a table: they follow it."""
        self._heading: Heading | None = None
        self._discussed: set[int] = set()
        """Ids of table drafts that stand in a discussion."""
        self._discussion = self._notes_begun = self._in_note = False

    def draft(self, items: Sequence[Item]) -> list[Draft]:
        """All drafts, in reading order."""
        for item in items:
            self._take(item)
        self._flush()
        _share_units(self._drafts)
        self._prefer_statements()
        return self._drafts

    def _prefer_statements(self) -> None:
        """Where a statement stands by itself, the same one in a discussion is an excerpt."""
        own = {d.table.statement for d in self._drafts if d.table and id(d) not in self._discussed}
        for draft in self._drafts:
            if draft.table and id(draft) in self._discussed and draft.table.statement in own:
                draft.table = replace(draft.table, statement="")

    def _take(self, item: Item) -> None:
        if isinstance(item, Furniture):
            self._aside.append(_lines_draft([item.line], NodeKind.RUNNING))
        elif isinstance(item, Line):
            if self._grid is not None:
                self._flush()
            self._lines.append(item)
        elif isinstance(item, list):
            self._take_table(build_grid(item))
        else:
            self._flush()
            self._take_block(item)

    def _take_block(self, item: Heading | ContentsLines) -> None:
        if isinstance(item, ContentsLines):
            self._drafts.append(_lines_draft(item.lines, NodeKind.LIST))
            return
        self._follow(item)
        self._drafts.append(_heading_draft(item))

    def _follow(self, heading: Heading) -> None:
        """Keep track of where the tables to come stand."""
        if heading.form.family in (PART, ITEM):
            self._discussion = heading.form.label in _DISCUSSION
            self._notes_begun = self._in_note = False
        elif is_notes_title(heading.title):
            self._notes_begun = True
        elif heading.form.family == NOTE or (heading.form.family == NUMBERED and self._notes_begun):
            self._in_note = True
        self._heading = heading

    def _take_table(self, grid: Grid) -> None:
        if self._grid is not None and not self._lines and _joins(self._grid, grid):
            self._grid.rows.extend(grid.rows)
            return
        self._flush()
        self._grid = grid

    def _flush(self) -> None:
        if self._grid is not None:
            self._drafts.append(self._table(self._grid))
            self._grid = None
        self._drafts.extend(flow_drafts(self._lines, self._layout))
        self._drafts.extend(self._aside)
        self._lines, self._aside = [], []

    def _table(self, grid: Grid) -> Draft:
        caption = self._caption()
        draft = table_draft(grid, title=caption, units=find_units(self._lead_in()), vocabulary=self._vocabulary)
        match = _LABEL.match(caption)
        draft.label = f"Table {match[2]}" if match and match[1][:3].casefold() in ("tab", "cha") else ""
        if draft.table is not None:
            near = self._heading is not None and draft.page - self._heading.page <= 2
            title = self._heading.title if self._heading and near else ""
            labels = [row.label for row in draft.table.rows]
            if self._discussion:
                self._discussed.add(id(draft))
            kind = "" if self._in_note else recognise(title, labels, excerpts=self._discussion)
            draft.table = with_units(draft.table, statement=kind)
        return draft

    def _before(self) -> Draft | None:
        return next((draft for draft in reversed(self._drafts) if draft.kind is not NodeKind.RUNNING), None)

    def _caption(self) -> str:
        before = self._before()
        return " ".join(before.text.split()) if before is not None and before.kind is NodeKind.CAPTION else ""

    def _lead_in(self) -> str:
        """What stands right above a table and may state its units."""
        before = self._before()
        if before is None or (len(before.text) > 1200 and before.kind is not NodeKind.SECTION):
            return ""
        return before.text[-300:] if before.kind in (NodeKind.SECTION, NodeKind.PARAGRAPH, NodeKind.CAPTION) else ""


def _joins(before: Grid, grid: Grid) -> bool:
    """Whether a table carries on one that ended on the page before: the same columns at the same places."""
    if len(before.rows) + len(grid.rows) > _LONGEST_TABLE:
        return False
    if not before.edges or len(before.edges) != len(grid.edges) or grid.rows[0].page != before.rows[-1].page + 1:
        return False
    return all(abs(one[1] - other[1]) < _SAME_EDGE for one, other in zip(before.edges, grid.edges, strict=True))


def _lines_draft(lines: Sequence[Line], kind: NodeKind) -> Draft:
    builder = TextBuilder()
    for number, line in enumerate(lines):
        if number:
            builder.added("\n")
        builder.raw(line.page, line.start, line.text)
    return builder.draft(kind, lines[0].page)


def _heading_draft(heading: Heading) -> Draft:
    builder = TextBuilder()
    join_lines(builder, heading.lines)  # nothing when only a bookmark names it
    label = heading.form.label
    return builder.draft(NodeKind.SECTION, heading.page, title=heading.title, level=heading.level, label=label)


def _share_units(drafts: Sequence[Draft]) -> None:
    """Tables of money without a units line take the document's, if nearly all of its tables agree on one scale."""
    tables = [draft for draft in drafts if draft.table is not None]
    scales = Counter(scale for draft in tables if draft.table for scale in [_scale(draft.table.units)] if scale)
    if not scales or scales.total() < 3:
        return
    scale, count = scales.most_common(1)[0]
    if count < _MOST_UNITS * scales.total():
        return
    for draft in tables:
        if draft.table is not None and not draft.table.units and _CURRENCY.search(draft.text):
            draft.table = with_units(draft.table, units=f"in {scale}")


def _scale(units: str) -> str:
    match = re.search(r"thousands|millions|billions", units, re.IGNORECASE)
    return match.group().casefold() if match else ""
