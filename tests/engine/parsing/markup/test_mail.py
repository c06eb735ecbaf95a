"""Messages: headers as lines of name and value, the body, attachments, malformed ones."""

from email.message import EmailMessage

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.parsing.compile import compile_file


@pytest.fixture
def read(tmp_path):
    def read(content: bytes, name: str = "message.eml") -> CompiledDocument:
        path = tmp_path / "file"
        path.write_bytes(content)
        document = CompiledDocument(compile_file(path, name=name))
        assert document.report.coverage == 1.0
        return document

    return read


def message(body: str = "Dear Ben,\n\nThe crane comes on 4 May.\n", *, page: str = "") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Ada Berg <ada@example.com>", "ben@example.com"
    made["Subject"], made["Date"] = "Crane for the north berth – Größe", "Mon, 22 Apr 2024 09:15:00 +0200"
    made.set_content(page or body, subtype="html" if page else "plain")
    return made


def test_a_message_is_its_subject_who_wrote_it_and_its_text(read):
    document = read(bytes(message()))

    assert document.tree.node(0).title == "Crane for the north berth – Größe"
    said = document.page_text(0)
    assert "From: Ada Berg <ada@example.com>\n" in said
    assert "Date: Mon, 22 Apr 2024 09:15:00 +0200" in said
    assert "The crane comes on 4 May." in said


def test_a_message_that_is_a_page_is_read_as_one(read):
    page = "<h2>Prices</h2><table><tr><th>Item<th>EUR</tr><tr><td>Rope<td>12</tr><tr><td>Hook<td>7</tr></table>"
    document = read(bytes(message(page=page + "<script>alert(1)</script>")))

    tables = [node for node in map(document.tree.node, range(1, len(document.tree))) if node.kind is NodeKind.TABLE]
    assert [cell.text for cell in tables[0].table.body[0].cells] == ["Rope", "12"]
    assert "alert" not in document.page_text(0)


def test_attachments_are_named_without_folders(read):
    made = message()
    made.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="../../etc/offer.pdf")

    document = read(bytes(made))

    assert "Attachments: offer.pdf" in document.page_text(0)


def test_an_unknown_encoding_is_read_all_the_same(read):
    content = bytes(message("Price: 12")).replace(b'charset="utf-8"', b'charset="klingon"')

    assert "Price: 12" in read(content).page_text(0)


def test_a_text_that_begins_like_a_letter_is_no_message(read):
    document = read(b"To: all staff\n\nThe canteen is closed on Friday.\n", "notice.txt")

    assert document.media_type == "text/plain"


@pytest.mark.parametrize(
    "content",
    [
        b"From: a\nSubject: =?utf-8?b?!!!?=\nDate: never\nTo: <<<>\n\ntext",
        b'From: a\nSubject: x\nTo: b\nContent-Type: multipart/mixed; boundary="y"\n\n--y\n--y\nno end',
        b"From: a\nSubject: x\nTo: b\nContent-Transfer-Encoding: base64\n\n%%%%",
    ],
    ids=["malformed headers", "parts without an end", "broken base64"],
)
def test_a_malformed_message_is_read_as_far_as_it_goes(read, content):
    assert "From: a" in read(content).page_text(0)
