"""Processes made by forking one that has imported everything: quick to start, and their code is in memory once."""

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from subprocess import TimeoutExpired

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.02


def die_with_parent() -> None:
    """Called in a child: even a killed parent leaves no process behind (Linux only, harmless elsewhere)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    except (AttributeError, OSError):
        return


class Forked:
    """A forked process with the part of Popen's interface that a supervisor needs."""

    def __init__(self, act: Callable[[], object]) -> None:
        """Fork and call `act` in the child, which ends with it. The parent must have no threads or open connections."""
        self.returncode: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _become(act)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; TimeoutExpired when it does not come in time."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutExpired([f"fork {self.pid}"], timeout or 0.0)
            time.sleep(POLL_SECONDS)
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _become(act: Callable[[], object]) -> None:
    """The child's whole life."""
    code = 1
    try:
        os.setsid()
        die_with_parent()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        act()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the edge of a process: what nobody caught is printed and ends it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
