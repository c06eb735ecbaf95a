"""Reads an EPUB book: its chapters in the order of its spine, each as the web page that it is."""

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.figures import PictureShelf
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, remove_invisible
from vectorless_web.engine.parsing.markup.html import bound_page, html_text
from vectorless_web.engine.parsing.markup.pages import DocumentText
from vectorless_web.engine.parsing.package import Package, PackageKind, child, local, open_package, value

BOOK = PackageKind("EPUB book", "the program it was made with", "epub")
_SUBSET = re.compile(r"(<!DOCTYPE[^>\[]{0,500})\[[^\]]{0,100000}\]\s*>")
"""A document type with entities of its own: they are not taken in, and would make the parser give the chapter up."""
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([a-zA-Z][a-zA-Z0-9]{1,30});")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_ENCRYPTION = "META-INF/encryption.xml"


def read_book(path: Path, *, limits: CompileLimits) -> DocumentText:
    """Read an EPUB book.

    UnreadableDocument: `damaged_epub`, `encrypted_epub`, `zip_bomb`, `unsafe_epub`, `no_text`, `too_large`.
    """
    with open_package(path, limits, BOOK) as package:
        container = _parse(package, "META-INF/container.xml")
        main = _decode_address(value(child(container, "rootfiles", "rootfile"), "full-path"))
        book = _parse(package, main)
        chapters = list(_chapters(book, posixpath.dirname(main)))
        _refuse_locked(package, set(chapters))
        writer, empty = BlockWriter(), 0
        shelf = PictureShelf(limits=limits)
        for chapter in chapters:
            empty += not _write_chapter(writer, package, chapter, shelf)
            if writer.length > limits.characters:
                raise UnreadableDocument(
                    "This book is too long.", remedy="Split it into smaller files.", code="too_large"
                )
    if not writer.has_text:
        raise UnreadableDocument(
            "This book holds no text; books of pictures have none.",
            remedy="Upload a PDF with recognised text (OCR).",
            code="no_text",
        )
    titles = [own.text or "" for own in _children(child(book, "metadata")) if local(own) == "title"]
    told = (
        f"{empty} part{' of this book holds' if empty == 1 else 's of this book hold'} no text, as covers and pictures."
    )
    remarks = [*([told] if empty else []), *shelf.tell()]
    return writer.finish(remove_invisible(next(iter(titles), "")), remarks)


def _parse(package: Package, name: str) -> etree._Element:
    """The root of a part that may declare a document type, as older books do; entities are not resolved."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(package.read(name), parser)


def _decode_address(text: str) -> str:
    """A part's address with its characters in percent form (RFC 3986, section 2.1) written out."""
    decoded = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text.encode())
    return decoded.decode("utf-8", "replace")


def _children(element: etree._Element | None) -> Iterator[etree._Element]:
    yield from element if element is not None else ()


def _chapters(book: etree._Element, folder: str) -> Iterator[str]:
    places = {value(item, "id"): _decode_address(value(item, "href")) for item in _children(child(book, "manifest"))}
    for item in _children(child(book, "spine")):
        href = places.get(value(item, "idref"), "")
        if href:
            yield posixpath.normpath(posixpath.join("/", folder, href)).lstrip("/")


def _resolve(chapter: str, address: str) -> str:
    path = _decode_address(address.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(chapter), path)).lstrip("/")


def _refuse_locked(package: Package, chapters: set[str]) -> None:
    if not package.has(_ENCRYPTION):
        return
    locked = {_decode_address(value(own, "URI")) for own in _parse(package, _ENCRYPTION).iter("{*}CipherReference")}
    if locked & chapters:
        raise UnreadableDocument(
            "This book is locked by its seller (DRM), so it was not read.",
            remedy="Upload a copy without a lock.",
            code="encrypted_epub",
        )


def _write_chapter(writer: BlockWriter, package: Package, name: str, shelf: PictureShelf) -> bool:
    if not package.has(name):
        return False
    # A web page's parser takes an empty <title/> for an open one and loses what follows: hence by way of XML.
    source = _SUBSET.sub(r"\1>", package.read(name).decode("utf-8", "replace"))
    source = _ENTITY.sub(lambda match: html.unescape(match.group()), source)
    if not source.strip():
        return False
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    root = etree.fromstring(source.encode(), parser)
    if root is None:
        return False
    page = etree.tostring(root, method="html", encoding="unicode")
    try:
        shelf.find = lambda address: package.read_picture(_resolve(name, address))
        text, blocks = html_text(bound_page(page).source, shelf, writer.fences)
    except UnreadableDocument:
        return False
    writer.extend(text, blocks)
    return True
