"""Operations on relations: rank, filter, count and list, each with the cells it looked at."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.questions.formulas.request import Operand, Request, Threshold
from vectorless_web.engine.relations.lookup import (
    GENERIC,
    HEADER_WORDS,
    LEAST_FIT,
    Match,
    content_terms,
    find_matches,
    period_fit,
    select_newest,
)
from vectorless_web.engine.relations.relation import Entry, Line, Relation, words_of
from vectorless_web.engine.text.analyser import analyse

MOST_MEMBERS = 60
"""Rows or columns that are compared or listed; a longer list is not read out."""


@dataclass(frozen=True, slots=True)
class Member:
    """One row or column that is compared, by name, with its figure. `is_blank`: a dash stands there."""

    name: str
    figure: Figure
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """What is compared: the members in printed order, how well they fit the question, and what they are members of."""

    members: tuple[Member, ...]
    fit: float
    of: str = ""

    @property
    def stated(self) -> tuple[Member, ...]:
        """Those with a figure."""
        return tuple(member for member in self.members if not member.is_blank)


_TIME = re.compile(r"(?:^|\s)(?:years?|periods?|quarters?|months?|dates?|days?|weeks?)$", re.I)


def find_members(relations: Sequence[Relation], request: Request) -> Members | None:
    """The rows or columns that a rank, filter or count is about; None when no relation has at least two."""
    if _TIME.search(request.over) or _are_periods(request.alternatives):
        return _among_periods(relations, request)
    found = [members for members in (_among_columns(relations, request), _among_rows(relations, request)) if members]
    return max(found, key=lambda members: members.fit, default=None)


def _are_periods(alternatives: Sequence[str]) -> bool:
    return bool(alternatives) and all(re.search(r"(?:19|20)\d\d|\bq[1-4]\b", text, re.I) for text in alternatives)


def list_row_periods(relations: Sequence[Relation], operand: Operand) -> Members | None:
    """The periods for which the row that the operand names has figures."""
    matches = select_newest(find_matches(relations, Operand(operand.words)))
    return row_periods(matches[0]) if matches else None


def _among_periods(relations: Sequence[Relation], request: Request) -> Members | None:
    operand = request.operands[0]
    matches = select_newest(find_matches(relations, Operand(operand.words)))
    members = row_periods(matches[0]) if matches else None
    if members is None or len(members.members) < 2:
        return _column_periods(matches)
    return members


def row_periods(match: Match) -> Members | None:
    """The cells of a row in columns of different periods, each period once."""
    relation, line = match.relation, match.entry.line
    extra = match_words(match)
    kept: dict[tuple[int, int | None, int], Entry] = {}
    for entry in relation.entries(line):
        period = entry.axis.period
        others = _own_words(entry)
        if not period.year or entry.axis.is_change or (extra and not extra & others):
            continue
        kept.setdefault((period.year, period.quarter, period.month), entry)
    if not kept:
        return None
    years = [year for year, _, _ in kept]
    members = tuple(
        Member(
            _period_name(entry, unique=years.count(entry.axis.period.year or 0) == 1),
            relation.figure(entry, match.fit),
            entry.is_blank,
        )
        for entry in kept.values()
    )
    return Members(members, match.fit, line.label)


def match_words(match: Match) -> frozenset[str]:
    """Words of a match's column that are no period."""
    return _own_words(match.entry)


def _own_words(entry: Entry) -> frozenset[str]:
    return frozenset(word for word in entry.axis.words if not word.isdigit()) - HEADER_WORDS


def _period_name(entry: Entry, *, unique: bool) -> str:
    """A column's year when no other column has it, else its own header."""
    period = entry.axis.period
    return str(period.year) if unique or not entry.axis.path else entry.axis.path[-1]


def _column_periods(matches: Sequence[Match]) -> Members | None:
    """Cells of one column in rows of different periods: a table that has its periods as rows."""
    if not matches:
        return None
    relation, axis = matches[0].relation, matches[0].entry.axis
    found = []
    for line in relation.lines:
        cell = next((entry for entry in relation.entries(line) if entry.axis.index == axis.index), None)
        if cell is not None and line.period.year and not line.is_sum:
            found.append(Member(line.label, relation.figure(cell, matches[0].fit), cell.is_blank))
    return Members(tuple(found), matches[0].fit, axis.name) if len(found) > 1 else None


