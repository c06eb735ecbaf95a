"""Words what was read from relations as a claim: a figure, a result, a rank, a count or the members of a group."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.answers.calculation import (
    degree_of,
    format_amount,
    format_figure,
    make_operand,
    quote_rows,
)
from vectorless_web.engine.answers.claims import (
    READS_ENTRY,
    DraftCalculation,
    DraftClaim,
    DraftOperand,
    DraftQuote,
    Signal,
)
from vectorless_web.engine.figures.arithmetic import round_half_up
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.units import scale_name
from vectorless_web.engine.questions.formulas.request import NAMES, Operand, Task
from vectorless_web.engine.questions.plan import Period, QueryPlan, UnitRequest
from vectorless_web.engine.relations.measures import measure_cells
from vectorless_web.engine.relations.ranks import name_operands
from vectorless_web.engine.relations.reading import Reading
from vectorless_web.engine.relations.rows import RowsRead, RowTask, TableRow
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import numbers_in
from vectorless_web.engine.text.quantities import quantities_in

_SPACES = re.compile(r"\s+")


def claim_of_reading(plan: QueryPlan, reading: Reading, title: str = "") -> tuple[DraftClaim, str]:
    """The claim that tells a reading and its document, and the one number that it stands for, "" for none."""
    claim, value = _word_reading(plan, reading)
    source = ", ".join(part for part in (_place_asked(plan, reading, claim.text), title) if part)
    if source:
        claim = replace(claim, text=f"{claim.text.removesuffix('.')} ({source}).", source=f"({source})")
    signals = (Signal(f"reads_{reading.request.task.value}", 1.0), Signal("reading_fit", min(1.0, reading.fit)))
    return replace(claim, signals=signals), value


def _place_asked(plan: QueryPlan, reading: Reading, told: str) -> str:
    """The table or section of the figures where it says words of the question that the sentence does not."""
    places = {figure.where.rpartition(", ")[0] or figure.where for figure in reading.figures}
    if len(places) != 1 or len(place := places.pop()) > LONGEST_NAME:
        return ""
    return place if set(analyse(place)) & set(analyse(plan.focus)) - set(analyse(told)) else ""


def _word_reading(plan: QueryPlan, reading: Reading) -> tuple[DraftClaim, str]:
    task = reading.request.task
    if task is Task.VALUE:
        text, value = _tell_values(plan, reading)
    elif task is Task.COMPUTE:
        return _tell_result(plan, reading)
    elif task is Task.RANK:
        text, value = _tell_rank(plan, reading)
    elif task is Task.COUNT:
        text, value = _tell_count(plan, reading)
    elif task is Task.FILTER:
        text, value = _tell_filtered(plan, reading)
    else:
        text, value = _tell_list(reading)
    quotes, _ = quote_rows(reading.figures)
    return DraftClaim(text, quotes, fit=reading.fit), value


def _when(operand: Operand | None, figure: Figure) -> str:
    return _period_text(operand.period) if operand is not None and operand.period is not None else figure.period


def _label(figure: Figure) -> str:
    return _SPACES.sub(" ", figure.label).strip(" :.") or _SPACES.sub(" ", figure.column).strip()


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _tell_values(plan: QueryPlan, reading: Reading) -> tuple[str, str]:
    operands = reading.request.operands
    pairs = list(zip(reading.figures, _operands_of(operands, len(reading.figures)), strict=True))
    labels = [_subject(figure, operand) for figure, operand in pairs]
    values = [format_figure(figure, plan.unit) for figure, _ in pairs]
    whens = [_when(operand, figure) for figure, operand in pairs]
    if len(set(labels)) == 1:
        told = _join([f"{value}{f' in {when}' if when else ''}" for value, when in zip(values, whens, strict=True)])
        figure = pairs[0][0]
        if labels[0] != _label(figure) and labels[0].rpartition(", ")[2] not in plan.question:
            column = labels[0].removeprefix(f"{_label(figure)}, ")
            told = _join(
                [
                    f"{_with_head_unit(column, value)}{f' in {when}' if when else ''}"
                    for value, when in zip(values, whens, strict=True)
                ]
            )
            text = f"For {_label(figure)}, the {_lower(_strip_unit(column))} came to {told}."
            return text, values[0] if len(values) == 1 else ""
        return f"{_upper(labels[0])} came to {told}.", values[0] if len(values) == 1 else ""
    when = f" in {whens[0]}" if whens[0] and len(set(whens)) == 1 else ""
    told = _join([f"{label} came to {value}" for label, value in zip(labels, values, strict=True)])
    return f"{_upper(told)}{when}.", ""


def _operands_of(operands: Sequence[Operand], count: int) -> Sequence[Operand | None]:
    return operands if len(operands) == count else [operands[0] if operands else None] * count


def _subject(figure: Figure, operand: Operand | None) -> str:
    """The row's label; the column's name beside it where the row alone does not say what was asked."""
    label = _label(figure)
    column = re.sub(r"\W*\b(?:19|20)\d\d\b\W*|\(?\d{1,2}\)", " ", figure.column).strip(" ,/")
    named = [part for part in re.split(r", | / ", column) if part and not _IS_PERIOD.search(part)]
    if operand is None or not named or len(named[-1]) > LONGEST_NAME:
        return label
    return f"{label}, {named[-1]}" if named[-1].lower() not in label.lower() else label


LONGEST_NAME = 60
"""Characters of a column's name that is told beside a row's label."""

_IS_PERIOD = re.compile(
    r"^\W*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*\d*\W*$|\b(?:years?|months"
    r"|quarters?|weeks|fiscal|ended|as (?:of|at)|thousands?|millions?|billions?|december|june|march"
    r"|september)\b|[$€£]|'000|^\W*$",
    re.I,
)


def _join(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _tell_result(plan: QueryPlan, reading: Reading) -> tuple[DraftClaim, str]:
    request = reading.request
    assert reading.value is not None
    same = len({figure.scale for figure in reading.figures}) == 1
    quotes, places = quote_rows(reading.figures)
    labels = [
        f"{_label(figure)} {_when(operand, figure)}"
        for figure, operand in zip(reading.figures, _operands_of(request.operands, len(reading.figures)), strict=True)
    ]
    names = dict(zip(NAMES, name_operands(labels), strict=False))
    operands = tuple(
        make_operand(name, figure, places[(figure.document, figure.key, figure.start)], same)
        for name, figure in zip(names.values(), reading.figures, strict=True)
    )
    result = _format(plan, reading)
    expression = re.sub(r"\b[a-z]\b", lambda match: names.get(match.group(), match.group()), reading.expression)
    calculation = DraftCalculation(expression, operands, result, _unit(reading))
    shown = [
        f"{_label(figure)}{f' {when}' if (when := _when(operand, figure)) else ''} {format_figure(figure, None)}"
        for figure, operand in zip(reading.figures, _operands_of(request.operands, len(reading.figures)), strict=True)
    ]
    name = request.name + _tell_periods(request.operands)
    text = _tell_change(reading, result) or f"{_upper(name)} comes to {result} ({'; '.join(shown)})."
    return DraftClaim(text, quotes, calculation, reading.fit), result


def _tell_change(reading: Reading, result: str) -> str:
    """ "Revenue rose by $33 million, from $452 million in 2022 to ..."; "" for any other calculation."""
    request, figures = reading.request, reading.figures
    is_change = request.name.startswith("change in") and reading.expression == "a - b" and len(figures) == 2
    whens = [_when(operand, figure) for operand, figure in zip(request.operands, figures, strict=False)]
    if not is_change or len(set(filter(None, whens))) < 2 or reading.value is None or min(f.value for f in figures) < 0:
        return ""
    last, first = [f"{format_figure(figure, None)} in {when}" for figure, when in zip(figures, whens, strict=True)]
    asked = request.name.removeprefix("change in ")
    is_told = set(analyse(asked)) <= set(analyse(_label(figures[0])))
    is_part = set(analyse(_label(figures[0]))) < set(analyse(asked)) and not is_told
    whole = asked if re.match(r"(?:the|an?)\b", asked) else f"the {asked}"
    label = _upper(whole if is_part else _label(figures[0]))
    if not reading.value:
        return f"{label} did not change: {first}, {last}."
    verb = "rose" if reading.value > 0 else "fell"
    return f"{label} {verb} by {result.lstrip('-−')}, from {first} to {last}."


def _tell_periods(operands: Sequence[Operand]) -> str:
    ordered = sorted((o.period for o in operands if o.period), key=lambda p: (p.year, p.quarter or 0))
    whens = list(dict.fromkeys(_period_text(period) for period in ordered))
    if not whens:
        return ""
    return f" in {whens[0]}" if len(whens) == 1 else f" from {whens[0]} to {whens[-1]}"


def _period_text(period: Period) -> str:
    """A period as asked; a year that is part of a range ("2017 to 2019") as itself."""
    return period.text if period.text and len(period.text) < LONGEST_PERIOD else str(period.year)


LONGEST_PERIOD = 18
"""Characters of a period's own words; longer ones are a range."""


