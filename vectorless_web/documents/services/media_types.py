"""The kinds of file that can be read, told from their first bytes, never from the browser's word."""

from dataclasses import dataclass
from pathlib import PurePath

from vectorless_web.lib.problems import Problem


@dataclass(frozen=True)
class MediaType:
    """One kind of file: media type, the ending it is stored under, and what people call it."""

    mime: str
    ending: str
    label: str


PDF = MediaType("application/pdf", ".pdf", "PDF")
MARKDOWN = MediaType("text/markdown", ".md", "Markdown")
TEXT = MediaType("text/plain", ".txt", "text")
ACCEPTED = (PDF, MARKDOWN, TEXT)
ACCEPTED_ENDINGS = (".pdf", ".md", ".markdown", ".txt", ".text")
ACCEPTED_LABEL = "PDF, Markdown and text files"

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_KNOWN = (
    (b"PK\x03\x04", "a ZIP archive or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"{\\rtf", "a rich text file"),
)


def sniff(head: bytes, name: str) -> MediaType:
    """The media type of a file from its first bytes; its name only parts Markdown from text.

    Raises Problem (422): `not_a_pdf` for something else named .pdf, `unsupported_type`
    for a kind of file that cannot be read.
    """
    ending = PurePath(name).suffix.casefold()
    # Readers accept a PDF whose header stands anywhere in the first kilobyte.
    if b"%PDF-" in head[:1024]:
        return PDF
    found = _describe(head)
    if ending == ".pdf":
        raise Problem(
            f"This file is named .pdf but holds {found or 'plain text'}. Open it, save or print it as PDF, "
            "and upload that.",
            code="not_a_pdf",
            status=422,
        )
    if found:
        raise Problem(
            f"This file holds {found}, which cannot be read yet. Upload {ACCEPTED_LABEL}.",
            code="unsupported_type",
            status=422,
        )
    return MARKDOWN if ending in (".md", ".markdown") else TEXT


def _describe(head: bytes) -> str:
    """What a file holds that is neither PDF nor text; "" for text."""
    for magic, label in _KNOWN:
        if head.startswith(magic):
            return label
    if head.startswith(_BYTE_ORDER_MARKS[1:]):
        return ""
    if b"\0" in head:
        return "binary data"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "a web page"
    return "XML data" if start.startswith(b"<?xml") else ""
