"""The tool `table`: rows and columns filtered, sorted or summed up exactly, with the ids of the cells used."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.events import StepResult
from vectorless_web.engine.agent.model.calculation import format_decimal
from vectorless_web.engine.agent.model.prompts import Told
from vectorless_web.engine.agent.model.view import DocumentView, count_tokens, shorten_text, write_cells
from vectorless_web.engine.agent.wording import say_count
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.operations import (
    Aggregate,
    Comparison,
    TableGrid,
    aggregate_column,
    filter_rows,
    find_column,
    grid_of,
    select_cells,
    sort_rows,
)
from vectorless_web.engine.tables.relation import Relation

TABLE_TOKENS = 1200
"""Tokens of rows that one call shows."""

_WHERE = re.compile(r"(.+?)\s*(<=|>=|!=|==|=|<|>|\bcontains\b)\s*(.+)", re.IGNORECASE | re.DOTALL)
_SORT = re.compile(r"(.+?)(?:\s+(asc|desc)\w*)?", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(r"(\w+)\s*[( ]\s*(.+?)\)?", re.IGNORECASE | re.DOTALL)


def work_table(
    view: DocumentView, relation: Relation, arguments: Mapping[str, Any], *, tokens: int
) -> tuple[Told, StepResult]:
    """Filter, then sum up or sort, then select; what the model is told, and the step.

    InvalidInput names the columns and the forms that are understood.
    """
    key, grid = relation.view.node.key, grid_of(relation)
    names = view.name_columns(key)
    grid = replace(grid, columns=tuple(names[: len(grid.columns)]))
    lacking = list[str]()
    if arguments.get("rows"):
        rows, lacking = _find_rows(grid, arguments["rows"], needs_all=bool(arguments.get("aggregate")))
        grid = select_cells(grid, rows=rows)
    if arguments.get("where"):
        grid = _filter(grid, arguments["where"])
    if arguments.get("sort"):
        match = _SORT.fullmatch(arguments["sort"].strip())
        assert match is not None, "any text is a column with or without an order"
        grid = sort_rows(grid, _find_column(grid, match[1]), descending=(match[2] or "").lower() == "desc")
    words = [f"{view.name}.{key}: {len(grid.rows)} rows."]
    if others := ", ".join(f"{view.name}.{part.node.key}" for part in relation.view.parts if part.node.key != key):
        words.append(f"It is one part of a longer table: {others} are its other parts and are not counted here.")
    result, cells = _aggregate(grid, arguments.get("aggregate") or "", f"{view.name}.{key}", words)
    columns = sorted({_find_column(grid, said) for said in arguments.get("columns") or ()} - {0})
    shown = select_cells(grid, columns=columns) if columns else grid
    text, kept = _write_grid(view, key, shown, [0, *columns] if columns else range(len(grid.columns)), tokens)
    if kept < len(shown.rows):
        words.append(f"The first {kept} are shown; narrow it by where, rows or columns.")
    name, listed = shorten_text(relation.view.name, 70), [row.row for row in shown.rows[:kept]]
    worked = f"Worked out {arguments['aggregate']} of {name} = {result}" if result else ""
    observed = {"key": key, "rows": listed, "result": result, "cells": cells}
    text = "\n".join([*lacking, text])
    return Told(" ".join(words), text), StepResult(worked or f"Read {say_count(kept, 'row')} of {name}", observed)


def _find_rows(grid: TableGrid, said: Sequence[str], *, needs_all: bool) -> tuple[list[str], list[str]]:
    """The ids of the rows named ("r5", "D1.40.r5", or a label), and a sentence on each that there is not.

    InvalidInput when there is none of them, or when all are needed and one is lacking.
    """
    ids, found, lacking = [row.row for row in grid.rows], list[str](), list[str]()
    for name in said:
        last = name.strip().rpartition(".")[2].lower()
        labelled = [
            row.row for row in grid.rows if row.cells and name.strip().casefold() in row.cells[0].text.casefold()
        ]
        matching = [last] if last in ids else labelled
        if len(matching) == 1:
            found += matching
        else:
            number = "More than one" if matching else "No"
            lacking.append(f"{number} row is called {shorten_text(name, 40)!r}; its rows are {ids[0]} to {ids[-1]}.")
    if lacking and (needs_all or not found):
        raise InvalidInput(lacking[0])
    return found, lacking


def _find_column(grid: TableGrid, said: str) -> int:
    """The place of a column named by its number ("c2") or its name."""
    number = re.fullmatch(r"\s*(?:.*\.)?c(\d+)\s*", said, re.IGNORECASE)
    return find_column(grid, number[1] if number else said)


def _filter(grid: TableGrid, said: str) -> TableGrid:
    match = _WHERE.fullmatch(said.strip())
    if match is None:
        raise InvalidInput('where is a column, a comparison and a value: "2019 >= 500", "c0 contains sales".')
    comparison = Comparison(match[2].lower().replace("==", "="))
    return filter_rows(grid, _find_column(grid, match[1]), comparison, match[3].strip("\"' "))


def _aggregate(grid: TableGrid, said: str, name: str, words: list[str]) -> tuple[str, tuple[str, ...]]:
    """The result of "sum 2019" with its unit, told in `words`, and the cells used; "" and none when it is not asked."""
    if not said:
        return "", ()
    match = _AGGREGATE.fullmatch(said.strip())
    if match is None or match[1].lower() not in set(Aggregate):
        raise InvalidInput(f'aggregate is one of {", ".join(Aggregate)} and a column: "sum 2019".')
    summed = aggregate_column(grid, _find_column(grid, match[2]), Aggregate(match[1].lower()))
    ids = {cell: f"{name}.{cell}" for cell in summed.cells}
    expression = re.sub(r"r\d+c\d+", lambda match: ids.get(match[0], match[0]), summed.expression)
    result = f"{format_decimal(summed.value)} {summed.measure}".strip()
    told = f": {expression}" if expression else ""
    words.append(f"{said} = {result} over {len(summed.cells)} cells{told}.")
    return result, summed.cells


def _write_grid(view: DocumentView, key: int, grid: TableGrid, places: Sequence[int], tokens: int) -> tuple[str, int]:
    """Columns with their ids (`places` in the table) and rows as text, and how many of the rows fit."""
    names = " | ".join(f"c{place}: {name}".rstrip(": ") for place, name in zip(places, grid.columns, strict=True))
    units = view.write_units(key)
    lines = [f"[{view.name}.{key}] table{f' ({units})' if units else ''} | {names}"]
    left = tokens
    for row in grid.rows:
        line = f"[.{row.row}] {write_cells(cell.text for cell in row.cells)}"
        left -= count_tokens(line)
        if left < 0 and len(lines) > 1:
            break
        lines.append(line)
    return "\n".join(lines), len(lines) - 1
