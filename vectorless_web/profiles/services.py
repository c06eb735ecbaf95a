"""Acts on one's own account. Each is recorded."""

from allauth.usersessions.adapter import get_adapter as get_session_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import AbstractUser
from django.db import transaction

from vectorless_web.infra.web.problems import Problem
from vectorless_web.profiles.models import Profile
from vectorless_web.workspaces.models import Membership, Role, Workspace
from vectorless_web.workspaces.services import delete_and_record, describe_orphaned_workspaces, record


@transaction.atomic
def save_profile(*, user: AbstractUser, name: str, time_zone: str) -> None:
    """Set the name that others read, and the zone of the times that are shown to this person."""
    user.first_name, _blank, user.last_name = name.partition(" ")
    user.save(update_fields=["first_name", "last_name"])
    Profile.objects.update_or_create(user_id=user.pk, defaults={"time_zone": time_zone})
    record(actor=user, verb="account.profile_changed", target=user, details={"time_zone": time_zone})


@transaction.atomic
def end_sessions(*, user: AbstractUser, sessions: list[UserSession]) -> int:
    """Sign the browsers of these sessions out; how many. Their open pages close within seconds."""
    get_session_adapter().end_sessions(sessions)
    if sessions:
        record(actor=user, verb="account.sessions_ended", target=user, details={"sessions": len(sessions)})
    return len(sessions)


@transaction.atomic
def delete_own_account(*, user: AbstractUser) -> None:
    """Delete the account. What it added to workspaces stays there, without the name.

    Problem (409) while it is the only owner of a workspace.
    """
    # Two owners who leave at one moment: the second counts after the first has gone.
    owned = Membership.objects.filter(user_id=user.pk, role=Role.OWNER).values("workspace")
    list(Workspace.objects.select_for_update(no_key=True).filter(pk__in=owned).order_by("pk").values_list("pk"))
    reasons = describe_orphaned_workspaces(user)
    if reasons:
        raise Problem(reasons[0], code="only_owner", status=409)
    sessions = list(UserSession.objects.filter(user_id=user.pk))
    get_session_adapter().end_sessions(sessions)
    delete_and_record(user, actor=None, verb="account.deleted_by_its_owner")
