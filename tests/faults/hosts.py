"""Machines of one site, for tests: each has a folder of its own and nothing of another's disk."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.conftest import ROOT, answers, end_group, free_port, wait_until


@dataclass
class Host:
    """One machine: its folder `var`, the settings that all machines share, and the processes that run there."""

    var: Path
    shared: dict[str, str]
    commands: tuple[str, ...]
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where its web server answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What its processes see."""
        return {**self.shared, "VECTORLESS_VAR": str(self.var), "PORT": str(self.port)}

    def manage(self, *arguments: str) -> str:
        """Run one `manage.py` command to its end; what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start its processes; does not wait."""
        with (self.var / "log").open("ab") as log:
            for command in self.commands:
                arguments = [sys.executable, "manage.py", *command.split()]
                self.processes[command] = subprocess.Popen(
                    arguments, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
                )

    def await_web(self) -> None:
        """Wait until its web server answers, whatever the other machines do."""
        wait_until(lambda: answers(f"{self.address}/health/live"), seconds=120, pause=0.2)

    def stop(self, seconds: float = 40) -> dict[str, int]:
        """Stop its processes as a service manager does; their exit codes."""
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        return {command: process.wait(seconds) for command, process in self.processes.items()}

    def kill(self) -> None:
        """End whatever still runs."""
        for process in self.processes.values():
            end_group(process)

    def files(self) -> set[str]:
        """Names of the folders and files in its own folder, two levels deep."""
        return {str(path.relative_to(self.var)) for pattern in ("*", "*/*") for path in self.var.glob(pattern)}


def rows(uri: str, query: str, *values: Any) -> list[tuple]:
    """Rows of a PostgreSQL database, asked from beside the site."""
    with psycopg.connect(uri) as connection:
        return connection.execute(query, values).fetchall()
