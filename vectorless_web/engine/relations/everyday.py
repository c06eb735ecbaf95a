"""Which of a table's things is the most or the least, asked in everyday words: "Which branch takes the most money?".

The words are free, so that all else is strict: what is ranked must be of the kind asked about, the figures must be of
one unit, and every content word of the question must be accounted for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.relations.kinds import ANY_KIND, is_called
from vectorless_web.engine.relations.measures import CURRENCY, MONEY, Measured, measure_cells, mixes_units
from vectorless_web.engine.relations.ranks import (
    PER_CENT,
    Superlative,
    find_superlative,
    is_limit,
    name_with_words,
    rows_said,
)
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
    cell_at,
    terms_of,
    words_asked,
)

_FREQUENT = re.compile(r"\b(?:most (?:common(?:ly)?|frequent(?:ly)?|often)|commonest)\b", re.IGNORECASE)
"""Asks for what happens most: "the most common fault", ranked by shares or counts."""

_NOUN = (
    r"(?P<noun>[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*(?=\W*$|\s+(?:is|are|was|were|has|have|had|do|does|did|can|will|would"
    r"|could|may|must|should|of|in|on|for|at|with|[a-z]+(?:s|ed))\b))?)"
)
"""One word, or two where a verb or a preposition follows them, so that the second is none itself."""

_RANKED_NOUN = re.compile(
    r"\b(?:which|what)\s+(?:(?:(?:one|bit|part|share|kind|type|sort)s?\s+)?of\s+)?"
    rf"(?:(?:the|my|our|your|their|its|these|those)\s+)?{_NOUN}",
    re.IGNORECASE,
)
"""What is ranked: "branch" of "which branch takes ...", "records" of "which of my records"."""

_BEHIND_RANK = re.compile(rf"^\s+{_NOUN}", re.IGNORECASE)
_IS_TOLD = re.compile(r"^\W*what(?:[’']s|\s+(?:is|are|was|were))\b", re.IGNORECASE)
"""A question that has what is ranked behind the word that ranks: "What is the dearest ticket?"."""

_IN_PARTS = re.compile(r"\b(?:bit|part|share|portion|slice)s?\s+of\b", re.IGNORECASE)
"""Asks for a part of the whole that a table splits up, whatever its parts are called: "which part of the budget"."""

_ASKS_MORE = re.compile(
    r"\b(?:if|when|while|after|before|since|until|unless|except|excluding|apart from|other than|besides|without|not"
    r"|second|third|next|average|mean|than|per|chang\w+|grow\w*|grew|increas\w*|decreas\w*|fall\w*|fell|rise\w*|rose"
    r"|rising|drop\w*|improv\w*|declin\w*|differen\w+|gap|why|how|two|three|four|five|most recent|latest|first|last)\b"
    r"|n[’']t\b",
    re.IGNORECASE,
)
"""Words by which a question asks for more than one rank of plain figures: a condition, a change, a second place."""

_DEED = re.compile(
    r"\b(?:do|does|did|can|may|must|will)\s+(?:I|we|you|they|he|she|it)\s+(?P<verb>[a-z]+)\b", re.IGNORECASE
)
"""What is done with things that an adjective ranks, which no header need say: "which books can I borrow longest"."""
_SHORTENED = re.compile(r"[’'](?:ve|d|ll|re|m|s)\b", re.IGNORECASE)
_YEARS_ASKED = re.compile(r"^\W*(?:in\s+)?(?:which|what)\s+(?:\w+\s+)?years?\b", re.IGNORECASE)
_WHERE = re.compile(r"^\W*where\b", re.IGNORECASE)
_WHO = re.compile(r"^\W*who\b", re.IGNORECASE)

_PLACES = terms_of(
    "place location site depot town city country office venue hall shop branch region station stop plant"
)
_PEOPLE = terms_of("name person member employee player driver customer supplier owner")

_LIGHT = terms_of(
    """get gets got give gives gave given have has had take takes took make makes made do does did let lets offer offers
    stay stays put puts go goes went come comes came bring brings hold holds happen happens be been being see seen find
    found choose pick take charge charged pay paid pays cost costs spend spends spent keep keeps kept receive
    receives received allow allows allowed can could will would may might able want need money already so far ever all
    overall total altogether really actually currently now today use uses used run runs last lasts rate rated"""
)
"""Terms that a question may add without asking for another figure: light verbs, and words that only lean on others."""

_DIMENSION_WORDS = {
    MONEY: terms_of("money cost price fee charge pay paid spend spent expensive dear cheap earn salary wage budget"),
    "time": terms_of("time long duration wait minute hour day week month year"),
    "bytes": terms_of("space storage memory disk room"),
    "mass": terms_of("weight heavy weigh mass"),
    "length": terms_of("distance far height tall deep wide"),
    "percent": terms_of("share percentage proportion percent"),
    "power": terms_of("power electricity"),
}
"""Words of a question that ask for figures of a dimension."""

_NO_MEMBER = terms_of(
    "total sum average mean median budget plan target forecast estimate previous prior number no note"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is ranked, by what: the noun, the word that ranks, the content words beside, the dimensions they ask for."""

    rank: Superlative
    noun: Terms
    kind: str
    words: Words
    dimensions: frozenset[str]
    years: frozenset[str]
    is_of_years: bool
    is_of_parts: bool
    text: str


