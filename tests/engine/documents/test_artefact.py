"""The artefact: what goes in comes out."""

from pathlib import Path

import pytest

from vectorless_web.engine.documents.artefact import ArtefactParts, open_artefact, write_artefact
from vectorless_web.engine.documents.card import Card, PageInfo, SectionLine, TreeReport, TypedFields
from vectorless_web.engine.documents.node import (
    Cell,
    Column,
    GlyphRun,
    GlyphSpan,
    Node,
    NodeKind,
    Reference,
    Row,
    Table,
)
from vectorless_web.engine.documents.tree import Columns, NodeColumns

TABLE_TEXT = "Lamps\t12\n"
TABLE = Table(
    (Column("Kind"), Column("2024", "2024", "in thousands")),
    (Row("Lamps", (Cell("Lamps", 0, 5), Cell("12", 6, 2)), 0, 8, 0, False, ("Stock",)),),
    "in thousands",
    "",
)
NODES = (
    Node(0, -1, 4, 0, NodeKind.DOCUMENT, "Buoys", "", 0, 1, 9, "a" * 16),
    Node(1, 0, 4, 1, NodeKind.SECTION, "Lamps", "Lamps", 0, 1, 9, "b" * 16, "Note 1", (GlyphRun(0, 0, 0, 5),)),
    Node(2, 1, 3, 2, NodeKind.PARAGRAPH, "", "Öl und Licht", 0, 1, 5, "c" * 16, "",
         (GlyphRun(0, 0, 6, 6), GlyphRun(7, 1, 0, 5))),
    Node(3, 1, 4, 2, NodeKind.TABLE, "", TABLE_TEXT, 1, 1, 4, "d" * 16, "",
         (GlyphRun(0, 1, 6, 5), GlyphRun(6, 1, 12, 2)), TABLE),
)  # fmt: skip
PARTS = ArtefactParts(
    title="Buoys",
    media_type="application/pdf",
    sha256="0" * 64,
    nodes=NODES,
    references=(Reference(2, 0, 2, 1),),
    pages=(PageInfo(612, 792, 12), PageInfo(612, 792, 14)),
    page_texts=("Lamps Öl und", "Licht Lamps 12"),
    card=Card("Buoys", "About lamps.", ("lamps",), ("What burns?",), (SectionLine(1, "Lamps", "Oil", 0, 1),),
              TypedFields(("tide board",), (2024,), ("Q1",), ("manual",), ("2024-01-02",)),
              {"lamp": ((1, 2.0), (2, 1.0))}),
    report=TreeReport(2, 1, 2, 1, 1, 2, 1.0, "headings", (), ("one",), "Fine."),
    segment=b"segment bytes",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "artefact"
    file.write_bytes(write_artefact(PARTS))
    return file


def _told(columns: Columns) -> list[object]:
    tables = [columns.table(node.key) for node in NODES]
    integers = [list(columns.integers(name)) for name in ("depth", "page_start", "page_end", "token_count")]
    return [list(columns.titles), list(columns.texts), integers, tables]


def test_columns_say_of_all_nodes_what_each_says_of_itself(path):
    stored = _told(open_artefact(path).tree.columns)
    assert stored == _told(NodeColumns(NODES))
    assert stored[-1][-1] == ((("Lamps", ("Stock",), 0, False, 1),), "")


def test_the_innermost_section_of_every_node_is_told_at_once(path):
    tree = open_artefact(path).tree
    assert tree.innermost_sections() == [tree.section_of(key) for key in range(len(tree))] == [0, 1, 1, 1]


def test_everything_comes_back_as_it_went_in(path):
    document = open_artefact(path)
    assert [document.tree.node(key) for key in range(len(document.tree))] == list(NODES)
    assert (document.title, document.media_type, document.sha256) == ("Buoys", "application/pdf", "0" * 64)
    assert document.card == PARTS.card
    assert document.report == PARTS.report
    assert list(document.pages) == list(PARTS.pages)
    assert [document.page_text(0), document.page_text(1)] == list(PARTS.page_texts)
    assert bytes(document.segment) == PARTS.segment
    assert document.tree.references(2) == list(PARTS.references)


def test_characters_are_located_on_their_pages(path):
    document = open_artefact(path)
    assert document.locate(2, 3, 9) == (GlyphSpan(0, 9, 3), GlyphSpan(1, 0, 2))
    assert document.locate(2, 6, 7) == (), "the joining space stands on no page"
    assert document.on_page(0) == [1, 2]
    assert document.on_page(1) == [2, 3]


def test_moving_through_the_tree_decodes_no_node(path):
    tree = open_artefact(path).tree
    assert tree.children(1) == [2, 3]
    assert tree.kind(3) is NodeKind.TABLE
    assert not tree._nodes._kept
