"""What the tests of runs share: a document that is ready, and runs in any state."""

import pytest
from django.utils import timezone

from tests.conftest import commits
from tests.support.compiled import compiled_document
from tests.support.engines import StoryReasoner, TestEngine
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.storage import snapshots
from vectorless_web.infra import leases
from vectorless_web.runs.models import Citation, Claim, Run, Thread
from vectorless_web.runs.services import claim_run, execute_run
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import workspace_for

REPORT = b"# Annual report\n\n## Revenue\n\nRevenue was 412 million in 2024.\n\n## Leave\n\nLeave is 30 days.\n"


def make_ready(workspace, user, title: str = "Annual report 2024", *, number: int = 1) -> Document:
    """A document whose version is ready; nothing is compiled, the stories of the tests open no file."""
    document = Document.objects.create(workspace=workspace, title=title, name=f"{title}.txt", added_by=user)
    version = DocumentVersion.objects.create(
        document=document,
        number=number,
        file=f"uploads/{document.pk}.txt",
        sha256=f"{document.pk:064d}",
        mime="text/plain",
        bytes=10,
        pages=3,
        status=DocumentVersion.Status.READY,
        ready_at=timezone.now(),
    )
    document.current_version = version
    document.save()
    return document


def say(run: Run, text: str, *quotes: tuple[str, int] | tuple[str, int, dict], **values) -> Claim:
    """Add a sentence to a run's answer, with quotes of (words, page index) from the first document that it read."""
    order, version = run.claims.count(), run.versions.first()
    values = {"sequence": order + 1, "order": order, "support": "supported", **values}
    claim = Claim.objects.create(run=run, text=text, **values)
    for quote, page, *more in quotes:
        usual = {"document_title": version.document.title, "sha256": version.sha256, "node_key": 1}
        found = {"page_index": page, "check_result": "exact", **usual, **dict(*more)}
        marker = run.citations.count() + 1
        Citation.objects.create(claim=claim, run=run, marker=marker, version=version, quote=quote, **found)
    return claim


def work(run: Run, story, **values) -> Run:
    """Work on a run with an engine that tells a story, given as its events or as what makes them of a document."""
    told = story if callable(story) else lambda _document: story
    execute_run(claim_run(run.pk), engine=TestEngine(StoryReasoner(told), **values))
    return Run.objects.get(pk=run.pk)


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path, monkeypatch):
    """Each test has its own uploads and caches, and begins as a process that has mapped no cards."""
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    (tmp_path / "media" / "uploads").mkdir(parents=True)  # An empty folder counts as one that is not mounted.
    monkeypatch.setattr(snapshots, "_kept", type(snapshots._kept)())


@pytest.fixture(autouse=True)
def _unwatched(request, monkeypatch):
    """The watch over a run has a connection of its own, which sees nothing of a test that does not commit."""
    if not commits(request.node):
        monkeypatch.setattr(leases, "WATCH_SECONDS", 3600.0)


@pytest.fixture
def report(workspace, alice) -> Document:
    """A ready document in Alice's workspace."""
    return make_ready(workspace, alice)


@pytest.fixture
def place(workspace, bob, report) -> Workspace:
    """The workspace with its document, as a selector gives it to Bob."""
    return workspace_for(bob, workspace.slug)


@pytest.fixture
def page(client, bob):
    """Fetch an address as Bob: `page("/")`."""
    client.force_login(bob)
    return client.get


@pytest.fixture
def read_report(workspace, alice) -> Document:
    """A document that was really compiled, the only one of the workspace."""
    Document.objects.all().delete()
    return compiled_document(workspace, alice, REPORT)


@pytest.fixture
def make_run(workspace, bob, report):
    """Make a run that Bob asked, with any values: `make_run(status="running")`."""

    def make(**values) -> Run:
        thread = values.pop("thread", None)
        thread = thread or Thread.objects.create(workspace=workspace, title="What was revenue?", created_by=bob)
        settings = {"max_steps": 6, "token_budget": 8000}
        defaults = {"question": "What was revenue?", "asked_by": bob, "settings": settings}
        return Run.objects.create(thread=thread, workspace=workspace, **{**defaults, **values})

    return make
