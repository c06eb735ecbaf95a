"""Blocks of a web page: what it shows, without scripts, styles, menus and hidden parts. Nothing is ever fetched."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import PurePath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, format_number, remove_invisible
from vectorless_web.engine.parsing.markup.pages import TextBlock
from vectorless_web.engine.parsing.markup.plaintext import find_last_text, guess_level, mark_superscript
from vectorless_web.engine.parsing.sniff import HTML_NAMES, is_html
from vectorless_web.engine.parsing.tables.spans import SpanCell

_LINED = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol optgroup option p pre section"
    " summary table tbody td tfoot th thead tr ul"
)
_PASSED = (
    "script style noscript template head title meta link nav iframe object embed applet canvas audio video svg"
    " select datalist textarea input button map rp rt annotation annotation-xml noembed noframes"
)
BLOCKS = frozenset(_LINED.split())
"""Elements that begin and end on lines of their own."""
_UNREAD = frozenset(_PASSED.split())
_HIDDEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_BOLD = re.compile(r"(?:^|;)\s*font-weight\s*:\s*(?:bold|bolder|[6-9]00)", re.IGNORECASE)
_MENUS = ("navigation", "menu", "menubar")


class WalkStep(Enum):
    """What the walk meets: an element begins, ends, or is given whole; or a text."""

    BEGIN = auto()
    END = auto()
    WHOLE = auto()
    TEXT = auto()


def walk_nodes(root: LexborNode, whole: Callable[[LexborNode], bool]) -> Iterator[tuple[WalkStep, LexborNode]]:
    """Everything shown below a node, in order; an element for which `whole` holds is not entered."""
    stack = [(child, False) for child in reversed(_children(root))]
    while stack:
        node, ended = stack.pop()
        if ended:
            yield WalkStep.END, node
        elif node.is_text_node:
            yield WalkStep.TEXT, node
        elif not node.is_element_node or is_unread(node):
            continue
        elif whole(node):
            yield WalkStep.WHOLE, node
        else:
            yield WalkStep.BEGIN, node
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(_children(node)))


def is_unread(node: LexborNode) -> bool:
    """Whether a page does not show an element, or it only leads elsewhere."""
    if (node.tag or "") in _UNREAD:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes or (attributes.get("role") or "").strip().lower() in _MENUS:
        return True
    return bool(_HIDDEN.search(attributes.get("style") or "")) or (node.tag == "dialog" and "open" not in attributes)


def is_bold(node: LexborNode) -> bool:
    """Whether an element sets its text in bold."""
    return node.tag in ("b", "strong", "th") or bool(_BOLD.search(node.attributes.get("style") or ""))


def _children(node: LexborNode) -> list[LexborNode]:
    found = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found


_ARRANGED = frozenset(("table", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre"))
_DIGITS = re.compile(r"\d{1,6}")


def is_data_table(node: LexborNode) -> bool:
    """Whether an element is a table of cells with words alone: none with lists or tables within, and not one cell."""
    if node.tag != "table" or (node.attributes.get("role") or "").lower() in ("presentation", "none"):
        return False
    cells = 0
    for step, part in walk_nodes(node, lambda _: False):
        if step is WalkStep.BEGIN and part.tag in _ARRANGED:
            return False  # at the first one: looking on would make nested tables slow
        cells += step is WalkStep.BEGIN and part.tag in ("td", "th")
    return cells > 1


def table_caption(node: LexborNode) -> str:
    """The caption of a table, or ""."""
    return " ".join(words(caption) for caption in node.css("caption") if not is_unread(caption))


def table_rows(node: LexborNode) -> tuple[list[list[SpanCell]], int]:
    """The cells of each row that is shown, and how many leading rows are marked as headers."""
    rows: list[list[SpanCell]] = []
    headers = 0
    for row in node.css("tr"):
        parent = row.parent
        if is_unread(row) or (parent is not None and is_unread(parent)):
            continue
        cells = [cell for cell in row.css("td, th") if not is_unread(cell)]
        in_head = parent is not None and parent.tag == "thead"
        if cells and headers == len(rows) and (in_head or all(cell.tag == "th" for cell in cells)):
            headers += 1
        rows.append([_cell(cell) for cell in cells])
    return rows, headers


def words(node: LexborNode) -> str:
    """What an element shows, in one line."""
    said: list[str] = []
    marks: list[int] = []
    for step, part in walk_nodes(node, lambda _: False):
        tag = part.tag or ""
        if step is WalkStep.TEXT:
            said.append(remove_invisible(part.text_content or ""))
        elif tag == "sup" and step is WalkStep.BEGIN:
            marks.append(len(said))
        elif tag == "sup" and marks:
            begun = marks.pop()
            said[begun:] = [mark_superscript(find_last_text(said, begun), "".join(said[begun:]))]
        elif tag == "img" and step is WalkStep.BEGIN:
            said.append(f" {remove_invisible(part.attributes.get('alt') or '')} ")
        elif tag in BLOCKS or tag == "br":
            said.append(" ")
    return " ".join("".join(said).split())


def _cell(cell: LexborNode) -> SpanCell:
    return SpanCell(words(cell), across=_read_cell_span(cell, "colspan"), down=_read_cell_span(cell, "rowspan"))


def _read_cell_span(cell: LexborNode, attribute: str) -> int:
    given = _DIGITS.match((cell.attributes.get(attribute) or "").strip())
    return max(1, int(given.group())) if given else 1


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
    return " ".join(remove_invisible(node.text()).split()) if node is not None else ""


def html_text(source: str) -> tuple[str, list[TextBlock]]:
    """The readable text of a web page and its blocks. UnreadableDocument(`no_text`) when it shows none."""
    tree = LexborHTMLParser(source)
    root = tree.body or tree.root
    reader = _HtmlReader(marked=tree.css_first("h1, h2, h3, h4, h5, h6") is not None)
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
class _HtmlReader:
    """Gathers inline text and writes it at the ends of blocks. `marked`: the page has heading elements."""

    marked: bool
    writer: BlockWriter = field(default_factory=BlockWriter)
    said: list[str] = field(default_factory=list)
    superscripts: list[int] = field(default_factory=list)
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
        for step, node in walk_nodes(root, is_data_table):
            if step is WalkStep.TEXT:
                self._say(node.text_content or "")
            elif step is WalkStep.WHOLE:
                self._table(node)
            elif step is WalkStep.BEGIN:
                self._begin(node)
            else:
                self._end(node)
        self._flush()
        self.writer.end_list()

    def _say(self, text: str) -> None:
        text = remove_invisible(text)
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
            self.said.append(f" {remove_invisible(node.attributes.get('alt') or '').strip()} ")
        elif tag == "sup":
            self.superscripts.append(len(self.said))
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
        if not self.superscripts:
            return
        begun = self.superscripts.pop()
        text = "".join(self.said[begun:])
        note = text.strip().isdigit() and node.css_first("a") is not None
        self.said[begun:] = [f"[{text.strip()}]" if note else mark_superscript(find_last_text(self.said, begun), text)]

    def _next_mark(self, node: LexborNode) -> str:
        if not self.lists:
            return "-"
        listing = self.lists[-1]
        given = node.attributes.get("value") or ""
        if listing.form and given.isdecimal() and len(given) < 7:
            listing.number = int(given)
        number, listing.number = listing.number, listing.number + 1
        return f"{format_number(number, listing.form)}." if listing.form else "-"

    def _flush(self) -> None:
        text = "".join(self.said)
        strong, self.strong, self.said, self.superscripts = self.strong, True, [], []
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
        level = None if self.marked else guess_level(text, strong=strong)
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
