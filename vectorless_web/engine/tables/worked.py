"""The worked figure: what a question asks for as a figure, found or worked out exactly in a table, or nothing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.questions.asked import narrow_plan
from vectorless_web.engine.questions.plan import QueryPlan, UnitRequest
from vectorless_web.engine.tables.arithmetic import round_half_up
from vectorless_web.engine.tables.formulas import Result, add_up, list_values, work_out_formula, work_out_operation
from vectorless_web.engine.tables.lookup import Hit, terms_listed
from vectorless_web.engine.tables.periods import own_period
from vectorless_web.engine.tables.relation import TableSource
from vectorless_web.engine.tables.units import scale_name
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.text.analyser import analyse


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row as it is in the text of node `key`: characters `start` to `end`."""

    document: str
    key: int
    start: int
    end: int
    page_index: int


@dataclass(frozen=True, slots=True)
class WorkedCell:
    """A cell that was used: the index of its row among the quotes, its id in the table, its paths and its value."""

    quote: int
    cell: str
    row_path: tuple[str, ...]
    column_path: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class WorkedOperand:
    """An operand of a calculation: its name in the expression, what it is called, its number, unit and quote.

    `scale` is that in which the number is printed.
    """

    name: str
    label: str
    value: Decimal
    unit: str
    quote: int
    scale: Decimal = Decimal(1)


@dataclass(frozen=True, slots=True)
class Working:
    """A calculation: `expression` over the operands' names gives `result` in `unit`; `told` has printed names in it."""

    expression: str
    told: str
    operands: tuple[WorkedOperand, ...]
    result: str
    unit: str


@dataclass(frozen=True, slots=True)
class WorkedFigure:
    """A figure every part of which is checked. `maker`: lookup, formula or operation.

    `sentence` is composed from labels as they are printed, `value` the figure with its unit in words; where several
    periods were asked for, that of the first. `amount` is the value in units.
    """

    maker: str
    sentence: str
    value: str
    amount: Decimal
    quotes: tuple[QuotedRow, ...]
    cells: tuple[WorkedCell, ...]
    fit: float
    calculation: Working | None = None


MOST_TABLES = 40
"""Tables of a document that are read for a worked figure, the best-ranked. Filings have up to 300; 30 bring the same
figures as all of them."""


def rank_tables(
    scorer: DocumentScorer, name: str, *, title: str = "", is_let: Callable[[int], bool] | None = None
) -> TableSource:
    """The best-ranked tables of the scorer's document, which is called `name` and by `title` in its corpus.

    `is_let` says of a node's key whether the question may look there.
    """
    document = scorer.document
    tree, card = document.tree, document.card
    tables = [key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE]
    keys = [key for key in tables if is_let is None or is_let(key)]
    fits = dict(zip(keys, scorer.scores(keys), strict=True))
    best = sorted(sorted(keys, key=lambda key: (-round(fits[key], 9), key))[:MOST_TABLES])
    subject = " ".join((document.title, card.title, title, *card.fields.entities))
    return TableSource(name, tuple(tables_of(tree, best)), fits, own_period(card.fields), frozenset(analyse(subject)))


def find_worked_figure(plan: QueryPlan, sources: Sequence[TableSource]) -> WorkedFigure | None:
    """The worked figure of a question: a ratio of the lexicon, a cell, an operation over cells; None unless exact."""
    plan = narrow_plan(plan)
    relations = [relation for source in sources for relation in source.relations]
    result = work_out_formula(plan, relations)
    if result is not None:
        return _tell_result("formula", plan, result)
    if len(plan.periods) < 2 and (hits := list_values(plan, relations, with_operation=True)):
        return _tell_cells(plan, hits)
    result = work_out_operation(plan, relations)
    if result is not None:
        return _tell_result("operation", plan, result)
    is_plain = not plan.operation or (plan.operation == "sum" and len(plan.periods) < 2)
    hits = list_values(plan, relations, with_operation=False) if is_plain else ()
    total = add_up(plan, hits)
    if total is not None:
        return _tell_result("operation", plan, total)
    return _tell_cells(plan, hits) if hits else None


_NEWEST = " (the newest period of the statement; the question names none)"


def _tell_cells(plan: QueryPlan, hits: Sequence[Hit]) -> WorkedFigure | None:
    """The cells as a figure; None where one is a dash among percentages, or a percentage no total as asked for.

    No rate is not a rate of nought, and a share of something is no total of it.
    """
    said = frozenset(token.term for token in plan.tokens if token.term)
    totals = frozenset[str]() if "percent" in said else said & terms_listed("totals")
    shares = [hit.entry for hit in hits if hit.entry.unit == "%"]
    if any(entry.is_blank or totals - entry.label_words - entry.axis.words for entry in shares):
        return None
    quotes, places = _quote_rows(hits)
    is_chosen = not plan.periods and hits[0].relation.has_periods
    return WorkedFigure(
        "lookup",
        _tell_values(plan, hits) + (_NEWEST if is_chosen else ""),
        _value_of(plan, hits[0]),
        hits[0].value,
        quotes,
        _cells(hits, places),
        min(hit.fit for hit in hits),
    )


