"""How much one person, and one workspace, may ask: no busy human comes near it, and a script is stopped."""

from statistics import fmean

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from vectorless_web.lib.problems import Problem
from vectorless_web.lib.throttle import seconds_to_wait
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import User

HOUR = 3600
LATELY = 20
"""Runs whose time tells how soon the next one ends."""
SOONEST, LATEST = 5, 600
"""Seconds: what a guess of when to come again is kept within."""


def hold_back(user: User, workspace: Workspace) -> None:
    """Problem (429) when this question would be one too many; to be called in the transaction that stores it.

    The person's row is held until then, so that questions sent at one moment are counted one after the other.
    """
    list(get_user_model()._default_manager.select_for_update(no_key=True).filter(pk=user.pk or 0))
    waiting = Run.objects.filter(status=Run.Status.QUEUED)
    _check_waiting(
        waiting.filter(asked_by=user.pk),
        settings.WAITING_RUNS_PER_PERSON,
        "You have {questions} waiting, as many as one person may have.",
        "too_many_waiting",
    )
    _check_waiting(
        waiting.filter(workspace=workspace.pk),
        settings.WAITING_RUNS_PER_WORKSPACE,
        "This workspace has {questions} waiting, as many as one may have.",
        "workspace_too_many_waiting",
    )
    _check_hour(user)


def _check_waiting(waiting: QuerySet[Run], most: int, sentence: str, code: str) -> None:
    count = waiting.count() if most else 0
    if most and count >= most:
        wait = _seconds_to_next_end()
        questions = f"{count:,} question{'s' if count > 1 else ''}"
        message = f"{sentence.format(questions=questions)} Ask again when one was taken, in about {_spoken(wait)}."
        raise Problem(message, code=code, status=429, retryable=True, retry_after=wait)


def _check_hour(user: User) -> None:
    most = settings.ASKS_PER_HOUR
    wait = seconds_to_wait(f"asks-{user.pk}", amount=1, limit=most, seconds=HOUR) if most else 0
    if wait:
        message = f"You may ask {most:,} questions in an hour. Ask again in {_spoken(wait)}."
        raise Problem(message, code="too_many_asks", status=429, retryable=True, retry_after=wait)


def _seconds_to_next_end() -> int:
    """About how long until the next run is taken: as long as runs took lately."""
    ended = Run.objects.filter(status__in=Run.ENDED, started_at__isnull=False, finished_at__isnull=False)
    times = ended.order_by("-pk").values_list("started_at", "finished_at")[:LATELY]
    took = [(finished - started).total_seconds() for started, finished in times if started and finished]
    return round(min(max(fmean(took) if took else SOONEST, SOONEST), LATEST))


def _spoken(seconds: int) -> str:
    """A time in words: "20 seconds", "3 minutes"."""
    if seconds < 90:
        return f"{seconds} seconds"
    return f"{-(-seconds // 60)} minutes"
