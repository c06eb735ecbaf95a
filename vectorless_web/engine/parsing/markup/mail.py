"""Reads a message (.eml): who wrote what to whom and when, its text or web page, the names of what is attached."""

import re
from collections.abc import Sequence
from dataclasses import replace
from email import message_from_string, policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage, MIMEPart
from email.utils import parseaddr
from pathlib import PurePath

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.figures import PictureShelf
from vectorless_web.engine.parsing.markup.blocks import LONGEST_HEADING, BlockWriter, remove_invisible, tidy_lines
from vectorless_web.engine.parsing.markup.html import bound_page, html_text
from vectorless_web.engine.parsing.markup.pages import DocumentText, TextBlock
from vectorless_web.engine.parsing.markup.plaintext import PLAIN_LEVEL, text_blocks
from vectorless_web.engine.parsing.terms import any_of

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_HEADERS = re.compile(r"\A(?:(?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\n]*|[ \t]+\S[^\n]*)\n){2,}", re.MULTILINE)
_TELLING = re.compile(r"^(?:From|Date|Subject|To|Message-ID|MIME-Version|Received):", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(
    rf"^(?:[-_=]{{3,}}[^\n]*\n\s*)?(?P<head>[ \t]*{any_of('mail_sender')}:[ \t]*(?P<sender>\S[^\n]*)\n"
    rf"(?:[^\W\d_][^:\n]{{0,20}}:[^\n]*\n){{0,6}}?[ \t]*{any_of('mail_date')}:[ \t]*(?P<date>\S[^\n]*)\n"
    r"(?:[^\W\d_][^:\n]{0,20}:[^\n]*\n){1,6})",
    re.IGNORECASE | re.MULTILINE,
)
"""The headers of a message within another one, with the line that mail programs draw above them."""
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
    """Read a message: headers as lines of name and value, the body, names of attachments; its subject is its title.

    Each message that the body quotes with its headers is a section of its own, named by its sender and date.
    """
    message = message_from_string(text, policy=policy.default)
    writer = BlockWriter()
    subject, sender, date = (_header(message, name) for name in ("Subject", "From", "Date"))
    if sender or subject:
        writer.write(NodeKind.SECTION, _title_message(sender, date) if sender else subject, level=1)
    shown = [(name, _header(message, name)) for name in _SHOWN]
    writer.write(NodeKind.PARAGRAPH, "\n".join(f"{name}: {said}" for name, said in shown if said))
    shelf = PictureShelf(lambda address: _find_inline(message, address))
    _write_body(writer, message, shelf)
    names = [name for name, _ in list_attached(message)]
    if names:
        writer.write_paragraph("Attachments: " + "; ".join(names))
    remarks = [*_tell_left_out(message, shelf.taken), *shelf.tell()]
    return writer.finish(subject, remarks, shown_title=subject)


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
    """A header as it is written: the standard library's parser drops what it does not know, "Ada; Ben" for one."""
    raw = next((str(said) for own, said in message.raw_items() if own.casefold() == name.casefold()), "")
    try:
        said = str(make_header(decode_header(raw)))
    except (ValueError, LookupError, HeaderParseError):
        said = raw
    return " ".join(remove_invisible(said).split())[:_LONGEST_HEADER]


def _write_body(writer: BlockWriter, message: EmailMessage, shelf: PictureShelf) -> None:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        return
    said = _decode(body)
    if body.get_content_type() == "text/html":
        try:
            _write_below(writer, *html_text(bound_page(said).source, shelf, writer.fences))
        except UnreadableDocument:
            return  # a page of pictures; the headers are still worth keeping
        return
    quoted = list(_QUOTED.finditer(said))
    ends = [match.start() for match in quoted] + [len(said)]
    _write_below(writer, said[: ends[0]], text_blocks(said[: ends[0]]))
    for match, end in zip(quoted, ends[1:], strict=True):
        writer.write(NodeKind.SECTION, _title_message(match["sender"], match["date"]), level=1)
        writer.write(NodeKind.PARAGRAPH, tidy_lines(match["head"]))
        _write_below(writer, said[match.end() : end], text_blocks(said[match.end() : end]))


def _write_below(writer: BlockWriter, read: str, blocks: Sequence[TextBlock]) -> None:
    """A body below its message's heading; a short line by itself is a greeting or a name there, and no heading."""
    is_name = [block.level == PLAIN_LEVEL and block.kind is NodeKind.SECTION for block in blocks]
    below = [
        replace(block, kind=NodeKind.PARAGRAPH, level=-1, title="") if alone else replace(block, level=block.level + 1)
        for block, alone in zip(blocks, is_name, strict=True)
    ]
    writer.extend(read, below)


def _title_message(sender: str, date: str) -> str:
    said = parseaddr(sender)[0] or sender.strip('"')
    return f"From {said}{', ' if date else ''}{date}"[:LONGEST_HEADING]


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
