"""Rows of one table added up, or one taken from another: "What do the drill and the saw cost together?"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.measures import CURRENCY
from vectorless_web.engine.relations.ranks import name_operands
from vectorless_web.engine.relations.rows import (
    GENERIC_ASKED,
    MEASURING,
    MOST_ROWS,
    Grid,
    RowsRead,
    RowTask,
    TableRow,
    Terms,
    Words,
    WorkedCell,
    cell_at,
    split_names,
    terms_of,
    words_asked,
)
from vectorless_web.engine.text.numbers import numbers_in

_TOGETHER = r"\b(?:together|altogether|in total|in all|combined|all told)\b"
_COSTS = (
    r"(?:cost|costs|come to|amount to|add up to|set (?:me|us|you|one) back|worth|weigh|hold|charge|be|make|makes|pay)"
)
_VERB = r"(?:do|does|did|will|would|is|are|was|were|have|has)"
_SUM = re.compile(
    rf"^\W*(?:and\s+)?(?:what|how (?:much|many)(?: [\w’'-]+)?)\s+{_VERB}\s+"
    rf"(?P<items>.+?)\s+(?:{_COSTS}\s+)?{_TOGETHER}\W*(?:{_COSTS}\W*)?(?:\b(?:for|in|on|at) [\w’' -]+)?\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"^\W*(?:and\s+)?(?:by )?how much\s+(?:dearer|cheaper|more expensive|less expensive|more|less)\s+{_VERB}\s+"
    r"(?P<one>.+?)\s+(?:cost\s+)?(?:than|compared (?:with|to))\s+(?P<other>.+?)\W*$",
    re.IGNORECASE,
)
_ASKS_MONEY = re.compile(
    r"\b(?:cost|costs|price|dearer|cheaper|expensive|worth|pay|charge|how much (?:is|are|was|were)"
    r"|set (?:me|us|you) back)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?P<unit>[£$€¥]?)\s?(?P<number>\d[\d,]*(?:\.\d+)?)(?P<behind>\s?[A-Za-z€%]{0,8})")
_PRICED = terms_of("price cost fee charge rate value")
_ONE = terms_of("one single")
_FIT, _MOST_ITEMS = 0.93, 6


def read_sum(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The sum of, or the difference between, one column's cells of the rows named; None where any of it is in doubt."""
    if (pieces := _read_pieces(grids, plan.focus)) is not None:
        return pieces
    summed, compared = _SUM.match(plan.focus), _MORE.match(plan.focus)
    items = split_names(summed["items"]) if summed else (compared["one"], compared["other"]) if compared else ()
    if not 2 <= len(items) <= _MOST_ITEMS or any(character.isdigit() for item in items for character in item):
        return None
    found = [
        read
        for grid in grids
        if (read := _read_in(grid, plan.focus, items, is_sum=summed is not None)) is not None
        or (compared and (read := _read_across(grid, items)) is not None)
    ]
    return found[0] if len(found) == 1 else None


_COUNTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_PIECE = re.compile(
    rf"\b(?P<count>an?|{'|'.join(_COUNTS)}|\d{{1,3}})\s+(?P<item>[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)"
    r"(?=\s+and\b|\s*[,?]|\s+(?:cost|come|be|altogether|together|in total|in all)\b|\W*$)",
    re.IGNORECASE,
)
"""So many of a thing: "two adults" and "a child" of "What do two adults and a child cost?"."""
_ASKS_COST = re.compile(r"\b(?:how much|what)\b[^?]*\b(?:costs?|pay|come to|set (?:me|us) back)\b", re.IGNORECASE)
_PRICE_EACH = re.compile(r"(?P<sign>[£$€¥])\s?(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s+(?:each|apiece))?", re.IGNORECASE)
_ASKED_SO = terms_of(
    "much cost costs pay come set back together altogether total all i we me us you they there it that"
)


