"""The offline planner: a fixed policy over what a walk has seen. No model, same steps every time."""

from collections.abc import Sequence

from vectorless_web.engine.agent.context.outline import shorten_title
from vectorless_web.engine.agent.events import StepEvent, StepKind
from vectorless_web.engine.agent.planner import PlannedStep, WalkContext
from vectorless_web.engine.answers.claims import AnswerDraft, Objected, SynthesisContext
from vectorless_web.engine.answers.draft import compose
from vectorless_web.engine.figures.needs import wants_figures
from vectorless_web.engine.llm.model import Usage
from vectorless_web.engine.questions.understand import asks_for_all

OFFLINE = "offline"

READ_AT_ONCE = 8
"""Passages one EXTRACT reads."""

ENOUGH = 0.7
"""Fit of a passage read before that makes a new search needless."""

REUSE = "reuse"
"""The action of a first step that takes up what the question before had read."""

OPENING = "opening"
"""The action of the step that copies from the best passages before a model is asked."""


class OfflinePlanner:
    """Look over the document, go down the best branch, fetch what fits, extract, look again for what is missing."""

    name = OFFLINE
    pictures = 0

    def sum_spending(self) -> Usage:
        """Nothing."""
        return Usage()

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The next step by what was done, what is missing and how many steps are left."""
        if asks_for_all(context.plan):
            return _sweep() if not context.steps else _synthesize(context)
        if context.known and context.budget.steps > 2:
            if not context.steps:
                return _reuse()
            if len(context.steps) == 1:
                return _extract(context)
            if not context.gaps and _is_enough(context):
                return _synthesize(context)
        return self._from_the_start(context)

    def _from_the_start(self, context: WalkContext) -> PlannedStep:
        left = context.budget.steps
        if left <= 1 and _has_taken(context, StepKind.EXTRACT):
            return _synthesize(context)
        if _may_scan(context, left):
            return _scan(context)
        if _may_search(context, left):
            return _search(context)
        if left > 1 and not _has_taken(context, StepKind.RETRIEVE):
            return _retrieve(context)
        if not _has_taken(context, StepKind.EXTRACT):
            return _extract(context)
        return self._after_extract(context, left)

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """An extractive draft: rows, sentences and sums over them, each with its quotes."""
        return compose(context)

    def redraft(self, context: SynthesisContext, draft: AnswerDraft, objected: Sequence[Objected]) -> AnswerDraft:
        """Nothing: the same facts give the same claims, so asking again mends none."""
        return AnswerDraft()

    def _after_extract(self, context: WalkContext, left: int) -> PlannedStep:
        """Fill gaps while steps last: what the passages read refer to first, then the next best passages."""
        if not context.gaps or left <= 1:
            return _synthesize(context)
        moved = context.steps[-1].kind is StepKind.NAVIGATE and context.steps[-1].action == "follow"
        if context.references and left > 2 and not moved:
            return _plan_reference(context)
        if context.queue:
            return _extract(context)
        return _synthesize(context)


def plan_opening(context: WalkContext) -> PlannedStep | None:
    """What a walk led by a model begins with, so that the best evidence is before it; None once that was done."""
    if not context.steps and asks_for_all(context.plan):
        return _sweep()
    if not context.steps and context.known and context.budget.steps > 2:
        return _reuse()
    if any(step.kind is StepKind.EXTRACT for step in context.steps[:2]) or len(context.steps) > 1:
        return None
    thought = "Copy first what answers in the passages that hold most of the question's words."
    return PlannedStep(StepKind.EXTRACT, thought, OPENING)


def _is_enough(context: WalkContext) -> bool:
    """Whether what was read before answers by itself: figures, or a passage that says most of the question."""
    return wants_figures(context.plan) or max((fact.fit for fact in context.facts), default=0.0) >= ENOUGH


def _has_taken(context: WalkContext, kind: StepKind) -> bool:
    """Whether such a step was taken, not counting how the walk was begun."""
    first = context.steps[0].action if context.steps else ""
    begun = {REUSE: 2, OPENING: 1}.get(first, 0)
    return any(step.kind is kind for step in context.steps[begun:])


def _may_scan(context: WalkContext, left: int) -> bool:
    return left >= 5 and not _has_taken(context, StepKind.SCAN) and "\n" in context.outline


def _may_search(context: WalkContext, left: int) -> bool:
    return left >= 4 and not _has_taken(context, StepKind.NAVIGATE) and "\n" in context.outline


def _reuse() -> PlannedStep:
    return PlannedStep(
        StepKind.RETRIEVE, "Look first at what was read for the question before.", REUSE, {"known": True}
    )


def _scan(context: WalkContext) -> PlannedStep:
    return PlannedStep(
        StepKind.SCAN,
        "See how the document is built before opening anything.",
        "scan",
        {"node": 0},
    )


def _search(context: WalkContext) -> PlannedStep:
    thought = "Go down the branches that hold most of the question's words."
    return PlannedStep(StepKind.NAVIGATE, thought, "search", {"node": 0, "direction": "search"})


def _retrieve(context: WalkContext) -> PlannedStep:
    wanted = context.plan.concepts[:4] or (context.plan.focus,)
    return PlannedStep(
        StepKind.RETRIEVE,
        f"Fetch the passages that speak of {', '.join(wanted)}, in the branch found and anywhere else.",
        "retrieve",
        {"query": context.plan.focus},
    )


def _extract(context: WalkContext) -> PlannedStep:
    keys = [candidate.key for candidate in context.queue[:READ_AT_ONCE]]
    if wants_figures(context.plan):
        # What no table is known to state is asked for in the question's own words.
        plain = any(gap.endswith("?") for gap in context.gaps)
        wanted = "answer the question" if plain else f"state {_join_gaps(context.gaps)}"
        return PlannedStep(
            StepKind.EXTRACT, f"Take the rows that {wanted}.", "extract", {"nodes": keys, "what": "figures"}
        )
    return PlannedStep(
        StepKind.EXTRACT,
        "Take the sentences and rows that answer, word for word.",
        "extract",
        {"nodes": keys, "what": "sentences"},
    )


def _sweep() -> PlannedStep:
    return PlannedStep(
        StepKind.EXTRACT, "The question wants everything, so every page is looked at.", "sweep", {"what": "everything"}
    )


def _plan_reference(context: WalkContext) -> PlannedStep:
    words, target = context.references[0]
    return PlannedStep(
        StepKind.NAVIGATE,
        f"The text points to {words}; what is missing may stand there.",
        "follow",
        {"node": context.position, "direction": "reference", "target": target},
    )


def _synthesize(context: WalkContext) -> PlannedStep:
    thought = f"Still missing: {_join_gaps(context.gaps)}." if context.gaps else "Everything asked for has evidence."
    return PlannedStep(StepKind.SYNTHESIZE, thought, "synthesize", {})


def _join_gaps(gaps: Sequence[str]) -> str:
    """What is missing, as part of a sentence."""
    return "; ".join(shorten_title(gap.rstrip(" ?.")) for gap in gaps)
