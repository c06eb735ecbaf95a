"""The record is sent on to a file or a syslog."""

import json
import socket

import pytest

from vectorless_web.console.subjects import stream
from vectorless_web.workspaces.services import prune_record, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(settings, tmp_path):
    settings.AUDIT_STREAM = str(tmp_path / "audit.jsonl")
    return tmp_path / "audit.jsonl"


def lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(alice, count: int) -> None:
    for number in range(count):
        record(actor=alice, verb="x.done", name=f"Nr {number} “ä”", details={"n": number})


def test_each_event_is_appended_once_and_in_order_also_to_a_file_that_was_rotated(file, alice):
    write(alice, 3)
    assert stream.stream_events() == 3
    assert stream.stream_events() == 0
    write(alice, 2)
    assert stream.stream_events() == 2
    found = lines(file)
    assert [row["details"]["n"] for row in found] == [0, 1, 2, 0, 1]
    assert found[0]["actor"] == "alice"
    assert len(found[0]["digest"]) == 64
    assert file.stat().st_mode & 0o077 == 0

    write(alice, 1)
    stream.stream_events()
    file.rename(file.with_suffix(".1"))
    write(alice, 1)
    stream.stream_events()
    assert len(lines(file)) == 1


def test_what_cannot_be_sent_waits_and_a_new_target_gets_the_whole_record(settings, tmp_path, alice):
    settings.AUDIT_STREAM = str(tmp_path / "not" / "there.jsonl")
    write(alice, 2)
    with pytest.raises(OSError):
        stream.stream_events()
    (tmp_path / "not").mkdir()
    assert stream.describe_stream() == ("there.jsonl", 2)
    assert stream.stream_events() == 2

    settings.AUDIT_STREAM = str(tmp_path / "other.jsonl")
    assert stream.stream_events() == 2


def test_pruned_events_are_not_waited_for(file, alice):
    from django.utils import timezone

    write(alice, 2)
    prune_record(before=timezone.now(), most=10)
    assert stream.stream_events() == 1
    assert lines(file)[0]["verb"] == "audit.pruned"


def test_a_syslog_over_udp_gets_one_message_an_event(settings, alice):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        settings.AUDIT_STREAM = f"syslog://127.0.0.1:{server.getsockname()[1]}"
        record(actor=alice, verb="x.done", name="short")
        record(actor=alice, verb="x.done", name="long", details={"text": "x" * 20_000})
        assert stream.stream_events() == 2
        first, second = server.recv(65_000).decode(), server.recv(65_000).decode()
    head, _, body = first.partition("audit - ")
    assert head.startswith("<110>1 20")
    assert json.loads(body)["object_name"] == "short"
    assert json.loads(second.partition("audit - ")[2])["details"] == {"left_out": True}


def test_a_syslog_over_tcp_gets_lengths_before_its_messages(settings, alice):
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.AUDIT_STREAM = f"syslog+tcp://127.0.0.1:{server.getsockname()[1]}"
        write(alice, 2)
        assert stream.stream_events() == 2
        connection, _ = server.accept()
        with connection:
            connection.settimeout(5)
            data = b""
            while part := connection.recv(65_000):
                data += part
    length, _, rest = data.partition(b" ")
    assert rest[: int(length)].startswith(b"<110>1 ")
    assert rest[int(length) :].partition(b" ")[0].isdigit()


@pytest.mark.parametrize("text", ["audit.log", "ftp://host", "syslog://", "syslog+tcp:///x"])
def test_what_is_no_target_is_told_and_stops_nothing(settings, alice, staff, text):
    settings.AUDIT_STREAM = text
    with pytest.raises(ValueError, match="VECTORLESS_AUDIT_STREAM is a path"):
        stream.read_target(text)
    write(alice, 1)
    assert stream.stream_events() == 0
    assert "VECTORLESS_AUDIT_STREAM is a path" in staff.get("/console/audit/").content.decode()
