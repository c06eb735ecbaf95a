"""Reads about share links: for members by workspace and run, for everybody else by token alone."""

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils import timezone

from vectorless_web.runs.models import Run
from vectorless_web.runs.selectors import run_for
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Membership, Role, Workspace
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.storage import hash_token


def shareable_run(user: User, slug: str, pk: int) -> Run:
    """A run that the user may share: a member their own, an editor any. Http404 or PermissionDenied otherwise."""
    run = run_for(user, slug, pk, Role.MEMBER)
    if run.asked_by_id != user.pk and not run.workspace.allows(Role.EDITOR):
        raise PermissionDenied("A member can share the questions they asked themselves.")
    return run


def links_of(run: Run) -> QuerySet[ShareLink]:
    """The links of a run that are still open, newest first, each with its `view_count`."""
    rows = ShareLink.objects.filter(_maker_belongs(), run=run, revoked_at=None, expires_at__gt=timezone.now())
    return rows.annotate(view_count=_views())


def links_in(workspace: Workspace) -> QuerySet[ShareLink]:
    """All links to runs of a workspace, newest first, each with its `view_count` and `maker_belongs`."""
    rows = ShareLink.objects.filter(run__workspace=workspace).select_related("run", "created_by")
    return rows.annotate(view_count=_views(), maker_belongs=_maker_belongs())


def link_of(run: Run, pk: int) -> ShareLink:
    """One link of a run; Http404 for any other."""
    link = ShareLink.objects.filter(run=run, pk=pk).first()
    if link is None:
        raise Http404("There is no such link here.")
    return link


def open_link(token: str) -> ShareLink | None:
    """The link with this token; None alike when it expired, was revoked, or never existed.

    It ends, too, with the membership of who made it, and while their account is switched off.
    The token is looked up by its hash, so the time this takes says nothing about stored ones.
    """
    rows = ShareLink.objects.select_related("run", "run__workspace", "run__asked_by", "run__answer", "created_by")
    link = rows.filter(_maker_belongs(), token_hash=hash_token(token)).first()
    return link if link is not None and link.is_open else None


def _views() -> Count:
    return Count("views", distinct=True)


def _maker_belongs() -> Exists:
    """Whether who made the link belongs to the workspace still and can sign in."""
    member = Membership.objects.filter(workspace=OuterRef("run__workspace"), user=OuterRef("created_by"))
    return Exists(member.filter(user__is_active=True))
