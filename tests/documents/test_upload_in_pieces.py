"""A large file in pieces: it goes on where it was cut off, for whoever began it, and nothing is left behind."""

import hashlib
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from tests.documents.conftest import stored_files
from tests.documents.test_upload import AJAX, url
from tests.support.files import upload
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, PartialUpload
from vectorless_web.documents.services.uploads import HEAD_BYTES, PIECE_BYTES, TAIL_BYTES
from vectorless_web.documents.storage.pieces import WrongOffset, append_piece, count_received, joined_pieces
from vectorless_web.infra.outages import StorageAway

pytestmark = pytest.mark.django_db
LARGE = b"# Lease\n\n" + b"The rent is paid by the month. " * 300_000


def begin(client, workspace, content: bytes = LARGE, name: str = "lease.md", size: int | None = None):
    ends = [upload(content[:HEAD_BYTES], "head"), upload(content[-TAIL_BYTES:], "tail")]
    data = {"name": name, "size": len(content) if size is None else size, "ends": ends}
    return client.post(url(workspace, "upload/begin/"), data, headers=AJAX)


def add(client, place: dict, offset: int, content: bytes = LARGE, **headers):
    piece = content[offset : offset + PIECE_BYTES]
    address = f"{place['add_to']}?from={offset}"
    return client.post(address, piece, content_type="application/octet-stream", headers={**AJAX, **headers})


def left(settings) -> list[Path]:
    return list((Path(settings.MEDIA_ROOT) / "pieces").glob("*"))


@pytest.fixture
def place(client, workspace, alice) -> dict:
    client.force_login(alice)
    return begin(client, workspace).json()


def test_pieces_become_a_document(client, workspace, place, settings, read_waiting):
    assert place["received"] == 0
    for offset in (0, PIECE_BYTES):
        assert add(client, place, offset).json() == {"received": offset + PIECE_BYTES}
    answer = add(client, place, 2 * PIECE_BYTES)
    document = Document.objects.get()
    assert answer.status_code == 200
    assert f"/documents/{document.pk}/" in answer.content.decode()
    assert document.latest.sha256 == hashlib.sha256(LARGE).hexdigest()
    assert (document.name, document.latest.bytes) == ("lease.md", len(LARGE))
    assert left(settings) == []
    read_waiting()
    document.latest.refresh_from_db()
    assert document.versions.get().status == "ready"


def test_the_same_file_again_goes_on_where_it_stopped(client, workspace, place):
    add(client, place, 0)
    again = begin(client, workspace).json()
    assert again == {**place, "received": PIECE_BYTES}


def test_a_piece_that_does_not_continue_says_where_to_go_on(client, place):
    add(client, place, 0)
    for offset in (0, 2 * PIECE_BYTES):
        answer = add(client, place, offset)
        assert (answer.status_code, answer.json()) == (409, {"received": PIECE_BYTES})


def test_a_piece_that_was_altered_on_its_way_is_not_taken(client, place):
    answer = add(client, place, 0, **{"X-SHA256": "0" * 64})
    assert (answer.status_code, "altered on its way" in answer.content.decode()) == (422, True)
    right = hashlib.sha256(LARGE[:PIECE_BYTES]).hexdigest()
    assert add(client, place, 0, **{"X-SHA256": right}).status_code == 200


def test_more_than_was_announced_is_not_taken(client, workspace, alice, settings):
    client.force_login(alice)
    place = begin(client, workspace, size=100).json()
    assert add(client, place, 0).status_code == 422
    assert left(settings) == []


def test_what_cannot_be_read_is_refused_before_a_piece_is_sent(client, workspace, alice):
    for content, name, code in (
        (b"\x7fELF" + LARGE, "lease.md", "unsupported_type"),
        (b"\0\1\2" * 5_000_000, "lease.txt", "binary_file"),
        (LARGE, "lease.pdf", "not_a_pdf"),
    ):
        client.force_login(alice)
        answer = begin(client, workspace, content, name)
        assert (answer.status_code, code in answer.content.decode()) == (422, True)
        assert not PartialUpload.objects.exists()


def test_too_large_and_no_room_are_told_before_a_piece_is_sent(client, workspace, alice, settings):
    client.force_login(alice)
    settings.UPLOAD_MAX_BYTES = 5_000_000
    assert "file_too_large" in begin(client, workspace).content.decode()
    settings.UPLOAD_MAX_BYTES, settings.WORKSPACE_MAX_BYTES = 50_000_000, 15_000_000
    assert begin(client, workspace).status_code == 201
    # The room of those under way is taken.
    assert "workspace_full" in begin(client, workspace, LARGE + b"x").content.decode()


def test_an_upload_is_its_sender_s_own(client, workspace, place, dora, vera):
    for person, status in ((dora, 403), (vera, 403)):
        client.force_login(person)
        assert add(client, place, 0).status_code == status
        assert client.post(place["cancel"]).status_code == status
    assert begin(client, workspace).status_code == 403
    client.force_login(dora)
    assert begin(client, workspace).json()["add_to"] != place["add_to"]


def test_a_cancelled_upload_leaves_nothing(client, place, settings):
    add(client, place, 0)
    assert client.post(place["cancel"]).status_code == 204
    assert (PartialUpload.objects.count(), left(settings), stored_files()) == (0, [], [])
    assert add(client, place, PIECE_BYTES).status_code == 404


def test_uploads_that_waited_too_long_are_swept(client, place, settings):
    add(client, place, 0)
    assert services.clear_partial_uploads() == 0
    PartialUpload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert add(client, place, PIECE_BYTES).status_code == 404
    assert services.clear_partial_uploads() == 1
    assert (PartialUpload.objects.count(), left(settings)) == (0, [])


def test_half_a_piece_does_not_count_and_is_taken_again(settings):
    token = "a" * 32
    append_piece(token, 0, b"one")
    append_piece(token, 3, b"two")
    last = max(Path(settings.MEDIA_ROOT, "pieces", token).iterdir())
    last.write_bytes(b"t")
    with pytest.raises(WrongOffset) as wrong:
        append_piece(token, 6, b"three")
    assert wrong.value.received == 3
    assert append_piece(token, 3, b"two") == 6
    with joined_pieces(token) as whole:
        assert whole.read() == b"onetwo"
    with pytest.raises(ValueError, match=r"\.\."):
        count_received("../../etc/passwd")


def test_a_piece_is_not_taken_while_the_storage_is_away(client, place, workspace, alice, settings):
    services.add_document(workspace=workspace, user=alice, upload=upload(b"# Kept", "kept.md"))
    shutil.rmtree(settings.MEDIA_ROOT)
    with pytest.raises(StorageAway):
        add(client, place, 0)
    assert not Path(settings.MEDIA_ROOT).exists(), "what is put there would hide that nothing is"
