"""Turns drafts in reading order into the numbered nodes of a tree, with links and a bounded outline."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from vectorless_web.engine.documents.node import Node, NodeKind, Reference
from vectorless_web.engine.parsing.drafts import Draft, runs_pages
from vectorless_web.engine.parsing.markup.pages import PAGE_CHARACTERS
from vectorless_web.engine.text.tokens import HeuristicEstimator

_ESTIMATOR = HeuristicEstimator()


@dataclass(slots=True)
class _OpenNode:
    """A node whose subtree is not complete yet."""

    draft: Draft
    key: int
    parent: int
    depth: int
    children: list[int] = field(default_factory=list)


def assemble(drafts: Sequence[Draft], *, last_page: int) -> list[Node]:
    """Nodes in pre-order under an untitled root; a section holds what follows up to the next of its level or above."""
    root = _OpenNode(Draft(NodeKind.DOCUMENT, "", (), 0), 0, -1, 0)
    opened = _nest_drafts(root, drafts)
    nodes: list[Node | None] = [None] * len(opened)
    for place in reversed(opened):  # children stand behind their parents
        nodes[place.key] = _close(place, nodes)
    made = [node for node in nodes if node is not None]
    made[0] = replace(made[0], page_start=0, page_end=last_page)  # the root spans pages without text too
    return made


def _nest_drafts(root: _OpenNode, drafts: Sequence[Draft]) -> list[_OpenNode]:
    opened, stack = [root], [root]
    for key, draft in enumerate(drafts, start=1):
        if draft.kind is NodeKind.SECTION:
            while len(stack) > 1 and stack[-1].draft.level >= draft.level:
                stack.pop()
        place = _OpenNode(draft, key, stack[-1].key, len(stack))
        stack[-1].children.append(key)
        opened.append(place)
        if draft.kind is NodeKind.SECTION:
            stack.append(place)
    return opened


def _close(place: _OpenNode, nodes: Sequence[Node | None]) -> Node:
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


_MENTION = re.compile(
    r"\b(note|item|part|table|figure|section|chapter|article|appendix|annex|schedule|exhibit|clause|anhang|kapitel|abschnitt)s?\s+"
    r"(\d{1,3}[A-Z]?(?:\.\d{1,3}){0,4}|[IVX]{1,5}|[A-Z])\b",
    re.IGNORECASE,
)


_NUMBERED_NAMES = frozenset(("note", "section", "clause", "chapter", "abschnitt", "kapitel"))


def find_references(nodes: Sequence[Node]) -> list[Reference]:
    """Links from leaves to the nodes they name; a node does not link to the section it stands in."""
    targets = _targets(nodes)
    found: list[Reference] = []
    for node in nodes:
        if node.is_leaf and node.kind is not NodeKind.RUNNING:
            found.extend(_links(node, nodes, targets))
    return found


def _targets(nodes: Sequence[Node]) -> dict[str, list[int]]:
    """Labels in lower case -> keys of the nodes that carry them."""
    targets: dict[str, list[int]] = {}
    for node in nodes:
        if node.label:
            targets.setdefault(node.label.casefold(), []).append(node.key)
    return targets


def _links(node: Node, nodes: Sequence[Node], targets: dict[str, list[int]]) -> Iterator[Reference]:
    seen: set[int] = set()
    for match in _MENTION.finditer(node.text):
        label = f"{match[1]} {match[2]}".casefold()
        keys = targets.get(label, ()) or _find_numbered_targets(match, targets)
        target = _choose_target(keys, node, nodes)
        if target is None or target in seen or nodes[target].key <= node.key < nodes[target].subtree_end:
            continue
        seen.add(target)
        yield Reference(node.key, match.start(), match.end() - match.start(), target)


def _find_numbered_targets(match: re.Match[str], targets: dict[str, list[int]]) -> Sequence[int]:
    """Targets labelled by their number alone: "Note 7" may stand as "7. Leases"."""
    return targets.get(match[2].casefold(), ()) if match[1].casefold() in _NUMBERED_NAMES else ()


_MUCH_CONTENT = 200
"""Tokens from which a target counts as having content; more do not make it likelier to be meant."""


def _choose_target(keys: Sequence[int], node: Node, nodes: Sequence[Node]) -> int | None:
    """The target with the most content; of equals the one nearest to the mention."""
    return max(keys, key=lambda key: (min(nodes[key].token_count, _MUCH_CONTENT), -abs(key - node.key)), default=None)


@dataclass(frozen=True, slots=True)
class LimitedOutline:
    """Drafts with at most so many headings; `remark` is a sentence that says what became of the others, or ""."""

    drafts: Sequence[Draft]
    remark: str = ""


def limit_outline(drafts: Sequence[Draft], most: int) -> LimitedOutline:
    """Keep the headings of the upper levels, as many levels as have `most` headings together.

    Where the uppermost level alone has more, its first `most` are kept. All others become
    paragraphs; those that stand next to each other are joined, up to the size of a page.
    """
    levels = Counter(draft.level for draft in drafts if draft.kind is NodeKind.SECTION)
    found = levels.total()
    if found <= most:
        return LimitedOutline(drafts)
    kept = _kept_levels(levels, most)
    limited, headings = [], 0
    for draft in drafts:
        is_heading = draft.kind is NodeKind.SECTION
        stays = is_heading and draft.level in kept and headings < most
        headings += stays
        if stays or not is_heading:
            limited.append(draft)
        else:
            _add_as_text(limited, draft)
    shown = f"its first {len(kept)} levels" if len(kept) > 1 else "its first level"
    if levels[min(kept)] > most:
        shown = f"the first {headings:,}"
    remark = f"This document has {found:,} headings; the outline shows {shown}. The others are kept as text."
    return LimitedOutline(limited, remark)


def _kept_levels(levels: Counter[int], most: int) -> set[int]:
    """The uppermost levels that have at most `most` headings together, and the first level in any case."""
    kept: set[int] = set()
    total = 0
    for level in sorted(levels):
        total += levels[level]
        if kept and total > most:
            break
        kept.add(level)
    return kept


class _Joined(Draft):
    """Headings that became one paragraph: only such a one takes in the next."""


def _add_as_text(limited: list[Draft], draft: Draft) -> None:
    """Add a heading's words, to the paragraph before when that was made of headings of the same page."""
    if not draft.text:
        return  # a bookmark's name, which is not printed
    before = limited[-1] if limited else None
    if isinstance(before, _Joined) and before.page == draft.page and len(before.text) < PAGE_CHARACTERS:
        shift = len(before.text) + 1
        before.text += "\n" + draft.text
        before.runs += tuple(replace(run, offset=run.offset + shift) for run in draft.runs)
    else:
        limited.append(_Joined(NodeKind.PARAGRAPH, draft.text, draft.runs, draft.page))
