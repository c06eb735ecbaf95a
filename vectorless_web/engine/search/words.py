"""The plain words of a search's events."""

from vectorless_web.engine.document.tree import Tree

_LONGEST_TITLE = 70


def name_of(tree: Tree, key: int) -> str:
    """What to call a node: its title, cut; else its kind."""
    node = tree.node(key)
    title = " ".join(node.title.split())
    if len(title) > _LONGEST_TITLE:
        return title[: _LONGEST_TITLE - 1].rstrip() + "…"
    return title or ("the document" if key == 0 else f"an untitled {node.kind.value}")


def pages_of(tree: Tree, key: int) -> str:
    """The node's pages as people count them: "p. 84" or "pp. 84-86"."""
    node = tree.node(key)
    first, last = node.page_start + 1, node.page_end + 1
    return f"p. {first}" if first == last else f"pp. {first}-{last}"


def place(tree: Tree, key: int) -> str:
    """Name and pages of a node."""
    return f"{name_of(tree, key)} ({pages_of(tree, key)})"


def lower_than(tree: Tree, chosen: int) -> str:
    """Why a branch without a reason of its own was not taken."""
    return f"it promises less than {name_of(tree, chosen)}"