_REGULAR = terms_of("month monthly week weekly year yearly annual day daily hour hourly night quarter")
"""Terms of a header whose prices are paid again and again, so that pieces alone do not make what they cost."""


def _read_pieces(grids: Sequence[Grid], question: str) -> RowsRead | None:
    """What several pieces of things cost, each by the price of its row; None for single ones, or where one is in doubt.

    Every other word of the question must be said by the table or by the rows themselves.
    """
    found = list(_PIECE.finditer(question))
    counts = [_count_of(match["count"].lower()) for match in found]
    if not _ASKS_COST.search(question) or not 0 < len(found) <= _MOST_ITEMS or max(counts) < 2:
        return None
    rest = words_asked(_PIECE.sub(" ", question), GENERIC_ASKED | _ASKED_SO)
    reads = [
        read
        for grid in grids
        if 1 < len(grid.rows) <= MOST_ROWS
        if (read := _cost_of(grid, [match["item"] for match in found], counts, rest)) is not None
    ]
    return reads[0] if len(reads) == 1 else None


def _count_of(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS.index(word) + 1 if word in _COUNTS else 1


def _cost_of(grid: Grid, items: Sequence[str], counts: Sequence[int], rest: Words) -> RowsRead | None:
    rows = [row for item in items if (row := _find_row(grid, item, frozenset())) is not None]
    if len(rows) < len(items) or len({row.start for row in rows}) < len(rows):
        return None
    priced = [
        place for place in range(1, len(grid.heads)) if all(_PRICE_EACH.fullmatch(cell_at(row, place)) for row in rows)
    ]
    said = grid.around | terms_of(" ".join((*grid.heads, *(cell for row in rows for cell in row.cells))))
    if len(priced) != 1 or rest.left_over(said) or terms_of(grid.heads[priced[0]]) & _REGULAR:
        return None
    place = priced[0]
    cut = tuple(replace(row, cells=(cell_at(row, place),)) for row in rows)
    prices = [match for row in cut if (match := _PRICE_EACH.fullmatch(row.cells[0]))]
    if len({match["sign"] for match in prices}) != 1:
        return None
    amounts = [Decimal(match["number"].replace(",", "")) for match in prices]
    total = sum((count * amount for count, amount in zip(counts, amounts, strict=True)), Decimal(0))
    result, names = f"{prices[0]['sign']}{total:,}", name_operands([row.name for row in rows])
    expression = " + ".join(f"{count} * {name}" for count, name in zip(counts, names, strict=True))
    each = [f"{count} × {row.cells[0]} ({row.name})" for count, row in zip(counts, cut, strict=True)]
    told = f"{result}: {' and '.join(each)}"
    cell = WorkedCell(result, expression, tuple((name, row.cells[0]) for name, row in zip(names, cut, strict=True)))
    return RowsRead(RowTask.SUM, grid.document, grid.caption, (grid.heads[0], grid.heads[place]), cut,
                    _FIT + 0.02 * grid.rank, len(grid.rows), worked=(cell,), told=told)  # fmt: skip


def _read_across(grid: Grid, items: Sequence[str]) -> RowsRead | None:
    """The same of two columns of one row: "How much dearer is neutering a dog than a cat?"."""
    said = [terms_of(item) for item in items]
    heads = [terms_of(head) for head in grid.heads]
    places = [
        [place for place, head in enumerate(heads) if place and head and head <= terms and not head <= other]
        for terms, other in zip(said, reversed(said), strict=True)
    ]
    if any(len(found) != 1 for found in places) or not 1 < len(grid.rows) <= MOST_ROWS:
        return None
    rest = frozenset().union(*said) - heads[places[0][0]] - heads[places[1][0]]
    rows = [
        row for row in grid.rows if rest and terms_of(row.name) <= rest and rest <= terms_of(row.name) | grid.around
    ]
    if len(rows) != 1:
        return None
    row = rows[0]
    cut = tuple(replace(row, name=grid.heads[found[0]], cells=(cell_at(row, found[0]),)) for found in places)
    return _work_out(grid, cut, (grid.heads[0], row.name), is_sum=False)


def _read_in(grid: Grid, question: str, items: Sequence[str], *, is_sum: bool) -> RowsRead | None:
    if not 1 < len(grid.rows) <= MOST_ROWS:
        return None
    shared = terms_of(items[-1] if is_sum else items[0])
    rows = [_find_row(grid, item, shared) for item in items]
    named = [row for row in rows if row is not None]
    if len(named) < len(items) or len({row.start for row in named}) < len(named):
        return None
    place = _find_column(grid, named, question, items)
    if place is None:
        return None
    cut = tuple(replace(row, cells=(cell_at(row, place),)) for row in named)
    return _work_out(grid, cut, (grid.heads[0], grid.heads[place]), is_sum=is_sum)


def _work_out(grid: Grid, rows: tuple[TableRow, ...], heads: tuple[str, str], *, is_sum: bool) -> RowsRead | None:
    """The sum or the difference of rows of one cell each; None where the cells are no numbers of one unit."""
    texts = [row.cells[0] for row in rows]
    matches = [_PLAIN.fullmatch(text.strip()) for text in texts]
    if len({(m["unit"], m["behind"].strip()) if m else None for m in matches}) != 1 or matches[0] is None:
        return None
    values = [Decimal(m["number"].replace(",", "")) for m in matches if m]
    names = name_operands([row.name for row in rows])
    if is_sum:
        result, expression = sum(values, Decimal(0)), " + ".join(names)
    else:
        order = sorted(range(2), key=lambda at: -values[at])
        result, expression = abs(values[0] - values[1]), f"{names[order[0]]} - {names[order[1]]}"
    told = f"{matches[0]['unit']}{result:,}{matches[0]['behind']}"
    cell = WorkedCell(told, expression, tuple(zip(names, texts, strict=True)))
    task = RowTask.SUM if is_sum else RowTask.MORE
    return RowsRead(task, grid.document, grid.caption, heads, rows,
                    _FIT + 0.02 * grid.rank, len(grid.rows), worked=(cell,))  # fmt: skip


def _find_row(grid: Grid, item: str, shared: Terms) -> TableRow | None:
    """The one row that an item names: all words of its name are the item's, and what is left says what rows are."""
    asked = words_asked(item, GENERIC_ASKED - _ONE)
    known = grid.around | shared | _ONE
    exact = [row for row in grid.rows if terms_of(row.name) and terms_of(row.name) == asked.terms]
    held = exact or [
        row
        for row in grid.rows
        if (own := terms_of(row.name)) and own <= asked.terms and not asked.left_over(own | known)
    ]
    held = held or [
        row for row in grid.rows if asked.terms & terms_of(row.name) and not asked.left_over(terms_of(row.name))
    ]
    return held[0] if len(held) == 1 else None


def _find_column(grid: Grid, rows: Sequence[TableRow], question: str, items: Sequence[str]) -> int | None:
    """The one column with a number in every row that the question means: named, or the only one with sums of money."""
    named = terms_of(" ".join(items))
    asked = words_asked(question, GENERIC_ASKED | named)
    numeric = [
        place for place in range(1, len(grid.heads)) if all(len(numbers_in(cell_at(row, place))) == 1 for row in rows)
    ]
    hits = {place: len(asked.hits(terms_of(grid.heads[place])) - MEASURING) for place in numeric}
    best = [place for place in numeric if hits[place] and hits[place] == max(hits.values())]
    if len(best) == 1:
        return best[0]
    if best or not _ASKS_MONEY.search(question):
        return None
    priced = [
        place
        for place in numeric
        if CURRENCY.search(grid.heads[place]) or all(CURRENCY.search(cell_at(row, place)) for row in rows)
    ]
    if len(priced) > 1:
        priced = [place for place in priced if terms_of(grid.heads[place]) & _PRICED]
    return priced[0] if len(priced) == 1 else None
