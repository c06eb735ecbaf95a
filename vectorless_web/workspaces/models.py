"""Workspaces, who belongs to them, and the record of what was done."""

from typing import Any

from django.conf import settings
from django.db import models

USER = settings.AUTH_USER_MODEL


class Role(models.TextChoices):
    """What a member may do; each role may do what the ones before it may."""

    VIEWER = "viewer", "Viewer"
    MEMBER = "member", "Member"
    EDITOR = "editor", "Editor"
    OWNER = "owner", "Owner"


class Workspace(models.Model):
    """A team's documents, runs and settings. `settings` overrides `DEFAULTS` key by key."""

    DEFAULTS: dict[str, Any] = {"max_steps": 6, "token_budget": 8000, "route_mode": "fast", "language": "en"}

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    description = models.TextField(blank=True)
    settings = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def setting(self, name: str) -> Any:
        """The workspace's value, else the default; KeyError for a name that is no setting."""
        return self.settings.get(name, self.DEFAULTS[name])


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


class AuditEvent(models.Model):
    """What somebody did. Rows are only ever added; `workspaces.services.record` is the one writer."""

    actor = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    verb = models.CharField(max_length=60)
    object_type = models.CharField(max_length=40, blank=True)
    object_id = models.CharField(max_length=40, blank=True)
    object_name = models.CharField(max_length=300, blank=True)
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.SET_NULL, related_name="+")
    details = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.actor} {self.verb} {self.object_name}"
