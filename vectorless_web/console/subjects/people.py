"""People of the site: who they are and how they sign in, and what an administrator does for them. Acts are recorded."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import get_adapter as get_session_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.web.problems import Problem
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Membership, PeopleGroup, Role, TwoStepRule
from vectorless_web.workspaces.selectors import SECOND_FACTORS, User
from vectorless_web.workspaces.services import add_member, change_role, describe_orphaned_workspaces, record

PAGE = 50
"""Accounts on a page."""
STATES = {
    "active": Q(is_active=True),
    "off": Q(is_active=False),
    "staff": Q(is_staff=True),
    "plain": Q(has_two_step=False, is_active=True),
}
"""Ways to narrow the list; "plain" are those who sign in by a password alone."""


def list_people(*, text: str = "", state: str = "", number: str = "1") -> Page[Any]:
    """A page of accounts by user name, with `seen_at`, `has_two_step` and `workspace_count`."""
    rows = _select_people()
    if text:
        wanted = ("username", "email", "first_name", "last_name")
        fits = Q()
        for name in wanted:
            fits |= Q(**{f"{name}__icontains": text})
        rows = rows.filter(fits)
    if state in STATES:
        rows = rows.filter(STATES[state])
    return Paginator(rows.order_by("username"), PAGE).get_page(number)


def _select_people() -> QuerySet[Any]:
    sessions = UserSession.objects.filter(user=OuterRef("pk")).order_by().values("user")
    memberships = Membership.objects.filter(user=OuterRef("pk")).order_by().values("user")
    return get_user_model()._default_manager.annotate(
        seen_at=Subquery(sessions.annotate(last=Max("last_seen_at")).values("last")),
        has_two_step=Exists(Authenticator.objects.filter(user=OuterRef("pk"), type__in=SECOND_FACTORS)),
        workspace_count=Subquery(memberships.annotate(n=Count("pk")).values("n")),
    )


def list_groups() -> QuerySet[Any]:
    """The groups of the site, each with `people_count`, `workspace_count` and whether it `is_asked` for two steps."""
    rules = TwoStepRule.objects.filter(group=OuterRef("pk"))
    return PeopleGroup.objects.annotate(
        people_count=Count("people", distinct=True),
        workspace_count=Count("memberships", distinct=True),
        is_asked=Exists(rules),
    ).order_by("name")


def find_group(pk: int) -> Any:
    """One group, as `list_groups` gives it; Http404 when there is none."""
    rows = list_groups().prefetch_related("people", "memberships__workspace")
    return one_or_404(rows, "There is no such group.", pk=pk)


def list_two_step_rules() -> list[TwoStepRule]:
    """Who is asked for two steps, everyone first."""
    rows = TwoStepRule.objects.select_related("user", "group")
    return list(rows.order_by(F("user").asc(nulls_first=True), F("group").asc(nulls_first=True)))


def find_person(pk: int) -> dict[str, Any]:
    """One account with what an administrator needs to know of it; Http404 when there is none."""
    account = one_or_404(_select_people(), "There is no such account.", pk=pk)
    return {
        "account": account,
        "memberships": Membership.objects.filter(user=account).select_related("workspace").order_by("workspace__name"),
        "sessions": UserSession.objects.filter(user=account).count(),
        # Those that are open and would close without the account.
        "links": ShareLink.objects.filter(created_by=account, revoked_at=None).count(),
        "seen_at": account.seen_at,
        "has_two_step": account.has_two_step,
        # By a rule of their own; those of groups and of everyone stand elsewhere.
        "is_asked": TwoStepRule.objects.filter(user=account).exists(),
        "groups": list(PeopleGroup.objects.filter(people=account).values_list("name", flat=True)),
        # A sentence for each workspace that has no other owner who can sign in.
        "orphaned": describe_orphaned_workspaces(account) if account.is_active else [],
    }


def person_to_change(actor: User, pk: int) -> AbstractUser:
    """An account that the actor may change: only superusers touch a superuser's, so that no staff raise themselves."""
    found: AbstractUser = one_or_404(get_user_model()._default_manager, "There is no such account.", pk=pk)
    if found.is_superuser and not getattr(actor, "is_superuser", False):
        raise PermissionDenied(f"{found} is a superuser. Ask a superuser.")
    return found


@transaction.atomic
def switch_off(*, actor: User, person: AbstractUser) -> list[str]:
    """Let the account sign in no more, and end its sessions; sentences on workspaces that have no owner now.

    Problem (409) for one's own account.
    """
    if person.pk == actor.pk:
        raise Problem(
            "You cannot switch your own account off.",
            remedy="Ask another administrator.",
            code="own_account",
            status=409,
        )
    orphaned = describe_orphaned_workspaces(person)
    person.is_active = False
    person.save(update_fields=["is_active"])
    get_session_adapter().end_sessions(list(UserSession.objects.filter(user_id=person.pk)))
    record(actor=actor, verb="account.switched_off", target=person)
    return orphaned


@transaction.atomic
def switch_on(*, actor: User, person: AbstractUser) -> None:
    """Let the account sign in again."""
    person.is_active = True
    person.save(update_fields=["is_active"])
    record(actor=actor, verb="account.switched_on", target=person)


@transaction.atomic
def end_all_sessions(*, actor: User, person: AbstractUser) -> int:
    """Sign every browser of the account out; how many. Their open pages close within seconds."""
    sessions = list(UserSession.objects.filter(user_id=person.pk))
    get_session_adapter().end_sessions(sessions)
    record(actor=actor, verb="account.sessions_ended", target=person, details={"sessions": len(sessions)})
    return len(sessions)


@transaction.atomic
def hand_over(*, actor: User, person: AbstractUser, to: AbstractUser) -> int:
    """Make somebody owner of what the person owns, and maker of their open share links; how many workspaces.

    Questions and documents stay under the name of who asked and uploaded: that is history.
    Problem (409) when it is handed to the same account or to one that is switched off.
    """
    if to.pk == person.pk or not to.is_active:
        raise Problem(
            "What is theirs can only go to another account that can sign in.",
            remedy="Choose such an account.",
            code="cannot_own",
            status=409,
        )
    owned = list(Membership.objects.filter(user_id=person.pk, role=Role.OWNER).select_related("workspace"))
    for membership in owned:
        heir = add_member(workspace=membership.workspace, user=to, role=Role.OWNER, actor=actor)
        if heir.role != Role.OWNER:
            change_role(actor=actor, membership=heir, role=Role.OWNER)
    # A link closes when its maker leaves the workspace of its run; those the heir belongs to go on.
    shared = Membership.objects.filter(user_id=to.pk).values("workspace")
    links = ShareLink.objects.filter(created_by_id=person.pk, revoked_at=None, run__workspace__in=shared)
    moved = links.update(created_by_id=to.pk)
    details = {"to": to.get_username(), "workspaces": len(owned), "links": moved}
    record(actor=actor, verb="account.handed_over", target=person, details=details)
    return len(owned)


def find_by_name(name: str) -> AbstractUser:
    """The account of a user name or address; Problem (422) when there is none, or several have the address."""
    fits = Q(username__iexact=name) | Q(email__iexact=name)
    found = list(get_user_model()._default_manager.filter(fits).order_by(F("username"))[:2]) if name else []
    if not name:
        raise Problem(
            "No account was named.", remedy="Type the user name or the address of one.", code="no_such_account"
        )
    if len(found) != 1:
        named = name if len(name) <= NAME_MAX else f"{name[:40]}…"
        raise Problem(f"No single account is called “{named}”.", remedy="Give a user name.", code="no_such_account")
    only: AbstractUser = found[0]
    return only
