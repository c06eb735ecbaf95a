"""Golden questions, the sets they belong to, evaluations of a set, and the result of each question."""

from django.conf import settings
from django.db import models

from vectorless_web.documents.models import Document
from vectorless_web.evaluations.scoring import Expectation, Place
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.money import MoneyField
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL


class GoldenSet(models.Model):
    """Questions that are asked together."""

    class Schedule(models.TextChoices):
        NEVER = "", "By hand only"
        CHANGE = "change", "When the program, the model, the lexicon or a document changed"
        DAY = "day", "Every day"
        WEEK = "week", "Every week"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="golden_sets")
    name = models.CharField(max_length=TITLE_MAX)
    schedule = models.CharField(max_length=6, choices=Schedule.choices, blank=True)
    """When it is evaluated by itself, by the usual model, at most once an hour."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="one_golden_set_of_a_name")]

    def __str__(self) -> str:
        return self.name


class GoldenQuestion(models.Model):
    """A question and what is expected of its answer."""

    golden_set = models.ForeignKey(GoldenSet, on_delete=models.CASCADE, related_name="questions")
    question = models.TextField()
    documents = models.ManyToManyField(Document, blank=True, related_name="+")
    """The documents that it is asked of; none for the whole workspace but for its restricted folders."""
    named = models.ManyToManyField(Document, blank=True, related_name="+")
    """Those and the documents of its expected pages. Whoever may not see one of them does not see the question."""
    text = models.TextField(blank=True)
    value = models.CharField(max_length=200, blank=True)
    mentions = models.JSONField(default=list, blank=True)
    """What the answer must say, wordings of one thing parted by "|"."""
    places = models.JSONField(default=list, blank=True)
    """[[document, page index, quote]]; document 0 is any, page index -1 is any."""
    is_absent = models.BooleanField(default=False)
    tags = models.JSONField(default=list, blank=True)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The run that it was made from."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_prose(self) -> bool:
        """Whether words are expected, which a model can judge beside the score."""
        return bool(self.text or self.mentions) and not self.is_absent

    def expectation(self) -> Expectation:
        """What its answer is scored against; documents go by their ids."""
        places = tuple(Place(str(document or ""), page, quote) for document, page, quote in self.places)
        return Expectation(self.text, self.value, tuple(self.mentions), places, self.is_absent)


class Evaluation(models.Model):
    """One asking of a set under one setting."""

    class State(models.TextChoices):
        RUNNING = "running", "Running"
        STOPPED = "stopped", "Stopped"
        ENDED = "ended", "Ended"

    class Trigger(models.TextChoices):
        HAND = "hand", "By hand"
        COMMAND = "command", "From the terminal"
        SCHEDULE = "schedule", "By schedule"
        CHANGE = "change", "Something changed"

    golden_set = models.ForeignKey(GoldenSet, on_delete=models.CASCADE, related_name="evaluations")
    answerer = models.CharField(max_length=60, blank=True)
    """Who answers, as runs name it; "" for who usually does."""
    label = models.CharField(max_length=160, blank=True)
    """Who that was when it began."""
    max_steps = models.PositiveSmallIntegerField(null=True, blank=True)
    expand = models.BooleanField(default=True)
    """Whether questions take in synonyms."""
    judge = models.CharField(max_length=60, blank=True)
    """The model that judges prose beside the score, as runs name it; "" for none."""
    judge_label = models.CharField(max_length=160, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    trigger = models.CharField(max_length=8, choices=Trigger.choices, default=Trigger.HAND)
    setting = models.CharField(max_length=64, blank=True)
    """Digest of the program, the model, the lexicon and the documents when it began."""
    problem = models.TextField(blank=True)
    """Why it stopped by itself, in one sentence."""
    asked_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.golden_set} by {self.label}"


class Result(models.Model):
    """What became of one golden question in one evaluation. Scores are None until it ended and where none applies."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        ASKED = "asked", "Asked"
        JUDGING = "judging", "Being judged"
        SCORED = "scored", "Scored"
        FAILED = "failed", "Failed"

    UNDER_WAY = (State.ASKED, State.JUDGING)

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results")
    golden = models.ForeignKey(GoldenQuestion, on_delete=models.CASCADE, related_name="results")
    run = models.OneToOneField(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="result")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    problem = models.TextField(blank=True)
    """Why it could not be asked or answered, in one sentence."""
    is_answer = models.BooleanField(default=False)
    right = models.BooleanField(null=True)
    value_right = models.BooleanField(null=True)
    words_right = models.BooleanField(null=True)
    page_right = models.BooleanField(null=True)
    precision = models.FloatField(null=True)
    recall = models.FloatField(null=True)
    judged = models.BooleanField(null=True)
    """What the judge says of the answer; None where it was not asked or did not say."""
    judged_why = models.TextField(blank=True)
    judge_tokens = models.PositiveIntegerField(default=0)
    judge_cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    verdict = models.CharField(max_length=8, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    cost_usd = MoneyField(max_digits=12, decimal_places=6, default=0)
    seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["golden_id"]
        constraints = [models.UniqueConstraint(fields=["evaluation", "golden"], name="one_result_of_a_question")]

    def __str__(self) -> str:
        return f"{self.golden}: {self.get_state_display()}"
