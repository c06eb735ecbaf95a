"""Places that a workspace's documents come from by themselves, and what became of each of their files."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.documents.models import Document, Folder
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL
PATH_MAX = 1000


class Kind(models.TextChoices):
    """What a source is."""

    FOLDER = "folder", "A folder of the server"
    S3 = "s3", "A bucket (S3)"
    WEBDAV = "webdav", "A WebDAV server"


class Source(models.Model):
    """A place that is looked at now and then. Its secret is encrypted at rest and never shown.

    The row is the line: a look is due at `due_at`, and one worker has it until `looking_until`.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    address = models.CharField(max_length=500)
    account = models.CharField("user or key id", max_length=200, blank=True)
    encrypted_secret = models.TextField(blank=True, editable=False)
    region = models.CharField(max_length=40, blank=True)
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    """Where its documents are put. It stays as long as the source: its documents must not turn up elsewhere."""
    every_minutes = models.PositiveIntegerField(default=60)
    enabled = models.BooleanField(default=False)
    """While it is off, a look counts what would come and takes in nothing."""
    user: Any = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    """The owner who switched it on, by whose rights it takes documents in."""
    due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    looking_until = models.DateTimeField(null=True, blank=True)
    looked_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=400, blank=True)
    """Why the last look found nothing out; "" when it did."""
    files = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    """What the last look that succeeded found there."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["workspace", "address"], name="one_source_of_an_address")]

    def __str__(self) -> str:
        return self.address

    @property
    def is_looking(self) -> bool:
        """Whether a look is due or under way."""
        now = timezone.now()
        is_due = self.due_at is not None and self.due_at <= now
        return is_due or (self.looking_until is not None and self.looking_until > now)


class SourceFile(models.Model):
    """One file of a source, as it was when it was last looked at."""

    class State(models.TextChoices):
        CAME = "came", "Came"
        CHANGED = "changed", "New version"
        HERE = "here", "Was here already"
        FAILED = "failed", "Not taken in"
        GONE = "gone", "Gone from the source"

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="rows")
    path = models.CharField(max_length=PATH_MAX)
    mark = models.CharField(max_length=200, blank=True)
    """What it had when it was taken in or refused; "" for what is to be tried again."""
    size = models.PositiveBigIntegerField(default=0)
    state = models.CharField(max_length=8, choices=State.choices)
    error = models.CharField(max_length=TITLE_MAX, blank=True)
    document = models.ForeignKey(Document, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField("since", default=timezone.now)

    class Meta:
        ordering = ["-at", "pk"]
        constraints = [models.UniqueConstraint(fields=["source", "path"], name="one_row_of_a_path")]

    def __str__(self) -> str:
        return self.path
