"""Jobs and workers as an operator reads them, and the acts on them. Each act is recorded.

Work is in rows and jobs only name it: what is stopped or done again here is the row.
"""

from dataclasses import dataclass
from typing import Any

from vectorless_web.console.subjects.names import readable_documents_of, readable_runs_of
from vectorless_web.documents.line import JOB as READ
from vectorless_web.documents.models import DocumentVersion, SectionSummaries, VectorFile
from vectorless_web.documents.services import cancel_version, retry_version
from vectorless_web.infra.queues import control
from vectorless_web.infra.queues.control import JobInfo
from vectorless_web.infra.web.problems import Problem
from vectorless_web.runs.line import BACKGROUND_JOB
from vectorless_web.runs.line import JOB as ANSWER
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import ask_again, cancel_run
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

WORDS = {
    ANSWER: "Answer a question",
    "vectorless_web.runs.jobs.replay_run": "Replay a run",
    READ: "Read a document",
    "vectorless_web.documents.jobs.embed_version": "Embed a document",
    "vectorless_web.documents.jobs.summarise_version": "Summarise a document's sections",
    "vectorless_web.workspaces.jobs.test_provider": "Try a model",
    "vectorless_web.console.jobs.run_backup_task": "Back up, or verify a backup",
}
"""What a job is for, by its function."""


@dataclass(frozen=True)
class Work:
    """A job in plain words: what it is for, of what, in which workspace."""

    job: JobInfo
    what: str
    of: str = ""
    workspace: str = ""
    can_stop: bool = False
    can_retry: bool = False


Names = dict[tuple[str, int], tuple[str, str]]
"""By function and number: what a job's row is called, and its workspace."""


def describe_queue(name: str, reader: User) -> dict[str, Any]:
    """A queue with what its jobs are for, and each of its workers with what it is at.

    The rows are asked for once a kind, not once a job.

    A document or question that is hidden from the reader goes by its number.
    """
    info = control.describe_queue(name)
    names = _name_rows([*info.waiting, *info.running, *info.failed], reader)
    running = [_describe(job, names, can_stop=True) for job in info.running]
    by_job = {work.job.name: work for work in running}
    return {
        "info": info,
        "waiting": [_describe(job, names, can_stop=True) for job in info.waiting],
        "running": running,
        "failed": [_describe(job, names, failed=True) for job in info.failed],
        "workers": [(worker, by_job.get(worker.job)) for worker in info.workers],
    }


def _describe(job: JobInfo, names: Names, *, can_stop: bool = False, failed: bool = False) -> Work:
    known = job.path in WORDS
    of, workspace = names.get((job.path, _row_of(job)), ("", ""))
    acts = job.path in (READ, ANSWER) and bool(of)
    return Work(
        job=job,
        what=WORDS[job.path] if known else job.path.rpartition(".")[2].replace("_", " ").capitalize() or job.name,
        of=of,
        workspace=workspace,
        can_stop=can_stop and acts,
        can_retry=failed and acts,
    )


def _row_of(job: JobInfo) -> int:
    return job.arguments[0] if job.arguments and isinstance(job.arguments[0], int) else 0


def _name_rows(jobs: list[JobInfo], reader: User) -> Names:
    wanted: dict[str, set[int]] = {}
    for job in jobs:
        wanted.setdefault(job.path, set()).add(_row_of(job))
    names: Names = {}
    for path, keys in wanted.items():
        rows = _select_names(path, keys)
        readable = _select_readable(path, [about for *_, about in rows], reader)
        for pk, of, workspace, about in rows:
            names[path, pk] = (of if about in readable else f"number {about}", workspace)
    return names


def _select_readable(path: str, numbers: list[int], reader: User) -> set[int]:
    """Those of the runs or documents that jobs of this function are about whose names the reader may read."""
    if path.startswith("vectorless_web.runs.jobs."):
        return readable_runs_of(reader, numbers)
    return set(numbers) if path.endswith("test_provider") else readable_documents_of(reader, numbers)


