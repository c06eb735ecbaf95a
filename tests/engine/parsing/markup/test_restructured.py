"""reStructuredText: sections, lists, tables, code; other files and raw markup stay out."""

import pytest

from tests.engine.parsing.sheets.test_workbook import nodes
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.markup.restructured import read_restructured

MANUAL = """
Harbour manual
==============

:Author: Ada

Fees
----

Fees rose by :ref:`4 % <rise>` in **2024** [1]_.

.. [1] Decided in May.

1. First

   - nested

2. Second

.. table:: Fees in euros

   +--------+-------------+
   | Type   | Fee         |
   |        +------+------+
   |        | 2023 | 2024 |
   +========+======+======+
   | tug    | 12   | 14   |
   +--------+------+------+

.. code-block:: python

   print(1)

Term
  What it means.
"""


@pytest.fixture
def read(tmp_path):
    def read(text: str, name: str = "manual.rst") -> CompiledDocument:
        path = tmp_path / "file"
        path.write_text(text)
        document = CompiledDocument(compile_file(path, name=name))
        assert document.report.coverage == 1.0
        return document

    return read


def test_sections_lists_notes_and_code_are_kept(read):
    document = read(MANUAL)

    def texts(kind: NodeKind) -> list[str]:
        return [node.text for node in nodes(document, kind)]

    assert document.media_type == "text/x-rst"
    assert [(own.title, own.depth) for own in nodes(document, NodeKind.SECTION)] == [("Harbour manual", 1), ("Fees", 2)]
    assert texts(NodeKind.PARAGRAPH) == ["Author: Ada", "Fees rose by 4 % in 2024 1."]
    assert texts(NodeKind.FOOTNOTE) == ["1 Decided in May."]
    assert texts(NodeKind.LIST) == ["1. First\n  - nested\n2. Second", "Term: What it means."]
    assert texts(NodeKind.CODE) == ["print(1)"]


def test_a_table_keeps_its_spans(read):
    table = nodes(read(MANUAL))[0].table

    assert [column.header for column in table.columns] == ["Type", "Fee / 2023", "Fee / 2024"]
    assert [cell.text for cell in table.body[0].cells] == ["tug", "12", "14"]


def test_nothing_is_included_and_the_reader_is_told(read, tmp_path):
    (tmp_path / "secret.txt").write_text("the password")
    secret = tmp_path / "secret.txt"
    document = read(
        f"Title\n=====\n\n.. include:: {secret}\n\n.. csv-table::\n   :file: {secret}\n\n"
        ".. raw:: html\n\n   <b>x</b>\n\nEnd.\n"
    )

    assert "password" not in document.page_text(0)
    assert "3 insertions were not followed" in document.report.warnings[0]


def test_a_text_with_directives_is_recognised_without_its_name(read):
    assert read(MANUAL + "\n.. note:: Mind the step.\n", "manual.txt").media_type == "text/x-rst"
    assert read("Minutes\n=======\n\nThe board met in May.\n", "minutes.txt").media_type == "text/plain"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f".. |a{n}| replace:: |a{n + 1}| |a{n + 1}|\n" for n in range(40)) + ".. |a40| replace:: x\n\n|a0|\n",
        ".. |a| replace:: |b|\n.. |b| replace:: |a|\n\n|a|\n",
        "*a " * 5_000,
    ],
    ids=["names that double", "names in a circle", "marks without an end"],
)
def test_what_would_take_the_parser_hours_is_read_as_plain_text(read, text):
    assert any("read as plain text" in warning for warning in read(text).report.warnings)


def test_a_text_nested_too_deeply_is_read_as_plain_text(read):
    deep = "\n\n".join("  " * level + "- x" for level in range(400))

    assert "plain text" in read(deep).report.warnings[-1]


def test_a_text_beyond_the_bound_is_read_as_plain_text_and_says_what_to_do():
    read = read_restructured("Quays\n=====\n\n" + "The quay is long.\n\n" * 90_000)
    assert "Quays" in read.text
    assert len(read.remarks) == 1
    assert "1,710,013 characters" in read.remarks[0]
    assert "chapters as files of their own" in read.remarks[0]
