"""What people do with a run that is there: say whether it was right, delete it."""

from django.core.exceptions import PermissionDenied
from django.db import transaction

from vectorless_web.lib.problems import Problem
from vectorless_web.runs.models import Feedback, Run
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

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
