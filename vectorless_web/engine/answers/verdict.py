"""Yes or no, and which of several: by comparing figures, else from a sentence's own words."""

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from vectorless_web.engine.answers.calculation import (
    CalculationResult,
    describe_omission,
    make_claim,
    period_words,
    quote_of,
    work_out,
)
from vectorless_web.engine.answers.claims import DraftClaim
from vectorless_web.engine.answers.quoting import figure_text
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import Contest
from vectorless_web.engine.questions.plan import Formula, QueryPlan

UP = re.compile(
    r"\b(?:improv\w*|increas\w*|grow\w*|grew|ris(?:e|en|es|ing)|rose|higher|expand\w*|accelerat\w*|better|up)\b", re.I
)
DOWN = re.compile(
    r"\b(?:declin\w*|decreas\w*|drop\w*|fall\w*|fell|lower|deteriorat\w*|worse\w*|decelerat\w*|contract(?:ed|ing|ion)|reduc\w*"
    r"|shr(?:ink|ank|unk)\w*|down)\b",
    re.I,
)


_NEGATIVE = re.compile(r"\bnegative\b|\bloss(?:es)?\b", re.I)
_POSITIVE = re.compile(r"\bpositive\b|\bprofitab\w*", re.I)
_CHANGE = re.compile(r"\bchang\w*|\bdiffer\w*", re.I)
_COVER = re.compile(r"quick ratio|acid.test|current ratio|working capital ratio|interest coverage|coverage ratio", re.I)
_ADEQUATE = re.compile(
    r"\bhealthy\b|\badequate\w*|\bsufficien\w*|\bstrong\b|\bsolid\b|\bsound\b|\benough\b|\bcover\w*|\bliquid\w*", re.I
)


def judge_figures(plan: QueryPlan, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """Claims of a yes/no question about figures; empty when the figures or the measure are missing."""
    if plan.formula is None:
        return []
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return []
    verdict = _verdict(plan.question, plan.formula, result.value)
    first = make_claim(f"{verdict}{_describe_change(plan, plan.formula, result)}", result)
    return [first, *_calculate_sides(plan, plan.formula, figures)]


def _verdict(question: str, formula: Formula, value: Decimal) -> str:
    """ "Yes. " or "No. " where the question names a direction or a known measure; "" where it takes a judgement."""
    if _is_change(formula):
        direction = 1 if UP.search(question) else -1 if DOWN.search(question) else 0
        if direction:
            return _say_verdict(value * direction > 0)
        return _say_verdict(value != 0) if _CHANGE.search(question) else ""
    if _NEGATIVE.search(question):
        return _say_verdict(value < 0)
    if _POSITIVE.search(question):
        return _say_verdict(value > 0)
    if _COVER.search(formula.name) and _ADEQUATE.search(question):
        return _say_verdict(value >= 1)
    return ""


def _say_verdict(holds: bool) -> str:
    return "Yes. " if holds else "No. "


def _is_change(formula: Formula) -> bool:
    return bool(re.match(r"change in|growth of", formula.name))


def _describe_change(plan: QueryPlan, formula: Formula, result: CalculationResult) -> str:
    """The change in words ("rose by 0.5 percentage points") or the measure with its value."""
    when = period_words(plan.periods[-1]) if len(plan.periods) == 1 else ""
    if not _is_change(formula):
        note = _against_one(formula, result.value)
        return f"{result.text}: {formula.name}{f', {when}' if when else ''}{note}{describe_omission(result)}."
    item = re.sub(r"^(?:change in|growth of)\s+", "", formula.name)
    item = item[:1].upper() + item[1:]
    if result.value == 0:
        return f"{item} did not change."
    verb = "rose" if result.value > 0 else "fell"
    return f"{item} {verb} by {result.text.lstrip('-')}{f' in {when}' if when else ''}."


def _against_one(formula: Formula, value: Decimal) -> str:
    if not _COVER.search(formula.name):
        return ""
    return ", at or above one" if value >= 1 else ", below one"


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
            years = dict.fromkeys(period_words(plan.figures[index].period) for _, index in part.operands)
            text = f"{result.text}: {part.name}, {', '.join(year for year in years if year)}."
            claims.append(make_claim(text, result))
    return claims


def _make_side_formula(formula: Formula, side: ast.expr) -> Formula:
    names = {node.id for node in ast.walk(side) if isinstance(node, ast.Name)}
    operands = tuple(operand for operand in formula.operands if operand[0] in names)
    return replace(
        formula, name=formula.name.removeprefix("change in "), expression=ast.unparse(side), operands=operands
    )


_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|never|nor|without|cannot|nothing|nobody)\b|\b\w+n['’]t\b|\bunlikely\b|\babsence of\b",
    re.I,
)
_EXCEPTION = re.compile(r"\b(?:except|other than|unless|apart from)\b", re.I)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno (?:later|longer|less|more|fewer) than\b|\bwhether or not\b|\bnot limited to\b", re.I
)


def verdict_of(question: str, sentence: str) -> str:
    """The word "Yes" or "No" as the sentence answers the question; "" for a sentence that makes an exception.

    Where both tell a direction (rose, fell), they agree or not. Else a sentence that
    denies answers a question that does not with "No", and the other way round.
    """
    if _EXCEPTION.search(sentence):
        return ""
    asked, wordings = _direction(question), _direction(sentence)
    if asked and wordings:
        return "Yes" if asked == wordings else "No"
    return "No" if _denies(sentence) != _denies(question) else "Yes"


def _direction(text: str) -> int:
    """1 up, -1 down, 0 neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def _denies(text: str) -> bool:
    return bool(_DENIAL.search(_NO_DENIAL.sub(" ", text)))


def decide_contest(plan: QueryPlan, contest: Contest, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The winner with its figure first, the others beside it; empty unless every alternative has a figure."""
    if any(index not in figures for index in range(len(contest.needs))):
        return []
    order = sorted(figures, key=lambda index: figures[index].value, reverse=contest.greatest)
    wordings = [f"{contest.needs[index].concept} {figure_text(figures[index], plan.unit)}" for index in order]
    when = period_words(contest.needs[0].period)
    first = wordings[0][:1].upper() + wordings[0][1:]
    rank = "highest" if contest.greatest else "lowest"
    text = f"{first}{f' in {when}' if when else ''}, the {rank}; {', '.join(wordings[1:])}."
    fit = sum(figure.fit for figure in figures.values()) / len(figures)
    return [DraftClaim(text, tuple(quote_of(figures[index]) for index in order), fit=fit, needs=tuple(order))]
