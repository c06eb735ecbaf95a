"""Uploading files."""

import os
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from tests.documents.conftest import stored_files
from tests.documents.test_enclosed_files import with_a_locked_member
from tests.support.files import HANDBOOK, REPORT, no_pages, pdf, upload
from tests.support.open_documents import zipped
from tests.support.word_files import contract, word
from vectorless_web.documents.models import Document, DocumentVersion, Folder, PartialUpload, Section
from vectorless_web.engine.parsing.sniff import FILE_KINDS
from vectorless_web.workspaces.models import AuditEvent, Membership, Role

pytestmark = pytest.mark.django_db

AJAX = {"X-Requested-With": "XMLHttpRequest"}


def url(workspace, act="upload/"):
    return f"/w/{workspace.slug}/documents/{act}"


def send(client, workspace, *files):
    return client.post(url(workspace), {"files": list(files)}, headers=AJAX)


@pytest.mark.django_db(transaction=True)
def test_a_pdf_becomes_a_ready_document_by_the_queue(client, workspace, alice, work_off):
    client.force_login(alice)
    answer = send(client, workspace, upload(REPORT, "annual-report.pdf"))
    assert answer.status_code == 200
    version = DocumentVersion.objects.get()
    assert version.status == "queued"
    work_off("documents")
    version.refresh_from_db()
    assert (version.status, version.pages, version.mime) == ("ready", 3, "application/pdf")
    assert version.coverage == 1.0
    assert version.document.current_version == version
    titles = list(Section.objects.filter(version=version).values_list("title", flat=True))
    assert "2. Financial review" in titles
    assert version.card.data["title"]
    assert version.artefact in stored_files()


def test_a_plain_form_goes_back_to_the_list_and_adding_is_recorded(client, workspace, alice):
    client.force_login(alice)
    answer = client.post(url(workspace), {"files": [upload(HANDBOOK, "handbook.md")]}, follow=True)
    assert answer.redirect_chain[-1][0] == url(workspace, "")
    assert "handbook.md was added" in answer.content.decode()
    event = AuditEvent.objects.get(verb="document.added")
    assert (event.actor, event.workspace, event.object_name) == (alice, workspace, "handbook")
    assert event.details["file"] == "handbook.md"


def test_the_same_bytes_are_already_here(client, workspace, alice):
    client.force_login(alice)
    send(client, workspace, upload(HANDBOOK, "handbook.md"))
    answer = send(client, workspace, upload(HANDBOOK, "copy of handbook.md"))
    document = Document.objects.get()
    assert "is already here" in answer.content.decode()
    assert f"/documents/{document.pk}/" in answer.content.decode()
    assert len(stored_files()) == 1


TYPES, LARGE = {"[Content_Types].xml": b"<Types/>"}, {"docProps/thumbnail.jpeg": os.urandom(100_000)}


def test_what_is_no_readable_file_is_refused_and_leaves_nothing(client, workspace, alice):
    for content, name, code, sentence in (
        (b"", "empty.pdf", "empty_file", "empty"),
        (b"<!DOCTYPE html><html><body>hello</body></html>", "report.pdf", "html_named_pdf", "web page"),
        (b"just words", "report.pdf", "not_a_pdf", "named .pdf"),
        (b"PK\x03\x04" + b"\0" * 40, "report.docx", "unsupported_type", "Office"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 40, "letter.doc", "old_word", "Save it as .docx or PDF"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 40, "locked.docx", "encrypted_docx", "password"),
        (b"GIF89a", "scan.pdf", "unsupported_type", "a GIF picture"),
        (b"Rar!\x1a\x07" + bytes(90), "papers.rar", "unsupported_type", "pack its files as ZIP"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "offer.msg", "unsupported_type", "Save it as .eml"),
        (word(contract)[:9000], "letter.docx", "damaged_docx", "did not arrive whole"),
        (bytes(range(256)) * 40, "notes.txt", "binary_file", "binary data"),
        (with_a_locked_member(word(contract), b"word/document.xml"), "letter.docx", "encrypted_docx", "password"),
        (zipped({**TYPES, "word/document.xml": b" " * 40_000_000}), "letter.docx", "zip_bomb", "unpacks to far more"),
        *(
            (zipped(parts), name, "unsupported_type", f"This file is {kind}, which cannot be read")
            for parts, name, kind in (
                ({**TYPES, **LARGE, "visio/document.xml": b"<x/>"}, "figures.docx", "a Visio drawing"),
                ({"mimetype": b"application/vnd.oasis.opendocument.graphics"}, "plan.odg", "an OpenDocument file"),
                ({"Index/Document.iwa": b"x"}, "letter.pages", "a Pages document"),
            )
        ),
    ):
        client.force_login(alice)
        answer = send(client, workspace, upload(content, name))
        page = answer.content.decode()
        assert answer.status_code == 422
        assert code in page
        assert sentence in page
        assert not Document.objects.exists()
        assert stored_files() == []


