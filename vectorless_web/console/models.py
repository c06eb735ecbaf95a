"""What was used, day by day, so that no page has to add up runs; and the rights that have no other table."""

from django.db import models

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
