"""`manage.py up` as a team runs it: behind a TLS proxy, under its own name, on all addresses, one site a folder."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, wait_until
from tests.faults.visitor import Visitor, processes_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

NAME = "docs.example.com"


def test_a_site_behind_a_tls_proxy_under_its_own_name(make_site):
    redis = os.environ["REDIS_URL"].replace("db=0", "db=9")
    team = {"VECTORLESS_HTTPS": "1", "VECTORLESS_HOSTS": NAME, "HOST": "0.0.0.0", "REDIS_URL": redis}
    site = make_site(demo=True, VECTORLESS_DOCUMENT_WORKERS="2", **team)
    site.var.chmod(0o755)
    (site.var / "media").mkdir()
    (site.var / "media").chmod(0o755)
    (site.var / "media" / "older").write_text("from before permissions were closed")
    (site.var / "media" / "older").chmod(0o644)
    site.start()
    site.await_ready()
    wait_until(lambda: "is ready at" in site.output, seconds=90)

    assert f"Vectorless is ready at  https://{NAME}/" in site.output
    assert f"listening on            http://127.0.0.1:{site.port}/" in site.output
    the_proxy_is_believed_and_others_are_not(site)
    nothing_is_open_to_other_users(site)
    every_process_says_what_it_is(site)
    two_workers_read_each_document_once(site)
    page_images_come_back_after_the_cache_is_deleted(site)
    a_second_site_in_the_same_folder_is_refused(make_site, site, team)
    assert site.stop() == 0


def the_proxy_is_believed_and_others_are_not(site):
    proxy = Visitor(site.port, Host=NAME, X_Forwarded_Proto="https")
    answer = proxy.sign_in((site.var / "demo_password").read_text())
    assert (answer.status, answer.headers["Location"]) == (302, "/")
    assert "Secure" in " ".join(answer.headers.get_all("Set-Cookie"))
    assert proxy.ask("GET", "/").status == 200
    plain = Visitor(site.port, Host=NAME).ask("GET", "/accounts/login/")
    assert (plain.status, plain.headers["Location"]) == (301, f"https://{NAME}/accounts/login/")
    assert Visitor(site.port, Host="evil.example").ask("GET", "/accounts/login/").status == 400
    for path in ("/health/live", "/health/ready"):
        assert Visitor(site.port, Host="10.0.0.7").ask("GET", path).status == 200


def nothing_is_open_to_other_users(site):
    open_ones = [path for path in (site.var, *site.var.rglob("*")) if path.lstat().st_mode & 0o077]
    assert [path for path in open_ones if not path.is_symlink()] == []
    assert "was open to others: permissions of 3 files and folders closed" in site.output


def every_process_says_what_it_is(site):
    titles = {title.removeprefix("vectorless: ") for title in processes_of(site.var).values()}
    expected = {"up", "web", "render", "sweep", "worker-runs-1", "worker-runs-2"}
    assert expected | {"worker-documents-1", "worker-documents-2"} <= titles


def two_workers_read_each_document_once(site):
    wait_until(lambda: not site.rows("select 1 from documents_documentversion where status <> 'ready'"), seconds=60)
    [(documents,)] = site.rows("select count(*) from documents_document")
    versions = site.rows("select attempt, requeued from documents_documentversion")
    assert versions == [(1, 0)] * documents
    assert documents == 4
    [(cards,)] = site.rows("select count(*) from documents_card")
    assert cards == documents


def page_images_come_back_after_the_cache_is_deleted(site):
    [(pk,)] = site.rows(
        "select v.document_id from documents_documentversion v where v.mime = 'application/pdf' order by 1 limit 1"
    )
    visitor = Visitor(site.port, Host=NAME, X_Forwarded_Proto="https")
    visitor.sign_in((site.var / "demo_password").read_text())
    image = f"/w/demo/documents/{pk}/v1/pages/1.jpg"
    assert visitor.ask("GET", image).status == 200
    for _ in range(3):
        shutil.rmtree(site.var / "cache")
        answer = visitor.ask("GET", image)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/jpeg")


def a_second_site_in_the_same_folder_is_refused(make_site, site, team):
    socket = site.var / "sockets" / "render.sock"
    before = socket.stat().st_ino
    second = make_site(site.var, **team)
    refused = second.manage("up", "--port", str(second.port), check=False)
    assert refused.returncode == 1
    assert "This folder's site is already running (process " in refused.stderr
    assert socket.stat().st_ino == before


def test_a_render_child_removes_no_socket_but_its_own(tmp_path):
    places = [str(tmp_path / name) for name in ("render.sock", "cache", "media")]
    command = [sys.executable, "-m", "tests.support.render_here", *places]
    first = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    socket = Path(places[0])
    wait_until(socket.exists, seconds=30)
    before = socket.stat().st_ino
    second = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    wait_until(lambda: socket.exists() and socket.stat().st_ino != before, seconds=30)
    first.send_signal(signal.SIGTERM)
    first.wait(10)
    assert socket.exists()
    second.send_signal(signal.SIGTERM)
    second.wait(10)
    assert not socket.exists()
