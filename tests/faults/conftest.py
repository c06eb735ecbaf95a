"""Whole sites of their own, started as an operator starts them, to be broken on purpose."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import ROOT, answers, end_group, free_port, wait_until

FOREIGN = ("REDIS_URL", "VECTORLESS_STATIC", "DATABASE_URL", "VECTORLESS_VAR")
"""What the tests set for their own process and a site of its own must not see."""


@dataclass
class BrokenSite:
    """One `manage.py up` with its folder, its address and what it has written."""

    var: Path
    port: int
    environment: dict[str, str]
    process: subprocess.Popen = field(init=False)

    @property
    def address(self) -> str:
        """Where the site answers, on this machine."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """Everything the site has written to stdout and stderr so far."""
        return (self.var.parent / f"{self.var.name}.log").read_text(errors="replace")

    def start(self, *arguments: str) -> None:
        """Start `manage.py up`; does not wait."""
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), *arguments]
        with (self.var.parent / f"{self.var.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, start_new_session=True, stdout=log, stderr=log
            )

    def await_ready(self, seconds: float = 90) -> None:
        """Wait until the site says that it is ready; AssertionError with its output when it ends before."""
        wait_until(lambda: self.process.poll() is not None or answers(f"{self.address}/health/ready"), seconds=seconds)
        assert self.process.poll() is None, f"the site ended while it was starting:\n{self.output}"

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run one `manage.py` command on the site's data, to its end."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=check, timeout=100
        )

    def rows(self, query: str, *values: object) -> list[tuple]:
        """Rows of the site's own SQLite database."""
        with closing(sqlite3.connect(self.var / "db.sqlite3", timeout=10)) as connection:
            return connection.execute(query, values).fetchall()

    def stop(self, number: int = signal.SIGTERM, seconds: float = 40) -> int:
        """Send the supervisor a signal and wait for its end; its exit code."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, number)
        return self.process.wait(seconds)


@pytest.fixture
def make_site(migrated_database) -> Iterator[Callable[..., BrokenSite]]:
    """`make_site(NAME="value", ...)` prepares a site without rows in a new folder, or in `var`; not started yet."""
    base = Path(tempfile.mkdtemp(prefix="vw-fault-"))
    made: list[BrokenSite] = []

    def make(var: Path | None = None, *, demo: bool = False, **environment: str) -> BrokenSite:
        folder = var or base / f"var{len(made)}"
        folder.mkdir(exist_ok=True)
        if not demo:
            (folder / "demo_loaded").touch()
            if var is None and "DATABASE_URL" not in environment:
                shutil.copy(migrated_database, folder / "db.sqlite3")
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        site = BrokenSite(folder, free_port(), {**kept, "VECTORLESS_VAR": str(folder), **environment})
        made.append(site)
        return site

    yield make
    for site in made:
        if hasattr(site, "process"):
            end_group(site.process)
    shutil.rmtree(base, ignore_errors=True)
