"""The tree summary a planner reads: section keys, titles, pages and sizes within a token budget."""

from collections.abc import Callable, Collection, Mapping
from itertools import chain, zip_longest

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
    line_of = _lines(tree, hinted)
    lines = {key: line_of(key) for key in _by_worth(tree, scores)}
    estimate = HeuristicEstimator().estimate
    sizes = [(str(key), estimate(line) + 1) for key, line in lines.items()]
    packed = pack(sizes, token_budget=max(0, max_tokens))
    listed = sorted(map(int, packed.items))
    cut = len(scores) - len(listed)
    shown = [lines[key] for key in listed]
    return "\n".join(shown + ([f"({cut} more sections are not listed here; scan shows them.)"] if cut else []))


def _by_worth(tree: Tree, scores: Mapping[int, float]) -> list[int]:
    """From the top down and from the best down, in turns."""
    depths = tree.columns.integers("depth")
    shallow = sorted(scores, key=lambda key: (depths[key], -scores[key], key))
    best = _innermost_best(tree, scores)
    return list(dict.fromkeys(chain.from_iterable(zip_longest(shallow, best, fillvalue=shallow[0]))) if shallow else [])


def _innermost_best(tree: Tree, scores: Mapping[int, float]) -> list[int]:
    """Sections with a score, best first; of those with one score the innermost, which holds it."""
    depths = tree.columns.integers("depth")
    return sorted((key for key in scores if scores[key] > 0), key=lambda key: (-scores[key], -depths[key], key))


def _lines(tree: Tree, hinted: Collection[int]) -> Callable[[int], str]:
    """The line of a section, by its key."""
    columns = tree.columns
    depths, tokens = columns.integers("depth"), columns.integers("token_count")
    firsts, lasts = columns.integers("page_start"), columns.integers("page_end")

    def line(key: int) -> str:
        indent = "  " * max(0, depths[key] - 1)
        title = columns.titles[key]
        title = title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…"
        hint = " | speaks most of the question" if key in hinted else ""
        return f"{indent}[{key}] {title} | {pages_words(firsts[key], lasts[key])} | {tokens[key]} tokens{hint}"

    return line


def pages_words(first: int, last: int) -> str:
    """Page indexes (from 0) in words: "p. 47", "pp. 84-86"."""
    return f"p. {first + 1}" if first == last else f"pp. {first + 1}-{last + 1}"
