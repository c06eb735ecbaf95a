"""Figures judged: against a bound, by their direction, by a standard of their measure, or which of several wins."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.answers.calculation import (
    CalculationResult,
    OtherWays,
    describe_omission,
    format_figure,
    make_claim,
    period_words,
    quote_of,
    work_out,
    work_out_others,
)
from vectorless_web.engine.answers.claims import DraftClaim
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import Contest
from vectorless_web.engine.questions.formulas.request import BOUND, Threshold, read_bound
from vectorless_web.engine.questions.plan import Formula, QueryPlan
from vectorless_web.engine.text.analyser import analyse

UP = re.compile(
    r"\b(?:improv\w*|increas\w*|grow\w*|grew|ris(?:e|en|es|ing)|rose|higher|expand\w*|accelerat\w*|better|up)\b", re.I
)
DOWN = re.compile(
    r"\b(?:declin\w*|decreas\w*|drop\w*|fall\w*|fell|lower|deteriorat\w*|worse\w*|decelerat\w*|contract(?:ed|ing"
    r"|ion)|reduc\w*"
    r"|shr(?:ink|ank|unk)\w*|down)\b",
    re.I,
)


_NEGATIVE = re.compile(r"\bnegative\b|\bloss(?:es)?\b", re.I)
_POSITIVE = re.compile(r"\bpositive\b|\bprofitab\w*", re.I)
_CHANGE = re.compile(r"\bchang\w*|\bdiffer\w*", re.I)


def judge_figures(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """Claims of a yes/no question about figures; empty when the figures or the measure are missing."""
    if plan.formula is None:
        return []
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return []
    verdict = _verdict(plan.focus, plan.formula, result)
    ways = work_out_others(plan, plan.formula, figures, result)
    first = make_claim(f"{verdict}{_describe_change(plan, plan.formula, result, ways)}", result, ways)
    standard = plan.formula.standard
    rules = (*([standard.words] if standard else ()), WITHIN, BEYOND)
    first = replace(first, asides=(*first.asides, *(rule for rule in rules if rule in first.text)))
    return [first, *_calculate_sides(plan, plan.formula, figures)]


def _verdict(question: str, formula: Formula, result: CalculationResult) -> str:
    """ "Yes. " or "No. " where the question names a bound, a direction or a known measure; "" for a judgement."""
    value, bound, asked = result.value, read_bound(question), BOUND.sub(" ", question)
    direction = 1 if UP.search(asked) else -1 if DOWN.search(asked) else 0
    if bound is not None:
        return say_verdict(_keeps(bound, formula, result, direction))
    if _COMPARED_WITH.search(formula.name):
        return say_verdict(value < 0 if _IS_LESS.search(question) else value > 0)
    if _is_change(formula):
        return _judge_change(question, formula, value, direction)
    if _NEGATIVE.search(question):
        return say_verdict(value < 0)
    if _POSITIVE.search(question):
        return say_verdict(value > 0)
    standard = formula.standard
    if standard is not None and (not standard.asked or says_any(question, standard.asked)):
        return say_verdict(float(value) >= standard.least)
    return ""


def says_any(question: str, asked: Sequence[str]) -> bool:
    return not set(analyse(question)).isdisjoint(term for word in asked for term in analyse(word))


def _judge_change(question: str, formula: Formula, value: Decimal, direction: int) -> str:
    if _STABLE.search(question):
        return say_verdict(abs(value) < STABLE_POINTS) if _is_in_points(formula) else ""
    if direction:
        return say_verdict(value * direction > 0)
    return say_verdict(value != 0) if _CHANGE.search(question) else ""


_COMPARED_WITH = re.compile(r"\bless\b")
_IS_LESS = re.compile(r"\b(?:lower|less|smaller|below)\b", re.I)
_STABLE = re.compile(r"\b(?:stable|steady|consistent\w*|constant)\b", re.I)
_HUNDREDFOLD = re.compile(r"\b100 \*")

STABLE_POINTS = 2
"""Percentage points by which a margin may move and be called stable, a rule of thumb."""

WITHIN = ", within the two points that count as stable by a rule of thumb"
BEYOND = ", beyond the two points that count as stable by a rule of thumb"


def _is_in_points(formula: Formula) -> bool:
    return formula.name.startswith("change in") and bool(_HUNDREDFOLD.match(formula.expression))


def _keeps(bound: Threshold, formula: Formula, result: CalculationResult, direction: int) -> bool:
    """Whether the result lies on the asked side of the bound, in the units that the bound is told in."""
    value, limit = result.value, bound.amount
    if _is_change(formula) and direction:
        value *= direction
    if result.degree == 1 and bound.amount != bound.bare:
        value *= result.scale
    elif result.degree == 1:
        limit = bound.bare
    elif bound.percent and not _HUNDREDFOLD.search(formula.expression):
        value *= 100
    return bound.inclusive if value == limit else (value > limit) == bound.above


def say_verdict(holds: bool) -> str:
    return "Yes. " if holds else "No. "


def _is_change(formula: Formula) -> bool:
    return bool(re.match(r"change in|growth of", formula.name))


def _describe_change(plan: QueryPlan, formula: Formula, result: CalculationResult, ways: OtherWays) -> str:
    """The change in words ("rose by 0.5 percentage points") or the measure with its value and what it is judged by."""
    when = period_words(plan.periods[-1]) if len(plan.periods) == 1 else ""
    if not _is_change(formula):
        note = against_standard(formula, result.value)
        told = f"{formula.name}{f', {when}' if when else ''}{note}{ways.text}{describe_omission(result)}"
        return f"{result.text}: {told}."
    item = re.sub(r"^(?:change in|growth of)\s+", "", formula.name)
    item = item[:1].upper() + item[1:]
    if result.value == 0:
        return f"{item} did not change."
    verb = "rose" if result.value > 0 else "fell"
    is_rule = _STABLE.search(plan.focus) and _is_in_points(formula)
    note = (WITHIN if abs(result.value) < STABLE_POINTS else BEYOND) if is_rule else ""
    return f"{item} {verb} by {result.text.lstrip('-')}{f' in {when}' if when else ''}{note}{ways.text}."


def against_standard(formula: Formula, value: Decimal) -> str:
    """How the value stands to what it is judged by: "below one"."""
    standard = formula.standard
    if standard is None:
        return ""
    return f", {'at or above' if float(value) >= standard.least else 'below'} {standard.words}"


def _calculate_sides(plan: QueryPlan, formula: Formula, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The two sides of a change of a ratio, each worked out by itself; none for a plain amount."""
    top = ast.parse(formula.expression, mode="eval").body
    if not _is_change(formula) or not isinstance(top, ast.BinOp) or not isinstance(top.op, ast.Sub):
        return []
    claims = []
    for side in (top.left, top.right):
        part = _make_side_formula(formula, side)
        result = work_out(plan, part, figures) if len(part.operands) > 1 else None
        if result is not None:
            years = dict.fromkeys(
                period_words(plan.figures[index].period) or figures[index].period for _, index in part.operands
            )
            when = ", ".join(year for year in years if year)
            text = f"{result.text}: {part.name}{f', {when}' if when else ''}."
            claims.append(make_claim(text, result))
    return claims


def _make_side_formula(formula: Formula, side: ast.expr) -> Formula:
    names = {node.id for node in ast.walk(side) if isinstance(node, ast.Name)}
    operands = tuple(operand for operand in formula.operands if operand[0] in names)
    return replace(
        formula, name=formula.name.removeprefix("change in "), expression=ast.unparse(side), operands=operands
    )


def decide_contest(plan: QueryPlan, contest: Contest, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The winner with its figure first, the others beside it; empty unless every alternative has a figure."""
    if any(index not in figures for index in range(len(contest.needs))):
        return []
    order = sorted(figures, key=lambda index: figures[index].value, reverse=contest.greatest)
    wordings = [f"{contest.needs[index].concept} {format_figure(figures[index], plan.unit)}" for index in order]
    when = period_words(contest.needs[0].period)
    first = wordings[0][:1].upper() + wordings[0][1:]
    rank = "highest" if contest.greatest else "lowest"
    text = f"{first}{f' in {when}' if when else ''}, the {rank}; {', '.join(wordings[1:])}."
    fit = sum(figure.fit for figure in figures.values()) / len(figures)
    return [DraftClaim(text, tuple(quote_of(figures[index]) for index in order), fit=fit, needs=tuple(order))]
