"""What may be done to a thread as a whole: give it another title."""

from django.core.exceptions import PermissionDenied

from vectorless_web.lib.problems import Problem
from vectorless_web.runs.models import Thread
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

TITLE_MAX = 300


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
