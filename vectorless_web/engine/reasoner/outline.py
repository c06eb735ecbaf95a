"""The tree summary a planner reads: section keys, titles, pages and sizes within a token budget."""

from collections.abc import Callable

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.text.tokens import HeuristicEstimator

TITLE_CHARACTERS = 90


def outline_text(tree: Tree, best_below: Callable[[int], float], *, max_tokens: int) -> str:
    """Lines "key | title | pages | tokens", level by level from the top, best subtrees first when not all fit.

    Lines stand in reading order, indented by depth. What was cut is said in the last line.
    """
    lines, used, cut = {}, 0, 0
    estimate = HeuristicEstimator().estimate
    for key in _by_worth(tree, best_below):
        line = _line(tree.node(key))
        cost = estimate(line) + 1
        if used + cost > max_tokens:
            cut += 1
            continue
        lines[key] = line
        used += cost
    shown = [lines[key] for key in sorted(lines)]
    return "\n".join(shown + ([f"({cut} more sections are not listed here; SCAN shows them.)"] if cut else []))


def _by_worth(tree: Tree, best_below: Callable[[int], float]) -> list[int]:
    keys = list(tree.sections())
    return sorted(keys, key=lambda key: (tree.node(key).depth > 2, -round(best_below(key), 6), key))


def _line(node: Node) -> str:
    indent = "  " * max(0, node.depth - 1)
    title = node.title if len(node.title) <= TITLE_CHARACTERS else node.title[: TITLE_CHARACTERS - 1] + "…"
    return f"{indent}{node.key} | {title} | {pages_words(node.page_start, node.page_end)} | {node.token_count} tokens"


def pages_words(first: int, last: int) -> str:
    """Page indexes (from 0) in words: "p. 47", "pp. 84-86"."""
    return f"p. {first + 1}" if first == last else f"pp. {first + 1}-{last + 1}"
