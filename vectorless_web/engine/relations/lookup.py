"""Cells of relations: those that account for every content word of a question; ranked, filtered, counted, listed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.lookup import label_terms
from vectorless_web.engine.figures.periods import ColumnPeriod, OwnPeriod, agreement
from vectorless_web.engine.questions.formulas.request import Operand, Request, Threshold
from vectorless_web.engine.questions.plan import Period
from vectorless_web.engine.relations.relation import Axis, Entry, Line, Relation, words_of
from vectorless_web.engine.text.analyser import analyse

LEAST_FIT = 0.8
"""Fit from which a cell answers. Below it some word of the question is not accounted for, or the row says more."""

_GENERIC_WORDS = """
amount amounts value values figure figures number numbers total totals level levels size respective reported recorded
recognised recognized listed year years period periods quarter month fiscal financial ended end ending company companies
group usd dollar dollars thousand thousands million millions billion billions us approximately overall consolidated
aggregate balance many much count sum incurred made given stated according unadjusted three two four five six
"""
GENERIC = frozenset(analyse(_GENERIC_WORDS)) | {"eur", "gbp"}
"""Terms that a question may add to a measure's name without meaning another one."""

_GENERIC_WEIGHT, _TOTAL_WEIGHT = 0.04, 0.15
"""What a generic term weighs beside a content word; a total enough to prefer "Total assets" when one is asked for."""

_COSTS = {"axis": 0.0, "group": 0.03, "place": 0.05, "subject": 0.05, "score": 0.1, "near": 0.4}
"""What it costs that a word stands not in the row's label but there. In the order of nearness; half or twice of each
changes which of two equal rows is taken, not whether one answers."""

_SCORES = frozenset(analyse("accuracy score scores performance result results"))
_MEASURES = _SCORES | frozenset(analyse("f1 precision recall bleu rouge perplexity error loss rate time"))
"""What the figures of a results table are called, where neither its rows nor its columns say what is measured."""

_LEFT_OVER = 0.8
"""Taken times the fit for words that nothing accounts for, beside their share: one such word means another cell."""

_EXTRA = 0.5
"""How much a label's other words tell against it: with as many of them as words that match it keeps .75."""

_NEUTRAL = frozenset(
    analyse("total net consolidated company aggregate subtotal group inc ltd co corp corporation plc llc gmbh limited")
)
_HEADER_TEXT = """
year years ended ending end as of at fiscal three six nine twelve months quarter quarters period periods in thousands
millions billions usd us dollars eur gbp except per share data amounts restated unaudited audited january february march
april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec weeks 52
53 13 first second third fourth 000 m note notes
"""
HEADER_WORDS = frozenset(analyse(_HEADER_TEXT))
"""Terms of headers that say when and in what units, not what."""

_PARTS = frozenset(analyse("segment division region"))
"""What a sum may be called that it is of, without meaning another one: "Total Northern region shops"."""

_CHANGE_WORDS = frozenset(
    analyse("change increase decrease growth variance difference percentage percent movement variation")
)


@dataclass(frozen=True, slots=True)
class Match:
    """A cell that an operand may mean; `left_over` are the words that nothing accounts for."""

    relation: Relation
    entry: Entry
    fit: float
    left_over: tuple[str, ...] = ()
    is_dated: bool = True

    @property
    def line_key(self) -> tuple[str, int, int]:
        """The document, table and row."""
        return self.relation.document, self.relation.view.node.key, self.entry.line.row.offset


@lru_cache(maxsize=1 << 10)
def content_terms(words: str) -> tuple[tuple[str, float], ...]:
    """The terms of a measure's words with their weights, generic ones light; all count when there are no others."""
    terms = list(dict.fromkeys(analyse(words)))
    if re.search(r"%|\bpercent", words, re.I):
        terms = [*(term for term in terms if term not in ("percent", "percentag")), "percent"]
    if all(term in GENERIC for term in terms):
        return tuple((term, 1.0) for term in terms)
    return tuple((term, _weigh(term)) for term in terms)


def _weigh(term: str) -> float:
    return _TOTAL_WEIGHT if term == "total" else _GENERIC_WEIGHT if term in GENERIC else 1.0


