"""What the bytes of a file are: its type, told from its content alone, and the encoding of its text."""

import codecs
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from charset_normalizer import from_bytes

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits

PDF, MARKDOWN, TEXT, HTML = "application/pdf", "text/markdown", "text/plain", "text/html"
MAIL, EPUB = "message/rfc822", "application/epub+zip"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLS = "application/vnd.ms-excel"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
PNG, JPEG, TIFF, WEBP = "image/png", "image/jpeg", "image/tiff", "image/webp"
PICTURES = (PNG, JPEG, TIFF, WEBP)
"""Pictures that are documents of their own: what is on them is recognised."""
ODT = "application/vnd.oasis.opendocument.text"
RTF, RST, JSON = "application/rtf", "text/x-rst", "application/json"
ZIP = "application/zip"
ENDINGS = {
    PDF: ".pdf",
    DOCX: ".docx",
    XLSX: ".xlsx",
    XLS: ".xls",
    PPTX: ".pptx",
    ODS: ".ods",
    ODT: ".odt",
    EPUB: ".epub",
    ZIP: ".zip",
    PNG: ".png",
    JPEG: ".jpg",
    TIFF: ".tif",
    WEBP: ".webp",
}
"""The usual endings of what is told by its bytes alone; the others are texts."""
HTML_NAMES = (".html", ".htm", ".xhtml")

_HTML = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?>(?:<!--(?:(?!-->).)*-->\s*)*)<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_ATX = re.compile(r"^#{1,6} \S", re.MULTILINE)
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd")
_CONTENT_TYPES = b"[Content_Types].xml"
"""The part that every Office document has, wherever it is in the ZIP (ECMA-376, part 2)."""
_FIRST_PARTS = (_CONTENT_TYPES, b"_rels/", b"word/", b"xl/", b"ppt/", b"docProps/", b"docMetadata/", b"customXml/")
"""What the first file within an Office document is, where its list is not at hand; a ZIP's own header takes 30 bytes
before its name."""
_OPEN_DOCUMENT = {b"mimetype", b"content.xml", b"META-INF/manifest.xml"}
"""Parts of an OpenDocument that another program has packed, which need not put `mimetype` first."""
_ENTRY = re.compile(rb"PK(?:\x03\x04.{26}|\x01\x02.{42})((?:word|xl|ppt|visio)/[\w./-]*)", re.DOTALL)
"""A part within an Office document, where its list is longer than what was read: by the header before each file, or by
an entry of the list."""
_BY_PART = {b"xl": "an Excel workbook", b"ppt": "a PowerPoint presentation", b"visio": "a Visio drawing"}
_BY_MEDIA_TYPE = (
    (b"application/vnd.oasis.opendocument.text", "an OpenDocument template or master document"),
    (b"application/vnd.oasis.opendocument.presentation", "an OpenDocument presentation"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
)
"""What is in the first file of the formats that begin with one named `mimetype`."""
_BY_NAME = {
    (".xlsx", ".xlsm", ".xltx", ".xlsb"): "an Excel workbook",
    (".pptx", ".pptm", ".potx", ".ppsx"): "a PowerPoint presentation",
    (".vsdx",): "a Visio drawing",
    (".pages",): "a Pages document",
    (".numbers",): "a Numbers spreadsheet",
    (".key",): "a Keynote presentation",
}
_SHEET_STREAM = "Workbook".encode("utf-16-le")
_OLDER_SHEETS = (".xls", ".xlt")
_PROTECTED = {".xlsx": "Excel", ".pptx": "PowerPoint"}
_END_RECORD, _LISTED = b"PK\x05\x06", b"PK\x01\x02"
"""The marks of a ZIP's end record and of each entry of its list."""
_SAVED_BY = {
    DOCX: ("docx", "Word"),
    XLSX: ("xlsx", "Excel"),
    XLS: ("xlsb", "Excel"),
    PPTX: ("pptx", "PowerPoint"),
    ODS: ("ods", "LibreOffice"),
    ODT: ("odt", "LibreOffice"),
    EPUB: ("epub", "the program that made it"),
}
"""The ending that messages and codes name, and the program that saves such a file again."""
_LATE_PDF = re.compile(rb"^%PDF-\d", re.MULTILINE)
"""A PDF that begins on a line behind others, as some programs and mail servers write them."""
_JUNK_BEFORE_PDF = 1024
"""Bytes of other content within which PDF viewers look for the beginning (PDF Reference 1.7, appendix H.3.4.1)."""
_BLANK = b" \t\n\r\v\f\0\xef\xbb\xbf\xff\xfe"
"""White space, NULs and byte order marks: a file of these alone says nothing."""
_ZIP = b"PK\x03\x04"
_BITMAP = re.compile(rb"BM.{4}\0{4}.{4}[\x0c\x28\x6c\x7c]\0{3}", re.DOTALL)
"""A BMP picture by its header, whose picture of white pixels passes for text otherwise."""
_OLE = b"\xd0\xcf\x11\xe0"
_WORD_STREAM = "WordDocument".encode("utf-16-le")
_UNPACK, _WRITTEN = "Unpack it, or pack its files as ZIP, and upload that.", "Upload what is said in it as a text."
_SIGNATURES = (
    (b"PK\x05\x06", "an empty ZIP archive", "Pack the files again and upload that."),
    (b"GIF8", "a GIF picture", "Save it as PNG and upload that."),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture", "Save it as JPEG or PNG and upload that."),
    (b"\x1f\x8b", "a compressed file", _UNPACK),
    (b"7z\xbc\xaf", "a compressed file", _UNPACK),
    (b"Rar!", "a compressed file", _UNPACK),
    (b"\x7fELF", "a program", ""),
    (b"MZ", "a program", ""),
    (b"%!PS", "a PostScript file", "Save it as PDF and upload that."),
    (b"SQLite format 3\x00", "a database", "Export its tables as .xlsx or .csv and upload these."),
    (b"ID3", "a sound recording", _WRITTEN),
    (b"OggS", "a sound recording", _WRITTEN),
    (b"fLaC", "a sound recording", _WRITTEN),
    (b"\x1aE\xdf\xa3", "a film", _WRITTEN),
)
"""What a file begins with, what it is, and what to do instead; without that the formats are named that can be read."""
_FILM = re.compile(rb"\0\0\0.ftyp", re.DOTALL)
"""How films and sound recordings in the form of QuickTime and MPEG-4 begin."""
_NOTE_STREAM = "__substg1.0_".encode("utf-16-le")
"""What the parts of an Outlook message are named."""
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),
    (b"MM\x00+", TIFF),
)
"""What the bytes of pictures begin with; a WebP names itself behind the length of its file."""
_PHONE_PICTURE = re.compile(rb"^.{4}ftyp(?:hei|hev|mif1|msf1|avi)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that can be read: what people call it, and the endings that its names usually have."""

    name: str
    endings: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.endings)})"


