"""Carries a request out over the relations of a document: a reading with every cell it rests on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.figures.arithmetic import evaluate
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.questions.formulas.request import (
    NAMES,
    Operand,
    Request,
    Task,
    list_items,
    strip_periods,
)
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.relations.lookup import (
    LEAST_FIT,
    TIE,
    Match,
    Member,
    Members,
    content_terms,
    figure_of_line,
    find_group,
    find_matches,
    find_members,
    list_row_periods,
    match_words,
    passes,
    rank_members,
    row_periods,
    select_newest,
)
from vectorless_web.engine.relations.prose import Sentence, find_stated
from vectorless_web.engine.relations.relation import Line, Relation


@dataclass(frozen=True, slots=True)
class Reading:
    """What a request came to in one document.

    `figures` are the cells used, in the order of `names` (periods or members). `value` is what
    a calculation came to, in units of `scale`; `expression` runs over a, b, c ... in the order
    of `figures`. `chosen` are the indexes of the members that answer. `blanks` are members
    with a dash.
    """

    request: Request
    figures: tuple[Figure, ...]
    names: tuple[str, ...]
    fit: float
    expression: str = ""
    value: Decimal | None = None
    scale: Decimal = Decimal(1)
    chosen: tuple[int, ...] = ()
    blanks: tuple[str, ...] = ()
    of: str = ""

    @property
    def document(self) -> str:
        """The document it was read in."""
        return self.figures[0].document

    @property
    def key(self) -> int:
        """The node of the first cell."""
        return self.figures[0].key

    @property
    def page_index(self) -> int:
        """Its page, from 0."""
        return self.figures[0].page_index

    @property
    def quote(self) -> str:
        """The first row, verbatim."""
        return self.figures[0].quote

    @property
    def start(self) -> int:
        """Where the first row starts in its node's text."""
        return self.figures[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.figures[0].end

    @property
    def where(self) -> str:
        """Table and column in words."""
        return self.figures[0].where


def read_request_in(
    relations: Sequence[Relation], request: Request, sentences: Sequence[Sentence] = ()
) -> Reading | None:
    """The reading of a request; None unless every part of it has a cell for which all words are accounted.

    Operands of a calculation may also be stated by `sentences`, where no table has them all.
    """
    if request.task is Task.VALUE:
        return _read_values(relations, request)
    if request.task is Task.COMPUTE:
        read = _read_stated(relations, request) or _compute(relations, request)
        read = read or (_compute(relations, request.instead) if request.instead else None)
        return read or _compute_from_prose(relations, request, sentences)
    if request.task is Task.RANK:
        return _rank(relations, request)
    if request.task in (Task.FILTER, Task.COUNT):
        return _filter(relations, request)
    if request.task is Task.PERIODS:
        return _list_periods(relations, request)
    return _list_members(relations, request)


def _read_values(relations: Sequence[Relation], request: Request) -> Reading | None:
    matches = match_operands(relations, request.operands)
    if matches is None and len(request.operands) == 1:
        matches = _match_items(relations, request.operands[0])
    if matches is None:
        return None
    figures = tuple(match.relation.figure(match.entry, match.fit) for match in matches)
    if request.is_count:
        figures = tuple(_without_money(figure) for figure in figures)
    return Reading(request, figures, tuple(_name(match) for match in matches), _mean_fit(matches))


_SIGN_OF_MONEY = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|CHF)\b")


def _without_money(figure: Figure) -> Figure:
    """A count of things among amounts of money: the unit and scale of its table are of the rows of money alone."""
    if not figure.currency or _SIGN_OF_MONEY.search(figure.quote) or figure.amount != figure.amount.to_integral_value():
        return figure
    return replace(figure, currency="", scale=Decimal(1))


def _match_items(relations: Sequence[Relation], operand: Operand) -> list[Match] | None:
    """ "Share of staff in Leeds and York": a figure for each, all in one table."""
    items = list_items(operand.words)
    if not items:
        return None
    matches = match_operands(relations, [Operand(item, operand.period) for item in items])
    return matches if matches and len({match.relation.view.node.key for match in matches}) == 1 else None


def _name(match: Match) -> str:
    return match.entry.line.label or match.entry.axis.name


def _mean_fit(matches: Sequence[Match]) -> float:
    return sum(match.fit for match in matches) / len(matches)


