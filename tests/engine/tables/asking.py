"""Plans and tables for tests: a question as its naming words, periods and operation; a document of tables."""

from tests.support.engine_documents import Part, compiled, section, table
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period, QueryPlan, Token, UnitRequest
from vectorless_web.engine.tables.relation import Relation, TableSource, words_of
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.tables.worked import WorkedFigure, find_worked_figure
from vectorless_web.engine.text.analyser import word_terms, words


def ask(
    names: str,
    *years: int,
    operation: str = "",
    operator: str = "",
    unit: UnitRequest | None = None,
    figures: tuple[FigureNeed, ...] = (),
    formula: Formula | None = None,
    asks: str = "What is",
) -> QueryPlan:
    """The plan of "What is <operator> <names> <years>?"; words of the operator have the role of an operation."""
    question = " ".join([asks, operator, names, *map(str, years)])
    tokens = []
    for word in words(question):
        terms = word_terms(word.text)
        is_named = len(asks) < word.start < len(question) - 5 * len(years)
        role = "stop" if not terms else "content" if is_named else "period" if terms[0].isdigit() else "content"
        if len(asks) < word.start <= len(asks) + len(operator):
            role = "operation"
        if formula is not None and role == "content":
            role = "lexicon"
        tokens.append(Token(word.text, terms[0] if terms else "", word.start, role))
    periods = tuple(Period("year", year, text=str(year)) for year in years)
    return QueryPlan(
        question,
        periods=periods,
        unit=unit,
        figures=figures,
        formula=formula,
        tokens=tuple(tokens),
        operation=operation,
    )


def source_of(*parts: Part, title: str = "Norrvik annual report") -> TableSource:
    """The tables of a document of these parts, or of one section of them."""
    tree = compiled(title, section("Figures", *parts)).tree
    return TableSource("a", tuple(tables_of(tree, tree.leaves())), subject=words_of(title))


def relation_of(part: Part, *before: Part) -> Relation:
    """The relation of one table behind other parts."""
    return source_of(*before, part).relations[0]


def worked(plan: QueryPlan, *parts: Part) -> WorkedFigure | None:
    """The worked figure of a plan over a document of these parts."""
    return find_worked_figure(plan, [source_of(*parts)])


INCOME = table(
    "Statement of income",
    [
        ["Net sales", "5,400", "5,000", "4,000"],
        ["Cost of sales", "3,300", "3,000", "2,500"],
        ["Gross profit", "2,100", "2,000", "1,500"],
        ["Gross margin", "38.9%", "40.0%", "37.5%"],
        ["Shares issued", "12", "15", "—"],
    ],
    columns=["", "2019", "2018", "2017"],
    units="(Dollars in millions)",
    statement="income",
)
"""A statement of three years in millions of dollars."""

CREW = table(
    "Crew by harbour",
    [["Bergen", "120", "30"], ["Oslo", "80", "45"], ["Kiel", "40", "5"], ["Total", "240", "80"]],
    columns=["Harbour", "Sailors", "Cooks"],
)
"""Columns that names tell apart, no period, a total."""