def _among_columns(relations: Sequence[Relation], request: Request) -> Members | None:
    """The columns of one row, told apart by name: segments, sites, products."""
    operand = request.operands[0]
    for match in find_matches(relations, operand)[:8]:
        relation, line = match.relation, match.entry.line
        entries = [
            entry
            for entry in relation.entries(line)
            if not entry.axis.is_change
            and _has_own_name(entry)
            and period_fit(relation, entry, operand.period) >= LEAST_FIT
            and not re.search(r"\btotal\b", entry.axis.name, re.I)
        ]
        names = [_own_name(entry) for entry in entries]
        if len(set(names)) < 2 or len(set(names)) != len(names) or not _speaks_of(relation, line, request.over):
            continue
        members = _choose_members(
            [Member(n, relation.figure(e, match.fit), e.is_blank) for n, e in zip(names, entries, strict=True)], request
        )
        if len(members) > 1:
            return Members(tuple(members), match.fit, line.label)
    return None


def _has_own_name(entry: Entry) -> bool:
    return any(character.isalpha() for character in _own_name(entry))


def _own_name(entry: Entry) -> str:
    """A column's header without its periods."""
    parts = [part for part in entry.axis.path if not re.fullmatch(r"\W*(?:19|20)\d\d\W*", part)]
    return parts[-1] if parts else ""


def _speaks_of(relation: Relation, line: Line | None, noun: str) -> bool:
    """Whether a table says that what it lists are such things: by caption, section, header, text around or labels."""
    terms = frozenset(analyse(noun)) - GENERIC
    if not terms:
        return True
    head = (
        words_of(" ".join(relation.view.table.columns[0].header.split(" / ")))
        if relation.view.table.columns
        else frozenset()
    )
    labels = frozenset(word for line in relation.lines for word in line.words)
    groups = line.group_words if line else frozenset(word for one in relation.lines for word in one.group_words)
    axes = frozenset(word for axis in relation.axes for word in axis.words)
    return terms <= head | relation.place_words | labels | groups | axes


def _among_rows(relations: Sequence[Relation], request: Request) -> Members | None:
    """The rows of one column, or of one group in it, sums left out."""
    best: Members | None = None
    for relation in relations:
        for members in _row_sets(relation, request):
            if best is None or members.fit > best.fit:
                best = members
    return best


def _row_sets(relation: Relation, request: Request) -> Iterable[Members]:
    operand = request.operands[0]
    wanted = content_terms(operand.words) if analyse(operand.words) else ()
    content = {term for term, weight in wanted if weight == 1.0}
    if not _speaks_of(relation, None, request.over):
        return
    sets: list[tuple[str, Sequence[Line]]] = list(relation.groups.items())
    plain = [line for line in relation.lines if not line.is_sum and not line.groups]
    if len(plain) > 1:
        sets.append(("", plain))
    if len(relation.groups) > 1 or not plain:
        sets.append(("", [line for line in relation.lines if not line.is_sum]))
    for group, lines in sets:
        if not 2 <= len(lines) <= MOST_MEMBERS:
            continue
        for axis in relation.axes:
            fit = _column_fit(relation, axis.index, wanted, group)
            if fit < LEAST_FIT or (axis.is_change and not axis.words & {term for term, _ in wanted}):
                continue
            cells = [
                (line, entry) for line in lines for entry in relation.entries(line) if entry.axis.index == axis.index
            ]
            if any(content and content <= line.words for line, _ in cells):
                continue
            cells = [(line, entry) for line, entry in cells if period_fit(relation, entry, operand.period) >= LEAST_FIT]
            members = _choose_members(
                [
                    Member(line.label, relation.figure(entry, fit), entry.is_blank)
                    for line, entry in cells
                    if line.label
                ],
                request,
            )
            if len(members) > 1:
                newest = 0.001 * ((axis.period.year or 0) % 100) / 100 if operand.period is None else 0.0
                yield Members(tuple(members), fit + newest, group or axis.name)


