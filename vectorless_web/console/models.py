"""What was used, day by day, so that no page has to add up runs; backups under way; searches that are kept."""

from django.conf import settings
from django.db import models

from vectorless_web.infra.limits import NAME_MAX
from vectorless_web.infra.money import MoneyField


class DayUsage(models.Model):
    """What one person used of one model in one workspace on one day, in UTC.

    Workspace and person are numbers, not foreign keys: what was used is known after they are gone. 0 is none.
    """

    day = models.DateField()
    workspace_key = models.BigIntegerField(default=0)
    person_key = models.BigIntegerField(default=0)
    model = models.CharField(max_length=120, blank=True)
    """The chat model that answered; "" for the offline reasoner, and for documents."""
    runs = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    partial = models.PositiveIntegerField(default=0)
    not_found = models.PositiveIntegerField(default=0)
    """Runs that came to their end without a sentence that holds."""
    failed = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = MoneyField(max_digits=14, decimal_places=6, default=0)
    pages = models.PositiveIntegerField(default=0)
    """Pages of uploads that became ready on the day."""
    bytes = models.PositiveBigIntegerField(default=0)
    """Bytes of these uploads."""

    class Meta:
        ordering = ["-day", "pk"]
        verbose_name_plural = "usage by day"
        permissions = [
            ("run_queues", "Can pause queues, drain workers and put jobs back"),
            ("view_site_settings", "Can see how the site is set up"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["day", "workspace_key", "person_key", "model"], name="one_usage_a_day_and_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.runs} runs on {self.day}"


class BackupTask(models.Model):
    """A backup that staff asked for, or the check of one: how far it is and what came of it."""

    class Act(models.TextChoices):
        BACK_UP = "back_up", "Back up"
        VERIFY = "verify", "Verify"

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Under way"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    OPEN = (Status.QUEUED, Status.RUNNING)

    act = models.CharField(max_length=10, choices=Act.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    done = models.PositiveIntegerField(default=0)
    """Files that are copied or checked."""
    total = models.PositiveIntegerField(default=0)
    outcome = models.TextField(blank=True)
    """What came of it, in sentences; of a failure the cause."""
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    alive_at = models.DateTimeField(auto_now=True)
    """When it was last heard of."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["act"], condition=models.Q(status__in=("queued", "running")), name="one_open_task_an_act"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_act_display()}: {self.get_status_display()}"

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.status in self.OPEN


class SavedSearch(models.Model):
    """A search of the record that one person keeps under a name."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=NAME_MAX)
    filters = models.JSONField(default=dict)
    """Filters of the page by their names, as its address has them."""

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "saved searches"
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="one_saved_search_a_name")]

    def __str__(self) -> str:
        return self.name
