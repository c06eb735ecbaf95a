"""Figures worked out from cells: the lexicon's ratios, and operations over the periods of a row or over rows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from itertools import combinations, groupby, pairwise

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.questions.asked import asked_periods, asked_tokens, asks_figure, defined_terms
from vectorless_web.engine.questions.plan import FigureNeed, Formula, Period, QueryPlan
from vectorless_web.engine.tables.arithmetic import evaluate
from vectorless_web.engine.tables.lookup import (
    TIE,
    Hit,
    Target,
    find_cell,
    find_series,
    is_current,
    is_never_negative,
    target_of,
    terms_listed,
)
from vectorless_web.engine.tables.periods import is_period_only
from vectorless_web.engine.tables.relation import Relation, TableSource
from vectorless_web.engine.text.analyser import analyse

MOST_OPERANDS = 4
"""Figures that an operation of the question joins, at most."""

_OF_TWO = {
    "change": "b - a",
    "percent_change": "100 * (b - a) / a",
    "difference": "b - a",
    "ratio": "a / b",
    "share": "100 * a / b",
}
"""Expressions over two figures: of two periods `a` is the earlier one, of two rows the one named first."""

MOST_TERMS = 10
"""Words that are cut into names, at most: ten can be cut in some 200 ways."""

_OF_MANY = frozenset({"average", "sum"})
_OVER_TIME = frozenset({"change", "percent_change", "difference", "average", "sum"})
_OVER_ROWS = frozenset({"difference", "ratio", "share", "average", "sum"})
_IN_PERCENT = frozenset({"percent_change", "share"})


@dataclass(frozen=True, slots=True)
class Result:
    """What cells came to: the cells by the names that the expression gives them, the value in units, and its measure.

    `measure` is a currency's code, "%", another unit or ""; `scale` the scale in which the cells are printed; `name`
    what the calculation is called: an operation or a ratio.
    """

    hits: tuple[tuple[str, Hit], ...]
    expression: str
    value: Decimal
    measure: str
    scale: Decimal = Decimal(1)
    name: str = ""


def work_out_operation(plan: QueryPlan, relations: Sequence[Relation]) -> Result | None:
    """The plan's operation carried out over the cells that its words name; None unless each is found exactly."""
    terms = [token.term for token in asked_tokens(plan)]
    if not terms or not plan.operation:
        return None
    target = make_target(plan, terms)
    if plan.unit and plan.unit.percent and plan.operation not in (*_IN_PERCENT, *_OF_MANY):
        return None
    if plan.operation in _OVER_TIME:
        hits = _find_over_time(plan, relations, target) if plan.periods else _find_series(plan, relations, target)
        if hits and plan.operation in _OF_MANY and hits[0].entry.label_words & _operation_terms(plan):
            return None
        if hits:
            return _apply(plan.operation, hits)
    if plan.operation in _OVER_ROWS and len(plan.periods) < 2:
        hits = _find_rows(plan, relations, terms)
        if hits:
            return _apply(plan.operation, _order_parts(plan.operation, hits))
    return None


def _operation_terms(plan: QueryPlan) -> frozenset[str]:
    return frozenset(token.term for token in plan.tokens if token.role == "operation" and token.term)


def _skips_years(periods: Sequence[Period]) -> bool:
    """Whether it is open if the years between the two that are named are asked for as well."""
    years = sorted({period.year for period in periods})
    return len(years) == 2 and years[1] - years[0] > 1


def make_target(plan: QueryPlan, terms: Sequence[str], period: Period | None = None) -> Target:
    """What to look up for some of the question's terms."""
    said = frozenset(token.term for token in plan.tokens if token.term)
    of_lexicon = frozenset(token.term for token in plan.tokens if token.role == "lexicon")
    return replace(target_of(terms, plan.figures, of_lexicon), said=said, period=period)


def _find_over_time(plan: QueryPlan, relations: Sequence[Relation], target: Target) -> list[Hit]:
    """The cells of one row for the periods named, earliest first; of one period also the one before, for a change."""
    named = asked_periods(plan) if plan.operation in _OF_MANY else plan.periods
    periods = sorted(named, key=lambda period: (period.year, period.quarter or 0))
    if len(periods) == 1 and plan.operation in ("change", "percent_change"):
        periods = [replace(periods[0], year=periods[0].year - 1, text=""), periods[0]]
    is_open = plan.operation in _OF_MANY and _skips_years(periods)
    if is_open or not 2 <= len(periods) <= MOST_OPERANDS * 2:
        return []
    if plan.operation not in ("average", "sum"):
        periods = [periods[0], periods[-1]]
    return find_row(relations, target, periods)


