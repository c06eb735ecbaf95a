"""Reads a message (.eml): who wrote what to whom and when, its text or web page, the names of what is attached."""

import re
from email import message_from_string, policy
from email.message import EmailMessage, MIMEPart
from pathlib import PurePath

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.figures import PictureShelf
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.html import bound_page, html_text
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.markup.plaintext import text_blocks

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_HEADERS = re.compile(r"\A(?:(?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\n]*|[ \t]+\S[^\n]*)\n){2,}", re.MULTILINE)
_TELLING = re.compile(r"^(?:From|Date|Subject|To|Message-ID|MIME-Version|Received):", re.MULTILINE | re.IGNORECASE)
_FEWEST_TELLING = 3
"""Headers of messages that a file without the name of one must begin with; notes may begin with "To:", too."""
_LONGEST_NAME = 200
"""Characters of an attachment's name that are kept."""
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
    shelf = PictureShelf(lambda address: _find_inline(message, address))
    _write_body(writer, message, shelf)
    names = [name for name, _ in list_attached(message)]
    if names:
        writer.write_paragraph("Attachments: " + "; ".join(names))
    return writer.finish(subject, [*_tell_left_out(message, shelf.taken), *shelf.tell()])


def _find_inline(message: EmailMessage, address: str) -> bytes | None:
    kind, _, name = address.partition(":")
    if kind.lower() != "cid" or not name:
        return None
    for part in _walk_attached(message):
        if _is_inline(part) and str(part.get("Content-ID", "")).strip("<> ") == name:
            return read_attached(part)
    return None


def _tell_left_out(message: EmailMessage, shown: int) -> list[str]:
    count = sum(1 for part in _walk_attached(message) if _is_inline(part)) - shown
    return [f"{count} picture{' within the text was' if count == 1 else 's within the text were'} left out."] * (
        count > 0
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        said = str(message.get(name, ""))
    except (ValueError, LookupError, IndexError, AttributeError):
        return ""  # the standard library's parser fails on some malformed headers
    return " ".join(remove_invisible(said).split())[:_LONGEST_HEADER]


def _write_body(writer: BlockWriter, message: EmailMessage, shelf: PictureShelf) -> None:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        return
    said = _decode(body)
    is_page = body.get_content_type() == "text/html"
    try:
        read, blocks = (
            html_text(bound_page(said).source, shelf, writer.fences) if is_page else (said, text_blocks(said))
        )
    except UnreadableDocument:
        return  # a page of pictures; the headers are still worth keeping
    writer.extend(read, blocks)


def _decode(part: MIMEPart) -> str:
    """The text of a part; an encoding that nobody knows is read as Windows-1252."""
    held = part.get_payload()
    is_plain = str(part.get("Content-Transfer-Encoding", "8bit")).strip().lower() in ("7bit", "8bit", "binary")
    try:
        # What is packed in no way was decoded with the whole file.
        said = held if is_plain and isinstance(held, str) and not held.isascii() else part.get_content()
    except (LookupError, ValueError, KeyError):
        data = part.get_payload(decode=True)
        said = data.decode("cp1252", "replace") if isinstance(data, bytes) else ""
    return said.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ") if isinstance(said, str) else ""


def list_attached(message: EmailMessage) -> list[tuple[str, MIMEPart]]:
    """(file name without folder, part) of each attachment; pictures shown in the text are no attachments."""
    return [(_name_of(part), part) for part in _walk_attached(message) if not _is_inline(part)]


def read_attached(part: MIMEPart) -> bytes:
    """The bytes of an attachment; those of an attached message are the message."""
    if part.get_content_maintype() == "message":
        held = _held_message(part)
        return held.as_bytes() if held is not None else b""
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _held_message(part: MIMEPart) -> EmailMessage | None:
    held = part.get_payload()
    first = held[0] if isinstance(held, list) and held else None
    return first if isinstance(first, EmailMessage) else None


def _walk_attached(message: EmailMessage) -> list[MIMEPart]:
    """The parts beside the text, also those of a part that holds text and pictures together."""
    try:
        body = message.get_body(preferencelist=("plain", "html"))
        parts = list(message.iter_attachments())
    except (AttributeError, KeyError, LookupError, ValueError):
        return []  # the standard library's parser fails on some malformed messages
    related = [
        part for own in message.walk() if own.get_content_type() == "multipart/related" for part in own.iter_parts()
    ]
    beside = [part for part in related if part is not body and part.get_content_maintype() == "image"]
    found = [part for part in (*parts, *beside) if not part.is_multipart() or part.get_content_maintype() == "message"]
    return list({id(part): part for part in found}.values())


def _is_inline(part: MIMEPart) -> bool:
    is_shown = part.get_content_disposition() == "inline" or bool(part.get("Content-ID"))
    return part.get_content_maintype() == "image" and is_shown


def _name_of(part: MIMEPart) -> str:
    """The name of an attachment without any folder; an attached message is named by its subject."""
    name = part.get_filename() or ""
    if not name and part.get_content_maintype() == "message":
        held = _held_message(part)
        name = (_header(held, "Subject") if held is not None else "") or "message"
        name = f"{name.replace('/', '-')}.eml"
    name = name or f"attachment.{part.get_content_subtype()}"
    return remove_invisible(PurePath(name.replace("\\", "/")).name)[:_LONGEST_NAME] or "attachment"
