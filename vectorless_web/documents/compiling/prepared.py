"""A process that has imported the compiler and forks a child for each file: the imports take half a second.

Run as `python -m vectorless_web.documents.compiling.prepared DOOR PARENT`: an inherited socket, and who started it.
It opens no upload and holds no secret, as the children that `process.py` starts by themselves. A request is the name of
what a child shall do and three descriptors: the order, what the child writes to, and a socket by which the child's end
is told ({"code", "cpu_seconds", "peak_bytes"}) and asked for: when its other side is shut down, or gone, the child is
killed. Each child is a fork of this process as it was before any file, sets its own limits, and ends with it.
"""

import ctypes
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

from vectorless_web.documents.compiling import child, unpack

PRELOADED = (
    "vectorless_web.documents.compiling.tesseract",
    "vectorless_web.engine.parsing.compile",
    "vectorless_web.engine.parsing.corrections",
    "vectorless_web.engine.parsing.packed.enclosed",
)
"""What the children import: under their own limits they find it done."""
ACTS: Mapping[str, Callable[[], int]] = {child.__name__: child.main, unpack.__name__: unpack.main}
LONGEST_NAME, DESCRIPTORS = 200, 3


class Forker:
    """Forks children on request and tells how they ended."""

    def __init__(
        self, door: socket.socket, acts: Mapping[str, Callable[[], int]], selector: selectors.BaseSelector
    ) -> None:
        self._door, self._acts, self._selector = door, acts, selector
        self._children: dict[int, socket.socket] = {}
        self._ended, waking = os.pipe()
        os.set_blocking(self._ended, False)
        os.set_blocking(waking, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waking)
        self._selector.register(self._ended, selectors.EVENT_READ)
        self._selector.register(door, selectors.EVENT_READ)

    def serve(self) -> None:
        """Answer requests until all clients are gone."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._kill(key.data)
                elif key.fileobj == self._ended:
                    self._reap()
                elif not self._answer():
                    return

    def _answer(self) -> bool:
        name, descriptors, _, _ = socket.recv_fds(self._door, LONGEST_NAME, DESCRIPTORS)
        if not name:
            return False
        if len(descriptors) == DESCRIPTORS and name.decode() in self._acts:
            with suppress(OSError):  # No process to be had: who asked sees the end of the line without a word.
                self._fork(self._acts[name.decode()], *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _fork(self, act: Callable[[], int], order: int, output: int, line: int) -> None:
        pid = os.fork()
        if pid == 0:
            _become(act, order, output)
        self._children[pid] = control = socket.socket(fileno=os.dup(line))
        self._selector.register(control, selectors.EVENT_READ, pid)

    def _kill(self, pid: int) -> None:
        """Kill a child with everything it started; its end is told when it has come.

        A child that ended by itself may have been reaped between the wish and this.
        """
        if pid not in self._children:
            return
        self._selector.unregister(self._children[pid])
        for kill in (os.killpg, os.kill):  # The second for a child that has no session of its own yet.
            with suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._ended, 512):
                pass
        for pid in list(self._children):
            ended, status, used = os.wait4(pid, os.WNOHANG)
            if not ended:
                continue
            control = self._children.pop(pid)
            with suppress(KeyError):
                self._selector.unregister(control)
            told = {
                "code": os.waitstatus_to_exitcode(status),
                "cpu_seconds": used.ru_utime + used.ru_stime,
                "peak_bytes": used.ru_maxrss * 1024,
            }
            with control, suppress(OSError):
                control.send(json.dumps(told).encode())


def _become(act: Callable[[], int], order: int, output: int) -> None:
    """Run a forked child: it keeps no descriptor but its order and its output."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(order, 0)
        os.dup2(output, 1)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        code = act()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the edge of a process: what nobody caught ends it, as it would any program
        code = 1
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code)


def serve(
    door: int,
    parent: int,
    acts: Mapping[str, Callable[[], int]] = ACTS,
    selector: selectors.BaseSelector | None = None,
) -> None:
    """Import what children need, and fork them until nobody can ask any more; ends with the process `parent`."""
    ctypes.CDLL(None).prctl(child.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=door) as asked:
        Forker(asked, acts, selector or selectors.DefaultSelector()).serve()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
