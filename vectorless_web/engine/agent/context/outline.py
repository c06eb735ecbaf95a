"""Which sections a model is shown, and the words in which steps name sections and pages."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.documents.tree import Tree
from vectorless_web.engine.retrieval import pack
from vectorless_web.engine.text.normalise import lower_capitals
from vectorless_web.engine.text.tokens import HeuristicEstimator

TITLE_CHARACTERS = 90


def outline_keys(
    tree: Tree, best_below: Callable[[int], float], *, max_tokens: int
) -> tuple[list[int], list[int], int]:
    """Sections whose lines fit, in reading order; the best sections, best first; how many lines do not fit."""
    scores = {key: round(best_below(key), 6) for key in tree.sections()}
    estimate = HeuristicEstimator().estimate
    sizes = [(key, estimate(outline_line(tree, key)) + 1) for key in _by_worth(tree, scores)]
    kept = sorted(pack(sizes, token_budget=max(0, max_tokens)).items)
    return kept, _innermost_best(tree, scores), len(scores) - len(kept)


def outline_line(tree: Tree, key: int) -> str:
    """ "[12] Title | pp. 3-5", indented by depth."""
    columns = tree.columns
    title = columns.titles[key]
    title = title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…"
    pages = pages_words(columns.integers("page_start")[key], columns.integers("page_end")[key])
    return f"{'  ' * max(0, columns.integers('depth')[key] - 1)}[{key}] {title} | {pages}"


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


def pages_words(first: int, last: int) -> str:
    """Page indexes (from 0) in words: "p. 47", "pp. 84-86"."""
    return f"p. {first + 1}" if first == last else f"pp. {first + 1}-{last + 1}"


SHORT_TITLE_CHARACTERS = 70
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
RIGHT_TO_LEFT = re.compile("[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff]")


def shorten_title(title: str) -> str:
    """A title as it fits a sentence: cut at a word, capitals brought down, set apart when it runs the other way."""
    text = lower_capitals(" ".join(title.split()))
    if len(text) > SHORT_TITLE_CHARACTERS:
        text = text[:SHORT_TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
    return f"{ISOLATE}{text}{END_ISOLATE}" if RIGHT_TO_LEFT.search(text) else text


def pages_of(node: Node) -> str:
    """The pages of a node, as people count them."""
    return pages_words(node.page_start, node.page_end)


def on_pages(indexes: Iterable[int]) -> str:
    """Pages by their indexes from 0, as people count them: "p. 24", "pp. 24, 23 and 21"."""
    numbers = [str(index + 1) for index in dict.fromkeys(indexes)]
    return f"{'p.' if len(numbers) == 1 else 'pp.'} {join_names(numbers)}"


def say_count(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 section", "9 sections", "no sections"."""
    noun = one if number == 1 else many or f"{one}s"
    return f"{number or 'no'} {noun}"


def join_names(names: Sequence[str]) -> str:
    """Names joined for reading: "A", "A and B", "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
