"""How a table is shown: columns named, headers never dropped."""

from tests.engine.tables.asking import INCOME, source_of
from vectorless_web.engine.tables.shown import show_table


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
