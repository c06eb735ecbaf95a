"""Blocks of a web page: what it shows, read within bounds on what makes the HTML parser slow.

One pass over the marks of a page, with the parser's own rules for which end closes what. A page
within the bounds is handed on as it is; of any other, the marks beyond them are left out. Its words stay.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import PurePath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.errors import UnreadableDocument
from vectorless_web.engine.parsing.fences import Fences
from vectorless_web.engine.parsing.figures import PictureShelf, clean_description
from vectorless_web.engine.parsing.markup.blocks import BlockWriter, format_number, remove_invisible
from vectorless_web.engine.parsing.markup.pages import TextBlock
from vectorless_web.engine.parsing.markup.plaintext import find_last_text, guess_level, mark_superscript
from vectorless_web.engine.parsing.sniff import HTML_NAMES, is_html
from vectorless_web.engine.parsing.tables.spans import SpanCell

DEEPEST = 512
"""Elements open inside each other, as in browsers, which nest no deeper either."""
DEEPEST_INLINE = 256
"""The same for elements that only mark up text. Chosen by hand, half of the others: each is closed and opened again
around every block."""
MOST_FORMATS = 32
"""Formats open at once: every paragraph opens all of them again, so this multiplies what is built."""
MOST_ATTRIBUTES = 1_000
"""Of one element; ten times as many cost the parser 0.2 s, a hundred times 20 s."""
MOST_OPTIONS = 2_000
"""Of one list of choices, none of which is read; twice as many cost 0.05 s, ten times as many 1.3 s."""
MOST_ROOTS = 16
"""Repeated `<html>` and `<body>`, whose attributes are gathered on the first."""

_ATTRIBUTE = r"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?![\"'])[^\s>]*+))?+"
_MARK = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<rest>(?:{_ATTRIBUTE})*+)[\s/]*+(?:>|\Z))",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_SHORT = 2 * MOST_ATTRIBUTES
"""Characters that cannot hold more attributes than are allowed."""


def _split_names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBATIM = _split_names("script style textarea title xmp iframe noembed noframes")
_SINGLE = _split_names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
_IMPLIED = _split_names("caption colgroup dd dt head li p rb rp rt rtc tbody td tfoot th thead tr")
"""They end where the next one begins, so their number at a place is bounded by that of all others."""
_CHOICES = frozenset(("option", "optgroup"))
_ROOTS = frozenset(("html", "body"))
_HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FORMATS = _split_names("a b big code em font i nobr s small strike strong tt u")
_READ_IN_SVG = ("foreignobject", "desc")
"""Parts of a drawing whose marks are read as those of a page."""
_WALLS = _split_names("applet button foreignobject marquee object select svg table template")
"""An end mark inside one of these closes nothing outside of it."""
_BLOCKS = _split_names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form"
    " frameset header hgroup listing main menu nav noscript ol plaintext pre search section summary ul"
)
_SPECIAL = _BLOCKS | _WALLS | _HEADING_TAGS


@dataclass(frozen=True, slots=True)
class BoundedPage:
    """A page that is parsed in linear time; `remarks` are sentences about what was left out of it."""

    source: str
    remarks: Sequence[str] = ()


def bound_page(source: str) -> BoundedPage:
    """The page without marks beyond the bounds; the very same string when there are none."""
    return _Pass(source).run()


@dataclass(slots=True)
class _Pass:
    """One reading of a page's marks. `opened` names the elements open at this place, the innermost last."""

    source: str
    opened: list[str] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    """How often each name is in `opened`."""
    special: int = 0
    formats: int = 0
    options: int = 0
    roots: int = 0
    unopened: Counter[str] = field(default_factory=Counter)
    """Names of elements that were left out and not yet closed: their ends are left out too."""
    cuts: list[tuple[int, int]] = field(default_factory=list)
    nested: int = 0
    attributes: int = 0

    def run(self) -> BoundedPage:
        position = 0
        while (mark := _MARK.search(self.source, position)) is not None:
            position = mark.end()
            if mark["name"] is None:
                continue  # a comment
            name = mark["name"].lower()
            if mark["end"]:
                self._end(name, mark)
                continue
            if len(mark["rest"]) > _SHORT:
                self._cut_attributes(mark)
            self._begin(name, mark)
            if name in _VERBATIM:
                position = self._behind(name, position)
        return BoundedPage(self._build_source(), tuple(self._remarks()))

    def _behind(self, name: str, position: int) -> int:
        """Where the end tag of a verbatim element begins; what comes before it is no tag."""
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.source, position)
        return end.start() if end else len(self.source)

    def _begin(self, name: str, mark: re.Match[str]) -> None:
        if name in _SINGLE or name in _IMPLIED or name in _VERBATIM:
            return
        if name in _CHOICES:
            self._choice(mark)
        elif name in _ROOTS:
            self.roots += 1
            if self.roots > MOST_ROOTS:
                self._leave_out(mark)
        else:
            if name in _HEADING_TAGS and self.opened and self.opened[-1] in _HEADING_TAGS:
                self._close(len(self.opened) - 1)
            if self._is_drawn(mark):
                return
            if self._is_full(name):
                self.nested += name not in _FORMATS
                self.unopened[name] += 1
                self._leave_out(mark)
            else:
                self._open(name)

    def _choice(self, mark: re.Match[str]) -> None:
        if self.count["select"]:
            self.options += not mark["end"]
            if self.options > MOST_OPTIONS:
                self._leave_out(mark)

    def _is_drawn(self, mark: re.Match[str]) -> bool:
        """Whether an element is a part of a drawing that ends where it begins: only there `/>` closes one."""
        return bool(self.count["svg"]) and mark[0].endswith("/>") and not any(self.count[name] for name in _READ_IN_SVG)

    def _is_full(self, name: str) -> bool:
        if name in _FORMATS:
            return self.formats >= MOST_FORMATS
        if name in _SPECIAL:
            return self.special >= DEEPEST
        return len(self.opened) - self.special - self.formats >= DEEPEST_INLINE

    def _open(self, name: str) -> None:
        self.opened.append(name)
        self.count[name] += 1
        self.special += name in _SPECIAL
        self.formats += name in _FORMATS
        if name == "select":
            self.options = 0

    def _end(self, name: str, mark: re.Match[str]) -> None:
        if self.unopened[name]:
            self.unopened[name] -= 1
            self._leave_out(mark)
        elif name in _CHOICES:
            self._choice(mark)
        elif name in _HEADING_TAGS:
            self._end_special(_HEADING_TAGS)
        elif not self.count[name]:
            return
        elif name in _FORMATS:
            self._end_format(name)
        elif name in _SPECIAL:
            self._end_special((name,))
        else:
            self._end_inline(name)

    def _end_special(self, names: Sequence[str] | frozenset[str]) -> None:
        """Close the nearest of these elements and everything in it; open formats (b, i, a) continue behind it."""
        for place in range(len(self.opened) - 1, -1, -1):
            if self.opened[place] in names:
                self._close(place)
                return
            if self.opened[place] in _WALLS:
                return

    def _end_format(self, name: str) -> None:
        """Close a format (b, i, a): blocks that were opened within it stay open, other elements are closed."""
        place = len(self.opened) - 1 - self.opened[::-1].index(name)
        inside = self.opened[place + 1 :]
        if any(inner in _SPECIAL for inner in inside):
            del self.opened[place]
            self._forget(name)
        else:
            self._close(place)

    def _end_inline(self, name: str) -> None:
        for place in range(len(self.opened) - 1, -1, -1):
            if self.opened[place] == name:
                self._close(place)
                return
            if self.opened[place] in _SPECIAL:
                return

    def _close(self, place: int) -> None:
        closed, inside = self.opened[place], self.opened[place + 1 :]
        kept = [name for name in inside if name in _FORMATS]
        self.opened[place:] = kept
        self._forget(closed)
        for name in inside:
            if name not in _FORMATS:
                self._forget(name)

    def _forget(self, name: str) -> None:
        self.count[name] -= 1
        self.special -= name in _SPECIAL
        self.formats -= name in _FORMATS

    def _leave_out(self, mark: re.Match[str]) -> None:
        self.cuts.append(mark.span())

    def _cut_attributes(self, mark: re.Match[str]) -> None:
        for number, attribute in enumerate(_ATTRIBUTES.finditer(self.source, *mark.span("rest"))):
            if number == MOST_ATTRIBUTES:
                self.attributes += 1
                self.cuts.append((attribute.start(), mark.end("rest")))
                return

    def _build_source(self) -> str:
        if not self.cuts:
            return self.source
        parts, position = [], 0
        for start, end in sorted(self.cuts):
            parts.append(self.source[position:start])
            position = max(position, end)
        parts.append(self.source[position:])
        return "".join(parts)

    def _remarks(self) -> list[str]:
        remarks = []
        if self.nested:
            remarks.append(
                f"Elements of this page are nested deeper than {DEEPEST} levels; those beyond are read as plain text."
            )
        if self.attributes:
            remarks.append(
                f"An element of this page has more than {MOST_ATTRIBUTES:,} attributes; the others were left out."
            )
        return remarks


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
    """One step of the walk: the begin or end of an element, a whole element, or a text."""

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
    """Whether an element is left out: the page does not show it, or it is a menu."""
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
    """Whether a table holds data: more than one cell, and no list or table inside a cell."""
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
    across, down = _read_cell_span(cell, "colspan"), _read_cell_span(cell, "rowspan")
    return SpanCell(words(cell), across=across, down=down, strong=_is_strong(cell))


