"""What is kept of a run so that it can be replayed, and the last replay."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.infra.money import MoneyField
from vectorless_web.runs.models.result import Step
from vectorless_web.runs.models.run import Run


class ModelCall(models.Model):
    """One call of a chat model, kept so that a run can be replayed."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="model_calls")
    step = models.ForeignKey(Step, null=True, blank=True, on_delete=models.SET_NULL, related_name="model_calls")
    purpose = models.CharField(max_length=40)
    request_hash = models.CharField(max_length=64, db_index=True)
    prompt = models.JSONField(default=list)
    reply = models.TextField(blank=True)
    model = models.CharField(max_length=120, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    latency_ms = models.FloatField(default=0)
    cached = models.BooleanField(default=False)
    """A later attempt at the run used this reply again instead of paying for another."""
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    """What went wrong, in the words that the trace was told."""
    walk = models.PositiveSmallIntegerField(default=0)
    index = models.SmallIntegerField(default=-1)
    """Which step of which walk asked; -1 outside the walks, for the next step of the run itself."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}"


class RunInputs(models.Model):
    """What a run took from outside as it stood then: with its settings and its calls, all that a replay needs."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="inputs")
    program = models.CharField(max_length=64, blank=True)
    """Digest of the reasoning program."""
    factory = models.CharField(max_length=200, blank=True)
    """Dotted path of what built the engine; "" for the built-in one."""
    lexicon = models.JSONField(default=list, blank=True)
    """The workspace's own entries: [[concept, [phrases], statement]]."""
    previous = models.JSONField(null=True, blank=True)
    """What a follow-up leans on: {question, read: {document: [node keys]}}."""
    reasoner = models.JSONField(default=dict, blank=True)
    """How the model was asked, as the wiring tells it."""
    considered = models.PositiveIntegerField(default=0)
    documents = models.JSONField(default=dict, blank=True)
    """Documents that routing named, by id: {version, artefact, name, title, pages}."""
    routes = models.JSONField(default=list, blank=True)
    """What the router answered, pass by pass."""
    late = models.JSONField(default=list, blank=True)
    """Where the wall clock decided: {walk, step, reading, seconds}; earlier versions stored text."""

    class Meta:
        verbose_name_plural = "run inputs"

    def __str__(self) -> str:
        return f"inputs of run {self.run_id}"


class Replay(models.Model):
    """The last replay of a run; while `verdict` is empty it is under way."""

    LOST_AFTER = timedelta(minutes=6)
    """One without a verdict after this long has lost its worker, or waits behind too much."""

    class Verdict(models.TextChoices):
        IDENTICAL = "identical", "Identical"
        DIFFERENT = "different", "Different"
        IMPOSSIBLE = "impossible", "Cannot be replayed"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="replay")
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)
    difference = models.TextField(blank=True)
    """The first difference, or why there can be no replay, in one sentence."""
    note = models.TextField(blank=True)
    """What has changed since and may explain a difference."""
    steps = models.PositiveIntegerField(default=0)
    """Steps that were compared."""
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"replay of run {self.run_id}: {self.verdict or 'under way'}"

    @property
    def is_lost(self) -> bool:
        """Whether nobody should wait for its verdict any more."""
        return not self.verdict and self.asked_at < timezone.now() - self.LOST_AFTER

    @property
    def is_under_way(self) -> bool:
        """Whether its verdict may come at any moment."""
        return not self.verdict and not self.is_lost