def _select_names(path: str, keys: set[int]) -> list[tuple[int, str, str, int]]:
    """Number, name and workspace of the rows that jobs of this function are for, and of what run or document."""
    if path.startswith("vectorless_web.runs.jobs."):
        return list(Run.objects.filter(pk__in=keys).values_list("pk", "question", "workspace__name", "pk"))
    if path == READ:
        rows = DocumentVersion.objects.filter(pk__in=keys)
        return list(rows.values_list("pk", "document__title", "document__workspace__name", "document"))
    if path.endswith("test_provider"):
        return list(ModelProvider.objects.filter(pk__in=keys).values_list("pk", "name", "workspace__name", "pk"))
    model: type[Any] | None = {"embed_version": VectorFile, "summarise_version": SectionSummaries}.get(
        path.rpartition(".")[2]
    )
    if model is None:
        return []
    found = model._default_manager.filter(pk__in=keys)
    at = "version__document"
    return list(found.values_list("pk", f"{at}__title", f"{at}__workspace__name", at))


def pause(*, actor: User, queue: str) -> None:
    """Have no worker begin another job of the queue."""
    control.pause_queue(queue)
    record(actor=actor, verb="queue.paused", name=queue)


def resume(*, actor: User, queue: str) -> None:
    """Have the workers of the queue go on."""
    control.resume_queue(queue)
    record(actor=actor, verb="queue.resumed", name=queue)


def drain(*, actor: User, queue: str, worker: str) -> None:
    """Have a worker finish its job and end; Problem (409) when it is gone."""
    if not control.drain_worker(worker, queue=queue):
        raise Problem("That worker is gone already.", remedy="Load the page again.", code="worker_gone", status=409)
    record(actor=actor, verb="worker.drained", name=worker, details={"queue": queue})


def stop(*, actor: User, name: str) -> None:
    """End what a job is for, as a person would stop it; Problem (409) when it has ended."""
    job = control.find_job(name)
    if job is None or not _stop_work(actor, job):
        raise Problem("That has ended already.", remedy="Load the page again.", code="job_ended", status=409)
    record(actor=actor, verb="job.stopped", name=name)


def _stop_work(actor: User, job: JobInfo) -> bool:
    if job.path == READ:
        version = _find_version(job)
        return version is not None and cancel_version(actor=actor, version=version)
    run = _find_run(job) if job.path in (ANSWER, BACKGROUND_JOB) else None
    return run is not None and cancel_run(user=actor, run=run)


def _find_version(job: JobInfo) -> DocumentVersion | None:
    return DocumentVersion.objects.select_related("document__workspace").filter(pk=_row_of(job)).first()


def _find_run(job: JobInfo) -> Run | None:
    return Run.objects.select_related("workspace", "thread", "asked_by").filter(pk=_row_of(job)).first()


def retry(*, actor: User, name: str) -> None:
    """Do again what a failed job was for; Problem (409) when there is no such job, or its work cannot be repeated."""
    job = control.find_job(name)
    if job is None or not _do_again(actor, job):
        raise Problem(
            "There is nothing of that job to do again.", remedy="Load the page again.", code="job_ended", status=409
        )
    control.forget_job(name)
    record(actor=actor, verb="job.retried", name=name)


def _do_again(actor: User, job: JobInfo) -> bool:
    if job.path == READ:
        version = _find_version(job)
        if version is not None:
            retry_version(actor=actor, version=version)
        return version is not None
    if job.path != ANSWER:
        return False
    run = _find_run(job)
    if run is None or run.is_open or run.asked_by is None:
        return False
    # In the name of who asked: what an administrator may not read is not read for them.
    ask_again(user=run.asked_by, run=run)
    return True


def forget(*, actor: User, name: str) -> None:
    """Take a failed job off the list; its row stays."""
    job = control.find_job(name)
    if job is None or not job.error:
        raise Problem(
            "Only a job that failed can be taken off the list.",
            remedy="Load the page again to see how it is.",
            code="job_not_failed",
            status=409,
        )
    control.forget_job(name)
    record(actor=actor, verb="job.forgotten", name=name)
