"""Workspaces, who belongs to them, what they may spend, and the record of what was done."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Coalesce, Lower
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from vectorless_web.engine.errors import ModelAuth
from vectorless_web.engine.llm.capability import CHECKS
from vectorless_web.infra.limits import NAME_MAX, PHRASE_MAX
from vectorless_web.infra.money import MoneyField

USER = settings.AUTH_USER_MODEL


def _or_none(column: str) -> Coalesce:
    """A foreign key, 0 for none, so that a constraint takes two rows without one for the same."""
    return Coalesce(column, 0, output_field=models.BigIntegerField())


class Role(models.TextChoices):
    """What a member may do; each role may do what the ones before it may."""

    VIEWER = "viewer", "Viewer"
    MEMBER = "member", "Member"
    EDITOR = "editor", "Editor"
    OWNER = "owner", "Owner"

    def covers(self, needed: str) -> bool:
        """Whether this role may do what `needed` may."""
        order = list(Role)
        return order.index(self) >= order.index(Role(needed))


class Workspace(models.Model):
    """A team's documents, runs and settings. `settings` overrides `DEFAULTS` key by key."""

    DEFAULTS: dict[str, Any] = {
        "max_steps": 6,
        "token_budget": 8000,
        "money_usd": None,
        "verify": True,
        "second_reader": "",
        "pilot": "balanced",
        "strategy": "beam",
        "fusion": "rrf",
        "graph_expand": "",
        "community": False,
        "min_confidence": None,
        "summary_cap": None,
        "route_mode": "fast",
        "activate_threshold": 20,
        "max_candidates": 15,
        "bm25_top_k": 50,
        "w_bm25": 0.5,
        "w_keyword": 0.3,
        "w_graph": 0.2,
        "w_fields": 1.0,
        "w_text": 0.5,
        "runs_private": False,
        "same_name": "version",
    }
    """Settings of a workspace that has set nothing. With `runs_private` a question is its asker's own until they share
    it. `max_steps` counts steps of one walk, `token_budget` tokens of evidence, `money_usd` US dollars of a run (None:
    no limit). `second_reader` is the provider that checks answers ("provider:7"; "": the model that answers).
    `same_name` says what becomes of a changed file that a program sends
    (documents.services.uploads.SameName). `verify` and what stands from `pilot` to `summary_cap` are those of
    engine.agent.state.Settings (no cap: the site's), the others those of the router
    (engine.finding.routing.signals)."""

    BIN_DAYS = 30
    """Days that a deleted workspace can be brought back."""
    role = ""
    """The role of the user for whom a selector fetched the workspace; "" when it was not fetched for anyone."""
    beside: "list[Workspace] | None" = None
    """All workspaces of that user, where the selector fetched them together; the page's menu lists them."""

    name = models.CharField(max_length=NAME_MAX)
    slug = models.SlugField(max_length=60, unique=True)
    description = models.TextField(blank=True)
    settings = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Since when the workspace can only be read; null for one that is in use."""
    deleted_at = models.DateTimeField(null=True, blank=True)
    """Since when it is in the bin: nobody belongs to it there, and it is purged after BIN_DAYS."""
    max_bytes = models.PositiveBigIntegerField("bytes it may store", null=True, blank=True)
    """Null takes the site's limit, 0 is no limit."""
    max_documents = models.PositiveIntegerField("documents it may hold", null=True, blank=True)
    """Null is no limit."""

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def setting(self, name: str) -> Any:
        """The workspace's value, else the default; KeyError for a name that is no setting."""
        return self.settings.get(name, self.DEFAULTS[name])

    def allows(self, needed: str) -> bool:
        """Whether the user for whom the workspace was fetched has at least the role `needed`."""
        return bool(self.role) and Role(self.role).covers(needed)


class Membership(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="one_membership_each")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.workspace}"


