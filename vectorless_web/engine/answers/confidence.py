"""How far an answer can be trusted: three measured shares, multiplied. No constants."""

from collections.abc import Callable, Mapping, Sequence

from vectorless_web.engine.answers.claims import ClaimEvent, Confidence, DraftClaim, Evidence, Support
from vectorless_web.engine.figures.needs import figure_needs
from vectorless_web.engine.questions.plan import QueryPlan
from vectorless_web.engine.ranking.finder import Finder

PART_SAID = 0.4
"""Least share of a sub-question that the quotes say when it counts as covered."""


def confidence_of(
    plan: QueryPlan, drafts: Sequence[DraftClaim], claims: Sequence[ClaimEvent], finders: Mapping[str, Finder]
) -> Confidence:
    """Share of claims that hold x share of the question's parts covered x how much of the question the quotes say.

    The third factor is a mean over the claims that hold. A claim read from table rows
    brings its own fit: how well rows, columns and statement agree with the figures that
    the question needs. Any other is measured by the share of the question's weight that
    its quotes say.
    """
    held = [(draft, claim) for draft, claim in zip(drafts, claims, strict=True) if is_supported(claim)]
    fits = [draft.fit if draft.fit is not None else _measure_question_coverage(claim, finders) for draft, claim in held]
    return Confidence(
        claims_held=_divide_share(len(held), len(claims)),
        parts_covered=_parts(plan, held, finders),
        evidence_fit=_divide_share(sum(max(0.0, min(1.0, fit)) for fit in fits), len(fits)),
    )


def is_supported(claim: ClaimEvent) -> bool:
    """Whether a checked claim is supported or derived."""
    return claim.support in (Support.SUPPORTED, Support.DERIVED)


def _parts(plan: QueryPlan, held: Sequence[tuple[DraftClaim, ClaimEvent]], finders: Mapping[str, Finder]) -> float:
    """Share of the figures needed that were used, else of the sub-questions that the quotes speak of."""
    if not held:
        return 0.0
    used = {need for draft, _ in held for need in draft.needs}
    if used:
        return _divide_share(len(used), max(len(figure_needs(plan)), len(used)))
    if not plan.sub_questions:
        return 1.0
    quotes = [quote for _, claim in held for quote in claim.citations]
    said = [_measure_part_coverage(part, quotes, finders) for part in plan.sub_questions]
    return _divide_share(sum(share >= PART_SAID for share in said), len(said))


def _measure_question_coverage(claim: ClaimEvent, finders: Mapping[str, Finder]) -> float:
    """Share of the question that the claim's quotes say, headings counting less; the best document's."""
    return _find_best_share(claim.citations, finders, lambda finder, text, around: finder.coverage(text, around))


def _measure_part_coverage(part: str, quotes: Sequence[Evidence], finders: Mapping[str, Finder]) -> float:
    return _find_best_share(quotes, finders, lambda finder, text, around: finder.part_coverage(part, text, around))


def _find_best_share(
    quotes: Sequence[Evidence], finders: Mapping[str, Finder], measure: Callable[[Finder, str, str], float]
) -> float:
    shares = []
    for name in dict.fromkeys(quote.document for quote in quotes if quote.document in finders):
        own = [quote for quote in quotes if quote.document == name]
        text, around = " ".join(q.quote for q in own), " ".join(q.where for q in own)
        shares.append(measure(finders[name], text, around))
    return max(shares, default=0.0)


def _divide_share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