def _find_series(plan: QueryPlan, relations: Sequence[Relation], target: Target) -> list[Hit]:
    """The cells of the one row meant where no period is named: all for an average, for a change the only two there are.

    A sum of them is asked for in the words of a row's own total just as well.
    """
    hits = find_series(relations, target) if plan.operation != "sum" else []
    return hits if plan.operation == "average" or len(hits) == 2 else []


def find_row(relations: Sequence[Relation], target: Target, periods: Sequence[Period]) -> list[Hit]:
    """The cells of one row for each of the periods; [] unless one row, and no other as well, has them all."""
    hits = [find_cell(relations, replace(target, period=period)) for period in periods]
    found = [hit for hit in hits if hit is not None]
    if len(found) < len(periods):
        return []
    rows = {(_row_name(hit), hit.entry.line.groups, hit.relation.own_words(hit.entry.axis)) for hit in found}
    cells = {(hit.row_key, hit.entry.axis.index) for hit in found}
    return found if len(rows) == 1 and len(cells) == len(found) else []


def _row_name(hit: Hit) -> frozenset[str]:
    return frozenset() if is_period_only((hit.entry.label,)) else hit.entry.label_words


def _find_rows(plan: QueryPlan, relations: Sequence[Relation], terms: Sequence[str]) -> list[Hit]:
    """The cells of one table that the question's words name when they are cut into names.

    [] unless each cell is found exactly, and no other table has other cells as well.
    """
    period = plan.periods[0] if plan.periods else None
    found: list[tuple[float, list[Hit]]] = []
    for relation in relations if len(terms) <= MOST_TERMS else ():
        if relation.knows(terms):
            find = cache(partial(_find_part, plan, relation, period))
            ways = (_find_parts(find, parts) for parts in _cut(terms, plan.operation in _OF_MANY))
            found.append(max(ways, key=lambda way: way[0], default=(0.0, [])))
    best, hits = max(found, key=lambda way: way[0], default=(0.0, []))
    values = {tuple(hit.value for hit in other) for fit, other in found if other and best - fit < TIE}
    return hits if len(values) == 1 else []


def _find_part(plan: QueryPlan, relation: Relation, period: Period | None, part: tuple[str, ...]) -> Hit | None:
    """The cell of one part of the words; the text before a table says too little to tell one part from another."""
    hit = find_cell((relation,), make_target(plan, part, period))
    if hit is None or hit.entry.label_words.isdisjoint(part):
        return None
    named = hit.entry.label_words | hit.entry.axis.words | hit.entry.line.group_words | relation.place_words
    return hit if named.issuperset(part) else None


def _find_parts(
    find: Callable[[tuple[str, ...]], Hit | None], parts: Sequence[tuple[str, ...]]
) -> tuple[float, list[Hit]]:
    """The cells of the parts with their mean fit; (0, []) unless each part has one of its own."""
    hits = [hit for part in parts if (hit := find(part)) is not None]
    cells = {(hit.row_key, hit.entry.axis.index) for hit in hits}
    return (sum(hit.fit for hit in hits) / len(hits), hits) if len(cells) == len(parts) else (0.0, [])


def _cut(terms: Sequence[str], is_open: bool) -> Iterator[list[tuple[str, ...]]]:
    for count in range(2, MOST_OPERANDS + 1 if is_open else 3):
        for cuts in combinations(range(1, len(terms)), count - 1):
            bounds = (0, *cuts, len(terms))
            parts = [tuple(terms[start:end]) for start, end in pairwise(bounds)]
            yield parts
            for shared in range(1, len(parts[-1]) if count == 2 else 0):
                tail = parts[-1][-shared:]
                yield [*((*part, *tail) for part in parts[:-1]), parts[-1]]


def _order_parts(operation: str, hits: list[Hit]) -> list[Hit]:
    """A share is of the greater of two figures; a difference takes the second from the first."""
    if operation == "share":
        return sorted(hits, key=lambda hit: hit.value)
    return hits[::-1] if operation == "difference" else hits


