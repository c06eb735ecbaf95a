"""Links that show one run to anybody who holds them, and when they were used."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.runs.models import Run

USER = settings.AUTH_USER_MODEL


class ShareLink(models.Model):
    """A link to one run. The token itself is shown once, when the link is made, and stored only as a hash."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="share_links")
    token_hash = models.CharField(max_length=64, unique=True)
    password_hash = models.CharField(max_length=128, blank=True)
    redact = models.BooleanField(default=False)
    """Names of people and of the workspace are left out."""
    hide_trace = models.BooleanField(default=False)
    """The steps, the map and what was checked in vain are left out."""
    label = models.CharField(max_length=60, blank=True)
    """For whom the link is; it stands across every picture of a page seen through it."""
    views_max = models.PositiveIntegerField(null=True, blank=True)
    """Openings after which the link closes; null for any number."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"link to {self.run}"

    @property
    def is_open(self) -> bool:
        """Whether the link still shows the run."""
        return self.revoked_at is None and self.expires_at > timezone.now()


class ShareView(models.Model):
    """One time that a link was opened. Only the network of the address is kept, not the address."""

    link = models.ForeignKey(ShareLink, on_delete=models.CASCADE, related_name="views")
    at = models.DateTimeField(auto_now_add=True)
    ip_prefix = models.CharField(max_length=50, blank=True)
    agent = models.CharField(max_length=200, blank=True)
    pages = models.JSONField(default=list, blank=True)
    """[[version, page from 1]] whose pictures were fetched from that network after this opening."""

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.link} at {self.at:%Y-%m-%d %H:%M}"
