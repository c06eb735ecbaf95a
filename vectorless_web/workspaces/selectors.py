"""Selectors of workspaces. Every view and socket looks up its workspace here, with the asking user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache, reduce
from itertools import chain
from operator import or_
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AbstractUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.understand import entry_concept, wordings
from vectorless_web.infra.lookups import one_or_404
from vectorless_web.infra.templatetags.show import person
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.selectors import Told
from vectorless_web.workspaces.models import (
    AuditEvent,
    Budget,
    GroupMembership,
    Invitation,
    LexiconEntry,
    Membership,
    ModelHost,
    ModelProvider,
    PeopleGroup,
    Role,
    ServiceAccount,
    TwoStepRule,
    Visit,
    Workspace,
)
from vectorless_web.workspaces.storage import decrypt, hash_token

User = AbstractBaseUser | AnonymousUser

OFFLINE, SITE, PROVIDER = "offline", "site", "provider:"
"""Who may be chosen to answer: the offline reasoner, the model of the site's settings, a provider by its number."""


ARCHIVED = (
    "This workspace is archived: it can be read and nothing in it changes. "
    "An administrator of the site can take it out of the archive."
)


@dataclass(frozen=True)
class ModelSettings:
    """A chat model as the job that calls it needs it. Prices are US dollars per million tokens.

    What its self-test found stands for what nobody stated.
    """

    name: str
    base_url: str
    model: str
    api_key: str = field(repr=False)
    price_in: Decimal
    price_out: Decimal
    context_size: int
    forms: tuple[str, ...] = ("json_schema", "json_object", "")
    """How the server lets itself be asked for an object, the strictest first."""
    streams: bool = True
    pictures: bool = False
    """Whether the model is shown pages as pictures, besides their text."""


@dataclass(frozen=True)
class May:
    """What the user may do in a workspace, for templates."""

    ask: bool
    upload: bool
    edit: bool
    delete: bool
    share: bool
    govern: bool


def may_in(workspace: Workspace) -> May:
    """What the user for whom the workspace was fetched may do there."""
    return may_as(workspace.role)


def may_as(role: str) -> May:
    """What somebody with this role may do; "" is nobody's."""
    asks, edits, governs = (bool(role) and Role(role).covers(need) for need in (Role.MEMBER, Role.EDITOR, Role.OWNER))
    return May(ask=asks, upload=edits, edit=edits, delete=edits, share=asks, govern=governs)


def workspace_context(user: User, workspace: Workspace, section: str) -> dict[str, Any]:
    """What every page of a workspace shows around its own content; `section` is the current tab."""
    return {
        "workspace": workspace,
        "my_workspaces": workspaces_of(user) if workspace.beside is None else workspace.beside,
        "may": may_in(workspace),
        "section": section,
    }


def workspaces_of(user: User) -> list[Workspace]:
    """The workspaces the user belongs to, by name, each with the user's `role`."""
    return _joined_by(user)


def workspace_for(user: User, slug: str, needs: str = Role.VIEWER, *, alone: bool = False) -> Workspace:
    """The workspace with the user's `role`; Http404 for a stranger, PermissionDenied below the role `needs`.

    `alone`: without the user's other workspaces, which pages list beside it.
    """
    found = _joined_by(user, workspace__slug=slug) if alone else []
    workspace = next(iter(found), None) if alone else member_workspace(user, slug)
    if workspace is None:
        raise Http404("There is no such workspace, or you do not belong to it.")
    if workspace.archived_at is not None and not workspace.allows(needs):
        raise PermissionDenied(ARCHIVED)
    if not workspace.allows(needs):
        raise PermissionDenied(f"This needs the role {Role(needs).label.lower()} or a higher one.")
    return workspace


def member_workspace(user: User, slug: str) -> Workspace | None:
    """The workspace with the user's `role`, or None for a stranger and for a slug that does not exist."""
    joined = workspaces_of(user)
    found = next((workspace for workspace in joined if workspace.slug == slug), None)
    if found is not None:
        found.beside = joined
    return found


def role_in(workspace: Workspace, user: User) -> str:
    """The user's role, the best of their own and those of their groups; "" for a stranger."""
    return next((found.role for found in _joined_by(user, workspace=workspace)), "")


