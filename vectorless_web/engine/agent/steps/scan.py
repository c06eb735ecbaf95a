"""SCAN: what stands below a section, and what of it looks promising."""

from collections.abc import Mapping, Sequence
from typing import Any

from vectorless_web.engine.agent.context.outline import join_names, pages_of, say_count, shorten_title
from vectorless_web.engine.agent.events import Rejected, StepResult, refuse_step
from vectorless_web.engine.agent.walk import Walk

SHOWN = 40
"""Children listed in an observation; the rest are counted."""

PROMISING = 0.6
"""A child within this share of the best one looks promising too."""


def scan(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Look over the children of a section: titles, sizes, hints and the best score in each subtree."""
    tree, key = walk.document.tree, arguments.get("node", 0)
    if key not in tree:
        return refuse_step(f"Looked for section {key}, which this document does not have.")
    children = tree.child_sections(key) or tree.children(key)
    if not children:
        return refuse_step(f"Looked into {walk.title_of(key)}, which has no parts.")
    worth = [(walk.finder.best_below(child), child) for child in children]
    best = sorted(worth, key=lambda pair: (-round(pair[0], 9), pair[1]))
    promising = [child for score, child in best[:3] if score > 0 and score >= PROMISING * best[0][0]]
    walk.position = key
    return StepResult(
        say=_describe_scan(walk, key, children, promising),
        observation=_describe_children(walk, worth, promising),
        refs=(walk.ref(key), *(walk.ref(child, "looked") for child in [c for _, c in best[:8]])),
        rejected=tuple(
            Rejected(walk.title_of(child), "none of the question's words stand in it", walk.ref(child, "looked"))
            for score, child in worth
            if score <= 0
        )[:8],
        confidence=round(walk.finder.node_coverage(walk.finder.scorer.evidence(best[0][1]).best), 4),
    )


def _describe_scan(walk: Walk, key: int, children: Sequence[int], promising: Sequence[int]) -> str:
    name = shorten_title(walk.title_of(key)) if key else shorten_title(walk.entry.title)
    size = say_count(len(children), "section" if walk.document.tree.child_sections(key) else "passage")
    if not promising:
        return f"Looked over {name}, {size}; none speaks of the question"
    titles = [
        f"{shorten_title(walk.title_of(child))} ({pages_of(walk.document.tree.node(child))})" for child in promising
    ]
    verb = "looks" if len(titles) == 1 else "look"
    return f"Looked over {name}, {size}; {join_names(titles)} {verb} most promising"


def _describe_children(walk: Walk, worth: Sequence[tuple[float, int]], promising: Sequence[int]) -> dict[str, Any]:
    rows = [
        {
            "key": child,
            "title": walk.title_of(child),
            "pages": pages_of(walk.document.tree.node(child)),
            "tokens": walk.document.tree.node(child).token_count,
            "score": round(score, 4),
            "promising": child in promising,
        }
        for score, child in worth[:SHOWN]
    ]
    return {"children": rows, "not_listed": max(0, len(worth) - SHOWN)}
