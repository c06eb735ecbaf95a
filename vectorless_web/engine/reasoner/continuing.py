"""What a passage announces with a colon: the list items or table rows that follow it."""

from collections.abc import Sequence
from dataclasses import replace

from vectorless_web.engine.document.node import NodeKind
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.reasoner.finder import Finder
from vectorless_web.engine.reasoner.planner import Passage
from vectorless_web.engine.reasoner.sentences import Piece, pieces_of

ITEMS = 4
"""List items taken along, in their order; of a table only the best row."""

NEARLY = 0.98
"""What follows fits nearly as well as what announces it."""


def with_what_follows(passages: Sequence[Passage], tree: Tree, finder: Finder) -> list[Passage]:
    """The passages, each that ends in a colon followed by what it announces."""
    found: list[Passage] = []
    for passage in passages:
        found.append(passage)
        if passage.quote.rstrip().endswith(":"):
            found.extend(_following(passage, tree, finder))
    return found


def _following(passage: Passage, tree: Tree, finder: Finder) -> list[Passage]:
    key = _next_leaf(tree, passage)
    if key is None:
        return []
    node = tree.node(key)
    pieces = pieces_of(node)
    if node.kind is NodeKind.TABLE:
        pieces = _best_row(pieces, finder)
    elif node.kind is not NodeKind.LIST:
        pieces = pieces[:1]
    return [
        replace(
            passage,
            key=key,
            page_index=node.page_start,
            quote=p.text,
            start=p.start,
            end=p.end,
            fit=passage.fit * NEARLY,
        )
        for p in pieces[:ITEMS]
    ]


def _next_leaf(tree: Tree, passage: Passage) -> int | None:
    """The leaf after the passage's own, when the passage ends its node; running heads are passed over."""
    if tree.node(passage.key).text[passage.end :].strip():
        return None
    for key in range(passage.key + 1, min(passage.key + 6, len(tree))):
        kind = tree.kind(key)
        if kind in (NodeKind.SECTION, NodeKind.DOCUMENT):
            return None
        if kind is not NodeKind.RUNNING:
            return key
    return None


def _best_row(rows: Sequence[Piece], finder: Finder) -> list[Piece]:
    """The row that says most of the question, if it says anything and has a number."""
    numbered = [row for row in rows if any(character.isdigit() for character in row.text)]
    said = [(finder.coverage(row.text), row) for row in numbered]
    best = max(said, key=lambda pair: pair[0], default=(0.0, None))
    return [best[1]] if best[1] is not None and best[0] > 0 else []
