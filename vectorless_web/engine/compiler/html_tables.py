"""Tables of a web page: which hold data and which only arrange the page, and the cells of those that hold data."""

import re

from selectolax.lexbor import LexborNode

from vectorless_web.engine.compiler.blocks import cleaned
from vectorless_web.engine.compiler.guessing import last_said, raised
from vectorless_web.engine.compiler.html_walk import BLOCKS, Step, is_unread, walk
from vectorless_web.engine.compiler.spans import SpanCell

_ARRANGED = frozenset(("table", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre"))
_DIGITS = re.compile(r"\d{1,6}")


def is_data_table(node: LexborNode) -> bool:
    """Whether an element is a table of cells with words alone: none with lists or tables within, and not one cell."""
    if node.tag != "table" or (node.attributes.get("role") or "").lower() in ("presentation", "none"):
        return False
    cells = 0
    for step, part in walk(node, lambda _: False):
        if step is Step.BEGIN and part.tag in _ARRANGED:
            return False  # at the first one: looking on would make nested tables slow
        cells += step is Step.BEGIN and part.tag in ("td", "th")
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
    for step, part in walk(node, lambda _: False):
        tag = part.tag or ""
        if step is Step.TEXT:
            said.append(cleaned(part.text_content or ""))
        elif tag == "sup" and step is Step.BEGIN:
            marks.append(len(said))
        elif tag == "sup" and marks:
            begun = marks.pop()
            said[begun:] = [raised(last_said(said, begun), "".join(said[begun:]))]
        elif tag == "img" and step is Step.BEGIN:
            said.append(f" {cleaned(part.attributes.get('alt') or '')} ")
        elif tag in BLOCKS or tag == "br":
            said.append(" ")
    return " ".join("".join(said).split())


def _cell(cell: LexborNode) -> SpanCell:
    return SpanCell(words(cell), across=_reach(cell, "colspan"), down=_reach(cell, "rowspan"))


def _reach(cell: LexborNode, attribute: str) -> int:
    given = _DIGITS.match((cell.attributes.get(attribute) or "").strip())
    return max(1, int(given.group())) if given else 1