def find_matches(relations: Sequence[Relation], operand: Operand, *, least: float = LEAST_FIT) -> list[Match]:
    """Cells that fit the operand at least so well, best first."""
    wanted = content_terms(operand.words)
    # What a company has is told for all of it by a row that does not name the company: a brand or a part may.
    unowned = _without_owner(operand.words, relations)
    for terms in (unowned, wanted) if unowned else (wanted,):
        found = [match for relation in relations for match in _matches(relation, terms, operand.period, least)]
        if found:
            return sorted(found, key=_order_match)
    return []


def _without_owner(words: str, relations: Sequence[Relation]) -> tuple[tuple[str, float], ...]:
    """The terms of "stores Halden" or "goodwill for Halden" without the last words where these name the document.

    Empty where the words do not end so; "Halden stores" may be what a row is called.
    """
    subject = next((relation.subject for relation in relations), frozenset[str]())
    terms = list(content_terms(words))
    kept = list(terms)
    while kept and kept[-1][0] in subject:
        kept.pop()
    has_own = any(weight == 1.0 for _, weight in kept)
    return tuple(kept) if has_own and len(kept) < len(terms) else ()


def _order_match(match: Match) -> tuple[float, int, int, int]:
    _, key, offset = match.line_key
    return (-round(match.fit, 6), key, offset, match.entry.axis.index)


def _matches(
    relation: Relation, wanted: Sequence[tuple[str, float]], period: Period | None, least: float
) -> list[Match]:
    terms = frozenset(term for term, _ in wanted)
    content = frozenset(term for term, weight in wanted if weight == 1.0)
    has_axis_hit = bool(content & relation.axis_words)
    is_total = "total" in terms and content <= relation.place_words
    if not wanted or not (content & relation.label_words or has_axis_hit or is_total):
        return []
    weight = 0.97 + 0.02 * min(relation.rank, 1.0) + (0.01 if relation.view.statement else 0.0)
    weight *= _part_fit(relation, content)
    found = []
    for line in relation.lines:
        hits = terms & line.words
        is_named = bool(content & line.words) or bool((line.is_sum or hits) and content & line.group_words)
        is_named = is_named or (line.is_sum and "total" in terms and content <= relation.place_words)
        if not is_named and not has_axis_hit:
            continue
        shape = _line_fit(relation, line, terms, hits, has_axis_hit)
        if shape * weight < least:
            continue
        for entry in relation.entries(line):
            if not is_named and not content & entry.axis.words:
                continue
            fit, left_over = _entry_fit(relation, entry, wanted, terms)
            fit *= shape * weight
            if fit < least:
                continue
            when = period_fit(relation, entry, period)
            if fit * when >= least:
                found.append(Match(relation, entry, fit * when, left_over))
    return found


_PART = re.compile(
    r"\b(?:segments?|divisions?|subsidiar\w+|parent|guarantors?|discontinued|pro forma|non-?controlling)\b", re.I
)
_OF_A_PART = 0.86
"""What a figure is worth, as a share, from a table about a part of the whole that nobody asked for: enough to answer
where there is no other, too little beside the whole's. Not measured by itself."""


def _part_fit(relation: Relation, content: frozenset[str]) -> float:
    """Less for a table whose caption or heading names a part of the whole ("Sensors segment") without being asked."""
    view = relation.view
    place = " ".join((*view.path[-1:], view.name))
    return _OF_A_PART if _PART.search(place) and not content & words_of(place) else 1.0


def _line_fit(relation: Relation, line: Line, terms: frozenset[str], hits: frozenset[str], has_axis_hit: bool) -> float:
    """How much a label's other words tell against it. A label without any word asked for is a period or a total."""
    extra = [term for term in _extra_terms(line.label, terms) if not (line.is_sum and term in _PARTS)]
    if not hits:
        if not extra or line.period.year or line.period.quarter:
            return 1.0
        return 0.9 if has_axis_hit and len(relation.lines) == 1 else 0.0
    told = len([term for term in hits if term not in _NEUTRAL]) or len(hits)
    fit = 1.0 - _EXTRA * len(extra) / (told + len(extra))
    summing = {"total", "net"}
    return fit - 0.02 * len((hits ^ line.words) & summing)


