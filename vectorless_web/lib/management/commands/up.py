"""`manage.py up`: the whole site on one machine, under one parent."""

import importlib
import os
import socket
import urllib.error
import urllib.request
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from vectorless_web.lib import embedded_redis, static_files
from vectorless_web.lib.management.commands.work import preload
from vectorless_web.lib.supervisor import NotReady, Service, Supervisor


class Command(BaseCommand):
    help = "Start Redis, the web server, workers, the render child and the sweep; restart what dies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--run-workers", type=int, default=int(os.environ.get("VECTORLESS_RUN_WORKERS", "2")))

    def handle(self, *_args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        _refuse_taken_port(host, port)
        supervisor = Supervisor(say=self.stderr.write)
        try:
            self._start_redis(supervisor)
            self._prepare()
            _preload()
            for service in _services(host, port, options["run_workers"]):
                supervisor.start(service)
            supervisor.run_once(partial(call_command, "load_demo"))
            connections.close_all()
        except NotReady as error:
            supervisor.stop()
            raise CommandError(f"{error} did not start; its own message stands above.") from error
        except BaseException:
            supervisor.stop()
            raise
        call_command("welcome", address=f"http://{host}:{port}/", stdout=self.stdout)
        supervisor.watch()

    def _start_redis(self, supervisor: Supervisor) -> None:
        if not settings.EMBEDDED_REDIS:
            if not embedded_redis.answers(settings.REDIS_URL):
                raise CommandError("Redis at REDIS_URL does not answer. Start it, or unset REDIS_URL to use our own.")
            return
        if embedded_redis.answers(settings.REDIS_URL):
            raise CommandError("This folder's site is already running; stop it first.")
        try:
            server = embedded_redis.find_server()
        except embedded_redis.NoRedisServer as error:
            raise CommandError(str(error)) from error
        command = embedded_redis.command(server, socket=settings.REDIS_SOCKET, folder=settings.VAR / "redis")
        supervisor.start(
            Service("redis", command, ready=lambda: embedded_redis.answers(settings.REDIS_URL), last_down=True)
        )

    def _prepare(self) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if static_files.collect():
            self.stdout.write("Static files collected.")
        call_command("first_run", stdout=self.stdout)


def _services(host: str, port: int, run_workers: int) -> list[Service]:
    """The processes after Redis, in the order they start; the web server is waited for last.

    All are forks of this process, which has imported what they share.
    """
    workers = [Service(f"worker-runs-{n}", partial(call_command, "work", "runs")) for n in range(1, run_workers + 1)]
    return [
        *workers,
        Service("worker-documents", partial(call_command, "work", "documents")),
        Service("render", partial(call_command, "render_child")),
        Service("sweep", partial(call_command, "sweep", loop=True)),
        Service(
            "web",
            partial(_serve, host, port),
            ready=lambda: _answers(f"http://{host}:{port}/health/live"),
            ready_seconds=60,
        ),
    ]


def _preload() -> None:
    """Import and load what the services need before they are forked."""
    for queue in settings.WORKER_PRELOAD:
        preload(queue)
    importlib.import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    connections.close_all()


def _serve(host: str, port: int) -> None:
    """Become the web server."""
    from vectorless_web.lib import web_server  # noqa: PLC0415 - it makes an event loop, which must not be forked

    web_server.serve(host, port)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _refuse_taken_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(f"Port {port} is taken. Choose another: PORT={port + 1} make run") from error
