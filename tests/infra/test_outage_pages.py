"""A page that meets an outage says which, what to do, and with a status that load balancers understand."""

from contextlib import contextmanager

import pytest
from django.db import connection

from tests.conftest import PASSWORD
from vectorless_web.runs.views import pages

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def read_only():
    """The database takes no writes."""
    sqlite = connection.vendor == "sqlite"
    run(f"pragma query_only = {1}" if sqlite else "set default_transaction_read_only = on")
    try:
        yield
    finally:
        run("pragma query_only = 0" if sqlite else "set default_transaction_read_only = off")


@contextmanager
def full():
    """The database may not grow by a single page."""
    free = run("pragma freelist_count")
    if free:
        # Pages that other tests have left free would be used before the limit is met.
        run("create table filling (data)")
        run(f"insert into filling values (zeroblob({free * run('pragma page_size')}))")
    before = run("pragma max_page_count")
    run(f"pragma max_page_count = {run('pragma page_count')}")
    try:
        yield
    finally:
        run(f"pragma max_page_count = {before}")


def run(statement: str):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


@pytest.fixture
def lenient(client):
    client.raise_request_exception = False
    return client


def test_signing_in_to_a_read_only_site_says_what_is_wrong(lenient, alice):
    with read_only():
        answer = lenient.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert "can be read but not written to" in answer.content.decode()
    assert "read_only" in answer.content.decode()
    assert lenient.post("/accounts/login/", {"login": "alice", "password": PASSWORD}).status_code == 302


@pytest.mark.one_database
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL's full disk is known by its state alone")
def test_a_full_disk_is_told_with_its_own_status(lenient, workspace, alice):
    lenient.force_login(alice)
    address = f"/w/{workspace.slug}/documents/folders/new/"
    with full():
        answers = (lenient.post(address, {"name": f"{number} " + "x" * 100}) for number in range(60))
        refused = next(answer for answer in answers if answer.status_code != 302)
    assert refused.status_code == 507
    assert "disk is full" in refused.content.decode()


def test_a_fault_of_the_program_is_still_a_fault_of_the_program(lenient, bob, monkeypatch):
    lenient.force_login(bob)
    monkeypatch.setattr(pages, "render", lambda *_args, **_named: 1 / 0)
    answer = lenient.get("/")
    assert answer.status_code == 500
    assert "Something broke" in answer.content.decode()


def test_a_fragment_gets_its_message_as_a_fragment(lenient, workspace, alice):
    lenient.force_login(alice)
    with read_only():
        answer = lenient.post(
            f"/w/{workspace.slug}/documents/folders/new/", {"name": "Contracts"}, headers={"HX-Request": "true"}
        )
    assert answer.status_code == 503
    assert "<html" not in answer.content.decode()
