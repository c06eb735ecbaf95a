"""Sweeps for list questions: every candidate passage is looked at, not only the best."""

from collections.abc import Sequence

from vectorless_web.engine.agent.context.outline import say_count, shorten_title
from vectorless_web.engine.agent.events import StepResult
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.passages.diversity import SET_ASIDE_SHOWN, Chosen, quote_row, select_passages
from vectorless_web.engine.passages.extraction import find_passages
from vectorless_web.engine.passages.passage import Passage

MOST, COMPETING = 24, 4
"""Passages one walk keeps, and how many times as many compete for these places."""

NEAR_BEST = 0.75
"""Share of the best passage's part of the question that another must say to be listed too."""

LEAST_SAID = 0.5
"""Least share of the question that a listed passage says."""


def sweep(walk: Walk) -> StepResult:
    """Look at every passage that holds a word of the question; keep all that say enough of it."""
    tree = walk.document.tree
    keys = [key for key, fit in walk.finder.fits(tree.leaves()).items() if fit > 0]
    nodes = [(tree.node(key), walk.finder.fits([key])[key], ", ".join(tree.path(key)[-2:])) for key in keys]
    found = find_passages(walk.entry.id, nodes, walk.finder)
    chosen = _choose_passages(walk, found)
    kept = sorted(chosen.kept, key=lambda passage: (passage.key, passage.start))
    walk.read.extend(key for key in dict.fromkeys(passage.key for passage in kept) if key not in walk.read)
    walk.facts.extend(kept)
    pages = len(walk.document.pages)
    return StepResult(
        say=f"Looked at {pages} of {say_count(pages, 'page')} of {shorten_title(walk.entry.title)}; "
        f"{_describe_count(len(kept))}",
        observation={
            "pages": pages,
            "looked_at": pages,
            "passages_compared": len(found),
            "passages": [quote_row(passage) for passage in kept],
            "set_aside": [quote_row(passage) for passage in chosen.set_aside[:SET_ASIDE_SHOWN]],
        },
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys(passage.key for passage in kept))[:12],
        confidence=round(max((walk.finder.coverage(p.quote, p.where) for p in kept), default=0.0), 4),
    )


def _choose_passages(walk: Walk, found: Sequence[Passage]) -> Chosen:
    """Passages that say nearly as much as the best, no words twice; of too many those that differ."""
    said = [(walk.finder.coverage(passage.quote, passage.where), passage) for passage in found]
    best = max((share for share, _ in said), default=0.0)
    good = [passage for share, passage in said if share >= max(LEAST_SAID, NEAR_BEST * best)]
    once: dict[str, Passage] = {}
    for passage in good:
        once.setdefault(" ".join(passage.quote.lower().split()), passage)
    return select_passages(list(once.values())[: COMPETING * MOST], MOST)


def _describe_count(number: int) -> str:
    return f"{say_count(number, 'passage speaks', 'passages speak')} of what was asked"
