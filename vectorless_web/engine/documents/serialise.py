"""JSON forms of cards, reports and tables inside an artefact."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from vectorless_web.engine.documents.card import Card, SectionLine, TreeReport, TypedFields
from vectorless_web.engine.documents.columns import DIGIT, RowOutline, TableOutline
from vectorless_web.engine.documents.node import Cell, Column, Row, Table


def dump_json(value: object) -> bytes:
    """Compact UTF-8 JSON in the order of construction."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def card_from(data: dict[str, Any]) -> Card:
    """The card written by `dump_json(asdict(card))`."""
    return Card(
        title=data["title"],
        overview=data["overview"],
        topic_tags=tuple(data["topic_tags"]),
        question_hints=tuple(data["question_hints"]),
        sections=tuple(SectionLine(**line) for line in data["sections"]),
        fields=TypedFields(**{name: tuple(values) for name, values in data["fields"].items()}),
        topics={word: tuple((key, weight) for key, weight in nodes) for word, nodes in data["topics"].items()},
    )


def report_from(data: dict[str, Any]) -> TreeReport:
    """The report written by `dump_json(asdict(report))`; earlier programs wrote nothing of scanned pages."""
    names = ("empty_pages", "warnings", "recognised", "pictured")
    lists = {name: tuple(data[name]) for name in names if data.get(name) is not None}
    return TreeReport(**{**data, **lists})


def table_to_json(table: Table) -> bytes:
    """A table without its cells' texts: they are slices of the node's text."""
    columns = [_column_values(column) for column in table.columns]
    values = [columns, [_row_values(row) for row in table.rows], table.units, table.statement]
    return dump_json([*values, table.part] if table.part else values)


def _column_values(column: Column) -> list[Any]:
    """Header, period and unit; the levels only where the header does not tell them."""
    told = tuple(level for level in column.header.split(" / ") if level)
    values: list[Any] = [column.header, column.period, column.unit]
    return [*values, column.levels] if column.levels and column.levels != told else values


def _row_values(row: Row) -> list[Any]:
    cells = [(cell.offset, cell.length) for cell in row.cells]
    return [row.label, cells, row.offset, row.length, row.page_index, row.is_header, row.path]


def table_from_json(raw: bytes, text: str) -> Table:
    """The table whose node has that text."""
    columns, rows, units, statement, *part = json.loads(raw)
    return Table(
        columns=tuple(_column(*column) for column in columns),
        rows=tuple(_row(row, text) for row in rows),
        units=units,
        statement=statement,
        part=part[0] if part else 0,
    )


def _column(header: str, period: str, unit: str, levels: Sequence[str] = ()) -> Column:
    """A column as it was written; earlier programs wrote no levels."""
    return Column(header, period, unit, tuple(levels))


def _row(data: list[Any], text: str) -> Row:
    label, cells, offset, length, page_index, is_header, path = data
    return Row(
        label=label,
        cells=tuple(Cell(text[start : start + size], start, size) for start, size in cells),
        offset=offset,
        length=length,
        page_index=page_index,
        is_header=is_header,
        path=tuple(path),
    )


def outline_from_json(raw: bytes, text: str) -> TableOutline:
    """The table's outline, without making its cells."""
    _, rows, _, statement, *_ = json.loads(raw)
    return TableOutline(
        tuple(
            RowOutline(label, tuple(path), page_index, is_header, _figures(cells[1:], text))
            for label, cells, _, _, page_index, is_header, path in rows
        ),
        statement,
    )


def _figures(cells: Iterable[Sequence[int]], text: str) -> int:
    return sum(DIGIT.search(text, start, start + size) is not None for start, size in cells)
