"""The tree summary a planner reads: section keys, titles, pages and sizes within a token budget."""

from collections.abc import Callable, Mapping
from itertools import chain, zip_longest

from vectorless_web.engine.document.node import Node
from vectorless_web.engine.document.tree import Tree
from vectorless_web.engine.retriever import pack
from vectorless_web.engine.text.tokens import HeuristicEstimator

TITLE_CHARACTERS = 90


HINTED = 3
"""Sections that are said to hold most of the question's words."""


def outline_text(tree: Tree, best_below: Callable[[int], float], *, max_tokens: int) -> str:
    """Lines "[key] title | pages | tokens", top sections and best subtrees in turns until the tokens are used up.

    Lines stand in reading order, indented by depth; the best three bear a hint. What was
    cut is said in the last line.
    """
    scores = {key: round(best_below(key), 6) for key in tree.sections()}
    hinted = set(_innermost_best(tree, scores)[:HINTED])
    lines = {key: _line(tree.node(key), is_hinted=key in hinted) for key in _by_worth(tree, scores)}
    estimate = HeuristicEstimator().estimate
    sizes = [(str(key), estimate(line) + 1) for key, line in lines.items()]
    packed = pack(sizes, token_budget=max(0, max_tokens))
    listed = sorted(map(int, packed.items))
    cut = len(scores) - len(listed)
    shown = [lines[key] for key in listed]
    return "\n".join(shown + ([f"({cut} more sections are not listed here; scan shows them.)"] if cut else []))


def _by_worth(tree: Tree, scores: Mapping[int, float]) -> list[int]:
    """From the top down and from the best down, in turns."""
    shallow = sorted(scores, key=lambda key: (tree.node(key).depth, -scores[key], key))
    best = _innermost_best(tree, scores)
    return list(dict.fromkeys(chain.from_iterable(zip_longest(shallow, best, fillvalue=shallow[0]))) if shallow else [])


def _innermost_best(tree: Tree, scores: Mapping[int, float]) -> list[int]:
    """Sections with a score, best first; of those with one score the innermost, which holds it."""
    return sorted(
        (key for key in scores if scores[key] > 0), key=lambda key: (-scores[key], -tree.node(key).depth, key)
    )


def _line(node: Node, *, is_hinted: bool) -> str:
    indent = "  " * max(0, node.depth - 1)
    title = node.title if len(node.title) <= TITLE_CHARACTERS else node.title[: TITLE_CHARACTERS - 1] + "…"
    hint = " | speaks most of the question" if is_hinted else ""
    pages = pages_words(node.page_start, node.page_end)
    return f"{indent}[{node.key}] {title} | {pages} | {node.token_count} tokens{hint}"


def pages_words(first: int, last: int) -> str:
    """Page indexes (from 0) in words: "p. 47", "pp. 84-86"."""
    return f"p. {first + 1}" if first == last else f"pp. {first + 1}-{last + 1}"
