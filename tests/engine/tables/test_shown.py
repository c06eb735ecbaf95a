"""How a table is shown: columns named, headers never dropped."""

from tests.engine.tables.asking import INCOME, source_of
from vectorless_web.engine.tables.shown import show_table
from vectorless_web.engine.tables.view import tables_of


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


def test_an_amount_among_words_is_no_unit_of_the_table(compiled):
    actions = "| action | days |\n|---|---|\n| Ask for £10,000 | 3 |\n| Mend the fence | 4 |\n"
    prices = "| part | price |\n|---|---|\n| Bolt | £3 |\n| Nut | £1 |\n"
    trees = [compiled(text).tree for text in (actions, prices)]
    assert [show_table(next(tables_of(tree, tree.leaves()))).unit for tree in trees] == ["", "GBP"]