class Visit(models.Model):
    """An administrator who opened a workspace for a while without being a member; its owners are shown that."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="visits")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=300)
    begun_at = models.DateTimeField(auto_now_add=True)
    ends_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.user} visits {self.workspace}"


class ServiceAccount(models.Model):
    """A program as a member of a workspace: an account that nobody signs in to, used by tokens that owners make."""

    user: Any = models.OneToOneField(USER, on_delete=models.CASCADE, related_name="service_account")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="service_accounts")
    created_by: Any = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.user} of {self.workspace}"


class PeopleGroup(models.Model):
    """People of the whole site who are let into workspaces and folders together; site staff keep them."""

    name = models.CharField(max_length=NAME_MAX, unique=True)
    description = models.CharField(max_length=300, blank=True)
    people: Any = models.ManyToManyField(USER, blank=True, related_name="people_groups")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "group of people"
        verbose_name_plural = "groups of people"

    def __str__(self) -> str:
        return self.name


class TwoStepRule(models.Model):
    """Who must sign in in two steps: one person, the people of a group, or, with neither, everyone."""

    user = models.ForeignKey(USER, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(PeopleGroup, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(user=None) | models.Q(group=None), name="two_step_rule_of_one"),
            models.UniqueConstraint(_or_none("user"), _or_none("group"), name="one_two_step_rule_each"),
        ]

    def __str__(self) -> str:
        return f"Two steps for {self.user or self.group or 'everyone'}"


class GroupMembership(models.Model):
    """A group as a member: each of its people has at least this role in the workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="group_memberships")
    group = models.ForeignKey(PeopleGroup, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["group__name"]
        constraints = [models.UniqueConstraint(fields=["workspace", "group"], name="one_membership_a_group")]

    def __str__(self) -> str:
        return f"{self.group} is {self.role} of {self.workspace}"


class Invitation(models.Model):
    """A link that lets anybody who holds it join. Only the token's hash is kept; the link is shown once."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    email = models.EmailField(blank=True)
    """When given, only the account with this address may use the link."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Invitation to {self.workspace} as {self.role}"

    def is_for(self, email: str) -> bool:
        """Whether the account with this address may use the link."""
        return not self.email or self.email.casefold() == email.casefold()

    @property
    def is_open(self) -> bool:
        """Whether the link can still be used."""
        return self.accepted_at is None and self.revoked_at is None and self.expires_at > timezone.now()


class ProvidersInUse(models.Manager["ModelProvider"]):
    """The providers that nobody has removed."""

    def get_queryset(self) -> models.QuerySet["ModelProvider"]:
        return super().get_queryset().filter(removed_at=None)


LAST_FAILURE = "last_failure"
"""Where `capabilities` say that the model's last call in a run failed."""


@dataclass(frozen=True)
class LastFailure:
    """A call of a model that failed: when, with which code, and its cause in a sentence."""

    at: datetime | None
    code: str
    message: str

    @property
    def is_of_key(self) -> bool:
        """Whether the server refused the key, so that every call fails until another is stored."""
        return self.code == ModelAuth.code


class ModelProvider(models.Model):
    """A chat model a workspace may use (every workspace when `workspace` is null). The key is encrypted at rest."""

    class Pictures(models.TextChoices):
        """Whether the model is shown pages as pictures, besides their text."""

        TESTED = "", "As its test finds"
        YES = "yes", "Yes, it reads pictures"
        NO = "no", "No, send it text alone"

    is_asked = False
    """Whether it answers where no model was chosen, where a view filled that in."""
    is_second_reader = False
    """Whether it checks what another model answered, likewise."""
    uses: "list[str]" = []
    """What rests on it, likewise."""
    TRIED_WITHIN = timedelta(minutes=11)
    """A self-test is ended after ten minutes; the eleventh is for a queue that waits."""

    workspace = models.ForeignKey(
        Workspace, null=True, blank=True, on_delete=models.CASCADE, related_name="model_providers"
    )
    name = models.CharField(max_length=80)
    base_url = models.CharField("address", max_length=300)
    model = models.CharField(max_length=120)
    encrypted_key = models.TextField(blank=True, editable=False)
    price_in = models.DecimalField("price per million tokens in", max_digits=10, decimal_places=4, default=0)
    price_out = models.DecimalField("price per million tokens out", max_digits=10, decimal_places=4, default=0)
    context_size = models.PositiveIntegerField("context size in tokens", default=128_000)
    pictures = models.CharField(
        "pictures of pages", max_length=4, choices=Pictures.choices, default=Pictures.TESTED, blank=True
    )
    capabilities = models.JSONField(default=dict, blank=True)
    """What its self-test found out."""
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    """Since when it is out of use; until it is forgotten with its key, the removal can be undone."""

    objects = ProvidersInUse()
    with_removed = models.Manager()  # noqa: DJ012 - a manager, and not the default one

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "name"], condition=models.Q(removed_at=None), name="one_provider_of_a_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def has_key(self) -> bool:
        """Whether a key is stored; the key itself is never shown."""
        return bool(self.encrypted_key)

    @property
    def reads_pictures(self) -> bool:
        """Whether the model may be shown pages as pictures: as an owner says, else as its test found."""
        found = self.capabilities.get("reads_pictures") is True
        return found if self.pictures == self.Pictures.TESTED else self.pictures == self.Pictures.YES

    @property
    def tested_at(self) -> datetime | None:
        """When its last self-test ended; None before the first one did."""
        return parse_datetime(str(self.capabilities.get("tested_at", "")))

    @property
    def last_failure(self) -> "LastFailure | None":
        """What its last call in a run failed with; None when that was answered, and after a self-test."""
        found = self.capabilities.get(LAST_FAILURE)
        return LastFailure(parse_datetime(found["at"]), found["code"], found["message"]) if found else None

    @property
    def is_being_tried(self) -> bool:
        """Whether its self-test is under way: one that a worker left behind is not waited for."""
        begun = parse_datetime(str(self.capabilities.get("since", "")))
        return (
            bool(self.capabilities.get("testing")) and begun is not None and timezone.now() - begun < self.TRIED_WITHIN
        )

    @property
    def checks(self) -> list[tuple[str, str]]:
        """Each check of a self-test that is under way, with "done", "now" or "" for what is still to come."""
        now = str(self.capabilities.get("check", CHECKS[0]))
        place = CHECKS.index(now) if now in CHECKS else 0
        return [
            (name, "done" if number < place else "now" if number == place else "") for number, name in enumerate(CHECKS)
        ]

    @property
    def was_left_untried(self) -> bool:
        """Whether a self-test began and never came to an end."""
        return bool(self.capabilities.get("testing")) and not self.is_being_tried