def roles_in(workspace: Workspace, users: Iterable[int]) -> dict[int, str]:
    """The roles of those of these users who still belong to the workspace and may sign in."""
    asked = list(users)
    here = {"workspace": workspace, "workspace__deleted_at": None}
    own = Membership.objects.filter(**here, user_id__in=asked, user__is_active=True)
    through = GroupMembership.objects.filter(**here, group__people__in=asked, group__people__is_active=True)
    visitors = open_visits().filter(**here, user_id__in=asked, user__is_active=True)
    best: dict[int, str] = {pk: Role.OWNER.value for pk in visitors.values_list("user_id", flat=True)}
    for pk, role in (*own.values_list("user_id", "role"), *through.values_list("group__people", "role")):
        best[pk] = role if pk not in best or Role(role).covers(best[pk]) else best[pk]
    return dict.fromkeys(best, Role.VIEWER.value) if workspace.archived_at else best


def open_visits() -> QuerySet[Visit]:
    """The visits of administrators that have not ended."""
    return Visit.objects.filter(ends_at__gt=timezone.now(), user__is_active=True, user__is_staff=True)


def visits_in(workspace: Workspace) -> QuerySet[Visit]:
    """The administrators who have the workspace open now."""
    return open_visits().filter(workspace=workspace).select_related("user")


def people_in(workspace: Workspace) -> QuerySet[Any]:
    """The accounts of all who belong to the workspace, by themselves or by a group, by user name."""
    own = Membership.objects.filter(workspace=workspace).values("user")
    through = PeopleGroup.people.through.objects.filter(peoplegroup__memberships__workspace=workspace)
    # "_id": the reverse key of a many-to-many is named after the account's model.
    return (
        get_user_model()
        ._default_manager.filter(Q(pk__in=own) | Q(pk__in=through.values("user_id")))
        .order_by("username")
    )


def belonging_pairs(users: Iterable[int], slugs: Iterable[str]) -> set[tuple[int, str]]:
    """(account, slug) of those of these users who belong to those of these workspaces."""
    asked, here = list(users), {"workspace__slug__in": list(slugs), "workspace__deleted_at": None}
    own = Membership.objects.filter(**here, user_id__in=asked)
    through = GroupMembership.objects.filter(**here, group__people__in=asked)
    visits = open_visits().filter(**here, user_id__in=asked)
    pairs = (rows.values_list("user_id", "workspace__slug") for rows in (own, visits))
    return {*chain(*pairs), *through.values_list("group__people", "workspace__slug")}


def belongs(workspace: str, user: str) -> Q:
    """Whether the account in the column `user` belongs to the workspace in the column `workspace` and may sign in."""
    here = {"workspace": OuterRef(workspace), "workspace__deleted_at": None}
    own = Membership.objects.filter(**here, user=OuterRef(user), user__is_active=True)
    through = GroupMembership.objects.filter(**here, group__people=OuterRef(user), group__people__is_active=True)
    return Q(Exists(own)) | Q(Exists(through))


def _joined_by(user: User, **where: Any) -> list[Workspace]:
    """The workspaces that the user belongs to, each with their best `role` there, by name; `where` narrows them to one.

    An administrator belongs to a workspace, too, while they have it open.
    """
    account, narrowed = account_id(user), {"workspace__deleted_at": None, **where}
    own = Membership.objects.filter(user=account, **narrowed).select_related("workspace")
    found: dict[int, Workspace] = {}
    rows: list[Membership | GroupMembership] = [*own]
    is_settled = bool(where) and any(row.role == Role.OWNER for row in rows)
    if not is_settled:  # More than an owner nobody can be.
        rows += GroupMembership.objects.filter(group__people=account, **narrowed).select_related("workspace")
    for row in rows:
        workspace = found.setdefault(row.workspace_id, row.workspace)
        if not workspace.allows(row.role):
            workspace.role = row.role
    if getattr(user, "is_staff", False) and not is_settled:
        for visit in open_visits().filter(user=account, **narrowed).select_related("workspace"):
            found.setdefault(visit.workspace_id, visit.workspace).role = Role.OWNER
    for workspace in found.values():
        if workspace.archived_at is not None:
            workspace.role = Role.VIEWER
    return sorted(found.values(), key=lambda each: (each.name, each.pk))


def groups_of(workspace: Workspace) -> QuerySet[GroupMembership]:
    """The groups that are members, each with `people_count`."""
    rows = workspace.group_memberships.select_related("group").prefetch_related("group__people")
    return rows.annotate(people_count=Count("group__people"))


def group_membership_in(workspace: Workspace, pk: int) -> GroupMembership:
    """One group's membership of this workspace; Http404 for any other."""
    return one_or_404(groups_of(workspace), "There is no such group here.", pk=pk)


