"""Fixtures shared by all tests that use the database: people, a workspace, processes of the site."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import hypothesis
import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.test import TransactionTestCase
from pytest_httpserver import HTTPServer

from tests.support.emptying import empty_tables

ROOT = Path(__file__).resolve().parent.parent


PASSWORD = "correct horse battery"
OPENING_ALL = (
    "test_each_address_lets_in_exactly_those_it_should",
    "test_scopes_and_roles_hold_for_every_operation",
    "test_a_superuser_is_let_in_and_staff_without_the_right_is_told",
)
"""Tests that open every page, or ask for every operation."""


@pytest.fixture(scope="session")
def make_httpserver() -> Iterator[HTTPServer]:
    """The server behind `httpserver`: an answer that a client gave up on does not keep the next test waiting."""
    with HTTPServer(threaded=True) as server:
        yield server


class QuickHasher(Argon2PasswordHasher):
    """The site's own hash, which is slow on purpose, at its least cost."""

    time_cost, memory_cost, parallelism = 1, 8, 1


def pytest_configure() -> None:
    from django.conf import settings

    settings.PASSWORD_HASHERS = [f"{__name__}.QuickHasher"]
    TransactionTestCase._fixture_teardown = empty_tables
    # A busy machine makes single examples slow: no test is one of time.
    hypothesis.settings.register_profile("steady", deadline=None)
    hypothesis.settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--beside-postgresql", action="store_true", help="on SQLite, leave out what the run on PostgreSQL shows as well"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run on PostgreSQL what commits, and what opens every page, unless it is marked `one_database`.

    On SQLite everything is run; with `--beside-postgresql` without what commits, unless it is marked `both_databases`.
    """
    if is_sqlite():
        beside = config.getoption("--beside-postgresql")
        left_out = [item for item in items if beside and _is_for(item) == {"postgresql"}]
    else:
        left_out = [item for item in items if "postgresql" not in _is_for(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def pytest_collection_finish() -> None:
    """What was imported stays: to look through it for garbage again and again takes a tenth of the processor's time."""
    gc.collect()
    gc.freeze()


def _is_for(item: pytest.Item) -> set[str]:
    """The databases that a whole run shows a test on."""
    if item.get_closest_marker("one_database"):
        return {"sqlite"}
    if item.originalname in OPENING_ALL or item.get_closest_marker("both_databases"):
        return {"sqlite", "postgresql"}
    return {"postgresql"} if commits(item) else {"sqlite"}


def is_sqlite() -> bool:
    from django.conf import settings

    return "sqlite" in settings.DATABASES["default"]["ENGINE"]


def commits(item: pytest.Item) -> bool:
    """Whether a test commits its rows, as locks, jobs and other processes need it."""
    mark = item.get_closest_marker("django_db")
    return bool(mark and mark.kwargs.get("transaction")) or bool(
        {"transactional_db", "live_server"} & set(item.fixturenames)
    )


def uses_database(item: pytest.Item) -> bool:
    """Whether a test may read or write rows."""
    return bool(item.get_closest_marker("django_db") or {"db", "transactional_db"} & set(item.fixturenames))


def make_user(model, name: str):
    """An account that can sign in with PASSWORD."""
    return model.objects.create_user(name, f"{name}@example.com", PASSWORD)


@pytest.fixture
def alice(db, django_user_model):
    """Owns the workspace."""
    return make_user(django_user_model, "alice")


@pytest.fixture
def bob(db, django_user_model):
    """Belongs to the workspace, as a member."""
    return make_user(django_user_model, "bob")


@pytest.fixture
def charlie(db, django_user_model):
    """A stranger."""
    return make_user(django_user_model, "charlie")


@pytest.fixture
def dora(workspace, django_user_model):
    """Edits the workspace's documents."""
    return join(workspace, make_user(django_user_model, "dora"), "editor")


@pytest.fixture
def vera(workspace, django_user_model):
    """May only look."""
    return join(workspace, make_user(django_user_model, "vera"), "viewer")


