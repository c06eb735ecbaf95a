"""The list of documents: search, order, pages, folders, tags, and how many queries it takes."""

import re
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.files import upload
from tests.support.page_text import visible_text
from vectorless_web.documents.models import Document, DocumentVersion, Folder
from vectorless_web.infra.queues.control import pause_queue
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db

Status = DocumentVersion.Status


@pytest.fixture
def make(workspace, alice):
    """A document of any state, without a file."""

    def build(title, status=Status.READY, pages=1, **values):
        document = Document.objects.create(
            workspace=workspace, title=title, name=f"{title}.pdf", added_by=alice, **values
        )
        version = DocumentVersion.objects.create(
            document=document, sha256=f"{document.pk:064d}", bytes=10, pages=pages, status=status, file="uploads/x.pdf"
        )
        if status == Status.READY:
            document.current_version = version
            document.save()
        return document

    return build


@pytest.fixture
def titles(client, workspace, bob):
    """The titles that the list shows Bob, in order."""
    client.force_login(bob)

    def ask(query=""):
        answer = client.get(f"/w/{workspace.slug}/documents/{query}")
        assert answer.status_code == 200
        return [document.title for document in answer.context["documents"]]

    return ask


def test_search_wants_every_word_in_title_or_file_name(make, titles):
    make("Annual report 2023")
    make("Annual report 2024")
    make("Handbook")
    assert titles("?q=report+2023") == ["Annual report 2023"]
    assert titles("?q=PDF+hand") == ["Handbook"]
    assert titles("?q=%25") == []


def test_editors_find_what_was_deleted_and_viewers_see_no_buttons(
    make, client, html, workspace, dora, bob, vera, titles
):
    make("Kept", Status.FAILED)
    gone = make("Gone", deleted_at=timezone.now())
    page = html(dora, f"/w/{workspace.slug}/documents/?status=deleted")
    assert f"/documents/{gone.pk}/restore/" in page
    assert "Gone was deleted. It is kept for 30 days." in page
    assert "Kept" not in page
    client.force_login(bob)
    assert titles("?status=deleted") == ["Kept"]
    page = html(vera, f"/w/{workspace.slug}/documents/")
    assert "Kept" in page
    assert [word for word in ("/upload/", "/retry/", "Remove", ">Delete<") if word in page] == []


def test_search_minds_no_capitals_in_any_alphabet(make, titles):
    make("Übersicht der Ärzte, годовой 50%", tags=["Übersicht", "GRöSSE", "Größe"])
    make("Ubersicht der Arzte")

    for query in ("ÜBERSICHT", "ärzte", "ГОДОВОЙ", "größe", "GröSSe 50%"):
        assert titles(f"?q={quote(query)}") == ["Übersicht der Ärzte, годовой 50%"], query


def test_the_list_is_ordered_and_narrowed(make, titles, workspace):
    folder = Folder.objects.create(workspace=workspace, name="Reports")
    make("B", pages=3, folder=folder)
    make("C", pages=9, tags=["größe", "audited"])
    make("A", pages=5)
    for order, found in (("", "ACB"), ("title", "ABC"), ("pages", "BAC"), ("-pages", "CAB"), ("nonsense", "ACB")):
        assert titles(f"?sort={order}") == list(found), order
    make("Q", Status.QUEUED)
    make("I", Status.INDEXING)
    make("F", Status.FAILED)
    for query, found in (
        *(("status=ready", "ACB"), ("status=busy", "IQ"), ("status=failed", "F"), (f"folder={folder.pk}", "B")),
        *(("tag=audited", "C"), ("tag=größe", "C"), ("tag=audit", "")),
    ):
        assert titles(f"?{query}") == list(found), query


def test_few_and_many_documents_cost_the_same(make, client, workspace, bob, django_assert_max_num_queries):
    client.force_login(bob)
    make("First")
    with CaptureQueriesContext(connection) as few:
        client.get(f"/w/{workspace.slug}/documents/")
    for number in range(30):
        make(f"Document {number}")
    with CaptureQueriesContext(connection) as many:
        client.get(f"/w/{workspace.slug}/documents/")
    assert len(many) == len(few)

    for number in range(40):
        make(f"Document {number}", Status.QUEUED if number % 2 else Status.READY)
    with django_assert_max_num_queries(20):
        shown = client.get(f"/w/{workspace.slug}/documents/").context["documents"]
    assert (len(shown), len(client.get(f"/w/{workspace.slug}/documents/?page=99").context["documents"])) == (50, 21)


def test_a_waiting_document_says_its_place_and_the_card_counts_by_state(make, client, html, workspace, bob, workers):
    workers(1, queue="documents")
    make("First", Status.QUEUED)
    make("Second", Status.QUEUED)
    assert "waiting, place 2" in html(bob, f"/w/{workspace.slug}/documents/")
    pause_queue("documents")
    paused = visible_text(client.get(f"/w/{workspace.slug}/documents/").content.decode())
    assert "Paused by an administrator, place 2" in paused
    assert "It goes on when an administrator resumes the queue." in paused

    make("Done")
    make("Waiting", Status.QUEUED)
    make("Broken", Status.FAILED)
    make("Reading", Status.PARSING)
    page = client.get(f"/w/{workspace.slug}/").content.decode()
    assert "Reading" in page
    assert "Waiting" in page


def test_moving_tagging_and_deleting_many(make, client, workspace, dora, titles):
    one, two, other = make("One"), make("Two"), make("Other")
    client.force_login(dora)
    base = f"/w/{workspace.slug}/documents"
    chosen = {"documents": [one.pk, two.pk]}
    client.post(f"{base}/folders/new/", {"name": "Reports"})
    folder = Folder.objects.get(name="Reports")
    client.post(f"{base}/move/", {**chosen, "folder": folder.pk})
    client.post(f"{base}/tag/", {**chosen, "tag": "audited"})
    client.post(f"{base}/tag/", {**chosen, "tag": "audited"})
    assert titles(f"?folder={folder.pk}") == ["Two", "One"]
    assert Document.objects.get(pk=one.pk).tags == ["audited"]
    client.force_login(dora)
    client.post(f"{base}/move/", {**chosen, "folder": ""})
    assert titles(f"?folder={folder.pk}") == []
    client.force_login(dora)
    page = client.post(f"{base}/delete/", chosen, follow=True).content.decode()
    assert "2 documents deleted. They are kept for 30 days." in page
    assert titles() == [other.title]
    assert AuditEvent.objects.filter(verb="document.deleted").count() == 2
    undo = re.search(r'action="([^"]+/restore/[^"]+)"', page)[1]
    assert "2 documents are back." in client.post(undo, follow=True).content.decode()
    assert titles() == [other.title, "Two", "One"]


def test_numbers_beyond_any_row_name_nothing(make, titles, client, workspace, dora):
    make("One")
    huge = "9" * 5000
    for query in (f"?folder={huge}", f"?page={huge}", f"?folder=-{huge}"):
        titles(query)
    client.force_login(dora)
    address = f"/w/{workspace.slug}/documents/"
    assert client.post(f"{address}move/", {"documents": huge, "folder": ""}).status_code == 422
    assert client.post(f"{address}move/", {"documents": "1", "folder": huge}).status_code == 404
    assert client.post(f"{address}upload/", {"files": upload(b"# A", "a.md"), "folder": huge}).status_code == 404