class ModelHost(models.Model):
    """A host to which models of workspaces may be connected. Without any row, any host will do."""

    host = models.CharField(max_length=253, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["host"]

    def __str__(self) -> str:
        return self.host


class Budget(models.Model):
    """What may be spent in a period. `spent + reserved` never passes `limit_usd`.

    With a workspace it limits that, or one member there; without one the whole site, or one person everywhere.
    Administrators and owners may each set one for the same people: both hold.
    """

    class Period(models.TextChoices):
        DAY = "day", "A day"
        MONTH = "month", "A month"

    workspace = models.ForeignKey(Workspace, null=True, blank=True, on_delete=models.CASCADE, related_name="budgets")
    """Null for a budget of the site, which its administrators set."""
    user = models.ForeignKey(USER, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """The one person it limits; null limits everyone together."""
    by_staff = models.BooleanField("set by administrators", default=False)
    """Owners see it, and neither change nor lift it."""
    period = models.CharField(max_length=8, choices=Period.choices, default=Period.MONTH)
    limit_usd = models.DecimalField(max_digits=12, decimal_places=4)
    """No call is made beyond it."""
    warn_percent = models.PositiveSmallIntegerField(
        "warn at percent", default=80, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    """Share of the limit from which pages warn that it will be used up."""
    spent_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    reserved_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    period_start = models.DateField()
    """First day of the period that `spent_usd` is about."""

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(_or_none("workspace"), _or_none("user"), "by_staff", name="one_budget_of_a_place"),
        ]

    def __str__(self) -> str:
        return f"{self.limit_usd} USD {self.get_period_display().lower()}"


class LexiconEntry(models.Model):
    """Words of a workspace's own: what people ask for under `concept`, documents say in one of the `phrases`.

    `concept` may hold several names, acronyms and nicknames, parted by commas. With a
    `statement` ("income", "balance", ...) it is a figure that usually is there.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="lexicon_entries")
    concept = models.CharField("people ask for", max_length=PHRASE_MAX)
    phrases = models.JSONField("documents say", default=list)
    statement = models.CharField("a figure of", max_length=40, blank=True)
    note = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField("changed at", auto_now=True)

    class Meta:
        ordering = [Lower("concept"), "pk"]
        verbose_name_plural = "lexicon entries"
        constraints = [
            models.UniqueConstraint("workspace", Lower("concept"), name="one_lexicon_entry_of_a_concept"),
        ]

    def __str__(self) -> str:
        return self.concept


class AppendOnlyError(Exception):
    """Raised on an attempt to change or delete a row of the record."""


class AppendOnlyQuerySet(models.QuerySet["AuditEvent"]):
    """Refuses to change rows in bulk."""

    def update(self, **values: object) -> NoReturn:
        raise AppendOnlyError("The record can only be added to.")

    def delete(self) -> NoReturn:
        raise AppendOnlyError("The record can only be added to.")


class AuditEvent(models.Model):
    """What somebody did. Rows are only ever added; `workspaces.services.record` is the one writer."""

    actor = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    verb = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40, blank=True)
    object_id = models.CharField(max_length=40, blank=True)
    object_name = models.CharField(max_length=300, blank=True)
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.SET_NULL, related_name="+")
    details = models.JSONField(default=dict, blank=True)
    address = models.CharField(max_length=50, blank=True)
    """The network that the request came from, not the address; "" for what no request did."""
    actor_key = models.BigIntegerField(default=0)
    """The actor's number, 0 for none: it stays when the account is deleted, for the digest is made of it."""
    workspace_key = models.BigIntegerField(default=0)
    """The workspace's number, likewise."""
    salt = models.CharField(max_length=48, null=True, blank=True)  # noqa: DJ001 - see below
    """Random, so that the seal of a name that is hidden from a reader tells nothing of it; null in events of before.

    A column without a default: SQLite would else make the table anew, without the triggers of its full-text index."""
    digest = models.CharField(max_length=64, blank=True)
    """SHA-256 of the digest before and of this row (`workspaces.storage.digest_event`)."""
    at = models.DateTimeField(default=timezone.now, db_index=True)
    seal, is_hidden = "", False
    """On an event whose name and details a reader may not see: what stands for these, and that they are taken out."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["verb", "-id"], name="audit_verb"),
            models.Index(fields=["actor", "-id"], name="audit_actor"),
            models.Index(fields=["workspace", "-id"], name="audit_workspace"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.verb}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise AppendOnlyError("The record can only be added to.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError("The record can only be added to.")


class AuditHead(models.Model):
    """The one row that says where the record ends. Whoever adds to the record holds it until the commit."""

    count = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the last event."""

    def __str__(self) -> str:
        return f"{self.count} events"


class SiteSetting(models.Model):
    """What staff set in the console for the whole site, one row a name; `workspaces.site` says what the names mean."""

    name = models.CharField(max_length=60, unique=True)
    value = models.JSONField(default=dict, blank=True)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
