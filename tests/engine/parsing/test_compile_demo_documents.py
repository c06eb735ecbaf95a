"""The demo reports against what their generator says about them."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.engine.parsing.conftest import nodes, tables
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import Row, Table
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.questions.understand import understand

DEMO = Path(__file__).resolve().parents[3] / "docs" / "demo"
REPORTS = ("thornbury-annual-report-2023.pdf", "thornbury-annual-report-2024.pdf")
TRUTH = {truth["document"]: truth for truth in json.loads((DEMO / "truth.json").read_text())}
SCALES = ("thousand", "million", "billion", "percent")


@pytest.fixture(scope="module", params=REPORTS)
def report(request: pytest.FixtureRequest) -> tuple[CompiledDocument, dict[str, Any]]:
    data = compile_file(DEMO / request.param, name=request.param, ignore_bookmarks=True)
    return CompiledDocument(data), TRUTH[request.param]


def test_the_handbook_is_read_and_shown_without_marks_of_markdown():
    name = "field-handbook.md"
    handbook = CompiledDocument(compile_file(DEMO / name, name=name))
    card = handbook.card
    nodes = [handbook.tree.node(key) for key in range(len(handbook.tree))]
    asked = understand("Which kit is issued to each person, and what must crews do?")
    passages = find_passages(asked, {"": handbook})
    shown = [node.text for node in nodes] + [node.title for node in nodes] + [row.text for row in passages]
    shown += [card.overview, *card.question_hints, *(line.description for line in card.sections)]

    assert any("crews must do" in text for text in shown) and any("Immersion suit" in row.text for row in passages)
    assert not [text for text in shown if re.search(r"\*\*|^#|\|\s*-|\]\(|\| ", text, re.MULTILINE)]


def letters(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


def figure(text: str) -> str:
    return re.sub(r"[\s$,%()]+", "", text).casefold()


def headings(document: CompiledDocument) -> set[tuple[str, int]]:
    return {(letters(node.title), node.page_start) for node in nodes(document, "section")}


def rows(document: CompiledDocument) -> dict[tuple[int, str], list[tuple[Table, Row]]]:
    found: dict[tuple[int, str], list[tuple[Table, Row]]] = defaultdict(list)
    for node in tables(document):
        for row in node.table.body:
            found[row.page_index, letters(row.label)].append((node.table, row))
    return found


def agrees(table: Table, row: Row, wanted: dict[str, Any]) -> bool:
    column_name = wanted["column"].split()[-1].casefold()
    for column, cell in zip(table.columns, row.cells, strict=True):
        if figure(cell.text) == figure(wanted["value"]) and column_name in column.header.casefold():
            return unit_agrees(f"{table.units} {column.unit} {column.header} {cell.text}", wanted["unit"])
    return False


def unit_agrees(printed: str, unit: str) -> bool:
    printed = printed.casefold().replace("%", "percent")
    return all(scale in printed for scale in SCALES if scale in unit.casefold().replace("%", "percent"))


def test_every_heading_is_found_without_bookmarks_and_few_others(report):
    document, truth = report
    wanted = {(letters(entry["title"]), entry["page_index"]) for entry in truth["outline"]}
    found = headings(document)
    assert len(wanted & found) >= 0.98 * len(wanted)
    assert len(wanted & found) >= 0.95 * len(found)


def test_cells_stand_in_the_right_row_and_column_with_their_unit(report):
    document, truth = report
    by_label = rows(document)
    right = [
        any(agrees(table, row, cell) for table, row in by_label[cell["page_index"], letters(cell["row"])])
        for cell in truth["cells"]
    ]
    assert sum(right) >= 0.98 * len(right)


def test_nothing_printed_is_lost(report):
    document, _ = report
    assert document.report.coverage == 1.0
