"""Questions that set alternatives against each other: "Among A, B and C, which was the highest?"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from vectorless_web.engine.query.lexicon import Concept, default_lexicon
from vectorless_web.engine.query.plan import FigureNeed, QueryPlan

_AMONG = re.compile(
    r"\b(?:among|of|between|out of)\s+(?P<list>[^?;:]{5,160}?),?\s+(?:which|what|who)\b"
    r"|\bwhich (?:one )?of\s+(?P<after>[^?;:]{5,160}?)\s+(?:was|were|is|are|had|has|did|brought|made|gave|grew|cost)\b",
    re.I,
)
_MOST = re.compile(r"\b(?:most|highest|largest|greatest|biggest|best|top)\b", re.I)
_LEAST = re.compile(r"\b(?:least|lowest|smallest|fewest|worst)\b", re.I)
_SPLIT = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.I)
_BRACKETS = re.compile(r"\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Contest:
    """Alternatives as figures to find, and whether the greatest or the least is asked for."""

    needs: tuple[FigureNeed, ...]
    greatest: bool


@lru_cache(maxsize=256)
def contest_of(plan: QueryPlan) -> Contest | None:
    """The contest a question asks to decide; None when it names fewer than two known alternatives or no superlative."""
    text = _BRACKETS.sub(" ", plan.focus)
    among = _AMONG.search(text)
    if among is None or not (_MOST.search(text) or _LEAST.search(text)):
        return None
    concepts = _concepts([item for item in _SPLIT.split((among["list"] or among["after"]).strip(" ,")) if item])
    if len(concepts) < 2:
        return None
    period = max(plan.periods, key=lambda p: (p.year, p.quarter or 0)) if plan.periods else None
    needs = tuple(FigureNeed(c.name, c.phrases, period, c.statement) for c in concepts)
    return Contest(needs, bool(_MOST.search(text)))


def _concepts(items: list[str]) -> list[Concept]:
    """The concept of each item; "operations, investing and financing activities" share their last word."""
    found: list[Concept] = []
    shared = items[-1].split()[-1] if items else ""
    for item in items:
        concept = _concept(item) or _concept(f"{item} {shared}")
        if concept is None:
            return []
        if concept not in found:
            found.append(concept)
    return found


def _concept(text: str) -> Concept | None:
    entries = [entry for match in default_lexicon().match(text) for entry in match.entries]
    return next((entry for entry in entries if isinstance(entry, Concept) and entry.statement), None)