def groups_to_add(workspace: Workspace) -> QuerySet[PeopleGroup]:
    """The groups of the site that are no member yet."""
    return PeopleGroup.objects.exclude(memberships__workspace=workspace)


def members_of(workspace: Workspace, search: str = "") -> QuerySet[Membership]:
    """The members with their accounts and `last_act`, the last thing each is recorded to have done here.

    In the order they joined; with `search` those whose name or address holds every word.
    """
    acts = AuditEvent.objects.filter(workspace=workspace, actor=OuterRef("user")).order_by("-pk")
    rows = workspace.memberships.select_related("user__service_account").annotate(
        last_act=Subquery(acts.values("at")[:1])
    )
    for word in search.split():
        names = ("username", "first_name", "last_name", "email")
        rows = rows.filter(reduce(or_, (Q(**{f"user__{name}__icontains": word}) for name in names)))
    return rows


def service_accounts_of(workspace: Workspace) -> QuerySet[ServiceAccount]:
    """The programs that belong to a workspace, each with its `role`."""
    here = Membership.objects.filter(workspace=workspace, user=OuterRef("user"))
    rows = workspace.service_accounts.select_related("user").annotate(role=Subquery(here.values("role")[:1]))
    return rows.exclude(role=None)


def service_account_in(workspace: Workspace, pk: int) -> ServiceAccount:
    """One of them; Http404 for another."""
    return one_or_404(service_accounts_of(workspace), "There is no such service account here.", pk=pk)


RETURN_WITHIN = timedelta(hours=1)
"""How long a removal can be undone by one click; later a new invitation is as quick."""


def find_removal(workspace: Workspace, account: int) -> AuditEvent | None:
    """The record of a removal that can still be undone; None when there is none or the person is back."""
    if Membership.objects.filter(workspace=workspace, user=account).exists():
        return None
    since = timezone.now() - RETURN_WITHIN
    rows = AuditEvent.objects.filter(workspace=workspace, verb="member.removed", details__user=account, at__gt=since)
    return rows.first()


def own_membership(workspace: Workspace, user: User) -> Membership | None:
    """The user's own membership; None for somebody who is here by a group alone."""
    return members_of(workspace).filter(user=account_id(user)).first()


def own_groups(workspace: Workspace, user: User) -> list[str]:
    """The names of the groups by which the user belongs to the workspace."""
    rows = workspace.group_memberships.filter(group__people=account_id(user))
    return list(rows.values_list("group__name", flat=True))


def owners_of(workspace_id: int) -> QuerySet[Membership]:
    """The owners who can sign in."""
    rows = Membership.objects.filter(workspace_id=workspace_id, role=Role.OWNER, user__is_active=True)
    return rows.select_related("user", "workspace")


SEE_BUDGETS = "workspaces.view_budget"
"""The right of staff to see every budget in the console."""


def accountable_for(budget: Budget) -> list[int]:
    """The accounts that answer for a budget: of a workspace its owners, else the staff who see every budget."""
    if budget.workspace is not None:
        return owner_ids(budget.workspace)
    backend = "django.contrib.auth.backends.ModelBackend"
    staff = get_user_model().objects.with_perm(SEE_BUDGETS, backend=backend)
    return list(staff.filter(is_staff=True).values_list("pk", flat=True))


def owner_ids(workspace: Workspace) -> list[int]:
    """The accounts of all owners who can sign in, those by a group among them."""
    roles = roles_in(workspace, people_in(workspace).values_list("pk", flat=True))
    return [pk for pk, role in roles.items() if role == Role.OWNER]


def only_owner_of(workspace: Workspace) -> Membership | None:
    """The owner without whom the workspace would have none who can sign in; None when there are several."""
    owners = list(owners_of(workspace.pk)[:2])
    return owners[0] if len(owners) == 1 else None


def is_only_owner(membership: Membership) -> bool:
    """Whether the workspace would be left without an owner who can sign in."""
    if membership.role != Role.OWNER:
        return False
    return not owners_of(membership.workspace_id).exclude(pk=membership.pk).exists()


def membership_in(workspace: Workspace, pk: int) -> Membership:
    """One membership of this workspace; Http404 for any other."""
    return one_or_404(members_of(workspace), "There is no such member here.", pk=pk)


def pending_invitations(workspace: Workspace) -> QuerySet[Invitation]:
    """The invitations that were neither used nor revoked, newest first; expired ones can be renewed."""
    return workspace.invitations.filter(accepted_at=None, revoked_at=None).select_related("created_by")


