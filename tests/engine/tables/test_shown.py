"""How a table is shown: columns named, headers never dropped."""

import pytest

from tests.engine.agent.model.test_view import view_of
from tests.engine.tables.asking import INCOME, source_of
from vectorless_web.engine.tables.shown import show_table
from vectorless_web.engine.tables.view import tables_of


def test_a_table_is_shown_with_its_unit_columns_and_rows():
    shown = show_table(source_of(INCOME).tables[0])
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


@pytest.mark.parametrize(
    ("rows", "unit", "columns"),
    [
        ("site | fire | flood\n-|-|-\nQuay | £2,500 | £900\nDock | €2,500 | €800", "", "fire, flood"),
        ("site | fee, £ | pieces\n-|-|-\nQuay | 2,500 | 30\nDock | 1,900 | 20", "", "fee, £, pieces"),
        ("lease | says\n-|-\nRent | £2,500\nBegins | 3 May 2019\nUse | storage of boats", "", "says"),
        ("year | profit | share\n-|-|-\n2021 | $ 1.10 | 20 %\n2022 | 1.40 | 22 %", "", "profit, share (%)"),
        ("item | 2021\n-|-\nSales | $ 11,604\nGrowth | 3 %\nMargin | 9 %", "", "2021"),
        ("item | 2021 change, percent\n-|-\nProfit | $10.45 to $10.65, 3 %\nSales | 4 %", "", "2021 change, percent"),
        ("part | width, mm | price, $mm\n-|-|-\nBolt | 76 | 3", "", "width, mm, price, $mm"),
    ],
)
def test_a_unit_is_told_only_where_all_figures_agree_with_it(compiled, rows, unit, columns):
    document = compiled("Sold by the boat of 76 mm, each at 5.\n\n" + rows.replace("\n", "|\n|").join("||") + "\n")
    view = next(tables_of(document.tree, document.tree.leaves()))
    shown = show_table(view)
    assert (shown.unit, ", ".join(shown.columns[1:])) == (unit, columns)
    told = view_of(document).write_leaf(view.node.key).partition("\n")[0]
    assert "table |" in told
    assert told.count("[%]") == columns.count("(%)")