def read_everyday_rank(grids: Sequence[Grid], plan: QueryPlan) -> RowsRead | None:
    """The winner among things of the kind asked about; None unless one table answers, or all that do name the same."""
    asked = _read_asked(plan)
    if asked is None:
        return None
    found = [pair for grid in grids if (pair := _rank_in(grid, asked)) is not None]
    if not found:
        return None
    best = max(worth for worth, _ in found)
    reads = [read for worth, read in found if best - worth < _CLEAR]
    return reads[0] if len({read.rows[0].name for read in reads}) == 1 else None


_CLEAR = 1.0
"""By so much one table must say more of what is asked than another that names another winner."""


def _read_asked(plan: QueryPlan) -> _Asked | None:
    text = plan.focus
    frequent = _FREQUENT.search(text)
    rank = Superlative(frequent[0], frequent.start(), most=True) if frequent else find_superlative(text)
    if rank is None or is_limit(text, rank):
        return None
    beside = _IN_PARTS.sub(" ", f"{text[: rank.start]} {text[rank.start + len(rank.text) :]}")
    if _ASKS_MORE.search(beside) or re.search(r"\b(?:best|worst)\b", text, re.IGNORECASE):
        return None
    noun = _find_noun(text, rank)
    if noun is None:
        return None
    own = terms_of(noun) - MEASURING
    deed = _DEED.search(beside) if rank.measured else None
    free = own | (terms_of(deed["verb"]) if deed else frozenset())
    words = words_asked(_SHORTENED.sub("", YEAR.sub(" ", beside)), GENERIC_ASKED | free)
    # What an adjective measures is all that it asks for, whatever else the question says.
    said = rank.measured or terms_of(beside)
    dimensions = {name for name, terms in _DIMENSION_WORDS.items() if terms & said}
    if rank.measured & _DIMENSION_WORDS[MONEY]:
        dimensions = {MONEY}
    if frequent:
        dimensions = {"percent"}
    return _Asked(
        rank,
        own,
        noun,
        words,
        frozenset(dimensions),
        frozenset(str(period.year) for period in plan.periods),
        bool(_YEARS_ASKED.match(text)),
        bool(_IN_PARTS.search(text)),
        text,
    )


def _find_noun(text: str, rank: Superlative) -> str | None:
    """The words for what is ranked; "" where a question word says it by itself, None where nothing does."""
    if _WHERE.match(text) or _WHO.match(text):
        return ""
    if _IS_TOLD.match(text):
        behind = _BEHIND_RANK.match(text[rank.start + len(rank.text) :])
        return behind["noun"] if behind else None
    match = _RANKED_NOUN.search(text)
    return match["noun"] if match and match.start("noun") < rank.start else None


