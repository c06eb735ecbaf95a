"""The socket of the documents page: late joiners, live rows, strangers."""

import io
import re
import zipfile

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers, get_channel_layer
from channels.testing import WebsocketCommunicator
from django.db import connections

from tests.support.page_text import visible_text
from vectorless_web.asgi import application
from vectorless_web.documents import services
from vectorless_web.documents.live import consumers
from vectorless_web.documents.models import DocumentVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

Status = DocumentVersion.Status
ORIGIN = [(b"origin", b"http://localhost"), (b"host", b"localhost")]


@pytest.fixture
def enter(client):
    """The headers of a browser in which the user has signed in."""

    def sign_in(user):
        client.force_login(user)
        cookie = f"sessionid={client.cookies['sessionid'].value}".encode()
        return [*ORIGIN, (b"cookie", cookie)]

    return sign_in


def socket_of(workspace, headers, query="") -> WebsocketCommunicator:
    return WebsocketCommunicator(application, f"/ws/w/{workspace.slug}/documents/{query}", headers=headers)


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


@database_sync_to_async
def change(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    finally:
        connections.close_all()


@pytest.fixture(autouse=True)
async def _fresh_layer():
    """The channel layer belongs to the event loop of one test."""
    channel_layers.backends.clear()
    yield


async def test_rows_arrive_as_they_change(workspace, alice, bob, add, enter):
    headers = await change(enter, bob)
    socket = socket_of(workspace, headers)
    assert (await socket.connect(timeout=5))[0]
    assert await socket.receive_nothing(timeout=0.2)
    version = await change(add)
    html = await socket.receive_from(timeout=5)
    assert f'id="document-{version.document_id}"' in html
    assert 'id="documents-card"' in html
    assert "1 in this workspace" in html
    assert '<span class="fact" id="folder-count-all">1</span>' in html
    assert "Received, and being read now." in html
    await change(services.compile_version, version.pk)
    seen = html
    while "ready" not in seen:
        seen = await socket.receive_from(timeout=5)
    assert re.search(rf'id="upload-{version.document_id}">\s*Ready\.', seen)
    assert "1 in this workspace, 3 pages" in visible_text(seen)
    await change(services.delete_document, actor=alice, document=version.document)
    gone = await socket.receive_from(timeout=5)
    assert "was deleted. It is kept for 30 days." in visible_text(gone)
    assert "0 in this workspace" in gone
    await change(services.restore_document, actor=alice, document=version.document)
    assert f'id="document-{version.document_id}"' in await socket.receive_from(timeout=5)
    await socket.disconnect()


async def test_an_upload_says_how_many_files_of_its_archive_still_wait(workspace, alice, add, enter, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN_SECONDS", 0.1)
    headers = await change(enter, alice)
    socket = socket_of(workspace, headers)
    await socket.connect(timeout=5)
    archive = await change(add, zipped({"a.md": "# A\n\nWords.", "b.md": "# B\n\nMore words."}), "both.zip")
    await change(services.compile_version, archive.pk)
    seen = ""
    while "2 of them still wait" not in visible_text(seen):
        seen = await socket.receive_from(timeout=5)
    for pk in await change(lambda: list(DocumentVersion.objects.exclude(pk=archive.pk).values_list("pk", flat=True))):
        await change(services.compile_version, pk)
    state = re.compile(rf'id="upload-{archive.document_id}">(.*?)</p>', re.DOTALL)
    while not (found := state.search(seen)) or "wait" in found[1]:
        seen = await socket.receive_from(timeout=5)
    assert "2 files in it were added." in visible_text(found[1])
    await socket.disconnect()


async def hint(workspace, version):
    message = {"type": "document.changed", "document": version.document_id}
    await get_channel_layer().group_send(f"documents-{workspace.pk}", message)


async def test_a_lost_hint_costs_nothing(workspace, alice, add, enter, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN_SECONDS", 0.1)
    version = await change(add)
    headers = await change(enter, alice)
    socket = socket_of(workspace, headers)
    await socket.connect(timeout=5)
    await socket.receive_from(timeout=5)
    rows = DocumentVersion.objects.filter(pk=version.pk)
    await change(rows.update, status=Status.FAILED, error_message="It broke.", retryable=True)
    assert "It broke." in await socket.receive_from(timeout=5)
    await socket.disconnect()


async def test_the_reader_hears_of_its_own_document_only(workspace, alice, add, enter):
    one = await change(add)
    other = await change(add, b"# Other\n\nWords.\n", "other.md")
    headers = await change(enter, alice)
    socket = socket_of(workspace, headers, f"?document={one.document_id}")
    await socket.connect(timeout=5)
    html = await socket.receive_from(timeout=5)
    assert f'id="stage-{one.document_id}"' in html
    assert "<tr" not in html
    await hint(workspace, other)
    assert await socket.receive_nothing(timeout=0.3)
    await socket.disconnect()


async def test_whoever_may_not_listen_is_refused_before_the_handshake(workspace, charlie, enter, alice):
    for headers in (ORIGIN, await change(enter, charlie)):
        socket = socket_of(workspace, headers)
        connected, _code = await socket.connect(timeout=5)
        assert not connected

    headers = await change(enter, alice)
    socket = WebsocketCommunicator(application, "/ws/w/nowhere/documents/", headers=headers)
    assert not (await socket.connect(timeout=5))[0]

    headers = [
        (name, b"http://evil.example" if name == b"origin" else value) for name, value in await change(enter, alice)
    ]
    assert not (await socket_of(workspace, headers).connect(timeout=5))[0]
