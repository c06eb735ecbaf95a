"""A table as a relation: rows, columns, groups, units and periods of its cells."""

from decimal import Decimal

import pytest

from tests.engine.tables.asking import INCOME, relation_of, source_of
from tests.support.engine_documents import paragraph, table
from vectorless_web.engine.documents.node import Cell
from vectorless_web.engine.tables.relation import clean_label, read_cell_number


def entries(relation, label):
    return relation.entries(next(line for line in relation.lines if line.label == label))


def test_a_cell_knows_its_row_column_period_unit_and_scale():
    cell = entries(relation_of(INCOME), "Net sales")[1]
    assert (cell.cell_id, cell.label, cell.axis.path, cell.period.year) == ("r1c2", "Net sales", ("2018",), 2018)
    assert (cell.value, cell.measure, cell.scale) == (Decimal(5_000_000_000), "USD", 1_000_000)
    share = entries(relation_of(INCOME), "Gross margin")[0]
    assert (share.value, share.measure, share.scale) == (Decimal("38.9"), "%", 1)


def test_a_dash_is_nothing_and_kept_apart_from_nought():
    assert [cell.is_blank for cell in entries(relation_of(INCOME), "Shares issued")] == [False, False, True]


def test_rows_that_name_columns_below_the_header_are_headers():
    rows = [["", "Bergen", "Oslo"], ["", "2019", "2018"], ["Crew", "12", "9"]]
    relation = relation_of(table("Ports", rows, columns=["", "", ""]))
    assert [line.label for line in relation.lines] == ["Crew"]
    assert [axis.path for axis in relation.axes[1:]] == [("Bergen", "2019"), ("Oslo", "2018")]
    assert [cell.period.year for cell in entries(relation, "Crew")] == [2019, 2018]


def test_rows_of_a_form_are_no_headers_though_a_date_is_among_them():
    rows = [["Title", "Journeys to work"], ["Version", "2 (14/02/2023)"], ["Interviews", "15"]]
    relation = relation_of(table("Synopsis", rows, columns=["", ""]))
    assert relation.late_heads == ()
    assert [axis.path for axis in relation.axes] == [(), ()]


def test_groups_reach_from_a_row_without_figures_to_the_next_one():
    rows = [["Northern ports:", ""], ["Bergen", "1"], ["Southern ports:", ""], ["Kiel", "2"]]
    relation = relation_of(table("Ports", rows, columns=["", "Ships"]))
    assert [line.path for line in relation.lines] == [("Northern ports", "Bergen"), ("Southern ports", "Kiel")]


def test_units_that_a_text_below_tells_hold_where_the_table_tells_none():
    body = table("Debts", [["Owed to suppliers", "169"]], columns=["", "2019"])
    below = paragraph("(All amounts expressed in thousands of U.S. dollars, except share data)")
    relation = relation_of(body)
    assert entries(relation, "Owed to suppliers")[0].scale == 1
    [with_units] = source_of(body, below).relations
    assert entries(with_units, "Owed to suppliers")[0].value == 169_000


@pytest.mark.parametrize("caption", ["Capital budget 2026, £000 – approved, v3", "Budget by ward, £ thousand"])
def test_thousands_of_a_currency_in_the_caption_are_the_units(caption):
    budget = relation_of(table(caption, [["Endoscopy", "850"], ["Wards", "3700"]], columns=["", "2026"]))
    assert [(cell.value, cell.measure) for cell in entries(budget, "Endoscopy")] == [(Decimal(850_000), "GBP")]


def test_a_column_of_units_gives_the_scale_of_each_row():
    rows = [["Revenue", "£000", "28,252"], ["Dividend", "pence", "9.75"], ["Employees", "FTE", "2,631"]]
    relation = relation_of(table("At a glance", rows, columns=["", "Unit", "2025"]))
    told = [(cell.value, cell.measure) for line in relation.lines for cell in relation.entries(line)]
    assert told == [(Decimal(28_252_000), "GBP"), (Decimal("9.75"), "pence"), (Decimal(2631), "FTE")]


def test_what_is_counted_takes_neither_scale_nor_currency_of_its_table():
    rows = [["Wages", "5,400"], ["Number of employees", "1,250"]]
    relation = relation_of(table("Crew", rows, columns=["", "2019"], units="(Dollars in thousands)"))
    told = [[(entry.value, entry.measure) for entry in relation.entries(line)] for line in relation.lines]
    assert told == [[(5_400_000, "USD")], [(1_250, "")]]


@pytest.mark.parametrize(
    "text", ["0400 55 12", "+44 20 7946 0000", "12:30", "2024-03-01", "words", "", "see note 4 on page 12"]
)
def test_what_is_dialled_dated_or_said_is_no_figure(text):
    assert read_cell_number(Cell(text, 0, len(text))) is None


@pytest.mark.parametrize(
    "text,value", [("0.4", "0.4"), ("(12)", "-12"), ("$ 1,577", "1577"), ("—", "0"), ("-3.5%", "-3.5")]
)
def test_the_number_of_a_cell_is_read(text, value):
    assert read_cell_number(Cell(text, 0, len(text))).value == Decimal(value)


def test_marks_of_footnotes_are_no_part_of_a_label():
    assert [clean_label(text) for text in ("Ships (1)", "Crew*", "Fuel:", "Berths (north)")] == [
        "Ships",
        "Crew",
        "Fuel",
        "Berths (north)",
    ]