def match_operands(relations: Sequence[Relation], operands: Sequence[Operand]) -> list[Match] | None:
    """A cell for every operand; None unless all have one. Operands of the same words come from one row."""
    if len({operand.words for operand in operands}) == 1:
        return _match_row(relations, operands)
    every_pool = [find_matches(relations, operand) for operand in operands]
    pools = [_narrow(matches, operand) for matches, operand in zip(every_pool, operands, strict=True)]
    if not all(pools):
        return None
    best, chosen = -1.0, None
    for relation in dict.fromkeys(match.relation.view.node.key for pool in pools for match in pool[:6]):
        row = [next((m for m in pool if m.relation.view.node.key == relation), pool[0]) for pool in pools]
        row = _same_column(_same_period(row, pools, operands), every_pool, operands)
        together = len({match.relation.view.node.key for match in row}) == 1
        score = _mean_fit(row) + (0.05 if together else 0.0)
        if score > best + 1e-9:
            best, chosen = score, row
    if chosen is None:
        return None
    rivals = [_rivals(match, *both) for match, *both in zip(chosen, pools, every_pool, strict=True)]
    return None if any(_is_ambiguous(match, pool) for match, pool in zip(chosen, rivals, strict=True)) else chosen


def _rivals(match: Match, narrowed: list[Match], pool: list[Match]) -> list[Match]:
    """The cells beside which a match must stand out: those of its column where another operand chose that."""
    return narrowed if match in narrowed else [m for m in pool if m.entry.axis.index == match.entry.axis.index]


def _same_period(row: list[Match], pools: Sequence[Sequence[Match]], operands: Sequence[Operand]) -> list[Match]:
    """Cells of one period where no period was named: those of the first operand's."""
    if any(operand.period for operand in operands):
        return row
    year = row[0].entry.axis.period.year
    return [
        next((m for m in pool if m.line_key == match.line_key and m.entry.axis.period.year == year), match)
        for match, pool in zip(row, pools, strict=True)
    ]


def _same_column(row: list[Match], pools: Sequence[Sequence[Match]], operands: Sequence[Operand]) -> list[Match]:
    """Cells of one column where one operand names it and another, of the same table, names none.

    "How much more does A score than B on paper" asks for both on paper.
    """
    named = [_names_column(match, operand) for match, operand in zip(row, operands, strict=True)]
    anchor = next((match for match, is_named in zip(row, named, strict=True) if is_named), None)
    if anchor is None or all(named):
        return row
    return [
        match
        if is_named or match.relation is not anchor.relation or match.line_key == anchor.line_key
        else next(
            (m for m in pool if m.line_key == match.line_key and m.entry.axis.index == anchor.entry.axis.index), match
        )
        for match, pool, is_named in zip(row, pools, named, strict=True)
    ]


def _names_column(match: Match, operand: Operand) -> bool:
    """Whether a word of the operand stands in the column's header and not in the row's label."""
    terms = {term for term, weight in content_terms(operand.words) if weight == 1.0}
    return bool(terms & (match.entry.axis.words - match.entry.line.words))


def _narrow(matches: list[Match], operand: Operand) -> list[Match]:
    """The cells that may answer an operand: of one without a period only the newest of each row."""
    return select_newest(matches) if operand.period is None else matches


def _is_ambiguous(match: Match, pool: Sequence[Match]) -> bool:
    """Whether another row of the column, or another named column of the row, fits as well with another figure.

    A row whose label says less of what the match's label says is no rival: "Nets" beside "Nets with floats".
    """
    return any(
        other.relation is match.relation
        and abs(other.fit - match.fit) < TIE
        and other.entry.cell.number.value != match.entry.cell.number.value
        and not other.entry.line.words < match.entry.line.words
        and (_is_other_row(match, other) or _is_other_name(match, other))
        for other in pool
    )


def _is_other_row(match: Match, other: Match) -> bool:
    return other.line_key != match.line_key and other.entry.axis.index == match.entry.axis.index


def _is_other_name(match: Match, other: Match) -> bool:
    """Whether two cells of a row stand in columns that names tell apart, not periods."""
    if other.line_key != match.line_key or other.entry.axis.index == match.entry.axis.index:
        return False
    first, second = match_words(match), match_words(other)
    same_time = match.entry.axis.period.year == other.entry.axis.period.year
    return bool(same_time and first and second and first != second)