def _rank_in(grid: Grid, asked: _Asked) -> tuple[float, RowsRead] | None:
    """What a table says, and how much of what is asked it says; None where it does not answer."""
    if not 2 <= len(grid.rows) <= MOST_ROWS or len(grid.heads) < 2 or not all(grid.heads[1:]):
        return None
    if asked.is_of_years and (read := _rank_years(grid, asked)) is not None:
        return read
    kind = _fit_kind(grid, asked)
    if not kind:
        return None
    left = asked.words.left_over(grid.around | terms_of(" ".join(grid.heads))) - _LIGHT
    rows, terms, place, value = rows_said(grid, asked.words, left)
    names = [name_with_words(row, grid.heads[0]) for row in rows]
    if len(set(names)) < len(names) or len(rows) < 2 or mixes_units(grid):
        return None
    figures = {
        column: measured
        for column, head in enumerate(grid.heads)
        if column and column != place
        if (measured := measure_cells([cell_at(row, column) for row in rows], head, grid.view.measure)) is not None
    }
    chosen = _choose_columns(grid, asked, figures, terms)
    if not chosen:
        return None
    worth, columns = chosen
    reads = [_order(grid, asked, rows, names, column, figures[column]) for column in columns]
    first = reads[0]
    if first is None or any(read is None or read.rows[0].name != first.rows[0].name for read in reads):
        return None
    if value:
        first = replace(first, where=f"{first.where}” with “{value}” under “{grid.heads[place]}")
    return worth + kind, first


def _fit_kind(grid: Grid, asked: _Asked) -> float:
    """How surely the rows are of the kind asked about: by the header of their names, by them, or by the caption."""
    head, names = terms_of(grid.heads[0]), [terms_of(row.name) for row in grid.rows]
    if asked.is_of_years:
        return 1.0 if all(YEAR.search(row.name) for row in grid.rows) else 0.0
    if any(YEAR.match(row.name) for row in grid.rows):
        return 0.0
    if _WHERE.match(asked.text):
        return 1.0 if head & _PLACES else 0.0
    if _WHO.match(asked.text):
        return 1.0 if head & _PEOPLE else 0.0
    if is_called(asked.kind, head) or (asked.noun and all(asked.noun & own for own in names)):
        return 1.0
    if is_called(asked.kind, grid.place):
        return 0.5
    said = grid.place | terms_of(grid.title)
    is_any = asked.is_of_parts or bool(asked.noun & ANY_KIND)
    return 0.5 if is_any and asked.words.hits(said) else 0.0


def _choose_columns(
    grid: Grid, asked: _Asked, figures: dict[int, Measured], filtered: Terms
) -> tuple[float, list[int]] | None:
    """The columns that measure what is asked, and how surely; None where none does or a word stands for nothing."""
    others = grid.around | terms_of(grid.title) | terms_of(grid.heads[0]) | filtered
    dated = [place for place in figures if YEAR.search(grid.heads[place])]
    totals = [place for place in figures if terms_of(grid.heads[place]) <= terms_of("total overall altogether")]
    if len(dated) > 1 and set(figures) == {*dated, *totals}:
        return _choose_period(grid, asked, dated, totals, others)
    if asked.years and not grid.is_of(asked.years):
        return None
    placed = asked.words.hits(grid.place) - asked.noun
    scored = []
    for place, measured in figures.items():
        head = terms_of(PER_CENT.sub(" percentage ", grid.heads[place]))
        if head & _NO_MEMBER or (asked.words.left_over(others | head) - _LIGHT - _measured_by(measured)):
            continue
        hits = (asked.words.hits(head) - _LIGHT) | (asked.rank.measured & head)
        fits = measured.dimension in asked.dimensions
        is_only = len(figures) == 1 and bool(placed - _LIGHT)
        if asked.rank.measured and not (asked.rank.measured & head or fits):
            continue
        if hits or fits or is_only:
            scored.append((2.0 * len(hits) + 1.5 * fits + bool(placed), place))
    if not scored:
        return None
    best = max(score for score, _ in scored)
    return best, [place for score, place in scored if best - score < _CLEAR]


def _measured_by(measured: Measured) -> Terms:
    return _DIMENSION_WORDS.get(measured.dimension, frozenset())


