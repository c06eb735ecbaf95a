"""How far an answer can be trusted: three measured shares, multiplied. No constants."""

from collections.abc import Callable, Sequence

from vectorless_web.engine.reasoner.events import Check, ClaimEvent, Confidence, Evidence, Support


def confidence_of(
    claims: Sequence[ClaimEvent],
    *,
    parts: int,
    covered: int,
    fit: Callable[[Sequence[Evidence]], float],
) -> Confidence:
    """Share of claims that hold x share of the question's parts covered x share of its weight the quotes cover.

    `parts` counts the sub-questions (at least 1), `covered` those with a claim that holds;
    `fit` measures the quotes of the claims that hold against the attainable query weight.
    """
    held = [claim for claim in claims if claim.support in (Support.SUPPORTED, Support.DERIVED)]
    quotes = [citation for claim in held for citation in claim.citations if citation.check is not Check.MISSING]
    return Confidence(
        claims_held=_share(len(held), len(claims)),
        parts_covered=_share(covered, max(1, parts)),
        evidence_fit=max(0.0, min(1.0, fit(quotes))) if quotes else 0.0,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
