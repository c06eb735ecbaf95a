"""Turns mentions of other parts ("see Note 7", "Item 8", "Table 3") into links between nodes."""

import re
from collections.abc import Iterator, Sequence

from vectorless_web.engine.document.node import Node, NodeKind, Reference

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
        keys = targets.get(label, ()) or _bare(match, targets)
        target = _nearest(keys, node, nodes)
        if target is None or target in seen or nodes[target].key <= node.key < nodes[target].subtree_end:
            continue
        seen.add(target)
        yield Reference(node.key, match.start(), match.end() - match.start(), target)


def _bare(match: re.Match[str], targets: dict[str, list[int]]) -> Sequence[int]:
    """Targets labelled by their number alone: "Note 7" may stand as "7. Leases"."""
    return targets.get(match[2].casefold(), ()) if match[1].casefold() in _NUMBERED_NAMES else ()


def _nearest(keys: Sequence[int], node: Node, nodes: Sequence[Node]) -> int | None:
    """The target with the most content; of equals the one nearest to the mention."""
    return max(keys, key=lambda key: (min(nodes[key].token_count, 200), -abs(key - node.key)), default=None)