def test_limits_are_kept_and_told_before_the_upload_and_no_file_is_a_plain_sentence(client, workspace, alice, settings):
    settings.UPLOAD_MAX_BYTES = 10
    client.force_login(alice)
    answer = send(client, workspace, upload(HANDBOOK, "handbook.md"))
    assert (answer.status_code, "file_too_large" in answer.content.decode()) == (422, True)
    assert stored_files() == []

    settings.UPLOAD_MAX_BYTES = 7 * 2**20
    page = client.get(url(workspace, "")).content.decode()
    assert "Up to 7 MB a file" in page
    assert "At most 100 files at a time, and 10,000 pages in a PDF." in page
    assert all(ending in page for kind in FILE_KINDS for ending in kind.endings)

    answer = client.post(url(workspace), {}, headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert "Choose a file first" in answer.content.decode()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (pdf(password="secret"), "encrypted_pdf"),
        (no_pages(), "no_pages"),
        (REPORT[:60], "damaged_pdf"),
        (b"<html><body><script>app()</script></body></html>", "no_text"),
    ],
)
def test_what_turns_out_to_be_unreadable_fails_with_a_sentence_and_leaves_nothing(
    client, workspace, alice, read_waiting, content, code
):
    client.force_login(alice)
    send(client, workspace, upload(content, "report.html" if code == "no_text" else "report.pdf"))
    read_waiting()
    version = DocumentVersion.objects.get()
    assert (version.status, version.error_code, version.retryable) == ("failed", code, False)
    assert version.error_message.endswith(".")
    assert not Section.objects.exists()
    assert stored_files() == []
    assert version.error_message in client.get(url(workspace, "")).content.decode().replace("&#x27;", "'")


def test_a_file_name_never_becomes_a_path_or_markup(workspace, alice, add, client):
    version = add(HANDBOOK, "../../etc/passwd.md")
    assert version.document.name == "passwd.md"
    assert version.file.name.startswith("uploads/")
    assert ".." not in version.file.name

    client.force_login(alice)
    send(client, workspace, upload(HANDBOOK, "<script>alert(1)</script>.md"))
    page = client.get(url(workspace, "")).content.decode()
    assert "<script>alert" not in page


def test_more_files_than_an_hour_allows_are_held_back_with_the_time_to_wait(client, workspace, alice, settings):
    settings.UPLOADS_PER_HOUR = 2
    client.force_login(alice)
    assert send(client, workspace, upload(b"# One\n\nText one.\n", "one.md")).status_code == 200

    refused = send(client, workspace, upload(b"# Two\n\nText.\n", "two.md"), upload(b"# Three\n\nText.\n", "three.md"))
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3600
    assert "You may upload 2 files in an hour. Try again in" in refused.content.decode()
    assert Document.objects.count() == 1

    # What was refused does not count: one more file is still allowed, and then none.
    assert send(client, workspace, upload(b"# Two\n\nText.\n", "two.md")).status_code == 200
    plain = client.post(url(workspace), {"files": [upload(b"# Four\n\nText.\n", "four.md")]})
    assert (plain.status_code, plain.headers["Retry-After"].isdigit()) == (429, True)


def test_a_workspace_takes_no_more_than_it_may_store(client, workspace, alice, settings, add, read_waiting):
    first = add(HANDBOOK, "handbook.md")
    read_waiting()
    first.refresh_from_db()
    assert first.artefact_bytes == Path(default_storage.path(first.artefact)).stat().st_size
    settings.WORKSPACE_MAX_BYTES = first.bytes + first.artefact_bytes + 100
    client.force_login(alice)

    refused = send(client, workspace, upload(b"# More\n\n" + b"word " * 40, "more.md"))

    used = f"{(first.bytes + first.artefact_bytes) / 1024:.1f} KB"
    assert f"This workspace uses {used} of the " in refused.content.decode()
    assert Document.objects.count() == 1
    assert not [name for name in stored_files() if name.startswith("uploads/") and name != first.file.name]
    assert send(client, workspace, upload(b"# Small\n\nText.\n", "small.md")).status_code == 200
    assert Document.objects.count() == 2
    settings.WORKSPACE_MAX_BYTES = 0
    assert send(client, workspace, upload(b"# More\n\n" + b"word " * 40, "more.md")).status_code == 200


