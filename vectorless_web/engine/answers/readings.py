"""Words what was read from relations as a claim: a figure, a result, a rank, a count or the members of a group."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.answers.calculation import (
    degree_of,
    format_amount,
    format_figure,
    make_operand,
    quote_rows,
)
from vectorless_web.engine.answers.claims import DraftCalculation, DraftClaim, Signal
from vectorless_web.engine.figures.arithmetic import round_half_up
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.units import scale_name
from vectorless_web.engine.questions.formulas.request import NAMES, Operand, Task
from vectorless_web.engine.questions.plan import Period, QueryPlan, UnitRequest
from vectorless_web.engine.relations.reading import Reading

_SPACES = re.compile(r"\s+")


def claim_of_reading(plan: QueryPlan, reading: Reading) -> tuple[DraftClaim, str]:
    """The claim that tells a reading, and the one number that it stands for, "" for none."""
    claim, value = _word_reading(plan, reading)
    signals = (Signal(f"reads_{reading.request.task.value}", 1.0), Signal("reading_fit", min(1.0, reading.fit)))
    return replace(claim, signals=signals), value


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
        link = ": " if ", " in labels[0] and labels[0] != _label(pairs[0][0]) else " came to "
        return f"{_upper(labels[0])}{link}{told}.", values[0] if len(values) == 1 else ""
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
    pairs = list(zip(NAMES, reading.figures, strict=False))
    operands = tuple(
        make_operand(name, figure, places[(figure.document, figure.key, figure.start)], same) for name, figure in pairs
    )
    result = _format(plan, reading)
    calculation = DraftCalculation(reading.expression, operands, result, _unit(reading))
    shown = [
        f"{_label(figure)}{f' {when}' if (when := _when(operand, figure)) else ''} {format_figure(figure, None)}"
        for figure, operand in zip(reading.figures, _operands_of(request.operands, len(reading.figures)), strict=True)
    ]
    name = request.name + _tell_periods(request.operands)
    text = f"{_upper(name)} comes to {result} ({'; '.join(shown)})."
    return DraftClaim(text, quotes, calculation, reading.fit), result


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
    first = _join([f"{name}, {value}" if not is_time else f"{name}: {value}" for name, value in chosen])
    against = [f"{value}{link} {name}" for name, value in others[:SHOWN]]
    more = [f"{len(others) - SHOWN} more"] if len(others) > SHOWN else []
    rest = f", against {_join([*against, *more])}" if others else ""
    value = chosen[0][0] if is_time and len(chosen) == 1 else ""
    if is_time:
        return f"{of}: {rank} in {first}{rest}{_tell_blanks(reading)}.", value
    return f"{first}: the {rank} {_lower(of)}{rest}{_tell_blanks(reading)}.", ""


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
