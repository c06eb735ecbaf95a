"""The socket of the documents page: late joiners, live rows, strangers."""

import re

import pytest
from channels.layers import get_channel_layer

from tests.support.open_documents import zipped
from tests.support.page_text import visible_text
from tests.support.sockets import change
from vectorless_web.documents import services
from vectorless_web.documents.live import consumers
from vectorless_web.documents.models import DocumentVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


async def test_rows_arrive_as_they_change(alice, bob, add, listen):
    socket = await listen(bob, "documents/")
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


async def test_an_upload_says_how_many_files_of_its_archive_still_wait(alice, add, listen, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN_SECONDS", 0.1)
    socket = await listen(alice, "documents/")
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


async def test_a_lost_hint_costs_nothing(alice, add, listen, monkeypatch):
    monkeypatch.setattr(consumers, "LOOK_AGAIN_SECONDS", 0.1)
    version = await change(add)
    socket = await listen(alice, "documents/")
    await socket.receive_from(timeout=5)
    rows = DocumentVersion.objects.filter(pk=version.pk)
    await change(rows.update, status=DocumentVersion.Status.FAILED, error_message="It broke.", retryable=True)
    assert "It broke." in await socket.receive_from(timeout=5)
    await socket.disconnect()


async def test_the_reader_hears_of_its_own_document_only(workspace, alice, add, listen):
    one = await change(add)
    other = await change(add, b"# Other\n\nWords.\n", "other.md")
    socket = await listen(alice, f"documents/?document={one.document_id}")
    html = await socket.receive_from(timeout=5)
    assert f'id="stage-{one.document_id}"' in html
    assert "<tr" not in html
    message = {"type": "document.changed", "document": other.document_id}
    await get_channel_layer().group_send(f"documents-{workspace.pk}", message)
    assert await socket.receive_nothing(timeout=0.3)
    await socket.disconnect()
