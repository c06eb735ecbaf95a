"""What is understood of a cell: the words of its row where one label stands on several rows."""

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.figures.tables import tables_of
from vectorless_web.engine.parsing.compile import compile_file


def read(tmp_path, rows: str) -> dict[str, tuple[str, ...]]:
    """The words of the row of each cell in the last column, by what the cell says."""
    path = tmp_path / "file.html"
    path.write_text(f"<html><body><p>Income of the ports.</p><table>{rows}</table></body></html>")
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    return {row.cells[-1].text: view.read_cell(row, len(row.cells) - 1).row_path for row in view.table.body}


def test_rows_under_a_merged_group_keep_the_words_that_tell_them_apart(tmp_path):
    head = "<tr><th>Region</th><th>Port</th><th>2024</th></tr>"
    north = '<tr><td rowspan="2">North</td><td>Bergen</td><td>120</td></tr><tr><td>Oslo</td><td>130</td></tr>'
    south = '<tr><td rowspan="2">South</td><td>Kiel</td><td>140</td></tr><tr><td>Subtotal</td><td>270</td></tr>'
    assert read(tmp_path, head + north + south) == {
        "120": ("North", "Bergen"), "130": ("North", "Oslo"), "140": ("South", "Kiel"), "270": ("South", "Subtotal"),
    }  # fmt: skip


def test_words_beside_labels_that_differ_are_no_part_of_them(tmp_path):
    rows = "".join(f"<tr><td>{port}</td><td>open</td><td>{n}</td></tr>" for port, n in (("Oslo", 12), ("Kiel", 13)))
    assert read(tmp_path, f"<tr><th>Port</th><th>State</th><th>Ships</th></tr>{rows}") == {
        "12": ("Oslo",), "13": ("Kiel",),
    }  # fmt: skip
