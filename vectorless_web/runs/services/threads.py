"""A run afterwards: the thread it goes on in, whether it was right, deleting it."""

from django.core.exceptions import PermissionDenied
from django.db import transaction

from vectorless_web.engine.questions.followup import Previous
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Feedback, Run, Step, Thread
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record


def may_rename(user: User, thread: Thread) -> bool:
    """Whether the user may give the thread another title: one's own as a member, any as an editor."""
    workspace = thread.workspace
    own = thread.created_by_id == user.pk and workspace.allows(Role.MEMBER)
    return own or workspace.allows(Role.EDITOR)


def rename_thread(*, user: User, thread: Thread, title: str) -> None:
    """Give a thread another title; PermissionDenied when it is neither one's own nor one is an editor."""
    if not may_rename(user, thread):
        raise PermissionDenied("Only who began this thread, or an editor, can rename it.")
    title = " ".join(title.replace("\0", "").split())
    if not title:
        raise Problem("Write a title first.", code="title_empty", status=422)
    if len(title) > TITLE_MAX:
        raise Problem(f"A title has at most {TITLE_MAX} characters.", code="title_too_long", status=422)
    before, thread.title = thread.title, title
    thread.save(update_fields=["title"])
    record(
        actor=user,
        verb="thread.renamed",
        workspace=thread.workspace,
        target=thread,
        name=title,
        details={"before": before},
    )


def previous_of(run: Run) -> Previous | None:
    """The run before this one in its thread, as the engine takes it up; None for the first."""
    before = selectors.run_before(run)
    if before is None:
        return None
    steps = selectors.steps_of(before)
    return Previous(question=_find_completed_question(before, steps), read=list_read_nodes(steps))


def _find_completed_question(run: Run, steps: list[Step]) -> str:
    """The question as it was understood: a follow-up's own words may leave out half of it."""
    for step in steps:
        understood = step.observation.get("question")
        if isinstance(understood, dict) and understood.get("read_as"):
            return str(understood["read_as"])
    return run.question


def list_read_nodes(steps: list[Step]) -> dict[str, tuple[int, ...]]:
    """The nodes that were read, by document, each once and in order."""
    found: dict[str, dict[int, None]] = {}
    for step in steps:
        for ref in step.refs:
            if ref.get("role") == "read":
                found.setdefault(ref["document"], {})[ref["key"]] = None
    return {document: tuple(keys) for document, keys in found.items()}


REASONS = ("wrong_fact", "wrong_page", "missing_document", "too_slow")


def give_feedback(*, user: User, run: Run, good: bool, reason: str = "", comment: str = "") -> Feedback:
    """Keep what a person says of a run; saying it again replaces it."""
    if reason and reason not in REASONS:
        raise Problem("Choose one of the reasons offered.", code="invalid_input", status=422)
    values = {"good": good, "reason": "" if good else reason, "comment": comment.replace("\0", "").strip()[:2000]}
    given, _ = Feedback.objects.update_or_create(run=run, user_id=user.pk or 0, defaults=values)
    return given


@transaction.atomic
def delete_run(*, user: User, run: Run) -> None:
    """Delete a finished run with all it left. One's own, or any for an owner of the workspace."""
    if run.asked_by_id != user.pk and not run.workspace.allows(Role.OWNER):
        raise PermissionDenied("Only who asked, or an owner, can delete this.")
    if run.is_open:
        raise Problem("Stop this first; then it can be deleted.", code="still_running", status=409)
    record(actor=user, verb="run.deleted", workspace=run.workspace, target=run, name=run.question)
    thread = run.thread
    run.delete()
    if not thread.runs.exists():
        thread.delete()
