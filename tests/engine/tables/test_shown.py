"""How a table is shown: columns named, headers never dropped."""

from tests.engine.tables.asking import CREW, INCOME, source_of
from tests.support.engine_documents import table
from vectorless_web.engine.tables.shown import row_at, rows_around, show_table


def view_of(part):
    return source_of(part).tables[0]


def test_a_table_is_shown_with_its_unit_columns_and_rows():
    shown = show_table(view_of(INCOME))
    assert (shown.name, shown.unit, shown.columns) == (
        "Statement of income",
        "USD, millions",
        ("", "2019", "2018", "2017"),
    )
    assert [(line.row, line.cells[0]) for line in shown.lines][:2] == [("r1", "Net sales"), ("r2", "Cost of sales")]


def test_rows_come_with_the_names_of_their_columns():
    assert rows_around(view_of(CREW), [2, 3]) == (
        ("Harbour", "Sailors", "Cooks"),
        ("Oslo", "80", "45"),
        ("Kiel", "40", "5"),
    )


def test_a_header_in_the_middle_comes_along_with_the_rows_below_it():
    rows = [["Ships", "12", "9"], ["", "June 30, 2019", "June 30, 2018"], ["Crew:", "", ""], ["Cooks", "40", "30"]]
    view = view_of(table("Fleet", rows, columns=["", "2019", "2018"]))
    assert rows_around(view, [1]) == (("", "2019", "2018"), ("Ships", "12", "9"))
    assert rows_around(view, [4])[1:] == (
        ("", "June 30, 2019", "June 30, 2018"),
        ("Crew:", "", ""),
        ("Cooks", "40", "30"),
    )


def test_a_row_is_found_by_a_character_of_the_text():
    view = view_of(CREW)
    assert [row_at(view, view.node.text.index(name)) for name in ("Bergen", "Kiel")] == [1, 3]
    assert row_at(view, 10_000) == -1
