"""Tokens of programs, and replies kept for repeated requests."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL


class Scope(models.TextChoices):
    """What a token may do; each may do what the ones before it may, as far as the person behind it may."""

    READ = "read", "Read documents, runs and settings; search and route"
    ASK = "ask", "Ask questions, too"
    WRITE = "write", "Upload, change and delete documents, too"
    ADMIN = "admin", "See and set what owners govern, too"

    def covers(self, needed: str) -> bool:
        """Whether this scope may do what `needed` may."""
        order = list(Scope)
        return order.index(self) >= order.index(Scope(needed))


class ApiToken(models.Model):
    """A secret by which a program acts for a person. Only its hash is kept; it is shown once."""

    user: Any = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=NAME_MAX)
    prefix = models.CharField(max_length=12)
    """The first characters, by which its owner knows it."""
    token_hash = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=8, choices=Scope.choices, default=Scope.READ)
    workspaces: Any = models.ManyToManyField(Workspace, blank=True, related_name="+")
    """The only workspaces that it reaches; none for all of its person's."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_open(self) -> bool:
        """Whether it still lets anybody in."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


class KeptReply(models.Model):
    """The reply to a request with an Idempotency-Key, given again when the same request is repeated."""

    KEPT = timedelta(hours=24)

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    """0 while the first request is still under way."""
    body = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_reply_a_key")]

    def __str__(self) -> str:
        return f"{self.key}: {self.status}"


class EventKind(models.TextChoices):
    """What a webhook may be told of."""

    RUN_FINISHED = "run.finished", "A question was answered, stopped, or failed"
    DOCUMENT_READY = "document.ready", "A document, or a version of one, was read"
    DOCUMENT_FAILED = "document.failed", "A document could not be read"
    GRID_FINISHED = "grid.finished", "A grid has no cell under way any more"
    EVALUATION_FINISHED = "evaluation.finished", "An evaluation has asked all its questions"


class Webhook(models.Model):
    """An address that is told what happens in a workspace. Its secret is encrypted at rest and shown once."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    address = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    """The kinds that it is told of."""
    encrypted_secret = models.TextField(editable=False)
    encrypted_old_secret = models.TextField(blank=True, editable=False)
    old_secret_until = models.DateTimeField(null=True, blank=True)
    """Until when the secret before signs, too, so that a receiver can change over."""
    enabled = models.BooleanField(default=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    """When the first of the attempts was made that have failed without one succeeding; null when the last succeeded."""
    created_by: Any = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.address


class Delivery(models.Model):
    """One event on its way to one webhook, and how that went. The row is the line: a lost job costs a wait."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.CharField(max_length=60, unique=True)
    """The id by which the receiver knows an event that comes twice."""
    kind = models.CharField(max_length=30, choices=EventKind.choices)
    payload = models.JSONField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    """When the next attempt is due; while one is under way, when the next would be."""
    reply = models.PositiveSmallIntegerField(default=0)
    """The status of the last reply; 0 for none."""
    error = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"
        indexes = [models.Index(fields=["due_at"], condition=models.Q(status="waiting"), name="deliveries_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.message}"