def _column_fit(relation: Relation, index: int, wanted: Sequence[tuple[str, float]], group: str) -> float:
    """The share of the measure's words that a column and the table around it account for."""
    axis = next(axis for axis in relation.axes if axis.index == index)
    group_words = words_of(group)
    total = sum(weight for _, weight in wanted) or 1.0
    cost = 0.0
    for term, weight in wanted:
        in_axis = term in axis.words or (term == "percent" and "%" in axis.unit)
        price = 0.0 if in_axis else 0.03 if term in group_words else 0.05 if term in relation.place_words else 1.0
        price = min(price, 0.12) if term in relation.near_words else price
        cost += weight * price
    return 1.0 - cost / total


def _choose_members(members: Sequence[Member], request: Request) -> list[Member]:
    """The members that the question lists, all of them; every member when it lists none."""
    kept = list({member.name: member for member in members}.values())
    if not request.alternatives:
        return kept if len(kept) == len(members) else []
    found = []
    for words in request.alternatives:
        terms = frozenset(analyse(words))
        hits = [member for member in kept if terms and terms <= words_of(member.name)]
        if not hits:
            return []
        found.append(min(hits, key=lambda member: len(member.name)))
    return found


def rank_members(members: Sequence[Member], *, most: bool) -> list[Member]:
    """Members from the greatest to the least, or the other way round; equal ones in printed order.

    Costs and losses that are all printed below zero are compared by their size: the greater loss is the larger one.
    """
    is_size = all(member.figure.value <= 0 and _OUTGOING.search(member.figure.label) for member in members)
    return sorted(members, key=lambda m: abs(m.figure.value) if is_size else m.figure.value, reverse=most)


_OUTGOING = re.compile(
    r"\b(?:loss(?:es)?|costs?|expenses?|charges?|payments?|paid|outflows?|movements?|impairments?|write-?(?:offs?|downs?)"
    r"|depreciation|amorti[sz]ation|provisions?|tax(?:es)?|spending|deficits?|deductions?|decreases?|purchases?)\b",
    re.I,
)


def passes(member: Member, bound: Threshold) -> bool:
    """Whether a member's figure is on the asked side of the bound, in the units that both are told in."""
    amount = comparable_bound(member.figure, bound)
    value = member.figure.amount if _is_bare(member.figure, bound) else member.figure.value
    if value == amount:
        return bound.inclusive
    return (value > amount) == bound.above


def _is_bare(figure: Figure, bound: Threshold) -> bool:
    """Whether one of both states no scale: then the numbers are compared as they are written."""
    return figure.scale == 1 or bound.amount == bound.bare


def comparable_bound(figure: Figure, bound: Threshold) -> Decimal:
    """The bound as it compares with the figure: in units where both state a scale, else as written."""
    return bound.bare if _is_bare(figure, bound) else bound.amount


def find_group(relations: Sequence[Relation], operand: Operand) -> tuple[Relation, str, list[Line]] | None:
    """The lines under the group that the words name, or of the table that they name; None when there is no such one."""
    wanted = frozenset(term for term, weight in content_terms(operand.words) if weight == 1.0)
    best: tuple[float, Relation, str, list[Line]] | None = None
    for relation in relations:
        for group, lines in relation.groups.items():
            said = words_of(group)
            hits = len(wanted & said)
            if not hits or len(lines) < 2:
                continue
            around = relation.place_words | relation.near_words
            left = wanted - said - around
            fit = (1.0 if not left else 0.0) * (hits / max(len(wanted), len(said)))
            if fit > 0.5 and (best is None or fit > best[0]):
                best = (fit, relation, group, lines)
    return best[1:] if best else None


def figure_of_line(relation: Relation, line: Line, operand: Operand, fit: float) -> Member | None:
    """A line as a member, with its figure of the period asked or the newest."""
    entries = [
        e
        for e in relation.entries(line)
        if not e.axis.is_change and period_fit(relation, e, operand.period) >= LEAST_FIT
    ]
    if not entries:
        return None
    newest = max(entries, key=lambda entry: (entry.axis.period.year or 0, -entry.axis.index))
    return Member(line.label, relation.figure(newest, fit), newest.is_blank)
