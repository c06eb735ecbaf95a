"""Files within files: attachments and members become documents, what is hostile is refused alone."""

import zipfile
from email.message import EmailMessage

import pytest

from tests.support.files import HANDBOOK, REPORT
from tests.support.open_documents import zipped
from vectorless_web.documents import services
from vectorless_web.documents.compiling.process import CompileFailed
from vectorless_web.documents.models import Document, DocumentVersion, Enclosure

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

NOTE = b"The crane comes on 4 May and stays for two weeks at the north berth.\n"


def message(*attached: tuple[str, bytes]) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "ada@example.com", "ben@example.com", "Crane offer"
    made.set_content("Dear Ben,\n\nsee the offer.\n")
    for name, content in attached:
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


def link(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = 0o120777 << 16
    return member


def told(document: Document) -> dict[str, str]:
    """The code of each file in a document, by name; "" for one that was added."""
    return dict(Enclosure.objects.filter(version__document=document).values_list("name", "code"))


def test_attachments_become_documents_linked_both_ways(client, html, ready, workspace, alice, read_waiting):
    mail = ready(bytes(message(("../../etc/offer.pdf", REPORT), ("terms.md", HANDBOOK))), "offer.eml")
    read_waiting()

    assert told(mail) == {"offer.pdf": "", "terms.md": ""}
    offer = Document.objects.get(name="offer.pdf")
    assert offer.current_version.status == DocumentVersion.Status.READY
    page = html(alice, f"/w/{workspace.slug}/documents/{mail.pk}/")
    assert f"/documents/{offer.pk}/" in page
    assert "Crane offer" in client.get(f"/w/{workspace.slug}/documents/{offer.pk}/").content.decode()


def test_of_one_upload_only_so_many_files_are_taken_out_those_of_its_messages_included(ready, read_waiting, settings):
    settings.ARCHIVE_MAX_FILES = 5
    mails = [bytes(message((f"{n}-a.txt", NOTE + b"a%d" % n), (f"{n}-b.txt", NOTE + b"b%d" % n))) for n in range(3)]
    ready(zipped({f"{n}.eml": mail for n, mail in enumerate(mails)}), "mails.zip")
    read_waiting()

    assert Document.objects.count() == 1 + 5
    left_out = Enclosure.objects.filter(code="too_many_files")
    assert left_out.count() == 4
    assert "at most 5 files" in left_out[0].reason
    last = Document.objects.get(name="2.eml").current_version
    assert "2 of 2 files in it were refused" in last.report["warnings"][-1]


def test_members_of_an_archive_become_documents_in_its_folders(ready, workspace):
    unseen = {"__MACOSX/._a": b"x", "2024/.DS_Store": b"x"}
    held = ready(zipped({"2024/Reports/annual.pdf": REPORT, "handbook.md": HANDBOOK, **unseen}), "papers.zip")

    assert told(held) == {"annual.pdf": "", "handbook.md": ""}
    assert Document.objects.get(name="annual.pdf").folder.name == "2024/Reports"
    assert Document.objects.get(name="handbook.md").folder is None
    assert held.current_version.mime == "application/zip"
    assert workspace.folders.count() == 1


def test_members_that_are_here_already_are_not_added_again(ready, workspace):
    before = ready(NOTE, "note.txt")
    held = ready(zipped({"copy.txt": NOTE, "again.txt": NOTE, "handbook.md": HANDBOOK}), "papers.zip")

    assert told(held) == {"copy.txt": "already_here", "again.txt": "already_here", "handbook.md": ""}
    assert set(before.enclosed_in.values_list("name", flat=True)) == {"copy.txt", "again.txt"}
    assert held.current_version.report["enclosed"] == {"here": 2, "added": 1}


def test_each_member_that_cannot_be_taken_is_named_with_its_reason(ready):
    unsafe = dict.fromkeys(("../outside.txt", "/etc/passwd", "C:\\windows\\a.txt"), NOTE)
    others = {link("link.txt"): b"/etc/passwd", "inner.zip": zipped({"a.txt": NOTE}), "bomb.txt": bytes(20 * 2**20)}
    content = zipped({**unsafe, **others, "locked.txt": NOTE, "note.txt": NOTE})
    held = ready(with_a_locked_member(content, b"locked.txt"), "papers.zip")

    assert told(held) == {
        "outside.txt": "unsafe_name",
        "passwd": "unsafe_name",
        "a.txt": "unsafe_name",
        "link.txt": "link",
        "inner.zip": "nested_archive",
        "bomb.txt": "zip_bomb",
        "locked.txt": "encrypted_file",
        "note.txt": "",
    }
    assert all(row.reason for row in Enclosure.objects.exclude(code=""))


def with_a_locked_member(content: bytes, name: bytes) -> bytes:
    """The archive with the flag of encryption set for one member in its directory."""
    place = content.rindex(b"PK\x01\x02", 0, content.rindex(name))
    return content[: place + 8] + bytes([content[place + 8] | 1]) + content[place + 9 :]


def test_limits_bound_how_much_is_taken_out(ready, settings):
    settings.ARCHIVE_MAX_FILES = 2
    held = ready(zipped({f"{number}.txt": NOTE + b"%d" % number for number in range(4)}), "papers.zip")

    assert list(told(held).values()) == ["", "", "too_many_files", "too_many_files"]
    settings.ARCHIVE_MAX_BYTES = 1000
    held = ready(zipped({"long.txt": b"a long note " * 200, "short.txt": b"a short note"}), "more.zip")
    assert told(held) == {"long.txt": "archive_too_large", "short.txt": ""}


def test_files_within_files_are_taken_out_two_levels_deep(ready, read_waiting):
    innermost = message(("deep.txt", NOTE))
    mail = message(("inner.eml", bytes(innermost)))
    ready(zipped({"mail.eml": bytes(mail)}), "papers.zip")
    read_waiting()
    read_waiting()

    inner = Document.objects.get(name="inner.eml")
    assert not Document.objects.filter(name="deep.txt").exists()
    assert "Upload it by itself" in inner.current_version.report["warnings"][-1]


def test_a_message_stays_when_its_attachments_cannot_be_taken_out(add):
    def fail(order):
        raise CompileFailed("It took too long.", code="compile_timeout", retryable=True)
        yield

    version = add(bytes(message(("note.txt", NOTE))), "offer.eml")
    services.compile_version(version.pk, unpack_with=fail)
    version.refresh_from_db()

    assert version.status == DocumentVersion.Status.READY
    assert "could not be taken out. It took too long." in version.report["warnings"][-1]


def test_reading_an_archive_again_after_a_crash_adds_nothing_twice(ready, add):
    held = ready(zipped({"note.txt": NOTE, "handbook.md": HANDBOOK}), "papers.zip")
    DocumentVersion.objects.filter(pk=held.current_version_id).update(status=DocumentVersion.Status.QUEUED)
    services.compile_version(held.current_version_id)

    assert Document.objects.count() == 3
    assert set(told(held).values()) == {"already_here"}