def invitation_in(workspace: Workspace, pk: int) -> Invitation:
    """One invitation to this workspace; Http404 for any other."""
    return one_or_404(workspace.invitations, "There is no such invitation here.", pk=pk)


def invitation_by(token: str) -> Invitation | None:
    """The invitation that can still be used with this token; None for one that cannot or never could."""
    rows = Invitation.objects.filter(_still_open(), token_hash=hash_token(token))
    return rows.select_related("workspace", "created_by").first()


def why_closed(token: str) -> Problem:
    """Why an invitation cannot be used (any more), and what to do."""
    found = Invitation.objects.filter(token_hash=hash_token(token)).first()
    if found is None:
        cause, remedy = "There is no such invitation.", "Check that the whole link was copied, or ask for another one."
    elif found.accepted_at is not None:
        cause, remedy = (
            "This invitation was used already.",
            "If it was by you, sign in; else ask for a link of your own.",
        )
    elif found.revoked_at is not None:
        cause, remedy = "This invitation was revoked.", "Ask an owner of the workspace whether you may still come."
    else:
        cause, remedy = "This invitation has expired.", "Ask an owner of the workspace for another link."
    return Problem(cause, remedy=remedy, code="invitation_closed", status=404)


def has_address(user: User, email: str) -> bool:
    """Whether the account has this e-mail address, confirmed or not."""
    return EmailAddress.objects.filter(user_id=account_id(user), email__iexact=email).exists()


def has_confirmed(user: User, email: str) -> bool:
    """Whether the account has confirmed that this e-mail address is its own."""
    return EmailAddress.objects.filter(user_id=account_id(user), email__iexact=email, verified=True).exists()


def find_joined_workspace(token: str, user: User) -> Workspace | None:
    """The workspace that this user joined by this invitation, as one does who signs up by it; else None."""
    rows = Invitation.objects.filter(token_hash=hash_token(token), accepted_by=user.pk).exclude(accepted_by=None)
    found = rows.select_related("workspace").first()
    return found.workspace if found is not None and role_in(found.workspace, user) else None


def provider_in(workspace: Workspace, pk: int) -> ModelProvider:
    """One model provider of this workspace; Http404 for any other."""
    return one_or_404(workspace.model_providers, "There is no such model here.", pk=pk)


def removed_provider(workspace: Workspace | None, pk: int) -> ModelProvider:
    """One that was removed from this workspace (None: from the whole site) and can come back; Http404 for any other."""
    rows = ModelProvider.with_removed.select_related("workspace").exclude(removed_at=None)
    return one_or_404(rows, "This model is gone for good. Connect it again.", workspace=workspace, pk=pk)


def providers_for(workspace: Workspace) -> QuerySet[ModelProvider]:
    """The workspace's own model providers, then those of the whole site."""
    rows = ModelProvider.objects.filter(Q(workspace=workspace) | Q(workspace=None))
    return rows.order_by(F("workspace_id").desc(nulls_last=True), "pk")


def model_settings(workspace: Workspace) -> ModelSettings | None:
    """The model to use: the workspace's first enabled provider, else the site's; None when there is none.

    SecretUnreadable when its key was stored under another encryption key.
    """
    row = next(iter(usable_providers(workspace)), None)
    return None if row is None else settings_of(row)


def usable_providers(workspace: Workspace) -> list[ModelProvider]:
    """The providers that are switched on, at hosts that administrators allow; the workspace's own first."""
    return [row for row in providers_for(workspace).filter(enabled=True) if is_host_allowed(row.base_url)]


def provider_choice(row: ModelProvider) -> str:
    """How a run keeps that this provider was chosen for it."""
    return f"{PROVIDER}{row.pk}"


def model_chosen(workspace: Workspace, answerer: str) -> ModelSettings | None:
    """The model that was chosen to answer, or the one to use when none was or the chosen one is gone.

    None for the offline reasoner and for the model of the site's settings.
    """
    if answerer in (OFFLINE, SITE):
        return None
    return provider_chosen(workspace, answerer) or model_settings(workspace)


def provider_chosen(workspace: Workspace, choice: str) -> ModelSettings | None:
    """The provider that was chosen, as a job uses it; None for no choice, and for one that is gone or switched off."""
    row = next((row for row in usable_providers(workspace) if provider_choice(row) == choice), None)
    return None if row is None else settings_of(row)


