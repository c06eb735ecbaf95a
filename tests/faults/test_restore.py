"""The machine is lost: what a backup of the running site held is a site again, and the sweep takes it as its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, wait_until
from tests.faults.test_wrong_database import LOAD, documents_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

ASK = (
    "from vectorless_web.runs.services import start_run as s; from vectorless_web.workspaces.models import Workspace;"
    "w = Workspace.objects.select_related('created_by').get();"
    "[s(user=w.created_by, workspace=w, question=f'What does section {n} say?') for n in range(8)]"
)


def test_a_site_restored_from_a_backup_made_under_load_starts_and_answers(make_site, tmp_path):
    gate, folder = tmp_path / "gate", str(tmp_path / "backups")
    gate.write_text("gate 1")
    held = {"VECTORLESS_ENGINE_FACTORY": "tests.support.slow_engine.build_engine", "VECTORLESS_TEST_PAUSE": str(gate)}
    site = make_site(**held)
    site.start()
    site.await_ready()
    site.manage("shell", "-c", LOAD.format(2))
    load = [spawn(site, LOAD.format(8)), spawn(site, ASK)]
    wait_until(lambda: site.rows("select count(*) from runs_run where status = 'running'") == [(2,)], seconds=60)
    assert "files and the database" in site.manage("backup", folder, "--with-secret").stdout
    assert [process.wait(60) for process in load] == [0, 0]
    gate.write_text("0")
    site.stop()

    other = make_site(Path(site.var.parent / "after"))
    assert "is whole" in other.manage("verify_backup", folder).stdout
    other.manage("restore", folder)
    assert other.rows("select count(*) from runs_run where status = 'running'") == [(2,)]
    other.start()
    other.await_ready()
    open_runs = "select count(*) from runs_run where status in ('queued', 'running')"
    wait_until(lambda: other.rows(open_runs) == [(0,)], seconds=60)
    assert other.rows("select count(*) from runs_run where status = 'failed'") == [(0,)]
    assert "Database and files agree" in other.manage("quarantine", "--list").stdout
    other.stop()
    assert documents_of(other) <= documents_of(site)
    assert other.rows("pragma integrity_check") == [("ok",)]


def spawn(site, code: str) -> subprocess.Popen:
    """Run a piece of Python inside the site's program, without waiting for it."""
    return subprocess.Popen([sys.executable, "manage.py", "shell", "-c", code], cwd=ROOT, env=site.environment)