def _tell_result(maker: str, plan: QueryPlan, result: Result) -> WorkedFigure:
    hits = [hit for _, hit in result.hits]
    quotes, places = _quote_rows(hits)
    value = _value_words(plan, result.value, result.measure, result.scale)
    operands = tuple(
        WorkedOperand(name, _name(hit), hit.value, hit.entry.measure, place, hit.entry.scale)
        for (name, hit), place in zip(result.hits, places, strict=True)
    )
    name = result.name.replace("_", " ")
    if maker == "operation":
        sentence = f"{_tell_values(plan, hits)}; {name}"
    else:
        sentence = ", ".join((name, *dict.fromkeys(when for hit in hits if (when := _when(hit)))))
    return WorkedFigure(
        maker,
        f"{sentence}: {value}",
        value,
        result.value,
        quotes,
        _cells(hits, places),
        min(hit.fit for hit in hits),
        Working(result.expression, _write_expression(result), operands, value, result.measure),
    )


def _tell_values(plan: QueryPlan, hits: Sequence[Hit]) -> str:
    """Each cell with its name and value; what all share is said once: "Sales, 2019: $5 million; 2018: $4 million"."""
    names, whens = [_what(hit) for hit in hits], [_when(hit) for hit in hits]
    years = [str(hit.entry.period.year) for hit in hits]
    values = [_value_of(plan, hit) for hit in hits]
    if len(set(names)) == 1:
        short = years if len(hits) > 1 and len(set(years)) == len(years) else whens
        told = "; ".join(f"{when}: {value}" if when else value for when, value in zip(short, values, strict=True))
        return f"{names[0]}, {told}" if whens[0] else f"{names[0]}: {told}"
    shared = f" ({whens[0]})" if len(set(whens)) == 1 and whens[0] else ""
    named = names if shared else [_name(hit) for hit in hits]
    return "; ".join(f"{name}: {value}" for name, value in zip(named, values, strict=True)) + shared


def _write_expression(result: Result) -> str:
    hits = dict(result.hits)
    labels = [hit.entry.label or hit.entry.axis.name for hit in hits.values()]
    ways = (
        labels,
        [_what(hit) for hit in hits.values()],
        [f"{label} {hit.entry.period.year or ''}".strip() for label, hit in zip(labels, hits.values(), strict=True)],
        [_name(hit) for hit in hits.values()],
    )
    told = dict(
        zip(hits, next((way for way in ways if len(set(way)) == len(hits) and all(way)), ways[-1]), strict=True)
    )
    return _NAME.sub(lambda match: told.get(match[0], match[0]), result.expression)


_NAME = re.compile(r"[a-z]\w*")


def _quote_rows(hits: Sequence[Hit]) -> tuple[tuple[QuotedRow, ...], list[int]]:
    rows = [_quote_row(hit) for hit in hits]
    quotes = list(dict.fromkeys(rows))
    return tuple(quotes), [quotes.index(row) for row in rows]


def _quote_row(hit: Hit) -> QuotedRow:
    node, row = hit.relation.view.node, hit.entry.line.row
    text = node.text[row.offset : row.offset + row.length]
    start = row.offset + len(text) - len(text.lstrip())
    return QuotedRow(hit.relation.source.document, node.key, start, row.offset + len(text.rstrip()), row.page_index)


def _cells(hits: Sequence[Hit], places: Sequence[int]) -> tuple[WorkedCell, ...]:
    return tuple(
        WorkedCell(
            place,
            hit.entry.cell_id,
            hit.entry.reading.row_path or hit.entry.line.path,
            hit.entry.axis.path,
            amount_words(hit.entry.value, hit.entry.measure, hit.entry.scale),
        )
        for hit, place in zip(hits, places, strict=True)
    )


def _what(hit: Hit) -> str:
    """What a cell is called: its group where the label sums it up, its label, and its column if that is no period."""
    label = hit.entry.label or hit.entry.axis.name
    group = hit.entry.line.groups[-1].strip(" :") if hit.entry.line.groups else ""
    column = hit.entry.axis.path[-1] if hit.relation.own_words(hit.entry.axis) and hit.entry.label else ""
    return ", ".join(part for part in (group, label, column) if part)


def _when(hit: Hit) -> str:
    return hit.entry.period.words


def _value_of(plan: QueryPlan, hit: Hit) -> str:
    return _value_words(plan, hit.value, hit.entry.measure, hit.entry.scale)


def _name(hit: Hit) -> str:
    return ", ".join(part for part in (_what(hit), _when(hit)) if part)


def _value_words(plan: QueryPlan, value: Decimal, measure: str, printed: Decimal) -> str:
    scale = Decimal(str(plan.unit.scale)) if plan.unit and plan.unit.scale and measure != "%" else printed
    return amount_words(value, measure, scale, plan.unit)


_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}


def amount_words(value: Decimal, measure: str, scale: Decimal = Decimal(1), unit: UnitRequest | None = None) -> str:
    """A value in words: 1577000000 of USD at scale 1000000 gives "$1,577 million", 12.5 of "%" gives "12.5%".

    A figure that does not end is rounded half up, to the decimals asked for or to those that a reader can use.
    """
    shown = value if measure == "%" else value / scale
    decimals = unit.decimals if unit and unit.decimals is not None else _decimals(shown)
    places = -int(shown.as_tuple().exponent) if isinstance(shown.as_tuple().exponent, int) else 0
    if places > decimals:
        shown = round_half_up(shown, decimals)
    text = f"{abs(shown):,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    sign = "-" if shown < 0 else ""
    if measure == "%":
        return f"{sign}{text}%"
    name = scale_name(scale) if scale != 1 else ""
    currency = _SYMBOLS.get(measure, f"{measure} ") if measure.isupper() and len(measure) == 3 else ""
    behind = "" if currency else measure
    return " ".join(part for part in (f"{sign}{currency}{text}", name, behind) if part)


def _decimals(value: Decimal) -> int:
    return 2 if abs(value) >= 1 else 4