def _match_row(relations: Sequence[Relation], operands: Sequence[Operand]) -> list[Match] | None:
    """One row that has a cell for each period; of several the best."""
    every_pool = [find_matches(relations, operand) for operand in operands]
    pools = [_narrow(matches, operand) for matches, operand in zip(every_pool, operands, strict=True)]
    if not all(pools):
        return None
    lines: dict[tuple[str, int, int], list[Match]] = {}
    for key in dict.fromkeys(match.line_key for match in pools[0]):
        found = [next((match for match in pool if match.line_key == key), None) for pool in pools]
        if all(match is not None for match in found):
            lines[key] = [match for match in found if match is not None]
    if not lines:
        row = [pool[0] for pool in pools]
        labels = {match.entry.line.label.lower() for match in row}
        tables = {match.relation.view.node.key for match in row}
        axes = {match.entry.axis.index for match in row}
        return row if len(labels) == 1 or (len(tables) == 1 and len(axes) == 1) else None
    best = max(lines.values(), key=lambda row: (round(_mean_fit(row), 6), -row[0].relation.view.node.key))
    distinct = {match.entry.axis.index for match in best}
    if len(distinct) < len(best):
        return None
    if any(_is_ambiguous(match, pool) for match, pool in zip(best, every_pool, strict=True)):
        return None
    rivals = [row for row in lines.values() if row is not best and row[0].relation is best[0].relation]
    tied = any(
        abs(_mean_fit(row) - _mean_fit(best)) < TIE
        and row[0].entry.cell.number.value != best[0].entry.cell.number.value
        for row in rivals
    )
    return None if tied else best


def _read_stated(relations: Sequence[Relation], request: Request) -> Reading | None:
    """A figure that the document itself states for what would have to be worked out."""
    if not request.whole:
        return None
    whens = [operand.period for operand in request.operands if operand.period]
    when = max(whens, key=lambda p: (p.year, p.quarter or 0)) if whens else None
    matches = find_matches(relations, Operand(strip_periods(request.whole), when), least=STATED_FIT)
    matches = matches if when else select_newest(matches)
    kept = [match for match in matches if _says_all(match, request)]
    if not kept or _is_ambiguous(kept[0], kept):
        return None
    figure = kept[0].relation.figure(kept[0].entry, kept[0].fit)
    asked = replace(request, task=Task.VALUE, operands=(Operand(strip_periods(request.whole), when),), expression="")
    return Reading(asked, (figure,), (_name(kept[0]),), kept[0].fit)


STATED_FIT = 0.9
"""Fit of a row that is taken to state the result itself: no word of the calculation may be missing in it."""


def _says_all(match: Match, request: Request) -> bool:
    """Whether row and column themselves hold every content word, those of the calculation among them."""
    said = match.entry.line.words | match.entry.axis.words | match.entry.line.group_words
    return all(
        term in said or term == "percent"
        for term, weight in content_terms(strip_periods(request.whole))
        if weight == 1.0
    )


def _compute(relations: Sequence[Relation], request: Request) -> Reading | None:
    if request.spread:
        spread = _spread(relations, request)
        if spread is None:
            return None
        request, matches = spread
    else:
        found = _match_share(relations, request) or match_operands(relations, request.operands)
        if found is None or _is_part_in_itself(request, found):
            return None
        matches = found
    figures = tuple(match.relation.figure(match.entry, match.fit) for match in matches)
    names = tuple(_name(match) for match in matches)
    return work_out_reading(request, figures, names, _mean_fit(matches))


SHARE = "100 * a / b"
"""The expression of a part in a whole."""


def _match_share(relations: Sequence[Relation], request: Request) -> list[Match] | None:
    """Part and whole without the tables that speak of the part alone: revenue there is the part's own."""
    if request.expression != SHARE:
        return None
    part, whole = (_said_terms(operand) for operand in request.operands)
    alone = part - whole
    others = [relation for relation in relations if not alone or not alone <= relation.place_words]
    return match_operands(others, request.operands) if len(others) < len(relations) else None


def _said_terms(operand: Operand) -> frozenset[str]:
    return frozenset(term for term, weight in content_terms(operand.words) if weight == 1.0)


