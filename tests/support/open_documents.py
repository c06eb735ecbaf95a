"""Packed files made in a test: any ZIP, and OpenDocument files from the markup of their bodies."""

import io
import zipfile
from collections.abc import Mapping

_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        *((name, name) for name in ("office", "text", "table", "style")),
        ("draw", "drawing"),
        ("fo", "xsl-fo-compatible"),
    )
)
STYLES = """
<style:style style:name="Heading_20_1" style:display-name="Heading 1" style:default-outline-level="1"/>
<style:style style:name="Caption"/><style:style style:name="Table" style:parent-style-name="Caption"/>
<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>
<style:style style:name="Off" style:family="table"><style:table-properties table:display="false"/></style:style>
<text:list-style style:name="L1">
 <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
 <text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
</text:list-style>"""


def zipped(parts: Mapping[str, bytes | str]) -> bytes:
    """A ZIP of these parts in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return buffer.getvalue()


def open_document(
    kind: str, body: str, *, styles: str = STYLES, running: str = "", parts: Mapping[str, bytes | str] | None = None
) -> bytes:
    """A "text" or "spreadsheet" of this body, with more parts."""
    root = f'<office:document-content {_NAMES} xmlns:xlink="http://www.w3.org/1999/xlink">'
    content = f"{root}<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:{kind}>{body}"
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"{content}</office:{kind}></office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {_NAMES}>{running}</office:document-styles>",
            **(parts or {}),
        }
    )