def add_up(plan: QueryPlan, hits: Sequence[Hit]) -> Result | None:
    """The sum of a row's amounts where the question asks for the total of several periods; None for anything else."""
    said = frozenset(token.term for token in plan.tokens if token.term)
    is_total = len(hits) > 1 and not plan.operation and said & terms_listed("totals")
    if not is_total or hits[0].entry.measure == "%" or _skips_years(asked_periods(plan)):
        return None
    return _apply("sum", sorted(hits, key=lambda hit: hit.entry.period.year or 0))


def _apply(operation: str, hits: Sequence[Hit]) -> Result | None:
    """An operation over cells of one unit; None where they have several, or the figure that divides is not above 0."""
    measures = {hit.entry.measure for hit in hits}
    values = [hit.value for hit in hits]
    is_divided = operation in (*_IN_PERCENT, "ratio")
    if len(measures) != 1 or (is_divided and any(hit.entry.is_blank for hit in hits)):
        return None
    measure = measures.pop()
    if operation == "percent_change" and (measure == "%" or not values[0] or values[0] < 0 < values[1]):
        return None
    if operation == "share" and min(values) < 0:
        return None
    names = "abcdefgh"[: len(hits)]
    total = " + ".join(names)
    expression = {**_OF_TWO, "sum": total, "average": f"({total}) / {len(hits)}"}[operation]
    measure = "%" if operation in _IN_PERCENT else "" if operation == "ratio" else measure
    scale = Decimal(1) if measure in ("%", "") and is_divided else hits[0].entry.scale
    return work_out(expression, dict(zip(names, hits, strict=True)), measure, scale, operation)


def work_out(expression: str, hits: dict[str, Hit], measure: str, scale: Decimal, name: str = "") -> Result | None:
    """The value of an expression over cells; None where it divides by zero."""
    try:
        value = evaluate(expression, {name: hit.value for name, hit in hits.items()})
    except InvalidInput:
        return None
    return Result(tuple(hits.items()), expression, value, measure, scale, name)


def work_out_formula(plan: QueryPlan, relations: Sequence[Relation]) -> Result | None:
    """The plan's ratio over the cells of its concepts in one document; None unless every operand is found exactly."""
    formula = plan.formula
    if formula is None or not asks_figure(plan) or not (formula.is_written or _is_defined_as_usual(plan)):
        return None
    for source, of_document in groupby(relations, key=lambda relation: relation.source):
        own = tuple(of_document)
        if not _accounts_for_rest(plan, source):
            continue
        joined = _join_series(plan, formula, own)
        if joined is None:
            continue
        expression, hits = joined
        measures = {hit.entry.measure for hit in hits.values()}
        if len(measures) != 1:
            continue
        is_amount = "/" not in formula.expression
        measure = measures.pop() if is_amount else "%" if formula.percent else ""
        scale = next(iter(hits.values())).entry.scale if is_amount else Decimal(1)
        return work_out(expression, hits, measure, scale, " ".join((plan.operation, formula.name)).strip())
    return None


def _join_series(plan: QueryPlan, formula: Formula, relations: Sequence[Relation]) -> tuple[str, dict[str, Hit]] | None:
    """The ratio's expression with its cells; over several periods the average of them, and nothing else."""
    ways = (formula, *formula.series) if plan.operation == "average" else (formula,)
    if (formula.series and plan.operation != "average") or (plan.operation and not formula.series):
        return None
    parts: list[str] = []
    hits: dict[str, Hit] = {}
    for place, way in enumerate(ways):
        found = _find_operands(plan, way, relations)
        if not found:
            return None
        mark = f"_{place + 1}" if len(ways) > 1 else ""
        expression = _leave_out(way.expression, [name for name, hit in found.items() if hit is None])
        for name, _ in way.operands:
            expression = re.sub(rf"\b{name}\b", f"{name}{mark}", expression)
        parts.append(expression)
        hits |= {f"{name}{mark}": hit for name, hit in found.items() if hit is not None}
    needs = {name: plan.figures[index] for way in ways for name, index in way.operands}
    if not (_is_of_one_row(hits, needs) and _is_of_one_year(hits, needs)):
        return None
    return (f"({' + '.join(parts)}) / {len(parts)}" if len(parts) > 1 else parts[0]), hits


