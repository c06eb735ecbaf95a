"""What people make of a run: who may see it, whose favourite it is, who verified it, and what they say of it."""

import re
from collections.abc import Collection

from django.core.exceptions import PermissionDenied
from django.db import transaction

from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import notify
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Claim, Comment, Run, Verification
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import User, people_in
from vectorless_web.workspaces.services import record

COMMENT_MAX = 4_000
"""Characters of one comment: two pages of text."""
_MENTION = re.compile(r"(?<![\w@])@([\w.+-]*\w)")


def check_asker(user: User, run: Run) -> None:
    """PermissionDenied unless the user asked the question: who sees it is theirs to say."""
    if run.asked_by_id != user.pk:
        raise PermissionDenied("Only who asked can say who sees this.")


@transaction.atomic
def set_private(*, user: User, run: Run, is_private: bool) -> None:
    """Keep a run to oneself and those with whom it is shared, or let every member see it but for what folders keep."""
    check_asker(user, run)
    if Run.objects.filter(pk=run.pk, private=not is_private).update(private=is_private):
        verb = "run.made_private" if is_private else "run.shared_with_workspace"
        record(actor=user, verb=verb, workspace=run.workspace, target=run)


@transaction.atomic
def share_with_members(*, user: User, run: Run, people: Collection[int]) -> None:
    """Let these members see a run although it is private, in place of those named before; others are left out."""
    check_asker(user, run)
    named = list(people_in(run.workspace).filter(pk__in=people).exclude(pk=user.pk))
    run.shared_with.set(named)
    details = {"people": sorted(map(str, named))}
    record(actor=user, verb="run.shared_with_members", workspace=run.workspace, target=run, details=details)


@transaction.atomic
def set_favourite(*, user: User, run: Run, is_one: bool) -> None:
    """Make a run one of one's favourites, or one no more."""
    if run.favoured_by.filter(pk=user.pk).exists() == is_one:
        return
    if is_one:
        run.favoured_by.add(user.pk)
    else:
        run.favoured_by.remove(user.pk)
    record(actor=user, verb="run.favoured" if is_one else "run.unfavoured", workspace=run.workspace, target=run)


@transaction.atomic
def verify_run(*, user: User, run: Run) -> None:
    """Put one's name to an answer: its quotes were read, and they say so. Problem for a run without an answer."""
    if not run.has_answer:
        raise Problem(
            "Only an answer can be verified.",
            remedy="Choose a question that was answered.",
            code="nothing_to_verify",
            status=409,
        )
    _, created = Verification.objects.get_or_create(run=run, user_id=user.pk or 0)
    if created:
        _tell(user, run, [run.asked_by_id], Kind.VERIFIED)
        record(actor=user, verb="run.verified", workspace=run.workspace, target=run)


@transaction.atomic
def withdraw_verification(*, user: User, run: Run) -> None:
    """Take one's name off an answer."""
    removed, _ = Verification.objects.filter(run=run, user=user.pk or 0).delete()
    if removed:
        record(actor=user, verb="run.verification_withdrawn", workspace=run.workspace, target=run)


@transaction.atomic
def add_comment(*, user: User, run: Run, text: str, sentence: int | None = None) -> Comment:
    """Say something of a run, or of one of its sentences (from 1). "@name" mentions a member who may see the run."""
    text = text.replace("\0", "").strip()
    if not 1 <= len(text) <= COMMENT_MAX:
        raise Problem(
            f"A comment has 1 to {COMMENT_MAX:,} characters.",
            remedy="Shorten it, or write something.",
            code="comment_length",
        )
    claim = Claim.objects.filter(run=run, order=sentence - 1).first() if sentence else None
    if sentence and claim is None:
        raise Problem("This answer has no such sentence.", remedy="Load the page again.", code="unknown_sentence")
    comment = Comment.objects.create(run=run, claim=claim, author_id=user.pk, text=text)
    names = {name.casefold() for name in _MENTION.findall(text)}
    asked = [person for person in people_in(run.workspace) if person.get_username().casefold() in names]
    may_see = selectors.watchers_of(run, [person.pk for person in asked])
    mentioned = [person for person in asked if person.pk in may_see]
    comment.mentions.set(mentioned)
    told = {person.pk for person in mentioned}
    _tell(user, run, told, Kind.MENTIONED, comment=comment.pk)
    _tell(user, run, {run.asked_by_id} - told, Kind.COMMENTED, comment=comment.pk)
    record(actor=user, verb="run.commented", workspace=run.workspace, target=run, details={"comment": comment.pk})
    return comment


def _tell(user: User, run: Run, people: Collection[int | None], kind: Kind, **details: int) -> None:
    """Give a notice of what somebody did to a run; the run is looked up anew when it is read."""
    more = {"details": details}
    notify(people=people, kind=kind, workspace_id=run.workspace_id, about=run.pk, actor_id=user.pk, more=more)


@transaction.atomic
def remove_comment(*, user: User, run: Run, comment: Comment) -> None:
    """Remove a comment: one's own, or any for an owner of the workspace."""
    if comment.author_id != user.pk and not run.workspace.allows(Role.OWNER):
        raise PermissionDenied("Only who wrote a comment, or an owner, can remove it.")
    details, (removed, _) = {"comment": comment.pk}, comment.delete()
    if removed:
        record(actor=user, verb="run.comment_removed", workspace=run.workspace, target=run, details=details)
