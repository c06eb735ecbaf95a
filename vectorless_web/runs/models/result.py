"""What a run leaves behind for people: steps, answer, claims, citations, and what they said of it."""

from django.conf import settings
from django.db import models

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.money import MoneyField
from vectorless_web.runs.models.run import Run

USER = settings.AUTH_USER_MODEL


class Step(models.Model):
    """One stored step. `sequence` orders all events of a run (steps and claims share the count)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    sequence = models.PositiveIntegerField()
    walk = models.PositiveSmallIntegerField()
    index = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=12)
    say = models.TextField()
    thought = models.TextField(blank=True)
    action = models.CharField(max_length=40, blank=True)
    arguments = models.JSONField(default=dict, blank=True)
    observation = models.JSONField(default=dict, blank=True)
    refs = models.JSONField(default=list, blank=True)
    """[{document, key, title, page_start, page_end, role}], page indexes from 0."""
    rejected = models.JSONField(default=list, blank=True)
    """[{label, reason, ref}]."""
    confidence = models.FloatField(null=True, blank=True)
    latency_ms = models.FloatField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    engine = models.CharField(max_length=20, default="offline")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["run", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["run", "sequence"], name="one_step_of_a_sequence"),
            models.UniqueConstraint(fields=["run", "walk", "index", "kind"], name="one_step_of_a_place"),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.say}"


class Answer(models.Model):
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="answer")
    markdown = models.TextField(blank=True)
    value = models.CharField(max_length=200, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    claims_held = models.FloatField(null=True, blank=True)
    parts_covered = models.FloatField(null=True, blank=True)
    evidence_fit = models.FloatField(null=True, blank=True)
    grounded = models.BooleanField(default=False)
    abstained = models.BooleanField(default=False)
    missing = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return self.markdown[:80]


class Claim(models.Model):
    """One sentence of an answer. Rewritten once, from draft to checked, under a new `sequence`."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        CHECKED = "checked", "Checked"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="claims")
    sequence = models.PositiveIntegerField()
    order = models.PositiveSmallIntegerField()
    text = models.TextField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    support = models.CharField(max_length=12, blank=True)
    calculation = models.JSONField(null=True, blank=True)
    """{expression, operands: [{name, value, unit, marker}], result, unit}."""
    because = models.TextField(blank=True)

    class Meta:
        ordering = ["run", "order"]
        constraints = [models.UniqueConstraint(fields=["run", "order"], name="one_claim_of_an_order")]

    def __str__(self) -> str:
        return self.text[:80]


class Citation(models.Model):
    """A checked quote. It keeps quote, page and file hash even when its document is purged."""

    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="citations")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="citations")
    marker = models.PositiveSmallIntegerField()
    version = models.ForeignKey(DocumentVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    document_title = models.CharField(max_length=TITLE_MAX, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    node_key = models.PositiveIntegerField()
    page_index = models.PositiveIntegerField()
    quote = models.TextField()
    where = models.CharField(max_length=300, blank=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    spans = models.JSONField(default=list, blank=True)
    """Glyphs on the page: [[page_index, char_index, length], ...]."""
    boxes = models.JSONField(default=list, blank=True)
    """One box a line, PDF points with the origin at the top left: [[page_index, x, y, width, height], ...]."""
    check_result = models.CharField(max_length=12)
    """exact, normalised, fuzzy or missing."""

    class Meta:
        ordering = ["run", "marker", "pk"]

    def __str__(self) -> str:
        return f"[{self.marker}] {self.quote[:60]}"

    @property
    def page(self) -> int:
        """The page as people count, from 1."""
        return self.page_index + 1


class Feedback(models.Model):
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="feedback")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    good = models.BooleanField()
    reason = models.CharField(max_length=40, blank=True)
    comment = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "user"], name="one_feedback_each")]

    def __str__(self) -> str:
        return "good" if self.good else f"bad: {self.reason}"
