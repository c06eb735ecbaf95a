"""Blocks of a web page: what it shows, without scripts, styles, menus and hidden parts. Nothing is ever fetched."""

import re
from dataclasses import dataclass, field
from pathlib import PurePath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from vectorless_web.engine.compiler.blocks import BlockWriter, cleaned
from vectorless_web.engine.compiler.counting import counted
from vectorless_web.engine.compiler.guessing import guessed_level, last_said, raised
from vectorless_web.engine.compiler.html_tables import is_data_table, table_caption, table_rows
from vectorless_web.engine.compiler.html_walk import BLOCKS, Step, is_bold, walk
from vectorless_web.engine.compiler.sniff import HTML_NAMES, is_html
from vectorless_web.engine.compiler.textual import TextBlock
from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument

_SPACES = re.compile(r"[ \t\n\r\f]+")
_SPACED = re.compile(r"[ \t]{2,}")
_AROUND_BREAK = re.compile(r" *\n *")
_HEADINGS = {f"h{number}": number - 1 for number in range(1, 7)}
_TAG = re.compile(r"</?[a-z][a-z0-9]*[\s/>]", re.IGNORECASE)


def claims_html(text: str, name: str) -> bool:
    """Whether a text is a web page by how it begins, or by its name and its tags."""
    return is_html(text[:8192].encode("utf-8", "replace")) or (
        PurePath(name).suffix.lower() in HTML_NAMES and bool(_TAG.search(text))
    )


def html_title(source: str) -> str:
    """The title that a page's head gives, or ""."""
    node = LexborHTMLParser(source).css_first("title")
    return " ".join(cleaned(node.text()).split()) if node is not None else ""


def html_text(source: str) -> tuple[str, list[TextBlock]]:
    """The readable text of a web page and its blocks. UnreadableDocument(`no_text`) when it shows none."""
    tree = LexborHTMLParser(source)
    root = tree.body or tree.root
    reader = _Reader(marked=tree.css_first("h1, h2, h3, h4, h5, h6") is not None)
    if root is not None:
        reader.read(root)
    if not reader.writer.blocks:
        raise UnreadableDocument(
            "This web page holds no text of its own; pages that scripts put together often do not."
            " Open it in a browser, print it to PDF and upload that.",
            code="no_text",
        )
    return reader.writer.text, reader.writer.blocks


@dataclass(slots=True)
class _Listing:
    """An open list; `number` is that of its next item, `form` how it is counted ("" for bullets)."""

    form: str
    number: int = 1


def _listing(tag: str, node: LexborNode) -> _Listing:
    start, form = node.attributes.get("start") or "", node.attributes.get("type") or ""
    number = int(start) if start.isdecimal() and len(start) < 7 else 1
    return _Listing(form if form in ("a", "A", "i", "I") else "1", number) if tag == "ol" else _Listing("")


@dataclass(slots=True)
class _Reader:
    """Gathers inline text and writes it at the ends of blocks. `marked`: the page has heading elements."""

    marked: bool
    writer: BlockWriter = field(default_factory=BlockWriter)
    said: list[str] = field(default_factory=list)
    raised: list[int] = field(default_factory=list)
    """Where in `said` each open superscript begins."""
    lists: list[_Listing] = field(default_factory=list)
    mark: str = ""
    bold: int = 0
    strong: bool = True
    verbatim: int = 0
    level: int = -1
    caption: bool = False

    def read(self, root: LexborNode) -> None:
        """Write everything below a node."""
        for step, node in walk(root, is_data_table):
            if step is Step.TEXT:
                self._say(node.text_content or "")
            elif step is Step.WHOLE:
                self._table(node)
            elif step is Step.BEGIN:
                self._begin(node)
            else:
                self._end(node)
        self._flush()
        self.writer.end_list()

    def _say(self, text: str) -> None:
        text = cleaned(text)
        if not self.verbatim:
            text = _SPACES.sub(" ", text)
        if text.strip() and not self.bold:
            self.strong = False
        self.said.append(text)

    def _begin(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in BLOCKS:
            self._flush()
            self._begin_block(tag, node)
        elif tag == "br":
            self.said.append("\n")
        elif tag == "img":
            self.said.append(f" {cleaned(node.attributes.get('alt') or '').strip()} ")
        elif tag == "sup":
            self.raised.append(len(self.said))
        self.bold += is_bold(node)

    def _begin_block(self, tag: str, node: LexborNode) -> None:
        if tag in ("ol", "ul", "menu", "dir"):
            self.lists.append(_listing(tag, node))
        elif tag == "li":
            self.mark = self._next_mark(node)
        elif tag == "pre":
            self.verbatim += 1
        elif tag in _HEADINGS:
            self.level = _HEADINGS[tag]
        elif tag == "figcaption":
            self.caption = True

    def _end(self, node: LexborNode) -> None:
        tag = node.tag or ""
        self.bold -= is_bold(node)
        if tag == "sup":
            self._end_raised(node)
        if tag not in BLOCKS:
            return
        self._flush()
        if tag in ("ol", "ul", "menu", "dir"):
            self.lists.pop()
            if not self.lists:
                self.writer.end_list()
        elif tag == "pre":
            self.verbatim -= 1
        elif tag in _HEADINGS:
            self.level = -1
        elif tag == "figcaption":
            self.caption = False
        elif tag == "li":
            self.mark = ""

    def _end_raised(self, node: LexborNode) -> None:
        """Set superscript apart from the figure before it; a link to a note is put in brackets."""
        if not self.raised:
            return
        begun = self.raised.pop()
        text = "".join(self.said[begun:])
        note = text.strip().isdigit() and node.css_first("a") is not None
        self.said[begun:] = [f"[{text.strip()}]" if note else raised(last_said(self.said, begun), text)]

    def _next_mark(self, node: LexborNode) -> str:
        if not self.lists:
            return "-"
        listing = self.lists[-1]
        given = node.attributes.get("value") or ""
        if listing.form and given.isdecimal() and len(given) < 7:
            listing.number = int(given)
        number, listing.number = listing.number, listing.number + 1
        return f"{counted(number, listing.form)}." if listing.form else "-"

    def _flush(self) -> None:
        text = "".join(self.said)
        strong, self.strong, self.said, self.raised = self.strong, True, [], []
        text = text if self.verbatim else _AROUND_BREAK.sub("\n", _SPACED.sub(" ", text)).strip()
        if not text.strip():
            return
        if self.level >= 0:
            self.writer.write(NodeKind.SECTION, text.replace("\n", " "), level=self.level)
        elif self.verbatim:
            self.writer.write(NodeKind.CODE, text)
        elif self.lists or self.mark:
            self.writer.write_item(text, mark=self.mark, depth=max(len(self.lists) - 1, 0))
            self.mark = " " * len(self.mark)
        elif self.caption:
            self.writer.write(NodeKind.CAPTION, text)
        else:
            self._paragraph(text, strong)

    def _paragraph(self, text: str, strong: bool) -> None:
        level = None if self.marked else guessed_level(text, strong=strong)
        if level is None:
            self.writer.write_paragraph(text)
        else:
            self.writer.write(NodeKind.SECTION, text.replace("\n", " "), level=level)

    def _table(self, node: LexborNode) -> None:
        self._flush()
        caption = table_caption(node)
        rows, headers = table_rows(node)
        if caption:
            self.writer.write(NodeKind.CAPTION, caption)
        self.writer.write_table(rows, headers=headers, title=caption)
