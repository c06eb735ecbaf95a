"""Threads, and the runs in them: one question each."""

from django.conf import settings
from django.db import models

from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.money import MoneyField
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL


class Thread(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="threads")
    title = models.CharField(max_length=TITLE_MAX)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title


class Run(models.Model):
    """One question being answered. `lease` is the token of the worker that may write to it until `lease_until`."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Working"
        ANSWERED = "answered", "Answered"
        PARTIAL = "partial", "Answered in part"
        NOT_FOUND = "not_found", "Not in these documents"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Stopped"

    class How(models.TextChoices):
        """Why it was asked after another run, `asked_from`."""

        FOLLOW_UP = "follow_up", "Follow-up"
        AGAIN = "again", "Asked again"
        NEWER = "newer", "Asked again of newer versions"
        DEEPER = "deeper", "Asked to look deeper"
        EDITED = "edited", "Edited"
        ANSWERER = "answerer", "Asked of another"

    OPEN = (Status.QUEUED, Status.RUNNING)
    ENDED = (Status.ANSWERED, Status.PARTIAL, Status.NOT_FOUND, Status.FAILED, Status.CANCELLED)

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="runs")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="runs")
    question = models.TextField()
    whole_workspace = models.BooleanField(default=True)
    documents = models.ManyToManyField(Document, blank=True, related_name="+")
    """The chosen documents when the scope is not the whole workspace."""
    versions = models.ManyToManyField(DocumentVersion, blank=True, related_name="+")
    """The versions the run read, pinned."""
    asked_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The run it follows up on, or asks once more in another way."""
    asked_how = models.CharField(max_length=12, choices=How.choices, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    phase = models.CharField(max_length=20, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    cancel_requested = models.BooleanField(default=False)
    stopped_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Who asked it to stop."""
    lease = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    engine = models.CharField(max_length=20, default="offline")
    model = models.CharField(max_length=120, blank=True)
    settings = models.JSONField(default=dict, blank=True)
    """Limits and settings as they stood when asked."""
    corpus_fingerprint = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)
    """How it ended, in one sentence."""
    error_code = models.CharField(max_length=40, blank=True)
    retryable = models.BooleanField(default=False)
    checked = models.JSONField(default=list, blank=True)
    """What was looked at when nothing was found: [{document, title, reason, page_start, page_end}]."""
    step_count = models.PositiveIntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_open(self) -> bool:
        """Whether the run has not ended yet."""
        return self.status in self.OPEN

    @property
    def is_another_try(self) -> bool:
        """Whether it asks an earlier run's question once more, and so can be compared with it."""
        return self.asked_how not in ("", self.How.FOLLOW_UP)