def _is_part_in_itself(request: Request, matches: Sequence[Match]) -> bool:
    """Whether a share would be of a figure in itself, told twice."""
    cells = {match.entry.cell.number.value for match in matches}
    return request.expression == SHARE and len(cells) == 1 and request.operands[0].words != request.operands[1].words


def _compute_from_prose(
    relations: Sequence[Relation], request: Request, sentences: Sequence[Sentence]
) -> Reading | None:
    """The calculation over what sentences state, a table's cell standing in for what none does."""
    if request.spread or not sentences:
        return None
    figures = [find_stated(sentences, operand) for operand in request.operands]
    if not any(figures):
        return None
    for place, operand in enumerate(request.operands):
        matches = match_operands(relations, [operand]) if figures[place] is None else None
        if matches:
            figures[place] = matches[0].relation.figure(matches[0].entry, matches[0].fit)
    found = tuple(figure for figure in figures if figure is not None)
    if len(found) < len(figures) or len({(f.key, f.start, f.period, f.amount) for f in found}) < len(found):
        return None
    return work_out_reading(request, found, tuple(f.label for f in found), min(f.fit for f in found))


def work_out_reading(
    request: Request, figures: tuple[Figure, ...], names: tuple[str, ...], fit: float
) -> Reading | None:
    """The calculation over figures; None when their units do not go together or it cannot be worked out."""
    if not _units_agree(request, figures):
        return None
    if request.may_be_points and request.percent and all(figure.percent for figure in figures):
        request = replace(request, expression="a - b", percent=False)
    same = len({figure.scale for figure in figures}) == 1
    values = {name: figure.amount if same else figure.value for name, figure in zip(NAMES, figures, strict=False)}
    try:
        value = evaluate(request.expression, values)
    except InvalidInput:
        return None
    scale = figures[0].scale if same else Decimal(1)
    if not same and request.expression == "a / b" and not figures[1].currency:
        # An amount for each thing counted stays in the amount's own scale.
        scale = figures[0].scale
        value = value / scale
    return Reading(request, figures, names, fit, request.expression, value, scale)


_PER_PIECE = re.compile(r"\bper\s+(?:employee|person|head|capita|customer|user|unit|share|store|site|room|seat)", re.I)
"""Says that a figure is spread over things counted: an amount of money cannot be how many there are."""


def _units_agree(request: Request, figures: Sequence[Figure]) -> bool:
    """Whether the figures may be joined: sums and differences need one unit, no amount is added to a percentage."""
    percents = {figure.percent for figure in figures}
    currencies = {figure.currency for figure in figures if figure.currency}
    if len(currencies) > 1 or len(percents) > 1:
        return False
    if _PER_PIECE.search(request.name) and request.expression == "a / b" and figures[1].currency:
        return False
    units = {(figure.unit, bool(figure.currency)) for figure in figures if figure.unit or figure.currency}
    if request.expression.endswith("a / b") or "*" in request.expression:
        return True
    return len(units) < 2 and len({figure.per_share for figure in figures}) == 1


def _spread(relations: Sequence[Relation], request: Request) -> tuple[Request, list[Match]] | None:
    """The request over all periods of the row; a change over its two newest."""
    operand = request.operands[0]
    if operand.period is not None:
        return None
    matches = find_matches(relations, operand)
    best = matches[0] if matches else None
    if best is None or _is_ambiguous(best, matches):
        return None
    own = [m for m in matches if m.line_key == best.line_key and abs(m.fit - best.fit) < 0.02]
    by_period: dict[tuple[int, int, int], Match] = {}
    for match in own:
        period = match.entry.axis.period
        if period.year:
            by_period.setdefault((period.year, period.quarter or 0, period.month), match)
    ordered = [by_period[key] for key in sorted(by_period, reverse=True)]
    if request.spread == "change":
        ordered = ordered[:2]
    if not 2 <= len(ordered) <= len(NAMES):
        return None
    names = NAMES[: len(ordered)]
    expression = (
        request.expression
        if request.spread == "change"
        else f"average({', '.join(names)})"
        if request.spread == "average"
        else " + ".join(names)
    )
    operands = tuple(
        Operand(operand.words, Period("year", m.entry.axis.period.year or 0, text=str(m.entry.axis.period.year)))
        for m in ordered
    )
    return replace(request, operands=operands, expression=expression), ordered


