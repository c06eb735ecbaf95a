"""Threads, the runs in them, what a run leaves behind for people, and what is kept of it for a replay."""

import re
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion, Folder
from vectorless_web.engine.documents.recognised import UNSURE
from vectorless_web.engine.parsing.markup.markdown import markdown_text
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.infra.money import MoneyField
from vectorless_web.workspaces.models import Workspace

USER = settings.AUTH_USER_MODEL
_CITED = re.compile(r"\s?\[\d+\]")


class Thread(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="threads")
    title = models.CharField(max_length=TITLE_MAX)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title


class RunsKept(models.Manager["Run"]):
    """The runs that nobody deleted."""

    def get_queryset(self) -> models.QuerySet["Run"]:
        return super().get_queryset().filter(removed_at=None)


class Run(models.Model):
    """One question being answered. `lease` is the token of the worker that may write to it until `lease_until`."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Working"
        ANSWERED = "answered", "Answered"
        PARTIAL = "partial", "Answered in part"
        PASSAGES = "passages", "Closest passages"
        NOT_FOUND = "not_found", "Not in these documents"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Stopped"

    class How(models.TextChoices):
        """Why it was asked after another run, `asked_from`."""

        FOLLOW_UP = "follow_up", "Follow-up"
        AGAIN = "again", "Asked again"
        NEWER = "newer", "Asked again with newer versions"
        DEEPER = "deeper", "Asked to look deeper"
        EDITED = "edited", "Edited"
        ANSWERER = "answerer", "Asked again with another model"

    class Purpose(models.TextChoices):
        """Why it is made. Only questions of people are listed, searched and counted."""

        QUESTION = "question", "Question of a person"
        CELL = "cell", "Cell of a grid"
        EVALUATION = "evaluation", "Question of an evaluation"

    OPEN = (Status.QUEUED, Status.RUNNING)
    CONCLUDED = (Status.ANSWERED, Status.PARTIAL, Status.PASSAGES, Status.NOT_FOUND)
    """Came to their end: neither failed nor stopped."""
    ENDED = (*CONCLUDED, Status.FAILED, Status.CANCELLED)

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="runs")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="runs")
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.QUESTION)
    question = models.TextField()
    whole_workspace = models.BooleanField(default=True)
    documents = models.ManyToManyField(Document, blank=True, related_name="+")
    """The chosen documents when the scope is not the whole workspace."""
    versions = models.ManyToManyField(DocumentVersion, blank=True, related_name="+")
    """The versions the run read, pinned."""
    folders = models.ManyToManyField(Folder, blank=True, related_name="+")
    """The restricted folders that it may read: its asker's, as they stood when it was asked. Whoever may not see each
    of them does not see the run: its counts and its choices tell of what is in there."""
    named = models.ManyToManyField(Document, blank=True, related_name="+")
    """The documents that it was asked of, that it opened, and whose titles its steps tell. Those who may not see one of
    them do not see the run."""
    private = models.BooleanField(default=False)
    """Whether it is its asker's alone, and theirs with whom it is shared."""
    shared_with: Any = models.ManyToManyField(USER, blank=True, related_name="+")
    """The members who may see it although it is private."""
    favoured_by: Any = models.ManyToManyField(USER, blank=True, related_name="+")
    """Whose favourite it is."""
    asked_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The run it follows up on, or asks once more in another way."""
    asked_how = models.CharField(max_length=12, choices=How.choices, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    phase = models.CharField(max_length=20, blank=True)
    asked_model_at = models.DateTimeField(null=True, blank=True)
    """Since when a model's reply is waited for; None while none is."""
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
    removed_at = models.DateTimeField(null=True, blank=True)
    """Since when it is deleted; this can be undone until the row goes."""

    objects = RunsKept()
    with_removed = models.Manager()  # noqa: DJ012 - a manager, and not the default one

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["removed_at"], condition=models.Q(removed_at__isnull=False), name="run_removed")
        ]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_open(self) -> bool:
        """Whether the run has not ended yet."""
        return self.status in self.OPEN

    @property
    def has_answer(self) -> bool:
        """Whether it ended with sentences that hold, in whole or in part."""
        return self.status in (self.Status.ANSWERED, self.Status.PARTIAL)

    @property
    def found_no_answer(self) -> bool:
        """Whether it came to its end without a sentence that holds."""
        return self.status in (self.Status.PASSAGES, self.Status.NOT_FOUND)

    @property
    def is_another_try(self) -> bool:
        """Whether it asks an earlier run's question once more, and so can be compared with it."""
        return self.asked_how not in ("", self.How.FOLLOW_UP)


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
    documents = models.JSONField(default=list, blank=True)
    """Ids of the documents that the step is about, in the order touched."""
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
    """How a run ended. `confidence`, a share in [0, 1], is of earlier versions."""

    class Verdict(models.TextChoices):
        """How far an answer was checked; the help page defines each word."""

        EXACT = "exact", "Exact"
        VERIFIED = "verified", "Verified"
        PARTLY = "partly", "Partly verified"
        NOT_VERIFIED = "not", "Not verified"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="answer")
    markdown = models.TextField(blank=True)
    value = models.CharField(max_length=200, blank=True)
    verdict = models.CharField(max_length=8, choices=Verdict.choices, blank=True)
    """ "" for runs without an answer and for those of earlier versions."""
    confidence = models.FloatField(null=True, blank=True)
    grounded = models.BooleanField(default=False)
    abstained = models.BooleanField(default=False)
    missing = models.JSONField(default=list, blank=True)
    unknown_words = models.JSONField(default=list, blank=True)
    """Words of the question that stand in no document of its scope."""
    note = models.TextField(blank=True)
    """What went otherwise than asked, in one sentence."""

    def __str__(self) -> str:
        return self.markdown[:80]

    @property
    def plain_text(self) -> str:
        """The answer as a line of a list shows it: no marks of Markdown, no numbers of citations."""
        text, _ = markdown_text(_CITED.sub("", self.markdown))
        return " ".join(text.split())


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
    """{expression, operands: [{name, value, unit, marker}], result, unit}, and `more`: the sentence's others."""
    table = models.JSONField(default=list, blank=True)
    """A small table that the sentence announces: rows of texts, its header row first; empty for none."""
    because = models.TextField(blank=True)
    marks = models.JSONField(default=list, blank=True)
    """Remarks of the program that strike nothing ("not traced: 4.1")."""
    maker = models.CharField(max_length=10, blank=True)
    """Who made it: lookup, formula, operation or model; "" for claims of earlier versions."""

    class Meta:
        ordering = ["run", "order"]
        constraints = [models.UniqueConstraint(fields=["run", "order"], name="one_claim_of_an_order")]

    def __str__(self) -> str:
        return self.text[:80]


