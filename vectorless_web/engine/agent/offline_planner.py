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
"""The action of the step that brings the best passages, and copies from them, before a model is asked."""

ENTER, RETRIEVE, TABLES, EXTRACT, SEARCH, SWEEP = "enter", "retrieve", "tables", "extract", "search", "sweep"
"""Actions of steps by which the planner knows what was done."""


class OfflinePlanner:
    """Bring what may answer, copy from it, then bring more for what is missing: the section that is referred to, the
    branches of the outline that nobody looked into."""

    name = OFFLINE
    pictures = 0

    def sum_spending(self) -> Usage:
        """Nothing."""
        return Usage()

    def next_step(self, context: WalkContext) -> PlannedStep:
        """The next step by what was done, what is missing and how many steps are left."""
        if asks_for_all(context.plan):
            return _list_all(context)
        if context.known and context.budget.steps > 2:
            if not context.steps:
                return _reuse()
            if len(context.steps) == 1 and _may_extract(context):
                return _extract(context)
            if not context.gaps and _is_enough(context):
                return _synthesize(context)
        return self._from_the_start(context)

    def _from_the_start(self, context: WalkContext) -> PlannedStep:
        left = context.budget.steps
        if context.places and left > 1 and not _has_taken(context, ENTER):
            return _enter(context.places[0])
        if _has_taken(context, ENTER) and _may_extract(context) and not _has_taken(context, EXTRACT):
            return _extract(context)
        if _has_taken(context, ENTER) and _has_taken(context, EXTRACT) and not context.gaps and not _is_led(context):
            return _synthesize(context)
        if (context.gaps or _is_led(context)) and not _has_taken(context, RETRIEVE):
            return _retrieve(context)
        if left > 1 and context.unopened_tables and not _has_taken(context, TABLES):
            return _bring_tables(context)
        if not _has_taken(context, EXTRACT) and _may_extract(context):
            return _extract(context)
        return self._go_on(context, left)

    def synthesise(self, context: SynthesisContext, steps: Sequence[StepEvent]) -> AnswerDraft:
        """An extractive draft: rows, sentences and sums over them, each with its quotes."""
        return compose(context)

    def redraft(self, context: SynthesisContext, draft: AnswerDraft, objected: Sequence[Objected]) -> AnswerDraft:
        """Nothing: the same facts give the same claims, so asking again mends none."""
        return AnswerDraft()

    def _go_on(self, context: WalkContext, left: int) -> PlannedStep:
        """Fill gaps while steps last: what the passages read refer to, then the next best ones, then other branches."""
        if not context.gaps or left <= 1:
            return _synthesize(context)
        moved = context.steps[-1].kind is StepKind.NAVIGATE
        if context.references and left > 2 and not moved:
            return _plan_reference(context)
        if _has_stalled(context):
            return _synthesize(context)
        if _may_extract(context):
            return _extract(context)
        may_search = left > 2 and context.sections > 1 and not _is_led(context)
        if may_search and not _has_taken(context, SEARCH):
            return _search()
        return _synthesize(context)


def plan_opening(context: WalkContext) -> PlannedStep | None:
    """What a walk led by a model begins with, so that the best evidence is before it; None once that was done."""
    if not context.steps and asks_for_all(context.plan):
        return PlannedStep(StepKind.RETRIEVE, _SWEEPING, SWEEP, {"everything": True, "copy": True})
    if not context.steps and context.known and context.budget.steps > 2:
        return _reuse()
    if any(step.action != REUSE for step in context.steps):
        return None
    thought = "Copy first what answers in the passages that hold most of the question's words."
    return PlannedStep(StepKind.RETRIEVE, thought, OPENING, {"nearest": True})


def _is_enough(context: WalkContext) -> bool:
    """Whether what was read before answers by itself: figures, or a passage that says most of the question."""
    return wants_figures(context.plan) or max((fact.fit for fact in context.facts), default=0.0) >= ENOUGH


def _has_taken(context: WalkContext, action: str) -> bool:
    """Whether such a step was taken, not counting how the walk was begun."""
    first = context.steps[0].action if context.steps else ""
    begun = {REUSE: 2, OPENING: 1}.get(first, 0)
    return action in context.idle or any(step.action == action for step in context.steps[begun:])


def _has_stalled(context: WalkContext) -> bool:
    """Whether copying again brought nothing that fits better: what is left was ranked behind that."""
    fits = [step.confidence or 0.0 for step in context.steps if step.action == EXTRACT]
    return len(fits) > 1 and max(fits[:-1]) > 0 and fits[-1] <= max(fits[:-1])


def _is_led(context: WalkContext) -> bool:
    """Whether a model leads the walk and is to be asked again after this step: it is shown more than is copied."""
    return any(step.action == OPENING for step in context.steps)


def _may_extract(context: WalkContext) -> bool:
    """Whether steps brought anything that nobody read."""
    return bool(context.queue or context.tables)


def _list_all(context: WalkContext) -> PlannedStep:
    """A question for everything is answered from every page; of one step that is left the answer is all."""
    if not context.steps:
        return PlannedStep(StepKind.RETRIEVE, _SWEEPING, "open", {"everything": True})
    if not _has_taken(context, SWEEP):
        thought = "Take every sentence and row that says enough of it."
        return PlannedStep(StepKind.EXTRACT, thought, SWEEP, {"what": "everything"})
    return _synthesize(context)


_SWEEPING = "The question wants everything, so every page is looked at."


def _reuse() -> PlannedStep:
    return PlannedStep(
        StepKind.RETRIEVE, "Look first at what was read for the question before.", REUSE, {"known": True}
    )


def _enter(node: int) -> PlannedStep:
    thought = "Go where documents say what is asked for."
    return PlannedStep(StepKind.NAVIGATE, thought, ENTER, {"node": node, "direction": "place"})


def _search() -> PlannedStep:
    thought = "Something is missing: go down the branches that hold most of the question's words."
    return PlannedStep(StepKind.NAVIGATE, thought, SEARCH, {"node": 0, "direction": "search"})


def _retrieve(context: WalkContext) -> PlannedStep:
    wanted = context.plan.concepts[:4] or (context.plan.focus,)
    return PlannedStep(
        StepKind.RETRIEVE,
        f"Fetch the passages that speak of {', '.join(wanted)}.",
        RETRIEVE,
        {"query": context.plan.focus},
    )


def _bring_tables(context: WalkContext) -> PlannedStep:
    more = "more tables" if _has_taken(context, RETRIEVE) else "tables"
    thought = f"A row may state what is asked: {context.unopened_tables} {more} may have it."
    return PlannedStep(StepKind.RETRIEVE, thought, TABLES, {"tables": True})


def _extract(context: WalkContext) -> PlannedStep:
    keys = [candidate.key for candidate in context.queue[:READ_AT_ONCE]]
    tables = {"tables": list(context.tables)} if context.tables else {}
    if wants_figures(context.plan):
        # What no table is known to state is asked for in the question's own words.
        plain = any(gap.endswith("?") for gap in context.gaps)
        wanted = "answer the question" if plain else f"state {_join_gaps(context.gaps)}"
        given = {"nodes": keys, **tables, "what": "figures"}
        return PlannedStep(StepKind.EXTRACT, f"Take the rows that {wanted}.", EXTRACT, given)
    thought = "Take the sentences and rows that answer, word for word."
    return PlannedStep(StepKind.EXTRACT, thought, EXTRACT, {"nodes": keys, **tables, "what": "sentences"})


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
