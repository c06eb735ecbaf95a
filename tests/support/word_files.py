"""Word documents made in a test, and parts put into them that the library that writes them does not know."""

import io
import zipfile
from collections.abc import Callable, Mapping

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.text.paragraph import Paragraph

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(write: Callable[[WordDocument], object]) -> bytes:
    """A Word document as `write` fills it."""
    document = Document()
    write(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def with_parts(content: bytes, changed: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """A copy with parts changed; a part that is not there begins as b""."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, changed[name](data) if name in changed else data)
        for name in changed.keys() - set(source.namelist()):
            target.writestr(name, changed[name](b""))
    return buffer.getvalue()


def related(content: bytes, kind: str, name: str, xml: str, *, mode: str = "") -> bytes:
    """A copy with one more part that the document refers to; with `mode`, only the reference."""
    row = f'<Relationship Id="rIdMore{kind}" Type="{RELATIONS}/{kind}" Target="{name}" {mode}/></Relationships>'
    parts = {"word/_rels/document.xml.rels": lambda old: old.replace(b"</Relationships>", row.encode())}
    if not mode:
        parts[f"word/{name}"] = lambda _: xml.encode()
    return with_parts(content, parts)


def body(xml: str) -> bytes:
    """A Word document whose body is this markup."""
    root = f'<w:document xmlns:w="{MAIN}"><w:body>{xml}</w:body></w:document>'
    return with_parts(word(lambda _: None), {"word/document.xml": lambda _: root.encode()})


def add_numbering(document: WordDocument, levels: str) -> None:
    """Let list 77 be counted as the levels say."""
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))


def number(paragraph: Paragraph, level: int) -> Paragraph:
    """Put a paragraph into list 77."""
    properties = paragraph._p.get_or_add_pPr()
    holder = OxmlElement("w:numPr")
    for name, value in (("w:ilvl", level), ("w:numId", 77)):
        element = OxmlElement(name)
        element.set(qn("w:val"), str(value))
        holder.append(element)
    properties.append(holder)
    return paragraph


LEGAL = "".join(
    f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
    for level, form, text in ((0, "decimal", "%1."), (1, "decimal", "%1.%2"), (2, "lowerLetter", "(%3)"))
)


def contract(document: WordDocument) -> None:
    """A short contract: title, clauses, a list, a table of prices."""
    document.core_properties.title = "Supply agreement for ropes"
    document.add_heading("Supply agreement", 0)
    document.add_paragraph("This agreement is made between Larkspur Ropes and the Harbour Authority.")
    document.add_heading("Delivery", 1)
    document.add_paragraph("The Supplier delivers within thirty days of each order.")
    document.add_paragraph("by road", style="List Bullet")
    document.add_paragraph("by rail", style="List Bullet")
    document.add_heading("Late delivery", 2)
    document.add_paragraph("A delay of more than ten days lowers the price by two percent.")
    document.add_heading("Prices", 1)
    document.add_paragraph("Table 1: Prices by rope", style="Caption")
    table = document.add_table(rows=1, cols=3)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, ("Rope", "Length in metres", "Price in EUR"), strict=True):
        cell.text = text
    for row in (("Mooring line", "220", "1,480"), ("Towing line", "180", "2,315"), ("Heaving line", "30", "64")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph("Prices hold for one year.")