def _unit(reading: Reading) -> str:
    figures = reading.figures
    if _degree(reading) != 1:
        return ""
    currency = next((figure.currency for figure in figures if figure.currency), "")
    return " ".join(part for part in (currency, scale_name(reading.scale)) if part)


def _degree(reading: Reading) -> int:
    is_money = any(figure.currency for figure in reading.figures)
    names = {
        name: 0 if figure.percent or (is_money and not figure.currency and figure.scale == 1) else 1
        for name, figure in zip(NAMES, reading.figures, strict=False)
    }
    return degree_of(reading.expression, names)


def _format(plan: QueryPlan, reading: Reading) -> str:
    """The result in the unit asked for, else in its figures' own."""
    request, unit = reading.request, plan.unit or UnitRequest()
    value = reading.value or Decimal(0)
    if request.percent:
        return f"{_round(value, unit.decimals, 2)}%"
    if all(figure.percent for figure in reading.figures):
        if request.expression == "a / b":
            return _round(value, unit.decimals, 2)
        suffix = " percentage points" if "-" in reading.expression else "%"
        return f"{_round(value, unit.decimals, 2)}{suffix}"
    if _degree(reading) == 1:
        currency = next((figure.currency for figure in reading.figures if figure.currency), "")
        amount = format_amount(value * reading.scale, unit, printed=reading.scale, currency=currency)
        return f"{amount} {reading.figures[0].unit}".strip()
    if unit.percent and _degree(reading) == 0:
        return f"{_round(value * 100, unit.decimals, 2)}%"
    return _round(value, unit.decimals, 2)


