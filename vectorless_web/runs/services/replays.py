"""The replay that people ask for on a run's page: one row, one job at a time, the verdict."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from vectorless_web.lib.problems import Problem
from vectorless_web.runs.models import Replay, Run
from vectorless_web.runs.services import queueing
from vectorless_web.runs.services.replaying import REPLAY_SECONDS, Found
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

LOST_AFTER = timedelta(seconds=3 * REPLAY_SECONDS)
"""A replay that was asked for so long ago and has no verdict lost its worker."""


@transaction.atomic
def start_replay(*, user: User, run: Run) -> Replay:
    """Have a finished run replayed by a worker; while one is under way a second press changes nothing."""
    if run.is_open:
        raise Problem("Wait until this has ended; then it can be replayed.", code="still_running", status=409)
    Run.objects.select_for_update().get(pk=run.pk)
    now = timezone.now()
    under_way = Replay.objects.filter(run=run.pk, verdict="", asked_at__gt=now - LOST_AFTER).first()
    if under_way is not None:
        return under_way
    fresh = {"verdict": "", "difference": "", "note": "", "steps": 0, "asked_at": now, "ended_at": None}
    replay, _ = Replay.objects.update_or_create(run=run, defaults=fresh)
    record(actor=user, verb="run.replayed", workspace=run.workspace, target=run)
    queueing.enqueue_replay(run)
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
    return replay
