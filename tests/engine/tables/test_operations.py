"""Sorting, filtering, selecting and summing up a table."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.tables.asking import CREW, INCOME, relation_of
from tests.support.engine_documents import table
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.tables.operations import (
    Aggregate,
    Comparison,
    aggregate_column,
    filter_rows,
    find_column,
    grid_of,
    join_grids,
    select_cells,
    sort_rows,
)
from vectorless_web.engine.tables.relation import Relation, TableSource
from vectorless_web.engine.tables.view import tables_of

HARBOURS = grid_of(relation_of(CREW))


def names(grid):
    return [row.cells[0].text for row in grid.rows]


def test_a_grid_names_its_rows_by_their_groups_and_its_cells_by_place():
    rows = [["North:", "", ""], ["Bergen", "1", "2"], ["Oslo", "3", "4"]]
    grid = grid_of(relation_of(table("Ports", rows, columns=["", "2019", "2018"])))
    assert (names(grid), grid.columns) == (["North / Bergen", "North / Oslo"], ("", "2019", "2018"))
    assert [cell.cell for cell in grid.rows[0].cells] == ["r2c0", "r2c1", "r2c2"]


def test_a_group_reaches_as_far_as_its_sum(compiled):
    rows = "| | 2019 | 2018 |\n|-|-|-|\n| Repairs: | | |\n| Hulls | 1 | 2 |\n| | 1 | 2 |\n| Profit | 7 | 8 |\n"
    view = next(tables_of(tree := compiled(rows).tree, tree.leaves()))
    assert names(grid_of(Relation(TableSource("a", (view,)), view))) == ["Repairs / Hulls", "Repairs", "Profit"]


def test_a_row_of_words_is_a_row_and_names_no_others():
    rows = [["Anna", "Bergen", "41"], ["Bert", "Oslo", "none"], ["Carl", "Kiel", "38"]]
    grid = grid_of(relation_of(table("Crew", rows, columns=["", "Port", "Age"])))
    assert names(grid) == ["Anna", "Bert", "Carl"]


def test_the_parts_of_a_table_are_joined_and_summed_up_as_one():
    parts = {7: HARBOURS, 9: select_cells(HARBOURS, columns=[1])}
    whole = join_grids(parts)
    assert [row.row for row in whole.rows] == [f"{key}.{row.row}" for key in parts for row in HARBOURS.rows]
    assert len(whole.rows[-1].cells) == len(whole.columns) == len(HARBOURS.columns)
    assert aggregate_column(whole, 1, Aggregate.SUM).value == 2 * aggregate_column(HARBOURS, 1, Aggregate.SUM).value


def test_columns_are_found_by_name_part_of_a_name_or_place():
    assert [find_column(HARBOURS, name) for name in ("cooks", "SAIL", "2")] == [2, 1, 2]
    for name in ("pilots", "o", ""):
        with pytest.raises(InvalidInput):
            find_column(HARBOURS, name)


def test_rows_are_sorted_by_value_and_what_states_nothing_comes_last():
    grid = grid_of(relation_of(table("Fish", [["A", "9"], ["B", "—"], ["C", "100"]], columns=["", "Tonnes"])))
    assert names(sort_rows(grid, 1)) == ["A", "C", "B"]
    assert names(sort_rows(grid, 1, descending=True)) == ["C", "A", "B"]
    assert names(sort_rows(HARBOURS, 0)) == ["Bergen", "Kiel", "Oslo", "Total"]


@pytest.mark.parametrize(
    "column,comparison,value,found",
    [
        (1, Comparison.GREATER, "80", ["Bergen", "Total"]),
        (1, Comparison.AT_LEAST, "80", ["Bergen", "Oslo", "Total"]),
        (2, Comparison.LESS, "30", ["Kiel"]),
        (2, Comparison.AT_MOST, "30", ["Bergen", "Kiel"]),
        (2, Comparison.EQUAL, "45", ["Oslo"]),
        (0, Comparison.EQUAL, "kiel", ["Kiel"]),
        (0, Comparison.UNEQUAL, "kiel", ["Bergen", "Oslo", "Total"]),
        (0, Comparison.CONTAINS, "O", ["Oslo", "Total"]),
    ],
)
def test_rows_are_kept_by_a_comparison(column, comparison, value, found):
    assert names(filter_rows(HARBOURS, column, comparison, value)) == found


def test_a_bound_in_units_and_one_as_printed_find_the_same_rows():
    grid = grid_of(relation_of(INCOME))
    printed = filter_rows(grid, 1, Comparison.GREATER, "3,000")
    assert (
        names(printed)
        == names(filter_rows(grid, 1, Comparison.GREATER, "3,000 million"))
        == ["Net sales", "Cost of sales"]
    )


def test_a_word_is_no_bound():
    with pytest.raises(InvalidInput):
        filter_rows(HARBOURS, 1, Comparison.LESS, "many")


def test_rows_and_columns_are_selected_and_the_names_stay():
    grid = select_cells(HARBOURS, ["r2"], [2])
    assert [[cell.text for cell in row.cells] for row in grid.rows] == [["Oslo", "45"]]
    with pytest.raises(InvalidInput):
        select_cells(HARBOURS, ["r99"])


@pytest.mark.parametrize(
    "kind,value,cells", [("sum", 480, 4), ("count", 4, 4), ("mean", 120, 4), ("least", 40, 1), ("most", 240, 1)]
)
def test_a_column_is_summed_up_with_the_cells_it_rests_on(kind, value, cells):
    found = aggregate_column(HARBOURS, 1, Aggregate(kind))
    assert (found.value, len(found.cells)) == (value, cells)


def test_numbers_of_several_units_are_not_summed_up():
    with pytest.raises(InvalidInput):
        aggregate_column(grid_of(relation_of(INCOME)), 1, Aggregate.SUM)
    with pytest.raises(InvalidInput):
        aggregate_column(HARBOURS, 0, Aggregate.MOST)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=12), st.integers(-(10**6), 10**6))
def test_sorting_keeps_the_rows_and_filters_part_them(values, bound):
    rows = [[f"Row {place}", str(value)] for place, value in enumerate(values)]
    grid = grid_of(relation_of(table("Sums", rows, columns=["", "Amount"])))
    ordered = sort_rows(grid, 1)
    assert sorted(names(ordered)) == sorted(names(grid))
    assert [row.cells[1].value for row in ordered.rows] == sorted(Decimal(value) for value in values)
    assert sort_rows(ordered, 1) == ordered
    above = filter_rows(grid, 1, Comparison.GREATER, str(bound))
    below = filter_rows(grid, 1, Comparison.AT_MOST, str(bound))
    assert sorted(names(above) + names(below)) == sorted(names(grid))
    total = aggregate_column(grid, 1, Aggregate.SUM)
    assert (
        total.value
        == sum(values)
        == sum(aggregate_column(part, 1, Aggregate.SUM).value for part in (above, below) if part.rows)
    )
    assert aggregate_column(grid, 1, Aggregate.LEAST).value <= aggregate_column(grid, 1, Aggregate.MEAN).value