def _round(value: Decimal, asked: int | None, usual: int) -> str:
    """The value at so many decimals; small ones keep three digits that tell."""
    decimals = usual if asked is None else asked
    if asked is None and value and abs(value) < Decimal("0.1"):
        decimals = usual + 2
    text = f"{round_half_up(value, decimals):,f}"
    return text.rstrip("0").rstrip(".") if asked is None and "." in text else text


def _tell_rank(plan: QueryPlan, reading: Reading) -> tuple[str, str]:
    """ "Headcount: highest in 2018: 58, against 43 in 2019." Where a period answers, its year is the number told."""
    request = reading.request
    values = [format_figure(figure, plan.unit) for figure in reading.figures]
    named = list(zip(reading.names, values, strict=True))
    chosen, others = named[: request.count], named[request.count :]
    rank = ("highest" if request.most else "lowest") if len(named) > 2 else ("higher" if request.most else "lower")
    of = _upper(reading.of or request.name)
    is_time = all(re.fullmatch(r"(?:19|20)\d\d", name) for name, _ in named)
    link = " in" if is_time else " for"
    against = [f"{value}{link} {name}" for name, value in others[:SHOWN]]
    more = [f"{len(others) - SHOWN} more"] if len(others) > SHOWN else []
    rest = f", against {_join([*against, *more])}" if others else ""
    value = chosen[0][0] if is_time and len(chosen) == 1 else ""
    if is_time:
        first = _join([f"{name}: {value}" for name, value in chosen])
        return f"{of}: {rank} in {first}{rest}{_tell_blanks(reading)}.", value
    if len(chosen) > 1:
        first = _join([f"{name}, {value}" for name, value in chosen])
        return f"{first}: the {rank} {_lower(of)}{rest}{_tell_blanks(reading)}.", ""
    if re.fullmatch(r"\D{0,3}(?:19|20)\d\d\D{0,3}", of):
        measure = f"{rank} {_lower(request.name)} in {of}" if request.name else f"{rank} figure for {of}"
    else:
        measure = f"{rank} {_lower(_strip_unit(of))}"
    return f"{chosen[0][0]} has the {measure}, {chosen[0][1]}{rest}{_tell_blanks(reading)}.", ""


