"""Reads a message (.eml): who wrote what to whom and when, its text or web page, the names of what is attached."""

import re
from collections.abc import Iterator
from email import message_from_string, policy
from email.message import EmailMessage, MIMEPart
from pathlib import PurePath

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.html import bound_page, html_text
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_HEADERS = re.compile(r"\A(?:(?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\n]*|[ \t]+\S[^\n]*)\n){2,}", re.MULTILINE)
_TELLING = re.compile(r"^(?:From|Date|Subject|To|Message-ID|MIME-Version|Received):", re.MULTILINE | re.IGNORECASE)
_FEWEST_TELLING = 3
"""Headers of messages that a file without the name of one must begin with; notes may begin with "To:", too."""
_LONGEST_HEADER = 2_000
"""Characters of a header that are shown; a list of a hundred recipients has more."""


def claims_mail(text: str, name: str) -> bool:
    """Whether a text is a message: by its name and first line, or by its headers."""
    head = _HEADERS.match(text[:20_000])
    told = len({found.group().casefold() for found in _TELLING.finditer(head.group())}) if head else 0
    return told >= (1 if PurePath(name).suffix.lower() == ".eml" else _FEWEST_TELLING)


def read_mail(text: str) -> DocumentText:
    """Read a message: headers as lines of name and value, the body, names of attachments; its subject is its title."""
    message = message_from_string(text, policy=policy.default)
    writer = BlockWriter()
    subject = _header(message, "Subject")
    if subject:
        writer.write(NodeKind.SECTION, subject, level=1)
    shown = [(name, _header(message, name)) for name in _SHOWN]
    writer.write(NodeKind.PARAGRAPH, "\n".join(f"{name}: {said}" for name, said in shown if said and name != "Subject"))
    _write_body(writer, message)
    names = list(_name_attached(message))
    if names:
        writer.write_paragraph("Attachments: " + "; ".join(names))
    return DocumentText(writer.text, writer.blocks, subject, _tell_attached(len(names)))


def _tell_attached(count: int) -> list[str]:
    """A sentence on attachments, which are not read."""
    one = count == 1
    sentence = f"{count} attachment{' was' if one else 's were'} not read; upload {'it' if one else 'them'} as well."
    return [sentence] if count else []


def _header(message: EmailMessage, name: str) -> str:
    """A header decoded, in one line; "" where there is none or it is malformed."""
    try:
        said = str(message.get(name, ""))
    except (ValueError, LookupError, IndexError, AttributeError):
        return ""  # the standard library's parser fails on some malformed headers
    return " ".join(remove_invisible(said).split())[:_LONGEST_HEADER]


def _write_body(writer: BlockWriter, message: EmailMessage) -> None:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        return
    said = _decode(body)
    is_page = body.get_content_type() == "text/html"
    try:
        read, blocks = html_text(bound_page(said).source) if is_page else (said, text_blocks(said))
    except UnreadableDocument:
        return  # a page of pictures; the headers are still worth keeping
    writer.extend(read, blocks)


def _decode(part: MIMEPart) -> str:
    """The text of a part; an encoding that nobody knows is read as Windows-1252."""
    try:
        said = part.get_content()
    except (LookupError, ValueError, KeyError):
        data = part.get_payload(decode=True)
        said = data.decode("cp1252", "replace") if isinstance(data, bytes) else ""
    return said.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ") if isinstance(said, str) else ""


def _name_attached(message: EmailMessage) -> Iterator[str]:
    """The names of attachments, without any folder."""
    for part in message.iter_attachments():
        name = part.get_filename() or part.get_content_type()
        yield remove_invisible(PurePath(name.replace("\\", "/")).name or part.get_content_type())
