"""Blocks of a Markdown file. Its marks and HTML tags are left out; what the parser passes over is kept as it stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml.html.defs import tags as HTML_ELEMENTS
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vectorless_web.engine.documents.figures import FigurePicture
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.figures import PictureShelf, clean_description
from vectorless_web.engine.parsing.markup.blocks import BlockWriter
from vectorless_web.engine.parsing.markup.html import html_text
from vectorless_web.engine.parsing.markup.pages import TextBlock
from vectorless_web.engine.parsing.markup.plaintext import find_last_text, mark_superscript, text_blocks
from vectorless_web.engine.parsing.tables.spans import SpanCell

_DEEPEST = 100
"""Lists and quotes within each other that are told apart. The parser leaves out what stands deeper, and all
that follows it: such a file is read as plain text."""
_PARSER = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
_LINK_PARTS = 8
"""Pieces of a line before a link's end in which its address may stand already; then it is not added."""
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_FRONT_MATTER = 60
"""Lines of a block of front matter at most; beyond it "---" is a rule."""


@dataclass(slots=True)
class _Writer(BlockWriter):
    source: list[str] = field(default_factory=list)
    line: int = 0
    """First source line not yet accounted for."""

    def keep_skipped(self, upto: int) -> None:
        """Keep source lines that no block has taken (link definitions and the like)."""
        left = [line for line in self.source[self.line : upto] if line.strip()]
        if left:
            self.write(NodeKind.PARAGRAPH, "\n".join(left))
        self.line = max(self.line, upto)


def markdown_text(source: str, shelf: PictureShelf | None = None) -> tuple[str, list[TextBlock]]:
    """The readable text of a Markdown source, and its blocks in reading order; a picture follows its paragraph."""
    writer = _Writer(source=source.split("\n"))
    shelf = shelf or PictureShelf()
    matter = _front_matter(writer.source)
    if matter:
        writer.keep_skipped(matter)
    tokens = _PARSER.parse("\n" * matter + "\n".join(writer.source[matter:]))
    if any(token.level >= _DEEPEST - 1 and token.nesting > 0 for token in tokens):
        return source, text_blocks(source)
    position = 0
    while position < len(tokens):
        end = _take(tokens, position, writer)
        for picture, said in _held_pictures(tokens[position:end], shelf):
            writer.write_figure(picture, said)
        position = end
    writer.keep_skipped(len(writer.source))
    return writer.text, writer.blocks


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines a leading block between `---` lines takes."""
    if not lines or lines[0].strip() != "---":
        return 0
    return next(
        (number + 1 for number in range(1, min(len(lines), _FRONT_MATTER)) if lines[number].strip() == "---"), 0
    )


def _take(tokens: Sequence[Token], position: int, writer: _Writer) -> int:
    token = tokens[position]
    end = _find_closing_token(tokens, position)
    if token.map:
        writer.keep_skipped(token.map[0])
        writer.line = max(writer.line, token.map[1])
    inner = tokens[position : end + 1]
    if token.type == "heading_open":
        writer.write(NodeKind.SECTION, _inline(tokens[position + 1]).replace("\n", " "), level=int(token.tag[1]) - 1)
    elif token.type in ("fence", "code_block"):
        info = token.info.strip()
        writer.write(NodeKind.CODE, f"{info}\n{token.content}" if info else token.content)
    elif token.type == "html_block":
        writer.extend(*_read_html(token))
    elif token.type == "table_open":
        writer.write_table(_table_rows(inner), headers=1)
    elif token.type in ("bullet_list_open", "ordered_list_open"):
        writer.write(NodeKind.LIST, _list_text(inner))
    elif token.type != "hr":
        writer.write(NodeKind.PARAGRAPH, "\n".join(_texts(inner)))
    return end + 1


def _read_html(token: Token) -> tuple[str, list[TextBlock]]:
    """What a block of HTML says, as of a web page; nothing where it is tags alone."""
    try:
        return html_text(token.content)
    except UnreadableDocument:
        return "", []


def _take_tag(tag: str, parts: list[str], raised: list[int]) -> None:
    """Add what stands for a tag within a line: nothing, a new line, or the tag itself where HTML has none of the name.

    The end of a superscript parts it from a figure before it; `raised` is where the open ones begin.
    """
    found = _TAG_NAME.match(tag)
    name = found[1].lower() if found else ""
    if name == "sup":
        if not tag.startswith("</"):
            raised.append(len(parts))
        elif raised:
            begun = raised.pop()
            parts[begun:] = [mark_superscript(find_last_text(parts, begun), "".join(parts[begun:]))]
    elif name == "br":
        parts.append("\n")
    elif name and name not in HTML_ELEMENTS:
        parts.append(tag)


def _find_closing_token(tokens: Sequence[Token], position: int) -> int:
    depth = 0
    for number in range(position, len(tokens)):
        depth += tokens[number].nesting
        if depth == 0:
            return number
    return len(tokens) - 1


def _inline(token: Token) -> str:
    parts: list[str] = []
    addresses: list[str] = []
    raised: list[int] = []
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type == "html_inline":
            _take_tag(child.content, parts, raised)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "link_open":
            addresses.append(str(child.attrGet("href") or ""))
            parts.append("")
        elif child.type == "link_close":
            address = addresses.pop() if addresses else ""
            if address and address not in "".join(parts[-_LINK_PARTS:]):
                parts.append(f" ({address})")
        elif child.type == "image":
            address = str(child.attrGet("src") or "")
            parts.append("" if _is_held(address) else f"{child.content} ({address})")
    return "".join(parts)


def _is_held(address: str) -> bool:
    return address[:5].lower() == "data:"


def _held_pictures(tokens: Sequence[Token], shelf: PictureShelf) -> Iterator[tuple[FigurePicture, str]]:
    for child in (child for token in tokens for child in token.children or []):
        address = str(child.attrGet("src") or "") if child.type == "image" else ""
        picture = shelf.take_address(address) if _is_held(address) else None
        if picture is not None:
            yield picture, clean_description(child.content)


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [_text(token) for token in tokens if token.type in ("inline", "fence", "code_block", "html_block")]


def _text(token: Token) -> str:
    if token.type == "inline":
        return _inline(token)
    return (_read_html(token)[0] if token.type == "html_block" else token.content).rstrip("\n")


def _list_text(tokens: Sequence[Token]) -> str:
    lines: list[str] = []
    depth, mark = -1, ""
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            mark = f"{token.info}{token.markup} " if token.info else "- "
        elif token.type in ("inline", "fence", "code_block", "html_block"):
            text = _text(token)
            lines.append("  " * depth + (mark or "  ") + text)
            mark = ""
    return "\n".join(lines)


def _table_rows(tokens: Sequence[Token]) -> list[list[SpanCell]]:
    rows: list[list[SpanCell]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(SpanCell(_inline(token).replace("\n", " ").strip()))
    return rows
