"""The offline draft: a verdict, a calculation, figures, or the sentences that answer, in that order of worth."""

from collections.abc import Mapping
from dataclasses import replace

from vectorless_web.engine.answers.calculation import claim_of, period_words, work_out
from vectorless_web.engine.answers.claims import AnswerDraft, DraftClaim, SynthesisContext
from vectorless_web.engine.answers.quoting import figure_claims, figure_text, make_sweep_claims, passage_claims
from vectorless_web.engine.answers.verdict import decide_contest, judge_figures, verdict_of
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.needs import contest_of, figure_needs
from vectorless_web.engine.passages.passage import Passage
from vectorless_web.engine.questions.plan import Intent, QueryPlan
from vectorless_web.engine.questions.understand import asks_for_all

LEAST_FIT = 0.6
"""Fit of a passage from which a yes or no is read."""

LONGEST_VERDICT = 320
"""Characters of a sentence from which it is read: a longer one denies one thing and says another."""

_PRONOUNS = frozenset({"it", "this", "that", "which", "here"})


def compose(context: SynthesisContext) -> AnswerDraft:
    """An answer from the facts of all walks; without facts a draft without claims."""
    figures = best_figures(context)
    for make in (_draft_contest, _draft_verdict, _draft_calculation, _draft_figures):
        draft = make(context, figures)
        if draft is not None:
            return draft
    return _draft_quotes(context)


def best_figures(context: SynthesisContext) -> dict[int, Figure]:
    """For each figure needed the best one found, over all documents; the first found wins a tie."""
    best: dict[int, Figure] = {}
    for fact in context.facts:
        if isinstance(fact, Figure) and fact.need >= 0:
            held = best.get(fact.need)
            if held is None or fact.fit > held.fit:
                best[fact.need] = fact
    return best


def _draft_contest(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    contest = contest_of(context.plan)
    claims = decide_contest(context.plan, contest, figures) if contest else []
    return AnswerDraft(tuple(claims)) if claims else None


def _draft_verdict(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    if context.plan.intent is not Intent.YES_NO:
        return None
    claims = judge_figures(context.plan, figures)
    return AnswerDraft(tuple(claims)) if claims else None


def _draft_calculation(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    plan = context.plan
    if plan.formula is None or not figure_needs(plan):
        return None
    result = work_out(plan, plan.formula, figures)
    if result is None:
        return None
    name = _name(plan)
    return AnswerDraft((claim_of(result, name, _name_periods(context)),), value=result.text)


def _name(plan: QueryPlan) -> str:
    """What was worked out; a definition that names nothing has the name of the question's first concept."""
    name = plan.formula.name if plan.formula else ""
    is_named = name and name.lower() not in _PRONOUNS and not name.startswith("as defined")
    return name if is_named else next(iter(plan.concepts), "the result")


def _name_periods(context: SynthesisContext) -> str:
    """The periods of the question; of several only the first and last."""
    words = [period_words(period) for period in sorted(context.plan.periods, key=lambda p: (p.year, p.quarter or 0))]
    return words[0] if len(set(words)) == 1 else f"{words[0]} to {words[-1]}" if words else ""


def _draft_figures(context: SynthesisContext, figures: Mapping[int, Figure]) -> AnswerDraft | None:
    if not figures:
        return None
    plan, needs = context.plan, figure_needs(context.plan)
    missing = tuple(
        f"{need.concept} {period_words(need.period)}".strip()
        for index, need in enumerate(needs)
        if index not in figures
    )
    value = figure_text(figures[min(figures)], plan.unit) if plan.formula is None else ""
    return AnswerDraft(tuple(figure_claims(plan, figures)), value=value, missing=missing)


def _draft_quotes(context: SynthesisContext) -> AnswerDraft:
    passages = [fact for fact in context.facts if isinstance(fact, Passage)]
    if asks_for_all(context.plan):
        return AnswerDraft(tuple(make_sweep_claims(context.plan, passages, dict(context.names))))
    claims = passage_claims(context.plan, passages) if passages else []
    if context.plan.intent is Intent.YES_NO and claims:
        claims[0] = _with_verdict(context.plan.question, claims[0], max(passages, key=lambda passage: passage.fit))
    return AnswerDraft(tuple(claims))


def _with_verdict(question: str, claim: DraftClaim, passage: Passage) -> DraftClaim:
    """The first sentence under the verdict that its words give, when it says enough of the question."""
    quote = passage.quote.rstrip()
    if passage.fit < LEAST_FIT or len(quote) > LONGEST_VERDICT or quote.endswith(":"):
        return claim
    verdict = verdict_of(question, passage.quote)
    return replace(claim, text=f"{verdict}, by the words of the document: {claim.text}") if verdict else claim
