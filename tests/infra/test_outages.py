"""What the site lacks is told apart by what the database and the disk say themselves."""

import errno
import sqlite3

import pytest
from django.db import OperationalError, ProgrammingError
from django.db import connection as database

from vectorless_web.infra import outages
from vectorless_web.infra.outages import StorageAway, outage_of, retry_through_outage


def wrapped(cause: Exception, kind: type[Exception] = OperationalError) -> Exception:
    """The error as Django raises it, the driver's own being its cause."""
    error = kind(*cause.args)
    error.__cause__ = cause
    return error


class FromPostgres(Exception):
    def __init__(self, sqlstate: str | None) -> None:
        super().__init__("a server's sentence")
        self.sqlstate = sqlstate


def sqlite_error(*statements: str) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as caught:
        connection = sqlite3.connect(":memory:")
        for statement in statements:
            connection.execute(statement)
    return caught.value


def test_a_full_or_read_only_database_of_sqlite_is_told_and_a_mistake_is_none():
    error = sqlite_error("pragma max_page_count = 1", "create table a (b)")
    assert outage_of(wrapped(error)).code == "disk_full"

    error = sqlite_error("pragma query_only = 1", "create table a (b)")
    assert outage_of(wrapped(error)).code == "read_only"

    assert outage_of(wrapped(sqlite_error("select nothing"))) is None
    assert outage_of(wrapped(FromPostgres("42601"), ProgrammingError)) is None


def test_a_locked_database_of_sqlite_is_busy_and_passes(tmp_path):
    holder, other = (sqlite3.connect(tmp_path / "db", timeout=0.01) for _ in range(2))
    holder.execute("begin exclusive")
    with pytest.raises(sqlite3.Error) as caught:
        other.execute("begin immediate")
    found = outage_of(wrapped(caught.value))
    assert (found.code, found.passes) == ("database_busy", True)
    holder.close()
    other.close()


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("53100", "disk_full"),
        ("25006", "read_only"),
        ("57P01", "database_away"),
        ("57P03", "database_away"),
        ("08006", "database_away"),
        ("55P03", "database_busy"),
        (None, "database_away"),
    ],
)
def test_what_postgresql_says_is_understood(state, code):
    assert outage_of(wrapped(FromPostgres(state))).code == code


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EROFS, "read_only"),
        (errno.ESTALE, "storage_away"),
        (errno.EIO, "storage_away"),
    ],
)
def test_what_the_system_says_of_a_disk_is_understood_along_the_causes(number, code):
    error = RuntimeError("a library's own words")
    error.__cause__ = OSError(number, "said")
    assert outage_of(error).code == code
    assert outage_of(FileNotFoundError(errno.ENOENT, "gone")) is None


def failing(times: int, error: Exception):
    left = [error] * times

    def act() -> str:
        if left:
            raise left.pop()
        return "done"

    return act


@pytest.mark.django_db(transaction=True)
def test_work_waits_for_an_outage_that_passes_and_for_no_other(monkeypatch):
    monkeypatch.setattr(outages, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(outages, "LONGEST_PAUSE_SECONDS", 0.01)
    assert retry_through_outage(failing(3, StorageAway("not mounted"))) == "done"
    with pytest.raises(StorageAway):
        retry_through_outage(failing(99, StorageAway("not mounted")), seconds=0.05)
    with pytest.raises(OSError, match="full"):
        retry_through_outage(failing(1, OSError(errno.ENOSPC, "full")))
    with pytest.raises(ValueError, match="a bug"):
        retry_through_outage(failing(1, ValueError("a bug")))


@pytest.mark.django_db
def test_nothing_is_tried_again_inside_a_transaction():
    assert database.in_atomic_block
    with pytest.raises(StorageAway):
        retry_through_outage(failing(1, StorageAway("not mounted")))
