"""What a row came to more or less than before or than another, and what the cells of a column come to.

Asked in everyday words: "By how much has the depot cut its waste since 2019?", "How much heavier is the Duo than the
Solo?", "What did the works that are finished cost altogether?". Every content word must be accounted for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.kinds import is_called
from vectorless_web.engine.relations.measures import CURRENCY, MONEY, Measured, measure_cells, mixes_units
from vectorless_web.engine.relations.ranks import find_superlative, name_operands, rows_said
from vectorless_web.engine.relations.rows import (
    GENERIC_ASKED,
    MEASURING,
    MOST_ROWS,
    YEAR,
    Grid,
    RowsRead,
    RowTask,
    TableRow,
    Terms,
    Words,
    WorkedCell,
    cell_at,
    match_names,
    terms_of,
    words_asked,
)

_HOW_MUCH = re.compile(r"^\W*(?:and\s+)?(?:by\s+)?(?:how (?:much|many)|what)\b", re.IGNORECASE)
_MOVED = re.compile(
    r"\b(?:cut|cuts|reduc\w+|lower(?:ed|s)?|f[ae]ll(?:en)?|fell|drop\w*|declin\w+|decreas\w+|shr[aiu]nk\w*|ris\w+|rose"
    r"|rais\w+|increas\w+|gr[eo]wn?|climb\w*|chang\w+|go(?:ne)? (?:up|down)|went (?:up|down)|c[ao]me down|sav\w+)\b",
    re.IGNORECASE,
)
"""How a question says that a figure became greater or less."""
_MORE_THAN = re.compile(r"\b(?:more|less|fewer|higher|lower)\b[^?]*\bthan\b", re.IGNORECASE)
_FROM_YEAR = re.compile(
    r"\b(?:since|from|than in|compared (?:with|to)|against|over)\s+(?:the year\s+)?(?=(?:19|20)\d\d)", re.IGNORECASE
)
_OTHER_WAY = re.compile(r"\b(?:per\s?cent|percentage|%|average|per|if|share|times|faster|rate)\b", re.IGNORECASE)
"""What asks for another calculation than a plain difference or sum."""
_LIGHT = terms_of(
    """more less fewer than go gone went up down get got come came be been have has had do did does its their the since
    between from compare compared over year years much many put take took taken out make made pay paid need needed
    there it they we you spend spent cost costs whole entire altogether total together all finish end start"""
)
_CHANGED = terms_of(
    """cut reduce reduced reduction lower lowered fall fallen fell drop dropped decline declined decrease decreased
    shrink shrunk rise risen rose raise raised increase increased grow grown grew climb climbed change changed
    save saved"""
)
_NO_FIGURE = terms_of("change difference growth variance budget plan target forecast estimate baseline")
_MEASURED_BY = terms_of("weight price length height width depth speed age distance duration noise temperature power")
"""What adjectives measure, before all that may count for it: "heavier" the weight, and a load only without one."""
_FIT = 0.9


def read_shift(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The difference or the sum that one table gives; None where none does, or several do."""
    text = plan.focus
    if not _HOW_MUCH.match(text) or _OTHER_WAY.search(text):
        return None
    found = [
        read
        for grid in grids
        if 0 < len(grid.rows) <= MOST_ROWS and all(grid.heads[1:])
        for work_out in (_shift_of_row, _compare_two, _add_up)
        if (read := work_out(grid, text)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _shift_of_row(grid: Grid, text: str) -> RowsRead | None:
    """What a row came to more or less in a later year than in an earlier one; of one year named, than in the newest."""
    years = sorted(set(YEAR.findall(text)))
    if not (_MOVED.search(text) or _MORE_THAN.search(text)) or not years:
        return None
    dated: dict[str, list[int]] = {}
    for place, head in enumerate(grid.heads):
        for year in (
            set(YEAR.findall(head)) if place and not terms_of(head) & (_NO_FIGURE - terms_of("baseline")) else ()
        ):
            dated.setdefault(year, []).append(place)
    if len(years) == 1 and _FROM_YEAR.search(text) and dated:
        years = [years[0], max(dated)]
    if len(years) != 2 or years[0] >= years[1] or any(len(dated.get(year, ())) != 1 for year in years):
        return None
    row = _find_named(grid, words_asked(_plain(text), GENERIC_ASKED | _LIGHT | _CHANGED | MEASURING))
    if row is None:
        return None
    first, last = (dated[year][0] for year in years)
    cells = [cell_at(row, first), cell_at(row, last)]
    measured = measure_cells(cells, row.name, grid.view.measure)
    if measured is None or None in measured.values or measured.is_rough or cells[0] == cells[1]:
        return None
    before, after = (value for value in measured.values if value is not None)
    verb = "rose" if after > before else "fell"
    pair = tuple(
        replace(row, name=f"{row.name} {year}", cells=(cell,)) for year, cell in zip(years, cells, strict=True)
    )
    result = _tell_amount(abs(after - before), cells, measured)
    if result is None:
        return None
    told = f"The figure for {row.name} {verb} by {result}, from {cells[0]} in {years[0]} to {cells[1]} in {years[1]}"
    return _build(grid, pair, (grid.heads[0], row.name), result, told)


def _plain(text: str) -> str:
    return YEAR.sub(" ", re.sub(r"[’'](?:s|ve|re|d|ll)\b", "", text))


def _find_named(grid: Grid, asked: Words) -> TableRow | None:
    """The one row that the words name, the last word of its name among them; None where a word stands for nothing."""
    if not asked.terms:
        return None
    hits = [(asked.hits(terms_of(row.name)) - grid.place, row) for row in grid.rows]
    most = max((len(hit) for hit, _ in hits), default=0)
    best = [row for hit, row in hits if len(hit) == most]
    if not most or len(best) != 1:
        return None
    row = best[0]
    own = terms_of(row.name)
    if asked.left_over(own | grid.around | terms_of(grid.title)):
        return None
    name = re.split(r"[,(]|\s+(?:at|on|in|of|for|per)\s+", row.name)[0]
    last = terms_of(name.split()[-1]) if name.split() else frozenset()
    is_last = bool(asked.hits(last))
    return row if is_last or len(_unsaid(asked, own)) == 0 else None


def _unsaid(asked: Words, own: Terms) -> Terms:
    """The terms of a name that the question does not say, in no wording."""
    said = asked.terms.union(*(other for others in asked.others.values() for other in others))
    return own - said


_OF_TWO = re.compile(
    r"\bhow much\s+(?P<how>[a-z]+er|more expensive|less expensive)\s+(?:is|are|was|were|does|do)\s+"
    r"(?P<one>.+?)\s+than\s+(?P<other>.+?)\W*$",
    re.IGNORECASE,
)


def _compare_two(grid: Grid, text: str) -> RowsRead | None:
    """By how much one of two is heavier, longer or dearer: two columns of the row that says so, or two rows."""
    match = _OF_TWO.search(text)
    rank = find_superlative(match["how"], of_two=True) if match else None
    if match is None or rank is None or not rank.measured or (mixes_units(grid) and len(grid.heads) == 2):
        return None
    subjects = [re.sub(r"^(?:the|an?)\s+", "", match[side], flags=re.IGNORECASE) for side in ("one", "other")]
    names, heads = [row.name for row in grid.rows], list(grid.heads[1:])
    for things, measures, is_column in ((heads, names, True), (names, heads, False)):
        places = match_names(things, subjects)
        lines = [place for place, name in enumerate(measures) if rank.measured & terms_of(name)]
        whole = [place for place in lines if terms_of(re.sub(r"\(.*|,.*", "", measures[place])) <= _MEASURED_BY]
        lines = whole if len(lines) > 1 else lines
        if None in places or len(set(places)) != len(subjects) or len(lines) != 1:
            continue
        one, other = (place for place in places if place is not None)
        if is_column:
            row = grid.rows[lines[0]]
            pair = tuple(replace(row, name=heads[at], cells=(cell_at(row, at + 1),)) for at in (one, other))
        else:
            pair = tuple(replace(grid.rows[at], cells=(cell_at(grid.rows[at], lines[0] + 1),)) for at in (one, other))
        cells = [row.cells[0] for row in pair]
        measured = measure_cells(cells, measures[lines[0]], grid.view.measure)
        if measured is None or None in measured.values or measured.is_rough:
            return None
        first, second = (value for value in measured.values if value is not None)
        result = _tell_amount(abs(first - second), cells, measured)
        if result is None or first == second or (first > second) != rank.most:
            return None
        return _build(grid, pair, (grid.heads[0], measures[lines[0]]), result, "")
    return None


_ALTOGETHER = re.compile(
    r"\b(?:altogether|in total|in all|all told|combined|all together|(?:over|across|during) the (?:whole|entire) \w+"
    r"|(?:over|across) all (?:the )?years)\b",
    re.IGNORECASE,
)


def _add_up(grid: Grid, text: str) -> RowsRead | None:
    """What one column of money comes to over the rows that the question means: all periods, or those of one state."""
    if not _ALTOGETHER.search(text) or len(grid.rows) < 2:
        return None
    asked = words_asked(_plain(_ALTOGETHER.sub(" ", text)), GENERIC_ASKED | _LIGHT | MEASURING)
    around = grid.around | terms_of(f"{grid.title} {' '.join(grid.heads)}")
    every = words_asked(_plain(text), GENERIC_ASKED)
    rows, said, place, _ = rows_said(grid, every, every.left_over(around))
    years = set(YEAR.findall(text))
    if said and years:
        rows = [row for row in rows if years & set(YEAR.findall(cell_at(row, place)))]
    is_of_periods = all(YEAR.search(row.name) for row in grid.rows)
    nouns = [word for word in re.findall(r"[a-z]{3,}", text.lower()) if is_called(word, terms_of(grid.heads[0]))]
    if len(rows) < 2 or (years and not said) or not (is_of_periods or (said and nouns)):
        return None
    if asked.left_over(around | said):
        return None
    columns = []
    for column, head in enumerate(grid.heads):
        measured = measure_cells([cell_at(row, column) for row in rows], head, f"{grid.view.measure} {grid.caption}")
        is_money = measured is not None and (measured.dimension == MONEY or CURRENCY.search(grid.caption))
        if column and column != place and measured is not None and is_money and None not in measured.values:
            columns.append((len(asked.hits(terms_of(head))), column, measured))
    named = [each for each in columns if each[0]] or (columns if len(columns) == 1 else [])
    if len(named) != 1 or terms_of(grid.heads[named[0][1]]) & (_NO_FIGURE | terms_of("total balance")):
        return None
    _, column, measured = named[0]
    cut = tuple(replace(row, cells=(cell_at(row, column),)) for row in rows)
    total = sum((amount for amount in measured.values if amount is not None), Decimal(0))
    result = _tell_amount(total, [row.cells[0] for row in cut], measured)
    if result is None:
        return None
    unit = _MONEY_UNIT.search(f"{grid.heads[column]} {grid.caption}") if measured.is_bare else None
    result = f"{unit['sign']}{result} {unit['scale'] or ''}".strip() if unit else result
    return _build(grid, cut, (grid.heads[0], grid.heads[column]), result, "", task=RowTask.SUM)


_MONEY_UNIT = re.compile(r"\((?P<sign>[£$€¥])\s?(?P<scale>thousand|million|billion)?\)")
"""How a header or a caption says in what its sums of money are: "(£ thousand)"."""


def _tell_amount(amount: Decimal, cells: Sequence[str], measured: Measured) -> str | None:
    """An amount in the words of the cells, "£40" or "18 kg"; None where their units are written in different ways."""
    shapes = {re.sub(r"[+−–-]?\d[\d,]*(?:\.\d+)?", "#", cell.strip(), count=1) for cell in cells}
    if len(shapes) != 1 or (shape := shapes.pop()).count("#") != 1:
        return None
    numbers = [re.search(r"\d[\d,]*(?:\.\d+)?", cell) for cell in cells]
    decimals = max((len(found[0].partition(".")[2]) for found in numbers if found), default=0)
    values = [Decimal(found[0].replace(",", "")) for found in numbers if found]
    sizes = [abs(value) for value in measured.values if value is not None]
    factor = next((size / value for size, value in zip(sizes, values, strict=True) if value), Decimal(1))
    told = f"{amount / factor:,.{decimals}f}"
    return shape.replace("#", told) if "%" not in shape else f"{told} percentage points"


def _build(
    grid: Grid,
    rows: tuple[TableRow, ...],
    heads: tuple[str, str],
    result: str,
    told: str,
    *,
    task: RowTask = RowTask.MORE,
) -> RowsRead:
    names = name_operands([row.name for row in rows])
    values = [Decimal(re.sub(r"[^\d.]", "", row.cells[0]) or "0") for row in rows]
    order = sorted(range(len(rows)), key=lambda at: -values[at])
    expression = " + ".join(names) if task is RowTask.SUM else f"{names[order[0]]} - {names[order[1]]}"
    cell = WorkedCell(result, expression, tuple((name, row.cells[0]) for name, row in zip(names, rows, strict=True)))
    return RowsRead(task, grid.document, grid.caption, heads, rows, _FIT + 0.02 * grid.rank, len(grid.rows),
                    worked=(cell,), told=told)  # fmt: skip