def _lower(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


SHOWN = 8
"""Members beside the answer that are named; of more only their number is told."""


def _tell_blanks(reading: Reading) -> str:
    return f"; no figure is shown for {_join(reading.blanks)}" if reading.blanks else ""


def _tell_count(plan: QueryPlan, reading: Reading) -> tuple[str, str]:
    """ "3 sites exceed 40: Leeds (58); York (51); Hull (44)": the number, then every member that was counted."""
    chosen = [(reading.names[index], reading.figures[index]) for index in reading.chosen]
    count = str(len(chosen))
    noun = reading.request.over
    bound = reading.request.threshold
    if bound is None:
        return f"{count} {noun} under {reading.of}: {'; '.join(reading.names)}.", count
    told = "; ".join(f"{name} ({format_figure(figure, plan.unit)})" for name, figure in chosen) or "none"
    return f"{count} {noun} {bound.written}: {told}{_tell_blanks(reading)}.", count


def _tell_filtered(plan: QueryPlan, reading: Reading) -> tuple[str, str]:
    chosen = [(reading.names[index], reading.figures[index]) for index in reading.chosen]
    bound = reading.request.threshold
    told = _join([f"{format_figure(figure, plan.unit)} in {name}" for name, figure in chosen]) if chosen else "none"
    written = bound.written if bound else ""
    value = chosen[0][0] if len(chosen) == 1 and re.fullmatch(r"(?:19|20)\d\d", chosen[0][0]) else ""
    return f"{_upper(reading.of or reading.request.name)} {written}: {told}{_tell_blanks(reading)}.", value


def _tell_list(reading: Reading) -> tuple[str, str]:
    names = [reading.names[index] for index in reading.chosen]
    if reading.request.task is Task.PERIODS:
        return f"Figures are shown for {_join(names)}: {reading.of or reading.request.name}.", ""
    return f"{_upper(reading.of or reading.request.name)}: {'; '.join(names)}.", ""


_KINDS = {
    RowTask.COMPARE: Task.MEMBERS,
    RowTask.LIST: Task.MEMBERS,
    RowTask.LIST_OF: Task.MEMBERS,
    RowTask.RANK: Task.RANK,
    RowTask.LOOK_UP: Task.VALUE,
    RowTask.BAND: Task.VALUE,
    RowTask.AGAINST: Task.VALUE,
    RowTask.CHANGE: Task.VALUE,
    RowTask.RECORDS: Task.MEMBERS,
    RowTask.COUNT: Task.MEMBERS,
    RowTask.SPAN: Task.COMPUTE,
    RowTask.OFF_PLAN: Task.COUNT,
    RowTask.ENTRY: Task.VALUE,
    RowTask.FIELD: Task.VALUE,
    RowTask.SUM: Task.COMPUTE,
    RowTask.MORE: Task.COMPUTE,
}
"""The tasks of figures that the same form of answer has, by which the calibration knows it."""


def claims_of_rows(read: RowsRead, title: str) -> tuple[list[DraftClaim], str]:
    """The claims that tell what was read of a table's rows, and the one number that they stand for, "" for none."""
    tell = {
        RowTask.COMPARE: _tell_comparison,
        RowTask.LIST: _tell_rows,
        RowTask.LIST_OF: _tell_rows,
        RowTask.RANK: _tell_ranked_rows,
        RowTask.LOOK_UP: _tell_cells,
        RowTask.BAND: _tell_cells,
        RowTask.AGAINST: _tell_cells,
        RowTask.CHANGE: _tell_cells,
        RowTask.RECORDS: _tell_records,
        RowTask.COUNT: _tell_records,
        RowTask.SPAN: _tell_span,
        RowTask.OFF_PLAN: _tell_off_plan,
        RowTask.ENTRY: _tell_entry,
        RowTask.FIELD: _tell_field,
        RowTask.SUM: _tell_sum,
        RowTask.MORE: _tell_sum,
    }[read.task]
    claims, value = tell(read, _name_source(read, title))
    own = (Signal(READS_ENTRY, 1.0),) if read.task in (RowTask.ENTRY, RowTask.FIELD) else ()
    signals = (Signal(f"reads_{_KINDS[read.task].value}", 1.0), Signal("reading_fit", min(1.0, read.fit)), *own)
    source = _name_source(read, title)[1:-1]
    return [replace(claim, fit=read.fit, signals=signals, source=source) for claim in claims], value


def _name_source(read: RowsRead, title: str) -> str:
    """ "(table “Board”, Annual report)"; a table that is called as its document is not named twice."""
    kind = "table" if read.is_table else "section"
    names = [] if read.where.lower() == title.lower() or not read.where else [f"{kind} “{read.where}”"]
    return f"({', '.join([*names, *([title] if title else [])])})"


def _quote_rows(read: RowsRead, rows: Sequence[TableRow]) -> tuple[DraftQuote, ...]:
    return tuple(DraftQuote(read.document, row.key, row.quote, row.start, read.where) for row in rows)


def _tell_comparison(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "Solo and Team compared by memory and disk:" with a row for each, blanks among them."""
    names = _join([row.name for row in read.rows])
    heads = (
        _join([head for head in read.heads[1:] if head])
        if len(read.heads) <= SHOWN
        else f"{len(read.heads) - 1} points"
    )
    gaps = f" The table has nothing on {_join(read.missing)}." if read.missing else ""
    measure = f"{_upper(read.measure)}: " if read.measure else ""
    text = f"{measure}{names} compared by {heads} {source}.{gaps}"
    table = (read.heads, *((row.name, *cells) for row, cells in zip(read.rows, _tell_cells_of(read), strict=True)))
    return [DraftClaim(text, _quote_rows(read, read.quoted), table=table)], ""


def _tell_cells_of(read: RowsRead) -> list[list[str]]:
    """The cells of each row, with the unit and scale of the table where they are its own."""
    width = len(read.heads) - 1
    figures = read.figures or (None,) * (width * len(read.rows))
    return [
        [
            format_figure(figure, None) if figure is not None else cell
            for cell, figure in zip(row.cells, figures[place * width : (place + 1) * width], strict=True)
        ]
        for place, row in enumerate(read.rows)
    ]


def _tell_rows(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """A list with its count; rows of several columns are told one by one, each cell under its header."""
    named = source[1:-1] if source.startswith("(table") else f"table in {source[1:-1]}"
    # The rows left out are not quoted, so that how many they are is not said.
    total = f" of {read.total}" if len(read.rows) == read.total else ""
    count = f"{len(read.rows)}{total} rows of the {named}"
    quotes = _quote_rows(read, read.rows)
    if len(read.heads) < 2:
        head = read.heads[0] if read.heads and read.heads[0] else read.where
        told = f"{head}: {_join([row.name for row in read.rows])} ({count})."
        return [DraftClaim(told, _quote_rows(read, read.quoted))], ""
    lead = DraftClaim(f"{_upper(count)}:", _quote_rows(read, read.quoted))
    rows = [DraftClaim(_tell_row(read.heads, row), (quote,)) for row, quote in zip(read.rows, quotes, strict=True)]
    return [lead, *rows], ""


def _tell_records(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "TV 11 ANN and TV 12 BEN have “Malham” under “Depot” (2 of 5 rows of the table ...)."

    Behind each name stands what its own cell adds to the value, and further columns asked for. The number of the rows
    is the value where it was asked.
    """
    count, is_count = len(read.rows), read.task is RowTask.COUNT
    quotes, value = _quote_rows(read, read.quoted), str(count) if is_count else ""
    kind = "rows" if read.is_table else "items"
    counted = f"{count} of {read.total} {kind}"
    named = (
        source[1:-1]
        if not read.is_table
        else source[1:-1]
        if source.startswith("(table")
        else f"table in {source[1:-1]}"
    )
    place = f"({counted} of the {named})" if read.total else source
    held = f"“{read.measure}” under “{read.heads[1]}”"
    own = [_tell_own(read, row) for row in read.rows]
    each = [f"{row.name} ({cells})" if cells else row.name for row, cells in zip(read.rows, own, strict=True)]
    names = _join(each) if read.is_table else "; ".join(each)
    if count == 1:
        return [DraftClaim(f"Only {names} has {held} {place}.", quotes, asides=(counted,))], value
    told = f"{count} {kind} have {held}: {names}" if value else f"{names} have {held}"
    return [DraftClaim(f"{told} {place}.", quotes, asides=(counted,))], value


def _tell_own(read: RowsRead, row: TableRow) -> str:
    """The cells that are a row's own: the one that only begins with the value, and those of further columns."""
    value, *others = row.cells
    cells = [f"{head}: {cell}" for head, cell in zip(read.heads[2:], others, strict=True) if cell]
    return "; ".join([*((value,) if value != read.measure else ()), *cells])


def _tell_off_plan(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "2 rows were below Budget 2024: Breda (1,905 against 2,100) and Ede (...) (...)."; then the others."""
    held = f"{read.measure} {read.heads[2]}"
    others = [row for row in read.lines if all((row.key, row.start) != (own.key, own.start) for own in read.rows)]
    claims = []
    if read.rows:
        told = "Only one row was" if len(read.rows) == 1 else f"{len(read.rows)} rows were"
        claims.append(DraftClaim(f"{told} {held}: {_tell_pairs(read.rows)} {source}.", _quote_rows(read, read.rows)))
    if others:
        lead = "Not so" if claims else f"None was {held}"
        claims.append(DraftClaim(f"{lead}: {_tell_pairs(others)} {source}.", _quote_rows(read, others)))
    return claims, str(len(read.rows))


def _tell_pairs(rows: Sequence[TableRow]) -> str:
    return _join([f"{row.name} ({row.cells[0]} against {row.cells[1]})" for row in rows])


def _tell_span(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "33 minutes: from 07:42 (the ferry's departure) to 08:15 (the engine stopping) (...)."."""
    (first, last), result = read.rows, read.worked[0].result
    text = f"{result}: from {first.cells[0]} ({first.name}) to {last.cells[0]} ({last.name}) {source}."
    return [DraftClaim(text, tuple(dict.fromkeys(_quote_rows(read, read.rows))))], result


def _tell_entry(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "For “Mend the fence”, “Who” is Olaf Brandt and “By when” is 28 February (table ...)."."""
    values = [f"“{head}” is {value}" for head, value in zip(read.heads[1:], _tell_values_of(read), strict=True)]
    text = f"For “{read.rows[0].name}”, {_join(values)} {source}."
    return [DraftClaim(text, _quote_rows(read, read.quoted))], ""


def _tell_sum(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "Single and Trade come to £176 together: £36 and £140 (...)."; of two rows which has how much more."""
    rows, cell = read.rows, read.worked[0]
    operands = tuple(DraftOperand(name, words, "", place) for place, (name, words) in enumerate(cell.operands))
    if read.task is RowTask.SUM:
        told = f"{_join([row.name for row in rows])} come to {cell.result} together"
        text = read.told or f"{told}: {_join([row.cells[0] for row in rows])}"
    else:
        first, second = sorted(rows, key=lambda row: -numbers_in(row.cells[0])[0].value)
        each = f"{first.cells[0]} for {first.name}, against {second.cells[0]} for {second.name}"
        text = read.told or f"{cell.result} more: {each}"
    calculation = DraftCalculation(cell.expression, operands, cell.result)
    return [DraftClaim(f"{text} {source}.", _quote_rows(read, rows), calculation)], cell.result


def _tell_field(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    return [DraftClaim(read.told, _quote_rows(read, read.rows))], ""


def _tell_row(heads: Sequence[str], row: TableRow) -> str:
    """ "Ines Falk: Office: Chair; Since: 2019"."""
    cells = [f"{head}: {cell}" if head else cell for head, cell in zip(heads[1:], row.cells, strict=True) if cell]
    return f"{row.name} – {'; '.join(cells)}" if cells else row.name


def _tell_ranked_rows(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """ "Night is the quietest: it has the lowest noise, 38 dB, against 42 dB for Eco (...)."."""
    values = [_with_unit(read, row.cells[0]) for row in read.rows]
    first, *others = list(zip(read.rows, values, strict=True))
    told = [f"{value} for {row.name}" for row, value in others[:SHOWN]]
    more = [f"{len(others) - SHOWN} more"] if len(others) > SHOWN else []
    blanks = f"; no figure is shown for {_join(read.blanks)}" if read.blanks else ""
    name, measure = _upper(first[0].name) if not read.is_table else first[0].name, _lower(_strip_unit(read.measure))
    if read.is_table and _IN_YEAR.sub("", measure).strip() and _IS_PERIOD.search(measure):
        measure = f"figure under “{read.measure}”"
    if measure and not _IN_YEAR.sub("", measure).strip():
        measure = f"figure for {measure}"
    measured = measure_cells([row.cells[0] for row in (read.rows[0], read.rows[-1])])
    numbers = [value for value in measured.values if value is not None] if measured is not None else []
    if len(numbers) < LEAST_RANKED:
        numbers = [numbers_in(row.cells[0])[0].value for row in (read.rows[0], read.rows[-1])]
    is_most = abs(numbers[0]) > abs(numbers[1]) if read.either_way else numbers[0] > numbers[1]
    side = "largest" if read.either_way else read.side or ("highest" if is_most else "lowest")
    against = f"{first[1]}{_tell_sides(read)}, against {_join([*told, *more])}{_tell_lead(read)}{blanks} {source}"
    if not read.is_table and measure and read.rank in _COUNTING:
        text = f"{name} has {_COUNTING[read.rank]} {measure}, {against}."
    elif not measure:
        text = f"{name} is the {read.rank}: {against}."
    elif read.lines and read.rank in ("most", "least", "fewest"):
        text = f"{name} has the {side} figure for {measure}: {against}."
    elif not read.side and read.rank.endswith("est") and " " not in read.rank and read.rank not in (side, *_OF_TIME):
        text = f"{name} is the {read.rank}: it has the {side} {measure}, {against}."
    else:
        text = f"{name} has the {side} {measure}, {against}."
    claims = [DraftClaim(text, _quote_rows(read, read.quoted), _calculation_of(read))]
    for other in read.also:
        claims += _tell_ranked_rows(other, source)[0]
    return claims, ""


def _tell_sides(read: RowsRead) -> str:
    """ " (2024: 1,140; 2023: 980)" of a figure that was worked out for each row; "" for figures as they stand."""
    if len(read.worked) < len(read.rows):
        return ", either way" if read.either_way else ""
    sides = [f"{head}: {words}" for head, (_, words) in zip(read.heads[1:], read.worked[0].operands, strict=True)]
    return f" ({'; '.join(sides)})"


def _tell_lead(read: RowsRead) -> str:
    """ ": 12 more" or less, where of two things the difference is asked for, too."""
    if len(read.worked) != 1 or len(read.rows) != LEAST_RANKED:
        return ""
    first, second = (numbers_in(row.cells[0])[0].value for row in read.rows)
    return f", {_with_unit(read, read.worked[0].result)} {'more' if first > second else 'less'}"


LEAST_RANKED = 2
"""Things of a rank, at least."""


def _calculation_of(read: RowsRead) -> DraftCalculation | None:
    """What was worked out for the rows that are told, the winner's first; None where nothing was."""
    made = [
        DraftCalculation(
            cell.expression,
            tuple(DraftOperand(name, words, "", _quote_of(read, place)) for name, words in cell.operands),
            cell.result,
        )
        for place, cell in enumerate(read.worked[: SHOWN + 1])
    ]
    return replace(made[0], more=tuple(made[1:])) if made else None


def _quote_of(read: RowsRead, place: int) -> int:
    """The quote that states a row's figures: of columns, and of a difference, the first with the row's words."""
    return min(place, len(read.quoted) - 1)


_COUNTING = {**{word: f"the {word}" for word in ("most", "least", "fewest")}, "more": "more", "fewer": "fewer"}
"""Words that rank by how many there are, as a sentence tells them."""

_OF_TIME = ("longest", "shortest", "furthest", "farthest", "nearest", "closest")
"""Adjectives of what the property measures, not of the thing: a book that may be kept longest is not the longest."""

_UNIT = re.compile(r"\s+\((?P<unit>[^()]{1,14})\)\s*$|,\s*(?P<last>[^\s,]{1,8})\s*$")


def _find_unit(head: str) -> tuple[str, str]:
    """A header without its unit, and the unit: "Noise (dB)" gives "Noise" and "dB", "Weight, kg" likewise."""
    match = _UNIT.search(head)
    if match is None or (match["last"] and not any(found.unit for found in quantities_in(f"1 {match['last']}"))):
        return head, ""
    return head[: match.start()], match["unit"] or match["last"]


def _strip_unit(head: str) -> str:
    return _find_unit(head)[0]


def _with_unit(read: RowsRead, cell: str) -> str:
    """A cell of a rank with the unit of its header, else of its table: "-9.3%", "7,310 MWh"."""
    told = _with_head_unit(read.measure, cell)
    if not read.unit or told != cell or not re.fullmatch(r"[-−]?[\d.,]+", cell):
        return told
    return f"{cell}%" if read.unit == "%" else f"{cell} {read.unit}"


def _with_head_unit(head: str, cell: str) -> str:
    """ "38 dB" for "38" under "Noise (dB)"."""
    unit = _find_unit(head)[1]
    if unit in ("£", "$", "€", "¥"):
        return f"{unit}{cell}" if re.fullmatch(r"[\d.,]+", cell) else cell
    if (money := re.fullmatch(r"([£$€¥])\s?(thousand|million|billion)", unit)) is not None:
        return f"{money[1]}{cell} {money[2]}" if re.fullmatch(r"[\d.,]+", cell) else cell
    if unit.startswith("per "):
        return f"{cell} {unit}" if re.fullmatch(r"[$€£¥]?\s?[\d.,]+", cell) else cell
    return f"{cell} {unit}" if unit and re.fullmatch(r"[-−]?[\d.,]+", cell) else cell


def _tell_cells(read: RowsRead, source: str) -> tuple[list[DraftClaim], str]:
    """A cell as a sentence; of a code the whole row; of two years both and what differs; a blank said to be blank."""
    row, heads = read.rows[0], read.heads[1:]
    quotes = _quote_rows(read, read.quoted)
    if read.blanks and len(read.blanks) == len(heads):
        names = _join([f"“{head}”" for head in heads])
        return [DraftClaim(f"Nothing is stated for {row.name} under {names} {source}.", quotes)], ""
    values = _tell_values_of(read)
    if read.task is RowTask.CHANGE and len(values) == 2:
        years = read.measure.split()
        first, last = (f"{value} in {year}" for value, year in zip(values, years, strict=True))
        text = f"{row.name} came to {first} and to {last}{_tell_difference(row.cells)} {source}."
        return [DraftClaim(text, quotes)], ""
    if read.task is RowTask.AGAINST:
        actual, planned = (f"{value} ({head})" for value, head in zip(values, heads, strict=True))
        return [DraftClaim(f"{_upper(row.name)} came to {actual} against {planned} {source}.", quotes)], values[0]
    if len(values) > 1:
        return [DraftClaim(f"{_tell_row(read.heads, row)} {source}.", quotes)], ""
    if not heads[0] or heads[0].lower() in _OF_HOLDERS:
        told = f"The {_lower(row.name)} is {values[0]}" if heads[0] else f"{_upper(row.name)}: {values[0]}"
        return [DraftClaim(f"{told} {source}.", quotes)], values[0]
    year = _IN_YEAR.search(heads[0])
    if year:
        return [DraftClaim(f"{_upper(row.name)} came to {values[0]} in {year[0]} {source}.", quotes)], values[0]
    if _SUPERLATIVE.search(heads[0]):
        return [DraftClaim(f"{row.name} – {_strip_unit(heads[0])}: {values[0]} {source}.", quotes)], values[0]
    text = f"For {row.name}, the {_lower(_strip_unit(heads[0]))} is {values[0]} {source}."
    return [DraftClaim(text, quotes)], values[0]


_OF_HOLDERS = frozenset({"name", "person", "holder"})
"""Headers of a column that says who holds the office in the first."""
_IN_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SUPERLATIVE = re.compile(r"\b(?:most|least|highest|lowest|largest|smallest|longest|shortest|best|worst)\b", re.I)
"""Words of a header by which a sentence would rank what it only names."""


def _tell_values_of(read: RowsRead) -> list[str]:
    """The cells looked up, each with the unit and scale of its table where they are its own."""
    figures = read.figures or (None,) * len(read.rows[0].cells)
    return [
        format_figure(figure, None) if figure is not None else _with_head_unit(head, cell)
        for head, cell, figure in zip(read.heads[1:], read.rows[0].cells, figures, strict=True)
    ]


def _tell_difference(cells: Sequence[str]) -> str:
    """ ", 16 less", in the digits of the cells; "" where either is no plain number."""
    numbers = [numbers_in(cell) for cell in cells]
    if any(len(found) != 1 for found in numbers):
        return ""
    first, last = numbers[0][0].value, numbers[1][0].value
    if first == last:
        return ", the same"
    return f", {abs(last - first):,} {'more' if last > first else 'less'}"


def claim_of_change(first: RowsRead, last: RowsRead, names: Mapping[str, str]) -> DraftClaim:
    """ "Oak table, price: 410 (Price list 2023) and 435 (Price list 2024), 25 more"."""
    pair = (first, last)
    values = [_tell_values_of(read)[0] for read in pair]
    told = [f"{value} ({names.get(read.document, '')})" for value, read in zip(values, pair, strict=True)]
    difference = _tell_difference([read.rows[0].cells[0] for read in pair])
    head = _lower(_strip_unit(last.heads[1]))
    text = f"{last.rows[0].name}, {head}: first {told[0]}, then {told[1]}{difference}."
    quotes = tuple(quote for read in pair for quote in _quote_rows(read, read.quoted))
    signals = (Signal("reads_value", 1.0), Signal("reading_fit", min(first.fit, last.fit)))
    return DraftClaim(text, quotes, fit=min(first.fit, last.fit), signals=signals)
