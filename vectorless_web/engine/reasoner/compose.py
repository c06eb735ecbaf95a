"""The offline draft: a calculation, figures, or the sentences that answer, in that order of worth."""

from vectorless_web.engine.reasoner.calculating import claim_of, period_words, work_out
from vectorless_web.engine.reasoner.planner import AnswerDraft, DraftClaim, Figure, Passage, SynthesisContext
from vectorless_web.engine.reasoner.quoting import figure_claims, figure_text, passage_claims


def compose(context: SynthesisContext) -> AnswerDraft:
    """An answer from the facts of all walks; without facts a draft without claims."""
    figures = best_figures(context)
    for make in (_calculated, _stated):
        draft = make(context, figures)
        if draft is not None:
            return draft
    return _quoted(context)


def best_figures(context: SynthesisContext) -> dict[int, Figure]:
    """For each figure needed the best one found, over all documents; the first found wins a tie."""
    best: dict[int, Figure] = {}
    for fact in context.facts:
        if isinstance(fact, Figure) and fact.need >= 0:
            held = best.get(fact.need)
            if held is None or fact.fit > held.fit:
                best[fact.need] = fact
    return best


def _calculated(context: SynthesisContext, figures: dict[int, Figure]) -> AnswerDraft | None:
    plan = context.plan
    if plan.formula is None:
        return None
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return None
    when = ", ".join(dict.fromkeys(period_words(period) for period in plan.periods))
    return AnswerDraft((claim_of(result, plan.formula.name, when),), value=result.text)


def _stated(context: SynthesisContext, figures: dict[int, Figure]) -> AnswerDraft | None:
    if not figures:
        return None
    plan = context.plan
    missing = tuple(
        f"{need.concept} {period_words(need.period)}".strip()
        for index, need in enumerate(plan.figures)
        if index not in figures
    )
    value = figure_text(figures[min(figures)], plan.unit) if plan.formula is None else ""
    return AnswerDraft(tuple(figure_claims(plan, figures)), value=value, missing=missing)


def _quoted(context: SynthesisContext) -> AnswerDraft:
    passages = [fact for fact in context.facts if isinstance(fact, Passage)]
    claims: list[DraftClaim] = passage_claims(context.plan, passages) if passages else []
    return AnswerDraft(tuple(claims))
