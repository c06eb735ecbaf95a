"""One person asks far more than the workers can take: everybody else is served as if they were alone."""

import os
import signal
import subprocess

import django_rq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.conftest import wait_until
from tests.runs.conftest import make_ready
from vectorless_web.documents.line import UPLOADS
from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services import add_document
from vectorless_web.infra.queues.jobs import count_workers
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run
from vectorless_web.workspaces.selectors import workspace_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120), pytest.mark.django_db(transaction=True)]

BAR_SECONDS = 5.0
SLOW = {
    "VECTORLESS_ENGINE_FACTORY": "tests.support.engines.build_slow",
    "STORY_STEPS": "2",
    "VECTORLESS_RUN_LEASE_SECONDS": "3",
}


@pytest.fixture(autouse=True)
def _no_limits(settings):
    """Fairness must not rest on the limits of asking."""
    settings.ASKS_PER_HOUR = settings.WAITING_RUNS_PER_PERSON = settings.WAITING_RUNS_PER_WORKSPACE = 0


@pytest.fixture
def crew(spawn):
    """`crew(STORY_PAUSE="1")` starts two workers for questions, and the sweep; the workers."""

    def start(**environment: str) -> list[subprocess.Popen]:
        workers = [spawn("work", "runs", **SLOW, **environment) for _ in range(2)]
        spawn("sweep", "--loop", **SLOW)
        wait_until(lambda: count_workers("runs") == 2, seconds=40)
        return workers

    return start


def seconds_until_taken(run: Run) -> float:
    """How long a question waited until a worker took it."""
    wait_until(lambda: Run.objects.get(pk=run.pk).started_at, seconds=60, pause=0.05)
    taken = Run.objects.get(pk=run.pk)
    return (taken.started_at - taken.created_at).total_seconds()


def asked(workspace, user) -> Run:
    return start_run(user=user, workspace=workspace_for(user, workspace.slug), question="What was revenue?")


def test_fifty_questions_of_one_person_do_not_delay_another_s_and_none_is_lost(crew, workspace, alice, bob):
    """A worker is killed in the middle of them; the one that is left takes all there is."""
    make_ready(workspace, alice)
    workers = crew(STORY_PAUSE="0.005")
    for _ in range(50):
        asked(workspace, alice)

    waits = []
    for _ in range(3):
        waits.append(seconds_until_taken(asked(workspace, bob)))

    still_waiting = Run.objects.filter(asked_by=alice, status=Run.Status.QUEUED).count()
    assert still_waiting > 0, "the flood was over before it could hold anybody up"
    assert max(waits) <= BAR_SECONDS
    os.kill(workers[0].pid, signal.SIGKILL)
    wait_until(lambda: not Run.objects.filter(status__in=Run.OPEN).exists(), seconds=200, pause=0.2)
    assert [run.status for run in Run.objects.all()] == ["answered"] * 53


def test_slow_questions_of_one_person_leave_a_worker_free_and_none_of_many_is_lost(crew, workspace, alice, bob):
    """The first person's runs take 3 s each; a queue that is emptied in between loses none of anybody's."""
    make_ready(workspace, alice)
    crew(STORY_PAUSE="0.4")
    slow = [asked(workspace, alice) for _ in range(3)]
    wait_until(lambda: Run.objects.filter(asked_by=alice, status=Run.Status.RUNNING).exists(), seconds=20)

    assert seconds_until_taken(asked(workspace, bob)) <= BAR_SECONDS
    assert Run.objects.filter(asked_by=alice, status=Run.Status.RUNNING).count() <= 1

    django_rq.get_queue("runs").empty()
    wait_until(lambda: not Run.objects.filter(status__in=Run.OPEN).exists(), seconds=60, pause=0.2)
    assert set(Run.objects.values_list("status", flat=True)) == {"answered"}
    assert {run.pk for run in slow} <= set(Run.objects.values_list("pk", flat=True))


def test_a_flood_of_uploads_lets_another_person_s_file_come_next(spawn, workspace, alice, bob):
    """Eight files of one person wait for one worker; the other's single file, which came last, is read second."""
    flood = [upload(workspace, alice, number) for number in range(8)]
    his = upload(workspace, bob, 8)
    assert UPLOADS.places([his.pk, flood[-1].pk]) == {his.pk: 2, flood[-1].pk: 9}

    spawn("work", "documents")
    wait_until(lambda: state_of(his) == "ready", seconds=40, pause=0.01)
    read_before = sum(state_of(version) == "ready" for version in flood)
    wait_until(lambda: all(state_of(version) == "ready" for version in flood), seconds=60, pause=0.1)

    assert read_before <= 2, "the other person's file waited behind the flood"


def upload(workspace, user, number: int) -> DocumentVersion:
    file = SimpleUploadedFile(f"filing-{number}.md", f"# Filing {number}\n\nRevenue was {number} million.\n".encode())
    return add_document(workspace=workspace, user=user, upload=file).version


def state_of(version: DocumentVersion) -> str:
    return DocumentVersion.objects.values_list("status", flat=True).get(pk=version.pk)
