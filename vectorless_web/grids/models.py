"""Grids: documents as rows, questions as columns, and what each document answers to each question in the cells."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion, Folder
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL


class Grid(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="grids")
    name = models.CharField(max_length=TITLE_MAX)
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The folder whose new documents become rows by themselves."""
    answerer = models.CharField(max_length=60, blank=True)
    """Who answers its cells; "" for who answers usually."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """In whose name its waiting cells are asked: who pressed last."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class Column(models.Model):
    """One question. `choices` say what its values may be; `unit`, `scale` and `decimals` how numbers are shown."""

    class Kind(models.TextChoices):
        TEXT = "text", "Text"
        VERBATIM = "verbatim", "Verbatim clause"
        YES_NO = "yes_no", "Yes or no"
        CHOICE = "choice", "One of given choices"
        NUMBER = "number", "Number"
        MONEY = "money", "Money"
        PERCENT = "percent", "Percent"
        DATE = "date", "Date"
        DURATION = "duration", "Duration"
        LIST = "list", "List"

    NUMERIC = (Kind.NUMBER, Kind.MONEY, Kind.PERCENT, Kind.DURATION)
    IN_CURRENCY = (Kind.NUMBER, Kind.MONEY)

    grid = models.ForeignKey(Grid, on_delete=models.CASCADE, related_name="columns")
    position = models.PositiveIntegerField()
    label = models.CharField(max_length=80)
    question = models.CharField(max_length=500)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.TEXT)
    hint = models.CharField(max_length=300, blank=True)
    choices = models.JSONField(default=list, blank=True)
    unit = models.CharField(max_length=20, blank=True)
    """The ISO 4217 code or the measure of time ("month") that numbers are shown in; "" for that of each."""
    scale = models.PositiveBigIntegerField(default=1)
    """What numbers are divided by where they are shown: 1000000 shows millions."""
    decimals = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["grid", "position", "pk"]

    def __str__(self) -> str:
        return self.label

    @property
    def is_numeric(self) -> bool:
        """Whether its values can be summed, compared and drawn."""
        return self.kind in self.NUMERIC

    @property
    def asked(self) -> str:
        """The question as it is put to a document."""
        choices = f"({', '.join(self.choices)})" if self.choices else ""
        return " ".join(part for part in (self.question, choices, self.hint) if part)


class Row(models.Model):
    grid = models.ForeignKey(Grid, on_delete=models.CASCADE, related_name="rows")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(DocumentVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The version that its cells are of."""
    previous = models.ForeignKey(DocumentVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The version before, while cells of that one wait to be asked again."""
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["grid", "position", "pk"]
        constraints = [models.UniqueConstraint(fields=["grid", "document"], name="one_row_of_a_document")]

    def __str__(self) -> str:
        return f"{self.document}"


class Cell(models.Model):
    """What one document answers to one question. The texts are its own, so that it outlives its run.

    STALE cells were never asked, or their column or document has changed since; what they said is kept. QUEUED ones
    wait for a run, RUNNING ones have one that has not ended.
    """

    class State(models.TextChoices):
        STALE = "stale", "To be asked"
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Working"
        ANSWERED = "answered", "Answered"
        PARTIAL = "partial", "Answered in part"
        PASSAGES = "passages", "Closest passage"
        NOT_FOUND = "not_found", "Not in this document"
        FAILED = "failed", "Failed"
        CORRECTED = "corrected", "Corrected"

    OPEN = (State.QUEUED, State.RUNNING)
    DONE = (State.ANSWERED, State.PARTIAL, State.PASSAGES, State.NOT_FOUND, State.CORRECTED)

    row = models.ForeignKey(Row, on_delete=models.CASCADE, related_name="cells")
    column = models.ForeignKey(Column, on_delete=models.CASCADE, related_name="cells")
    state = models.CharField(max_length=10, choices=State.choices, default=State.STALE)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField(blank=True)
    """The answer, or the closest passage."""
    value = models.JSONField(null=True, blank=True)
    """The typed value {number, unit, text}; None when the answer cannot be typed."""
    verdict = models.CharField(max_length=8, blank=True)
    quote = models.TextField(blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    """The page of the quote, counted from 1."""
    note = models.TextField(blank=True)
    """Why there is no answer, or what a person should know of it."""
    corrected = models.TextField(blank=True)
    """What a person wrote instead; the machine's answer stays beside it."""
    reason = models.CharField(max_length=300, blank=True)
    """Why they did."""
    reviewed_by = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Who accepted or corrected it."""
    reviewed_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["row", "column"], name="one_cell_of_a_place")]
        indexes = [models.Index(fields=["column", "state"])]

    def __str__(self) -> str:
        return f"{self.state}: {self.shown[:60]}"

    @property
    def shown(self) -> str:
        """What people read: the correction if there is one."""
        return self.corrected or self.text

    @property
    def number(self) -> Decimal | None:
        """The exact number of its value."""
        number: Any = (self.value or {}).get("number")
        return None if number is None else Decimal(number)

    @property
    def is_open(self) -> bool:
        """Whether an answer is on its way."""
        return self.state in self.OPEN


class GridLink(models.Model):
    """A link that shows a grid to anybody who holds it. The token is shown once and stored only as a hash."""

    grid = models.ForeignKey(Grid, on_delete=models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"link to {self.grid}"
