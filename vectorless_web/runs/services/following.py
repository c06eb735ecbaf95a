"""What a follow-up may lean on: the question before it in its thread, and what was read for that."""

from vectorless_web.engine.questions.followup import Previous
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Run, Step


def previous_of(run: Run) -> Previous | None:
    """The run before this one in its thread, as the engine takes it up; None for the first."""
    before = selectors.run_before(run)
    if before is None:
        return None
    steps = selectors.steps_of(before)
    return Previous(question=_completed(before, steps), read=read_in(steps))


def _completed(run: Run, steps: list[Step]) -> str:
    """The question as it was understood: a follow-up's own words may leave out half of it."""
    for step in steps:
        understood = step.observation.get("question")
        if isinstance(understood, dict) and understood.get("read_as"):
            return str(understood["read_as"])
    return run.question


def read_in(steps: list[Step]) -> dict[str, tuple[int, ...]]:
    """The nodes that were read, by document, each once and in order."""
    found: dict[str, dict[int, None]] = {}
    for step in steps:
        for ref in step.refs:
            if ref.get("role") == "read":
                found.setdefault(ref["document"], {})[ref["key"]] = None
    return {document: tuple(keys) for document, keys in found.items()}