FILE_KINDS = (
    FileKind("PDF", (".pdf",)),
    FileKind("scans and pictures", (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")),
    FileKind("Word", (".docx", ".docm")),
    FileKind("Excel", (".xlsx", ".xlsm", ".xls", ".xlsb")),
    FileKind("PowerPoint", (".pptx",)),
    FileKind("OpenDocument", (".odt", ".ods")),
    FileKind("Rich Text", (".rtf",)),
    FileKind("EPUB books", (".epub",)),
    FileKind("web pages", (".html", ".htm")),
    FileKind("messages", (".eml",)),
    FileKind("Markdown", (".md",)),
    FileKind("reStructuredText", (".rst",)),
    FileKind("plain text", (".txt",)),
    FileKind("rows of cells", (".csv", ".tsv")),
    FileKind("JSON", (".json",)),
    FileKind("archives of these", (".zip",)),
)
"""What people are told before an upload, and in the sentence that refuses one."""
ACCEPTED = f"Files that can be read: {', '.join(kind.name for kind in FILE_KINDS)}."


def sniff(head: bytes, *, name: str, tail: bytes = b"") -> str:
    """PDF, XLS, one of PICTURES, one of DOCX, XLSX, PPTX, ODS, ODT, EPUB for a ZIP, ZIP for any other; else TEXT.

    `head` is the first few kilobytes, `tail` the last few, where a ZIP lists its files.

    Neither is unpacked: the parts of a ZIP are told from its own list. UnreadableDocument: `empty_file`,
    `html_named_pdf`, `not_a_pdf`, `old_word`, `unsupported_type`, `binary_file`, `zip_bomb`, and encrypted_ or
    damaged_ with an ending.
    """
    if not head.strip(_BLANK):
        raise UnreadableDocument("This file is empty.", remedy="Choose a file that has content.", code="empty_file")
    drawn = _sniff_drawn(head)
    if drawn:
        return drawn
    suffix = PurePath(name).suffix.lower()
    if is_html(head):
        return _html(suffix)
    if _begins_late(head, suffix):
        return PDF
    if head.startswith(_OLE):
        return _sniff_compound(head, suffix)
    if head.startswith(_ZIP):
        kind = _sniff_zip(head, suffix, tail)
        if tail and kind == ZIP:
            _check_end(tail, "zip", "the program that packed it")
        elif tail:
            _check_end(tail, *_SAVED_BY[kind])
            _check_list(tail, *_SAVED_BY[kind])
        return kind
    _refuse_binary(head, suffix)
    return TEXT


def _begins_late(head: bytes, suffix: str) -> bool:
    """Whether a PDF begins behind blanks, a byte order mark or lines; named .pdf, behind any junk."""
    first = head[:_JUNK_BEFORE_PDF]
    if first.lstrip(_BLANK).startswith(b"%PDF-") or _LATE_PDF.search(first):
        return True
    return suffix == ".pdf" and b"%PDF-" in first and not first.startswith((_ZIP, _OLE))


def _sniff_compound(head: bytes, suffix: str) -> str:
    """XLS for an older workbook; UnreadableDocument for any other file of that make."""
    if _WORD_STREAM not in head and (suffix in _OLDER_SHEETS or _SHEET_STREAM in head):
        return XLS
    raise _older_office(head, suffix)


def _refuse_binary(head: bytes, suffix: str) -> None:
    kinds = [(signature, head.startswith(signature), kind, remedy) for signature, kind, remedy in _SIGNATURES]
    kinds.append((b"BM bitmap", _BITMAP.match(head) is not None, "a BMP picture", "Save it as PNG and upload that."))
    kinds.append((b"ftyp", _FILM.match(head) is not None, "a film or a sound recording", _WRITTEN))
    for signature, is_so, kind, remedy in kinds:
        if is_so and (len(signature) > 2 or b"\0" in head) and (len(signature) > 3 or _is_binary(head)):
            raise UnreadableDocument(
                f"This file is {kind}, which cannot be read here.",
                remedy=remedy or ACCEPTED,
                code="unsupported_type",
            )
    if suffix == ".pdf":
        raise UnreadableDocument(
            "This file is named .pdf but does not contain a PDF.",
            remedy="Export it as a PDF again, or upload the text itself.",
            code="not_a_pdf",
        )
    if _is_binary(head):
        raise UnreadableDocument("This file holds binary data, not text.", remedy=ACCEPTED, code="binary_file")


def _is_binary(head: bytes) -> bool:
    """Whether bytes are so full of control characters that they cannot become text in any encoding that is read."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or _find_wide_encoding(head):
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > _BINARY_SHARE * len(head)


@dataclass(frozen=True, slots=True)
class ListedPart:
    """A file as the list of a ZIP names it. Sizes are in bytes as listed, and may be false."""

    name: bytes
    packed: int
    unpacked: int
    is_encrypted: bool


def list_parts(tail: bytes) -> Iterator[ListedPart]:
    """The files that a ZIP's list names, as far as the list is in `tail`, the end of the file."""
    place = tail.rfind(_END_RECORD)
    if place < 0 or len(tail) < place + 22:
        return
    length, *_ = struct.unpack_from("<I", tail, place + 12)
    at = place - length
    while 0 <= at <= place - 46 and tail.startswith(_LISTED, at):
        flags, packed, unpacked, name, extra, comment = struct.unpack_from("<8xH10xIIHHH", tail, at)
        yield ListedPart(tail[at + 46 : at + 46 + name], packed, unpacked, bool(flags & 1))
        at += 46 + name + extra + comment


def _check_end(tail: bytes, ending: str, program: str) -> None:
    """Refuse a ZIP whose end is missing, and with it the list of its files."""
    if _END_RECORD not in tail:
        raise UnreadableDocument(
            f"This .{ending} file did not arrive whole: its end is missing.",
            remedy=f"Open it in {program}, save it again as .{ending} and upload that, or upload a PDF.",
            code=f"damaged_{ending}",
        )


def _check_list(tail: bytes, ending: str, program: str) -> None:
    """Refuse a document whose list of parts says that it is locked, or unpacks to far more than a document holds.

    What a lying list hides is found when the file is read. The files of an archive are judged each by itself.
    """
    parts = list(list_parts(tail))
    if any(part.is_encrypted for part in parts):
        raise UnreadableDocument(
            f"This .{ending} file is protected with a password.",
            remedy="Save it without one and upload that.",
            code=f"encrypted_{ending}",
        )
    if CompileLimits().is_bomb([(part.packed, part.unpacked) for part in parts]):
        raise UnreadableDocument(
            f"This file unpacks to far more than a .{ending} file holds, so it was not opened.",
            remedy=f"Save it again in {program}, split it, or upload a PDF.",
            code="zip_bomb",
        )


def _sniff_drawn(head: bytes) -> str:
    if head.startswith(b"%PDF-"):
        return PDF
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    if _PHONE_PICTURE.match(head):
        raise UnreadableDocument(
            "This file is a picture in the HEIC or AVIF format, which cannot be read here.",
            remedy="Save it as JPEG or PNG and upload that.",
            code="unsupported_type",
        )
    return next((kind for signature, kind in _PICTURES if head.startswith(signature)), "")


def _sniff_zip(head: bytes, suffix: str, tail: bytes) -> str:
    """DOCX, XLSX, XLS, PPTX, ODS, ODT, EPUB, or ZIP for an archive of files; refuses other documents that are ZIPs."""
    # The list names the document's own parts; what is packed within a part has parts of the same names.
    listed = {part.name for part in list_parts(tail)}
    names = listed or {found[1] for data in (head, tail) for found in _ENTRY.finditer(data)}
    folders = {name.partition(b"/")[0] for name in names}
    is_office = _CONTENT_TYPES in listed or head[30:].startswith(_FIRST_PARTS)
    if is_office and b"word" in folders:
        return DOCX
    if is_office and b"ppt" in folders:
        return PPTX
    if is_office and b"xl" in folders:
        return XLS if b"xl/workbook.bin" in names else XLSX
    declared = _sniff_declared(head, suffix, listed)
    if declared:
        return declared
    # Of an archive that only holds Office documents, the parts of these may be found as well.
    kind = next((_BY_PART[part] for part in sorted(folders & _BY_PART.keys())), "") if is_office else ""
    kind = kind or next((said for begins, said in _BY_MEDIA_TYPE if head[38:].startswith(begins)), "")
    kind = kind or next((said for suffixes, said in _BY_NAME.items() if suffix in suffixes), "")
    if kind:
        raise UnreadableDocument(
            f"This file is {kind}, which cannot be read here.",
            remedy="Save it as PDF and upload that.",
            code="unsupported_type",
        )
    if is_office:
        return DOCX
    if suffix in ENDINGS.values() and suffix != ENDINGS[ZIP]:
        raise UnreadableDocument(
            f"This file is named {suffix} but holds no such document: it is damaged, or an archive or an Office "
            "document of another kind.",
            remedy="Save it again in its own program, or name an archive .zip.",
            code="unsupported_type",
        )
    return ZIP


def _sniff_declared(head: bytes, suffix: str, listed: set[bytes]) -> str:
    """EPUB, ODS or ODT, whose part `mimetype` says so, or their ending where that part is not the first; else ""."""
    if head[38:].startswith(EPUB.encode()):
        return EPUB
    for media_type in (ODS, ODT):
        if head[38:].startswith(media_type.encode()) and not head[38 + len(media_type) :].startswith(b"-"):
            return media_type
        if listed >= _OPEN_DOCUMENT and suffix == ENDINGS[media_type]:
            return media_type
    return ""


def is_html(head: bytes) -> bool:
    """Whether a file begins as a web page does."""
    return _HTML.match(head) is not None


def _html(suffix: str) -> str:
    if suffix == ".pdf":
        raise UnreadableDocument(
            "This file is named .pdf but contains a web page (HTML), often a log-in or error page that was saved "
            "instead of the document.",
            remedy="Download the PDF again and upload that.",
            code="html_named_pdf",
        )
    return TEXT


def _older_office(head: bytes, suffix: str) -> UnreadableDocument:
    if suffix == ".docx" and _WORD_STREAM not in head:
        return UnreadableDocument(
            "This Word document is protected with a password, or is an older one under a newer name.",
            remedy="Open it in Word, save it as .docx without a password, or as PDF, and upload that.",
            code="encrypted_docx",
        )
    newer = _PROTECTED.get(suffix)
    if newer:
        return UnreadableDocument(
            f"This {newer} file is protected with a password, or is an older one under a newer name.",
            remedy=f"Open it in {newer}, save it as {suffix} without a password and upload that.",
            code=f"encrypted_{suffix[1:]}",
        )
    if suffix in (".doc", ".dot", ".docx") or _WORD_STREAM in head:
        return UnreadableDocument(
            "This is a Word document in the older format (.doc), which cannot be read here.",
            remedy="Save it as .docx or PDF and upload that.",
            code="old_word",
        )
    if suffix == ".msg" or _NOTE_STREAM in head:
        return UnreadableDocument(
            "This is an Outlook message (.msg), which cannot be read here.",
            remedy="Save it as .eml or PDF and upload that.",
            code="unsupported_type",
        )
    return UnreadableDocument(
        "This file is an older Office document, which cannot be read here.",
        remedy=f"Save it as PDF. {ACCEPTED}",
        code="unsupported_type",
    )


def text_type(text: str, *, name: str) -> str:
    """MARKDOWN or TEXT for decoded text; a .txt name stays text unless it is plainly Markdown."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    titles, fences = len(_ATX.findall(text)), len(_FENCE.findall(text))
    return MARKDOWN if titles >= 2 and (suffix != ".txt" or fences >= 2 or titles >= 4) else TEXT


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED_WITHIN = 4096
"""Bytes at the beginning in which a web page may name its encoding; browsers read 1,024, some pages say it later."""
_DECLARATION = re.compile(
    rb"<(?:meta\b[^>]{0,200}?\bcharset|\?xml\b[^>]{0,100}?\bencoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_CONTENT_TYPE = re.compile(
    rb"^Content-Type:[^\n]*(?:\r?\n[ \t][^\n]*)*?charset\s*=\s*\"?([\w.:-]{2,40})", re.IGNORECASE | re.MULTILINE
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
"""Bytes by which an encoding is guessed, and characters by which binary data is told from text."""
_CONTROL_SHARE = 0.02
"""Share of control and unreadable characters above which a file is no text."""
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b")
_BINARY_SHARE = 0.05
"""Share of control bytes above which the beginning of a file is taken for no text before it is decoded: above
_CONTROL_SHARE, so that nothing is refused that would be read; bytes at random have a tenth."""
_WIDE_SAMPLE, _WIDE_SHARE = 4096, 0.7
"""Bytes by which UTF-16 without a mark is told, and the share of every other byte that is NUL; letters of Western
languages have all of them so, and what is below could be data."""
_FEW, _FEW_SHARE = 30, 0.2
"""Bytes beyond ASCII, by number and by share of the sample, below which encodings cannot be told apart; then
Windows-1252 is taken."""
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that Windows-1252 leaves open; where they stand, an older encoding of DOS or Macintosh is likelier."""
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


def _read_alone(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8, as Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_ALONE = "windows-1252-alone"
codecs.register_error(_ALONE, _read_alone)


def decode(data: bytes) -> str:
    """The text of a file with LF line ends. Raises UnreadableDocument(`binary_file`) if it is not text."""
    text = _decode(data)
    sample = text[:_SAMPLE]
    strange = sum(
        1 for character in sample if (character < " " and character not in "\t\n\r\f\x1b") or character == "\ufffd"
    )
    if strange > _CONTROL_SHARE * len(sample):
        raise UnreadableDocument("This file holds binary data, not text.", remedy=ACCEPTED, code="binary_file")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").replace("\f", "\n")


def _decode(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    wide = _find_wide_encoding(data)
    if wide:
        return data.decode(wide, "replace")
    declared = _find_declared_encoding(data)
    if declared == "iso2022_jp":  # its bytes are all ASCII, so they would pass as UTF-8
        return data.decode(declared, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if not declared and _is_mostly_utf8(data):
            return data.decode("utf-8", _ALONE)
        return data.decode(declared or _guess(data), "replace")


def _is_mostly_utf8(data: bytes) -> bool:
    """Whether more of the characters beyond ASCII are UTF-8 than bytes are not, as in threads put together."""
    valid = data.decode("utf-8", "ignore")
    return sum(not character.isascii() for character in valid) > len(data) - len(valid.encode())


def _find_wide_encoding(data: bytes) -> str:
    """The UTF-16 that a text without a byte order mark is written in, or "": every other byte of it is mostly NUL."""
    sample = data[:_WIDE_SAMPLE]
    if len(sample) < 4:
        return ""
    even, odd = sample[::2].count(0) / len(sample[::2]), sample[1::2].count(0) / len(sample[1::2])
    if max(even, odd) < _WIDE_SHARE or min(even, odd) > 1 - _WIDE_SHARE:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _find_declared_encoding(data: bytes) -> str:
    """The encoding that a web page names in its head, or a message in its headers, or ""; UTF-8 is tried anyhow."""
    head = data[:_DECLARED_WITHIN]
    match = (_DECLARATION if is_html(head) else _CONTENT_TYPE).search(head)
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
    is_few = high < _FEW and high < _FEW_SHARE * len(sample)  # too little to tell encodings apart
    best = None if is_few else from_bytes(sample).best()
    if best is not None and best.encoding not in _WESTERN and best.encoding != "utf_8":
        return best.encoding
    if _UNDEFINED.search(data):
        older = from_bytes(sample, cp_isolation=["cp850", "mac_roman"]).best()
        return older.encoding if older else "cp1252"
    return "cp1252"