def _is_of_one_row(hits: Mapping[str, Hit], needs: Mapping[str, FigureNeed]) -> bool:
    """Whether the figures of one concept at several periods are of rows of one name: else they may differ in kind."""
    rows: dict[str, set[tuple[object, ...]]] = {}
    for name, hit in hits.items():
        need = needs[name if name in needs else name.rsplit("_", 1)[0]]
        rows.setdefault(need.concept, set()).add((_row_name(hit), hit.relation.own_words(hit.entry.axis)))
    return all(len(found) == 1 for found in rows.values())


def _is_of_one_year(hits: Mapping[str, Hit], needs: Mapping[str, FigureNeed]) -> bool:
    """Whether figures for which no period is asked, each the newest of its table, are of the same year."""
    years: dict[int, set[int | None]] = {}
    for name, hit in hits.items():
        need = needs[name if name in needs else name.rsplit("_", 1)[0]]
        if need.period is None:
            years.setdefault(need.offset, set()).add(hit.entry.period.year)
    return all(len(found) == 1 for found in years.values())


def _is_defined_as_usual(plan: QueryPlan) -> bool:
    """Whether the question's own definition of the ratio names no figure that the lexicon's has not."""
    phrases = (phrase for need in plan.figures for phrase in (need.concept, *need.phrases))
    return defined_terms(plan) <= {term for phrase in phrases for term in analyse(phrase)}


def _find_operands(plan: QueryPlan, formula: Formula, relations: Sequence[Relation]) -> dict[str, Hit | None]:
    """The cell of each operand; None for an optional one that is not found, or that another row holds already.

    {} where an operand is missing.
    """
    found: dict[str, Hit | None] = {}
    by_concept: dict[str, Hit] = {}
    for name, index in formula.operands:
        need = plan.figures[index]
        host = by_concept.get(need.included_in)
        is_held = host is not None and bool(host.entry.label_words & set(analyse(need.concept)))
        hit = None if is_held else _find_need(relations, need)
        if hit is None and not (is_held or need.optional):
            return {}
        found[name] = hit
        if hit is not None:
            by_concept[need.concept] = hit
    return found


def _leave_out(expression: str, names: Sequence[str]) -> str:
    for name in names:
        expression = re.sub(rf"\b{name}\b", "0", expression)
    return expression


def _accounts_for_rest(plan: QueryPlan, source: TableSource) -> bool:
    """Whether the words beside the ratio's name are words of the document's subject."""
    rest = {token.term for token in asked_tokens(plan) if token.role != "lexicon"}
    return rest <= source.subject


def _find_need(relations: Sequence[Relation], need: FigureNeed) -> Hit | None:
    return find_cell(
        relations,
        Target(
            tuple(analyse(need.concept)),
            period=need.period,
            offset=need.offset,
            phrases=tuple(tuple(analyse(phrase)) for phrase in need.phrases),
            statement=need.statement,
            is_concept=True,
            is_amount=is_never_negative(need.concept),
        ),
    )


def list_values(plan: QueryPlan, relations: Sequence[Relation], *, with_operation: bool) -> tuple[Hit, ...]:
    """The cells that the question names: one, or one for each period of a row; () unless each is found exactly.

    With `with_operation` the words of the operation are part of a row's or column's name, as in "average price".
    """
    terms = [token.term for token in asked_tokens(plan)]
    if not terms:
        return ()
    operation = [token.term for token in plan.tokens if token.role == "operation" and token.term]
    if with_operation:
        terms = [*operation, *terms]
    target = replace(
        make_target(plan, terms),
        is_percent=bool(plan.unit and plan.unit.percent and not plan.operation),
        named=frozenset(operation if with_operation else ()),
    )
    periods = asked_periods(plan)
    if len(periods) > 1:
        hits = find_row(relations, target, periods)
        return tuple(hits)
    if plan.periods:
        hit = find_cell(relations, replace(target, period=plan.periods[0]))
    else:
        # Of a table of several periods a question has to name one, but of a statement the newest is meant.
        hit = find_cell(relations, target)
        hit = None if hit and hit.relation.has_periods and not is_current(hit) else hit
    return (hit,) if hit else ()