def _is_strong(cell: LexborNode) -> bool:
    bold, open_bold = is_bold(cell), 0
    for step, part in walk_nodes(cell, lambda _: False):
        if step is WalkStep.TEXT:
            if not (bold or open_bold) and (part.text_content or "").strip():
                return False
        elif is_bold(part):
            open_bold += 1 if step is WalkStep.BEGIN else -1
    return True


def _read_cell_span(cell: LexborNode, attribute: str) -> int:
    given = _DIGITS.match((cell.attributes.get(attribute) or "").strip())
    return max(1, int(given.group())) if given else 1


_SPACES = re.compile(r"[ \t\n\r\f]+")
_SPACED = re.compile(r"[ \t]{2,}")
_AROUND_BREAK = re.compile(r" *\n *")
_HEADING_LEVELS = {f"h{number}": number - 1 for number in range(1, 7)}
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


def html_text(
    source: str, shelf: PictureShelf | None = None, fences: Fences | None = None
) -> tuple[str, list[TextBlock]]:
    """The readable text of a web page and its blocks, with the pictures that `shelf` finds within the file.

    Raises UnreadableDocument(`no_text`) if it has none.
    """
    tree = LexborHTMLParser(source)
    root = tree.body or tree.root
    marked = tree.css_first("h1, h2, h3, h4, h5, h6") is not None
    reader = _HtmlReader(marked=marked, shelf=shelf or PictureShelf())
    reader.writer.fences = fences or Fences()
    if root is not None:
        reader.read(root)
    if not reader.writer.has_text:
        raise UnreadableDocument(
            "This web page holds no text of its own; pages that scripts put together often do not.",
            remedy="Open it in a browser, print it to PDF and upload that.",
            code="no_text",
        )
    return reader.writer.text, reader.writer.blocks


