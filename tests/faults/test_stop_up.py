"""A site is told to stop while it starts, works and answers: nothing is lost, doubled or left behind."""

import os
import re
import signal
import socket
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from tests.conftest import wait_until
from tests.faults.visitor import Visitor, close_code, processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

QUESTION = "What was capital expenditure in 2024 in USD millions?"


def test_told_to_stop_while_it_starts_it_ends_well_with_all_its_children(make_site):
    site = make_site()
    site.start()
    wait_until(lambda: len(processes_of(site.var)) > 2, seconds=60)
    assert site.stop() == 0
    wait_until(lambda: not processes_of(site.var), seconds=5)
    assert "Traceback" not in site.output


def test_told_to_stop_in_the_middle_of_work(make_site, tmp_path):
    pause = tmp_path / "pause"
    pause.write_text("0")
    site = make_site(
        demo=True,
        VECTORLESS_STOP_SECONDS="3",
        VECTORLESS_RUN_LEASE_SECONDS="4",
        VECTORLESS_ENGINE_FACTORY="tests.support.slow_engine.build_engine",
        VECTORLESS_TEST_PAUSE=str(pause),
    )
    site.start("--run-workers", "1")
    site.await_ready()
    wait_until(lambda: "is ready at" in site.output, seconds=90)
    visitor = Visitor(site.port)
    assert visitor.sign_in((site.var / "demo_password").read_text()).status == 302

    a_request_under_way_is_answered_and_pages_are_told_to_come_back(site, visitor)

    pause.write_text("gate 2")
    run = a_run_under_way(site, visitor)
    horse, worker = (int(number) for number in (tmp_path / "horse").read_text().split())
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not os.path.exists(f"/proc/{horse}"), seconds=3)
    wait_until(lambda: state_of(site, run)[:2] == ("running", 2), seconds=40)
    wait_until(lambda: state_of(site, run)[2] >= 2, seconds=10)

    began = time.monotonic()
    assert site.stop() == 0
    assert time.monotonic() - began < 10
    assert processes_of(site.var) == {}
    assert state_of(site, run)[:2] == ("queued", 3)
    steps = site.rows("select sequence, kind from runs_step where run_id = ? order by sequence", run)

    pause.write_text("0")
    site.start("--run-workers", "1")
    site.await_ready()
    wait_until(lambda: state_of(site, run)[0] == "answered", seconds=30)
    after = site.rows("select sequence, kind from runs_step where run_id = ? order by sequence", run)
    assert after[: len(steps)] == steps
    assert [sequence for sequence, _ in after] == sorted({sequence for sequence, _ in after})
    assert site.stop() == 0


def a_request_under_way_is_answered_and_pages_are_told_to_come_back(site, visitor):
    """The web process is told to end while the database makes a request wait."""
    [web] = [pid for pid, title in processes_of(site.var).items() if title == "vectorless: web"]
    page = visitor.open_socket("/ws/w/demo/documents/")
    answers: list[int] = []
    stranger = Visitor(site.port)
    stranger.ask("GET", "/accounts/login/")
    form = {"login": "demo", "password": (site.var / "demo_password").read_text()}
    sign_in = threading.Thread(
        target=lambda: answers.append(stranger.ask("POST", "/accounts/login/", form).status), daemon=True
    )
    with closing(sqlite3.connect(site.var / "db.sqlite3", isolation_level=None)) as other:
        other.execute("begin immediate")
        sign_in.start()
        time.sleep(0.7)
        os.kill(web, signal.SIGTERM)
        assert close_code(page) == 1012
        wait_until(lambda: refuses(site.port), seconds=2)
        assert answers == []
        other.execute("rollback")
    sign_in.join(5)
    assert answers == [302]
    wait_until(lambda: not os.path.exists(f"/proc/{web}"), seconds=3)
    wait_until(lambda: not refuses(site.port), seconds=5)
    timed = r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d,\d+ WARNING .* web ended with 0; starting it again in 0.5 s$"
    assert re.search(timed, site.output, re.MULTILINE)


def refuses(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def a_run_under_way(site, visitor) -> int:
    """Ask, and wait until the first steps stand."""
    [(before,)] = site.rows("select max(id) from runs_run")
    assert visitor.ask("POST", "/w/demo/ask/", {"question": QUESTION}).status in (200, 302)
    wait_until(lambda: site.rows("select 1 from runs_run where id > ?", before), seconds=10)
    [(run,)] = site.rows("select max(id) from runs_run")
    wait_until(lambda: state_of(site, run)[2] >= 2, seconds=30)
    return run


def state_of(site, run: int) -> tuple[str, int, int]:
    """Status, attempt and number of steps."""
    [(status, attempt)] = site.rows("select status, attempt from runs_run where id = ?", run)
    [(steps,)] = site.rows("select count(*) from runs_step where run_id = ?", run)
    return status, attempt, steps
