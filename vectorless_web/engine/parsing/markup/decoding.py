"""Decodes text files: byte order mark, UTF-8, what a web page declares, then a guess, then Windows-1252."""

import codecs
import re

from charset_normalizer import from_bytes

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.sniff import ACCEPTED, is_html

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED_WITHIN = 4096
_DECLARATION = re.compile(
    rb"<(?:meta\b[^>]{0,200}?\bcharset|\?xml\b[^>]{0,100}?\bencoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_LABELS = re.compile(
    r"windows-\d+|cp\d+|iso-?8859-\d+|iso-2022-jp|shift_jis|euc-jp|euc-kr|gb18030|big5|koi8-[ru]|mac-roman"
)
# Browsers read these labels as the encodings that contain them.
_WIDER = {
    "iso-8859-1": "windows-1252",
    "latin1": "windows-1252",
    "us-ascii": "windows-1252",
    "iso-8859-9": "windows-1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-sjis": "shift_jis",
    "macintosh": "mac-roman",
}
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
        raise UnreadableDocument(f"This file holds binary data, not text. {ACCEPTED}", code="binary_file")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").replace("\f", "\n")


def _decode(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    declared = _find_declared_encoding(data)
    if declared == "iso2022_jp":  # its bytes are all ASCII, so they would pass as UTF-8
        return data.decode(declared, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(declared or _guess(data), "replace")


def _find_declared_encoding(data: bytes) -> str:
    """The encoding that a web page names in its head, or ""; UTF-8 is tried anyhow."""
    head = data[:_DECLARED_WITHIN]
    match = _DECLARATION.search(head) if is_html(head) else None
    label = match[1].decode("ascii").lower() if match else ""
    label = _WIDER.get(label, label)
    if not _LABELS.fullmatch(label):
        return ""
    try:
        return codecs.lookup(label).name
    except LookupError:
        return ""


def _guess(data: bytes) -> str:
    sample = data[:_SAMPLE]
    high = sum(byte >= 0x80 for byte in sample)
    if high < _FEW and high < _FEW_SHARE * len(sample):  # too little to tell encodings apart
        return "cp1252"
    best = from_bytes(sample).best()
    if best is None or best.encoding in _WESTERN or best.encoding == "utf_8":
        return "cp1252"
    return best.encoding
