"""The machine is lost: what a backup held is a site again, its open runs go on, and its files are its own."""

from pathlib import Path

import pytest

from tests.conftest import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]

LOAD = (
    "from tests.support.compiled import compiled_document;"
    "from vectorless_web.runs.models import Run; from vectorless_web.runs.services import claim_run, start_run;"
    "from vectorless_web.workspaces.models import Workspace;"
    "w = Workspace.objects.select_related('created_by').get();"
    "[compiled_document(w, w.created_by, f'Section {n} says so.'.encode(), f'{n}.md') for n in range(3)];"
    "[start_run(user=w.created_by, workspace=w, question=f'What does section {n} say?') for n in range(4)];"
    "claim_run(Run.objects.first().pk)"
)
OPEN = "select status, count(*) from runs_run where status in ('queued', 'running') group by status order by status"


def test_a_site_restored_from_a_backup_starts_and_answers_what_was_open(make_site, tmp_path):
    folder = str(tmp_path / "backups")
    site = make_site(VECTORLESS_RUN_LEASE_SECONDS="3")
    site.manage("first_run")
    site.manage("shell", "-c", LOAD)
    assert "files and the database" in site.manage("backup", folder, "--with-secret").stdout

    other = make_site(Path(site.var.parent / "after"), VECTORLESS_RUN_LEASE_SECONDS="3")
    other.manage("restore", folder)
    assert other.rows(OPEN) == site.rows(OPEN) == [("queued", 3), ("running", 1)]
    other.start()
    other.await_ready()
    wait_until(lambda: other.rows(OPEN) == [], seconds=60)
    assert other.rows("select count(*) from runs_run where status = 'failed'") == [(0,)]
    assert "Database and files agree" in other.manage("quarantine", "--list").stdout
    other.stop()
    assert stored(other) >= stored(site)
    assert other.rows("pragma integrity_check") == [("ok",)]


def stored(site) -> set[str]:
    """Names of the uploads and of what was compiled of them."""
    media = site.var / "media"
    files = (path for name in ("uploads", "compiled") for path in (media / name).rglob("*"))
    return {str(path.relative_to(media)) for path in files if path.is_file()}
