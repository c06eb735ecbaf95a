"""Decodes text files: byte order mark, UTF-8, then a guess, then Windows-1252."""

import codecs

from charset_normalizer import from_bytes

from vectorless_web.engine.errors import UnreadableDocument

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 * 1024
_CONTROL_SHARE = 0.02
_FEW, _FEW_SHARE = 30, 0.2
# Guesses among these differ in few letters and are often wrong on short texts: Windows-1252 is by far the most common.
_WESTERN = frozenset(
    (
        "cp1250",
        "cp1252",
        "cp1254",
        "cp1257",
        "latin_1",
        "iso8859_1",
        "iso8859_15",
        "mac_roman",
        "cp850",
        "cp858",
        "cp437",
    )
)


def decode(data: bytes) -> str:
    """The text of a file with LF line ends. UnreadableDocument(`binary_file`) if it is not text."""
    text = _decode(data)
    sample = text[:_SAMPLE]
    strange = sum(
        1 for character in sample if (character < " " and character not in "\t\n\r\f\x1b") or character == "\ufffd"
    )
    if strange > _CONTROL_SHARE * len(sample):
        raise UnreadableDocument(
            "This file holds binary data, not text. Upload a PDF, Markdown or plain text file.", code="binary_file"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").replace("\f", "\n")


def _decode(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guess(data), "replace")


def _guess(data: bytes) -> str:
    sample = data[:_SAMPLE]
    high = sum(byte >= 0x80 for byte in sample)
    if high < _FEW and high < _FEW_SHARE * len(sample):  # too little to tell encodings apart
        return "cp1252"
    best = from_bytes(sample).best()
    if best is None or best.encoding in _WESTERN or best.encoding == "utf_8":
        return "cp1252"
    return best.encoding
