"""Fixtures for documents: files that are already in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from tests.support.compiled import compile_here
from tests.support.files import REPORT, upload
from tests.support.sockets import listen  # noqa: F401 - a fixture
from vectorless_web.documents import services
from vectorless_web.documents.models import Document, DocumentVersion


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    """Each test has its own uploads, caches and render socket."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.CACHE_ROOT = tmp_path / "cache"
    settings.RENDER_SOCKET = tmp_path / "render.sock"


@pytest.fixture
def add(workspace, alice) -> Callable[..., DocumentVersion]:
    """Add a file as Alice; the version, not yet read."""

    def take_in(content: bytes = REPORT, name: str = "annual-report.pdf") -> DocumentVersion:
        return services.add_document(workspace=workspace, user=alice, upload=upload(content, name)).version

    return take_in


@pytest.fixture
def ready(add) -> Callable[..., Document]:
    """Add a file as Alice and read it; the document."""

    def read(content: bytes = REPORT, name: str = "annual-report.pdf") -> Document:
        version = add(content, name)
        # What needs no text recognition is read in this process, the same file once.
        known = {"compile_with": compile_here} if content == REPORT or name.endswith((".md", ".html")) else {}
        services.compile_version(version.pk, **known)
        document = Document.objects.select_related("current_version", "workspace").get(pk=version.document_id)
        assert document.current_version is not None, DocumentVersion.objects.get(pk=version.pk).error_message
        return document

    return read


@pytest.fixture
def revise(alice) -> Callable[..., DocumentVersion]:
    """Add a newer version of a document as Alice and read it."""

    def add_version(document: Document, content: bytes, name: str) -> DocumentVersion:
        made = services.add_version(document=document, user=alice, upload=upload(content, name)).version
        services.compile_version(made.pk, compile_with=compile_here)
        return made

    return add_version


@pytest.fixture
def look(client, workspace, bob):
    """Look at an address below a document as Bob: `look(document, "?page=2")`, `look(document, "changes/", page=2)`."""
    client.force_login(bob)

    def ask(document, rest="", *, htmx=False, **query):
        headers = {"HX-Request": "true"} if htmx else {}
        return client.get(f"/w/{workspace.slug}/documents/{document.pk}/{rest}", query, headers=headers)

    return ask


@pytest.fixture
def read_waiting() -> Callable[[], None]:
    """Read every file that waits, as the worker would, without a queue."""

    def read() -> None:
        for pk in DocumentVersion.objects.filter(status=DocumentVersion.Status.QUEUED).values_list("pk", flat=True):
            services.compile_version(pk)

    return read


def stored_files() -> list[str]:
    """Names of everything in default storage."""
    root = Path(default_storage.path(""))
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