def join(workspace, user, role: str):
    """Make somebody a member of the workspace in a role."""
    from vectorless_web.workspaces.models import Membership

    Membership.objects.create(workspace=workspace, user=user, role=role)
    return user


@pytest.fixture
def workspace(alice, bob):
    """Alice's workspace, with Bob as a member."""
    from vectorless_web.workspaces.services import create_workspace

    made = create_workspace(user=alice, name="Acme diligence")
    join(made, bob, "member")
    return made


@pytest.fixture
def html(client):
    """A page as somebody gets it, as text: `html(bob, "/")`."""

    def get(user, *asked) -> str:
        client.force_login(user)
        return client.get(*asked).content.decode()

    return get


@pytest.fixture
def act(client, workspace):
    """Post to an address below the settings as somebody: `act(alice, "members/3/role/", role="viewer")`."""

    def post(user, path, /, **data):
        client.force_login(user)
        return client.post(f"/w/{workspace.slug}/settings/{path}", data)

    return post


@pytest.fixture
def see(client, workspace):
    """Look at a page of the settings as somebody."""

    def get(user, path=""):
        client.force_login(user)
        return client.get(f"/w/{workspace.slug}/settings/{path}")

    return get


@pytest.fixture
def impatient(settings) -> None:
    """A model's server is waited for a second, and asked once."""
    settings.MODEL_SECONDS, settings.MODEL_RETRIES = 1.0, 0


@pytest.fixture
def own_model(httpserver, workspace):
    """A chat model of the workspace whose server runs here: `own_model(ModelServer(), price_in=2)`."""
    from vectorless_web.workspaces.models import ModelProvider

    def make(handler=None, **values) -> ModelProvider:
        if handler is not None:
            httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(handler)
        usual = {"name": "House", "base_url": httpserver.url_for("/v1"), "model": "tiny"}
        return ModelProvider.objects.create(workspace=workspace, **{**usual, **values})

    return make


@pytest.fixture(autouse=True)
def _empty_redis(request):
    """Each test with a database starts with empty queues and cache."""
    if uses_database(request.node):
        from redis import Redis

        with Redis.from_url(os.environ["REDIS_URL"]) as client:
            client.flushall()


@pytest.fixture(scope="session")
def compile_children() -> Iterator[None]:
    """Files are read by forks of a process that has imported the compiler, as a worker has them read."""
    from vectorless_web.documents.compiling.process import prepare_children

    children = prepare_children()
    yield
    children.close()


@pytest.fixture(autouse=True)
def _compile_quickly(request):
    if uses_database(request.node):
        request.getfixturevalue("compile_children")


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory) -> Path:
    """An SQLite database with all tables and no rows, to be copied.

    To lay the tables takes ten seconds of processor: they are kept until a migration or a requirement changes.
    """
    told = [*sorted(ROOT.glob("vectorless_web/*/migrations/*.py")), ROOT / "requirements.txt"]
    digest = sha256(b"".join(path.read_bytes() for path in told)).hexdigest()[:16]
    kept = ROOT / ".pytest_cache" / f"tables-{digest}.sqlite3"
    if not kept.exists():
        var = tmp_path_factory.mktemp("migrated")
        environment = {**os.environ, "VECTORLESS_VAR": str(var), "DATABASE_URL": f"sqlite:///{var / 'db.sqlite3'}"}
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=100)
        kept.parent.mkdir(exist_ok=True)
        for old in kept.parent.glob("tables-*"):
            old.unlink(missing_ok=True)
        shutil.copy(var / "db.sqlite3", kept.with_name(f"{os.getpid()}-{kept.name}")).replace(kept)
    return kept


@pytest.fixture(scope="session")
def django_db_keepdb(request) -> bool:
    """On SQLite the test database begins as a copy of the one with all tables."""
    from django.conf import settings

    if not is_sqlite():
        return False
    shutil.copy(request.getfixturevalue("migrated_database"), settings.DATABASES["default"]["TEST"]["NAME"])
    return True


