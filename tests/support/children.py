"""Compile children that misbehave, one for each file name: run as `-m tests.support.children`, the order on stdin.

With a socket's number and a parent: a prepared process that forks them, and compile children.
"""

import json
import os
import selectors
import signal
import sys
import time

from vectorless_web.documents.compiling import prepared
from vectorless_web.documents.compiling.child import _confine, _write_message

MISBEHAVING = "tests.support.children"


def crash(wanted: dict) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(wanted: dict) -> None:
    _write_message(stage="parsing", done=1, total=9)
    time.sleep(60)


def spin(wanted: dict) -> None:
    while True:
        pass


def bloat(wanted: dict) -> None:
    try:
        bytearray(wanted["memory_bytes"])
    except MemoryError:
        _write_message(error="out_of_memory", message="", retryable=False)
        sys.exit(1)


def be_killed(wanted: dict) -> None:
    """As by the system when memory runs short."""
    _write_message(stage="parsing", done=1, total=9)
    os.kill(os.getpid(), signal.SIGKILL)


def abort_with_much_memory(wanted: dict) -> None:
    """As a library does whose buffer cannot be doubled."""
    kept = bytearray(int(wanted["memory_bytes"] * 0.6))
    kept[::4096] = b"x" * len(kept[::4096])
    os.abort()


def chatter(wanted: dict) -> None:
    sys.stdout.write('a library says something\n["not", "a message"]\n')
    _write_message(stage="parsing", done=1, total=2)
    sys.exit(0)


def secrets(wanted: dict) -> None:
    _write_message(error="seen", message=" ".join(sorted(os.environ)), retryable=False)


def tell_descriptors(wanted: dict) -> None:
    found = [name for name in sorted(os.listdir("/proc/self/fd")) if _is_open(int(name))]
    _write_message(error="seen", message=f"{' '.join(found)}.", retryable=False)


def _is_open(descriptor: int) -> bool:
    """Not the one by which they were listed."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


MEMORY: list[str] = []


def remember(wanted: dict) -> None:
    MEMORY.append(wanted["target"])
    _write_message(error="seen", message=f"{len(MEMORY)} file.", retryable=False)


def misbehave() -> int:
    order = json.load(sys.stdin)
    _confine(memory_bytes=order["memory_bytes"], cpu_seconds=order["cpu_seconds"], parent=order["parent"])
    globals()[order["name"]](order)
    return 0


class EndsFirst(selectors.DefaultSelector):
    """Tells of children that ended before it tells of those that are to be ended, when both happened at once."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return sorted(super().select(timeout), key=lambda event: event[0].data is not None)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        prepared.serve(int(sys.argv[1]), int(sys.argv[2]), {MISBEHAVING: misbehave, **prepared.ACTS}, EndsFirst())
    sys.exit(misbehave())
