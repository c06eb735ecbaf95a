"""Processes forked from one that has imported everything: they start quickly and share the memory of its code."""

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import TimeoutExpired

from setproctitle import setproctitle

PR_SET_PDEATHSIG = 1
"""Linux' number of the request for a signal when the parent dies (prctl(2))."""
POLL_SECONDS = 0.02
"""Seconds between two looks whether the child has ended."""
STOPPING = (signal.SIGINT, signal.SIGTERM)


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Called in a child: even a killed parent leaves no process behind (Linux only, harmless elsewhere)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    except (AttributeError, OSError):
        return


def name_process(name: str) -> None:
    """Show this process as `vectorless: name` in `ps` and `top`."""
    setproctitle(f"vectorless: {name}")


@contextmanager
def hold_signals() -> Iterator[None]:
    """Block SIGINT and SIGTERM while a child is made, so that none arrives before the parent knows the child."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_child() -> None:
    """Call this first in a child made under `hold_signals`: reset and unblock signals, and end with the parent."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)
    die_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


class Forked:
    """A forked process with the part of Popen's interface that a supervisor needs."""

    def __init__(self, act: Callable[[], object], *, name: str = "") -> None:
        """Fork and call `act` in the child, which ends with it. The parent must have no threads or open connections.

        `name` is what the child is shown as in lists of processes.
        """
        self.returncode: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        with hold_signals():
            self.pid = os.fork()
            if self.pid == 0:
                _become(act, name)

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


def _become(act: Callable[[], object], name: str) -> None:
    """The child's whole life."""
    code = 1
    try:
        os.setsid()
        begin_child()
        if name:
            name_process(name)
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
