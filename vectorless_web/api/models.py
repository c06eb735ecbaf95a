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
