"""A start on the wrong database, empty or restored from an old copy: every stored file stays where it is."""

import os
import sqlite3
import time
from contextlib import closing

import pytest

from tests.conftest import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

LOAD = (
    "from vectorless_web.documents.services import add_samples as a;"
    "from vectorless_web.workspaces.models import Workspace as W; list(a(workspace=W.objects.get(), count={}))"
)


def stored(site) -> set[str]:
    media = site.var / "media"
    return {str(path.relative_to(media)) for path in media.rglob("*") if path.is_file()}


def documents_of(site) -> set[str]:
    return {name for name in stored(site) if name.startswith(("uploads/", "compiled/", "snapshots/"))}


def age(site) -> None:
    """Make all stored files three days old: the sweep spares those of the last day."""
    for name in documents_of(site):
        os.utime(site.var / "media" / name, (time.time() - 3 * 86_400,) * 2)


def open_database(site) -> sqlite3.Connection:
    return sqlite3.connect(site.var / "db.sqlite3")


def test_no_file_is_lost_by_a_start_on_an_empty_or_an_older_database(make_site):
    site = make_site()
    site.start()
    site.await_ready()
    wait_until(lambda: site.rows("select count(*) from documents_installation") == [(1,)], seconds=30)
    site.manage("shell", "-c", LOAD.format(3))
    with closing(sqlite3.connect(site.var / "old.sqlite3")) as old, closing(open_database(site)) as now:
        now.backup(old)
    site.manage("shell", "-c", LOAD.format(4))
    site.manage("sweep")
    site.stop()
    age(site)
    files = documents_of(site)
    assert len(files) >= 14

    site.environment["DATABASE_URL"] = f"sqlite:///{site.var / 'empty.sqlite3'}"
    site.start()
    site.await_ready()
    wait_until(lambda: "empty: This database names no file at all" in site.output, seconds=30)
    site.stop()
    assert documents_of(site) == files

    site.environment["DATABASE_URL"] = f"sqlite:///{site.var / 'old.sqlite3'}"
    assert "older: This database is older than the files in storage" in site.manage("sweep").stderr
    assert documents_of(site) == files

    del site.environment["DATABASE_URL"]
    site.manage("sweep")
    assert documents_of(site) == files and "Database and files agree" in site.manage("quarantine", "--list").stdout