def test_what_is_refused_at_the_door_leaves_the_other_files_of_the_upload(client, workspace, alice):
    client.force_login(alice)
    answer = send(
        client,
        workspace,
        upload(b"\x7fELF" + bytes(60), "tool.pdf"),
        upload(HANDBOOK, "handbook.md"),
        upload(word(contract)[:9000], "cut.docx"),
    )
    page = answer.content.decode()
    assert answer.status_code == 200
    assert ("a program" in page, "did not arrive whole" in page) == (True, True)
    assert [document.name for document in Document.objects.all()] == ["handbook.md"]


REVISED = HANDBOOK.replace(b"Leave", b"Time off").replace(b"leave", b"time off") + b"\n\nRevised.\n"


def settle(client, workspace, choice, *uploads, **headers):
    fields = {"same_name": choice, "uploads": [row.pk for row in uploads]}
    return client.post(url(workspace, "upload/same-name/"), fields, headers=headers)


def titles_and_versions():
    return {
        document.title: list(document.versions.order_by("number").values_list("number", flat=True))
        for document in Document.objects.filter(deleted_at=None)
    }


def test_a_changed_file_of_a_known_name_waits_until_its_sender_says_what_it_is(client, workspace, alice, bob):
    client.force_login(alice)
    send(client, workspace, upload(HANDBOOK, "handbook.md"))
    asked = client.post(url(workspace), {"files": [upload(REVISED, "Handbook.md")]}, follow=True)
    page = asked.content.decode()
    assert "Is Handbook.md a new version of “handbook”?" in page
    assert "Keep both" in page
    assert titles_and_versions() == {"handbook": [1]}
    # Sent once more it is asked about once, and nobody else is asked.
    send(client, workspace, upload(REVISED, "Handbook.md"))
    waiting = PartialUpload.objects.get()
    workspace.memberships.update_or_create(user=bob, defaults={"role": Role.EDITOR})
    client.force_login(bob)
    assert settle(client, workspace, "version", waiting).status_code == 422
    assert "Keep both" not in client.get(url(workspace, "")).content.decode()

    client.force_login(alice)
    said = settle(client, workspace, "version", waiting)
    assert said.url == url(workspace, "")
    assert "as a new version of “handbook”" in client.get(said.url).content.decode()
    assert titles_and_versions() == {"handbook": [1, 2]}
    assert settle(client, workspace, "version", waiting).status_code == 422
    assert "is already here" in send(client, workspace, upload(REVISED, "handbook.md")).content.decode()


def test_one_click_settles_a_batch_and_kept_files_get_titles_of_their_own(client, workspace, alice, work_off):
    client.force_login(alice)
    names = ("handbook.md", "rules.md")
    send(client, workspace, *(upload(HANDBOOK + name.encode(), name) for name in names))
    sent = send(client, workspace, *(upload(REVISED + name.encode(), name) for name in names)).content.decode()
    assert sent.count("All of these are new versions") == 1
    answer = settle(client, workspace, "version", *PartialUpload.objects.all(), **{"HX-Request": "true"})
    assert "same-names" not in answer.content.decode()
    assert titles_and_versions() == {"handbook": [1, 2], "rules": [1, 2]}

    send(client, workspace, *(upload(b"# Third\n\nText of " + name.encode(), name) for name in names))
    first, second = PartialUpload.objects.filter(version=None).order_by("pk")
    settle(client, workspace, "keep", first)
    settle(client, workspace, "leave_out", second)
    assert titles_and_versions() == {"handbook": [1, 2], "handbook (2)": [1], "rules": [1, 2]}
    assert not PartialUpload.objects.filter(version=None).exists()


@pytest.mark.django_db(transaction=True)
def test_a_title_that_another_file_has_gets_the_file_name_beside_it(client, workspace, alice, bob, work_off):
    client.force_login(alice)
    send(client, workspace, upload(b"# Quay lease\n\nThe rent is 1,200.\n", "lease-2023.md"))
    work_off("documents")
    send(client, workspace, upload(b"# Quay lease\n\nThe rent is 1,300.\n", "lease-2024.md"))
    work_off("documents")
    assert set(Document.objects.values_list("title", flat=True)) == {"Quay lease", "Quay lease (lease-2024.md)"}

    closed = Folder.objects.create(workspace=workspace, name="Board", restricted=True)
    Document.objects.update(folder=closed)
    client.force_login(bob)
    Membership.objects.filter(user=bob).update(role="editor")
    send(client, workspace, upload(b"# Quay lease\n\nThe rent is 1,400.\n", "lease-2025.md"))
    work_off("documents")
    assert Document.objects.get(name="lease-2025.md").title == "Quay lease", "nothing is told of a closed folder"
