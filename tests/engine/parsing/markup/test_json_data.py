"""JSON: objects as sections and lines, lists of objects as tables, numbers as written, bounds."""

import json

import pytest

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file


@pytest.fixture
def read(tmp_path):
    def read(text: str, name: str = "fees.json") -> CompiledDocument:
        path = tmp_path / "file"
        path.write_text(text)
        document = CompiledDocument(compile_file(path, name=name))
        assert document.report.coverage == 1.0
        return document

    return read


def test_objects_are_sections_with_lines_of_name_and_value(read):
    document = read(
        '{"title": "Harbour fees", "valid_from": "2024-01-01", "open": true, "end": null,'
        ' "contact": {"phoneNumber": "0123", "days": ["Monday", "Friday"]}}'
    )

    assert document.tree.node(0).title == "Harbour fees"
    assert [node.text for node in nodes(document, NodeKind.PARAGRAPH)] == [
        "title: Harbour fees\nvalid from: 2024-01-01\nopen: true\nend:",
        "phone number: 0123\ndays: Monday, Friday",
    ]
    assert [node.title for node in nodes(document, NodeKind.SECTION)] == ["contact"]


def test_a_list_of_objects_is_a_table(read):
    document = read('{"fees": [{"vessel": "tug", "fee": {"net": 12.50}}, {"vessel": "ferry", "berth": 3}]}')

    table = nodes(document)[0].table
    assert [column.header for column in table.columns] == ["vessel", "fee / net", "berth"]
    assert [[cell.text for cell in row.cells] for row in table.body] == [["tug", "12.50", ""], ["ferry", "", "3"]]


def test_objects_that_hold_lists_stand_by_themselves(read):
    document = read('[{"name": "North", "ships": [{"n": "Ada", "t": 3}]}, {"name": "South", "ships": []}]')

    assert [node.title for node in nodes(document, NodeKind.SECTION)] == ["North", "ships", "South"]
    assert [cell.text for cell in nodes(document)[0].table.body[0].cells] == ["Ada", "3"]


def test_one_object_a_line_and_no_name_are_recognised(read):
    assert len(nodes(read('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "log.jsonl"))[0].table.body) == 2
    assert read('[{"a": 1}]', "export.txt").media_type == "application/json"
    assert read("[see the annex] The fee is 12.", "note.txt").media_type == "text/plain"


def test_numbers_stay_as_they_are_written_however_long(read):
    number = "9" * 5_000
    document = read(f'{{"short": 1.10, "long": {number}}}')
    text = "".join(document.page_text(page) for page in range(len(document.pages)))

    assert "short: 1.10" in text
    assert text.replace("\n", "").count("9") == 5_000


def test_a_long_list_stays_one_table(read):
    rows = [{"number": number, "name": f"ship {number}"} for number in range(4_000)]
    tables = nodes(read(json.dumps(rows)))

    assert sum(len(node.table.body) for node in tables) == 4_000
    assert {node.table.columns[1].header for node in tables} == {"name"}


@pytest.mark.parametrize("depth", [60, 200_000], ids=["deep", "deeper than the parser goes"])
def test_json_nested_too_deeply_is_refused(read, depth):
    with pytest.raises(UnreadableDocument) as refused:
        read('{"a":' * depth + "1" + "}" * depth)

    assert refused.value.code == "nested_too_deeply"


def test_what_is_no_json_is_read_as_text_and_told(read):
    document = read('{"rent": 12,')

    assert document.page_text(0).strip() == '{"rent": 12,'
    assert "not valid JSON" in document.report.warnings[-1]