@pytest.fixture
def work_off():
    """Work on all waiting jobs in this process: `work_off("documents")`."""
    import django_rq
    from rq import SimpleWorker

    class DeafWorker(SimpleWorker):
        """Nobody sends it a command while it works; to end the thread that listens takes up to a second."""

        def subscribe(self) -> None:
            return

    def work(*queues: str) -> None:
        names = queues or ("documents", "runs", "long", "background", "backups")
        connection = django_rq.get_connection("runs")
        DeafWorker([django_rq.get_queue(name) for name in names], connection=connection).work(
            burst=True, logging_level="WARNING"
        )

    return work


def free_port() -> int:
    """A TCP port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def database_url() -> str:
    """The test database's address, for processes of their own."""
    from django.db import connection

    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    base = os.environ["DATABASE_URL"]
    head, _, query = base.partition("?")
    return f"{head.rsplit('/', 1)[0]}/{values['NAME']}" + (f"?{query}" if query else "")


@pytest.fixture
def spawn(transactional_db) -> Iterator[Callable[..., subprocess.Popen]]:
    """Start `manage.py ...` or `-m module ...` as a process that sees the test database; ended with the test."""
    started: list[subprocess.Popen] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen:
        command = [sys.executable, *(arguments if arguments[0] == "-m" else ("manage.py", *arguments))]
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "DATABASE_URL": database_url(), **environment}, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        end_group(process)


def end_group(process: subprocess.Popen) -> None:
    """Kill a process and its children (a stopped one too), and wait for it."""
    for number in (signal.SIGCONT, signal.SIGTERM):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)


@pytest.fixture(scope="session")
def server(django_db_setup) -> Iterator[str]:
    """The address of a web server that serves the test database, one for all tests: to start takes five seconds."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "manage.py", "web", "--port", str(port)]
    environment = {**os.environ, "DATABASE_URL": database_url()}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    wait_until(lambda: process.poll() is not None or answers(f"{address}/health/live"), seconds=90)
    assert process.poll() is None, "the web server ended while it was starting"
    yield address
    end_group(process)


@pytest.fixture(scope="session")
def drawing(tmp_path_factory) -> Iterator[tuple[subprocess.Popen, Path]]:
    """A render child for all tests, as the supervisor starts it, and its folder."""
    folder = tmp_path_factory.mktemp("render")
    places = [str(folder / name) for name in ("render.sock", "cache", "media")]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.render_here", *places], cwd=ROOT, start_new_session=True
    )
    wait_until((folder / "render.sock").exists, seconds=30)
    yield process, folder
    end_group(process)


@pytest.fixture
def render_child(drawing, settings) -> subprocess.Popen:
    """The render child draws what this test stores."""
    process, folder = drawing
    settings.RENDER_SOCKET, settings.CACHE_ROOT = folder / "render.sock", folder / "cache"
    settings.MEDIA_ROOT = folder / "media"
    return process


def answers(url: str) -> bool:
    """Whether an HTTP server answers 200 there."""
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


def wait_until(condition: Callable[[], object], *, seconds: float = 10, pause: float = 0.05) -> None:
    """Wait for a condition; AssertionError when it does not come in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"nothing came within {seconds} s"
        time.sleep(pause)


def await_fresh_minute(needed: float) -> None:
    """Counts of tries begin anew with every full minute of the clock: wait for the next when it is nearly over."""
    left = 60 - time.time() % 60
    if left < needed:
        time.sleep(left)


@pytest.fixture
def workers():
    """`workers(2)` registers so many workers of a queue, as they do themselves when they start."""
    import django_rq
    from redis import Redis
    from rq import Worker
    from rq.command import PUBSUB_CHANNEL_TEMPLATE

    redis = django_rq.get_connection("runs")
    listening = []

    def register(count: int, *, queue: str = "runs", alive: bool = True) -> None:
        for _ in range(count):
            worker = Worker([django_rq.get_queue(queue)], connection=redis)
            worker.register_birth()
            if alive:
                client = Redis(connection_pool=redis.connection_pool).pubsub()
                client.subscribe(PUBSUB_CHANNEL_TEMPLATE % worker.name)
                client.get_message(timeout=1)
                listening.append(client)

    yield register
    for client in listening:
        client.close()