def _extra_terms(label: str, terms: frozenset[str]) -> list[str]:
    """What a label says beside the words asked for; nothing when a name in its parentheses is what was asked for."""
    for alias in _PARENTHESES.findall(label):
        named = words_of(alias)
        if named and named <= terms:
            return []
    known = terms | _NEUTRAL | GENERIC | HEADER_WORDS
    return [term for term in label_terms(label) if term not in known and not _is_footnote(term)]


_PARENTHESES = re.compile(r"\(([^()]*)\)")


def _is_footnote(term: str) -> bool:
    return len(term) == 1 or (term.isdigit() and (len(term) < 3 or re.fullmatch(r"(?:19|20)\d\d", term) is not None))


def _entry_fit(
    relation: Relation, entry: Entry, wanted: Sequence[tuple[str, float]], terms: frozenset[str]
) -> tuple[float, tuple[str, ...]]:
    """The share of the words that are accounted for, and those that are not."""
    line, axis = entry.line, entry.axis
    if axis.is_change and not terms & _CHANGE_WORDS:
        return 0.0, ()
    total = cost = 0.0
    left_over = []
    for term, weight in wanted:
        total += weight
        price = _price(relation, entry, term)
        if term == "percent" and price:
            price = 1.0
        cost += weight * price
        if price >= 1.0 and weight == 1.0:
            left_over.append(term)
    fit = (1.0 - cost / total) * (_LEFT_OVER if left_over else 1.0)
    return fit * _axis_fit(relation, axis, terms, line) * _group_fit(line, terms), tuple(left_over)


def _group_fit(line: Line, terms: frozenset[str]) -> float:
    """How much a group's other words tell against its lines: "Revenue" and "Cost of revenue" may hold like rows."""
    extra = words_of(line.groups[-1] if line.groups else "") - terms - line.words - GENERIC - HEADER_WORDS
    return 1.0 - min(0.015 * len(extra), 0.05)


def _price(relation: Relation, entry: Entry, term: str) -> float:
    line, axis = entry.line, entry.axis
    if term in line.words:
        return 0.0
    if term in axis.words:
        return _COSTS["axis"]
    if term == "percent" and (entry.cell.number.percent or "%" in axis.unit):
        return _COSTS["axis"]
    if term in line.group_words:
        return _COSTS["group"]
    if term in relation.place_words:
        return _COSTS["place"]
    if term in relation.subject:
        return _COSTS["subject"]
    if term in _SCORES and not _MEASURES & (relation.axis_words | relation.label_words):
        return _COSTS["score"]
    return _COSTS["near"] if term in relation.near_words else 1.0


def _axis_fit(relation: Relation, axis: Axis, terms: frozenset[str], line: Line) -> float:
    """How much a header's other words tell against a column: those that only this column has."""
    if not axis.words:
        return 1.0
    others = [other for other in relation.axes if other.index and other.words]
    shared = frozenset.intersection(*(other.words for other in others)) if others else frozenset()
    extra = [
        word
        for word in axis.words - shared - terms - HEADER_WORDS - line.words
        if not word.isdigit() and not _is_footnote(word)
    ]
    if "total" in extra or "total" in axis.words & terms:
        # A column of totals speaks for the row as a whole.
        return 1.0
    if "percent" in axis.words - shared and "percent" not in terms:
        return 0.8
    if not extra:
        return 1.0
    return 1.0 - min(0.03 * len(extra), 0.09) if axis.period.year or axis.words & terms else 0.9


_NO_PERIOD = 0.97
"""What a figure is worth whose period only the text around its table names ..."""

_UNDATED = 0.84
"""... and whose period nothing names, in a table without periods."""


def period_fit(relation: Relation, entry: Entry, wanted: Period | None) -> float:
    """How well a cell's period is the one asked for: its column's, else its row's, else the table's."""
    axis, line = entry.axis, entry.line
    if wanted is None:
        return 1.0
    if axis.period.year and (axis.says_year or not line.period.year):
        return _agree(axis.period, " ".join(axis.path), wanted, relation.own)
    if line.period.year:
        return _agree(line.period, " ".join((*line.groups, line.label)), wanted, relation.own)
    grouped = " ".join(line.groups)
    if re.search(rf"(?<!\d){wanted.year}(?!\d)", grouped):
        return 0.98
    if re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", grouped) or relation.has_periods:
        return 0.0
    years = relation.near_years
    if wanted.year in years and wanted.quarter is None:
        return _NO_PERIOD if len(years) == 1 else 0.9
    return _UNDATED if not years else 0.0


