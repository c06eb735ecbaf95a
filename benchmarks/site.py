"""A whole site in a temporary folder, for benchmarks that go through real processes."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[1]


class Site:
    """Redis, the web server and any `manage.py` processes over an empty database; gone with the `with` block.

    It sets the environment for Django, which must not have been set up before. With `static`
    it serves scripts and styles as a real site does, for benchmarks with a browser. A `folder`
    that is given stays, so that what was built there is measured again.
    """

    def __init__(self, *, static: bool = False, folder: Path | None = None, **environment: str) -> None:
        self._static, self._is_kept = static, folder is not None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="vw-bench-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.socket = self.folder / "redis.sock"
        self.redis_url = f"unix://{self.socket}?db=0"
        os.environ.update(
            VECTORLESS_VAR=str(self.var),
            REDIS_URL=self.redis_url,
            DJANGO_SETTINGS_MODULE="vectorless_web.settings",
            VECTORLESS_LOG_LEVEL="ERROR",
            **({} if static else {"VECTORLESS_STATIC": "django.contrib.staticfiles.storage.StaticFilesStorage"}),
            **environment,
        )
        sys.path.insert(0, str(ROOT))
        self.port = 0
        self.web: subprocess.Popen
        self.processes: list[subprocess.Popen] = []

    @property
    def var(self) -> Path:
        """Where the site keeps its data."""
        return self.folder / "var"

    @property
    def address(self) -> str:
        """Where the web server answers."""
        return f"http://127.0.0.1:{self.port}"

    def processor_ms(self) -> float:
        """Milliseconds that the newest web server, with all its threads, has had of a processor, to the nearest 10."""
        stat = Path(f"/proc/{self.web.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        return (int(stat[11]) + int(stat[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self) -> None:
        import django

        from vectorless_web.infra.site.supervisor import find_redis_server, redis_command

        self.start(redis_command(find_redis_server(), socket=self.socket, folder=self.folder / "redis"))
        wait_until(self.socket.exists)
        django.setup()
        self.manage("migrate", "-v", "0").wait()
        if self._static:
            self.manage("collectstatic", "-v", "0", "--noinput").wait()
        self.start_web()

    def start_web(self, **environment: str) -> None:
        """Start a web process, which is the one asked and measured from then on; `environment` is its own."""
        self.port = _free_port()
        self.web = self.start([sys.executable, "manage.py", "web", "--port", str(self.port)], **environment)
        wait_until(lambda: _listens(self.port), seconds=180)

    def __exit__(self, *_exception: object) -> None:
        from django.db import connections

        connections.close_all()
        for process in reversed(self.processes):  # Redis, the first, goes last.
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(40)
            process.kill()
        if not self._is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def manage(self, *arguments: str) -> subprocess.Popen:
        """Start `manage.py ...`."""
        return self.start([sys.executable, "manage.py", *arguments])

    def start(self, command: list[str], **environment: str) -> subprocess.Popen:
        """Start a process that ends with the site; `environment` is its own."""
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
        self.processes.append(process)
        return process


class WholeSite(Site):
    """A site as `manage.py up` runs it, or another command that starts all processes; `web` is their parent.

    What `up` does before it starts them is done for another command.
    """

    def __init__(self, *, command: str = "", **environment: str) -> None:
        super().__init__(**environment)
        self._command = command

    def _begin(self) -> None:
        import django

        del os.environ["REDIS_URL"]
        self.port = _free_port()
        os.environ["PORT"] = str(self.port)
        if self._command:
            self.manage("migrate", "-v", "0").wait()
            self.manage("first_run").wait()
        self.web = self.start(shlex.split(self._command)) if self._command else self.manage("up")
        wait_until(lambda: _listens(self.port), seconds=180)
        django.setup()


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for a condition; TimeoutError when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came within {seconds} s")
        time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _listens(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=2) as response:
        return response.status == 200
    return False
