"""The ZIP that a Word document is: its parts by their relations, within limits. Nothing outside it is ever opened."""

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lxml import etree

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.sniff import ACCEPTED

_END_RECORD, _LONGEST_END = b"PK\x05\x06", 65_557
"""The mark of a ZIP's end record, and the most bytes from it to the end: 22 and a comment of 65,535."""
_DIRECTORY_BYTES = 8 * 1024 * 1024
"""Bytes of a ZIP's directory at most: some 800 for each of 10,000 members."""
_SMALL = 8 * 1024 * 1024
"""A part that unpacks to less is read however tightly it is packed."""
_ENCRYPTED_FLAG = 1
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, OSError, KeyError, ValueError,
    etree.XMLSyntaxError,
)  # fmt: skip


def local(element: etree._Element) -> str:
    """An element's name without its namespace; "" for comments and the like. Two namespaces are in use."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def value(element: etree._Element | None, name: str = "val") -> str:
    """An attribute by its name without namespace, or ""."""
    if element is None:
        return ""
    return next((str(said) for key, said in element.items() if key.rpartition("}")[2] == name), "")


def child(element: etree._Element | None, *path: str) -> etree._Element | None:
    """The first child of a name, its first child of the next name, and so on."""
    for name in path:
        if element is None:
            return None
        element = next((own for own in element if local(own) == name), None)
    return element


class Package:
    """An open Word document; its parts are asked for by name or by relation."""

    def __init__(self, archive: zipfile.ZipFile, limits: CompileLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._names = {info.filename.lower().lstrip("/"): info for info in archive.infolist()}

    def xml(self, name: str) -> etree._Element | None:
        """The root of a part; None when there is no such part."""
        info = self._names.get(name.lower())
        if info is None:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        root = etree.fromstring(self._bytes(info), parser)
        if root.getroottree().docinfo.doctype:
            raise UnreadableDocument(
                "This Word document declares entities, which such files must not do, so it was not read."
                " Open it in Word, save it again as .docx and upload that, or upload a PDF.",
                code="unsafe_docx",
            )
        return root

    def find_related(self, name: str) -> dict[str, list[str]]:
        """The parts that a part ("" for the package) refers to, by the last word of the kind; none outside."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, list[str]] = {}
        for row in root if root is not None else ():
            if value(row, "TargetMode").lower() == "external":
                continue
            target = posixpath.normpath(posixpath.join("/", folder, value(row, "Target"))).lstrip("/")
            found.setdefault(value(row, "Type").rpartition("/")[2], []).append(target)
        return found

    def _bytes(self, info: zipfile.ZipInfo) -> bytes:
        with self._archive.open(info) as file:
            data = file.read(self._limits.part + 1)
        if len(data) > self._limits.part:
            raise _make_bomb_error()
        return data


@contextmanager
def open_package(path: Path, limits: CompileLimits) -> Iterator[Package]:
    """An open Word document. UnreadableDocument: `damaged_docx`, `zip_bomb`, `encrypted_docx`, `unsafe_docx`.

    Damage found while its parts are read raises the same errors.
    """
    try:
        _check_directory(path, limits)
        with zipfile.ZipFile(path) as archive:
            _check_members(archive.infolist(), limits)
            yield Package(archive, limits)
    except _DAMAGE as error:
        raise UnreadableDocument(
            "This Word document is damaged or did not arrive whole."
            " Open it in Word, save it again as .docx and upload that, or upload a PDF.",
            code="damaged_docx",
        ) from error


def not_word() -> UnreadableDocument:
    """The error for a ZIP that holds no Word document (`unsupported_type`)."""
    return UnreadableDocument(
        f"This file is a ZIP archive or an Office document other than Word's, which cannot be read here. {ACCEPTED}",
        code="unsupported_type",
    )


def _check_directory(path: Path, limits: CompileLimits) -> None:
    """Look at the ZIP's own counts before its directory is read into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _LONGEST_END))
        tail = file.read()
    place = tail.rfind(_END_RECORD)
    if place < 0:
        raise zipfile.BadZipFile
    _, count, length = struct.unpack_from("<HHI", tail, place + 8)
    if count > limits.members or length > _DIRECTORY_BYTES:
        raise _make_bomb_error()


def _check_members(members: list[zipfile.ZipInfo], limits: CompileLimits) -> None:
    if any(info.flag_bits & _ENCRYPTED_FLAG for info in members):
        raise UnreadableDocument(
            "This Word document is protected with a password. Save it without one and upload that.",
            code="encrypted_docx",
        )
    packed_too_tightly = any(
        info.file_size > _SMALL and info.file_size > limits.ratio * max(info.compress_size, 1) for info in members
    )
    if len(members) > limits.members or sum(info.file_size for info in members) > limits.unpacked or packed_too_tightly:
        raise _make_bomb_error()


def _make_bomb_error() -> UnreadableDocument:
    return UnreadableDocument(
        "This file unpacks to far more than a Word document holds, so it was not opened."
        " Save it again in Word, split it, or upload a PDF.",
        code="zip_bomb",
    )
