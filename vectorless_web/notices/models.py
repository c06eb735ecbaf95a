"""Notices, and which kinds a person does not want."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

USER = settings.AUTH_USER_MODEL


class Kind(models.TextChoices):
    """What a notice is about. The label is a line of the page where kinds are switched off."""

    RUN_ENDED = "run_ended", "A question of yours was answered after you left its page"
    MENTIONED = "mentioned", "Somebody mentioned you in a comment"
    COMMENTED = "commented", "Somebody commented on a question of yours"
    VERIFIED = "verified", "Somebody verified an answer to a question of yours"
    DOCUMENT_FAILED = "document_failed", "A document that you uploaded could not be read"
    BUDGET = "budget", "A budget that you set, or that limits you, is nearly or wholly used up"
    INVITATION_ACCEPTED = "invitation_accepted", "Somebody joined by an invitation of yours"
    ROLE_CHANGED = "role_changed", "Your role in a workspace changed"
    LINK_EXPIRING = "link_expiring", "A share link of yours is about to end"
    WEBHOOK_OFF = "webhook_off", "A webhook of a workspace that you own was switched off"
    EVALUATION_WORSE = "evaluation_worse", "An evaluation of yours got worse than the one before"
    SOURCE_FAILED = "source_failed", "A source of a workspace that you own cannot be read any more"
    EXPORT_ENDED = "export_ended", "An export of a workspace that you asked for is ready, or failed"


class Notice(models.Model):
    """One thing that one person is told. It keeps numbers and no names: what it is about is looked up as it is read.

    So a notice tells nothing of what its reader may not see any more.
    """

    user: Any = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=24, choices=Kind.choices)
    workspace = models.ForeignKey("workspaces.Workspace", null=True, on_delete=models.CASCADE, related_name="+")
    """Null for what is about the whole site."""
    about = models.BigIntegerField()
    """The number of the run, document, budget, share link or account that it is about."""
    details = models.JSONField(default=dict, blank=True)
    """Numbers and words of the program, such as the new role; never anything that somebody typed. `also` lists what
    else of the kind of `about` the notice tells of."""
    actor: Any = models.ForeignKey(USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Who did it; null for what happened by itself."""
    once = models.CharField(max_length=60, blank=True)
    """What is told a person once has a name of its own; "" for what may happen again."""
    listed = models.BooleanField(default=True)
    """Whether it is in the bell; one that is only mailed does not."""
    mail_after = models.DateTimeField(null=True, blank=True)
    """When it is mailed unless it was read by then; null for never, or not again."""
    mailed_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["user", "-id"], name="notices_of_person"),
            models.Index(
                fields=["mail_after"], condition=models.Q(mail_after__isnull=False), name="notices_to_be_mailed"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "once"], condition=~models.Q(once=""), name="one_notice_of_what_is_told_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, to {self.user}"


class Mute(models.Model):
    """A kind of notices that a person does not want in one place."""

    class Channel(models.TextChoices):
        """Where notices are given."""

        BELL = "bell", "In the bell"
        MAIL = "mail", "By mail"

    user: Any = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=24, choices=Kind.choices)
    channel = models.CharField(max_length=8, choices=Channel.choices)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["user", "kind", "channel"], name="one_mute_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.user} without {self.kind} ({self.channel})"
