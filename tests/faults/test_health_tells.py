"""What is broken in a whole site is told by its health address."""

import json
import signal
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing

import pytest

from tests.conftest import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]


def health(site) -> tuple[int, dict]:
    """The status of /health/ready, and what each check says."""
    try:
        with urllib.request.urlopen(f"{site.address}/health/ready", timeout=10) as answer:
            return answer.status, json.load(answer)["checks"]
    except urllib.error.HTTPError as answer:
        return answer.code, json.load(answer)["checks"]


def state(site, check: str) -> str:
    return health(site)[1][check]["status"]


def test_a_whole_site_is_fine_a_killed_one_starts_again_and_a_damaged_database_is_told(make_site):
    site = make_site()
    site.start()
    site.await_ready()
    wait_until(lambda: "not looked at yet" not in str(health(site)), seconds=20)
    status, checks = health(site)
    assert status == 200
    assert {name: check for name, check in checks.items() if check["status"] != "ok" and name != "disk"} == {}
    people = site.rows("select count(*) from auth_user")
    site.stop(signal.SIGKILL)
    site.start()
    site.await_ready()
    assert site.rows("select count(*) from auth_user") == people
    site.stop(signal.SIGTERM)
    path = site.var / "db.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table filler (word text)")
        database.executemany("insert into filler values (?)", [("word" * 1000,)] * 60)
        database.commit()
        database.execute("pragma wal_checkpoint(truncate)")
    with path.open("r+b") as file:
        file.seek(-25 * 4096, 2)
        file.write(b"\xff" * 4096 * 20)
    site.start()
    wait_until(lambda: _answers(site), seconds=60)
    wait_until(lambda: state(site, "integrity") == "unavailable", seconds=20)
    assert health(site)[0] == 503
    site.stop()


def _answers(site) -> bool:
    try:
        health(site)
    except (urllib.error.URLError, OSError):
        return False
    return True