@dataclass(slots=True)
class _Listing:
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
    shelf: PictureShelf
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
            self._picture(node)
        elif tag == "sup":
            self.superscripts.append(len(self.said))
        self.bold += is_bold(node)

    def _picture(self, node: LexborNode) -> None:
        """Write a picture that the file itself holds as a figure; of a linked one only its description."""
        said = remove_invisible(node.attributes.get("alt") or "").strip()
        picture = self.shelf.take_address(node.attributes.get("src") or "")
        if picture is None:
            self.said.append(f" {said} ")
        else:
            self._flush()
            self.writer.write_figure(picture, clean_description(said))

    def _begin_block(self, tag: str, node: LexborNode) -> None:
        if tag in ("ol", "ul", "menu", "dir"):
            self.lists.append(_listing(tag, node))
        elif tag == "li":
            self.mark = self._next_mark(node)
        elif tag == "pre":
            self.verbatim += 1
        elif tag in _HEADING_LEVELS:
            self.level = _HEADING_LEVELS[tag]
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
        elif tag in _HEADING_LEVELS:
            self.level = -1
        elif tag == "figcaption":
            self.caption = False
        elif tag == "li":
            self.mark = ""

    def _end_raised(self, node: LexborNode) -> None:
        """Part superscript from a figure before it; put a link to a note in brackets."""
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
