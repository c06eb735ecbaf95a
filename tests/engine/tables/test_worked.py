"""The worked figure: exact or not shown.

A case of worked.txt is a sentence, a table (its title, with the kind of a statement in brackets, and the heads of its
columns, then its rows), or INCOME or CREW of asking.py, and behind => what is asked of it: names and years, behind a
slash an operation and the words that ask for it, behind = the value or the sentence that is shown, ~ where there is
none. Another way to ask than "What is" stands in brackets before the names.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.tables.asking import CREW, INCOME, ask, source_of, worked
from tests.support.engine_documents import Part, paragraph, table
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period, UnitRequest
from vectorless_web.engine.tables.arithmetic import evaluate
from vectorless_web.engine.tables.worked import amount_words, find_worked_figure

ASKED = re.compile(r"(?:\((.+?)\) )?(.+?)((?: \d{4})*)(?: / (\w+) (.+))? = (.+)")
KNOWN = {"INCOME": INCOME, "CREW": CREW}


def cases() -> Iterator:
    """Each question of each case, with the table it is put to."""
    text = Path(__file__).with_name("worked.txt").read_text()
    for written in re.split("^# ", text, flags=re.MULTILINE)[1:]:
        name, body = written.split("\n", 1)
        printed, questions = body.rstrip().split("\n=>\n")
        for question in questions.split("\n"):
            yield pytest.param(printed, question, id=f"{name}: {question}")


def read_table(printed: str) -> Part:
    head, *rows = [[cell.strip() for cell in line.split("|")] for line in printed.split("\n")]
    title, statement = re.fullmatch(r"(.*?)(?: \((\w+)\))?", head[0]).groups()
    filled = [row + [""] * (len(head) - len(row)) for row in rows]
    return KNOWN.get(title) or table(title, filled, columns=["", *head[1:]], statement=statement or "")


@pytest.mark.parametrize(("printed", "question"), list(cases()))
def test_a_figure_is_worked_out_exactly_or_not_shown(printed, question):
    asks, names, years, operation, operator, shown = ASKED.fullmatch(question).groups(default="")
    plan = ask(names, *map(int, years.split()), operation=operation, operator=operator, asks=asks or "What is")
    found = worked(plan, read_table(printed))
    assert shown in ((found.value, found.sentence) if found else ("~",))


def test_a_cell_is_found_by_row_and_period_and_told_with_its_unit():
    found = worked(ask("net sales", 2019), INCOME)
    assert (found.maker, found.sentence, found.value) == ("lookup", "Net sales, 2019: $5,400 million", "$5,400 million")
    assert [(cell.cell, cell.row_path, cell.column_path) for cell in found.cells] == [
        ("r1c1", ("Net sales",), ("2019",))
    ]
    assert found.amount == 5_400_000_000


def test_the_quote_is_the_row_as_it_stands_in_the_text():
    source = source_of(INCOME)
    [quote] = find_worked_figure(ask("gross profit", 2018), [source]).quotes
    text = source.tables[0].node.text
    assert text[quote.start : quote.end] == "Gross profit\t2,100\t2,000\t1,500"


def test_the_lexicons_other_name_of_a_figure_finds_its_row():
    need = FigureNeed("revenue", ("revenue", "net sales"), Period("year", 2019), "income")
    assert worked(ask("revenue", 2019, figures=(need,)), INCOME).sentence == "Net sales, 2019: $5,400 million"


@pytest.mark.parametrize(
    "operation,operator,names,years,value,expression",
    [
        ("change", "change", "net sales", (2018, 2019), "$400 million", "b - a"),
        ("percent_change", "percentage change", "net sales", (2019, 2018), "8%", "100 * (b - a) / a"),
        ("change", "change", "gross margin", (2018, 2019), "-1.1%", "b - a"),
        ("average", "average", "net sales", (2017, 2018, 2019), "$4,800 million", "(a + b + c) / 3"),
        ("sum", "sum", "gross profit", (2018, 2019), "$4,100 million", "a + b"),
        ("difference", "difference", "net sales cost of sales", (2019,), "$2,100 million", "b - a"),
        ("ratio", "ratio", "net sales cost of sales", (2018,), "1.67", "a / b"),
        ("share", "share", "gross profit net sales", (2018,), "40%", "100 * a / b"),
        ("sum", "sum", "cost of sales gross profit", (2018,), "$5,000 million", "a + b"),
    ],
)
def test_operations_run_over_periods_of_a_row_or_over_rows(operation, operator, names, years, value, expression):
    found = worked(ask(names, *years, operation=operation, operator=operator), INCOME)
    assert (found.maker, found.value, found.calculation.expression) == ("operation", value, expression)


def test_the_total_of_several_years_is_told_with_the_figure_of_each():
    found = worked(ask("total gross profit", 2018, 2019), INCOME)
    assert found.sentence == "Gross profit, 2018: $2,000 million; 2019: $2,100 million; sum: $4,100 million"
    assert found.calculation.told == "Gross profit 2018 + Gross profit 2019"


def test_what_a_cash_flow_statement_prints_in_brackets_is_asked_for_as_an_amount():
    rows = [["Capital expenditures", "(90)", "(80)"], ["Purchases of ships", "(30)", "(20)"]]
    flows = table("Cash flows", rows, columns=["", "2019", "2018"], statement="cash_flow")
    need = FigureNeed("capital expenditures", ("capital expenditures",), Period("year", 2019), "cash_flow")
    change = {"operation": "change", "operator": "change"}
    assert worked(ask("capital expenditures", 2019, figures=(need,)), flows).value == "90"
    assert worked(ask("capital expenditures", 2018, 2019, figures=(need,), **change), flows).value == "10"
    assert worked(ask("purchases of ships", 2019), flows).value == "-30"


def test_no_part_of_a_calculation_is_named_by_the_text_before_the_table_alone():
    loans = table("Loans", [["Oslo", "10"], ["Kiel", "30"]], columns=["", "Sum"])
    source = source_of(paragraph("Of the whole debt."), loans)
    share = {"operation": "share", "operator": "share of"}
    assert find_worked_figure(ask("Oslo Kiel", **share), [source]).value == "33.33%"
    assert find_worked_figure(ask("Oslo Kiel debt", **share), [source]) is None


def test_a_ratio_of_the_lexicon_is_worked_out_over_its_concepts():
    needs = (
        FigureNeed("cost of goods sold", ("cost of goods sold", "cost of sales"), Period("year", 2018), "income"),
        FigureNeed("revenue", ("revenue", "net sales"), Period("year", 2018), "income"),
    )
    formula = Formula("cost ratio", "100 * cost / revenue", (("cost", 0), ("revenue", 1)), percent=True)
    found = worked(ask("cost ratio", 2018, figures=needs, formula=formula), INCOME)
    assert (found.maker, found.value, found.sentence) == ("formula", "60%", "cost ratio, 2018: 60%")
    assert [(one.name, one.value) for one in found.calculation.operands] == [
        ("cost", Decimal(3_000_000_000)),
        ("revenue", Decimal(5_000_000_000)),
    ]
    missing = (needs[0], FigureNeed("tax", ("income taxes",), Period("year", 2018)))
    assert worked(ask("cost ratio", 2018, figures=missing, formula=formula), INCOME) is None


def test_a_ratio_takes_no_figures_of_different_years_when_none_is_asked():
    needs = (FigureNeed("lease cost", ("lease cost",)), FigureNeed("revenue", ("net sales",)))
    formula = Formula("lease ratio", "100 * cost / revenue", (("cost", 0), ("revenue", 1)), percent=True)
    millions = "(Dollars in millions)"
    leases = table("Leases", [["Lease cost", "54", "50"]], columns=[millions, "2024", "2023"])
    same = table("Leases", [["Lease cost", "54", "50"]], columns=[millions, "2019", "2018"])
    assert worked(ask("lease ratio", figures=needs, formula=formula), INCOME, same).maker == "formula"
    assert worked(ask("lease ratio", figures=needs, formula=formula), INCOME, leases) is None


@pytest.mark.parametrize(
    "unit,value",
    [
        (UnitRequest(scale=1e9, currency="USD"), "$5.4 billion"),
        (UnitRequest(scale=1e9, decimals=0), "$5 billion"),
        (UnitRequest(scale=1e3), "$5,400,000 thousand"),
    ],
)
def test_the_scale_and_decimals_asked_for_are_kept(unit, value):
    assert worked(ask("net sales", 2019, unit=unit), INCOME).value == value


def test_a_figure_that_two_documents_state_differently_is_not_shown():
    other = table("Statement of income", [["Net sales", "77", "66"]], columns=["", "2019", "2018"])
    sources = [source_of(INCOME), source_of(other)]
    assert find_worked_figure(ask("net sales", 2019), sources[:1]) is not None
    assert find_worked_figure(ask("net sales", 2019), [sources[0], sources[0]]) is not None
    same = table("Sales", [["Net sales", "77", "66"]], columns=["", "2019", "2018"], statement="income")
    assert find_worked_figure(ask("net sales", 2019), [sources[0], source_of(same)]) is None


@pytest.mark.parametrize(
    "value,measure,scale,text",
    [
        ("1577000000", "USD", 1_000_000, "$1,577 million"),
        ("1577000000", "USD", 1_000_000_000, "$1.58 billion"),
        ("-473000000", "USD", 1_000_000, "-$473 million"),
        ("4.05", "USD", 1, "$4.05"),
        ("0", "EUR", 1_000_000, "€0 million"),
        ("12.5", "%", 1, "12.5%"),
        ("400", "mg", 1, "400 mg"),
        ("0.12345", "", 1, "0.1235"),
    ],
)
def test_amounts_are_written_as_people_write_them(value, measure, scale, text):
    assert amount_words(Decimal(value), measure, Decimal(scale)) == text


CELLS = st.integers(-9_999, 9_999)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=5),
    st.sampled_from(["change", "sum", "average", "percent_change"]),
)
def test_every_number_shown_recomputes_from_its_cells(rows, operation):
    names = ["Herring", "Salmon", "Trout", "Perch", "Pike"]
    body = [[name, str(new), str(old)] for name, (new, old) in zip(names, rows, strict=False)]
    found = worked(
        ask("salmon", 2018, 2019, operation=operation, operator=operation.split("_")[0]),
        table("Catch", body, columns=["", "2019", "2018"]),
    )
    if found is not None:
        operands = {operand.name: operand.value for operand in found.calculation.operands}
        assert operands == {"a": Decimal(rows[1][1]), "b": Decimal(rows[1][0])}
        assert evaluate(found.calculation.expression, operands) == found.amount
    else:
        assert operation == "percent_change" and (not rows[1][1] or rows[1][0] * rows[1][1] < 0)
