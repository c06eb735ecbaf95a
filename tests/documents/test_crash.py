"""A worker that is killed while it reads: nothing is lost, nothing is doubled, nothing goes on behind its back."""

import os
import signal
from datetime import timedelta

import psutil
import pytest
from django.utils import timezone

from tests.conftest import wait_until
from tests.support.files import pdf
from vectorless_web.documents import services
from vectorless_web.documents.models import DocumentVersion, Section

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

Status = DocumentVersion.Status
LONG = pdf([(f"{number}. Chapter {number}", *[f"Line {line} of chapter {number}." for line in range(24)])
            for number in range(1, 400)])  # fmt: skip


def test_a_killed_worker_takes_its_child_along_and_the_sweep_mends_it(add, spawn, settings, work_off):
    worker = spawn("work", "documents", VECTORLESS_VAR=str(settings.MEDIA_ROOT.parent))
    version = add(LONG, "long.pdf")
    wait_until(lambda: status_of(version) == Status.PARSING, seconds=30)
    wait_until(lambda: compile_children(worker.pid), seconds=10)
    family = [psutil.Process(worker.pid), *psutil.Process(worker.pid).children(recursive=True)]
    compiling = [process for process in family if "documents.compiling" in read_command(process)]
    for process in family:
        if process not in compiling:
            os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not any(alive(process) for process in compiling), seconds=5)
    assert services.requeue_lost_versions() == 0
    DocumentVersion.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=2))
    assert services.requeue_lost_versions() == 1
    work_off("documents")
    version.refresh_from_db()
    assert (version.status, version.attempt) == (Status.READY, 2)
    assert Section.objects.filter(version=version).count() == version.report["sections"]


def test_a_worker_that_is_stopped_hands_the_file_back_and_that_is_no_interruption(add, spawn, settings, work_off):
    before = add(b"# Notes\n\nThe worker's fork goes on with the long file behind these.\n", "notes.md")
    version = add(LONG, "long.pdf")
    worker = spawn("work", "documents", VECTORLESS_VAR=str(settings.MEDIA_ROOT.parent), VECTORLESS_STOP_SECONDS="0.2")
    wait_until(lambda: status_of(before) == Status.READY and compile_children(worker.pid), seconds=30)
    compiling = compile_children(worker.pid)
    worker.terminate()
    assert worker.wait(10) == 0
    wait_until(lambda: not any(alive(process) for process in compiling), seconds=5)
    version.refresh_from_db()
    assert (version.status, version.attempt, version.requeued, version.lease) == (Status.QUEUED, 2, False, "")
    work_off("documents")
    version.refresh_from_db()
    assert (version.status, version.attempt) == (Status.READY, 2)
    assert not services.hand_back_version(version.pk, version.job_id)


def status_of(version) -> str:
    return DocumentVersion.objects.values_list("status", flat=True).get(pk=version.pk)


def compile_children(pid: int) -> list[psutil.Process]:
    """The children of the worker's prepared process."""
    family = psutil.Process(pid).children(recursive=True)
    prepared = [process for process in family if "documents.compiling.prepared" in read_command(process)]
    return [process for process in prepared if process.ppid() in {own.pid for own in prepared}]


def read_command(process: psutil.Process) -> str:
    """The command of a process; "" for one that ended since it was listed."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
