"""`manage.py up`: the whole site on one machine, under one parent."""

import hashlib
import json
import logging
import os
import signal
import time
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from vectorless_web.infra.queues.jobs import preload
from vectorless_web.infra.site.forking import STOPPING, name_process
from vectorless_web.infra.site.private_files import write_whole
from vectorless_web.infra.site.supervisor import (
    AlreadyRunning,
    CannotListen,
    Listening,
    NoRedisServer,
    NotReady,
    Service,
    Stopped,
    Supervisor,
    find_redis_server,
    hold_site,
    is_redis_answering,
    read_redis_log,
    redis_command,
    redis_log_size,
)
from vectorless_web.infra.web import server

MANIFEST = "staticfiles.json"


def collect() -> bool:
    """Bring STATIC_ROOT up to date; true when there was something to do."""
    folder = Path(settings.STATIC_ROOT)
    stamp, manifest = folder / ".stamp", folder / MANIFEST
    state, whole = _state(), _is_whole(manifest)
    if whole and stamp.exists() and stamp.read_text() == state:
        return False
    stamp.unlink(missing_ok=True)  # Until all is there again, nothing may say that it is.
    if not whole:
        manifest.unlink(missing_ok=True)  # Django refuses to begin with one that it cannot read.
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    write_whole(stamp, state)
    return True


def _is_whole(manifest: Path) -> bool:
    """Whether the manifest can be read; one that is not there is no damage: a storage without it needs none."""
    try:
        json.loads(manifest.read_text())
    except FileNotFoundError:
        return True
    except ValueError:
        return False
    return True


def _state() -> str:
    """A digest of every static file's name, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


logger = logging.getLogger(__name__)

LAST_STOP_SECONDS = 8.0
"""What the supervisor adds to VECTORLESS_STOP_SECONDS for giving back what is under way, before it kills."""
DYING_REDIS_SECONDS = 3.0
"""How long the Redis of a killed `up` may take to end."""
MOST_READERS = 4
"""Document workers by default at most: each may use VECTORLESS_COMPILE_MEMORY_BYTES."""


class Command(BaseCommand):
    help = "Start Redis, the web server, workers, the render child and the sweep; restart what dies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--run-workers", type=int, default=int(os.environ.get("VECTORLESS_RUN_WORKERS", "3")))
        parser.add_argument(
            "--document-workers",
            type=int,
            default=int(os.environ.get("VECTORLESS_DOCUMENT_WORKERS", "0")) or _readers_for_this_machine(),
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        for number in STOPPING:
            signal.signal(number, _stop_starting)
        supervisor = Supervisor(say=logger.warning, stop_seconds=settings.STOP_SECONDS + LAST_STOP_SECONDS)
        try:
            listening = Listening.at(options["host"], options["port"])
            lock = self._begin(listening)
            self._start(supervisor, listening, options)
            supervisor.watch()
        except Stopped:
            supervisor.stop()
            return
        except NotReady as error:
            supervisor.stop()
            raise CommandError(str(error)) from error
        except BaseException:
            supervisor.stop()
            raise
        os.close(lock)

    def _begin(self, listening: Listening) -> int:
        """Make sure that this is the folder's only site and that its port is free; the lock's descriptor."""
        name_process("up")
        try:
            lock = hold_site(
                settings.VAR / "up.lock", seconds=settings.STOP_SECONDS + LAST_STOP_SECONDS, say=self.stdout.write
            )
            listening.refuse_taken()
        except (AlreadyRunning, CannotListen) as error:
            raise CommandError(str(error)) from error
        return lock

    def _start(self, supervisor: Supervisor, listening: Listening, options: dict[str, Any]) -> None:
        self._start_redis(supervisor)
        self._prepare()
        preload(*settings.WORKER_PRELOAD, besides=[settings.ASGI_APPLICATION.rpartition(".")[0]])
        for service in _services(listening, options["run_workers"], options["document_workers"]):
            supervisor.start(service)
        supervisor.run_once(partial(call_command, "load_demo"), "load_demo")
        connections.close_all()
        self._welcome(listening)

    def _start_redis(self, supervisor: Supervisor) -> None:
        if not settings.EMBEDDED_REDIS:
            if not is_redis_answering(settings.REDIS_URL):
                raise CommandError("Redis at REDIS_URL does not answer. Start it, or unset REDIS_URL to use our own.")
            return
        if not _stays_silent(settings.REDIS_URL, DYING_REDIS_SECONDS):
            raise CommandError("This folder's Redis is already running. Stop it, or name it in REDIS_URL to use it.")
        try:
            server = find_redis_server()
        except NoRedisServer as error:
            raise CommandError(str(error)) from error
        folder = settings.VAR / "redis"
        command = redis_command(server, socket=settings.REDIS_SOCKET, folder=folder)
        supervisor.start(
            Service(
                "redis",
                command,
                ready=lambda: is_redis_answering(settings.REDIS_URL),
                last_down=True,
                advice=partial(read_redis_log, folder, redis_log_size(folder)),
            )
        )

    def _prepare(self) -> None:
        try:
            call_command("migrate", interactive=False, verbosity=0)
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}") from error
        if collect():
            self.stdout.write("Static files collected.")
        call_command("first_run", stdout=self.stdout)

    def _welcome(self, listening: Listening) -> None:
        address = listening.public_url(
            hosts=settings.ALLOWED_HOSTS, origins=settings.CSRF_TRUSTED_ORIGINS, https=settings.HTTPS
        )
        call_command("welcome", address=address, listens=f"{listening.local_url}/", stdout=self.stdout)


def _services(listening: Listening, run_workers: int, document_workers: int) -> list[Service]:
    """The processes after Redis, in the order they start; the web server is waited for last.

    All are forks of this process, which has imported what they share.
    """
    counts = {"runs": run_workers, "documents": document_workers, "long": 1, "background": 2, "backups": 1}
    workers = [
        Service(f"worker-{queue}-{n}", partial(call_command, "work", queue))
        for queue, count in counts.items()
        for n in range(1, max(1, count) + 1)
    ]
    return [
        *workers,
        Service("render", partial(call_command, "render_child")),
        Service("sweep", partial(call_command, "sweep", loop=True)),
        Service(
            "web",
            partial(server.serve, listening.host, listening.port),
            ready=lambda: listening.answers("/health/live"),
            ready_seconds=60,
        ),
    ]


def _readers_for_this_machine() -> int:
    """Half of the cores: reading yields to answering, but not the other way round."""
    return max(1, min(MOST_READERS, len(os.sched_getaffinity(0)) // 2))


def _stays_silent(url: str, seconds: float) -> bool:
    """Whether no Redis answers there, or the one that does ends within the time."""
    deadline = time.monotonic() + seconds
    while is_redis_answering(url):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _stop_starting(_number: int, _frame: object) -> NoReturn:
    raise Stopped
