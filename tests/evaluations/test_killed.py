"""`kill -9` of the worker in the middle of an evaluation and of a grid: nothing is lost, and nothing asked twice."""

import os
import signal
import subprocess
import time

import pytest

from tests.conftest import wait_until
from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import Evaluation
from vectorless_web.evaluations.reading import Typed
from vectorless_web.grids.models import Cell
from vectorless_web.grids.services import ColumnValues, GridValues, create_grid, fill_grid
from vectorless_web.runs.models import Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.timeout(240)]
LEASE = {"VECTORLESS_RUN_LEASE_SECONDS": "2"}
YEARS, COLUMNS = range(2017, 2025), 4


def kill_at_work(worker: subprocess.Popen) -> set[int]:
    """Kill the worker and its children while a run is half done; the runs that it had."""
    running = Run.objects.filter(status=Run.Status.RUNNING).values_list("pk", flat=True)
    for _ in range(2_000):
        os.killpg(worker.pid, signal.SIGSTOP)
        time.sleep(0.01)
        if found := set(running.all()):
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
            return found
        os.killpg(worker.pid, signal.SIGCONT)
        time.sleep(0.02)
    raise AssertionError("The worker had no run.")


def test_a_killed_worker_loses_no_question_and_no_cell_and_none_is_asked_twice(
    golden_set, alice, workspace, report, spawn
):
    rows = [Typed(f"What was capital expenditure in {year}?", ("report.md",), value="31") for year in YEARS]
    services.add_questions(user=alice, golden_set=golden_set, rows=rows)
    columns = [ColumnValues(f"Sales {n}", f"What were net sales in {2023 + n % 2}?", "money") for n in range(COLUMNS)]
    grid = create_grid(user=alice, workspace=workspace, values=GridValues("Report", columns), documents=[report])
    evaluation = services.start_evaluation(user=alice, golden_set=golden_set)
    fill_grid(user=alice, grid=grid)

    worker = spawn("work", "background", **LEASE)
    wait_until(lambda: evaluation.results.filter(state="scored").count() >= 2, seconds=60)
    interrupted = kill_at_work(worker)
    done = {row.pk: row.run_id for row in evaluation.results.filter(state="scored")}
    spawn("sweep", "--loop", **LEASE)
    spawn("work", "background", **LEASE)
    wait_until(lambda: Evaluation.objects.get(pk=evaluation.pk).state == "ended", seconds=90)
    wait_until(lambda: not Cell.objects.filter(state__in=Cell.OPEN).exists(), seconds=90)

    results = list(evaluation.results.all())
    assert {row.state for row in results} == {"scored"}
    assert set(Cell.objects.values_list("state", flat=True)) == {"answered"}
    assert Run.objects.count() == len(results) + COLUMNS
    assert {row.pk: row.run_id for row in results if row.pk in done} == done
    assert set(Run.objects.filter(pk__in=interrupted).values_list("attempt", flat=True)) == {2}
