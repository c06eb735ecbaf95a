"""The replay that people ask for on a run's page: one row, one job at a time, the verdict."""

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.throttle import HOUR, seconds_to_wait
from vectorless_web.runs.models import Replay, Run
from vectorless_web.runs.services import queueing
from vectorless_web.runs.services.replaying.replay import Found
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

QUEUE_GRACE = timedelta(seconds=3)
"""A replay this young may still be between its commit and its job."""

DIED = "The process that worked on this replay died."
NOBODY = "No worker could take this replay in time; it can be asked for again."


@transaction.atomic
def start_replay(*, user: User, run: Run) -> Replay:
    """Have a finished run replayed by a worker; while one is under way a second press changes nothing.

    Problem 409 for an open run, 429 when this user has started as many as an hour allows.
    """
    if run.is_open:
        raise Problem("Wait until this has ended; then it can be replayed.", code="still_running", status=409)
    Run.objects.select_for_update().get(pk=run.pk)
    last = Replay.objects.filter(run=run.pk).first()
    if last is not None and last.is_under_way:
        return last
    _check_replay_rate(user)
    now = timezone.now()
    fresh = {"verdict": "", "difference": "", "note": "", "steps": 0, "asked_at": now, "ended_at": None}
    fresh |= {"asked_by_id": user.pk}
    replay, _ = Replay.objects.update_or_create(run=run, defaults=fresh)
    record(actor=user, verb="run.replayed", workspace=run.workspace, target=run)
    queueing.enqueue_replay(replay)
    return replay


def keep_verdict(run: Run, found: Found) -> Replay:
    """Write what a replay found."""
    now = timezone.now()
    values = {
        "verdict": found.verdict,
        "difference": found.difference,
        "note": found.note,
        "steps": found.steps,
        "ended_at": now,
    }
    replay, _ = Replay.objects.update_or_create(run=run, defaults=values, create_defaults={**values, "asked_at": now})
    queueing.enqueue_replay(replay)
    return replay


def is_waited_for(run: Run) -> bool:
    """Whether a replay was asked for that has no verdict yet: a second delivery of its job finds that it has one."""
    return Replay.objects.filter(run=run.pk, verdict="").exists()


def recover_replays() -> int:
    """Enqueue replays whose turn has come, end those whose worker died; how many were touched.

    Each change is one conditional UPDATE or a job under the same name, so any number of sweeps may run at once.
    """
    waiting = list(Replay.objects.filter(verdict="", asked_at__lt=timezone.now() - QUEUE_GRACE).order_by("pk"))
    unknown = {replay.pk for replay in queueing.find_never_enqueued(waiting)}
    ended = sum(_end_lost(replay, unknown) for replay in queueing.without_worker(waiting))
    return ended + queueing.admit_replays()


def _end_lost(replay: Replay, unknown: Collection[int]) -> int:
    if replay.pk not in unknown:
        return _end(replay, DIED)
    return _end(replay, NOBODY) if replay.is_lost else 0


def _end(replay: Replay, why: str) -> int:
    same = Replay.objects.filter(pk=replay.pk, verdict="", asked_at=replay.asked_at)
    return same.update(verdict=Replay.Verdict.IMPOSSIBLE, difference=why, ended_at=timezone.now())


def _check_replay_rate(user: User) -> None:
    """Problem (429) when this would be more than one person may replay in an hour."""
    most = settings.REPLAYS_PER_HOUR
    wait = seconds_to_wait(f"replays-{user.pk}", amount=1, limit=most, seconds=HOUR)
    if wait:
        message = f"You may replay {most:,} runs in an hour. Try again in {wait // 60 + 1} minutes."
        raise Problem(message, code="too_many_replays", status=429, retryable=True, retry_after=wait)