def _rank(relations: Sequence[Relation], request: Request) -> Reading | None:
    members = find_members(relations, request)
    if members is None or len(members.stated) < 2 or not _are_alike(members.stated):
        return None
    order = rank_members(members.stated, most=request.most)
    if len(order) > request.count and order[request.count - 1].figure.value == order[request.count].figure.value:
        return None
    return _reading_of(request, members, order, range(request.count))


def _are_alike(members: Sequence[Member]) -> bool:
    """Whether figures may be compared: all percentages or none, one currency, per share all or none."""
    figures = [member.figure for member in members]
    currencies = {figure.currency for figure in figures if figure.currency}
    return len(currencies) < 2 and len({(figure.percent, figure.per_share) for figure in figures}) == 1


def _reading_of(request: Request, members: Members, shown: Sequence[Member], chosen: Sequence[int]) -> Reading:
    return Reading(
        request,
        tuple(member.figure for member in shown),
        tuple(member.name for member in shown),
        min(members.fit, 1.0),
        chosen=tuple(chosen),
        blanks=tuple(member.name for member in members.members if member.is_blank),
        of=members.of,
    )


def _filter(relations: Sequence[Relation], request: Request) -> Reading | None:
    bound = request.threshold
    members = _members_counted(relations, request)
    if members is None:
        return None
    stated = members.stated if bound is not None else members.members
    if bound is None:
        return _reading_of(request, members, stated, range(len(stated))) if len(stated) > 1 else None
    if not stated or not _are_alike(stated) or (stated[0].figure.percent != bound.percent and bound.percent):
        return None
    chosen = [index for index, member in enumerate(stated) if passes(member, bound)]
    return _reading_of(request, members, stated, chosen)


def _members_counted(relations: Sequence[Relation], request: Request) -> Members | None:
    """What is counted or filtered: the periods of a row, the lines of a group, else the rows of a column."""
    if request.task is Task.COUNT and not re.search(r"(?:years?|periods?|quarters?|months?)$", request.over):
        group = find_group(relations, request.operands[0])
        if group is not None:
            relation, name, lines = group
            found = [figure_of_line(relation, line, request.operands[0], 0.9) for line in lines]
            return Members(tuple(member for member in found if member is not None), 0.9, name)
        if request.threshold is None:
            return None
    return find_members(relations, request)


def _list_periods(relations: Sequence[Relation], request: Request) -> Reading | None:
    members = list_row_periods(relations, request.operands[0]) or _table_periods(relations, request)
    if members is None:
        return None
    return _reading_of(request, members, members.members, range(len(members.members)))


def _table_periods(relations: Sequence[Relation], request: Request) -> Members | None:
    """The periods of the one table that the words name by caption, section or the text around it."""
    wanted = [term for term, weight in content_terms(request.operands[0].words) if weight == 1.0]
    named = [
        relation
        for relation in relations
        if wanted
        and relation.has_periods
        and all(term in relation.place_words | relation.near_words for term in wanted)
    ]
    if len(named) != 1 or not named[0].lines:
        return None
    line = max(named[0].lines, key=lambda line: len(named[0].entries(line)))
    found = select_newest([Match(named[0], entry, LEAST_FIT) for entry in named[0].entries(line)])
    return row_periods(found[0]) if found else None


def _list_members(relations: Sequence[Relation], request: Request) -> Reading | None:
    operand = request.operands[0]
    group = find_group(relations, operand) or _only_table(relations, operand)
    if group is None:
        return None
    relation, name, lines = group
    found = [figure_of_line(relation, line, operand, 0.88) for line in lines]
    members = Members(tuple(member for member in found if member is not None), 0.88, name)
    return _reading_of(request, members, members.members, range(len(members.members))) if members.members else None


def _only_table(relations: Sequence[Relation], operand: Operand) -> tuple[Relation, str, list[Line]] | None:
    """The lines of the document's one table, when the question speaks of "the table" and nothing else."""
    if len(relations) != 1 or not re.fullmatch(r"(?:the\s+)?tables?", operand.words, re.I):
        return None
    lines = [line for line in relations[0].lines if not line.is_sum and line.label]
    return (relations[0], "the table", lines) if lines else None
