"""Database or storage go away under a run: it waits in its place, goes on, and has each step once."""

import errno
import threading
import time

import pytest
from django.db import InterfaceError, connection

from tests.support import engines
from vectorless_web.infra.outages import StorageAway
from vectorless_web.runs.jobs import execute_run
from vectorless_web.runs.models import Run, Step
from vectorless_web.runs.services import cancel_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _faulty_engine(settings):
    settings.ENGINE_FACTORY = "tests.support.engines.build_faulty"
    settings.OUTAGE_SECONDS = 20
    yield
    engines.FAULTS.clear()


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


@pytest.mark.parametrize(
    "fault",
    [
        InterfaceError("connection already closed"),
        StorageAway("not mounted"),
        OSError(errno.ESTALE, "Stale file handle"),
    ],
)
def test_a_run_goes_on_in_its_place_after_an_outage(make_run, fault):
    run = make_run()
    engines.FAULTS[:] = [fault, fault]
    execute_run(run.pk)
    assert (fresh(run).status, fresh(run).attempt) == ("answered", 1)
    places = list(Step.objects.filter(run=run).values_list("walk", "index", "kind"))
    assert len(places) == len(set(places)) == 13


def test_a_storage_that_stays_away_ends_the_run_with_its_own_sentence(make_run, settings):
    settings.OUTAGE_SECONDS = 0.3
    run = make_run()
    engines.FAULTS[:] = [StorageAway("not mounted")] * 50
    with pytest.raises(StorageAway):
        execute_run(run.pk)
    assert (fresh(run).status, fresh(run).error_code, fresh(run).retryable) == ("failed", "storage_away", True)
    assert "stored cannot be reached" in fresh(run).reason


def test_a_full_disk_is_told_as_one(make_run):
    run = make_run()
    engines.FAULTS[:] = [OSError(errno.ENOSPC, "No space left on device")]
    with pytest.raises(OSError, match="No space"):
        execute_run(run.pk)
    assert (fresh(run).status, fresh(run).error_code) == ("failed", "disk_full")
    assert "disk is full" in fresh(run).reason


def test_a_run_that_waits_for_an_outage_can_be_stopped(make_run, bob):
    run = make_run()
    engines.FAULTS[:] = [StorageAway("not mounted")] * 500

    def work() -> None:
        try:
            execute_run(run.pk)
        finally:
            connection.close()

    working = threading.Thread(target=work)
    working.start()
    time.sleep(0.6)
    stopped = time.monotonic()
    cancel_run(user=bob, run=fresh(run))
    working.join(10)
    assert fresh(run).status == "cancelled"
    assert time.monotonic() - stopped < 3
