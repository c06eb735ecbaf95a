"""Decides between alternatives by their figures."""

from collections.abc import Mapping

from vectorless_web.engine.query.plan import QueryPlan
from vectorless_web.engine.reasoner.alternatives import Contest
from vectorless_web.engine.reasoner.calculating import period_words, quote_of
from vectorless_web.engine.reasoner.planner import DraftClaim, Figure
from vectorless_web.engine.reasoner.quoting import figure_text


def decided(plan: QueryPlan, contest: Contest, figures: Mapping[int, Figure]) -> list[DraftClaim]:
    """The winner with its figure first, the others beside it; empty unless every alternative has a figure."""
    if any(index not in figures for index in range(len(contest.needs))):
        return []
    order = sorted(figures, key=lambda index: figures[index].value, reverse=contest.greatest)
    told = [f"{contest.needs[index].concept} {figure_text(figures[index], plan.unit)}" for index in order]
    when = period_words(contest.needs[0].period)
    first = told[0][:1].upper() + told[0][1:]
    rank = "highest" if contest.greatest else "lowest"
    text = f"{first}{f' in {when}' if when else ''}, the {rank}; {', '.join(told[1:])}."
    fit = sum(figure.fit for figure in figures.values()) / len(figures)
    return [DraftClaim(text, tuple(quote_of(figures[index]) for index in order), fit=fit, needs=tuple(order))]
