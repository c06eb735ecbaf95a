"""Turns drafts in reading order into the numbered nodes of a tree."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from vectorless_web.engine.compiler.drafts import Draft, runs_pages
from vectorless_web.engine.document.node import Node, NodeKind
from vectorless_web.engine.text.tokens import HeuristicEstimator

_ESTIMATOR = HeuristicEstimator()


@dataclass(slots=True)
class _Open:
    """A node whose subtree is not complete yet."""

    draft: Draft
    key: int
    parent: int
    depth: int
    children: list[int] = field(default_factory=list)


def assemble(drafts: Sequence[Draft], *, last_page: int) -> list[Node]:
    """Nodes in pre-order under an untitled root; a section holds what follows up to the next of its level or above."""
    root = _Open(Draft(NodeKind.DOCUMENT, "", (), 0), 0, -1, 0)
    opened = _nest(root, drafts)
    nodes: list[Node | None] = [None] * len(opened)
    for place in reversed(opened):  # children stand behind their parents
        nodes[place.key] = _close(place, nodes)
    made = [node for node in nodes if node is not None]
    made[0] = replace(made[0], page_start=0, page_end=last_page)  # the root spans pages without text too
    return made


def _nest(root: _Open, drafts: Sequence[Draft]) -> list[_Open]:
    opened, stack = [root], [root]
    for key, draft in enumerate(drafts, start=1):
        if draft.kind is NodeKind.SECTION:
            while len(stack) > 1 and stack[-1].draft.level >= draft.level:
                stack.pop()
        place = _Open(draft, key, stack[-1].key, len(stack))
        stack[-1].children.append(key)
        opened.append(place)
        if draft.kind is NodeKind.SECTION:
            stack.append(place)
    return opened


def _close(place: _Open, nodes: Sequence[Node | None]) -> Node:
    draft = place.draft
    children = [node for node in (nodes[key] for key in place.children) if node is not None]
    first, last = runs_pages(draft.runs, draft.page)
    return Node(
        key=place.key,
        parent=place.parent,
        subtree_end=children[-1].subtree_end if children else place.key + 1,
        depth=place.depth,
        kind=draft.kind,
        title=draft.title,
        text=draft.text,
        page_start=min([first, *(child.page_start for child in children)]),
        page_end=max([last, *(child.page_end for child in children)]),
        token_count=_ESTIMATOR.estimate(draft.text) + sum(child.token_count for child in children),
        content_hash=_hash(draft, children),
        label=draft.label,
        runs=draft.runs,
        table=draft.table,
    )


def _hash(draft: Draft, children: Sequence[Node]) -> str:
    """Position-independent: equal content in another version has the same hash."""
    parts = [draft.kind.value, draft.title, " ".join(draft.text.split()), *(child.content_hash for child in children)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
