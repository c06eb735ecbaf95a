"""A reader that fails costs what it would have found: the document is ready, keeps its text and says so."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.parsing.conftest import uncovered
from tests.support.paper import Rule, Text, pdf, prose
from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.parsing.fences import Fences


def fail(error: Exception) -> None:
    raise error


def test_a_failure_is_told_once_with_its_pages_and_cause():
    fences = Fences()
    for page in (4, 2, 4):
        assert fences.read("tables", page, lambda: fail(ValueError("empty")), None) is None
    assert fences.read("tables", 7, lambda: "kept", "") == "kept"
    (told,) = fences.tell()
    assert told.startswith("Tables could not be read on pages 3, 5 (ValueError in test_fences.py, line ")
    assert told.endswith("; the text is kept.")


def test_refusals_and_a_lack_of_memory_pass_through():
    fences = Fences()
    for error in (MemoryError(), UnreadableDocument("Too long.", remedy="Split it.", code="too_large")):
        with pytest.raises(type(error)):
            fences.read("tables", 0, lambda error=error: fail(error), None)
    assert list(fences.tell()) == []


@pytest.mark.parametrize(
    "reader",
    [
        "pdf.parse.find_ruled",
        "pdf.parse.find_regions",
        "pdf.parse.mark_running",
        "pdf.parse.read_contents",
        "pdf.parse.assign_levels",
        "pdf.parse._open_items",
        "pdf.drafter.build_grid",
        "pdf.drafter.table_draft",
        "pdf.text.read_rules",
        "compile.make_card",
        "compile.find_references",
    ],
)
def test_a_document_is_ready_whichever_reader_fails(compiled, monkeypatch, reader):
    def broken(*_: object, **__: object) -> None:
        raise IndexError(reader)

    monkeypatch.setattr(f"vectorless_web.engine.parsing.{reader}", broken)
    rows = [(300, "Harbour", "2024", "2023"), (314, "Bergen", "4,120", "3,985"), (328, "Oslo", "88", "12")]
    table = [Text(left, top, cell, 9) for top, *cells in rows for left, cell in zip((72, 300, 380), cells, strict=True)]
    drawn = [Rule(70, y, 420, y) for y in (290, 304, 318, 332)] + [Rule(x, 290, x, 332) for x in (70, 290, 370, 420)]
    open_table = [Text(item.x, item.y + 200, item.words, 9) for item in table]
    page = [Text(72, 90, "1. Quays", 16, "bold"), *prose(72, 120, 8), *table, *drawn, *open_table]
    document = compiled(pdf([page]))
    assert any("could not be read" in said and "IndexError" in said for said in document.report.warnings)
    assert uncovered(document) == []


def test_a_web_page_keeps_the_words_of_a_table_that_cannot_be_laid_out(compiled, monkeypatch):
    monkeypatch.setattr("vectorless_web.engine.parsing.markup.blocks.lay_out", lambda *_, **__: fail(KeyError("row")))
    page = "<html><body><h1>Quays</h1><table><tr><td>Bergen</td><td>4,120</td></tr></table></body></html>"
    document = compiled(page, "quays.html")
    assert "Bergen 4,120" in document.page_text(0)
    assert any(said.startswith("Tables could not be read (KeyError") for said in document.report.warnings)


XS, YS = (70, 160, 230, 300), (70, 100, 150, 220)
WORDS = st.sampled_from(["7", "1,204", "(3)", "2024", "12 %", "9", "Bergen", "Total boats", "*", "in millions"])
LINES = st.one_of(
    st.builds(
        lambda at, ends: Rule(ends[0], at, ends[1], at), st.integers(68, 222), st.tuples(*[st.integers(68, 302)] * 2)
    ),
    st.builds(
        lambda at, ends: Rule(at, ends[0], at, ends[1]), st.integers(68, 302), st.tuples(*[st.integers(68, 222)] * 2)
    ),
)
GRID = [Rule(70, y, 300, y) for y in YS] + [Rule(x, 70, x, 220) for x in XS]
LOOSE = st.builds(lambda left, top, words: Text(left, top, words, 8), st.integers(60, 300), st.integers(66, 230), WORDS)
IN_CELLS = st.builds(
    lambda left, top, words: Text(left, top, words, 8),
    st.sampled_from([76, 166, 196, 236, 262]),
    st.sampled_from([82, 94, 110, 112, 120, 134, 146, 170, 172, 185, 200]),
    WORDS,
)
"""Words in the cells of GRID, some beside each other and some lower by less than a line."""


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(GRID), max_size=2),
    st.lists(LINES, max_size=5),
    st.lists(LOOSE, max_size=5),
    st.lists(IN_CELLS, min_size=4, max_size=24),
)
def test_no_mesh_of_lines_and_words_makes_a_table_reader_fail(without, lines, loose, words):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.pdf"
        grid = [rule for rule in GRID if rule not in without]
        path.write_bytes(pdf([[*grid, *lines, *words, *loose]]))
        document = CompiledDocument(compile_file(path, name=path.name))
    assert [said for said in document.report.warnings if "could not be read" in said] == []
    assert uncovered(document) == []