def settings_of(row: ModelProvider) -> ModelSettings:
    """One provider as a job uses it; SecretUnreadable when its key was stored under another encryption key."""
    return ModelSettings(
        name=row.name,
        base_url=row.base_url,
        model=row.model,
        api_key=decrypt(row.encrypted_key),
        price_in=row.price_in,
        price_out=row.price_out,
        context_size=min(row.context_size, row.capabilities.get("reads_tokens") or row.context_size),
        forms=tuple(row.capabilities.get("forms") or ModelSettings.forms),
        streams=row.capabilities.get("streams") is not False,
        pictures=row.reads_pictures,
    )


def budgets_of(workspace: Workspace) -> QuerySet[Budget]:
    """The workspace's budget first, then those of single members; where there are two, the administrators' first."""
    return workspace.budgets.select_related("user").order_by(F("user_id").asc(nulls_first=True), "-by_staff")


def period_start(period: str, today: date | None = None) -> date:
    """The first day of the period that `today` lies in, in UTC."""
    day = today or timezone.now().date()
    return day.replace(day=1) if period == Budget.Period.MONTH else day


def period_end(period: str) -> date:
    """The first day of the next period, in UTC."""
    longest = timedelta(days=31 if period == Budget.Period.MONTH else 1)
    return period_start(period, period_start(period) + longest)


def covering_budgets(workspace: Workspace, user: User | None) -> QuerySet[Budget]:
    """The budgets that a call of this user in the workspace is paid from (None: those of no single person)."""
    own = Q(user=None) | Q(user_id=user.pk) if user is not None else Q(user=None)
    return Budget.objects.filter(own, Q(workspace=workspace) | Q(workspace=None))


USED_UP = 100
"""Percent of a budget at which owners are told, besides that which the budget names. A call that the rest does not
pay for uses a budget up, too."""


def name_notice(budget: Budget, share: int) -> str:
    """What tells apart the notice that a budget has come so far in its period, so that it is given once."""
    return f"budget-{budget.pk}-{budget.period_start.isoformat()}-{budget.limit_usd.normalize():f}-{share}"


@dataclass(frozen=True)
class UsedUp:
    """A budget that pays for no further call of a model: until when, in UTC, and whether owners can raise it."""

    until: date
    by_staff: bool


def used_up_budget(workspace: Workspace, user: User) -> UsedUp | None:
    """Of the used up budgets that the user's calls are paid from here, the one that lasts longest; None without one."""
    rows = [row for row in covering_budgets(workspace, user) if row.period_start >= period_start(row.period)]
    if not rows:
        return None
    refused = set(Notice.objects.filter(once__in=[name_notice(row, USED_UP) for row in rows]).values_list("once"))
    spent = [row for row in rows if row.spent_usd >= row.limit_usd or (name_notice(row, USED_UP),) in refused]
    ends = [UsedUp(period_end(row.period), row.by_staff or row.workspace_id is None) for row in spent]
    return max(ends, key=lambda end: (end.until, end.by_staff), default=None)


def budget_in(workspace: Workspace, pk: int) -> Budget:
    """One budget of this workspace that its owners set; Http404 for any other."""
    return one_or_404(workspace.budgets, "There is no such budget here.", pk=pk, by_staff=False)


def entries_of(workspace: Workspace) -> QuerySet[LexiconEntry]:
    """The workspace's own lexicon entries, by name."""
    return workspace.lexicon_entries.select_related("created_by")


def entry_in(workspace: Workspace, pk: int) -> LexiconEntry:
    """One lexicon entry of this workspace; Http404 for any other."""
    return one_or_404(entries_of(workspace), "There is no such entry here.", pk=pk)


LexiconRows = tuple[tuple[str, tuple[str, ...], str], ...]
"""Entries of a workspace's own: (concept, phrases, statement)."""


def lexicon_of(workspace: Workspace) -> Lexicon:
    """The packs with the workspace's own entries before them.

    One query; the lexicon itself is kept in the process for as long as the entries say the same.
    """
    return lexicon_from(lexicon_rows(workspace))


def lexicon_rows(workspace: Workspace) -> LexiconRows:
    """The workspace's own entries as values that can be kept."""
    rows = workspace.lexicon_entries.order_by("pk").values_list("concept", "phrases", "statement")
    return tuple((concept, tuple(phrases), statement) for concept, phrases, statement in rows)


