"""Files of workspaces that owners asked for."""

from typing import Any

from django.conf import settings
from django.db import models

from vectorless_web.workspaces.models import Workspace


class WorkspaceExport(models.Model):
    """One owner's file of a workspace: how far it is, and where it is stored for some days."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Being packed"
        DONE = "done", "Ready"
        FAILED = "failed", "Failed"

    OPEN = (Status.QUEUED, Status.RUNNING)

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user: Any = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    """Who asked for it: it holds what exists for them, and nobody else downloads it."""
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    file = models.CharField(max_length=100)
    """Its name in the storage, known before it is there, so that what a crash leaves behind is found again."""
    bytes = models.PositiveBigIntegerField(default=0)
    outcome = models.TextField(blank=True)
    """What came of it, in sentences; of a failure the cause."""
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="one_export_of_an_owner")]

    def __str__(self) -> str:
        return f"Export {self.pk}: {self.get_status_display()}"

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.status in self.OPEN
