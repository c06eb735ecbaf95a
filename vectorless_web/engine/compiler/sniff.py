"""Tells a file's type from its content, never from its name or a browser's word."""

import re
from pathlib import PurePath

from vectorless_web.engine.errors import UnreadableDocument

PDF, MARKDOWN, TEXT = "application/pdf", "text/markdown", "text/plain"

_HTML = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_ATX = re.compile(r"^#{1,6} \S", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")
_SIGNATURES = (
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an older Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
    (b"7z\xbc\xaf", "a compressed file"),
    (b"Rar!", "a compressed file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"{\\rtf", "a Rich Text document"),
    (b"%!PS", "a PostScript file"),
)
_ACCEPTED = "Upload a PDF, Markdown or plain text file."


def sniff(head: bytes, *, name: str) -> str:
    """PDF, or TEXT for whatever could be text; `head` is the first few kilobytes.

    UnreadableDocument: `empty_file`, `html_named_pdf`, `not_a_pdf`, `unsupported_type`.
    """
    if not head.strip():
        raise UnreadableDocument("This file is empty. Choose a file that has content.", code="empty_file")
    if b"%PDF-" in head[:1024]:
        return PDF
    named_pdf = PurePath(name).suffix.lower() == ".pdf"
    if _HTML.match(head):
        raise _html(named_pdf)
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            raise UnreadableDocument(
                f"This file is {kind}, which cannot be read here. {_ACCEPTED}", code="unsupported_type"
            )
    if named_pdf:
        raise UnreadableDocument(
            "This file is named .pdf but does not contain a PDF. Export it as a PDF again, or upload the text itself.",
            code="not_a_pdf",
        )
    return TEXT


def _html(named_pdf: bool) -> UnreadableDocument:
    if named_pdf:
        return UnreadableDocument(
            "This file is named .pdf but contains a web page (HTML), often a log-in or error page that was saved"
            " instead of the document. Download the PDF again and upload that.",
            code="html_named_pdf",
        )
    return UnreadableDocument(
        f"This file is a web page (HTML), which cannot be read here. Print it to PDF first. {_ACCEPTED}",
        code="unsupported_type",
    )


def text_type(text: str, *, name: str) -> str:
    """MARKDOWN or TEXT for decoded text; a .txt name stays text unless it is plainly Markdown."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    titles, fences = len(_ATX.findall(text)), len(_FENCE.findall(text))
    return MARKDOWN if titles >= 2 and (suffix != ".txt" or fences >= 2 or titles >= 4) else TEXT
