"""Queues in plain words; pausing, resuming, draining, cancelling, trying again."""

from datetime import UTC, datetime, timedelta

import django_rq
import pytest
from rq import SimpleWorker
from rq.job import JobStatus
from rq.registry import FailedJobRegistry
from rq.results import Result
from rq.utils import utcformat
from rq.worker_registration import get_keys

from tests.console.conftest import ask, text
from vectorless_web.documents.line import JOB as READ
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.infra.queues.jobs import NO_WORKER, StoppableWorker, find_hold
from vectorless_web.runs.line import JOB
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.models import AuditEvent, Membership, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(workspace, bob):
    return ask(workspace, bob, question="How long is the notice?", status="queued", finished_at=None)


@pytest.fixture
def queue():
    return django_rq.get_queue("runs")


def fail(queue, run):
    job = queue.enqueue_call(JOB, args=(run.pk,), job_id=f"run-{run.pk}-1")
    queue.remove(job.id)
    job.set_status(JobStatus.FAILED)
    FailedJobRegistry(queue=queue).add(job, ttl=100)
    Result.create_failure(job, ttl=100, exc_string="Traceback\nValueError: broken")
    return job


def test_a_job_says_what_it_is_for_and_its_question_to_members_alone_and_cancelling_it_stops_its_run(
    staff, grace, queue, run
):
    queue.enqueue_call(JOB, args=(run.pk,), job_id=f"run-{run.pk}-1")
    page = text(staff.get("/console/queues/"))
    for words in ("Answer a question", "Acme diligence", "No worker serves"):
        assert words in page
    assert "How long is the notice?" not in page
    Membership.objects.create(workspace=run.workspace, user=grace, role=Role.VIEWER)
    assert "How long is the notice?" in text(staff.get("/console/queues/"))

    queue.enqueue_call(JOB, args=(run.pk,), job_id=f"run-{run.pk}-1")
    staff.post("/console/jobs/stop/", {"job": f"run-{run.pk}-1"})
    run.refresh_from_db()
    assert run.status == Run.Status.CANCELLED
    assert AuditEvent.objects.filter(verb="job.stopped").exists()
    assert staff.post("/console/jobs/stop/", {"job": "gone"}).status_code == 409


def test_the_reading_of_a_file_is_cancelled_and_jobs_are_managed_on_this_page_alone(staff, workspace, bob):
    document = Document.objects.create(workspace=workspace, title="Filing", name="f.txt", added_by=bob)
    version = DocumentVersion.objects.create(document=document, bytes=1, sha256="0" * 64, added_by=bob)
    django_rq.get_queue("documents").enqueue_call(READ, args=(version.pk,), job_id=version.job_id)

    staff.post("/console/jobs/stop/", {"job": version.job_id})

    version.refresh_from_db()
    assert (version.status, version.error_code) == ("failed", "cancelled")
    assert staff.get("/admin/django_rq/dashboard/").status_code == 404


def test_a_paused_queue_begins_nothing_until_it_goes_on(staff, queue):
    staff.post("/console/queues/runs/pause/")
    assert "The queue of questions is paused." in text(staff.get("/console/queues/"))
    job = queue.enqueue_call("builtins.len", args=("abc",))
    worker = StoppableWorker([queue], connection=queue.connection)
    assert worker.dequeue_job_and_maintain_ttl(None) is None
    staff.post("/console/queues/runs/resume/")
    assert worker.dequeue_job_and_maintain_ttl(None)[0].id == job.id
    assert list(AuditEvent.objects.values_list("verb", flat=True)[:2]) == ["queue.resumed", "queue.paused"]


def test_what_is_taken_while_the_queue_is_paused_goes_back(staff, queue):
    job = queue.enqueue_call("builtins.len", args=("abc",))

    class Late(StoppableWorker):
        """Notices the pause only after it took a job."""

        looks = 0

        def _is_held(self) -> bool:
            self.looks += 1
            if self.looks == 1:
                staff.post("/console/queues/runs/pause/")
                return False
            return True

    assert Late([queue], connection=queue.connection).dequeue_job_and_maintain_ttl(None) is None
    assert queue.get_job_ids() == [job.id]


def test_a_failed_job_shows_its_error_and_is_tried_again(staff, queue, run):
    document = Document.objects.create(workspace=run.workspace, title="Lease", name="lease.pdf")
    document.current_version = DocumentVersion.objects.create(document=document, bytes=1, sha256="0", status="ready")
    document.save()
    Run.objects.filter(pk=run.pk).update(status="failed")
    fail(queue, run)
    assert "ValueError: broken" in text(staff.get("/console/queues/"))
    staff.post("/console/jobs/retry/", {"job": f"run-{run.pk}-1"})
    again = Run.objects.get(asked_from=run)
    assert (again.question, again.status) == (run.question, "queued")
    assert "ValueError" not in text(staff.get("/console/queues/"))


def test_a_failed_job_is_taken_off_the_list(staff, queue, run):
    fail(queue, run)
    assert "ValueError" in text(staff.get("/console/queues/"))
    staff.post("/console/jobs/forget/", {"job": f"run-{run.pk}-1"})
    assert "ValueError" not in text(staff.get("/console/queues/"))
    waiting = queue.enqueue_call(JOB, args=(run.pk,))
    assert staff.post("/console/jobs/forget/", {"job": waiting.id}).status_code == 409


def test_a_worker_that_is_frozen_is_shown_as_away_and_takes_no_turn(staff, queue, workers):
    workers(1)
    page = text(staff.get("/console/queues/"))
    assert "last heard of 0" in page
    assert "away" not in page
    assert find_hold("runs") is None

    [key] = get_keys(queue=queue)
    queue.connection.hset(key, "last_heartbeat", utcformat(datetime.now(UTC) - timedelta(seconds=40)))
    page = text(staff.get("/console/queues/"))
    assert "last heard of 40" in page
    assert ">away<" in page
    assert find_hold("runs") is NO_WORKER


def test_a_worker_is_told_to_end(staff, queue):
    worker = SimpleWorker([queue], connection=queue.connection, name="w1")
    worker.register_birth()
    assert "w1" in text(staff.get("/console/queues/"))
    assert staff.post("/console/queues/runs/drain/", {"worker": "w1"}).status_code == 302
    assert staff.post("/console/queues/runs/drain/", {"worker": "none"}).status_code == 409
    worker.register_death()
