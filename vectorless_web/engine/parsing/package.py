"""The ZIP that an Office document is: its parts by their relations, within limits. Nothing outside it is opened."""

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from lxml import etree

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import remove_invisible
from vectorless_web.engine.parsing.sniff import ACCEPTED

_END_RECORD, _LONGEST_END = b"PK\x05\x06", 65_557
"""The mark of a ZIP's end record, and the most bytes from it to the end: 22 and a comment of 65,535."""
_DIRECTORY_BYTES = 8 * 1024 * 1024
"""Bytes of a ZIP's directory at most: some 800 for each of 10,000 members."""
_ENCRYPTED_FLAG = 1
_DOCTYPE = re.compile(rb"<!DOCTYPE|<\0!\0D\0O\0C\0T\0Y\0P\0E|\0<\0!\0D\0O\0C\0T\0Y\0P\0E")
"""A document type in UTF-8 or UTF-16, before the parser meets it: entities that multiply would be told as damage."""
_PROLOGUE = 4096
"""Bytes of a part in which its document type begins; an XML declaration and comments may stand before."""
_MACROS, _SCRIPTS = "vbaproject.bin", ("basic/", "scripts/")
"""Where Office programs, and those that write OpenDocument, keep the programs within a document."""
_FETCHED = ("attachedTemplate", "image", "frame", "subDocument", "aFChunk", "externalLinkPath", "oleObject", "audio",
            "video", "media")  # fmt: skip
"""Kinds of relations whose target an Office program fetches when it opens the document; links wait for a click."""
_STREAMED = 6
"""Times a part's usual limit that a part may have which is read piece by piece and never held as a whole."""
DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, OSError, KeyError, ValueError,
    etree.XMLSyntaxError,
)  # fmt: skip
"""What is raised for a ZIP, or a part of one, that is damaged."""


@dataclass(frozen=True, slots=True)
class PackageKind:
    """What a file is called in messages, the program that saves it again, and its ending, which names its errors."""

    name: str
    program: str
    ending: str


WORD = PackageKind("Word document", "Word", "docx")


def local(element: etree._Element) -> str:
    """An element's name without its namespace; "" for comments and the like. Two namespaces are in use."""
    return _local_tag(element.tag)


@lru_cache(maxsize=4096)
def _local_tag(tag: object) -> str:
    """Remembered: a sheet has five of them and a million elements."""
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
    """An open Office document; its parts are asked for by name or by relation."""

    def __init__(self, archive: zipfile.ZipFile, limits: CompileLimits, kind: PackageKind = WORD) -> None:
        self._archive = archive
        self._limits = limits
        self.kind = kind
        self._names = {info.filename.lower().lstrip("/"): info for info in archive.infolist()}

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return name.lower() in self._names

    def read(self, name: str) -> bytes:
        """The bytes of a part; KeyError when there is no such part."""
        return self._bytes(self._names[name.lower()])

    def read_picture(self, name: str) -> bytes | None:
        """The bytes of a picture; None if the part is missing, damaged or too large."""
        try:
            return self.read(name)
        except (*DAMAGE, UnreadableDocument):
            return None

    def xml(self, name: str) -> etree._Element | None:
        """The root of a part; None when there is no such part."""
        info = self._names.get(name.lower())
        if info is None:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        data = self._bytes(info)
        self._refuse_declarations(data)
        root = etree.fromstring(data, parser)
        self._refuse_entities(root)
        return root

    def elements(self, name: str, *tags: str) -> Iterator[etree._Element]:
        """The elements of a part with these local names, one by one; each is emptied when the next is asked for.

        Nothing when there is no such part. For parts too large to be held as a whole.
        """
        info = self._names.get(name.lower())
        if info is None:
            return
        with self._archive.open(info) as file:
            self._refuse_declarations(file.read(_PROLOGUE))
        with self._archive.open(info) as file:
            bounded = _BoundedFile(file, _STREAMED * self._limits.part, self.kind)
            safe = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
            wanted = [f"{{*}}{tag}" for tag in tags]
            for number, (_, element) in enumerate(etree.iterparse(bounded, events=("end",), tag=wanted, **safe)):
                if number == 0:
                    self._refuse_entities(element)
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def find_related(self, name: str) -> dict[str, list[str]]:
        """The parts that a part ("" for the package) refers to, by the last word of the kind; none outside."""
        found: dict[str, list[str]] = {}
        for kind, _, target in self._relations(name):
            found.setdefault(kind, []).append(target)
        return found

    def find_main(self, usual: str) -> str:
        """The part that holds the document itself; the usual one when no relation says."""
        return next(iter(self.find_related("").get("officeDocument", [])), usual)

    def title(self) -> str:
        """The title among the properties of the document, or ""."""
        properties = next(iter(self.find_related("").get("core-properties", [])), "docProps/core.xml")
        found = child(self.xml(properties), "title")
        found = child(self.xml("meta.xml"), "meta", "title") if found is None else found
        return remove_invisible(found.text or "") if found is not None else ""

    def find_targets(self, name: str) -> dict[str, str]:
        """The parts that a part refers to, by the id of the relation; none outside."""
        return {key: target for _, key, target in self._relations(name)}

    def _relations(self, name: str) -> Iterator[tuple[str, str, str]]:
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        for row in root if root is not None else ():
            if value(row, "TargetMode").lower() == "external":
                continue
            target = posixpath.normpath(posixpath.join("/", folder, value(row, "Target"))).lstrip("/")
            yield value(row, "Type").rpartition("/")[2], value(row, "Id"), target

    def refuse_entities(self, folder: str) -> None:
        """Refuse a package with a part in this folder that declares entities; for parts that a library reads."""
        for name, info in self._names.items():
            if name.startswith(folder) and name.endswith((".xml", ".rels")):
                with self._archive.open(info) as file:
                    self._refuse_declarations(file.read(_PROLOGUE))

    def tell_left_out(self) -> list[str]:
        """Sentences on macros and linked content, which are never run or fetched."""
        told = []
        if any(name.endswith(_MACROS) or name.startswith(_SCRIPTS) for name in self._names):
            told.append("This file holds macros; they were left out and not run.")
        outside = sum(self._count_fetched(name) for name in self._names if name.endswith(".rels"))
        if outside:
            told.append(
                f"This file refers to {outside:,} {'thing' if outside == 1 else 'things'} outside it, such as pictures"
                " or templates; nothing was fetched."
            )
        return told

    def _count_fetched(self, name: str) -> int:
        root = self.xml(name)
        rows = (row for row in (root if root is not None else ()) if value(row, "TargetMode").lower() == "external")
        return sum(value(row, "Type").rpartition("/")[2] in _FETCHED for row in rows)

    def _refuse_entities(self, element: etree._Element) -> None:
        if element.getroottree().docinfo.doctype:
            raise self._make_entity_error()

    def _refuse_declarations(self, data: bytes) -> None:
        if _DOCTYPE.search(data[:_PROLOGUE]):
            raise self._make_entity_error()

    def _make_entity_error(self) -> UnreadableDocument:
        kind = self.kind
        return UnreadableDocument(
            f"This {kind.name} declares entities, which such files must not do, so it was not read.",
            remedy=f"Open it in {kind.program}, save it again as .{kind.ending} and upload that, or upload a PDF.",
            code=f"unsafe_{kind.ending}",
        )

    def _bytes(self, info: zipfile.ZipInfo) -> bytes:
        with self._archive.open(info) as file:
            data = file.read(self._limits.part + 1)
        if len(data) > self._limits.part:
            raise _make_bomb_error(self.kind)
        return data


