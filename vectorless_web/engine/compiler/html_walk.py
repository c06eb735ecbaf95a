"""Walks what a web page shows, without recursion: pages may be nested thousands deep."""

import re
from collections.abc import Callable, Iterator
from enum import Enum, auto

from selectolax.lexbor import LexborNode

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


class Step(Enum):
    """What the walk meets: an element begins, ends, or is given whole; or a text."""

    BEGIN = auto()
    END = auto()
    WHOLE = auto()
    TEXT = auto()


def walk(root: LexborNode, whole: Callable[[LexborNode], bool]) -> Iterator[tuple[Step, LexborNode]]:
    """Everything shown below a node, in order; an element for which `whole` holds is not entered."""
    stack = [(child, False) for child in reversed(_children(root))]
    while stack:
        node, ended = stack.pop()
        if ended:
            yield Step.END, node
        elif node.is_text_node:
            yield Step.TEXT, node
        elif not node.is_element_node or is_unread(node):
            continue
        elif whole(node):
            yield Step.WHOLE, node
        else:
            yield Step.BEGIN, node
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
