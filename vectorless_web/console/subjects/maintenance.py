"""Read-only mode, announcements, and backups that staff ask for: planned, carried out and recorded."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from redis.exceptions import RedisError

from vectorless_web.backups.folder import NAME, BackupError, find_backup, list_backups, read_manifest
from vectorless_web.backups.making import make_backup
from vectorless_web.backups.places import hold_backups, open_place
from vectorless_web.backups.restoring import rehearse_restore
from vectorless_web.console.models import BackupTask
from vectorless_web.infra.queues import control, jobs
from vectorless_web.infra.site.patient_redis import redis_breaker
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import SiteSetting
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record
from vectorless_web.workspaces.site import ANNOUNCEMENT, READ_ONLY, forget_values, is_read_only

logger = logging.getLogger(__name__)
Act, Status = BackupTask.Act, BackupTask.Status
JOB, QUEUE = "vectorless_web.console.jobs.run_backup_task", "backups"
JOB_SECONDS = 6 * 3600
"""A backup may take so long: 500 GB at 25 MB a second. One that is twice as large needs the command."""
LOST_AFTER = timedelta(minutes=5)
"""A task that was not heard of for so long died with its worker: a copied file of 10 GB takes less."""
PROGRESS_SECONDS = 1.0
"""Between two notes of how far a task is: more often would only write."""
TASKS_SHOWN = 10
SWEPT_EVERY = timedelta(hours=1)
"""How often the sweep asks what is due."""


@transaction.atomic
def plan_read_only(*, actor: User, begins: datetime | None, until: datetime | None, reason: str) -> None:
    """Make the site read-only at a time, or now. `until` is what people are told; it ends when staff end it.

    Problem (422) when it would end before it begins.
    """
    begins = begins or timezone.now()
    if until is not None and until <= max(begins, timezone.now()):
        raise Problem(
            "The end is not later than the beginning, or it is past.", remedy="Choose a later one.", code="invalid_time"
        )
    value = {"begins": begins.isoformat(), "until": until.isoformat() if until else None, "reason": reason}
    _store(actor, READ_ONLY, value)
    record(actor=actor, verb="maintenance.planned", name=reason, details=value)


@transaction.atomic
def end_read_only(*, actor: User) -> bool:
    """Let everybody write again, or call a plan off; whether there was one."""
    removed, _ = SiteSetting.objects.filter(name=READ_ONLY).delete()
    if removed:
        record(actor=actor, verb="maintenance.ended")
    transaction.on_commit(_follow)
    return bool(removed)


@transaction.atomic
def announce(*, actor: User, text: str, until: datetime | None) -> None:
    """Show a sentence on every page, until a time; "" takes it down. Problem (422) when that time is over."""
    if until is not None and until <= timezone.now():
        raise Problem("That time is over.", remedy="Choose a later one, or none.", code="invalid_time")
    value = {"text": text, "until": until.isoformat() if until else None}
    _store(actor, ANNOUNCEMENT, value)
    record(actor=actor, verb="maintenance.announced", name=text, details=value)


def _store(actor: User, name: str, value: dict[str, str | None]) -> None:
    SiteSetting.objects.update_or_create(name=name, defaults={"value": value, "changed_by_id": actor.pk})
    transaction.on_commit(_follow)


def _follow() -> None:
    """Have pages and workers go by the new plan at once; the sweep repeats it when Redis is away."""
    forget_values()
    try:
        with redis_breaker.guard():
            control.hold_queues(is_read_only())
    except RedisError as error:
        logger.warning("workers follow the read-only plan with the next sweep: %s", error)


def describe_backups() -> dict[str, Any]:
    """The tasks that were asked for lately, the last check that found a backup whole, and the newest backup.

    With a `problem` where the folder of backups cannot be read.
    """
    _end_lost()
    rows = BackupTask.objects.select_related("asked_by")
    tasks, place = list(rows[:TASKS_SHOWN]), str(settings.BACKUPS)
    verified = rows.filter(act=Act.VERIFY, status=Status.DONE).first()
    told = {"place": place, "tasks": tasks, "is_busy": any(task.is_open for task in tasks), "verified": verified}
    try:
        with open_place(place) as (path, kept):
            found = list_backups(path)
            if not found:
                return told
            manifest = read_manifest(kept.fetch(found[-1], NAME).parent)
    except (BackupError, OSError) as error:
        return {**told, "problem": str(error)}
    size = sum(file.bytes for file in manifest.files) + manifest.database.bytes
    made_at = datetime.fromisoformat(manifest.made_at)
    return {**told, "newest": found[-1].name, "made_at": made_at, "files": len(manifest.files), "bytes": size}


@transaction.atomic
def ask_for(*, actor: User | None, act: str) -> BackupTask:
    """Have a worker make a backup, or verify the newest. Problem (409) while another task is open."""
    _end_lost()
    under_way = Problem(
        "A backup is under way.", remedy="Wait until it has ended.", code="backup_under_way", status=409
    )
    if BackupTask.objects.filter(status__in=BackupTask.OPEN).exists():
        raise under_way
    try:
        task = BackupTask.objects.create(act=act, asked_by_id=actor.pk if actor else None)
    except IntegrityError:  # Somebody else asked for it at the same moment.
        raise under_way from None
    record(actor=actor, verb="backup.asked", target=task, name=task.get_act_display())
    jobs.enqueue(JOB, task.pk, queue=QUEUE, job_id=f"backup-{task.pk}", seconds=JOB_SECONDS)
    return task


def back_up_on_schedule() -> int:
    """Ask for the backup, or for the trial of the newest one, that is due by the settings; how many."""
    if not settings.BACKUP_HOURS:
        return 0
    every = {
        Act.BACK_UP: timedelta(hours=settings.BACKUP_HOURS),
        Act.VERIFY: timedelta(days=settings.BACKUP_DRILL_DAYS),
    }
    for act, pause in every.items():
        # The sweep comes by once an hour: one that is due before it comes again is made now.
        recent = BackupTask.objects.filter(act=act, asked_at__gt=timezone.now() - pause + SWEPT_EVERY / 2)
        if not recent.exists():
            try:
                ask_for(actor=None, act=act)
            except Problem:
                return 0  # Another one is under way; the next sweep asks again.
            return 1
    return 0


def _end_lost() -> None:
    """End tasks whose worker died. One that waits is not lost: its job is in the queue, however long."""
    lost = BackupTask.objects.filter(status=Status.RUNNING, alive_at__lt=timezone.now() - LOST_AFTER)
    lost.update(status=Status.FAILED, outcome="The worker that did it is gone. Ask for it again.")


def carry_out(pk: int, *, clock: Callable[[], float] = time.monotonic) -> None:
    """Make or verify a backup, and say what came of it. A second delivery ends quietly."""
    now = timezone.now()
    claimed = BackupTask.objects.filter(pk=pk, status=Status.QUEUED).update(status=Status.RUNNING, alive_at=now)
    if not claimed:
        return
    task = BackupTask.objects.get(pk=pk)
    last = clock()

    def note(done: int, total: int) -> None:
        nonlocal last
        if done == total or clock() - last >= PROGRESS_SECONDS:
            last = clock()
            BackupTask.objects.filter(pk=pk).update(done=done, total=total, alive_at=timezone.now())

    try:
        outcome = _back_up(task, note) if task.act == Act.BACK_UP else _verify(task, note)
    except (BackupError, OSError) as error:
        _end(task, Status.FAILED, str(error))
        record(actor=task.asked_by, verb="backup.failed", target=task, name=str(error))
        return
    _end(task, Status.DONE, outcome)


def _back_up(task: BackupTask, note: Callable[[int, int], None]) -> str:
    said: list[str] = []
    with hold_backups(), open_place(str(settings.BACKUPS)) as (path, kept):
        # What people asked for is theirs to remove.
        keep = 0 if task.asked_by_id else settings.BACKUP_KEEP
        backup = make_backup(path, kept=kept, say=said.append, keep=keep, progress=note)
        manifest = read_manifest(backup)
    size = sum(file.bytes for file in manifest.files) + manifest.database.bytes
    details = {"bytes": size, "files": len(manifest.files)}
    record(actor=task.asked_by, verb="backup.made", name=f"{settings.BACKUPS}/{backup.name}", details=details)
    return " ".join([f"{backup.name}: {len(manifest.files):,} files and the database, {size:,} bytes.", *said])


def _verify(task: BackupTask, note: Callable[[int, int], None]) -> str:
    with open_place(str(settings.BACKUPS)) as (path, kept):
        backup = find_backup(path, "")
        manifest, untried = rehearse_restore(backup, kept=kept, progress=note)
    rows = sum(manifest.database.rows.values())
    details = {"files": len(manifest.files), "rows": rows, "restored": not untried}
    record(actor=task.asked_by, verb="backup.verified", name=f"{settings.BACKUPS}/{backup.name}", details=details)
    lost = len(manifest.missing) + len(manifest.altered)
    altered = f" Of the site's own files {lost} were missing or altered when it was made." if lost else ""
    if untried:
        return f"{backup.name} is whole: {len(manifest.files):,} files as the manifest says. {untried}{altered}"
    return (
        f"{backup.name} is whole: its database was restored into a temporary place and has the {rows:,} rows of the "
        f"manifest, and all {len(manifest.files):,} files have their checksums.{altered}"
    )


def _end(task: BackupTask, status: str, outcome: str) -> None:
    now = timezone.now()
    BackupTask.objects.filter(pk=task.pk).update(status=status, outcome=outcome, ended_at=now, alive_at=now)