def _choose_period(
    grid: Grid, asked: _Asked, dated: Sequence[int], totals: Sequence[int], others: Terms
) -> tuple[float, list[int]] | None:
    """Of columns of years that of the year asked for, else the total of all, else the newest.

    What such a table measures, its caption or section must say.
    """
    is_money = MONEY in asked.dimensions and bool(CURRENCY.search(f"{grid.caption} {grid.view.measure}"))
    left = asked.words.left_over(others) - _LIGHT - (_DIMENSION_WORDS[MONEY] if is_money else frozenset())
    if left or not (is_money or asked.words.hits(grid.place) - terms_of(grid.heads[0])):
        return None
    if asked.years:
        named = [place for place in dated if asked.years & set(YEAR.findall(grid.heads[place]))]
        return (1.0, named) if len(named) == 1 else None
    if totals:
        return (1.0, list(totals)) if len(totals) == 1 else None
    newest = max(dated, key=lambda place: max(YEAR.findall(grid.heads[place])))
    return 1.0, [newest]


def _rank_years(grid: Grid, asked: _Asked) -> tuple[float, RowsRead] | None:
    """The years that head the columns, by the one row that the question names."""
    places = [place for place, head in enumerate(grid.heads) if place and YEAR.search(head)]
    lines = [row for row in grid.rows if asked.words.hits(terms_of(row.name)) - _LIGHT]
    lines = [row for row in lines if not asked.words.left_over(terms_of(row.name) | grid.around | asked.noun) - _LIGHT]
    if len(places) < 2 or len(lines) != 1 or terms_of(lines[0].name) - asked.words.terms - _said_otherwise(asked):
        return None
    line = lines[0]
    measured = measure_cells([cell_at(line, place) for place in places], line.name, grid.view.measure)
    if measured is None:
        return None
    rows = [replace(line, name=grid.heads[place]) for place in places]
    cut = [replace(row, cells=(cell_at(line, place),)) for row, place in zip(rows, places, strict=True)]
    read = _tell(grid, asked, cut, measured, ("", line.name))
    return (2.0, replace(read, lines=(line,))) if read is not None else None


def _said_otherwise(asked: _Asked) -> Terms:
    """The terms of all other wordings of the question's words."""
    return frozenset(term for others in asked.words.others.values() for other in others for term in other)


def _order(
    grid: Grid, asked: _Asked, rows: Sequence[TableRow], names: Sequence[str], column: int, measured: Measured
) -> RowsRead | None:
    told = [replace(row, name=name, cells=(cell_at(row, column),)) for row, name in zip(rows, names, strict=True)]
    return _tell(grid, asked, told, measured, (grid.heads[0], grid.heads[column]))


def _tell(
    grid: Grid, asked: _Asked, rows: Sequence[TableRow], measured: Measured, heads: tuple[str, str]
) -> RowsRead | None:
    """The rows in order, the winner first; None where too few have figures, or two lead."""
    valued = [(value, row) for value, row in zip(measured.values, rows, strict=True) if value is not None]
    blanks = tuple(row.name for value, row in zip(measured.values, rows, strict=True) if value is None)
    valued.sort(key=lambda pair: pair[0], reverse=asked.rank.most)
    if len(valued) < 2 or (blanks and not asked.rank.most) or _is_close(valued[0][0], valued[1][0], measured):
        return None
    rank, measure = "highest" if asked.rank.most else "lowest", heads[1]
    if measured.dimension == "time" and not measured.is_bare:
        rank, measure = "longest" if asked.rank.most else "shortest", f"time under “{heads[1]}”"
    elif measured.dimension == "time":
        measure = f"figure under “{heads[1]}”"
    return RowsRead(
        RowTask.RANK, grid.document, grid.caption, heads, tuple(row for _, row in valued), _FIT + 0.02 * grid.rank,
        total=len(rows), measure=measure, rank=rank, blanks=blanks, side=rank,
        unit=grid.view.measure if measured.is_bare else "",
    )  # fmt: skip


_FIT = 0.88


def _is_close(first: Decimal, second: Decimal, measured: Measured) -> bool:
    """Whether two lead; months and days, of which the one has no fixed number of the other, must lie apart."""
    if measured.is_rough:
        return min(abs(first), abs(second)) > max(abs(first), abs(second)) * Decimal("0.9")
    return first == second