def refuse_locked(package: Package) -> None:
    """UnreadableDocument (`encrypted_` with the ending) for an OpenDocument file whose parts are encrypted."""
    # Not parsed: older programs write a document type into it, which no other part may have.
    manifest = "META-INF/manifest.xml"
    if package.has(manifest) and b"encryption-data" in package.read(manifest):
        raise _make_locked_error(package.kind)


class _BoundedFile:
    def __init__(self, file: IO[bytes], left: int, kind: PackageKind) -> None:
        self._file, self._left, self._kind = file, left, kind

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise _make_bomb_error(self._kind)
        return data


@contextmanager
def open_package(path: Path, limits: CompileLimits, kind: PackageKind = WORD) -> Iterator[Package]:
    """An open Office document. UnreadableDocument: `zip_bomb`, and damaged_, encrypted_ or unsafe_ with its ending.

    Damage found while its parts are read raises the same errors.
    """
    try:
        check_directory(path, limits, kind)
        with zipfile.ZipFile(path) as archive:
            _check_members(archive.infolist(), limits, kind)
            yield Package(archive, limits, kind)
    except DAMAGE as error:
        raise UnreadableDocument(
            f"This {kind.name} is damaged or did not arrive whole.",
            remedy=f"Open it in {kind.program}, save it again as .{kind.ending} and upload that, or upload a PDF.",
            code=f"damaged_{kind.ending}",
        ) from error


def not_word() -> UnreadableDocument:
    """The error for a ZIP that holds no Word document (`unsupported_type`)."""
    return UnreadableDocument(
        "This file is a ZIP archive or an Office document other than Word's, which cannot be read here.",
        remedy=ACCEPTED,
        code="unsupported_type",
    )


def check_directory(path: Path, limits: CompileLimits, kind: PackageKind) -> None:
    """Check the counts of a ZIP before its directory is read into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _LONGEST_END))
        tail = file.read()
    place = tail.rfind(_END_RECORD)
    if place < 0:
        raise zipfile.BadZipFile
    _, count, length = struct.unpack_from("<HHI", tail, place + 8)
    if count > limits.members or length > _DIRECTORY_BYTES:
        raise _make_bomb_error(kind)


def _check_members(members: list[zipfile.ZipInfo], limits: CompileLimits, kind: PackageKind) -> None:
    if any(info.flag_bits & _ENCRYPTED_FLAG for info in members):
        raise _make_locked_error(kind)
    if limits.is_bomb([(info.compress_size, info.file_size) for info in members]):
        raise _make_bomb_error(kind)


def _make_locked_error(kind: PackageKind) -> UnreadableDocument:
    return UnreadableDocument(
        f"This {kind.name} is protected with a password.",
        remedy="Save it without one and upload that.",
        code=f"encrypted_{kind.ending}",
    )


def _make_bomb_error(kind: PackageKind) -> UnreadableDocument:
    return UnreadableDocument(
        f"This file unpacks to far more than a {kind.name} holds, so it was not opened.",
        remedy=f"Save it again in {kind.program}, split it, or upload a PDF.",
        code="zip_bomb",
    )