class Citation(models.Model):
    """A checked quote. It keeps quote, page and file hash even when its document is purged."""

    claim = models.ForeignKey(Claim, null=True, blank=True, on_delete=models.CASCADE, related_name="citations")
    """The sentence that it supports; None for a passage that came nearest to a question without an answer."""
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="citations")
    marker = models.PositiveSmallIntegerField()
    version = models.ForeignKey(DocumentVersion, null=True, on_delete=models.SET_NULL, related_name="+")
    document_title = models.CharField(max_length=TITLE_MAX, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    node_key = models.PositiveIntegerField()
    page_index = models.PositiveIntegerField()
    quote = models.TextField()
    where = models.CharField(max_length=300, blank=True)
    passage = models.JSONField(null=True, blank=True)
    """The whole passage around the quote, where one is shown: {text, lit_start, lit_end, rows, lit_row, lead_in, path,
    kind, holds, lacks}."""
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    spans = models.JSONField(default=list, blank=True)
    """Glyphs on the page: [[page_index, char_index, length], ...]."""
    boxes = models.JSONField(default=list, blank=True)
    """One box a line, PDF points with the origin at the top left: [[page_index, x, y, width, height], ...]."""
    check_result = models.CharField(max_length=12)
    """exact or picture; in earlier versions normalised, fuzzy or missing, too."""
    recognised = models.PositiveSmallIntegerField(null=True, blank=True)
    """Percent of the least sure word of a quote that was read by text recognition (OCR); None for text of the file."""

    class Meta:
        ordering = ["run", "marker", "pk"]

    def __str__(self) -> str:
        return f"[{self.marker}] {self.quote[:60]}"

    @property
    def page(self) -> int:
        """The page as people count, from 1."""
        return self.page_index + 1

    @property
    def is_unsure(self) -> bool:
        """Whether a word of the quote may have been misread."""
        return self.recognised is not None and self.recognised < UNSURE


class Feedback(models.Model):
    class Reason(models.TextChoices):
        """Why an answer was not right."""

        WRONG_FACT = "wrong_fact", "Wrong fact"
        WRONG_PAGE = "wrong_page", "Wrong page"
        MISSING_DOCUMENT = "missing_document", "A document is missing"
        TOO_SLOW = "too_slow", "Too slow"

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

    @property
    def reason_words(self) -> str:
        """The reason for people; "" without one."""
        return Feedback.Reason(self.reason).label if self.reason in Feedback.Reason.values else ""


class Verification(models.Model):
    """Somebody's word that an answer is right: they have read its quotes."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="verifications")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "user"], name="one_verification_each")]

    def __str__(self) -> str:
        return f"verified by {self.user}"


class Comment(models.Model):
    """What somebody says of a run, or of one sentence of its answer, to those who may see the run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="comments")
    claim = models.ForeignKey(Claim, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    author = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField()
    mentions: Any = models.ManyToManyField(USER, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text[:80]


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
    """The conversation before it: {exchanges: [{question, answer, cited: [{document, key, page_index, quote}]}]};
    earlier versions kept {question, read: {document: [node keys]}}."""
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
