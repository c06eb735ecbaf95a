"""What is understood of a cell: the words of its row where one label stands on several rows."""

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.engine.tables.cells import read_cell
from vectorless_web.engine.tables.view import tables_of


def read(tmp_path, rows: str) -> dict[str, tuple[str, ...]]:
    """The words of the row of each cell in the last column, by what the cell says."""
    path = tmp_path / "file.html"
    path.write_text(f"<html><body><p>Income of the ports.</p><table>{rows}</table></body></html>")
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    return {row.cells[-1].text: read_cell(view, row, len(row.cells) - 1).row_path for row in view.table.body}


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


def cell(tmp_path, head: str, row: str, before: str = "Income of the ports."):
    """What is understood of the last cell of a table of one row."""
    path = tmp_path / "file.html"
    other = row.replace("<td>", "<td>Other ", 1)
    path.write_text(f"<html><body><p>{before}</p><table>{head}{row}{other}</table></body></html>")
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    first = next(iter(view.table.body))
    return read_cell(view, first, len(first.cells) - 1)


def test_several_years_in_one_column_are_no_year(tmp_path):
    head = "<tr><th>Due in May</th><th>2024</th><th>2025&ndash;2029</th></tr>"
    assert cell(tmp_path, head, "<tr><td>Pensions</td><td>5</td><td>12</td></tr>").period.year is None
    assert (
        cell(tmp_path, head.replace("2029", "2026"), "<tr><td>Dues</td><td>5</td><td>12</td></tr>").period.year == 2026
    )


def test_a_quarter_to_date_covers_the_quarters_before_it(tmp_path):
    head = "<tr><th></th><th>Q3 2022 YTD</th></tr>"
    period = cell(tmp_path, head, "<tr><td>Dues</td><td>$ 120</td></tr>").period
    assert (period.months, period.quarter, period.year) == (9, None, 2022)


def test_what_goes_into_an_amount_per_share_is_none(tmp_path):
    head = "<tr><th>In millions</th><th>2022</th></tr>"
    found = cell(tmp_path, head, "<tr><td>Numerator for earnings per share: income</td><td>$ 120</td></tr>")
    assert (found.unit, found.scale) == ("USD", 1_000_000)


def test_numbers_of_shares_are_scaled_by_what_the_header_says_of_shares(tmp_path):
    head = "<tr><th>(Shares in thousands)</th><th>Number of Shares</th></tr>"
    found = cell(tmp_path, head, "<tr><td>Granted</td><td>166</td></tr>")
    assert (found.unit, found.scale) == ("shares", 1000)


def test_a_column_of_changes_is_of_the_later_year(tmp_path):
    head = "<tr><th></th><th>% Change 2017-2016</th></tr>"
    period = cell(tmp_path, head, "<tr><td>Dues</td><td>12</td></tr>").period
    assert (period.year, period.is_change) == (2017, True)


def test_what_stands_between_two_balances_is_of_the_time_between_them(tmp_path):
    path = tmp_path / "file.html"
    labels = ("Balance at January 1, 2021", "Dues", "Balance at December 31, 2021", "Rents", "Balance at end of 2022")
    rows = "".join(f"<tr><td>{label}</td><td>{10 + n}</td></tr>" for n, label in enumerate(labels))
    path.write_text(
        f"<html><body><p>Reserves.</p><table><tr><th></th><th>Reserve</th></tr>{rows}</table></body></html>"
    )
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    assert {row.label: read_cell(view, row, 1).period.words for row in view.table.body} == {
        "Balance at January 1, 2021": "as of 1 January 2021",
        "Dues": "year ended 31 December 2021",
        "Balance at December 31, 2021": "as of 31 December 2021",
        "Rents": "",
        "Balance at end of 2022": "as of 2022",
    }


def test_numbers_of_things_and_several_years_are_no_money(tmp_path):
    head = "<tr><th>($ in millions)</th><th>2022</th><th>2021</th></tr>"
    path = tmp_path / "file.html"
    told = (("Dues", "$ 12"), ("Due in", "2021 - 2028"), ("Number of units:", ""), ("Forfeited", "(162,548)"))
    rows = "".join(f"<tr><td>{label}</td><td>{said}</td><td>{said}</td></tr>" for label, said in told)
    path.write_text(f"<html><body><p>Units.</p><table>{head}{rows}</table></body></html>")
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    found = {row.label: read_cell(view, row, 1) for row in view.table.body}
    assert {label: reading.unit for label, reading in found.items() if label != "Number of units:"} == {
        "Dues": "USD", "Due in": "", "Forfeited": "",
    }  # fmt: skip


def test_what_shares_bring_is_money(tmp_path):
    head = "<tr><th>($ in millions)</th><th>2022</th></tr>"
    assert cell(tmp_path, head, "<tr><td>Proceeds from exercises of stock options</td><td>49</td></tr>").unit == "USD"


def test_words_of_a_line_above_and_of_a_group_give_their_units(tmp_path):
    head = "<tr><th></th><th>Quays</th></tr>"
    row = "<tr><td>Acquired</td><td>46,859,184</td></tr>"
    assert cell(tmp_path, head, row, before="The table shows changes in each class of shares:").unit == ""
    path = tmp_path / "file.html"
    told = (
        ("Dues", "$ 120", "$ 90"),
        ("Shares of common stock", "0.1", "10.9"),
        ("Percentage growth:", "", ""),
        ("North", "25%", "33%"),
        ("South", "6", "24"),
    )
    rows = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in own) + "</tr>" for own in told)
    head = "<tr><th>In millions</th><th>2022</th><th>2021</th></tr>"
    path.write_text(f"<html><body><p>Growth.</p><table>{head}{rows}</table></body></html>")
    document = CompiledDocument(compile_file(path, name="file.html"))
    [view] = tables_of(document.tree, range(1, len(document.tree)))
    found = {row.label: read_cell(view, row, 1) for row in view.table.body}
    assert found["South"].unit == "%"
    assert (found["Shares of common stock"].unit, found["Shares of common stock"].scale) == ("shares", 1_000_000)


def test_a_quarter_foreseen_is_no_quarter_of_the_year_it_was_foreseen_in(tmp_path):
    head = "<tr><th></th><th>Assumed at December 31, 2020</th></tr><tr><th></th><th>2Q22</th></tr>"
    assert cell(tmp_path, head, "<tr><td>Rate of growth</td><td>4.3 %</td></tr>").period.words == "Q2 2022"
