"""Redis is away: the page says so, an upload is kept, and it is read as soon as Redis is back."""

import urllib.request
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.conftest import answers, free_port, wait_until
from tests.support.files import HANDBOOK
from vectorless_web.documents import services
from vectorless_web.documents.models import DocumentVersion

pytestmark = pytest.mark.django_db(transaction=True)

BOUNDARY = "a-line-that-stands-in-no-file"


@pytest.fixture
def lonely_server(spawn, settings) -> str:
    """A web server whose Redis does not answer, on this test's files."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    spawn(
        "web", "--port", str(port),
        REDIS_URL="unix:///nowhere/redis.sock?db=0", VECTORLESS_VAR=str(settings.MEDIA_ROOT.parent),
        SECRET_KEY=settings.SECRET_KEY,
    )  # fmt: skip
    wait_until(lambda: answers(f"{address}/health/live"), seconds=30)
    return address


def fetch(client, url: str, body: bytes | None = None) -> tuple[int, str]:
    """Ask the server as the browser of whoever is signed in."""
    session, token = client.cookies["sessionid"].value, "t" * 32
    headers = {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token, "HX-Request": "true"}
    if body is not None:
        headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
    request = urllib.request.Request(url, data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.status, response.read().decode()


def form(name: str, content: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def test_an_upload_without_redis_is_kept_and_read_later(client, workspace, alice, lonely_server, work_off):
    client.force_login(alice)
    base = f"{lonely_server}/w/{workspace.slug}/documents/"
    status, page = fetch(client, base)
    assert status == 200
    assert "The queue is not reachable" in page
    status, _ = fetch(client, f"{base}upload/", form("handbook.md", HANDBOOK))
    assert status == 200
    version = DocumentVersion.objects.get()
    assert version.status == "queued"
    DocumentVersion.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert services.requeue_lost_versions() == 1
    work_off("documents")
    version.refresh_from_db()
    assert version.status == "ready"
