"""Files in a real object store are Django's files: whole, never written over, and told from a server that is away."""

import os
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from tests.support.object_store import object_store  # noqa: F401 (a fixture)
from vectorless_web.infra.outages import StorageAway, outage_of
from vectorless_web.infra.site.object_storage import PART_BYTES, ObjectStorage

pytestmark = [pytest.mark.one_database, pytest.mark.slow]


@pytest.fixture
def storage(object_store, monkeypatch, request) -> ObjectStorage:  # noqa: F811
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    return ObjectStorage(f"{object_store.url}/{request.node.name[:40]}", seconds=5)


@pytest.mark.parametrize("size", [0, 5, 2 * PART_BYTES + 7])
def test_a_file_comes_back_as_it_was_stored(storage, size):
    content = os.urandom(size)
    name = storage.save("uploads/a.bin", ContentFile(content))
    with storage.open(name) as file:
        assert (file.size, file.read()) == (size, content)
        file.seek(size // 2)
        assert file.read(9) == content[size // 2 :][:9]
        assert b"".join(file.chunks()) == content, "Django's chunks begin at the first byte"
    assert storage.size(name) == size
    assert abs(storage.get_modified_time(name) - timezone.now()) < timedelta(minutes=1)


def test_a_file_never_takes_the_place_of_another_and_folders_are_listed_one_at_a_time(storage):
    assert storage.listdir("") == ([], [])
    for name in ("top.txt", "uploads/2026/a.txt", "uploads/b.txt"):
        storage.save(name, ContentFile(b"x"))
    assert storage.listdir("") == (["uploads"], ["top.txt"])
    assert storage.listdir("uploads") == (["2026"], ["b.txt"])
    assert storage.listdir("nowhere") == ([], [])

    first = storage.save("uploads/a.txt", ContentFile(b"first"))
    assert storage.save("uploads/a.txt", ContentFile(b"second")) != first
    # As when both looked for a free name at the same time.
    third = storage._save(first, ContentFile(b"third"))
    assert third != first
    assert [storage.open(name).read() for name in (first, third)] == [b"first", b"third"]

    assert not storage.exists("uploads/none")
    storage.delete("uploads/none")
    for act in (storage.open, storage.size, storage.get_modified_time):
        with pytest.raises(FileNotFoundError):
            act("uploads/none")


@pytest.mark.parametrize(
    ("variable", "value"), [("AWS_SECRET_ACCESS_KEY", "another"), ("AWS_ENDPOINT_URL", "http://127.0.0.1:1")]
)
def test_a_server_that_refuses_or_is_away_is_an_outage(storage, monkeypatch, variable, value):
    name = storage.save("uploads/a.txt", ContentFile(b"x" * 10))
    monkeypatch.setenv(variable, value)
    away = ObjectStorage(storage.place, seconds=1)
    acts = (
        lambda: away.open(name),
        lambda: away.exists(name),
        lambda: away.listdir(""),
        lambda: away.save("uploads/b.txt", ContentFile(b"x")),
        lambda: away.delete(name),
    )
    for act in acts:
        with pytest.raises(StorageAway) as raised:
            act()
        assert outage_of(raised.value).code == "storage_away"


def test_a_process_that_was_forked_after_the_first_request_says_so_at_once(storage):
    storage.exists("anything")
    child = os.fork()
    if child == 0:
        try:
            storage.exists("anything")
        except RuntimeError:
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