_DAY = re.compile(
    r"\b(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})\b"
    r"|\b(?P<day2>\d{1,2})\s+(?P<month2>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.I,
)


def _agree(period: ColumnPeriod, header: str, wanted: Period, own: OwnPeriod | None) -> float:
    """The agreement of two periods. Days are compared where both name one."""
    fit = agreement(replace(period, is_change=False), wanted, own)
    if fit and wanted.kind == "date":
        asked, told = _DAY.search(wanted.text), _DAY.search(header)
        if asked and told:
            return 1.0 if _day(asked) == _day(told) else 0.6 if _day(asked)[0] == _day(told)[0] else 0.3
    return fit


def _day(match: re.Match[str]) -> tuple[str, int]:
    month = (match["month"] or match["month2"]).lower()[:3]
    return month, int(match["day"] or match["day2"])


def select_newest(matches: Sequence[Match]) -> list[Match]:
    """Of each line's cells the newest period's, else the first printed; for an operand without a period."""
    lines: dict[tuple[str, int, int], list[Match]] = {}
    for match in matches:
        lines.setdefault(match.line_key, []).append(match)
    chosen = []
    for own in lines.values():
        best = max(match.fit for match in own)
        near = [match for match in own if match.fit >= best - 0.02]
        dated = [match for match in near if match.entry.axis.period.year]
        chosen.append(max(dated, key=_age) if dated else min(near, key=lambda m: m.entry.axis.index))
    return sorted(chosen, key=_order_match)


def _age(match: Match) -> tuple[int, int, int]:
    period = match.entry.axis.period
    return (period.year or 0, period.months, -match.entry.axis.index)


TIE = 0.012
"""Cells whose fits differ by less are equally good."""


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
    kinds = _kinds_in(relation.lines, request.over)
    if not _speaks_of(relation, None, " ".join(word for word in request.over.split() if word not in kinds)):
        return
    sets: list[tuple[str, Sequence[Line]]] = list(relation.groups.items())
    plain = [line for line in relation.lines if not line.is_sum and not line.groups]
    if len(plain) > 1:
        sets.append(("", plain))
    if len(relation.groups) > 1 or not plain:
        sets.append(("", [line for line in relation.lines if not line.is_sum]))
    for group, every_line in sets:
        lines = _of_kind(every_line, request.over)
        if not len(lines) <= MOST_MEMBERS or len(lines) < (1 if request.threshold and lines is not every_line else 2):
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
            if len(members) > 1 or (members and len(lines) == 1):
                newest = 0.001 * ((axis.period.year or 0) % 100) / 100 if operand.period is None else 0.0
                yield Members(tuple(members), fit + newest, group or axis.name)


def _of_kind(lines: Sequence[Line], over: str) -> Sequence[Line]:
    """The lines of the kind that is asked about, where a cell of them says the kind: of "executive directors" those
    with "Executive", not "Non-Executive". All of them where no cell speaks of it."""
    for kind in _kinds_in(lines, over):
        lines = [
            line
            for line in lines
            if any(re.match(rf"{re.escape(kind)}\b", cell.text.strip(), re.I) for cell in line.row.cells[1:])
        ]
    return lines


def _kinds_in(lines: Sequence[Line], over: str) -> list[str]:
    """The words ahead of the noun of what is asked about that cells speak of."""
    text = "\n".join(cell.text for line in lines for cell in line.row.cells[1:])
    return [word for word in over.split()[:-1] if re.search(rf"\b{re.escape(word)}\b", text, re.I)]


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
    # A column that is called something else measures that: what the text around the table says is not its name.
    own = {word for word in axis.words - HEADER_WORDS - GENERIC if not word.isdigit()}
    is_named = any(term in axis.words | group_words for term, _ in wanted)
    if own and wanted and not is_named and not {term for term, _ in wanted} <= words_of(relation.view.name):
        return 0.0
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
