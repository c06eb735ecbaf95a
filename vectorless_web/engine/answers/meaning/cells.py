"""A claim against the table rows it quotes: column, period, row, sign, ranking, and what a row denies or affirms."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from vectorless_web.engine.answers.claims import DraftCalculation
from vectorless_web.engine.answers.meaning.wording import (
    Binding,
    Mention,
    agree,
    bind_number,
    content_stems,
    figures_in,
    find_mentions,
    is_compared,
    is_difference,
    numbers_told,
    quote_label,
    stem_words,
    terms_of,
)
from vectorless_web.engine.answers.quotes import PlacedQuote
from vectorless_web.engine.documents.node import Row
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.figures.arithmetic import evaluate
from vectorless_web.engine.figures.periods import ColumnPeriod
from vectorless_web.engine.figures.tables import TableView
from vectorless_web.engine.text.dates import MONTHS
from vectorless_web.engine.text.numbers import Number, numbers_in

_GENERIC = frozenset(stem_words("total totals overall amount value number all grand sum note notes page unit"))
"""Terms of a header or label that name nothing of its own."""

_YEARS = re.compile(
    r"(?<![\d.,$€£])((?:19|20)\d\d)(?:\s?[/–-]\s?(\d\d)(?!\d))?(?![\d,]\d|\.\d)|\bFY\s?['’]?(\d\d)\b", re.I
)
_QUARTERS = re.compile(r"\bQ([1-4])\b|\b([1-4])Q|\b(first|second|third|fourth)[\s-]+(?:fiscal\s+)?quarter", re.I)
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_MONTHS = re.compile(rf"\b({'|'.join(MONTHS)})\b(?=\s+\d|\s+of|,)", re.I)
_SPANS = (
    ("year to date", re.compile(r"\byear[\s-]to[\s-]date\b|\bYTD\b", re.I)),
    (
        "six months",
        re.compile(
            r"\b(?:six|6)[\s-]months?\b|\b(?:half[\s-]years?|(?:first|second)\s+half|two\s+quarters)\b|\bH[12]\b", re.I
        ),
    ),
    ("nine months", re.compile(r"\b(?:nine|9)[\s-]months?\b|\b(?:first\s+)?three\s+quarters\b", re.I)),
    (
        "three months",
        re.compile(r"\b(?:three|3)[\s-]months?\b|\b(?<!two )(?<!three )quarter\b|\bQ[1-4]\b|\b(?:13|14)\s+weeks", re.I),
    ),
    (
        "twelve months",
        re.compile(
            r"\b(?:twelve|12)[\s-]months?\b|\bfull[\s-]year\b|\byear\s+ended\b|\bfiscal\s+year\b|\bFY(?=\b|\s?['’]?\d)|\bwhole\s+year\b",
            re.I,
        ),
    ),
)
_SPAN_OF_MONTHS = {3: "three months", 6: "six months", 9: "nine months", 12: "twelve months"}
_FISCAL = re.compile(r"\bfiscal|\bFY", re.I)
_RELATIVE = re.compile(
    r"\b(?:previous|prior|preceding|last|earlier|year[\s-]ago|before|following|next|later|respectively"
    r"|corresponding)\b",
    re.I,
)
_NEGATIVE_CELL = re.compile(r"^\W*(?:\(\s*[$€£]?\s*[\d.,]+|[-–−]\s?[$€£]?\d)")
_LOSS = re.compile(
    r"\bloss(?:es)?\b|\blost\b|\blosing\b|\bdeficit|\bnegative|\bused\b|\busing\b|\boutflow|\bshortfall|\bbelow zero"
    r"|\bconsum|\bburn|\bspent\b|\babsorb|\bminus\b|\bunprofitable\b|\bin the red\b",
    re.I,
)
_PROFIT = re.compile(
    r"\b(?:profit|gain|surplus|earned|earnings|income|generated?|generating|provided|positive|made money|inflow)\b",
    re.I,
)
_RESULT_ROW = re.compile(r"\b(?:income|profit|earnings|loss|cash|result|surplus|margin)\b", re.I)
_OTHER_RESULT = re.compile(r"\b(?:tax|taxes|expense|cost|other|interest)\b", re.I)
_LOSS_OF = re.compile(r"\bloss(?:es)?\s+of\s+(?:about\s+|roughly\s+)?$|\blost\s+(?:about\s+|roughly\s+)?$", re.I)


@dataclass(frozen=True, slots=True)
class QuotedCell:
    """A cell of a quoted row that states a number of the claim. `value` is as printed, parentheses negative."""

    view: TableView
    row: Row
    column: int
    value: Decimal
    text: str


@dataclass(frozen=True)
class QuotedRow:
    """A table row that a quote stands on, with the factor its units line puts on its figures."""

    view: TableView
    row: Row
    scale: Decimal

    @cached_property
    def cells(self) -> tuple[QuotedCell, ...]:
        """Its cells that state a number; a label is none of them."""
        found = ((index, cell.text, numbers_in(cell.text)) for index, cell in enumerate(self.row.cells))
        return tuple(
            QuotedCell(self.view, self.row, index, numbers[0].value, text)
            for index, text, numbers in found
            if numbers and (index or not self.row.label) and sum(c.isalpha() for c in text) <= 8
        )

    def find_cells(self, number: Number) -> list[QuotedCell]:
        """Its cells that state the number."""
        # A table whose units line was not found is read in the scale that the claim tells.
        told = self.scale if self.scale != 1 else number.scale
        scales = (Decimal(1),) if number.percent else (Decimal(1), told)
        return [cell for cell in self.cells if agree(number, cell.value, scales)]


def quoted_rows(tree: Tree, place: PlacedQuote, views: dict[int, TableView]) -> Iterator[QuotedRow]:
    """The body rows that a placed quote stands on; `views` keeps one view of each table, by the identity of its node.

    Rows of one table share their view, and with it what is worked out once for all of them.
    """
    node = place.node
    if node is None or node.table is None or not place.located.end:
        return
    view = views.setdefault(id(node), TableView(node, node.table, tree))
    for row in node.table.body:
        if row.offset < place.located.end and place.located.start < row.offset + row.length:
            yield QuotedRow(view, row, place.scale)


_CODED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")
"""A name of letters and digits."""


@dataclass(frozen=True, slots=True)
class NamedRows:
    """The terms of each row label of a table, and where a sentence says one of them."""

    names: dict[str, tuple[str, ...]]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class TableClaim:
    """A sentence with the rows it quotes; `elsewhere` are numbers that its other quotes state."""

    text: str
    question: str
    rows: tuple[QuotedRow, ...]
    elsewhere: tuple[Number, ...] = ()

    @cached_property
    def figures(self) -> tuple[Number, ...]:
        """Its numbers, without years and dates."""
        return figures_in(self.text)

    @cached_property
    def counts(self) -> tuple[Number, ...]:
        """Its numbers with those spelled out ("two plants"): a name behind one of them belongs to that number."""
        return tuple(told.number for told in numbers_told(self.text))

    @cached_property
    def cells(self) -> list[tuple[Number, tuple[QuotedCell, ...]]]:
        """Each number that only quoted rows state, with the cells that do; numbers of the question left out."""
        found = []
        asked = {number.value for number in figures_in(self.question)}
        values = [*(one.value for one in self.figures), *(cell.value for row in self.rows for cell in row.cells)]
        for number in self.figures:
            if number.value in asked or any(agree(number, other.value) for other in self.elsewhere):
                continue
            cells = tuple(cell for row in self.rows for cell in row.find_cells(number))
            if cells and is_difference(self.text, number, values):
                continue
            if cells and not self._is_in_a_name(number):
                found.append((number, cells))
        return found

    def _is_in_a_name(self, number: Number) -> bool:
        """Whether the number is part of a quoted row's name as the sentence says it: "TV 14 BRA", "T-05"."""
        names = {row.row.label.strip() for row in self.rows}
        coded = (name for name in names if _CODED.search(name))
        found = (match for name in coded for match in re.finditer(re.escape(name), self.text))
        return any(match.start() <= number.start and number.end <= match.end() for match in found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the sentence and the question."""
        return content_stems(self.text) | content_stems(self.question)

    @cached_property
    def _named_rows(self) -> dict[int, NamedRows]:
        return {}

    def named_rows(self, view: TableView) -> NamedRows:
        """The rows of a table by name and those that the sentence speaks of; found once for all its numbers."""
        known = self._named_rows.get(id(view))
        if known is None:
            names = row_names(view)
            # A label that stands twice names no row, but what it says is no shorter name either.
            labels = names | {row.label: terms_of(row.label) for row in view.table.body if row.label not in names}
            found = tuple(mention for mention in find_mentions(self.text, labels) if mention.key in names)
            known = self._named_rows[id(view)] = NamedRows(names, found)
        return known


def find_table_mismatches(claim: TableClaim) -> Iterator[str]:
    """What speaks against a claim in the rows it quotes, a sentence each."""
    for number, cells in claim.cells:
        for check in (_check_year, _check_quarter, _check_span, _check_month, _check_column):
            if told := check(claim, number, cells):
                yield told
                break
        yield from (told for check in (_check_row, _check_sign) if (told := check(claim, number, cells)))
    yield from _text_cells(claim)
    yield from _denied_rows(claim)


@dataclass(frozen=True, slots=True)
class _Dimension:
    """One way to tell columns apart: the keys of each column, the mentions in the claim, the keys asked for."""

    keys: dict[int, frozenset[str]]
    mentions: Sequence[Mention]
    asked: frozenset[str]
    in_label: frozenset[str] = frozenset()
    """Keys that the row's own label says: a date in it is no column."""


def _keys_of(mentions: Sequence[Mention]) -> frozenset[str]:
    return frozenset(mention.key for mention in mentions)


def _check_year(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    view = cells[0].view
    keys = _column_years(claim, view)
    known = frozenset(key for years in keys.values() for key in years)
    if not known:
        return ""
    asked = _keys_of(_year_mentions(claim.question)) & known
    label = " ".join((*cells[0].row.path, cells[0].row.label))
    return _mismatch(
        claim,
        number,
        cells,
        _Dimension(keys, _year_mentions(claim.text), asked, _keys_of(_year_mentions(label))),
        bounded=known,
    )


def _column_years(claim: TableClaim, view: TableView) -> dict[int, frozenset[str]]:
    is_fiscal = bool(_FISCAL.search(claim.text) or _FISCAL.search(claim.question))
    return {index: _years_of(view, index, is_fiscal=is_fiscal) for index in range(len(view.table.columns))}


def _years_way(claim: TableClaim, view: TableView) -> _Dimension:
    """The years of a table's columns, with the mentions of these in the claim."""
    keys = _column_years(claim, view)
    known = frozenset(key for years in keys.values() for key in years)
    return _Dimension(keys, [one for one in _year_mentions(claim.text) if one.key in known], frozenset())


def _years_of(view: TableView, index: int, *, is_fiscal: bool) -> frozenset[str]:
    period: ColumnPeriod = view.periods[index]
    header = view.table.columns[index].header
    years = {mention.key for mention in _year_mentions(f"{header} ")}
    if period.year:
        years.add(str(period.year))
    if period.is_change:
        return frozenset()
    if is_fiscal and 1 <= period.month <= 6:
        years |= {str(int(year) - 1) for year in years}
    return frozenset(years)


def _year_mentions(text: str) -> list[Mention]:
    found = []
    for match in _YEARS.finditer(text):
        year = match[1] or f"20{match[3]}"
        found.append(Mention(match.start(), match.end(), year))
        if match[2]:
            found.append(Mention(match.start(), match.end(), year[:2] + match[2]))
    return found


_BEGINNING = re.compile(r"\b(?:beginning|start|opening|1\s+January|January\s+1)\b", re.I)
"""The end of a year told as the beginning of the next."""


def find_period_mismatches(claim: TableClaim, calculations: Sequence[DraftCalculation]) -> Iterator[str]:
    """A result told of 2023 that was worked out from cells of 2022 alone."""
    if _BEGINNING.search(claim.text):
        return
    for calculation in calculations:
        numbers = numbers_in(calculation.result)
        told = [one for one in claim.figures if numbers and agree(one, numbers[0].value)]
        cells = [_cells_of(claim, operand.value) for operand in calculation.operands]
        if len(told) != 1 or not cells or not all(cells) or len({id(c.view) for found in cells for c in found}) != 1:
            continue
        way = _years_way(claim, cells[0][0].view)
        years = {key for found in cells for cell in found for key in way.keys.get(cell.column, frozenset({""}))}
        said = _wrong_key(bind_number(claim.text, told[0], way.mentions, claim.counts), frozenset(years))
        if len(years) == 1 and said and not _gives_same(calculation, [found[0] for found in cells], way, said):
            (year,) = years
            yield (
                f"The claim says {said} of {told[0].text}, but it is worked out from the column {quote_label(year)}:"
                f" {', '.join(operand.value for operand in calculation.operands[:4])}."
            )


def _cells_of(claim: TableClaim, value: str) -> list[QuotedCell]:
    """The quoted cells that state an operand."""
    numbers = numbers_in(value)
    return [cell for row in claim.rows for cell in row.find_cells(numbers[0])] if numbers else []


def _gives_same(calculation: DraftCalculation, cells: Sequence[QuotedCell], way: _Dimension, said: str) -> bool:
    """Whether the cells of the year that was said give the same result, or do not stand there."""
    values = {}
    for operand, cell in zip(calculation.operands, cells, strict=True):
        there = [
            numbers[0].value
            for index, keys in way.keys.items()
            if said in keys and index < len(cell.row.cells) and (numbers := numbers_in(cell.row.cells[index].text))
        ]
        if len(there) != 1:
            return True
        values[operand.name] = there[0] if cell.value == numbers_in(operand.value)[0].value else abs(there[0])
    try:
        result = evaluate(calculation.expression, values)
    except InvalidInput:
        return True
    number = numbers_in(calculation.result)[0]
    return any(agree(number, result * factor) for factor in (Decimal(1), Decimal(100), number.scale))


def _check_quarter(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    view = cells[0].view
    keys = {
        index: frozenset({f"Q{period.quarter}"}) if period.quarter else frozenset()
        for index, period in enumerate(view.periods)
    }
    if len(set().union(*keys.values())) < 2:
        return ""
    asked = frozenset(mention.key for mention in _quarter_mentions(claim.question))
    return _mismatch(
        claim,
        number,
        cells,
        _Dimension(keys, _quarter_mentions(claim.text), asked, _keys_of(_quarter_mentions(cells[0].row.label))),
    )


def _quarter_mentions(text: str) -> list[Mention]:
    return [
        Mention(match.start(), match.end(), "Q" + (match[1] or match[2] or _ORDINALS[match[3].lower()]))
        for match in _QUARTERS.finditer(text)
    ]


def _check_span(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    view = cells[0].view
    keys = {index: _span_of(view, index) for index in range(len(view.periods))}
    mentions, asked = _span_mentions(claim.text), _span_mentions(claim.question)
    if any(mention.key == "year to date" for mention in (*mentions, *asked)):
        return ""
    return _mismatch(
        claim, number, cells, _Dimension(keys, mentions, _keys_of(asked), _keys_of(_span_mentions(cells[0].row.label)))
    )


def _span_of(view: TableView, index: int) -> frozenset[str]:
    period = view.periods[index]
    if period.months in _SPAN_OF_MONTHS:
        return frozenset({_SPAN_OF_MONTHS[period.months]})
    headed = _keys_of(_span_mentions(view.table.columns[index].header))
    if len(headed) == 1:
        return headed
    if period.quarter or period.is_change or any(other.months for other in view.periods[1:]):
        return frozenset()
    told = {mention.key for mention in _span_mentions(" ".join((view.node.title, view.table.columns[0].header)))}
    return frozenset(told) if len(told) == 1 else frozenset()


def _span_mentions(text: str) -> list[Mention]:
    found: list[Mention] = []
    for key, pattern in _SPANS:
        for match in pattern.finditer(text):
            if all(match.end() <= other.start or match.start() >= other.end for other in found):
                found.append(Mention(match.start(), match.end(), key))
    return sorted(found, key=lambda mention: mention.start)


def _check_month(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    view = cells[0].view
    keys = {
        index: frozenset(_month_keys(f"{column.header} ")) for index, column in enumerate(view.table.columns) if index
    }
    if len(set().union(*keys.values())) < 2:
        return ""
    mentions = [Mention(m.start(), m.end(), m[1].capitalize()) for m in _MONTHS.finditer(f"{claim.text} ")]
    return _mismatch(
        claim,
        number,
        cells,
        _Dimension(keys, mentions, frozenset(_month_keys(claim.question)), frozenset(_month_keys(cells[0].row.label))),
    )


def _month_keys(text: str) -> list[str]:
    return [match[1].capitalize() for match in _MONTHS.finditer(text)]


def _check_column(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    """Columns told apart by name: plans, regions, models, groups. Only columns of the same unit are compared."""
    view = cells[0].view
    names = column_names(view)
    units = {index: _unit_in(view.table.columns[index].header) for index in names}
    own = {units.get(cell.column, "") for cell in cells}
    keys: dict[int, frozenset[str]] = {}
    spoken: dict[str, Sequence[str]] = {}
    for index, terms in names.items():
        if units[index] in own:
            header = view.table.columns[index].header
            keys[index] = frozenset({header})
            spoken.setdefault(header, terms)
    mentions = [one for one in find_mentions(claim.text, spoken) if not _is_counted(claim, number, one)]
    asked = frozenset(mention.key for mention in find_mentions(claim.question, spoken))
    return _mismatch(claim, number, cells, _Dimension(keys, mentions, asked))


def _is_counted(claim: TableClaim, number: Number, mention: Mention) -> bool:
    """Whether a name stands right behind another number, which is its own: "1,312 people in two plants"."""
    return any(
        other.start != number.start and not claim.text[other.end : mention.start].strip() for other in claim.counts
    )


def column_names(view: TableView) -> dict[int, tuple[str, ...]]:
    """The terms that tell each column from the others, by its header; columns of periods and nameless ones left out."""
    told = {
        index: terms_of(column.header) for index, column in enumerate(view.table.columns) if index and column.header
    }
    told = {
        index: terms
        for index, terms in told.items()
        if not view.periods[index].year and not view.periods[index].quarter
    }
    if len(told) < 2:
        return {}
    shared = frozenset.intersection(*(frozenset(terms) for terms in told.values()))
    named = {index: tuple(term for term in terms if term not in shared) for index, terms in told.items()}
    return {index: terms for index, terms in named.items() if terms and not set(terms) <= _GENERIC}


def _unit_in(header: str) -> str:
    found = re.search(r"\(([^)]*)\)|(%)", header)
    return (found[1] or found[2] or "").strip().lower() if found else ""


def _mismatch(
    claim: TableClaim,
    number: Number,
    cells: Sequence[QuotedCell],
    way: _Dimension,
    bounded: frozenset[str] = frozenset(),
) -> str:
    """The objection when the claim ties the number to a column that none of its cells stands in."""
    own = frozenset(key for cell in cells for key in way.keys.get(cell.column, frozenset()))
    if not own or any(not way.keys.get(cell.column) for cell in cells):
        return ""
    said = _said_key(claim, number, way, own, bounded)
    if not said:
        return ""
    cell = cells[0]
    there = _cell_at(cell, way.keys, said)
    if there == "same":
        return ""
    header = _header_words(cell)
    row = quote_label(cell.row.label)
    told = f"The claim says {said}, but {number.text} stands in the column {quote_label(header)} of the row {row}"
    return f"{told}; {said} has {there} there." if there else f"{told}."


def _header_words(cell: QuotedCell) -> str:
    columns = cell.view.table.columns
    return columns[cell.column].header if cell.column < len(columns) else ""


def _said_key(claim: TableClaim, number: Number, way: _Dimension, own: frozenset[str], bounded: frozenset[str]) -> str:
    """The column that the claim, or else the question, ties the number to, when it is not its own; else ""."""
    if way.in_label & {mention.key for mention in way.mentions}:
        return ""
    mentions = [mention for mention in way.mentions if not bounded or mention.key in bounded]
    strays = [mention for mention in way.mentions if bounded and mention.key not in bounded]
    if not way.mentions:
        only = way.asked if len(way.asked) == 1 and len(claim.cells) == 1 else frozenset()
        known = frozenset(key for keys in way.keys.values() for key in keys)
        return (
            next(iter(only)) if only and only <= known and not only & own and not _RELATIVE.search(claim.text) else ""
        )
    bound = bind_number(claim.text, number, mentions, claim.counts)
    told = _wrong_key(bound, own)
    if told:
        return told
    if strays and not mentions:
        stray = bind_number(claim.text, number, strays, claim.counts)
        return next(iter(stray.after | stray.before), "")
    if own & {mention.key for mention in mentions}:
        return ""
    one = {mention.key for mention in mentions} if len({mention.key for mention in mentions}) == 1 else set()
    # Of periods all figures of a sentence count together: none of them stands in the only one that it names.
    is_strange = bool(bounded) and not any(one & way.keys[cell.column] for _, cells in claim.cells for cell in cells)
    is_alone = bool(one) and (len(claim.cells) == 1 or is_strange)
    if not is_alone or is_compared(claim.text, number) or _RELATIVE.search(claim.text) or bound.after or bound.before:
        return ""
    return next(iter(bound.near), "")


def _wrong_key(bound: Binding, own: frozenset[str]) -> str:
    """The key that a number is tightly bound to, when it is another than its own."""
    if bound.after:
        return "" if (bound.after | bound.before) & own else min(bound.after)
    if bound.before and not bound.before & own and not bound.next & own:
        return min(bound.before)
    return ""


def _cell_at(cell: QuotedCell, keys: dict[int, frozenset[str]], said: str) -> str:
    """What the row has in the column that was said: its text, "same" when it is the same figure, "" when unsure."""
    candidates = [index for index, own in keys.items() if said in own and index < len(cell.row.cells)]
    texts = {index: cell.row.cells[index].text.strip() for index in candidates}
    numbers = {index: numbers_in(text) for index, text in texts.items()}
    if any(found and abs(found[0].value) == abs(cell.value) for found in numbers.values()):
        return "same"
    stating = [index for index, found in numbers.items() if found]
    alike = [index for index in stating if _is_alike(cell.view, index, cell.column)]
    chosen = stating if len(stating) == 1 else alike
    return texts[chosen[0]] if len(chosen) == 1 else ""


def _is_alike(view: TableView, index: int, other: int) -> bool:
    """Whether two columns differ in one respect only: the year, or the months covered."""
    one, two = view.periods[index], view.periods[other]
    same_span = (_span_of(view, index), one.quarter) == (_span_of(view, other), two.quarter)
    return (one.year == two.year) != same_span


def _check_row(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    """The claim names another row of the table, fully, and not the one that the number stands in."""
    view = cells[0].view
    named = claim.named_rows(view)
    names, mentions = named.names, named.mentions
    own = frozenset(cell.row.label for cell in cells)
    others = {mention.key for mention in mentions} - own
    if not others or not all(cell.row.label for cell in cells):
        return ""
    bound = bind_number(claim.text, number, mentions, claim.counts)
    said = _wrong_key(bound, own)
    if not said and not own & {m.key for m in mentions} and len(others) == 1 and len(claim.cells) == 1:
        said = min(others)
    if not said or _is_named(own, said, names, claim, strictly=bool(own & {m.key for m in mentions})):
        return ""
    row = next(row for row in view.table.body if row.label == said)
    there = _in_column(row, cells[0].column)
    if not there or any(abs(n.value) == abs(cells[0].value) for n in numbers_in(there)):
        return ""
    return (
        f"The claim speaks of {quote_label(said)}, but {number.text} stands in the row "
        f"{quote_label(cells[0].row.label)};"
        f" {quote_label(said)} has {there} in that column."
    )


def _is_named(
    own: frozenset[str], said: str, names: dict[str, tuple[str, ...]], claim: TableClaim, *, strictly: bool
) -> bool:
    """Whether the sentence has words of the number's own row that the row named lacks."""
    if strictly:
        return False
    return any((set(terms_of(label)) - set(names[said])) & content_stems(claim.text) for label in own)


def row_names(view: TableView) -> dict[str, tuple[str, ...]]:
    """The terms of each row label that stands once in the table and names something."""
    labels = Counter(row.label for row in view.table.body if row.label)
    found: dict[str, tuple[str, ...]] = {}
    for label, count in labels.items():
        terms = tuple(dict.fromkeys(terms_of(label)))
        if count == 1 and terms and not set(terms) <= _GENERIC:
            found[label] = terms
    return found


def _in_column(row: Row, column: int) -> str:
    text = row.cells[column].text.strip() if column < len(row.cells) else ""
    return text if any(character.isdigit() for character in text) else ""


def _check_sign(claim: TableClaim, number: Number, cells: Sequence[QuotedCell]) -> str:
    """Profit told of a loss, and the other way round."""
    cell = cells[0]
    label = cell.row.label
    if len(cells) != 1 or not _RESULT_ROW.search(label) or _OTHER_RESULT.search(label):
        return ""
    is_negative = bool(_NEGATIVE_CELL.match(cell.text))
    if is_negative and number.value > 0 and _PROFIT.search(claim.text) and not _LOSS.search(claim.text):
        return (
            f"The cell of {quote_label(label)} says {cell.text.strip()}, which is negative: a loss or an outflow,"
            f" not a gain of {number.text}."
        )
    is_gain = not is_negative and not re.search(r"(?<!\()\bloss", label, re.I) and "used" not in label.lower()
    if is_gain and _LOSS_OF.search(claim.text[: number.start]):
        return f"The cell of {quote_label(label)} says {cell.text.strip()}, which is positive, not a loss."
    return ""


def _text_cells(claim: TableClaim) -> Iterator[str]:
    """Words of another row told of the quoted one: another person's role, another item's place."""
    if claim.cells or len(claim.rows) != 1:
        return
    quoted_row = claim.rows[0]
    row, view = quoted_row.row, quoted_row.view
    named = claim.named_rows(view)
    names = named.names
    if row.label not in names:
        return
    mentioned = {mention.key for mention in named.mentions}
    said = content_stems(claim.text)
    for index in range(1, len(row.cells)):
        own = set(stem_words(row.cells[index].text))
        if not own or _has_digit(row.cells[index].text):
            continue
        if mentioned == {row.label}:
            yield from _told_of_another(view, row, index, own, said)
        elif len(mentioned) == 1 and own <= said and not set(names[row.label]) & said:
            (other,) = mentioned
            text = quote_label(row.cells[index].text)
            yield f"The claim names {quote_label(other)}, but {text} stands in the row {quote_label(row.label)}."
            return


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _told_of_another(view: TableView, row: Row, index: int, own: set[str], said: frozenset[str]) -> Iterator[str]:
    if own & said:
        return
    for other in view.table.body:
        terms = set(stem_words(other.cells[index].text)) if index < len(other.cells) else set()
        wordy = [term for term in terms if len(term) > 3 and not term.isdigit()]
        if index < len(other.cells) and _has_digit(other.cells[index].text):
            continue
        if other.label and other.label != row.label and wordy and terms <= said and not terms & own:
            told = other.cells[index].text
            text = quote_label(row.cells[index].text)
            yield (
                f"{quote_label(told)} stands in the row {quote_label(other.label)}; "
                f"{quote_label(row.label)} has {text} there."
            )
            return


_DENIES = re.compile(
    r"\b(?:did|does|do|has|have|had|was|were|is|are)\s*(?:not|n['’]t)\b|\bn['’]t\b|\bno\b|\bnone\b|\bnever\b"
    r"|\bwithout\b|\bzero\b|\bnil\b",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:increas|decreas|chang|grow|grew|rise|rose|fall|fell|declin|exceed|more than|less than|only|reduc|higher"
    r"|lower"
    r"|significant|material|differ|not\s+yet|longer)",
    re.I,
)


_VERDICT = re.compile(r"\W*no(?:,|\.(?=\s+[-−$€£]*\d))", re.I)
"""A "no" that answers the question, not the row: before a comma, or before the figure that was worked out."""


def _denied_rows(claim: TableClaim) -> Iterator[str]:
    """ "Did not pay dividends" over a row that states dividends."""
    if claim.cells or not claim.rows or claim.elsewhere or _CHANGES.search(claim.text):
        return
    verdict = _VERDICT.match(claim.text)
    denial = _DENIES.search(claim.text, verdict.end() if verdict else 0)
    if denial is None:
        return
    behind = content_stems(claim.text[denial.start() :])
    around = content_stems(claim.text)
    for quoted_row in claim.rows:
        terms = set(terms_of(quoted_row.row.label))
        cells = _asked_cells(claim, quoted_row)
        if terms and len(terms & around) * 2 >= len(terms) and terms & behind and cells and all(c.value for c in cells):
            yield (
                f"The claim denies what the row {quote_label(quoted_row.row.label)} states:"
                f" {', '.join(cell.text.strip() for cell in cells[:3])}."
            )
            return


def _asked_cells(claim: TableClaim, quoted_row: QuotedRow) -> list[QuotedCell]:
    """The cells of the years named; all of them, a blank as nothing, when none is."""
    view, row = quoted_row.view, quoted_row.row
    years = {mention.key for mention in _year_mentions(claim.text)} or {
        mention.key for mention in _year_mentions(claim.question)
    }
    stated = {cell.column: cell for cell in quoted_row.cells}
    wanted = [
        index
        for index in range(1, len(row.cells))
        if index < len(view.periods) and (not years or years & _years_of(view, index, is_fiscal=False))
    ]
    is_blank = any(index not in stated and row.cells[index].text.strip() for index in wanted)
    return [] if is_blank else [stated[index] for index in wanted if index in stated]
