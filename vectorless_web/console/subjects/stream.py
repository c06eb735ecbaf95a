"""The record streamed away: each event as a line of JSON, appended to a file or sent to a syslog, in order.

The sweep sends what came since the last pass. How far it is, is stored after the lines are away: a line may come twice
after a crash, and none is left out. Each has its number and digest.
"""

import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from vectorless_web.console.subjects.audit import describe_event, with_digest_before, write_json_line
from vectorless_web.workspaces.models import AuditEvent, SiteSetting

logger = logging.getLogger(__name__)
SENT = "audit.streamed"
"""The setting that holds the number of the last event that was sent, and where to."""
AT_ONCE = 500
"""Events in one message to the database; as many are sent again after a crash at worst."""
PASS_EVENTS = 20_000
"""Events sent in one pass of the sweep, whose other acts wait meanwhile: a second's work."""
SYSLOG_PORT = 514
CONNECT_SECONDS = 5.0
PRIORITY = 13 * 8 + 6
"""Facility "log audit" and severity "informational" of RFC 5424."""
DATAGRAM_BYTES = 8000
"""Of one message over UDP: longer ones are cut by many receivers. Details go first; the digest tells that they did."""

Send = Callable[[Sequence[AuditEvent]], None]


@dataclass(frozen=True)
class Target:
    """Where the record is streamed: `kind` is file, udp, tcp or unix; `place` a path or a host."""

    kind: str
    place: str
    port: int = SYSLOG_PORT


def read_target(text: str) -> Target | None:
    """What VECTORLESS_AUDIT_STREAM names; None for nothing. ValueError with a sentence for what is neither.

    A path, `syslog:/dev/log`, `syslog://host:514` over UDP, or `syslog+tcp://host:601`.
    """
    if not text:
        return None
    if text.startswith("/"):
        return Target("file", text)
    parts = urlsplit(text)
    if parts.scheme == "syslog" and not parts.netloc and parts.path.startswith("/"):
        return Target("unix", parts.path)
    kind = {"syslog": "udp", "syslog+tcp": "tcp"}.get(parts.scheme)
    if kind is None or not parts.hostname:
        raise ValueError(
            "VECTORLESS_AUDIT_STREAM is a path that begins with /, syslog:/dev/log, syslog://host:514 or "
            f"syslog+tcp://host:601, not {text!r}."
        )
    return Target(kind, parts.hostname, parts.port or SYSLOG_PORT)


def stream_events() -> int:
    """Send the events since the last pass; how many. OSError when the target is away: they wait for the next."""
    try:
        target = read_target(settings.AUDIT_STREAM)
    except ValueError as error:
        logger.error("The record is not streamed: %s", error)
        return 0
    if target is None:
        return 0
    last, count = _read_last(target), 0
    if not AuditEvent.objects.filter(pk__gt=last).exists():
        return 0
    with _open(target) as send:
        while count < PASS_EVENTS:
            rows = with_digest_before(AuditEvent.objects.filter(pk__gt=last)).order_by("pk")
            events = list(rows[:AT_ONCE])
            if not events:
                break
            send(events)
            last, count = events[-1].pk, count + len(events)
            value = {"last": last, "target": settings.AUDIT_STREAM}
            SiteSetting.objects.update_or_create(name=SENT, defaults={"value": value, "changed_by": None})
    return count


def _read_last(target: Target) -> int:
    """The last event sent there; 0 for another target, which gets the whole record."""
    row = SiteSetting.objects.filter(name=SENT).values_list("value", flat=True).first()
    return row["last"] if row and read_target(row["target"]) == target else 0


@contextmanager
def _open(target: Target) -> Iterator[Send]:
    if target.kind == "file":
        # Opened anew each time, so that a file that was rotated away is followed by a new one.
        with os.fdopen(os.open(target.place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:

            def append(events: Sequence[AuditEvent]) -> None:
                file.write("".join(write_json_line(describe_event(event)) for event in events).encode())
                file.flush()
                os.fsync(file.fileno())

            yield append
        return
    with _connect(target) as connection:
        framed = connection.type == socket.SOCK_STREAM

        def send(events: Sequence[AuditEvent]) -> None:
            for event in events:
                line = write_syslog_line(event, most=None if framed else DATAGRAM_BYTES)
                # RFC 6587: over a stream each message says its length first.
                connection.sendall(b"%d %s" % (len(line), line) if framed else line)

        yield send


def _connect(target: Target) -> socket.socket:
    if target.kind == "tcp":
        return socket.create_connection((target.place, target.port), CONNECT_SECONDS)
    family, address = (socket.AF_UNIX, target.place) if target.kind == "unix" else _resolve(target)
    connection = socket.socket(family, socket.SOCK_DGRAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _resolve(target: Target) -> tuple[socket.AddressFamily, tuple[str, int]]:
    family, _type, _protocol, _name, address = socket.getaddrinfo(target.place, target.port, type=socket.SOCK_DGRAM)[0]
    return family, address  # type: ignore[return-value]


def write_syslog_line(event: AuditEvent, *, most: int | None = None) -> bytes:
    """The event as a message of RFC 5424, without its details where it would have more than `most` bytes."""
    values = describe_event(event)
    head = f"<{PRIORITY}>1 {event.at.isoformat()} {socket.gethostname()} vectorless {os.getpid()} audit - "
    line = (head + json.dumps(values, ensure_ascii=False)).encode()
    if most is not None and len(line) > most:
        line = (head + json.dumps({**values, "details": {"left_out": True}}, ensure_ascii=False)).encode()
    return line


def describe_stream() -> tuple[str, int] | None:
    """Where the record is streamed and how many events wait; None where it is not."""
    try:
        target = read_target(settings.AUDIT_STREAM)
    except ValueError as error:
        return str(error), 0
    if target is None:
        return None
    place = Path(target.place).name if target.kind == "file" else f"{target.place}"
    return place, AuditEvent.objects.filter(pk__gt=_read_last(target)).count()
