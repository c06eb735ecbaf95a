"""From checked claims to the answer's outcome, its word of verification, and whether it is grounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from vectorless_web.engine.answers.claims import Check, ClaimEvent, Support, Verdict, is_supported


class Judgement(StrEnum):
    """What the verifier says of one claim: whether the cited text supports it."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NO = "no"


class Outcome(StrEnum):
    """How a run ends; every run ends in one of these.

    ANSWERED: all parts of the question; PARTIAL: some; PASSAGES: no claim stands, and the closest passages are shown.
    """

    ANSWERED = "answered"
    PARTIAL = "partial"
    PASSAGES = "passages"
    NOT_FOUND = "not_found"
    FAILED = "failed"
    CANCELLED = "cancelled"


def decide_support(claim: ClaimEvent, judgement: Judgement | None) -> Support:
    """What holds a claim up, from its citations, its marks and the verifier's judgement; None without a verifier.

    A claim without a citation, or which the verifier refuses, is unsupported. A number that was not traced, or a
    judgement of "partly", takes the tick and strikes nothing. A claim of absence has no tick, also where it cites what
    stands there instead.
    """
    if not (claim.citations or claim.is_absence) or judgement is Judgement.NO:
        return Support.UNSUPPORTED
    if claim.is_absence:
        return Support.PARTLY if judgement is Judgement.PARTLY else Support.ABSENT
    if judgement is None:
        return Support.QUOTED
    if judgement is Judgement.PARTLY or claim.marks:
        return Support.PARTLY
    if claim.calculation is not None and any(operand.marker for operand in claim.calculation.operands):
        return Support.DERIVED
    pictured = all(citation.check is Check.PICTURE for citation in claim.citations)
    return Support.PICTURED if pictured else Support.SUPPORTED


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How an answer ends. `verdict` is None without an answer. `grounded`: every claim shown unstruck has its tick."""

    outcome: Outcome
    verdict: Verdict | None = None
    grounded: bool = False


def conclude_answer(
    claims: Sequence[ClaimEvent], *, complete: bool, missing: Sequence[str] = (), not_found: bool = False
) -> Conclusion:
    """The ending of an answer whose claims are checked.

    `complete` is the verifier's word for whether all that was asked is answered, the model's own where there is no
    verifier; `missing` are the parts that are not. `not_found`: the model says, after a search, that nothing is there.
    """
    standing = [claim for claim in claims if claim.support is not Support.UNSUPPORTED]
    if not standing:
        return Conclusion(Outcome.NOT_FOUND if not_found and not claims else Outcome.PASSAGES)
    ticked = [claim for claim in standing if is_supported(claim)]
    is_whole = complete and not missing
    outcome = Outcome.ANSWERED if is_whole else Outcome.PARTIAL
    absent = [claim for claim in standing if claim.support is Support.ABSENT]
    if is_whole and ticked and len(ticked) + len(absent) == len(claims):
        verdict = Verdict.VERIFIED
    else:
        verdict = Verdict.PARTLY if ticked else Verdict.NOT_VERIFIED
    return Conclusion(outcome, verdict, grounded=len(ticked) == len(standing))