@lru_cache(maxsize=16)
def lexicon_from(rows: LexiconRows) -> Lexicon:
    """The packs with kept entries before them."""
    entries = [entry_concept(wordings(concept), phrases, statement=statement) for concept, phrases, statement in rows]
    return default_lexicon().with_concepts(entries) if entries else default_lexicon()


def account_id(user: User) -> int:
    """The account's key; a visitor who is not signed in has none, and 0 is nobody's."""
    return user.pk or 0


def _still_open() -> Q:
    return Q(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now(), workspace__deleted_at=None)


SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def must_set_up_two_steps(account: str) -> Q:
    """Whether a rule asks the account in the column `account` for two steps that it has not set up."""
    rules = TwoStepRule.objects.filter(
        Q(user=None, group=None) | Q(user=OuterRef(account)) | Q(group__people=OuterRef(account))
    )
    factors = Authenticator.objects.filter(user_id=OuterRef(account), type__in=SECOND_FACTORS)
    return Q(Exists(rules)) & ~Q(Exists(factors))


def lacks_two_steps(user: User) -> bool:
    """Whether a rule asks for two steps that this account has not set up."""
    if not TwoStepRule.objects.exists():  # As on most sites, and told in a fifth of the time of what follows.
        return False
    return get_user_model()._default_manager.filter(must_set_up_two_steps("pk"), pk=account_id(user)).exists()


def is_host_allowed(address: str) -> bool:
    """Whether models at this address may be asked: at any, until administrators have named hosts."""
    return refuse_host(address) is None


def refuse_host(address: str) -> Problem | None:
    """Why models at this address may not be asked; None where they may."""
    hosts = set(ModelHost.objects.values_list("host", flat=True))
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        # An address stored before addresses were checked; who calls it says what is wrong with it.
        host = ""
    if not hosts or host in hosts:
        return None
    place = host or "an address that names no host"
    cause = f"Administrators of this site allow no models at {place}."
    return Problem(cause, remedy="Ask them to add the host.", code="host_not_allowed")


def read_notices(user: User, notices: Sequence[Notice]) -> dict[int, Told]:
    """What notices of budgets, invitations and roles tell the user; those of invitations an owner only.

    Those of budgets are told to who answers for the budget, and to whom it limits.
    """
    places = {workspace.pk: workspace for workspace in workspaces_of(user)}
    budgets = Budget.objects.select_related("user").in_bulk([row.about for row in notices if row.kind == Kind.BUDGET])
    told = {}
    for notice in notices:
        workspace, budget = places.get(notice.workspace_id or 0), budgets.get(notice.about)
        governs = workspace is not None and workspace.allows(Role.OWNER)
        if workspace is not None and notice.kind == Kind.ROLE_CHANGED:
            told[notice.pk] = _tell_role(notice, workspace)
        elif workspace is not None and governs and notice.kind == Kind.INVITATION_ACCEPTED:
            sentence = _("%(name)s accepted your invitation") % {"name": person(notice.actor)}
            told[notice.pk] = Told(sentence, workspace.name, reverse("workspaces:members", args=[workspace.slug]))
        elif budget is not None and (found := _tell_budget(notice, workspace, budget, user, governs=governs)):
            told[notice.pk] = found
    return told


def _tell_role(notice: Notice, workspace: Workspace) -> Told:
    values = {"name": person(notice.actor), "role": Role(notice.details["role"]).label.lower()}
    sentence = _("%(name)s changed your role to %(role)s") % values
    return Told(sentence, workspace.name, reverse("runs:workspace", args=[workspace.slug]))


def _tell_budget(
    notice: Notice, workspace: Workspace | None, budget: Budget, user: User, *, governs: bool
) -> Told | None:
    """What a notice of a budget tells the user; None for one that is not theirs to know (any more)."""
    is_own = budget.user_id == user.pk
    if budget.workspace_id is None:
        sees = isinstance(user, AbstractUser) and user.is_active and user.is_staff and user.has_perm(SEE_BUDGETS)
        url = reverse("console:budgets") if sees else reverse("notices:list")
        name = person(budget.user) if budget.user else _("The whole site")
    elif workspace is not None:
        sees, name = governs, f"{workspace.name}, {person(budget.user)}" if budget.user else workspace.name
        url = reverse("workspaces:budgets" if governs else "runs:workspace", args=[workspace.slug])
    else:
        return None
    if not (sees or is_own):
        return None
    if notice.details["share"] < 100:
        sentence = _("A budget has reached %(share)s %%") % {"share": notice.details["share"]}
    else:
        sentence = _("A budget has no room for further model calls")
    return Told(sentence, name, url)
