"""A page that a question names: "on page 47", "according to p. 12"."""

import re

from vectorless_web.engine.document.node import Node

_PAGE = re.compile(
    r"(?:\b(?:on|at|in|from|of|see|according to)\s+)?\b(?:page|p\.)\s*(?:no\.?\s*)?(\d{1,5})\b(?!\s*%)", re.I
)


def page_asked(question: str, pages: int) -> int | None:
    """The one page, counted from 1, that a question names and a document of so many pages has; else None."""
    named = {int(number) for number in _PAGE.findall(question)}
    page = named.pop() if len(named) == 1 else 0
    return page if 1 <= page <= pages else None


def without_page(question: str) -> str:
    """The question without the page it names, which says where to look, not what for; whole when nothing is left."""
    rest = " ".join(_PAGE.sub(" ", question).split())
    return rest if re.search(r"\w{3}", rest) else question


def stands_on(node: Node, page: int) -> bool:
    """Whether a node covers the page, counted from 1."""
    return node.page_start <= page - 1 <= node.page_end
