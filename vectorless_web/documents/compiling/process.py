"""Runs the compile child in a folder of its own and watches it: messages, a time-out, and a certain end."""

import fcntl
import hashlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings

LOCK = ".lock"
YOUNG_SECONDS = 60.0
"""A folder without a lock may be about to get it when it is younger than this."""


@contextmanager
def compile_folder() -> Iterator[Path]:
    """A folder that is removed at the end; the process holds a lock in it, which ends with the process."""
    folder = Path(tempfile.mkdtemp(prefix=_prefix()))
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def clear_stale_folders() -> int:
    """Remove this installation's compile folders whose process is gone; how many."""
    return sum(_remove_stale(folder) for folder in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"))


def _prefix() -> str:
    """The beginning of the names of this installation's folders, which tells them from those of others."""
    return f"compile-{hashlib.sha256(str(settings.VAR).encode()).hexdigest()[:12]}-"


def _remove_stale(folder: Path) -> bool:
    with suppress(OSError):
        status = folder.lstat()
        if folder.is_symlink() or status.st_uid != os.getuid():
            return False
        if _is_held(folder) or time.time() - status.st_mtime < YOUNG_SECONDS:
            return False
        shutil.rmtree(folder)
        return True
    return False


def _is_held(folder: Path) -> bool:
    """Whether a process that lives holds the folder's lock."""
    if not (folder / LOCK).exists():
        return False
    lock = os.open(folder / LOCK, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


CHILD, UNPACKER = "vectorless_web.documents.compiling.child", "vectorless_web.documents.compiling.unpack"
PREPARED = "vectorless_web.documents.compiling.prepared"
TICK_SECONDS = 0.5
"""Seconds between two looks whether the child has passed its limits or is to be stopped."""
LONGEST_END = 5.0
"""Seconds that a killed child's end is waited for: it comes at once but where the system is out of memory."""
LONGEST_LINE = 1 << 16
"""Bytes read from the child at a time; what comes without an end of line is cut at twice this."""
CRASHES = (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGTRAP, -signal.SIGILL, -signal.SIGBUS)
MUCH_MEMORY = 0.5
"""A crash with more than this share of the allowed memory in use is put down to memory: a library whose buffer cannot
be doubled aborts. PDFium held 0.58 to 0.94 of limits between 300 MB and 2 GB when it did."""


class CompileFailed(Exception):
    """Raised when a file cannot be compiled: a plain sentence, a stable code, whether trying again can help."""

    def __init__(self, message: str, *, code: str, retryable: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable


@dataclass(frozen=True)
class StageProgress:
    """How far a stage has come. `stage` is parsing, scanning, outlining or indexing; counts are pages or nodes."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class Finished:
    """The artefact is written."""

    seconds: float
    peak_mb: float


def _limit(setting: str) -> Any:
    """A field of an Order that is as the installation sets it, unless it is given."""
    return field(default_factory=lambda: getattr(settings, setting))


@dataclass(frozen=True)
class Order:
    """What the child shall compile, and under which limits."""

    path: Path
    name: str
    target: Path
    memory_bytes: int = _limit("COMPILE_MEMORY_BYTES")
    cpu_seconds: int = _limit("COMPILE_CPU_SECONDS")
    seconds: float = _limit("COMPILE_TIMEOUT_SECONDS")
    """Limits of the processor's and the clock's time, besides those of reading pages."""
    max_pages: int = _limit("COMPILE_MAX_PAGES")
    max_bytes: int = _limit("UPLOAD_MAX_BYTES")
    corrections: Sequence[Mapping[str, Any]] = ()
    """Corrections of the outline by hand, as `DocumentVersion.corrections` holds them."""
    ignore_bookmarks: bool = False
    ocr_languages: str = _limit("OCR_LANGUAGES")
    """Languages of text recognition, as tesseract names them: "eng", "deu+eng"."""
    ocr_pages: int = _limit("OCR_PAGES")
    """Pages of a file that are read by text recognition; 0 for none."""
    ocr_seconds: float = _limit("OCR_SECONDS")
    """How long drawing and text recognition may each take for one page."""
    reading_seconds: float = _limit("COMPILE_READING_SECONDS")
    """For how long pages are read, text recognition included; those after them stay unread."""
    media_type: str = ""
    """What the file is, for the child that unpacks it."""
    archive_files: int = _limit("ARCHIVE_MAX_FILES")
    """Files that are taken out of it at most."""
    archive_bytes: int = _limit("ARCHIVE_MAX_BYTES")
    """Bytes of all of them together."""

    @property
    def longest(self) -> float:
        """Seconds after which the child is ended. The last page may be begun when the time for reading is nearly up."""
        return self.seconds + self.reading_seconds + 2 * self.ocr_seconds

    @property
    def longest_cpu(self) -> int:
        """Seconds of the processor after which the child ends: reading may take them all."""
        return self.cpu_seconds + int(self.reading_seconds)


def run_child(order: Order, *, module: str = CHILD) -> Generator[StageProgress | Finished | None, None, None]:
    """Compile in a child process, yielding its progress, None about every half second without news, then Finished.

    The child is killed when the iterator is closed. Raises CompileFailed for what the child
    reports, for a time-out, for too much memory and for a crash; OSError when the system
    refused it a file or the room to write one.
    """
    child = _start(order, module)
    try:
        yield from _watch(child, order)
    finally:
        child.end()


class _Ended(NamedTuple):
    """How a child ended: its exit code, negative for a signal, and what it had used."""

    code: int
    cpu_seconds: float
    peak_bytes: int


class _Started:
    """A child that was started as a program of its own."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        self._process, self.pipe = process, process.stdout.fileno()

    def reap(self) -> _Ended | None:
        """What the ended child has used; None while it still runs a moment after its last word."""
        deadline = time.monotonic() + TICK_SECONDS
        while True:
            pid, status, used = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                seconds = used.ru_utime + used.ru_stime
                return _Ended(self._process.returncode, seconds, used.ru_maxrss * 1024)
            if time.monotonic() > deadline:
                return None
            time.sleep(0.01)

    def end(self) -> None:
        """Kill the child with everything it started, and reap it."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class _Forked:
    """A child that the prepared process has forked, which kills and reaps it; `line` is the socket to that process."""

    def __init__(self, pipe: int, line: socket.socket) -> None:
        self.pipe, self._line = pipe, line

    def reap(self) -> _Ended | None:
        """What the ended child has used; None while it still runs a moment after its last word."""
        return self._hear(TICK_SECONDS)

    def end(self) -> None:
        """Have the child killed with everything it started, and wait for its end."""
        with self._line, suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
            self._hear(LONGEST_END)
        os.close(self.pipe)

    def _hear(self, seconds: float) -> _Ended | None:
        self._line.settimeout(seconds)
        try:
            told = self._line.recv(LONGEST_LINE)
        except TimeoutError:
            return None
        # Without a word the prepared process was killed, and its children with it.
        return _Ended(**json.loads(told)) if told else _Ended(-signal.SIGKILL, 0.0, 0)


class PreparedChildren:
    """A process that has imported the compiler and forks a child for each file (prepared.py).

    It holds what a child of a new program holds: our own environment without secrets, and no connection. Whoever is
    forked from the one that started it may ask it. Where it is gone, children are started as programs of their own.
    """

    def __init__(self, module: str = PREPARED, acts: Collection[str] = (CHILD, UNPACKER)) -> None:
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._acts = frozenset(acts)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", module, str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd=settings.BASE_DIR,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self.pid = self._process.pid

    def fork(self, module: str, order: int) -> _Forked | None:
        """A child that does what `module` does, with the order to read from a descriptor; None where it cannot."""
        if module not in self._acts:
            return None
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipe, output = os.pipe()
        try:
            socket.send_fds(self._door, [module.encode()], [order, output, theirs.fileno()])
        except OSError:
            mine.close()
            os.close(pipe)
            return None
        finally:
            theirs.close()
            os.close(output)
        return _Forked(pipe, mine)

    def close(self) -> None:
        """End it and its children."""
        self._door.close()
        self._process.kill()
        self._process.wait()


_prepared: list[PreparedChildren] = []
"""The prepared process of this one and of those forked from it, if there is one."""


def prepare_children(prepared: PreparedChildren | None = None) -> PreparedChildren:
    """Have children forked by a prepared process from now on, here and in what is forked from here."""
    made = prepared or PreparedChildren()
    _prepared[:] = [made]
    return made


def _start(order: Order, module: str) -> _Started | _Forked:
    for prepared in _prepared:
        with _write_order(order, parent=prepared.pid) as stdin:
            forked = prepared.fork(module, stdin.fileno())
        if forked is not None:
            return forked
    with _write_order(order, parent=os.getpid()) as stdin:
        return _Started(
            subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", module],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                cwd=settings.BASE_DIR,
                start_new_session=True,
            )
        )


@contextmanager
def _write_order(order: Order, *, parent: int) -> Iterator[IO[bytes]]:
    """The order as a file: the system bounds arguments to 128 KB, which a few hundred corrections pass."""
    wanted = {**asdict(order), "cpu_seconds": order.longest_cpu, "parent": parent}
    with tempfile.TemporaryFile() as stdin:
        stdin.write(json.dumps(wanted, default=str).encode())
        stdin.seek(0)
        yield stdin


def _environment() -> dict[str, str]:
    """Only what Python needs: the child reads hostile files and holds no secret."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "TZ", "TESSDATA_PREFIX")
        if name in os.environ
    }
    # One thread a library: each would reserve address space that counts against the limit.
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _watch(child: _Started | _Forked, order: Order) -> Iterator[StageProgress | Finished | None]:
    started = time.monotonic()
    for line in _lines(child.pipe, started + order.longest):
        news = None if line is None else _parse_message(line, order)
        yield news
        if isinstance(news, Finished):
            return
    raise _make_exit_error(child, order, seconds=time.monotonic() - started)


def _lines(pipe: int, deadline: float) -> Iterator[bytes | None]:
    """Lines of the child's output, None for each tick without any; ends with the output or when time is up."""
    rest = b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([pipe], [], [], TICK_SECONDS)
        if not ready:
            yield None
            continue
        chunk = os.read(pipe, LONGEST_LINE)
        if not chunk:
            return
        *lines, rest = (rest + chunk)[-2 * LONGEST_LINE :].split(b"\n")
        yield from lines


def _parse_message(line: bytes, order: Order) -> StageProgress | Finished | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None  # A library's own chatter.
    if not isinstance(message, Mapping):
        return None
    if "error" in message:
        raise _make_reported_error(message, order)
    if "ready" in message:
        return Finished(seconds=float(message["seconds"]), peak_mb=float(message["peak_mb"]))
    if "stage" in message:
        return StageProgress(str(message["stage"]), int(message["done"]), int(message["total"]))
    return None


def _make_reported_error(message: Mapping[str, Any], order: Order) -> CompileFailed | OSError:
    code = str(message["error"])
    if code == "out_of_memory":
        return _make_memory_error(order)
    if code == "os_error":
        return OSError(int(message["errno"]), str(message["message"]))
    return CompileFailed(str(message["message"]), code=code, retryable=bool(message["retryable"]))


def _make_exit_error(child: _Started | _Forked, order: Order, *, seconds: float) -> CompileFailed:
    """The error for a child that ended without a word, by its time, its memory and the signal that ended it."""
    ended = child.reap()
    if ended is None or seconds >= order.longest:
        return _make_timeout_error(order.longest)
    limit = order.longest_cpu
    if ended.code == -signal.SIGXCPU or (ended.code == -signal.SIGKILL and ended.cpu_seconds >= limit - 1):
        return _make_timeout_error(limit)
    if ended.code == -signal.SIGKILL:
        return CompileFailed(
            f"The server's system stopped the reading of this file after {seconds:.1f} s, as it does when memory runs "
            "short. Try again when less is going on, or ask your administrator to look at the server's memory.",
            code="killed_by_system",
        )
    if ended.code in CRASHES and ended.peak_bytes >= order.memory_bytes * MUCH_MEMORY:
        return _make_memory_error(order)
    return CompileFailed(
        "The reader stopped unexpectedly on this file, which may be damaged. "
        "Open it in a viewer, save it again and upload that copy.",
        code="reader_crashed",
    )


def _make_timeout_error(seconds: float) -> CompileFailed:
    minutes = max(1, round(seconds / 60))
    unit = "minute" if minutes == 1 else "minutes"
    return CompileFailed(
        f"Reading this file took longer than {minutes} {unit} and was stopped. "
        "Split it into smaller files, or ask your administrator for a higher limit.",
        code="compile_timeout",
    )


def _make_memory_error(order: Order) -> CompileFailed:
    return CompileFailed(
        f"Reading this file needed more than {order.memory_bytes // 2**20} MB of memory and was stopped. "
        "Split it into smaller files, or ask your administrator for a higher limit.",
        code="out_of_memory",
    )
